"""Parts of a text that rules must not read as prose: quotations, code, addresses, ids and names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from operator import itemgetter

from .borders import in_word, places_of
from .edits import Edit
from .piecewise import matches

Span = tuple[int, int]
"""Start and end of a piece of text in characters, the end exclusive."""

_TRIGGER = re.compile(r"""["'`“‘《〈「『«＂@#/\\~<\[:.]|(?<![A-Za-z0-9])[vV]\d""")

_PATH_CHARACTERS = r"[\w.\-+%]"
_EXTENSION = (
    r"(?:py|pyi|ipynb|js|jsx|ts|tsx|json|jsonl|yaml|yml|toml|ini|cfg|conf|env|md|rst|txt|csv|tsv|log|html|htm|css|xml|"
    r"sql|sqlite|db|sh|bat|ps1|c|h|cc|cpp|hpp|rs|go|java|kt|rb|php|lua|exe|dll|so|zip|tar|gz|7z|rar|pdf|docx?|xlsx?|"
    r"pptx?|png|jpe?g|gif|webp|svg|mp3|mp4|wav|flac|mkv|avi|bin|iso|apk|lock)"
)
_TOP_LEVEL = r"(?:com|org|net|edu|gov|io|cn|dev|ai|app|co|uk|de|fr|jp|ru|tv|xyz|info|top|site|ly|gg|wiki|cloud|tech)"
_HAN = "㐀-鿿\uf900-\ufaff"
_LATIN = "A-Za-z0-9_"

_LINK = r"[^\s<>\"'“”‘’「」『』《》（）()，。！？；、`]+"
_NAME = rf"[{_LATIN}{_HAN}·・\-]"

# Tokens that are protected regardless of context. Every alternative starts at a fixed character or
# a bounded run, so that one search over the text is linear. A Chinese mention ends at a space, as
# chat clients write it, else before the next 我, 你, 他 … or after eight characters.
_ATOMS = rf"""
    (?P<ticks>```|~~~|`{{1,2}})
  | \[CQ:[^\[\]\n]{{1,2000}}\]
  | <(?:@[!&]?\d{{1,25}}|\#\d{{1,25}}|a?:\w{{1,40}}:\d{{1,25}}|t:\d{{1,15}}(?::[a-zA-Z])?)>
  | (?P<address>(?<![{_LATIN}])[A-Za-z][A-Za-z0-9+.\-]{{1,15}}://{_LINK}|(?<![{_LATIN}.@])www\.{_LINK})
  | (?<![{_LATIN}.+\-])[A-Za-z0-9_.+\-]{{1,64}}@[A-Za-z0-9\-]{{1,63}}(?:\.[A-Za-z0-9\-]{{1,63}}){{1,8}}
  | (?P<domain>(?<![{_LATIN}.@\-])(?:[A-Za-z0-9\-]{{1,63}}\.){{1,6}}{_TOP_LEVEL}(?![{_LATIN}\-])(?:[:/][\x21-\x7e]*)?)
  | @(?:[{_LATIN}](?:[{_LATIN}.\-]{{0,61}}[{_LATIN}])?|(?=[{_HAN}])(?:
        {_NAME}{{1,16}}(?=\ )|{_NAME}(?:(?![我你您他她咱俺]){_NAME}){{0,7}}))
  | \#[^\s\#]{{1,30}}\#|(?<![{_LATIN}{_HAN}&])\#[A-Za-z0-9_][A-Za-z0-9_\-]{{0,60}}
  | (?P<path>(?<![{_LATIN}])[A-Za-z]:\\[^\s"<>|?*，。！？；、]*
        |(?<![{_LATIN}{_HAN}.):>/~])(?:~|\.\.?)?/{_PATH_CHARACTERS}+(?:/{_PATH_CHARACTERS}*)*)
  | (?<![{_LATIN}.\-/])[A-Za-z0-9_][A-Za-z0-9_.\-]{{0,80}}(?:/[A-Za-z0-9_][A-Za-z0-9_.\-]{{0,80}}){{0,20}}
        \.{_EXTENSION}(?![{_LATIN}])
  | (?<!:):[a-z][a-z0-9_+\-]{{1,40}}:(?![{_LATIN}:])
  | (?<![{_LATIN}.])[vV]\d{{1,6}}(?:\.\d{{1,6}})*(?:-[A-Za-z0-9.]{{1,20}})?(?![{_LATIN}])
  | (?<![{_LATIN}.\-/])\d{{1,3}}\.\d{{1,6}}\.\d{{1,6}}(?:\.\d{{1,6}})?(?![{_LATIN}年])
  | (?<![{_LATIN}\-])[0-9a-fA-F]{{8}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{12}}(?![{_LATIN}\-])
    """
_TRAILING_PUNCTUATION = ".,;:!?)]}'\"*_~"
_CLOSING = {
    mark: re.compile(f"(?<!`){mark}(?!`)" if len(mark) < 3 else mark)
    for mark in ("`", "``", "```", "~~~")
}

