"""English weekdays, months and days of the month, and ordinals within them ("first week of July")."""

from __future__ import annotations

from dataclasses import replace

from ...word_lists import word_list
from ..calendar import longest_month
from ..reading import Given, Ordinal, Reading, Unit
from .clock import Clocks
from .lexicon import DATE_PREPOSITIONS, DOUBTFUL_WEEKDAYS, MODIFIERS, MONTHS, PARTS, PLAIN_MONTHS, PRONOUNS, WEEKDAYS
from .words import Parsed

_NO_PLACE = word_list("vague now stretch offset clock part")
_NOT_BEFORE_WEEKDAY = word_list(
    "a an that every each most any some other alternate casual taco man "
    "black blue ruby manic super giving fat holy good cyber easter"
)
_VERBS_BEFORE_MONTH = word_list("i you we they he she it to")
_TO = word_list("- – to through thru till until")
_BEFORE_MONTH = word_list(
    "in since until till during by of early late mid throughout before after from through around between starting beginning"
)
_WORDS_TOO = word_list("may march april june august")
_AROUND_NAME = word_list("by of before after from around between")
_BEFORE_DAY = word_list("on by until till since before after from")
_AFTER_DAY = word_list(". , ! ? at and i we he she they so but because for with to is was are were has latest") | {""}
_OF_A_DAY = word_list("is any work works suits would instead please pls")
_YEAR_PREPOSITIONS = word_list("in since of until by year")


