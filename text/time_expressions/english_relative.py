"""English words that point from the reference: today, last, this, next, the end of, now, recently."""

from __future__ import annotations

from dataclasses import replace

from .english_counted import CountedTimes
from .english_lexicon import (
    DAYS,
    DOUBTFUL_WEEKDAYS,
    EDGE_SHORT,
    EDGES,
    FUNCTION_WORDS,
    MODIFIERS,
    MONTHS,
    NOW,
    NOW_STARTS,
    PARTS,
    PRONOUNS,
    SEASONS,
    TONIGHT,
    UNITS,
    VAGUE,
    VAGUE_STARTS,
    WEEKDAYS,
)
from .english_words import Parsed
from .reading import Edge, Given, Part, Reading, Stretch, amount
from .tense import english_evidence


class RelativeTimes(CountedTimes):
    """Words, with everything that points from the reference."""

    def day_word(self, index: int) -> Parsed | None:
        """today, tomorrow, yesterday, tonight and what chatters make of them."""
        word = self.word(index).removesuffix("'s").removesuffix("'")
        if word in DAYS:
            after = index + 1
            if self.word(after) in ("am", "pm") and word != "yest":
                part: Part = "morning" if self.word(after) == "am" else "afternoon"
                return Reading(shift=DAYS[word], part=part), after + 1
            return Reading(shift=DAYS[word]), after
        if word in TONIGHT:
            return Reading(shift=0, part="night"), index + 1
        return None

    def day_before(self, index: int) -> Parsed | None:
        """(the) day before yesterday, day after tomorrow, week before last, week after next."""
        start = index + 1 if self.word(index) == "the" else index
        unit, link, what = self.word(start), self.word(start + 1), self.word(start + 2)
        if unit in ("day", "night", "morning", "evening", "afternoon"):
            part = PARTS.get(unit)
            if link == "before" and what in ("yesterday", "last"):
                return Reading(shift=-2, part=part), start + 3
            if link == "after" and DAYS.get(what) == 1:
                return Reading(shift=2, part=part), start + 3
            return None
        if link == "before" and what == "last":
            step = -2
        elif link == "after" and what == "next":
            step = 2
        else:
            return None
        reading = self.stepped(unit, step)
        return (reading, start + 3) if reading is not None else None

    def modified(self, index: int) -> Parsed | None:
        """this, last, next, past, coming … with a unit, a name or a count; "the" before it belongs to it."""
        start = index + 1 if self.word(index) in ("the", "these") else index
        word = self.word(start)
        if word not in MODIFIERS:
            return self.trailing_modifier(start) if self.word(index) == "the" else None
        step, manner = MODIFIERS[word], word
        at = start + 1
        if word == "this" and self.word(at) in ("past", "coming", "upcoming", "last", "next", "following"):
            step, manner = MODIFIERS[self.word(at)], {"last": "past", "next": "coming"}.get(self.word(at), self.word(at))
            at += 1
        name = self.word(at).removesuffix("'s").removesuffix("'")
        led_by_the = start != index
        if self.word(at) in ("same", "very"):
            return None
        counted = self.stretch(at, step, index)
        if counted is not None:
            return counted
        if name in WEEKDAYS:
            if name in DOUBTFUL_WEEKDAYS and manner == "this" and name in ("sun", "sat") and not self.capital(at):
                return None
            if manner in ("past", "coming", "upcoming"):
                return Reading(weekday=WEEKDAYS[name], manner="past" if step < 0 else "coming"), at + 1
            if led_by_the and manner in ("last", "next") and self.word(at + 1) == "of":
                return None
            return Reading(weekday=WEEKDAYS[name], week=step), at + 1
        if name in MONTHS and not (name == "may" and word in ("this", "current")) and name not in ("mar", "sep", "dec"):
            if name == "march" and not self.capital(at) and word == "this":
                return None
            if self.year_after(at + 1) is not None:
                return None
            day = self.number_of_day(at + 1)
            month: Given = ("abs", MONTHS[name])
            if step == 0:
                reading = Reading(month=month, year=("rel", 0))
            else:
                reading = Reading(month=month, manner="last" if step < 0 else "next")
            if day is not None:
                return replace(reading, day=day[0]), day[1]
            return reading, at + 1
        if name in SEASONS and not (name in ("fall", "spring") and word in ("this", "following") and not self.season_fits(at)):
            season = SEASONS[name]
            if step == 0:
                return Reading(season=season, year=("rel", 0)), at + 1
            return Reading(season=season, manner="last" if step < 0 else "next"), at + 1
        if name in PARTS and name not in ("noon", "lunchtime", "eve"):
            return self.modified_part(name, word, step, at)
        feast = self.holiday_words(at)
        if feast is not None:
            key, label, after = feast
            if step == 0:
                return Reading(holiday=key, holiday_name=label, year=("rel", 0)), after
            return Reading(holiday=key, holiday_name=label, manner="last" if step < 0 else "next"), after
        return self.modified_unit(name, manner, step, at, led_by_the)

    def season_fits(self, index: int) -> bool:
        """Whether "this fall" / "this spring" is the season, and not a fall or a spring."""
        return self.word(index + 1) in FUNCTION_WORDS or not self.word(index + 1).isalpha()

    def modified_part(self, name: str, word: str, step: int, at: int) -> Parsed | None:
        """last night, this morning; "next morning" is told from somewhere else and left alone."""
        part = PARTS[name]
        if word == "last" or (word == "this" and step == 0):
            return Reading(shift=step, part=part), at + 1
        if word == "next" and part in ("evening", "night") and self.word(at - 2) != "the":
            return Reading(shift=1, part=part), at + 1
        return None

    def modified_unit(self, name: str, manner: str, step: int, at: int, led_by_the: bool) -> Parsed | None:
        """last week, this quarter, next decade, the past year."""
        after = at + 1
        if name in ("work", "working") and self.word(after) == "week":
            name, after = "workweek", after + 1
        elif name in ("calendar",) and self.word(after) == "year":
            name, after = "year", after + 1
        if manner in ("following", "past", "coming", "upcoming") and name in ("day", "minute"):
            return None
        match name:
            case "week" | "wk" | "workweek" | "weekend" | "wkend" | "month" | "year" | "yr" | "quarter":
                over = manner == "last" and self.word(at - 3) in ("in", "over", "for", "during", "within", "throughout")
                if (manner == "past" or over) and led_by_the and name in ("week", "month", "year"):
                    return Reading(stretch=Stretch("past", -1, amount(1, UNITS[name]))), after
                if name in ("weekend", "wkend") and manner in ("past", "coming", "upcoming"):
                    return Reading(weekend=True, manner="past" if step < 0 else "coming"), after
                if name == "workweek":
                    return Reading(week=step, half=None, through=Reading(week=step, weekday=4), weekday=0), after
                reading = self.stepped(name, step)
                if (
                    name in ("week", "wk")
                    and reading is not None
                    and self.word(after) in ("-", ",")
                    and self.word(after + 1) in WEEKDAYS
                ):
                    return replace(reading, weekday=WEEKDAYS[self.word(after + 1)]), after + 2
                return (reading, after) if reading is not None else None
            case "decade":
                if step == 0:
                    return None
                if step < 0:
                    return Reading(stretch=Stretch("past", -1, amount(1, "decade"))), after
                return Reading(stretch=Stretch("aligned", step, amount(1, "decade"))), after
            case "fortnight":
                return Reading(stretch=Stretch("past" if step < 0 else "next", step or 1, amount(2, "week"))), after
            case "hour" | "minute" if step and self.word(at - 2) != "a":
                if name == "minute" and manner == "last":
                    return None
                return Reading(stretch=Stretch("past" if step < 0 else "next", step, amount(1, UNITS[name]))), after
            case _:
                return None

    def current(self, index: int) -> Parsed | None:
        """for the day, for the month: the current one; the rest of the week: from today to its end."""
        start = index + 1 if self.word(index) == "the" else index
        if self.word(start) in ("rest", "remainder", "remaining") and self.word(start + 1) == "of":
            inner = self.expression_in(start + 2)
            if inner is None and self.word(start + 2) in ("the", "this") and self.word(start + 3) == "day":
                return Reading(shift=0), start + 4
            if inner is not None and inner[0].slots & {"week", "month", "year"} and not inner[0].absolute and not inner[0].edge:
                return replace(inner[0], edge="rest"), inner[1]
            return None
        if (
            self.word(index) == "the"
            and self.word(index - 1) == "for"
            and self.word(index + 2) not in ("of", "that", "when", "to", "in", "after", "before")
        ):
            unit = self.word(start)
            if self.word(index + 2).isalpha() and self.word(index + 2) not in FUNCTION_WORDS:
                return None
            if unit == "day":
                return Reading(shift=0), start + 1
            reading = self.stepped(unit, 0) if unit in ("week", "month", "year", "quarter") else None
            return (reading, start + 1) if reading is not None else None
        if self.words[index : index + 3] in (["year", "to", "date"], ["month", "to", "date"]) or (
            self.words[start : start + 3] in (["year", "to", "date"], ["month", "to", "date"])
        ):
            reading = self.stepped(self.word(start), 0)
            return (replace(reading, through=Reading(now=True)), start + 3) if reading is not None else None
        return None

    def edge(self, index: int) -> Parsed | None:
        """the end of next month, early next week, late last year, mid-July, earlier today, later this week, eod."""
        start = index + 1 if self.word(index) == "the" else index
        word = self.word(start)
        if word in EDGE_SHORT:
            unit = EDGE_SHORT[word]
            if unit == "day":
                return Reading(shift=0, edge="end"), start + 1
            reading = self.stepped(unit, 0)
            return (replace(reading, edge="end"), start + 1) if reading is not None else None
        edge: Edge | None = EDGES.get(word)
        if edge is None:
            return None
        at = start + 1
        if word in ("end", "start", "beginning", "begining", "middle", "close", "ending"):
            if self.word(at) != "of":
                return None
            at += 1
            if self.word(at) in ("day",) or (self.word(at) == "the" and self.word(at + 1) == "day"):
                at += self.word(at) == "the"
                led = self.word(start - 1) if self.word(start - 1) != "the" else self.word(start - 2)
                if edge != "end" or led == "at" or self.word(at + 1) == "of":
                    return None  # "at the end of the day" is a manner of speaking
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
            return (reading, after) if reading.shift is not None or reading.weekday is not None else None
        return replace(reading, edge=edge), after

    def vague(self, index: int) -> Parsed | None:
        """recently, the other day, just now, soon …"""
        if self.word(index) not in VAGUE_STARTS:
            return None
        for size in (5, 4, 3, 2, 1):
            key = tuple(self.words[index : index + size])
            if len(key) == size and key in VAGUE:
                break
        else:
            return None
        before, following = self.word(index - 1), self.word(index + size)
        if key == ("soon",) and (
            before in ("as", "too", "so", "how", "very", "pretty") or following in ("after", "as", "enough")
        ):
            return None
        if key == ("long", "ago") and before in ("how", "so", "too", "not"):
            return None
        if key == ("shortly",) and following in ("after", "before"):
            return None
        if key == ("of", "late") and following in ("night", "nights"):
            return None
        if key == ("other", "day") and before in ("every", "each", "any", "some", "no"):
            return None
        if key == ("the", "other", "day") and before == "on":
            return None
        if (
            key[0] == "in"
            and key[-1] in ("bit", "while")
            and english_evidence(self.lower, self.starts[index], self.ends[index + size - 1]) != "future"
        ):
            return None  # "haven't seen you in a while"
        return Reading(vague=VAGUE[key]), index + size  # type: ignore[arg-type]

    def now(self, index: int) -> Parsed | None:
        """now, right now, currently, at the moment …; not the "now" of "now that", "for now", "now and then"."""
        if self.word(index) not in NOW_STARTS:
            return None
        for size in (5, 4, 3, 2, 1):
            key = tuple(self.words[index : index + size])
            if len(key) == size and key in NOW:
                break
        else:
            return None
        before, following = self.word(index - 1), self.word(index + size)
        if key == ("now",) and (
            (before in ("for", "just", "day", "and", "even", "right", "now", "here", "know") and before != "and")
            or following in ("that", "now")
            or (following in ("and",) and self.word(index + 2) in ("then", "again"))
            or (following == "," and (index == 0 or before in (".", "!", "?")))
            or (index == 0 and following in ("let", "let's", "look", "listen", "this", "what", "who", "how"))
        ):
            return None
        return Reading(now=True), index + size

    def to_date(self, index: int) -> Parsed | None:
        """to date, till date: up to the reference."""
        if self.word(index) in ("to", "till") and self.word(index + 1) == "date" and self.word(index - 1) not in (
            "up", "want", "going", "used", "need", "how", "able", "like", "likes", "wants", "start", "started", "way",
        ) and self.word(index + 2) not in PRONOUNS:  # fmt: skip
            return Reading(until_now=True), index + 2
        return None
