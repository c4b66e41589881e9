"""Rule-based absolutizing of a text: times become dates, and names replace references."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ...schema.language import LanguageChoice
from ...schema.names import Names
from ..borders import in_word
from ..edits import Edit, edited
from ..protected import overlaps
from ..references.types import Cast, Item, Reference
from ..sentence import Sentence, as_sentence
from ..time_expressions import TimeExpression
from ..time_expressions.finding import resolved
from .rewriting import Replacement, draft

LONGEST_TEXT = 20_000
"""Maximum characters of a text that are absolutized and checked. The rest is left unchanged."""
_BREAK = re.compile(r"[。！？!?…\n]|[.;；](?=\s)|\s")


@dataclass(frozen=True, slots=True)
class Absolutized:
    """The result of `absolutize`.

    `sentence` is the rewritten text, `resolved_text` the text with only its times resolved.
    `resolved` are the times, `replaced` the references that were replaced by names, and `undecided`
    the unresolved references. Their offsets refer to the original text.
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
    """Resolve the times of `text` and replace its references by names.

    Times are relative to `reference` (aware; converted to `timezone` first). See
    `find_time_expressions` and `draft` for the rules. `cast` has the referents of the persons of
    the text, if the caller knows them. In a text of more than LONGEST_TEXT characters only the
    beginning is rewritten; the rest is unchanged. The function is idempotent. Raises ValueError for
    a reference without an offset and for an unknown time zone.
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
    """Return edits in order, with a space between two that would form one word ("Ann", "2026")."""
    made: list[Edit] = []
    for start, end, new in sorted(edits):
        touches = (
            bool(made) and made[-1][1] == start and in_word(made[-1][2][-1:]) and in_word(new[:1])
        )
        made.append((start, end, f" {new}" if touches else new))
    return made


def _end_of_beginning(text: str) -> int:
    """Return the end of the part of a long text that is rewritten.

    It ends at the last sentence end or space in its last tenth, if there is one.
    """
    if len(text) <= LONGEST_TEXT:
        return len(text)
    *_, last = (
        0,
        *(match.end() for match in _BREAK.finditer(text, LONGEST_TEXT * 9 // 10, LONGEST_TEXT)),
    )
    return len(text[: last or LONGEST_TEXT].rstrip()) or LONGEST_TEXT
