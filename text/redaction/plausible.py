"""Tests that distinguish random strings (keys) from written ones (names, dates, paths)."""

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Literal, NamedTuple

from ..word_lists import in_pieces, word_list, word_tables
from .names import HAN, Kind, kind_of_name
from .rules import PLACEHOLDER, compiled

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HASH_LENGTHS = (32, 40, 56, 64, 96, 128)


def is_hash(value: str) -> bool:
    """Return True if `value` has the form of an MD5, SHA or Git digest or of a UUID.

    Such a value is an identifier, unless it is named a key.
    """
    is_digest = len(value) in _HASH_LENGTHS and re.fullmatch("[0-9a-f]+|[0-9A-F]+", value)
    return bool(is_digest or re.fullmatch(UUID, value))


def is_mixed(value: str) -> bool:
    """Return True if `value` has letters and digits."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def looks_random(value: str, at_least: int = 16) -> bool:
    """Return True if letters and digits alternate as in a key of at least `at_least` characters.

    Names, dates, paths and versions change between letters and digits once or twice. In a random
    base62 string a third of all adjacent pairs do so, in a hexadecimal one nearly half.
    """
    if len(value) < at_least or len(set(value)) < 8:
        return False
    kinds = [
        "0" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else "" for c in value
    ]
    changes = [a + b for a, b in pairwise(kinds) if a and b and a != b]
    figures = sum("0" in change for change in changes)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
    return figures >= 3 and len(changes) >= len(value) / 5 and entropy >= 2.8


_TABLES = word_tables("redaction/plausible.toml")
_PATTERNS = in_pieces(_TABLES["patterns"])
_NO_VALUES = word_list(_TABLES["words"]["no_values"])
_WORD = r"[A-Za-z_$]+"
_ENDS = r"[ \t]*(?:$|[.!?。！？\n])"
Link = Literal["paired", "assigned", "said", "option", "beside"]


class Value(NamedTuple):
    """The value after a link, `start` to `end` (exclusive) of the text, without quotation marks."""

    text: str
    start: int
    end: int
    quoted: bool


def is_placeholder(value: str) -> bool:
    """Return True for a placeholder of a secret: `${TOKEN}`, `<your key>`, `****`, `[TOKEN]`."""
    stands_for = value.lower() in _NO_VALUES or compiled(_PATTERNS["MASKED"]).fullmatch(value)
    return bool(stands_for) or is_template(value)


def is_template(value: str) -> bool:
    """Return True if `value` is a placeholder by its form.

    Words such as `password` or `none`, which occur as passwords in URLs, do not count.
    """
    if not any(map(str.isalnum, value)):
        return True
    return bool(compiled(_PATTERNS["TEMPLATE"]).fullmatch(value) or PLACEHOLDER.fullmatch(value))


def is_strong(word: str) -> bool:
    """Return True if a word without a link looks like a password.

    It has letters and digits (or symbols), and is no date or path.
    """
    mixed = is_mixed(word) or compiled(r"[A-Za-z]{2,}[@#$!%^&*+]+[A-Za-z]{2,}.*").fullmatch(word)
    return bool(len(word) >= 6 and mixed) and not (_is_ordinary(word) or is_placeholder(word))


def _is_ordinary(word: str) -> bool:
    """Return True for a method name, date, version, path, address or call (`os.environ[`)."""
    return bool(
        compiled(_PATTERNS["ORDINARY"]).fullmatch(word) or compiled(_PATTERNS["CODE"]).match(word)
    )


def is_secret(kind: Kind, link: Link, linking: str, value: Value, text: str) -> bool:
    """Return True if `value` is the secret of a name of `kind`; `linking` is the text between."""
    written, after = value.text, text[value.end : value.end + 24]
    if is_placeholder(written.lstrip("=")) or _names_a_secret(written):
        return False
    if not value.quoted and _is_ordinary(written):
        return False
    if link == "paired" and (len(written) < 6 or set(" (") & set(written) or not is_mixed(written)):
        return False
    return (
        _is_password(link, linking, value, after)
        if kind == "password"
        else _is_key(kind, link, value, text)
    )


def _names_a_secret(value: str) -> bool:
    """Return True if the value is a name in code: `user_password`, `new_token`, `your-api-key`."""
    named = re.fullmatch(r"[A-Za-z_.\-$]{3,60}|(?:[A-Z][a-z]+|[A-Z]\d){3,}", value)
    return bool(named) and kind_of_name(value) is not None


def _is_password(link: Link, linking: str, value: Value, after: str) -> bool:
    written = value.text
    if compiled(f"[{HAN}]").match(written):
        return (
            link == "assigned"
            and "|" not in linking
            and not compiled(_PATTERNS["TALK"]).search(written)
        )
    if value.quoted and not written.isdecimal():
        return len(written) >= 3 and not (" " in written and link == "beside")
    if written.isdecimal():
        tight = link != "beside" or linking.strip() in ("", "（", "(", "【")
        return len(written) >= (4 if tight else 6) and not re.match(r"[.:/-]\d", after)
    if compiled(_WORD).fullmatch(written):
        return len(written) >= 4 and _is_plain_password(link, linking, after)
    if link == "beside":
        return len(written) >= 6 and is_mixed(written) and not re.match(r"[\w.-]+[=(]", written)
    return len(written) >= 3


def _is_plain_password(link: Link, linking: str, after: str) -> bool:
    """Return True if a word of only letters is a password.

    It is a password after `=` and 是, and after `is` at the end of a sentence.
    """
    if link != "said" or not linking.isascii():
        return link != "beside"
    return bool(compiled(_ENDS).match(after))


def _is_key(kind: Kind, link: Link, value: Value, text: str) -> bool:
    written = value.text
    if " " in written or not written.isascii() or "://" in written:
        return False
    if kind == "key":
        before = text[max(0, value.start - 12) : value.start]
        is_drawn = looks_random(written, 20) or is_hash(written)
        return is_drawn and (
            link != "beside" or bool(re.search(rf"(?i)(?:[a-z]{{3}}|[{HAN}]) ?key $", before))
        )
    if link == "beside":
        return looks_random(written) and (not is_hash(written) or text[value.start - 1] in " )）")
    is_named = re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)*[-_.]?v?\d{1,2}|[A-Za-z_:]+:\d+", written)
    return is_mixed(written) and len(written) >= 8 and not is_named
