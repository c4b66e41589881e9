"""Faithfulness: a rewrite contains all numbers, dates, titles and Latin names of its input, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ...schema.names import Names
from ..edits import edited
from ..protected import whole_name_pattern
from ..quotations import Quotation, comparable, quotations
from .findings import Finding
from .latin_names import is_free, latin_names, stands_in, word_stream
from .quantities import Clock, Date, DateLookup, Number, Quantities, quantities

_ONE = Decimal(1)
_PAIR_WORD = re.compile(r"[人者位俩仨方]|of them|people|friends|persons")
_HAN = re.compile(r"[一-鿿]")


@dataclass(frozen=True, slots=True)
class Wording:
    """A text with its names and quotations blanked out (offsets unchanged), so that only prose remains."""

    text: str
    prose: str
    people_blanked: str

    @classmethod
    def of(cls, text: str, names: Names) -> Wording:
        """Blank out the quotations and the job's names: all of them in `prose`, all but the glossary in `people_blanked`."""
        quoted = [(one.start, one.end) for one in quotations(text)]
        blanked = _blank(text, quoted)
        people = _blank(blanked, _spans(blanked, _people_pattern(names)))
        prose = _blank(people, _spans(people, whole_name_pattern(names.glossary))) if names.glossary else people
        return cls(text, prose, people)


def unfaithful(
    candidate: Wording, source: Wording, resolved: Wording, draft: Wording, names: Names, beside: str = ""
) -> list[Finding]:
    """Return what `candidate` adds to its input and what it leaves out.

    Content of any of the three earlier texts, of the messages `beside` and the job's names and ids is allowed; content of the
    resolved text is required.
    """
    language = "zh" if _HAN.search(resolved.text) else "en"
    allowed = (source.text, resolved.text, draft.text, beside, *_name_texts(names))
    return [
        *_titles(candidate, resolved, allowed),
        *_quantities(candidate, resolved, allowed),
        *_latin_names(candidate, resolved, allowed, language),
    ]


_TITLES_LOOKED_UP = 300
"""Titles that are looked up in the prose of a text, one by one, where it quotes them nowhere."""


def find_invented(text: str, given: str, names: Names) -> list[Finding]:
    """Return the numbers, dates, titles and Latin names of `text` that neither `given` nor the names contain."""
    known = Wording.of(given, names)
    return [one for one in unfaithful(Wording.of(text, names), known, known, known, names) if one.why == "invented"]


def find_lost(text: str, asked: str, names: Names) -> list[Finding]:
    """Return the numbers, dates, titles and Latin names of `asked` missing from `text`; offsets are the length of `text`."""
    given = Wording.of(asked, names)
    return [one for one in unfaithful(Wording.of(text, names), given, given, given, names) if one.why == "lost"]


# --- titles --------------------------------------------------------------------------------------------------------


def _titles(candidate: Wording, resolved: Wording, allowed: Sequence[str]) -> Iterator[Finding]:
    own, asked = quotations(candidate.text), quotations(resolved.text)
    for quotation in _unquoted(own, allowed):
        yield Finding("title", candidate.text[quotation.start : quotation.end], quotation.start, quotation.end, "invented")
    end = len(candidate.text)
    for quotation in _unquoted(asked, (candidate.text,)):
        yield Finding("title", resolved.text[quotation.start : quotation.end], end, end, "lost")


def _unquoted(titles: Sequence[Quotation], texts: Sequence[str]) -> Iterator[Quotation]:
    """Yield the titles that none of the texts contains, neither quoted nor in its prose."""
    if not titles:
        return
    quoted = {quotation.key for text in texts for quotation in quotations(text)}
    looked_up = [(title, key) for title in titles if (key := title.key) and key not in quoted]
    prose = "\0".join(comparable(text) for text in texts) if looked_up else ""
    for title, key in looked_up[:_TITLES_LOOKED_UP]:
        if key not in prose:
            yield title


# --- numbers, dates, times of day ----------------------------------------------------------------------------------


def _quantities(candidate: Wording, resolved: Wording, allowed: Sequence[str]) -> Iterator[Finding]:
    own = quantities(candidate.prose)
    asked = quantities(resolved.prose)
    held = quantities(candidate.text)
    if own.numbers or own.dates or own.clocks:
        given = [quantities(text) for text in allowed]
        yield from _invented(candidate.text, own, given)
    yield from _lost(resolved.text, asked, held, len(candidate.text))


