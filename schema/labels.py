"""Labels that a bot passes with a job or message: tags, and metadata as a small JSON object."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import InvalidInput
from .ids import told, type_and_size

MOST_TAGS = 12
LONGEST_TAG = 32
"""The maximum number of tags of a record (MOST_TAGS), and the maximum number of characters of a
tag."""
MOST_METADATA_BYTES = 2_048
"""The maximum number of bytes of metadata, as JSON in UTF-8."""
_DEEPEST = 6
_LONGEST_KEY = 64
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")


def clean_tags(given: object, what: str = "tags") -> tuple[str, ...]:
    """Return tags in the form in which they are stored and compared, without duplicates, in their
    order.

    A tag is one line in lower case; wide and narrow forms of a character are equal. Raises
    InvalidInput that names the tag.

    >>> clean_tags(["Work ", "ＷＯＲＫ", "", "旅行\\n计划"])
    ('work', '旅行 计划')
    """
    if given is None:
        return ()
    if not isinstance(given, str | list | tuple | set | frozenset):
        raise InvalidInput(f"{what}: expected a list of short texts, got {type_and_size(given)}")
    tags: dict[str, None] = {}
    for n, one in enumerate([given] if isinstance(given, str) else given):
        if not isinstance(one, str):
            raise InvalidInput(f"{what}[{n}]: expected a text, got {type_and_size(one)}")
        tag = _tag(one)
        if len(tag) > LONGEST_TAG:
            raise InvalidInput(
                f"{what}[{n}]: {len(tag)} characters; a tag has at most {LONGEST_TAG}"
            )
        if any(unicodedata.category(one)[0] in "LNPS" for one in tag):
            tags[tag] = None
    if len(tags) > MOST_TAGS:
        raise InvalidInput(f"{what}: {len(tags)} tags; at most {MOST_TAGS} are allowed")
    return tuple(tags)


def _tag(text: str) -> str:
    plain = unicodedata.normalize("NFKC", _storable(text)).lower()
    return " ".join(_CONTROLS.sub(" ", plain).split())


def clean_metadata(given: object, what: str = "metadata") -> dict[str, Any]:
    """Return a JSON object as it is stored: whole numbers as int, and only texts that every store
    can hold.

    Raises InvalidInput that names the key (`metadata.thread.id`) for a value that is not JSON, for
    a nesting of more than six levels, and for more than MOST_METADATA_BYTES.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f'{what}: expected an object such as {{"thread": 7}}, got {type_and_size(given)}'
        )
    cleaned: dict[str, Any] = _value(given, what, _DEEPEST)
    size = len(metadata_json(cleaned).encode())
    if size > MOST_METADATA_BYTES:
        raise InvalidInput(
            f"{what}: {size} bytes as JSON; at most {MOST_METADATA_BYTES} are allowed"
        )
    return cleaned


def wanted_metadata(given: object) -> dict[str, Any]:
    """Return the metadata that a filter compares: each top-level key has a text, number, true,
    false or null.

    Raises InvalidInput that names the key.
    """
    wanted = clean_metadata(given)
    for key, value in wanted.items():
        if isinstance(value, dict | list):
            raise InvalidInput(
                f"metadata.{key}: a filter compares texts, numbers, true, false and null; got {type_and_size(value)}"
            )
    return wanted


def last_expiry(moments: Iterable[float | None]) -> float | None:
    """Return the latest of several times of expiry (seconds since the epoch); None if one of them
    is None or there is none.

    >>> last_expiry([10.0, 20.0]), last_expiry([10.0, None]), last_expiry([])
    (20.0, None, None)
    """
    known = list(moments)
    return (
        max((one for one in known if one is not None), default=None) if None not in known else None
    )


def read_metadata(text: str) -> dict[str, Any]:
    """Return the metadata in a JSON text; {} for "". Raises InvalidInput."""
    try:
        return clean_metadata(json.loads(text) if text.strip() else None)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            f'metadata: {told(text)} is not JSON; write an object such as {{"thread": 7}}'
        ) from None


def metadata_json(metadata: Mapping[str, Any]) -> str:
    """Return metadata as JSON text. Equal metadata give equal texts."""
    return json.dumps(metadata, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def labels_of(tags: tuple[str, ...], metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the labels that filters compare: one for each tag and each top-level key of the
    metadata.
    """
    if not tags and not metadata:
        return frozenset()
    pairs = (metadata_json({key: value}) for key, value in metadata.items())
    return frozenset((*map(json.dumps, tags), *pairs))


def _value(value: object, where: str, levels: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, int | float):
        if not math.isfinite(value) or abs(value) >= 2**63:
            raise InvalidInput(
                f"{where}: {told(value)} is not a number that JSON can hold in 64 bits"
            )
        return int(value) if value == int(value) else value
    if not isinstance(value, Mapping | list | tuple):
        raise InvalidInput(
            f"{where}: expected text, a number, true, false, null, a list or an object, got {type_and_size(value)}"
        )
    if not levels:
        raise InvalidInput(f"{where}: nested more than {_DEEPEST} levels deep")
    if not isinstance(value, Mapping):
        return [_value(one, f"{where}[{n}]", levels - 1) for n, one in enumerate(value)]
    return {
        _key(key, where): _value(one, f"{where}.{key!s:.{_LONGEST_KEY}}", levels - 1)
        for key, one in value.items()
    }


def _key(key: object, where: str) -> str:
    if not isinstance(key, str) or not 0 < len(key) <= _LONGEST_KEY or key != _storable(key):
        raise InvalidInput(
            f"{where}.{told(key)}: a key is a text of 1 to {_LONGEST_KEY} characters"
        )
    return key


def _storable(text: str) -> str:
    """Return a text without NUL and lone surrogates, which not every store can hold."""
    return text.encode("utf-8", "ignore").decode().replace("\0", "")
