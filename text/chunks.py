"""Split long texts into chunks for an embedder: at paragraphs, then at sentences, then anywhere.

Every chunk is one contiguous span of the source, so its offsets are exact and nothing between sentences is lost.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

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
    heading: bool
    prose: bool


def chunk(text: str, max_tokens: int = 256, overlap_sentences: int = 1, estimator: TokenCounter = estimate_tokens) -> list[Chunk]:
    """Split Markdown or plain text into chunks of at most `max_tokens`.

    A paragraph stays whole if it fits, a heading stays with the text below it, a fenced code block is cut at lines only.
    Neighbouring chunks share up to `overlap_sentences` sentences (never a heading or code, at most a quarter of
    `max_tokens`). White space at the ends is left out; a text of white space alone has no chunks. Only a single
    character (with its accents) that costs more than `max_tokens` gives a chunk above the limit.

    Raises ValueError if `max_tokens` is less than 1 or `overlap_sentences` is negative.
    """
    if max_tokens < 1 or overlap_sentences < 0:
        raise ValueError(f"max_tokens must be at least 1 and overlap_sentences 0, not {max_tokens}, {overlap_sentences}")
    units = list(_units(text, max_tokens, estimator))
    block_tokens: Counter[int] = Counter()
    for unit in units:
        block_tokens[unit.block] += unit.tokens
    chunks: list[Chunk] = []
    first = 0  # first unit of the chunk's new text; the overlap precedes it
    while first < len(units):
        begin = _with_overlap(units, first, overlap_sentences, max_tokens, new_text=bool(chunks))
        last = _fill(units, begin, first, max_tokens, block_tokens)
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


def _with_overlap(units: Sequence[_Unit], first: int, sentences: int, max_tokens: int, *, new_text: bool) -> int:
    begin = first
    room = min(max_tokens // 4, max_tokens - units[first].tokens)
    while new_text and first - begin < sentences and begin > 0:
        before = units[begin - 1]
        if not before.prose or units[first].heading or before.tokens > room:
            break
        room -= before.tokens
        begin -= 1
    return begin


def _fill(units: Sequence[_Unit], begin: int, first: int, max_tokens: int, block_tokens: Mapping[int, int]) -> int:
    """Return the last unit of the chunk that begins at `begin` and holds at least unit `first`."""
    used = sum(unit.tokens for unit in units[begin : first + 1])
    last = first
    while last + 1 < len(units) and used + units[last + 1].tokens <= max_tokens:
        upcoming = units[last + 1]
        if upcoming.block != units[last].block:
            whole = block_tokens[upcoming.block]
            fits_later = whole <= max_tokens < used + whole
            if (fits_later or upcoming.heading) and used * 2 >= max_tokens and not units[last].heading:
                break
        used += upcoming.tokens
        last += 1
    while last > first and units[last].heading and last + 1 < len(units):
        last -= 1
    return last


def _units(text: str, max_tokens: int, estimator: TokenCounter) -> Iterator[_Unit]:
    for block, (start, end, kind) in enumerate(_blocks(text)):
        for begin, stop in _PIECES[kind](text, start, end):
            bare_start, bare_end = _stripped(text, begin, stop)
            if bare_start == bare_end:
                continue
            for piece_start, piece_end, tokens in _cut(text, bare_start, bare_end, max_tokens, estimator):
                yield _Unit(piece_start, piece_end, tokens, block, kind == "heading", kind == "prose")


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
    if begin < len(text):
        yield begin, len(text), "code" if fence else "prose"


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    ends: list[int] = []
    begin = start
    for stop in _STOP.finditer(text, start, end):
        if stop.group().startswith("\n"):
            boundary = _ends_at_line_break(text, begin, stop.start(), stop.end())
        else:
            # Only the last few characters can be an abbreviation.
            tail = text[max(begin, stop.start() - 8) : stop.end()]
            boundary = not (stop.group().startswith(".") and _ABBREVIATION.search(tail))
        if boundary:
            ends.append(stop.end())
            begin = stop.end()
    if begin < end:
        ends.append(end)
    return list(pairwise([start, *ends]))


_PIECES: dict[str, Callable[[str, int, int], list[tuple[int, int]]]] = {
    "heading": lambda _, start, end: [(start, end)],
    "code": lambda text, start, end: [line.span() for line in _LINE.finditer(text, start, end)],
    "prose": _sentences,
}


def _ends_at_line_break(text: str, begin: int, line_end: int, next_line: int) -> bool:
    """Return True if a line break ends the sentence (chat line, list item, table row), False if it only wraps the line."""
    if _OWN_LINE.match(text, next_line, min(len(text), next_line + 16)):
        return True
    return line_end > begin and bool(_HAN_OR_STOP.match(text[line_end - 1]))


def _cut(text: str, start: int, end: int, max_tokens: int, estimator: TokenCounter) -> Iterator[tuple[int, int, int]]:
    """Split a span longer than `max_tokens`: after a comma or space in the last third if there is one, else between two
    characters."""
    while start < end:
        stop, tokens = _reach(text, start, end, max_tokens, estimator)
        if stop == end and tokens <= max_tokens:
            yield start, end, tokens
            return
        cut = _soft_cut(text, start, stop) if stop < end else stop
        yield start, cut, estimator(text[start:cut])
        start = cut


def _reach(text: str, start: int, end: int, max_tokens: int, estimator: TokenCounter) -> tuple[int, int]:
    """Return the end up to which the text from `start` stays within `max_tokens`, and its tokens.

    The end is exact to a sixteenth, and at least one character after `start`. Each position is interpolated from the cost of
    the characters so far: three or four estimates are enough, where bisection needs ten.
    """
    enough = max_tokens - max_tokens // 16
    low, low_tokens = start, 0
    high, high_tokens = end + 1, 0
    position = min(end, start + 3 * max_tokens)
    for attempt in count():
        tokens = estimator(text[start:position])
        if tokens <= max_tokens:
            low, low_tokens = position, tokens
            if position == end or tokens >= enough:
                break
        else:
            high, high_tokens = position, tokens
        if high - low <= 1:
            break
        if high > end:
            # Long words and white space: advance, but by at most three times the distance so far.
            wanted = (low - start) * (max_tokens - low_tokens) // max(low_tokens, 1)
            position = min(end, low + max(1, min(wanted, 3 * (low - start))))
        elif attempt < 8 and high_tokens > low_tokens:
            between = (high - low) * (2 * (max_tokens - low_tokens) + 1) // (2 * (high_tokens - low_tokens))
            position = min(max(low + between, low + 1), high - 1)
        else:
            position = (low + high) // 2
    return (low, low_tokens) if low > start else (start + 1, estimator(text[start : start + 1]))


def _soft_cut(text: str, start: int, limit: int) -> int:
    for position in range(limit, start + max(1, (limit - start) * 2 // 3), -1):
        if _SOFT_CUT.match(text[position - 1]) and not _joined(text, position):
            return position
    before = range(limit, max(start, limit - _LONGEST_CLUSTER), -1)
    # If one cluster costs more than the limit, keep it whole.
    after = range(limit, min(len(text), start + _LONGEST_CLUSTER) if limit - start < _LONGEST_CLUSTER else limit)
    return next((position for position in (*before, *after) if not _joined(text, position)), limit)


def _joined(text: str, position: int) -> bool:
    """Return True if the characters around `position` form one grapheme: accents, emoji sequences, flags, CR LF."""
    if not 0 < position < len(text):
        return False
    before, after = text[position - 1], text[position]
    return (
        unicodedata.category(after) in ("Mn", "Mc", "Me")
        or after in "\u200d\ufe0e\ufe0f"
        or before == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
        or (before == "\r" and after == "\n")
    )