class Dates(Clocks):
    """Parsers of dates."""

    @staticmethod
    def stepped(unit: str, step: int) -> Reading | None:
        """Return the reading of the unit `step` units from the current one, None for an unknown unit."""
        match unit:
            case "week" | "wk":
                return Reading(week=step)
            case "weekend" | "wkend" | "wknd":
                return Reading(week=step, weekend=True)
            case "month" | "mth":
                return Reading(month=("rel", step))
            case "year" | "yr":
                return Reading(year=("rel", step))
            case "quarter":
                return Reading(quarter=("rel", step))
            case _:
                return Reading(weekday=WEEKDAYS[unit], week=step) if unit in WEEKDAYS else None

    def dated(self, reading: Reading, index: int) -> Parsed | None:
        """Return the reading with the year that stands at `index`: "5 March" before ", 2024"."""
        year = self.year_after(index)
        return (replace(reading, year=("abs", year[0]), manner=None), year[1]) if year is not None else None

    def expression_in(self, index: int) -> Parsed | None:
        """Parse the unit after "of" (the end of …); "the month" is the current month."""
        word, following = self.word(index), self.word(index + 1)
        if word in ("the", "this") and following in ("month", "year", "week", "quarter", "yr"):
            return self.at(self.stepped(following, 0), index + 2)
        if word in ("month", "year", "week", "quarter") and self.word(index - 1) in ("of", "the"):
            return self.at(self.stepped(word, 0), index + 1)
        parsed = self.expression(index)
        if parsed is None:
            start = self.after_the(index)
            if self.word(start) in MONTHS:
                return Reading(month=("abs", MONTHS[self.word(start)]), manner="bare"), start + 1
            return self.dated(Reading(), index)
        return None if parsed[0].slots & _NO_PLACE else parsed

    def weekday(self, index: int) -> Parsed | None:
        """Parse a weekday, with the day of the month if given: "Monday", "Monday 21st", "Tue the 4th"."""
        word = self.word(index).removesuffix("'s")
        if word not in WEEKDAYS:
            return None
        before, following = self.word(index - 1), self.word(index + 1)
        if following.endswith("s") and following[:-1] in PARTS:
            return None  # "Monday mornings"
        if before in ("it's", "its") or (before == "is" and self.word(index - 2) in ("it", "today", "day")):
            return None  # "it's Monday" names the current day
        if before in _NOT_BEFORE_WEEKDAY:
            return None
        if word in DOUBTFUL_WEEKDAYS or len(word) <= 3:
            fits = before in DATE_PREPOSITIONS or following in PARTS or following[:1].isdecimal()
            if before in ("in", "of") or not (fits or before in ("to", "-", "/", "or", "and", "week")):
                return None
        named = self.capital(index) and self.capital(index + 1) and following.isalpha()
        if named and before != "on" and following not in MONTHS and following not in PRONOUNS:  # Friday Harbor
            is_part = following in PARTS and not self.capital(index + 2)
            if not is_part and self.starts[index + 1] - self.ends[index] == 1:
                return None
        reading = Reading(weekday=WEEKDAYS[word], manner="bare")
        if (
            (self.word(index - 2), before) == ("on", "the")
            and (not following.isalpha() or following in _AFTER_DAY)
            and following != "-"
        ):
            return replace(reading, firm=False), index + 1  # "on the Saturday" of some week
        after = self.word(index + 2)
        if following.isdecimal() and after in MONTHS:
            return reading, index + 1
        day = self.ordinal(self.after_the(index + 1))
        if day is None and following.isdecimal() and 12 < int(following) <= 31 and not self.clock_suffix(index + 2)[0]:
            day = (int(following), index + 2) if after not in ("-", "to", ":") and not self.touches(index + 2) else None
        if day is not None and self.word(day[1]) not in ("of", "floor", "time", "thing", "half", *MONTHS):
            return replace(reading, day=day[0], manner=None), day[1]
        return reading, index + 1

    def month(self, index: int) -> Parsed | None:
        """Parse a month, with its day and year if given: "March", "March 5", "March 5 to 8, 2024"."""
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
        is_verb = word in ("may", "march") and not self.capital(index) and before in _VERBS_BEFORE_MONTH
        if day is not None and not is_verb:
            if day[0] > longest_month(number):
                return None
            reading, at = replace(reading, day=day[0]), day[1]
            until = self.number_of_day(at + 1) if self.word(at) in _TO else None
            if until is not None and until[0] > day[0] and self.word(until[1]) not in ("of", *MONTHS):
                reading, at = replace(reading, through=replace(reading, day=until[0])), until[1]
            if self.word(at) == "weekend":
                return replace(reading, weekend=True), at + 1
            return self.dated(reading, at) or (reading, at)
        dated = self.dated(reading, at)
        titled = self.capital(index) and self.capital(at) and self.word(at).isalpha() and before not in _BEFORE_MONTH
        if dated is None and titled and self.word(at) not in PRONOUNS and self.word(at) not in MODIFIERS:
            return None  # "November Rain"
        if dated is not None or word in PLAIN_MONTHS:
            return dated or (reading, at)
        return (reading, at) if self.month_stands(word, before, index, at) else None

    def month_stands(self, word: str, before: str, index: int, at: int) -> bool:
        """Return True if an ambiguous word ("may", "march", "dec") without day and year is a month."""
        fits = before in _BEFORE_MONTH or (before == "-" and self.word(index - 2) == "mid")
        if word in ("mar", "sep", "dec", "jun") and not self.capital(index):
            fits = before in ("in", "since")
        if word in _WORDS_TOO and before in _AROUND_NAME:
            to_another = self.word(at + 1) in MONTHS or self.word(at + 1) in ("the", "now")
            after_it = self.word(at) in ("to", "until", "till", "and", "through") and to_another
            fits = (fits and self.capital(index) and not self.capital(index - 2)) or after_it
            fits = fits and self.word(at) not in ("'", "'s")
        return fits and not (word == "may" and before in ("in", "since") and self.word(at) in ("be", "have", "not"))

    def day_of(self, index: int) -> Parsed | None:
        """Parse "the 3rd of March", "2 July", "the 15th of next month", "on the 15th", "first week of October"."""
        start = self.after_the(index)
        day = self.ordinal(start)
        plain = day is None
        if day is None and self.word(start).isdecimal() and 1 <= int(self.word(start)) <= 31:
            day = int(self.word(start)), start + 1
        if day is None:
            return self.ordinal_of(index)
        number, at = day
        spread = self.days_of(number, at)
        if spread is not None:
            return spread
        if self.word(at) == "day" and self.word(at + 1) == "of":
            at += 1
        has_of = self.word(at) == "of"
        month = MONTHS.get(self.word(at + has_of)) if self.word(at + 1) != "bank" else None
        if month is not None and not (plain and self.word(at) == "may" and not self.capital(at)):
            reading = Reading(month=("abs", month), day=number, manner="bare")
            end = at + has_of + 1
            if self.word(end) == "." and self.touches(end) and self.word(end + 1).isdecimal():
                end += 1
            if self.word(end) == "weekend":
                return replace(reading, weekend=True), end + 1
            return self.dated(reading, end) or (reading, end)
        if not plain:
            inside = at + has_of
            which = self.relative_month(inside)
            if which is not None and (has_of or self.word(inside) in ("this", "next", "last")):
                if self.word(inside) == "the":
                    return Reading(day=number, manner="bare"), which[1]  # "due the first of the month"
                return Reading(month=which[0], day=number), which[1]
            to_another = self.word(at) in ("to", "till", "until", "-") and self.word(at + 1) == "the"
            until = self.ordinal(at + 2) if to_another and self.word(index) == "the" else None
            if until is not None and self.word(until[1]) != "of" and self.word(until[1]) not in MONTHS:
                return Reading(day=number, manner="bare", firm=False), until[1]  # "from the 3rd to the 10th" of which month
            led = self.word(index - 1) in _BEFORE_DAY or (self.word(index - 1) == "of" and self.word(index - 2) in PARTS)
            if self.word(index) == "the" and led and (self.word(at) in _AFTER_DAY or self.word(index - 1) == "of"):
                return Reading(day=number, manner="bare"), at
            told = self.word(at) in ("", ".", ",", "!", "?", "at", "to") and index
            if self.word(index) == "the" and (
                told or (self.word(start)[:1].isdecimal() and number > 2 and self.word(at) in _OF_A_DAY)
            ):
                return Reading(day=number, manner="bare", firm=False), at  # "he comes the 25th", or the 25th of a row
            bare = self.word(start)[:1].isdecimal() and start == index and self.word(index - 1) in _BEFORE_DAY and number > 2
            if bare and not self.word(at).isalpha():
                return Reading(day=number, manner="bare", firm=False), at  # "see you on 21st"
        return self.ordinal_of(index)

    def days_of(self, number: int, index: int) -> Parsed | None:
        """Parse days before their month: "3 to 12 of September", "18 and 19 June", "the ninth till the seventeenth of April"."""
        if self.word(index) not in _TO and self.word(index) != "and":
            return None
        at = self.after_the(index + 1)
        until = self.ordinal(at)
        if until is None and self.word(at).isdecimal() and len(self.word(at)) <= 2:
            until = int(self.word(at)), at + 1
        if until is None or not number < until[0] <= 31:
            return None
        end = until[1] + (self.word(until[1]) == "of")
        month = MONTHS.get(self.word(end))
        if month is None or until[0] > longest_month(month):
            return None
        reading = Reading(month=("abs", month), day=number, manner="bare")
        first, after = self.dated(reading, end + 1) or (reading, end + 1)
        return replace(first, through=replace(first, day=until[0])), after

    def relative_month(self, index: int) -> tuple[Given, int] | None:
        """Parse "this month", "last month", "next month", "the month" inside a longer expression."""
        word = self.word(index)
        if word in ("this", "last", "next", "the", "current") and self.word(index + 1) == "month":
            return ("rel", MODIFIERS.get(word, 0)), index + 2
        return None

    def ordinal_of(self, index: int) -> Parsed | None:
        """Parse "the first week of July", "last 3 weeks of this year", "the 9th month of next year", "last Friday of May"."""
        start = self.after_the(index)
        last, first = self.word(start) in ("last", "final"), self.word(start) in ("first", "1st")
        found = (1, start + 1) if last or first else self.ordinal(start)
        if found is None:
            return None
        nth, at = found
        counted = self.number(at) if (first or last) and self.word(at) not in ("a", "an") else None
        if counted is not None:
            if counted[0] is None:
                return None
            at = counted[1]
        weekday = WEEKDAYS.get(self.word(at))
        unit = self.unit(at)
        if weekday is None and unit is None:
            return None
        end = at + 1 if unit is None else unit[2]
        inner = self.expression_in(end + 1) if self.word(end) in ("of", "in") else None
        if inner is None:
            return None
        name: Unit = unit[0] if unit is not None else "day"
        if counted is not None and counted[0] is not None:
            ordinal = Ordinal(int(counted[0]), name, "last" if last else "first")
        else:
            ordinal = Ordinal(nth, name, "nth_last" if last else "nth", weekday)
        return replace(inner[0], ordinal=ordinal), inner[1]

    def numeric(self, index: int) -> Parsed | None:
        """Parse "2026-02-20", "5/3/18", and "5/3" after a preposition of time."""
        word, before = self.word(index), self.word(index - 1)
        if "-" in word and word[0].isdecimal() and len(word) >= 8:
            year, month, day = (int(part) for part in word.split("t")[0].split("-"))
            if not (1 <= month <= 12 and 1 <= day <= 31):
                return None
            return Reading(year=("abs", year), month=("abs", month), day=day), index + 1
        if word.isdecimal() and len(word) == 4 and 1500 <= int(word) <= 2199 and before in _YEAR_PREPOSITIONS:
            return Reading(year=("abs", int(word))), index + 1
        if "/" not in word:
            return None
        parts = [int(part) for part in word.split("/")]
        if len(parts) == 3:
            given = max(1, min(12, parts[0]))
            return Reading(year=("abs", parts[2] + (0 if parts[2] > 99 else 2000)), month=("abs", given), day=1), index + 1
        led = before in _BEFORE_DAY or before in WEEKDAYS
        if not led and (max(parts) < 11 or word in ("24/7", "9/11")):
            return None  # a fraction, or a score
        first, second = parts if parts[0] <= 12 else reversed(parts)
        if not 1 <= first <= 12 or not 1 <= second <= longest_month(first):
            return None
        sure = led and (max(parts) > 12 or first == second)  # 6/1 is in January or in June
        return Reading(month=("abs", first), day=second, manner="bare", firm=None if sure else False), index + 1
