"""Split long texts into chunks for an embedder: at paragraphs, then at sentences, then anywhere.

Every chunk is one contiguous span of the source, so its offsets are exact and nothing between sentences is lost.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..schema.ids import digest_of
from .tokens import TokenCounter, estimate_tokens

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_OWN_LINE = re.compile(r"\s*(?:[-*+•]\s|\d{1,9}[.)、]\s?|\||>|\[)")
# A sentence ends at a full stop, Chinese or Western; the Western ones need white space after them.
_STOP = re.compile(r"(?:[。！？!?…；]+|\.{1,6}(?=[\"'”’)\]]{0,4}(?:\s|$)))[\"'”’」』）)\]]*\s*|\n+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"“])(?:[A-Z]|mr|mrs|ms|dr|prof|st|no|vs|etc|e\.g|i\.e|cf|fig|al|inc|ltd|jr|sr|approx|u\.s|a\.m|p\.m|vol|pp)\.\s*$",
    re.IGNORECASE,
)
_SOFT_CUT = re.compile(r"[\s，、,；;：:）)」』\]}]")
_HAN_OR_STOP = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff。！？!?…；.:：]")
_JOINED = re.compile(r".[\u200d\U0001f3fb-\U0001f3ff]|\u200d.|\r\n", re.DOTALL)
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_LONGEST_CLUSTER = 64


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: `text` is `source[start:end]`, `tokens` the estimator's count.

    `chunk_id` is a hash of `text` alone: equal content has the same id wherever it stands.
    """

    chunk_id: str
    text: str
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, a heading or a line of code, or a part of one that exceeds the limit."""

    start: int
    end: int
    tokens: int
    block: int
    kind: str


def chunk(text: str, max_tokens: int = 256, overlap_sentences: int = 1, estimator: TokenCounter = estimate_tokens) -> list[Chunk]:
    """Split Markdown or plain text into chunks of at most `max_tokens`.

    A paragraph stays whole if it fits, a heading stays with the text below it, a fenced code block is cut at lines only.
    Neighbouring chunks share up to `overlap_sentences` sentences (never a heading or code, at most a quarter of
    `max_tokens`). White space at the ends is left out; a text of white space alone has no chunks. Only a single
    character (with its accents) that costs more than `max_tokens` gives a chunk above the limit.

    Raises ValueError if `max_tokens` is less than 1 or `overlap_sentences` is negative.
    """
    if max_tokens < 1 or overlap_sentences < 0:
        raise ValueError(f"max_tokens={max_tokens} or overlap_sentences={overlap_sentences}: too few")
    units = list(_units(text, max_tokens, estimator))
    chunks: list[Chunk] = []
    first = 0  # first unit of the chunk's new text; the overlap precedes it
    while first < len(units):
        begin = _with_overlap(units, first, overlap_sentences, max_tokens)
        last = _fill(units, begin, first, max_tokens)
        made = _chunk(text, units[begin : last + 1], estimator)
        while made.tokens > max_tokens and (begin < first or last > first):
            # An estimator need not be additive: drop the overlap, then units at the end.
            begin, last = (first, last) if begin < first else (begin, last - 1)
            made = _chunk(text, units[begin : last + 1], estimator)
        chunks.append(made)
        first = last + 1
    return chunks


def _chunk(source: str, units: Sequence[_Unit], estimator: TokenCounter) -> Chunk:
    start, end = _stripped(source, units[0].start, units[-1].end)
    text = source[start:end]
    return Chunk(digest_of(text), text, start, end, estimator(text))


def _stripped(source: str, start: int, end: int) -> tuple[int, int]:
    text = source[start:end].lstrip()
    return end - len(text), end - len(text) + len(text.rstrip())


def _with_overlap(units: Sequence[_Unit], first: int, sentences: int, max_tokens: int) -> int:
    begin = first
    room = min(max_tokens // 4, max_tokens - units[first].tokens) * (units[first].kind != "heading")
    for before in reversed(units[max(0, first - sentences) : first]):
        room -= before.tokens
        if before.kind != "prose" or room < 0:
            break
        begin -= 1
    return begin


def _fill(units: Sequence[_Unit], begin: int, first: int, max_tokens: int) -> int:
    """Return the last unit of the chunk that begins at `begin` and holds at least unit `first`."""
    used = sum(unit.tokens for unit in units[begin : first + 1])
    last = first
    for upcoming in units[first + 1 : first + 1 + max_tokens]:
        used += upcoming.tokens
        if used > max_tokens:
            break
        is_half_full = (used - upcoming.tokens) * 2 >= max_tokens and units[last].kind != "heading"
        if is_half_full and upcoming.block != units[last].block:
            rest = units[last + 1 : last + max_tokens]
            whole = sum(one.tokens for one in rest if one.block == upcoming.block)
            if upcoming.kind == "heading" or whole <= max_tokens < used - upcoming.tokens + whole:
                break
        last += 1
    while last > first and units[last].kind == "heading" and last + 1 < len(units):
        last -= 1
    return last


def _units(text: str, max_tokens: int, estimator: TokenCounter) -> Iterator[_Unit]:
    for block, (start, end, kind) in enumerate(_blocks(text)):
        ends = (line.end() for line in _LINE.finditer(text, start, end)) if kind == "code" else ()
        borders = {start, *(_sentences(text, start, end) if kind == "prose" else (*ends, end))}
        for begin, stop in pairwise(sorted(borders)):
            piece_start, piece_end = _stripped(text, begin, stop)
            while piece_start < piece_end:
                cut = _reach(text, piece_start, piece_end, max_tokens, estimator)
                yield _Unit(piece_start, cut, estimator(text[piece_start:cut]), block, kind)
                piece_start = cut


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of headings, fenced code and paragraphs (between blank lines) with their kind."""
    fence = ""
    begin = 0
    for line in _LINE.finditer(text):
        start, end = line.span()
        mark = _FENCE.match(text, start, end)
        if fence:
            if mark and mark[1].startswith(fence) and not text[mark.end() : end].strip():
                yield begin, end, "code"
                begin, fence = end, ""
        elif mark:
            yield begin, start, "prose"
            begin, fence = start, mark[1]
        elif _HEADING.match(text, start, end):
            yield begin, start, "prose"
            yield start, end, "heading"
            begin = end
        elif not text[start:end].strip():
            yield begin, end, "prose"
            begin = end
    yield begin, len(text), "code" if fence else "prose"


