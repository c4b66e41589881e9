"""English words relative to the reference: today, last, this, next, the end of, now, recently."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from ...word_lists import word_list
from ..reading import Edge, Offset, Part, Reading, Stretch, amount
from ..tense import english_evidence
from . import lexicon as lexicon
from .counted import CountedTimes
from .words import Parsed

_AFTER_UNIT = word_list("of from that when to in after before")
_EDGE_NOUNS = word_list("end start beginning begining middle close ending")
_NOT_BEFORE_NOW = word_list("for just day even right now here know")
_NOT_AFTER_NOW = word_list("let let's look listen this what who how")
_MEETS = word_list("up want going used need how able like likes wants start started way")


class RelativeTimes(CountedTimes):
    """Parsers of words relative to the reference."""

    def day_word(self, index: int) -> Parsed | None:
        """Parse "today", "tomorrow", "yesterday", "tonight" and their chat spellings ("tmrw", "2nite")."""
        word = self.word(index).removesuffix("'s").removesuffix("'")
        if word in lexicon.DAYS:
            after = index + 1
            if self.word(after) in ("am", "pm") and word != "yest":
                part: Part = "morning" if self.word(after) == "am" else "afternoon"
                return Reading(shift=lexicon.DAYS[word], part=part), after + 1
            return Reading(shift=lexicon.DAYS[word]), after
        if word in lexicon.TONIGHT:
            return Reading(shift=0, part="night"), index + 1
        return None

    def day_before(self, index: int) -> Parsed | None:
        """Parse "the day before yesterday", "day after tomorrow", "the day before the conversation", "week before last"."""
        start = self.after_the(index)
        unit, link, what = self.word(start), self.word(start + 1), self.word(start + 2)
        if unit in ("day", "night", "morning", "evening", "afternoon"):
            part = lexicon.PARTS.get(unit)
            if link == "before" and (what == "yesterday" or (what == "last" and not self.names_follow(start + 3))):
                return Reading(shift=-2, part=part), start + 3
            if link == "after" and lexicon.DAYS.get(what) == 1:
                return Reading(shift=2, part=part), start + 3
            talk = what in ("the", "this", "our") and self.word(start + 3) in ("conversation", "chat")
            if talk and link in ("before", "after") and self.word(start + 4) not in ("with", "about", "between", "on", "in"):
                return Reading(shift=-1 if link == "before" else 1, part=part), start + 4
            base = self.base(start + 2) if link in ("before", "after") and start > index else None
            if (
                base is None
                or not base[0].slots & {"day", "weekday"}
                or base[0].slots & {"edge", "ordinal", "part", "clock", "through"}
            ):
                return None
            return Reading(offset=Offset(-1 if link == "before" else 1, amount(1, "day"), base[0]), part=part), base[1]
        if unit in ("weekend", "wkend", "wknd") or self.names_follow(start + 3):
            return None  # of "the weekend after next" nobody knows which one it is
        if link == "before" and what == "last":
            step = -2
        elif link == "after" and what == "next":
            step = 2
        else:
            return None
        return self.at(self.stepped(unit, step), start + 3)

    def names_follow(self, index: int) -> bool:
        """Return True if a weekday, month or unit begins at a word: "the day before last Friday"."""
        word = self.word(index)
        return word in lexicon.WEEKDAYS or word in lexicon.MONTHS or word in lexicon.UNITS

    def modified(self, index: int) -> Parsed | None:
        """Parse this, last, next, past, coming … with a unit, a name or a count: "last week", "the next three days"."""
        start = index + 1 if self.word(index) in ("the", "these") else index
        word = self.word(start)
        if word not in lexicon.MODIFIERS:
            return self.trailing_modifier(start) if self.word(index) == "the" else None
        step, manner = lexicon.MODIFIERS[word], word
        at = start + 1
        if word == "this" and self.word(at) in ("past", "coming", "upcoming", "last", "next", "following"):
            step, manner = lexicon.MODIFIERS[self.word(at)], {"last": "past", "next": "coming"}.get(self.word(at), self.word(at))
            at += 1
        name = self.word(at).removesuffix("'s").removesuffix("'")
        led_by_the = start != index
        if self.word(at) in ("same", "very"):
            return None
        counted = self.stretch(at, step, index)
        if counted is not None:
            return counted
        if name in lexicon.WEEKDAYS:
            if name in lexicon.DOUBTFUL_WEEKDAYS and manner == "this" and name in ("sun", "sat") and not self.capital(at):
                return None
            if manner in ("past", "coming", "upcoming"):
                return Reading(weekday=lexicon.WEEKDAYS[name], manner="past" if step < 0 else "coming"), at + 1
            if led_by_the and manner in ("last", "next") and self.word(at + 1) == "of":
                return None
            return Reading(weekday=lexicon.WEEKDAYS[name], week=step), at + 1
        if name in lexicon.MONTHS and not (name == "may" and word in ("this", "current")) and name not in ("mar", "sep", "dec"):
            if name == "march" and not self.capital(at) and word == "this":
                return None
            if self.year_after(at + 1) is not None:
                return None
            day, after = self.number_of_day(at + 1) or (None, at + 1)
            return self.pointed(Reading(month=("abs", lexicon.MONTHS[name]), day=day), step), after
        if name in lexicon.SEASONS and not (
            name in ("fall", "spring") and word in ("this", "following") and not self.season_fits(at)
        ):
            return self.pointed(Reading(season=lexicon.SEASONS[name]), step), at + 1
        if name in lexicon.PARTS and name not in ("noon", "eve"):
            return self.modified_part(name, word, step, at)
        feast = self.holiday_words(at)
        if feast is not None:
            return self.pointed(Reading(holiday=feast[0], holiday_name=feast[1]), step), feast[2]
        return self.modified_unit(name, manner, step, at, led_by_the)

    @staticmethod
    def pointed(reading: Reading, step: int) -> Reading:
        """Return a month, season or feast of this year (`step` 0), the last one (-1) or the next one (1)."""
        return replace(reading, manner="last" if step < 0 else "next") if step else replace(reading, year=("rel", 0))

    def season_fits(self, index: int) -> bool:
        """Return True if "this fall" / "this spring" is the season and not another noun."""
        return self.word(index + 1) in lexicon.FUNCTION_WORDS or not self.word(index + 1).isalpha()

    def modified_part(self, name: str, word: str, step: int, at: int) -> Parsed | None:
        """Parse "last night" and "this morning". "the next morning" counts from another time and is skipped."""
        part = lexicon.PARTS[name]
        if self.word(at + 1) == "of" and self.word(at - 2) == "the":
            return None  # "the last night of our trip"
        if word == "last" or (word == "this" and step == 0):
            return Reading(shift=step, part=part), at + 1
        if word == "next" and part in ("evening", "night") and self.word(at - 2) != "the":
            return Reading(shift=1, part=part), at + 1
        return None

    def modified_unit(self, name: str, manner: str, step: int, at: int, led_by_the: bool) -> Parsed | None:
        """Parse "last week", "this quarter", "next decade", "the past year"."""
        after = at + 1
        if name in ("work", "working") and self.word(after) == "week":
            name, after = "workweek", after + 1
        elif name in ("calendar",) and self.word(after) == "year":
            name, after = "year", after + 1
        if manner in ("following", "past", "coming", "upcoming") and name in ("day", "minute"):
            return None
        match name:
            case "week" | "wk" | "workweek" | "weekend" | "wkend" | "wknd" | "month" | "mth" | "year" | "yr" | "quarter":
                over = manner == "last" and self.word(at - 3) in ("in", "over", "for", "during", "within", "throughout")
                if (manner == "past" or over) and led_by_the and name in ("week", "month", "year"):
                    return Reading(stretch=Stretch("past", -1, amount(1, lexicon.UNITS[name]))), after
                if name in ("weekend", "wkend", "wknd") and manner in ("past", "coming", "upcoming"):
                    return Reading(weekend=True, manner="past" if step < 0 else "coming"), after
                if name == "workweek":
                    return Reading(week=step, half=None, through=Reading(week=step, weekday=4), weekday=0), after
                weekday = lexicon.WEEKDAYS.get(self.word(after + 1)) if self.word(after) in ("-", ",") else None
                if name in ("week", "wk") and weekday is not None:
                    return Reading(week=step, weekday=weekday), after + 2
                return self.at(self.stepped(name, step), after)
            case "decade":
                said = Stretch("past" if step < 0 else "aligned", step, amount(1, "decade"))
                return (Reading(stretch=said), after) if step else None
            case "fortnight":
                return Reading(stretch=Stretch("past" if step < 0 else "next", step or 1, amount(2, "week"))), after
            case "hour" | "minute" if step and self.word(at - 2) != "a":
                if name == "minute" and manner == "last":
                    return None
                return Reading(stretch=Stretch("past" if step < 0 else "next", step, amount(1, lexicon.UNITS[name]))), after
            case _:
                return None

    def current(self, index: int) -> Parsed | None:
        """Parse "for the day", "for the month" (the current one) and "the rest of the week" (from today to its end)."""
        start = self.after_the(index)
        if self.word(start) in ("rest", "remainder", "remaining") and self.word(start + 1) == "of":
            inner = self.expression_in(start + 2)
            if inner is None and self.word(start + 2) in ("the", "this") and self.word(start + 3) == "day":
                return Reading(shift=0), start + 4
            if inner is not None and inner[0].slots & {"week", "month", "year"} and not inner[0].absolute and not inner[0].edge:
                return replace(inner[0], edge="rest"), inner[1]
            return None
        unit, following = self.word(start), self.word(start + 1)
        if start > index and self.word(index - 1) == "for" and following not in _AFTER_UNIT:
            if following.isalpha() and following not in lexicon.FUNCTION_WORDS:
                return None
            if unit == "day":
                return Reading(shift=0), start + 1
            return self.at(self.stepped(unit, 0), start + 1) if unit in ("week", "month", "year", "quarter") else None
        reading = self.stepped(unit, 0) if unit in ("year", "month") else None
        if reading is not None and self.words[start + 1 : start + 3] == ["to", "date"]:
            return replace(reading, through=Reading(now=True)), start + 3
        return None

    def edge(self, index: int) -> Parsed | None:
        """Parse "the end of next month", "early next week", "mid-July", "earlier today", "later this week", "eod"."""
        start = self.after_the(index)
        word = self.word(start)
        if word in lexicon.EDGE_SHORT:
            if self.primary(start + 1 + (self.word(start + 1) in ("on", ","))) is not None:
                return None  # "EOD Friday": the words stay before the day
            current = self.stepped(lexicon.EDGE_SHORT[word], 0) or Reading(shift=0)
            return replace(current, edge="end"), start + 1
        edge: Edge | None = lexicon.EDGES.get(word)
        if edge is None or self.holiday_words(start) is not None:
            return None
        at = start + 1
        if word in _EDGE_NOUNS:
            if self.word(at) != "of":
                return None
            at += 1
            if self.word(self.after_the(at)) == "day":
                at = self.after_the(at)
                led = self.word(start - 1) if self.word(start - 1) != "the" else self.word(start - 2)
                named = self.word(at + 1) == "of" or self.primary(at + 1 + (self.word(at + 1) in ("on", ","))) is not None
                if edge != "end" or led == "at" or named:
                    return None  # "at the end of the day" is an idiom
                return Reading(shift=0, edge=edge), at + 1
        elif word in ("earlier", "later"):
            at += self.word(at) == "in" or self.word(at) == "on"
            if self.word(at) == "the" and self.word(at + 1) == "day":
                return None
        elif (word == "mid" and self.word(at) == "-") or self.word(at) == "in":
            at += 1
        inner = self.expression_in(at)
        if inner is None or inner[0].edge is not None:
            return None
        reading, after = inner
        if reading.slots & {"part"} or reading.weekday is not None or reading.shift is not None:
            if word in ("end", "start", "beginning", "middle", "earlier", "later"):
                return replace(reading, edge=edge if reading.shift is not None and not reading.part else None), after
            return None  # "early Monday", "until late tomorrow": the word stays before the day
        return replace(reading, edge=edge), after

    def longest(self, index: int, phrases: Container[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the longest of the phrases that begins at a word; empty if there is none."""
        for size in range(min(5, self.count - index), 0, -1):
            key = tuple(self.words[index : index + size])
            if key in phrases:
                return key
        return ()

    def vague(self, index: int) -> Parsed | None:
        """Parse "recently", "the other day", "just now", "soon" …"""
        key = self.longest(index, lexicon.VAGUE) if self.word(index) in lexicon.VAGUE_STARTS else ()
        if not key:
            return None
        after = index + len(key)
        before_not, after_not = lexicon.NOT_VAGUE.get(" ".join(key), (frozenset(), frozenset()))
        if self.word(index - 1) in before_not or self.word(after) in after_not:
            return None
        if key[0] != "in" or key[-1] not in ("bit", "while"):
            return Reading(vague=lexicon.VAGUE[key]), after
        tense = english_evidence(self.spoken, self.starts[index], self.ends[after - 1])
        return (Reading(vague="future"), after) if tense == "future" else None  # "haven't seen you in a while"

    def now(self, index: int) -> Parsed | None:
        """Parse "now", "right now", "currently" …, except in "now that", "for now", "now and then"."""
        key = self.longest(index, lexicon.NOW) if self.word(index) in lexicon.NOW_STARTS else ()
        if not key:
            return None
        before, following = self.word(index - 1), self.word(index + len(key))
        if key == ("now",) and (
            before in _NOT_BEFORE_NOW
            or following in ("that", "now")
            or (following in ("and", "or") and self.word(index + 2) in ("then", "again", "never", "later"))
            or (following == "," and before in ("", ".", "!", "?"))
            or (index == 0 and following in _NOT_AFTER_NOW)
        ):
            return None
        return Reading(now=True), index + len(key)

    def to_date(self, index: int) -> Parsed | None:
        """Parse "to date" and "till date": up to the reference."""
        led = self.word(index) in ("to", "till") and self.word(index + 1) == "date"
        if led and self.word(index - 1) not in _MEETS and self.word(index + 2) not in lexicon.PRONOUNS:
            return Reading(until_now=True), index + 2
        return None
