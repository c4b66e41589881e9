"""English lengths of time relative to the reference: ago, from now, in, within, the past, the next."""

from __future__ import annotations

from dataclasses import replace

from ..reading import Amount, Offset, Reading, Stretch, Unit, amount
from .feasts import Feasts
from .lexicon import MODIFIERS, TOLD
from .words import Parsed


class CountedTimes(Feasts):
    """Parsers of lengths of time that point to a day or a range."""

    def counted(self, index: int) -> Parsed | None:
        """Parse a length with a direction: "two days ago", "from now", "later", "before yesterday", "after Christmas"."""
        counted = self.length(index)
        if counted is None or self.is_rate(index):
            return None
        if counted.reading is not None:
            return counted.reading, counted.after + 1
        after, word = counted.after, self.word(counted.after)
        sign, end = 0, after + 1
        base: Reading | None = None
        if word in ("ago", "earlier", "back") or (word == "prior" and self.word(end) != "to"):
            if word == "earlier" and self.word(end) == "than":
                return None
            if word == "back" and self.word(end) in ("to", "from", "in", "and", "home"):
                return None
            sign = -1
        elif word in ("hence",) or (
            word == "later" and self.word(end) not in ("than", "this", "today", "in", "on", "next", "tonight")
        ):
            sign = 1
        elif (
            word in ("starting", "beginning", "from", ",")
            and counted.amount is not None
            and (word in ("starting", "beginning") or self.word(index - 1) == "for")
        ):
            return (
                self.length_from(counted.amount, end if word != "," else end + 1)
                if word != "," or self.word(end) == "from"
                else None
            )
        elif word in ("from", "after", "before"):
            if word == "from" and self.word(end) in ("now", "rn"):
                sign, end = 1, end + 1
            else:
                inner = self.base(end)
                if inner is None or inner[0].slots <= {"clock", "part"} or inner[0].vague or inner[0].stretch:
                    return None
                base, end = inner
                sign = -1 if word == "before" else 1
                if base.now:
                    base = None
        if not sign:
            return None
        if counted.amount is None:
            if base is not None:
                return (Reading(year=("abs", 1)), end) if base.absolute else None
            if word in ("later", "hence"):
                return Reading(vague="future", vague_amount=counted.words), end
            coarse = counted.unit not in ("hour", "minute")
            return Reading(vague="future" if sign > 0 else "past", vague_amount=counted.words if coarse else None), end
        return Reading(offset=Offset(sign, counted.amount, base)), end

    def is_rate(self, index: int) -> bool:
        """Return True for the "a week" of "twice a week", "5 days a week", "10 euros a week": no length of time."""
        if self.word(index) not in ("a", "an", "per", "each", "every") or index == 0:
            return False
        is_number = self.number(index - 2) is not None and self.word(index - 1).isalpha()
        return is_number or self.unit(index - 1) is not None or self.word(index - 1) in ("once", "twice", "times")

    def base(self, index: int) -> Parsed | None:
        """Parse the day from which a length is counted, with its year but without a following weekday or clock time."""
        parsed = self.primary(index) or (self.primary(index + 1) if self.word(index) == "the" else None)
        if parsed is None:
            return None
        longer = self.extend(*parsed)
        if longer is not None and longer[0].slots - parsed[0].slots == {"year"}:
            return longer
        return parsed

    def length_from(self, total: Amount, index: int) -> Parsed | None:
        """Parse a length with its first day: "3 days starting next Monday", "for a week from tomorrow"."""
        inner = self.base(index + (self.word(index) in ("from", "on")))
        if inner is None or not (inner[0].has_day and not inner[0].slots & {"stretch", "vague", "through", "edge", "ordinal"}):
            return None
        if total.minutes:
            return None
        at_clock = self.clock(inner[1] + 1, after_day=True) if self.word(inner[1]) == "at" else None
        if at_clock is not None and at_clock[0].clock is not None and at_clock[0].clock_until is None:
            begin = replace(inner[0], clock=at_clock[0].clock)
            return replace(begin, through=Reading(offset=Offset(1, total, inner[0]), clock=at_clock[0].clock)), at_clock[1]
        last = replace(total, days=total.days - 1)
        return replace(inner[0], through=Reading(offset=Offset(1, last, inner[0]))), inner[1]

    def in_length(self, index: int) -> Parsed | None:
        """Parse "in 10 minutes", "in two weeks' time", "within 9 months", "within the next 10 months"."""
        word = self.word(index)
        start = index + 1
        if word == "within":
            if self.word(start) == "the":
                start += 1
            if self.word(start) in ("next", "coming", "following"):
                start += 1
        if self.word(start) in ("about", "around", "like", "just", "exactly", "maybe", "perhaps", "roughly"):
            start += 1
        counted = self.length(start)
        if counted is None and word == "within" and self.unit(start) is not None:
            unit = self.unit(start)
            if unit is not None:
                total = amount(unit[1], unit[0])
                after = unit[2]
                if self.word(after) == "and":
                    more = self.length(after + 1)
                    if more is not None and more.amount is not None:
                        total, after = total.plus(more.amount), more.after
                return Reading(stretch=Stretch("within", 1, total)), after
        if counted is None:
            return None
        after = counted.after
        if self.word(after) in ("of", "or", "earlier", "ago", "later", "old", "before", "after") or self.word(after) == "'s":
            return None
        if self.word(after) == "time":
            after += 1
        elif self.word(after) == "from" and (self.word(after + 1) in ("now", "today")):
            after += 2
        if counted.amount is None:
            if word == "within":
                return Reading(vague="future", vague_amount=f"within {counted.words}"), after
            return Reading(vague="future", vague_amount=counted.words if counted.unit not in ("hour", "minute") else None), after
        if word == "within":
            return Reading(stretch=Stretch("within", 1, counted.amount)), after
        if self.word(index - 1) in ("once", "twice", "times", "time", "than"):
            return None
        if TOLD["lasted"].search(self.lower, max(0, self.starts[index] - 60), self.starts[index]):
            return None
        return Reading(offset=Offset(1, counted.amount)), after

    def stretch(self, at: int, step: int, index: int) -> Parsed | None:
        """Parse "the past three days", "next couple of weeks", "last 3 months and 2 days", "next 4 business days"."""
        if not step or (self.word(at) in ("a", "an") and self.word(at + 1) not in ("few", "couple")):
            return None
        counted = self.length(at)
        if counted is None:
            if self.word(at) in ("days", "weeks", "months", "years"):
                return Reading(vague="past" if step < 0 else "future", vague_amount=f"the {self.word(at)}"), at + 1
            return None
        if counted.amount is None:
            if self.word(at) == "couple" or self.word(at + 1) == "couple":
                after = counted.after
                return self.made_stretch(amount(2, counted.unit), counted.unit, step, after)
            said = counted.words.removeprefix("a ")
            return Reading(vague="past" if step < 0 else "future", vague_amount=f"the {said}"), counted.after
        if self.word(counted.after) in ("of",):
            return None
        if self.word(counted.after) == "ago":  # "the last 3 months and 2 days ago": two expressions
            number, unit = self.number(at), self.unit(at + 1)
            if number is None or unit is None or number[0] is None or number[1] != at + 1:
                return None
            return self.made_stretch(amount(number[0] * unit[1], unit[0]), unit[0], step, unit[2])
        return self.made_stretch(counted.amount, counted.unit, step, counted.after)

    @staticmethod
    def made_stretch(total: Amount, unit: Unit, step: int, after: int) -> Parsed:
        """Return a stretch of whole quarters, decades or weekends, or one that begins or ends at the reference."""
        if unit in ("quarter", "decade", "weekend"):
            return Reading(stretch=Stretch("aligned", step, replace(total, unit=unit))), after
        return Reading(stretch=Stretch("past" if step < 0 else "next", step, total)), after

    def trailing_modifier(self, at: int) -> Parsed | None:
        """Parse a count before its modifier: "the 3 next weeks", "5 past years", "10 previous weeks"."""
        counted = self.number(at)
        if counted is None or counted[0] is None:
            return None
        word = self.word(counted[1])
        step = MODIFIERS.get(word, 0)
        unit = self.unit(counted[1] + 1)
        if not step or unit is None or not self.word(counted[1] + 1).endswith("s"):
            return None
        return self.made_stretch(amount(counted[0] * unit[1], unit[0]), unit[0], step, unit[2])
