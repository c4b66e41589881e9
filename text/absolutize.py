"""Rule-based absolutizing of a text: times become dates, and references are replaced by names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ..schema.language import LanguageChoice
from ..schema.names import Names
from .borders import in_word
from .edits import Edit, edited
from .protected import overlaps
from .references.types import Cast, Item, Reference
from .rewriting.rewriting import Replacement, draft
from .sentence import Sentence, as_sentence
from .time_expressions import TimeExpression
from .time_expressions.finding import resolved

LONGEST_TEXT = 20_000
"""Characters of a text that are made absolute and checked. What a longer one says after that is kept as it is."""
_BREAK = re.compile(r"[。！？!?…\n]|[.;；](?=\s)|\s")


@dataclass(frozen=True, slots=True)
class Absolutized:
    """The result of `absolutize`: the text as it was handed over, and as it was rewritten.

    `resolved` are its times, `replaced` the references that names stand for now, and `undecided` those that stay; their offsets
    are those of the text handed over. `resolved_text` has only its times resolved.
    """

    sentence: Sentence
    resolved_text: str
    resolved: tuple[TimeExpression, ...]
    replaced: tuple[Replacement, ...]
    undecided: tuple[Reference, ...]

    @property
    def text(self) -> str:
        """The text with its times resolved and its references replaced."""
        return self.sentence.text


def absolutize(
    text: str | Sentence,
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

    See `find_time_expressions` and `draft` for the rules; `cast` is whom the persons of the text mean, if the caller knows. Of a
    text of more than LONGEST_TEXT characters only the beginning is rewritten, and the rest follows unchanged. The function is
    idempotent. Raises ValueError for a reference without an offset and for a time zone that does not exist.
    """
    whole = as_sentence(text, names, language)
    end = _end_of_beginning(whole.text)
    said = whole.beside(whole.text[:end])
    times = resolved(said.text, said.times, reference, timezone, said.choice)
    drafted = draft(said, names, item, recent_speakers=recent_speakers, cast=cast)
    taken = [(one.start, one.end) for one in times]
    replaced = tuple(one for one in drafted.replaced if not overlaps(taken, one.start, one.end))
    undecided = tuple(one for one in drafted.undecided if not overlaps(taken, one.start, one.end))
    dates = [(one.start, one.end, one.rendered) for one in times]
    named = ((one.start, one.end, one.new) for one in replaced)
    made = whole.edited(_in_order(*dates, *named))
    return Absolutized(made, edited(whole.text, dates), tuple(times), replaced, undecided)


def _in_order(*edits: Edit) -> list[Edit]:
    """Return edits in order, with a blank before one that would make one word with that before it ("Ann" and "2026")."""
    made: list[Edit] = []
    for start, end, new in sorted(edits):
        touches = bool(made) and made[-1][1] == start and in_word(made[-1][2][-1:]) and in_word(new[:1])
        made.append((start, end, f" {new}" if touches else new))
    return made


def _end_of_beginning(text: str) -> int:
    """Return where the beginning of a long text ends: at a sentence, else at a blank, within the last tenth of it."""
    if len(text) <= LONGEST_TEXT:
        return len(text)
    *_, last = (0, *(match.end() for match in _BREAK.finditer(text, LONGEST_TEXT * 9 // 10, LONGEST_TEXT)))
    return len(text[: last or LONGEST_TEXT].rstrip()) or LONGEST_TEXT
