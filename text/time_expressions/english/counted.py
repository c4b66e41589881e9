"""English counts of time ("two days ago", "the next three weeks"): the builders of readings."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce

from ...word_lists import in_full
from ..numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS
from ..reading import Amount, Direction, Offset, Stretch, TimeSpec, Unit, amount
from . import lexicon as lexicon
from .pieces import PIECES


def number_of(word: str) -> float:
    """Return the value of a count: digits, words, "a", "half a", "one and a half"."""
    whole = word.strip().removesuffix(" and a half")
    if whole in ("half a", "half an", "a half"):
        return 0.5
    if whole.endswith("hundred"):
        return 100
    count = {"a": 1, "an": 1}.get(whole) or ENGLISH_CARDINALS.get(whole.replace(" ", "-"))
    return (float(whole) if count is None else count) + (0.5 if word.endswith(" half") else 0)


def unit_of(word: str) -> tuple[Unit, float]:
    """Return a unit and its factor: a fortnight is two weeks, a second is 1/60 of a minute."""
    word = word.strip().removesuffix("'").removesuffix("'s")
    if word.startswith(("business", "work")):
        return "workday", 1
    if word.startswith("fortnight"):
        return "week", 2
    if word.startswith("centur"):
        return "year", 100
    if word.startswith("sec"):
        return "minute", 1 / 60
    return lexicon.UNITS[word], 1


_UNIT_ALONE = re.compile(in_full("<UNIT>(?![a-z])", PIECES))
_PART_OF_LENGTH = re.compile(
    in_full("(?P<n><N>)[ -]?(?:<LONG> )?(?P<unit><UNIT>)(?P<half> and a half)?", PIECES)
)


def length_of(text: str) -> Amount:
    """Return a length of time: "an hour and a half", "2 years 1 month 21 days", "week"."""
    parts = []
    for part in _PART_OF_LENGTH.finditer(f"a {text}" if _UNIT_ALONE.match(text) else text):
        unit, factor = unit_of(part["unit"])
        parts.append(amount((number_of(part["n"]) + (0.5 if part["half"] else 0)) * factor, unit))
    return reduce(Amount.plus, parts)


def day_of(word: str) -> int:
    word = word.removeprefix("the ").lstrip("0")
    return (
        int(word)
        if word.isdecimal()
        else ENGLISH_ORDINALS.get(word.replace(" ", "-")) or int(number_of(word))
    )


def year_of(word: str) -> int:
    word = word.strip(" ,").removeprefix("of ").removeprefix("in ").strip()
    if word[0] == "'":
        return (2000 if word[1:] < "50" else 1900) + int(word[1:])
    if word.isdecimal():
        return int(word)
    return 2000 + int(ENGLISH_CARDINALS[word.removeprefix("twenty ").replace(" ", "-")])


def counted(match: re.Match[str]) -> TimeSpec:
    """Return the reading of "two days ago", "in 10 minutes", "two days before yesterday"."""
    groups = match.groupdict()
    shift = lexicon.DAYS.get(groups.get("day") or "", 0)
    sign = -1 if groups.get("back") or groups.get("base") == "before" else 1
    base = TimeSpec(shift=shift) if shift else None
    return TimeSpec(offset=Offset(sign, length_of(match["length"]), base))


def guess(match: re.Match[str]) -> TimeSpec:
    """Return the reading of a vague count: "a few weeks ago", "in two or three days"."""
    groups = match.groupdict()
    direction: Direction = "past" if groups.get("back") else "future"
    words = match["words"].rstrip("'")
    coarse = re.search(r"\b(?:hour|hr|min)", words) is None
    if (groups.get("in") or "").startswith("within"):
        words = f"within {words}"
    return TimeSpec(vague=direction, vague_amount=words if coarse else None)


def from_base(match: re.Match[str]) -> TimeSpec:
    """Return the reading of a head with an offset: "two weeks after Christmas".

    The base is empty; it is filled with the time that follows.
    """
    groups = match.groupdict()
    length = length_of(groups.get("length") or "day")
    base = Offset(-1 if match["way"] == "before" else 1, length, TimeSpec())
    return TimeSpec(offset=base, part=lexicon.PARTS.get(groups.get("part") or ""))


def lasting(match: re.Match[str]) -> TimeSpec:
    """Return the reading of the head of "3 days starting next Monday".

    It has the length, counted from the time that follows.
    """
    return TimeSpec(
        through=TimeSpec(offset=Offset(1, length_of(match["length"] or match["for"]), TimeSpec()))
    )


def made_stretch(length: Amount, unit: Unit, step: int) -> TimeSpec:
    if unit in ("quarter", "decade", "weekend"):
        return TimeSpec(stretch=Stretch("aligned", step, replace(length, unit=unit)))
    return TimeSpec(stretch=Stretch("past" if step < 0 else "next", step, length))


def step_of(word: str) -> int:
    """Return the step of this (0), last (-1) or next (1).

    "This past" and "this coming" have the step of their second word.
    """
    return lexicon.MODIFIERS[word.rpartition(" ")[2]]


def stretch(match: re.Match[str]) -> TimeSpec | None:
    step = step_of(match["mod"])
    if not step:
        return None
    if match["couple"]:
        unit, factor = unit_of(match["unit"])
        return made_stretch(amount(2 * factor, unit), unit, step)
    if words := match["words"]:
        known = " " in words or words in ("days", "weeks", "months", "years")
        return (
            TimeSpec(vague="past" if step < 0 else "future", vague_amount=f"the {words}")
            if known
            else None
        )
    length = length_of(match["length"])
    return (
        None
        if match["length"].startswith(("a ", "an "))
        else made_stretch(length, length.unit, step)
    )


def stretch_after(match: re.Match[str]) -> TimeSpec:
    unit, factor = unit_of(match["unit"])
    return made_stretch(
        amount(number_of(match["count"]) * factor, unit), unit, step_of(match["mod"])
    )