_PAIRS = {"“": "”", "‘": "’", "《": "》", "〈": "〉", "「": "」", "『": "』", "«": "»"}
_CLOSERS = {closer: opener for opener, closer in _PAIRS.items()}
_QUOTE_MARK = re.compile(r"""[“”‘’《》〈〉「」『』«»"'＂]|\n(?:[ \t]*\n)?""")
# Words that begin with an apostrophe ('cause, '90s). Their apostrophe does not open a quotation.
_ELISION = re.compile(
    r"'(?:cause|em|til|till|tis|twas|bout|round|n|cuz|coz|nuff|\d0s)(?![A-Za-z])", re.IGNORECASE
)


def protected_spans(text: str, glossary: Iterable[str] = ()) -> list[Span]:
    """Return the spans of `text` that must not be changed nor read as pronoun, time or place.

    These are quotations with their marks (《》〈〉「」『』“”‘’«» and straight "…" and '…', excluding
    apostrophes as in don't, Tom's, users'), code spans and blocks, URLs, bare domains, e-mail
    addresses, @mentions, CQ codes, Discord tags, topics (#今天#, #tag), paths and file names,
    version numbers, UUIDs, and every word of `glossary` (case-sensitive; a Latin word only as a
    whole word). An unclosed quotation protects nothing. Straight quotation marks must close in the
    same line, the others in the same paragraph.

    The spans are sorted, and merged if they touch or overlap. The time is linear in the length of
    the text.
    """
    spans = places_of(text, glossary)
    if _TRIGGER.search(text):
        atoms = merge_spans([*spans, *_atoms(text)])
        spans = [*atoms, *quoted_spans(text, atoms)]
    return merge_spans(spans)


def moved(spans: Sequence[Span], edits: Sequence[Edit]) -> list[Span]:
    """Return sorted `spans` as they are after `edits` (in order); spans in an edit are left out."""
    found: list[Span] = []
    shift = at = 0
    for start, end in spans:
        while at < len(edits) and edits[at][1] <= start:
            shift += len(edits[at][2]) - (edits[at][1] - edits[at][0])
            at += 1
        if at == len(edits) or edits[at][0] >= end:
            found.append((start + shift, end + shift))
    return found


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans and join those that touch or overlap."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        elif end > start:
            merged.append((start, end))
    return merged


def overlaps(spans: Sequence[Span], start: int, end: int) -> bool:
    """Return True if `start`..`end` overlaps one of the `spans` (binary search).

    The spans must be sorted and must not overlap each other.
    """
    at = bisect_right(spans, start, key=itemgetter(1))
    return at < len(spans) and spans[at][0] < end


@cache
def _compiled_atoms() -> re.Pattern[str]:
    return re.compile(_ATOMS, re.VERBOSE)


def _atoms(text: str) -> list[Span]:
    """Return the spans of code, addresses, mentions, paths and ids, in text order."""
    spans: list[Span] = []
    position = 0
    unclosed: set[str] = set()
    while match := next(matches(_compiled_atoms(), text, position), None):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "ticks":
            closing = (
                None if match.group() in unclosed else _CLOSING[match.group()].search(text, end)
            )
            if closing is None:
                unclosed.add(match.group())
                position = end
                continue
            end = closing.end()
        elif kind in ("address", "domain", "path"):
            end = start + len(match.group().rstrip(_TRAILING_PUNCTUATION))
        if end > start + 1:
            spans.append((start, end))
        position = max(end, start + 1)
    return spans


def quoted_spans(text: str, atoms: Sequence[Span] = ()) -> list[Span]:
    """Return the spans of quotations with their marks.

    Marks inside `atoms` and unclosed marks are ignored, and so are apostrophes (Tom's, users',
    don't). Straight marks must close on the same line.
    """
    spans: list[Span] = []
    opened: dict[str, list[int]] = {}
    for match in matches(_QUOTE_MARK, text):
        at, mark = match.start(), match.group()
        is_atom = overlaps(atoms, at, at + 1)
        if mark[0] == "\n":
            kept = opened if mark == "\n" or is_atom else {}
            opened = {one: begun for one, begun in kept.items() if one in _PAIRS}
        elif is_atom:
            continue
        elif mark in _PAIRS:
            opened.setdefault(mark, []).append(at)
        elif mark in _CLOSERS:
            begun = opened.get(_CLOSERS[mark])
            if begun and not (
                mark == "’" and in_word(text[at - 1 : at]) and in_word(text[at + 1 : at + 2])
            ):
                spans.append((begun.pop(), at + 1))
        elif mark in opened and _can_close(text, at, mark):
            spans.append((opened.pop(mark)[0], at + 1))
        elif _can_open(text, at, mark):
            opened[mark] = [at]
    return spans


def _can_open(text: str, at: int, mark: str) -> bool:
    """Return True if a straight mark may begin a quotation.

    An apostrophe and the mark of a measure (5", 6'2") may not.
    """
    before, after = text[at - 1 : at], text[at + 1 : at + 2] or " "
    if after.isspace():
        return False
    if mark == "'":
        return not in_word(before) and not _ELISION.match(text, at)
    return not (before.isdigit() and after in ",.;:!?)，。；：！？）")


def _can_close(text: str, at: int, mark: str) -> bool:
    before = text[at - 1 : at] or " "
    return not before.isspace() and not (mark == "'" and in_word(text[at + 1 : at + 2]))
