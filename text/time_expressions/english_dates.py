"""English weekdays, months and days of the month, and what is counted within them."""

from __future__ import annotations

from dataclasses import replace

from .english_clock import Clocks
from .english_lexicon import (
    DATE_PREPOSITIONS,
    DOUBTFUL_WEEKDAYS,
    MODIFIERS,
    MONTHS,
    PARTS,
    PLAIN_MONTHS,
    PRONOUNS,
    WEEKDAYS,
)
from .english_words import Parsed
from .reading import Given, Ordinal, Reading, Unit


class Dates(Clocks):
    """Words, with clock times and dates."""

    @staticmethod
    def stepped(unit: str, step: int) -> Reading | None:
        """The unit `step` units from the current one."""
        match unit:
            case "week" | "wk":
                return Reading(week=step)
            case "weekend" | "wkend":
                return Reading(week=step, weekend=True)
            case "month":
                return Reading(month=("rel", step))
            case "year" | "yr":
                return Reading(year=("rel", step))
            case "quarter":
                return Reading(quarter=("rel", step))
            case _:
                return Reading(weekday=WEEKDAYS[unit], week=step) if unit in WEEKDAYS else None

    def expression_in(self, index: int) -> Parsed | None:
        """A month, year, quarter or week in which something longer lies; "the month" is the current one here."""
        at = index
        if self.word(at) in ("the", "this") and self.word(at + 1) in ("month", "year", "week", "quarter", "yr"):
            reading = self.stepped(self.word(at + 1), 0)
            return (reading, at + 2) if reading is not None else None
        if self.word(at) in ("month", "year", "week", "quarter") and self.word(index - 1) in ("of", "the"):
            reading = self.stepped(self.word(at), 0)
            return (reading, at + 1) if reading is not None else None
        parsed = self.expression(at)
        if parsed is None:
            word = self.word(at + 1 if self.word(at) == "the" else at)
            if word in MONTHS:
                return Reading(month=("abs", MONTHS[word]), manner="bare"), at + (2 if self.word(at) == "the" else 1)
            year = self.year_after(at)
            return (Reading(year=("abs", year[0])), year[1]) if year is not None else None
        if parsed[0].slots & {"vague", "now", "stretch", "offset", "clock", "part"}:
            return None
        return parsed

    def weekday(self, index: int) -> Parsed | None:
        """A weekday by itself, with the day of the month if that is said (Monday 21st, Tue the 4th)."""
        word = self.word(index).removesuffix("'s")
        if word not in WEEKDAYS:
            return None
        before, following = self.word(index - 1), self.word(index + 1)
        if before in ("it's", "its") or (before == "is" and self.word(index - 2) in ("it", "today", "day")):
            return None  # what day it is, not when
        if before in (
            "every",
            "each",
            "most",
            "any",
            "some",
            "alternate",
            "black",
            "good",
            "cyber",
            "easter",
            "other",
            "casual",
            "taco",
            "man",
        ):
            return None
        if word in DOUBTFUL_WEEKDAYS or len(word) <= 3:
            fits = (
                before in DATE_PREPOSITIONS
                or following in PARTS
                or following[:1].isdecimal()
                or before in ("to", "-", "or", "and", "week")
            )
            if before == "in" or before == "of" or not fits:
                return None
        if (
            self.capital(index)
            and self.capital(index + 1)
            and following.isalpha()
            and following not in MONTHS
            and following not in PRONOUNS
        ):
            if following in PARTS and not self.capital(index + 2):
                pass
            elif self.starts[index + 1] - self.ends[index] == 1:
                return None
        reading = Reading(weekday=WEEKDAYS[word], manner="bare")
        if following == "the":
            day = self.ordinal(index + 2)
        else:
            day = self.ordinal(index + 1)
        if (
            day is None
            and following.isdecimal()
            and 1 <= int(following) <= 31
            and not self.clock_suffix(index + 2)[0]
            and (self.word(index + 2) not in ("-", "to", ":") and not self.touches(index + 2))
            and int(following) > 12
        ):
            day = (int(following), index + 2)
        if day is not None and self.word(day[1]) not in ("of", "floor", "time"):
            return replace(reading, day=day[0], manner=None), day[1]
        return reading, index + 1

    def month(self, index: int) -> Parsed | None:
        """A month, with its day and year if they are said."""
        word = self.word(index)
        number = MONTHS.get(word.removesuffix("'s"))
        if number is None:
            return None
        at = index + 1
        if self.word(at) == "." and self.touches(at) and len(word) <= 4 and self.word(at + 1)[:1].isalnum():
            at += 1
        before = self.word(index - 1)
        day = self.number_of_day(at)
        reading = Reading(month=("abs", number), manner="bare")
        if day is not None and not (
            word in ("may", "march") and not self.capital(index) and before in ("i", "you", "we", "they", "he", "she", "it", "to")
        ):
            if day[0] > (29 if number == 2 else 30 if number in (4, 6, 9, 11) else 31):
                return None
            reading, at = replace(reading, day=day[0]), day[1]
            if self.word(at) in ("-", "–", "to", "through", "thru", "till", "until"):
                until = self.number_of_day(at + 1)
                if until is not None and until[0] > day[0] and self.word(until[1]) not in ("of", *MONTHS):
                    reading, at = replace(reading, through=replace(reading, day=until[0])), until[1]
            year = self.year_after(at)
            if year is not None:
                return replace(reading, year=("abs", year[0]), manner=None), year[1]
            if self.word(at) == "weekend":
                return replace(reading, weekend=True), at + 1
            return reading, at
        year = self.year_after(at)
        if year is not None:
            return Reading(month=("abs", number), year=("abs", year[0])), year[1]
        if word in PLAIN_MONTHS:
            return reading, at
        fits = before in (
            "in",
            "since",
            "until",
            "till",
            "during",
            "by",
            "of",
            "early",
            "late",
            "mid",
            "throughout",
            "before",
            "after",
            "from",
            "through",
            "around",
            "between",
        ) or (before in ("-",) and self.word(index - 2) == "mid")
        if word in ("mar", "sep", "dec", "jun") and not self.capital(index):
            fits = before in ("in", "since")
        if word in ("may", "march", "april", "june", "august") and before in (
            "by",
            "of",
            "before",
            "after",
            "from",
            "around",
            "between",
        ):
            after_it = self.word(at) in ("to", "until", "till", "and", "through") and (
                self.word(at + 1) in MONTHS or self.word(at + 1) in ("the", "now")
            )
            fits = (fits and self.capital(index) and not self.capital(index - 2)) or after_it
            fits = fits and self.word(at) not in ("'", "'s")
        if word == "may" and before in ("in", "since") and self.word(at) in ("be", "have", "not"):
            return None
        return (reading, at) if fits else None

    def day_of(self, index: int) -> Parsed | None:
        """the 3rd of March, 2 July, the 15th of next month, on the 15th; first week of October, last Monday of May."""
        start = index + 1 if self.word(index) == "the" else index
        day = self.ordinal(start)
        plain = False
        if day is None and self.word(start).isdecimal() and 1 <= int(self.word(start)) <= 31:
            day, plain = (int(self.word(start)), start + 1), True
        if day is not None:
            number, at = day
            spread = self.days_of(number, at)
            if spread is not None:
                return spread
            if self.word(at) == "day" and self.word(at + 1) == "of":
                at += 1
            has_of = self.word(at) == "of"
            month = MONTHS.get(self.word(at + has_of))
            if month is not None and not (plain and self.word(at) == "may" and not self.capital(at)):
                reading = Reading(month=("abs", month), day=number, manner="bare")
                end = at + has_of + 1
                if self.word(end) == "." and self.touches(end) and self.word(end + 1).isdecimal():
                    end += 1
                year = self.year_after(end)
                if year is not None:
                    return replace(reading, year=("abs", year[0]), manner=None), year[1]
                return reading, end
            if not plain:
                inside = at + 1 if has_of else at
                which = self.relative_month(inside)
                if which is not None and (has_of or self.word(inside) in ("this", "next", "last")):
                    return Reading(month=which[0], day=number), which[1]
                if (
                    self.word(index) == "the"
                    and self.word(index - 1) in ("on", "by", "until", "till", "since", "before", "after", "from")
                    and (
                        self.word(at)
                        in (
                            "",
                            ".",
                            ",",
                            "!",
                            "?",
                            "at",
                            "and",
                            "i",
                            "we",
                            "he",
                            "she",
                            "they",
                            "so",
                            "but",
                            "because",
                            "for",
                            "with",
                            "to",
                        )
                    )
                ):
                    return Reading(day=number, manner="bare"), at
        return self.ordinal_of(index)

    def days_of(self, number: int, index: int) -> Parsed | None:
        """3 to 12 of September, 18 and 19 June, the ninth till the seventeenth of April."""
        if self.word(index) not in ("to", "-", "–", "and", "till", "until", "through", "thru"):
            return None
        at = index + 1 + (self.word(index + 1) == "the")
        until = self.ordinal(at)
        if until is None and self.word(at).isdecimal() and len(self.word(at)) <= 2:
            until = int(self.word(at)), at + 1
        if until is None or not number < until[0] <= 31:
            return None
        end = until[1] + (self.word(until[1]) == "of")
        month = MONTHS.get(self.word(end))
        if month is None or until[0] > (29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31):
            return None
        reading = Reading(month=("abs", month), day=number, manner="bare")
        year = self.year_after(end + 1)
        if year is not None:
            reading, end = replace(reading, year=("abs", year[0]), manner=None), year[1] - 1
        return replace(reading, through=replace(reading, day=until[0])), end + 1

    def relative_month(self, index: int) -> tuple[Given, int] | None:
        """(the) month, this month, last month, next month as a part of a longer expression."""
        word = self.word(index)
        if word in ("this", "last", "next", "the", "current") and self.word(index + 1) == "month":
            return ("rel", MODIFIERS.get(word, 0)), index + 2
        return None

    def ordinal_of(self, index: int) -> Parsed | None:
        """the first week of July, last 3 weeks of this year, the 9th month of next year, last Friday of May."""
        start = index + 1 if self.word(index) == "the" else index
        word = self.word(start)
        last = word in ("last", "final")
        first = word in ("first", "1st")
        at = start + 1
        nth = 1
        if not last and not first:
            found = self.ordinal(start)
            if found is None:
                return None
            nth, at = found
        count: float | None = None
        if first or last:
            counted = self.number(at)
            if counted is not None and self.word(at) not in ("a", "an"):
                count, at = counted[0], counted[1]
                if count is None:
                    return None
        weekday = WEEKDAYS.get(self.word(at))
        unit = self.unit(at)
        if weekday is None and unit is None:
            return None
        end = at + 1 if unit is None else unit[2]
        if self.word(end) not in ("of", "in"):
            return None
        inner = self.expression_in(end + 1)
        if inner is None:
            return None
        within, after = inner
        name: Unit = unit[0] if unit is not None else "day"
        if count is not None:
            ordinal = Ordinal(int(count), name, "last" if last else "first")
        else:
            ordinal = Ordinal(1 if last else nth, name, "nth_last" if last else "nth", weekday)
        return replace(within, ordinal=ordinal), after

    def numeric(self, index: int) -> Parsed | None:
        """2026-02-20, 5/3/18, and 5/3 where a preposition shows that it is a date."""
        word = self.word(index)
        if "-" in word and word[0].isdecimal() and len(word) >= 8:
            year, month, day = (int(part) for part in word.split("t")[0].split("-"))
            if not (1 <= month <= 12 and 1 <= day <= 31):
                return None
            return Reading(year=("abs", year), month=("abs", month), day=day), index + 1
        if (
            word.isdecimal()
            and len(word) == 4
            and 1500 <= int(word) <= 2199
            and self.word(index - 1) in ("in", "since", "of", "until", "by", "year")
        ):
            return Reading(year=("abs", int(word))), index + 1
        if "/" not in word:
            return None
        parts = [int(part) for part in word.split("/")]
        if len(parts) == 3:
            return Reading(
                year=("abs", parts[2] + (0 if parts[2] > 99 else 2000)), month=("abs", max(1, min(12, parts[0]))), day=1
            ), index + 1
        if (
            self.word(index - 1) not in ("on", "by", "since", "until", "before", "after", "from", "till")
            and self.word(index - 1) not in WEEKDAYS
        ):
            return None
        first, second = parts
        if first > 12:
            first, second = second, first
        if not 1 <= first <= 12 or not 1 <= second <= (29 if first == 2 else 30 if first in (4, 6, 9, 11) else 31):
            return None
        return Reading(month=("abs", first), day=second, manner="bare"), index + 1
