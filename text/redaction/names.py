"""Finding of names of secrets (password, 密码) in English, in Chinese and in identifiers of code."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ..word_lists import alternatives, in_pieces, word_list, word_tables
from .rules import Label, compiled, cue_places

_TABLES = word_tables("redaction/names.toml")
_PATTERNS = in_pieces(_TABLES["patterns"], alternatives(_TABLES["words"]))
_CUES = word_list(_TABLES["words"]["cues"])
_TRAILING = word_list(_TABLES["words"]["trailing"])
Kind = Literal["password", "secret", "token", "key"]
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
"""Chinese characters, for use in a character class."""
LABELS: dict[Kind, Label] = {
    "password": "PASSWORD",
    "secret": "SECRET",
    "token": "TOKEN",
    "key": "API_KEY",
}

_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"


class Name(NamedTuple):
    """The name of a secret from `start` to `end` (exclusive), with the rest of its identifier."""

    start: int
    end: int
    kind: Kind
    word: str


def find_names(text: str, folded: str) -> Iterator[Name]:
    """Find the names of secrets in a text; `folded` is the text in lower case."""
    done = 0
    for place in cue_places(folded, _CUES):
        found = compiled(_PATTERNS["NAME"]).match(folded, place) if place >= done else None
        if found is None:
            continue
        start, done = place, found.end()
        kind: Kind | None = found.lastgroup  # type: ignore[assignment]  # the groups are the kinds
        if found.group().isascii():
            start, done = _identifier(text, place, done)
            # `api key`: the word before a space qualifies the key.
            before = compiled(r"[A-Za-z0-9-]{1,16}[ ]$").search(text, max(0, start - 18), start)
            kind = kind_of_name((before.group() if before else "") + text[start:done])
        if kind is not None:
            yield Name(start, done, kind, found.group())


def _identifier(text: str, start: int, end: int) -> tuple[int, int]:
    before = compiled(r"[A-Za-z0-9_.-]{0,40}$").search(text, max(0, start - 40), start)
    rest = compiled(
        r"[A-Za-z0-9_]{0,40}(?:[.-][A-Za-z_]\w{1,24}(?=[\"'\s:=\])]))?", re.ASCII
    ).match(text, end)
    return before.start() if before else start, rest.end() if rest else end


def kind_of_name(name: str) -> Kind | None:
    """Return the kind of secret that a name means, or None.

    The name is a mapping key, variable or column (`dbPassword`, `X-Api-Key`).
    """
    han = compiled(rf"(?:{_PATTERNS['NAME']})(?:值|串|号|明文)?$").search(name.strip().lower())
    if han is not None and not han.group().isascii():
        return han.lastgroup  # type: ignore[return-value]
    parts = [part.lower() for part in compiled(_PARTS).findall(name)]
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _TRAILING):
        parts.pop()
    found = compiled(_PATTERNS["KIND"]).fullmatch(" ".join(parts[-2:]))
    return found.lastgroup if found else None  # type: ignore[return-value]