def _invented(text: str, own: Quantities, given: Sequence[Quantities]) -> Iterator[Finding]:
    values = _values(given)
    dates = DateLookup(date for one in given for date in one.dates)
    clocks = {clock.minutes for one in given for clock in one.clocks}
    for number in own.numbers:
        if number.strict and not number.values & values and not _is_one(number) and not _counts_people(text, number):
            yield Finding("number", text[number.start : number.end], number.start, number.end, "invented")
    for date in own.dates:
        if not dates.agreeing(date) and not _date_numbers(date) <= values:
            yield Finding("number", text[date.start : date.end], date.start, date.end, "invented")
    for clock in own.clocks:
        hour = Decimal(clock.minutes // 60)
        as_number = not clock.minutes % 60 and bool({hour, hour + 12} & values)
        if clock.minutes not in clocks and not as_number:
            yield Finding("number", text[clock.start : clock.end], clock.start, clock.end, "invented")


def _lost(text: str, asked: Quantities, held: Quantities, end: int) -> Iterator[Finding]:
    values = _values((held,))
    clocks = {clock.minutes for clock in held.clocks}
    dates, days = DateLookup(held.dates), values | _day_numbers(held)
    months = {date.month for date in held.dates}
    missing: list[Number | Date | Clock] = []
    for number in asked.numbers:
        if number.strict and not number.values & values and not _is_one(number):
            missing.append(number)
    for date in asked.dates:
        # Parts of dates are written together: "2026年2月20日和21日", "from 14 to 15 February 2026".
        in_parts = date.day is not None and Decimal(date.day) in days and (date.month is None or date.month in months)
        kept = in_parts or dates.agreeing(date, to_its_end=True)
        if not kept or (date.year is not None and Decimal(date.year) not in values):
            missing.append(date)
    for clock in asked.clocks:
        if clock.minutes not in clocks and not _clock_numbers(clock) & values:
            missing.append(clock)
    missing.sort(key=lambda one: one.start)
    for wording in dict.fromkeys(text[one.start : one.end] for one in missing):
        yield Finding("number", wording, end, end, "lost")


def _day_numbers(held: Quantities) -> frozenset[Decimal]:
    return frozenset(Decimal(date.day) for date in held.dates if date.day is not None and date.month is None)


def _values(texts: Sequence[Quantities]) -> frozenset[Decimal]:
    values: set[Decimal] = set()
    for one in texts:
        for number in one.numbers:
            values |= number.values
        for date in one.dates:
            values |= _date_numbers(date)
        for clock in one.clocks:
            values |= _clock_numbers(clock)
    return frozenset(values)


def _date_numbers(date: Date) -> frozenset[Decimal]:
    return frozenset(Decimal(part) for part in (date.year, date.month, date.day) if part is not None)


def _clock_numbers(clock: Clock) -> frozenset[Decimal]:
    """Return the hour on the 12-hour and 24-hour clock and the minutes, as plain numbers."""
    hour, minute = divmod(clock.minutes, 60)
    return frozenset(map(Decimal, (hour or 12, hour + 12, minute) if minute else (hour or 12, hour + 12)))


def _is_one(number: Number) -> bool:
    """Return True for 一, one and 1, which are often articles (一个, a) and therefore neither required nor reported."""
    return number.values == frozenset((_ONE,))


def _counts_people(text: str, number: Number) -> bool:
    """Return True if the number only counts people already named: "Tom 和 Jerry 两人"."""
    return number.values == frozenset((Decimal(2),)) and bool(_PAIR_WORD.match(text[number.end : number.end + 8].strip()))


# --- Latin names ---------------------------------------------------------------------------------------------------


def _latin_names(candidate: Wording, resolved: Wording, allowed: Sequence[str], language: str) -> Iterator[Finding]:
    own = latin_names(candidate.people_blanked, language)
    if own:
        given = tuple(word_stream(text) for text in allowed)
        for name in own:
            if not stands_in(name.text, given) and not is_free(name.text):
                yield Finding("name", name.text, name.start, name.end, "invented")
    asked = latin_names(resolved.people_blanked, language)
    if asked:
        held = (word_stream(candidate.text),)
        end = len(candidate.text)
        reported: set[str] = set()
        for name in asked:
            if name.certain and name.text not in reported and not is_free(name.text) and not stands_in(name.text, held):
                reported.add(name.text)
                yield Finding("name", name.text, end, end, "lost")


# --- names of the job ----------------------------------------------------------------------------------------------


def _name_texts(names: Names) -> tuple[str, ...]:
    return (names.bot_name, names.user_name, names.user_id, names.group_name, names.group_id, *names.others, *names.glossary)


def name_spans(text: str, names: Names) -> list[tuple[int, int]]:
    """Return the spans of the job's names in `text`; longer names win, Latin names match only as whole words."""
    return _spans(text, whole_name_pattern((names.group_name, *names.everybody, *names.glossary)))


def _people_pattern(names: Names) -> re.Pattern[str] | None:
    return whole_name_pattern((names.group_name, *names.everybody))


def _spans(text: str, pattern: re.Pattern[str] | None) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)] if pattern else []


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    return edited(text, ((start, end, "\0" * (end - start)) for start, end in spans))
