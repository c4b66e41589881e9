"""The parts of a text that no rule may read as prose: quotations, code, addresses, mentions, ids and proper nouns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from .borders import ENDS, in_word, places_of, whole_word
from .edits import Edit
from .piecewise import matches
from .remembered import remembered

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

# Tokens that are protected regardless of context. Every alternative starts at a fixed character or a bounded run, so
# that one search over the text is linear.
_ATOMS = rf"""
    (?P<fence>```|~~~)
  | (?P<ticks>`+)
  | (?P<cq>\[CQ:[^\[\]\n]{{1,2000}}\])
  | (?P<discord><(?:@[!&]?\d{{1,25}}|\#\d{{1,25}}|a?:\w{{1,40}}:\d{{1,25}}|t:\d{{1,15}}(?::[a-zA-Z])?)>)
  | (?P<url>(?<![{_LATIN}])[A-Za-z][A-Za-z0-9+.\-]{{1,15}}://[^\s<>"'“”‘’「」『』《》（）()，。！？；、`]+)
  | (?P<www>(?<![{_LATIN}.@])www\.[^\s<>"'“”‘’「」『』《》（）()，。！？；、`]+)
  | (?P<email>(?<![{_LATIN}.+\-])[A-Za-z0-9_.+\-]{{1,64}}@[A-Za-z0-9\-]{{1,63}}(?:\.[A-Za-z0-9\-]{{1,63}}){{1,8}})
  | (?P<domain>(?<![{_LATIN}.@\-])(?:[A-Za-z0-9\-]{{1,63}}\.){{1,6}}{_TOP_LEVEL}(?![{_LATIN}\-])(?:[:/][\x21-\x7e]*)?)
  | (?P<mention>@(?=[{_LATIN}{_HAN}]))
  | (?P<topic>\#[^\s\#]{{1,30}}\#|(?<![{_LATIN}{_HAN}&])\#[A-Za-z0-9_][A-Za-z0-9_\-]{{0,60}})
  | (?P<drive>(?<![{_LATIN}])[A-Za-z]:\\[^\s"<>|?*，。！？；、]*)
  | (?P<path>(?<![{_LATIN}{_HAN}.):>/~])(?:~|\.\.?)?/{_PATH_CHARACTERS}+(?:/{_PATH_CHARACTERS}*)*)
  | (?P<relative>(?<![{_LATIN}.\-/])[A-Za-z0-9_][A-Za-z0-9_.\-]{{0,80}}(?:/[A-Za-z0-9_][A-Za-z0-9_.\-]{{0,80}}){{0,20}}
        \.{_EXTENSION}(?![{_LATIN}]))
  | (?P<shortcode>(?<!:):[a-z][a-z0-9_+\-]{{1,40}}:(?![{_LATIN}:]))
  | (?P<version>(?<![{_LATIN}.])[vV]\d{{1,6}}(?:\.\d{{1,6}})*(?:-[A-Za-z0-9.]{{1,20}})?(?![{_LATIN}])
        |(?<![{_LATIN}.\-/])\d{{1,3}}\.\d{{1,6}}\.\d{{1,6}}(?:\.\d{{1,6}})?(?![{_LATIN}年]))
  | (?P<uuid>(?<![{_LATIN}\-])[0-9a-fA-F]{{8}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{12}}
        (?![{_LATIN}\-]))
    """
_TRAILING_PUNCTUATION = ".,;:!?)]}'\"*_~"

_LATIN_MENTION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,62}")
_NAME_RUN = re.compile(rf"[{_LATIN}{_HAN}·・\-]{{1,33}}")
_ADDRESS_CHARACTER = frozenset("我你您他她咱俺")

_PAIRS = {"“": "”", "‘": "’", "《": "》", "〈": "〉", "「": "」", "『": "』", "«": "»"}
_CLOSERS = {closer: opener for opener, closer in _PAIRS.items()}
_QUOTE_MARK = re.compile(r"""[“”‘’《》〈〉「」『』«»"'＂]|\n[ \t]*\n""")
# Words that begin with an apostrophe ('cause, '90s): it does not open a quotation.
_ELISION = re.compile(r"'(?:cause|em|til|till|tis|twas|bout|round|n|cuz|coz|nuff|\d0s)(?![A-Za-z])", re.IGNORECASE)


def protected_spans(text: str, glossary: Iterable[str] = ()) -> list[Span]:
    """Return the spans of `text` that must be kept byte for byte and never read as pronoun, time or place.

    These are quotations with their marks (《》〈〉「」『』“”‘’«» and straight "…" and '…', apostrophes as in don't,
    Tom's, users' excluded), code spans and blocks, URLs, bare domains, e-mail addresses, @mentions, CQ codes, Discord
    tags, topics (#今天#, #tag), paths and file names, version numbers, UUIDs, and every word of `glossary` (matched
    with its case; a Latin word only where no further letter or digit touches it). An unclosed quotation
    protects nothing; straight quotation marks must close in their own line, the others in their paragraph.

    The spans are sorted, merged where they touch or overlap, and found in time linear in the length of the text.
    """
    spans = places_of(text, glossary)
    if _TRIGGER.search(text):
        atoms = merge_spans([*spans, *_atoms(text)])
        spans = [*atoms, *quoted_spans(text, atoms)]
    return merge_spans(spans)


def moved(spans: Sequence[Span], edits: Sequence[Edit]) -> list[Span]:
    """Return where sorted `spans` are after `edits` (in order); one that an edit touches is left out."""
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
    """Return True if `start`..`end` overlaps one of the sorted `spans` (binary search)."""
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][1] <= start:
            low = middle + 1
        else:
            high = middle
    return low < len(spans) and spans[low][0] < end


_NAME_ENDS = rf"(?:{ENDS}|(?=\d{{4}}[-年/]))"


@remembered(512)
def whole_name_pattern(wanted: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern that matches any of the names or words, longest first; None if there are none.

    One of a script with spaces between words must not touch another letter or digit, except a date (Undefined2026-02-20).
    """
    kept = sorted({name.strip() for name in wanted if name.strip()}, key=lambda name: (-len(name), name))
    if not kept:
        return None
    parts = []
    for name in kept:
        whole = whole_word(name)
        parts.append(f"{whole.removesuffix(ENDS)}{_NAME_ENDS}" if whole.endswith(ENDS) else whole)
    return re.compile("|".join(parts))


@cache
def _compiled_atoms() -> re.Pattern[str]:
    return re.compile(_ATOMS, re.VERBOSE)


def _atoms(text: str) -> list[Span]:
    """Return the spans of code, addresses, mentions, paths and ids, from left to right."""
    spans: list[Span] = []
    position = 0
    closing: dict[str, int] = {}  # markers known to have no closing marker after this offset
    pattern = _compiled_atoms()
    while match := next(matches(pattern, text, position), None):
        start, end = match.span()
        kind = match.lastgroup
        if kind in ("fence", "ticks"):
            marker = match.group()
            found = _closing_marker(text, marker, end, closing)
            if found < 0:
                position = end
                continue
            end = found
        elif kind == "mention":
            end = _mention_end(text, start + 1)
        elif kind in ("url", "www", "domain", "drive", "path"):
            while end > start and text[end - 1] in _TRAILING_PUNCTUATION:
                end -= 1
            if kind == "path" and end - start < 2:
                position = start + 1
                continue
        spans.append((start, end))
        position = max(end, start + 1)
    return spans


def _closing_marker(text: str, marker: str, start: int, exhausted: dict[str, int]) -> int:
    """Return the offset after the closing marker, or -1. `exhausted` caches markers that were not found."""
    if marker in exhausted:
        return -1
    position = start
    while True:
        found = text.find(marker, position)
        if found < 0:
            exhausted[marker] = start
            return -1
        end = found + len(marker)
        if marker[0] != "`" or len(marker) >= 3:
            return end
        run_end = end
        while run_end < len(text) and text[run_end] == "`":
            run_end += 1
        if run_end == end and text[found - 1] != "`":
            return end
        position = run_end


def _mention_end(text: str, start: int) -> int:
    """Return the end of the name after an @.

    A Latin name ends at the first other character. A Chinese name ends at a space or a punctuation mark, as
    chat clients write mentions; without one, it ends before the next 我, 你, 他 … or after eight characters.
    """
    latin = _LATIN_MENTION.match(text, start)
    if latin:
        end = latin.end()
        while text[end - 1] in ".-":
            end -= 1
        return end
    run = _NAME_RUN.match(text, start)
    if run is None:
        return start
    end = run.end()
    if end < len(text) and text[end] in "    " and end - start <= 16:
        return end
    for offset in range(start + 1, min(end, start + 8)):
        if text[offset] in _ADDRESS_CHARACTER:
            return offset
    return min(end, start + 8)


def quoted_spans(text: str, atoms: Sequence[Span] = ()) -> list[Span]:
    """Return the spans of quotations with their marks; marks inside `atoms` are ignored, and unclosed ones.

    Straight and single marks count only if they cannot be an apostrophe (Tom's, users', don't) and close on the same line.
    """
    spans: list[Span] = []
    stacks: dict[str, list[int]] = {}
    straight: dict[str, int] = {}
    lines_end = -1
    index = 0
    for match in matches(_QUOTE_MARK, text):
        at = match.start()
        mark = match.group()
        while index < len(atoms) and atoms[index][1] <= at:
            index += 1
        if index < len(atoms) and atoms[index][0] <= at:
            continue
        if mark in _PAIRS:
            stacks.setdefault(mark, []).append(at)
            continue
        if mark in _CLOSERS:
            stack = stacks.get(_CLOSERS[mark])
            if mark == "’" and _is_apostrophe(text, at):
                continue
            if stack:
                spans.append((stack.pop(), at + 1))
            continue
        if mark[0] == "\n":
            stacks.clear()
            straight.clear()
            continue
        if at > lines_end:
            straight.clear()
            lines_end = text.find("\n", at)
            if lines_end < 0:
                lines_end = len(text)
        opened = straight.get(mark)
        if opened is not None and _can_close(text, at, mark):
            spans.append((opened, at + 1))
            del straight[mark]
        elif _can_open(text, at, mark) and not (mark == '"' and _is_inch_mark(text, at)):
            straight[mark] = at
    return spans


def _is_apostrophe(text: str, at: int) -> bool:
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    return in_word(before) and in_word(after)


def _is_inch_mark(text: str, at: int) -> bool:
    """Return True for the mark in 5" and 6'2": a digit before it and no word after it."""
    after = text[at + 1] if at + 1 < len(text) else " "
    return at > 0 and text[at - 1].isdigit() and (after.isspace() or after in ",.;:!?)，。；：！？）")


def _can_open(text: str, at: int, mark: str) -> bool:
    after = text[at + 1] if at + 1 < len(text) else " "
    if after.isspace():
        return False
    if mark != "'":
        return True
    before = text[at - 1] if at else " "
    return not in_word(before) and not _ELISION.match(text, at)


def _can_close(text: str, at: int, mark: str) -> bool:
    before = text[at - 1] if at else " "
    if before.isspace():
        return False
    after = text[at + 1] if at + 1 < len(text) else " "
    return not (mark == "'" and in_word(after))