def _sentences(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where the sentences of a paragraph end."""
    begin = start
    for stop in _STOP.finditer(text, start, end):
        if stop.group().startswith("\n"):  # of a chat line, a list item, a table row
            own_line = _OWN_LINE.match(text, stop.end(), stop.end() + 16)
            ended = stop.start() > begin and _HAN_OR_STOP.match(text, stop.start() - 1)
            is_end = bool(own_line or ended)
        else:  # only the last few characters can be an abbreviation
            tail = text[max(begin, stop.start() - 8) : stop.end()]
            is_end = not (stop.group().startswith(".") and _ABBREVIATION.search(tail))
        if is_end:
            begin = stop.end()
            yield begin
    yield end


def _reach(text: str, start: int, end: int, max_tokens: int, estimator: TokenCounter) -> int:
    """Return where a piece of at most `max_tokens` from `start` ends: at `end`, else after a comma or space in its last third,
    else between two characters; at least one character after `start`.

    The room is filled to a sixteenth: a few estimates are enough.
    """
    high, tokens = start, 0
    while tokens <= max_tokens:
        if high == end:
            return end
        low, high = high, min(end, start + max(2 * (high - start), max_tokens))
        tokens = estimator(text[start:high])
    places = range(low + 1, high, (high - low) // 16 + 1)
    n = bisect_right(places, max_tokens, key=lambda place: estimator(text[start:place]))
    limit = places[n - 1] if n else max(low, start + 1)
    marks = _SOFT_CUT.finditer(text, limit - (limit - start) // 3, limit)
    soft = max((mark.end() for mark in marks), default=limit)
    # One cluster that costs more than the limit is kept whole.
    before = range(soft, max(start, soft - _LONGEST_CLUSTER), -1)
    near = (*before, *range(limit, min(end, start + _LONGEST_CLUSTER)))
    return next((one for one in near if not _is_joined(text[start:one], text[one:end][:1])), limit)


def _is_joined(before: str, after: str) -> bool:
    """Return True if a character is of one grapheme with those before it: accents, emoji sequences, flags, CR LF."""
    flags = len(before) - len(before.rstrip(_FLAG_LETTERS))
    is_half_a_flag = flags % 2 and after in _FLAG_LETTERS
    is_accent = after and unicodedata.category(after).startswith("M")
    return bool(after and (is_half_a_flag or is_accent or _JOINED.match(before[-1] + after)))
