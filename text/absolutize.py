"""Rule-based absolutizing of a text: times are resolved first, then references are replaced by names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from ..schema.language import LanguageChoice
from ..schema.names import Names
from .language import Language, detect_language
from .protected import protected_spans
from .references.rewriting import Draft, Item, Replacement, conversation_words, draft
from .references.types import Cast
from .time_expressions import TimeExpression, resolve_times

LONGEST_TEXT = 20_000
"""Characters of a text that are made absolute and checked. What a longer one says after that is kept as it is."""
_BREAK = re.compile(r"[。！？!?…\n]|[.;；](?=\s)|\s")


@dataclass(frozen=True, slots=True)
class Absolutized:
    """The result of `absolutize`.

    `text` is the final text; `resolved_text` has only its times resolved and is the input of `drafted` (the offsets
    in `drafted` refer to `resolved_text`). `resolved` are the time expressions, `replaced` the references that were
    replaced, both with character offsets in the input.
    """

    text: str
    resolved: tuple[TimeExpression, ...]
    drafted: Draft
    resolved_text: str
    language: Language
    replaced: tuple[Replacement, ...] = ()


def absolutize(
    text: str,
    reference: datetime,
    timezone: str | ZoneInfo | None,
    names: Names,
    item: Item = "fact",
    *,
    recent_speakers: Sequence[str] = (),
    language: LanguageChoice = "auto",
    cast: Cast | None = None,
) -> Absolutized:
    """Resolve the times of `text` at `reference` (aware; converted to `timezone` first) and replace references by names.

    See `resolve_times` and `draft` for the rules; `cast` is whom the persons of the text mean, if the caller knows. Of a text of
    more than LONGEST_TEXT characters only the beginning is rewritten, and the rest follows unchanged. The function is
    idempotent. Raises ValueError for a reference without an offset and for a time zone that does not exist, as
    `resolve_times` does.
    """
    if len(text) > LONGEST_TEXT:
        end = _end_of_beginning(text)
        begun = absolutize(text[:end], reference, timezone, names, item, recent_speakers=recent_speakers, language=language)
        drafted = replace(begun.drafted, text=begun.drafted.text + text[end:])
        return replace(begun, text=begun.text + text[end:], drafted=drafted, resolved_text=begun.resolved_text + text[end:])
    spans = protected_spans(text, conversation_words(names, tuple(recent_speakers)))
    spoken = detect_language(text, ignore=spans) if language == "auto" else language
    resolved_text, expressions = resolve_times(text, reference, timezone, language=language, protected=spans)
    drafted = draft(resolved_text, names, item, recent_speakers=recent_speakers, language=language, cast=cast)
    replaced = drafted.replaced
    if expressions and replaced:
        pieces = _common_pieces(text, resolved_text, expressions)
        replaced = tuple(
            Replacement(_in_input(change.start, pieces), _in_input(change.end, pieces), change.old, change.new)
            for change in replaced
        )
    return Absolutized(drafted.text, tuple(expressions), drafted, resolved_text, spoken, replaced)


def _end_of_beginning(text: str) -> int:
    """Return where the beginning of a long text ends: at a sentence, else at a blank, within the last tenth of it."""
    *_, last = (0, *(match.end() for match in _BREAK.finditer(text, LONGEST_TEXT * 9 // 10, LONGEST_TEXT)))
    return len(text[: last or LONGEST_TEXT].rstrip()) or LONGEST_TEXT


def _common_pieces(text: str, resolved_text: str, expressions: Sequence[TimeExpression]) -> list[tuple[int, int, int]]:
    """Return the pieces between the expressions as (start in the resolved text, length, start in the input).

    Both texts hold the same pieces in the same order, except for white space at their ends.
    """
    pieces: list[tuple[int, int, int]] = []
    cursor = position = 0
    for start, end in [*((found.start, found.end) for found in expressions), (len(text), len(text))]:
        piece = text[position:start]
        bare = piece.strip()
        at = resolved_text.find(bare, cursor) if bare else -1
        if at >= 0:
            pieces.append((at, len(bare), position + piece.index(bare)))
            cursor = at + len(bare)
        position = end
    return pieces


def _in_input(offset: int, pieces: Sequence[tuple[int, int, int]]) -> int:
    """Return the offset in the input for an offset in the resolved text."""
    index = bisect_right(pieces, offset, key=lambda piece: piece[0]) - 1
    if index < 0:
        return 0
    at, length, source = pieces[index]
    return source + min(offset - at, length)
