"""Rendering of resolved expressions as text that fits into the sentence.

Chinese: `2026-02-20`, `2026-02-20 晚上`, `2026-02-20 08:00`, `2026年1月`, `2026-02-14至2026-02-15`, `2026年2月底`,
`2026年春节（2026-02-17）`, vague ones `2026-02-21前后`. Counts of months or years keep their granularity: 三年前
becomes `2023年`, not a day.

English: the same dates, with the preposition the sentence needs: "last month I quit" becomes "in June 2025 I quit", and
"since last month" becomes "since June 2025"; vague ones `around 2026-02-21`.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from ..borders import in_word
from ..word_lists import compiled_patterns, word_list, word_tables
from .calendar import week_days
from .named_days import Resolved
from .reading import Clock, Reading

_TABLES = word_tables("time_expressions/rendering.toml")
_PATTERNS = compiled_patterns(_TABLES)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_PART_EN = {"dawn": "early morning", "midnight": "night"}
_COARSE = ("week", "month", "quarter", "year", "decade", "weekend")


def iso(moment: date) -> str:
    """Return a day as "2026-02-20" and a minute as "2026-02-20T17:05"."""
    if isinstance(moment, datetime):
        return moment.strftime("%Y-%m-%dT%H:%M") if moment.year >= 1000 else moment.isoformat(timespec="minutes")
    return moment.isoformat()


def _day(moment: date) -> str:
    return iso(moment)[:10]


def _clock(moment: date) -> str:
    return iso(moment)[11:16]


def _coarse(reading: Reading) -> str:
    """Return the unit of an offset if it is coarser than a day and nothing finer is given (三年前); otherwise ""."""
    said = reading.offset
    if said is None or said.amount.minutes or reading.weekday is not None or reading.part is not None:
        return ""
    if said.base is not None or said.amount.unit not in _COARSE or (said.amount.unit == "month" and said.amount.days):
        return ""
    return "month" if said.amount.unit == "year" and said.amount.months % 12 else said.amount.unit


# ---------------------------------------------------------------------------------------------------------- Chinese


def chinese(reading: Reading, resolved: Resolved, text: str, start: int, end: int) -> str:
    """Return the Chinese form, with spaces where it would touch a digit or a Latin letter."""
    body = _chinese(reading, resolved, text[start:end])
    lasting = reading.now is not None and reading.through is None and _LASTING.match(text, end)
    if lasting and text[start - 1 : start] not in _BEFORE_A_NOUN:
        body = f"截至{body}"
    return _spaced(body, text, start, end)


_LASTING = _PATTERNS["lasting"]
"""Lasting states and habits: 现在住在杭州 is rendered as true up to that day (截至), not as an event of that day."""
_BEFORE_A_NOUN = frozenset("到从至于比像和跟与是")


def _spaced(body: str, text: str, start: int, end: int) -> str:
    """Return `body`, which replaces text[start:end], with a space where it would fuse with its neighbour."""
    before = " " if start and _fuses(text[start - 1], body[0]) else ""
    return before + body + (" " if end < len(text) and _fuses(body[-1], text[end]) else "")


def _fuses(left: str, right: str) -> bool:
    """Return True if two adjacent characters would read as one word, or a quotation mark as an apostrophe."""
    left_word, right_word = in_word(left), in_word(right)
    return (left_word and (right_word or right in "'\"")) or (left in "'\"" and right_word)


_SOME_SINCE = re.compile(r"the other (?:(?P<week>week(?:end)?)|day|night|morning|evening|afternoon)$")
_FROM_THEN_ON = re.compile(r"one of these days$|in the near future$|再?过一?(?:阵|段|些)|不久(?:之|以)?后|改[天日]|回头")
_LONG_SINCE = _PATTERNS["long_since"]
"""What lies some weeks or years back, not around the day when it is told."""


def _chinese(reading: Reading, resolved: Resolved, said: str) -> str:
    first, last = resolved.first, resolved.last
    if reading.vague is not None:
        if said[-1] in "次回":
            return f"{_day(first)}之{'前那' + said[-1] if reading.vague == 'past' else '后'}"
        if reading.vague_amount is not None and re.search("[月年周星礼天日]|久", reading.vague_amount):
            return f"{_day(first)}的{reading.vague_amount}"
        few = re.match("(前|再?过)([几幾两兩些][个個]?(?:[天日月周年週]|星期|礼拜|小时))", said)
        if few is not None and (few[1] != "前" or few[2][-1] != "年"):
            return f"{_day(first)}之{'前的' if few[1] == '前' else '后'}几{few[2][1:]}"
        if "年" in said:
            where = {"past": "之前的几年", "now": "前后", "future": "之后的几年"}[reading.vague]
            return f"{first.year}年{where}"
        if _FROM_THEN_ON.match(said):
            return f"{_day(first)}之后的一段时间"
        return f"{_day(first)}{'之前的一段时间' if _LONG_SINCE.match(said) else '前后'}"
    if reading.until_now is not None:
        return f"至{_day(first)}"
    if resolved.granularity == "minute":
        return _chinese_minutes(reading, resolved, said)
    if reading.through is not None:
        return f"{_day(first)}至{_day(last)}"
    approximate = "前后" if reading.offset is not None and reading.offset.approximate else ""
    match _coarse(reading):
        case "year" | "decade":
            return f"{first.year}年{approximate}"
        case "month" | "quarter":
            return f"{first.year}年{first.month}月{approximate}"
        case "week":
            return f"{_day(first)}前后"
    if reading.edge_name and resolved.granularity == "range" and reading.week is None and reading.ordinal is None:
        if reading.month is not None:
            return f"{first.year}年{first.month}月{reading.edge_name}"
        if reading.year is not None and reading.half is None and reading.quarter is None:
            return f"{first.year}年{reading.edge_name}"
    if reading.holiday_name is not None and resolved.granularity in ("day", "part"):
        part = f" {reading.part_name}" if reading.part_name else ""
        name = re.sub("^(?:农历|阴历|旧历)的?", "", reading.holiday_name)
        name = f"农历{name}" if reading.lunar is not None and not name.startswith("大") else name
        return f"{first.year}年{name}（{_day(first)}）{part}".strip()
    match resolved.granularity:
        case "part":
            return f"{_day(first)} {reading.part_name}"
        case "month":
            return f"{first.year}年{first.month}月"
        case "year":
            return f"{first.year}年"
        case "season":
            name = reading.season_name or ""
            return f"{first.year}年{name}天" if len(name) == 1 else f"{first.year}年{name}"
        case "half" if reading.half is not None and reading.half[1] in ("year", "rolling"):
            return f"{first.year}年{'上' if first.month == 1 else '下'}半年"
        case "quarter":
            return f"{first.year}年第{(first.month + 2) // 3}季度"
        case "decade":
            return f"{first.year}年代" if last.year - first.year == 9 else f"{first.year}年至{last.year}年"
    if reading.stretch is not None and reading.stretch.direction == "within":
        return f"{_day(first)}至{_day(last)}内"
    return _day(first) if first == last else f"{_day(first)}至{_day(last)}"


def _chinese_minutes(reading: Reading, resolved: Resolved, said: str) -> str:
    first, last = resolved.first, resolved.last
    if reading.stretch is not None and reading.stretch.direction == "remaining":
        return f"截至{_day(first)} {_clock(first)}{said}"
    if resolved.is_open and reading.clock is not None:
        until = f"至{_said_clock(reading.clock_until, said, 'zh')}" if reading.clock_until is not None else ""
        return f"{_day(first)} {_said_clock(reading.clock, said, 'zh')}{until}"
    begin = f"{_day(first)} {_clock(first)}"
    if first == last:
        return begin + ("前后" if reading.offset is not None and reading.offset.approximate else "")
    return f"{begin}至{_clock(last)}" if _day(first) == _day(last) else f"{begin}至{_day(last)} {_clock(last)}"


def _said_clock(clock: Clock, said: str, language: str) -> str:
    """Return a clock time with an ambiguous half of the day as in the text: 8点半, 8:30, "8"."""
    if ":" in said or "：" in said or (language == "en" and clock.minute):
        return f"{clock.hour}:{clock.minute:02d}"
    if language == "en":
        return f"{clock.hour} o'clock" if "clock" in said else str(clock.hour)
    minutes = "半" if clock.minute == 30 else f"{clock.minute:02d}分" if clock.minute else ""
    return f"{clock.hour}点{minutes}"


# ---------------------------------------------------------------------------------------------------------- English

_PREPOSITIONS = word_list(_TABLES["words"]["prepositions"])
_AUXILIARIES = word_list(_TABLES["words"]["auxiliaries"])
_JOINED_TO_TIME = _PATTERNS["joined_to_time"]
_BE_OR_HAVE = word_list(_TABLES["words"]["be_or_have"])
_TAKE_A_TIME = word_list("spend spends spent spending waste wasted wasting")
_TAKE_A_DAY = word_list(_TABLES["words"]["take_a_day"])
"""Verbs with a time for their object: "spent last Christmas in Rome", "took Monday off"."""
_AFTER_ADVERBIAL = _AUXILIARIES | word_list("and but or so") | {""}
_PARTICLE = re.compile(r"\b(?:(?P<verb>[a-z]{2,9}) (?:in|on|over|round|around|through)|(?P<by>[a-z]{2,9}) by) $", re.IGNORECASE)
_WITH_PARTICLE = word_list(_TABLES["words"]["with_particle"])
_WITH_BY = word_list(_TABLES["words"]["with_by"])
_ALONE = re.compile(r"(?:yesterday|today|tomorrow|tonight|last|next|this)\b", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([A-Za-z'’]+|-)\s*$")
_WORD_AFTER = re.compile(r"\s*([A-Za-z'’]+)")


def english(reading: Reading, resolved: Resolved, text: str, start: int, end: int) -> str:
    """Return the English form, with a preposition if the expression is an adverbial without one."""
    before = _WORD_BEFORE.search(text, max(0, start - 24), start)
    previous = before.group(1).lower().replace("’", "'") if before else ""
    after = _WORD_AFTER.match(text, end)
    following = after.group(1).lower().replace("’", "'") if after else ""
    leads = start == 0 or text[:start].rstrip()[-1:] in ("", ".", "!", "?", "\n", ";", ",", ":", "-", "(", "—")
    owns = following == "'s" or text[end : end + 2] in ("'s", "’s")
    joined = previous in ("and", "or") and _JOINED_TO_TIME.search(text, max(0, start - 40), start) is not None
    object_of = previous in _TAKE_A_TIME and following not in _AFTER_ADVERBIAL
    object_of = object_of or (previous in _TAKE_A_DAY and (reading.holiday is not None or following == "off"))
    led = previous in _PREPOSITIONS and not _is_particle(text, start)
    noun = led or joined or owns or object_of or previous == "all" or ((leads or reading.holiday) and following in _AUXILIARIES)
    preposition, body = _english(reading, resolved, previous, text[start:end])
    if not noun and preposition:
        body = f"{preposition} {body}"
    if following and previous in _BE_OR_HAVE and (reading.now is not None or reading.vague is not None):
        body = f"({body})"  # "is currently writing": a parenthesis, because no adverbial may stand between the two
    if text[start].isupper() and leads and (start == 0 or text[:start].rstrip()[-1:] not in ("", ",")):
        body = body[0].upper() + body[1:]
    return _spaced(body, text, start, end if text[end : end + 2] != "'s" else len(text))


def _is_particle(text: str, start: int) -> bool:
    """Return True if the word before an expression that needs none belongs to the verb: "moved in last month"."""
    match = _PARTICLE.search(text, max(0, start - 24), start) if _ALONE.match(text, start) else None
    if match is None:
        return False
    return match["by"].lower() in _WITH_BY if match["by"] else match["verb"].lower() in _WITH_PARTICLE


def _english(reading: Reading, resolved: Resolved, previous: str, said: str) -> tuple[str, str]:
    """Return the preposition of the adverbial and the noun phrase."""
    first, last = resolved.first, resolved.last
    day = _day(first)
    the = "" if previous in ("the", "this", "that") else "the "
    if reading.vague is not None:
        if reading.vague_amount is not None:
            about, exact = re.subn(" or so$", "", reading.vague_amount)
            return "", f"{'about ' * exact}{about} {'after' if reading.vague == 'future' else 'before'} {day}"
        if reading.vague == "future" and said.lower() in ("soon", "shortly", "before long") and previous not in _PREPOSITIONS:
            return "", f"soon after {day}"
        if _LONG_SINCE.match(said.lower()):
            return "", f"some time before {day}"
        if _FROM_THEN_ON.match(said.lower()):
            return "", f"some time after {day}"
        some = _SOME_SINCE.match(said.lower())
        if some is not None:
            return "", f"some {'weeks' if some['week'] else 'days'} before {day}"
        return "", day if previous in ("around", "about") else f"around {day}"
    if reading.until_now is not None:
        return "", f"up to {day}"
    if reading.now is not None and reading.through is None:
        return "as of", day
    if resolved.granularity == "minute":
        return _english_minutes(reading, resolved, previous, said)
    if reading.through is not None:
        return ("", f"{day} to {_day(last)}") if previous == "from" else _between(previous, day, _day(last))
    if reading.bound is not None:
        return "", f"{reading.bound} {day}"
    match _coarse(reading):
        case "year" | "decade":
            return "in", str(first.year)
        case "month" | "quarter":
            return "in", f"{_MONTHS[first.month - 1]} {first.year}"
        case "week":
            return "", f"around {day}" if previous != "around" else day
    if reading.offset is not None and reading.offset.approximate:
        return "", f"around {day}" if previous != "around" else day
    if reading.stretch is not None and not reading.stretch.amount.simple:
        return _between(previous, day, _day(last))
    if reading.stretch is not None and reading.stretch.direction != "within":
        count, unit = reading.stretch.amount.count, reading.stretch.amount.unit
        number = f"{count:g} " if count != 1 else ""
        name = "working day" if unit == "workday" else unit
        return "over", f"{the}{number}{name}{'s' if count != 1 else ''} from {day} to {_day(last)}"
    if reading.stretch is not None:
        return "", f"between {day} and {_day(last)}"
    if reading.edge is not None:
        return _english_edge(reading, resolved, the)
    if reading.holiday_name is not None and resolved.granularity in ("day", "part"):
        part = f"the {_PART_EN.get(reading.part, reading.part)} of " if reading.part is not None else ""
        return "on", f"{part}{reading.holiday_name} {first.year} ({day})"
    match resolved.granularity:
        case "part":
            word = _PART_EN.get(reading.part or "", reading.part or "evening")
            return ("at", f"noon on {day}") if word == "noon" else ("on", f"{the}{word} of {day}")
        case "month":
            return "in", f"{_MONTHS[first.month - 1]} {first.year}"
        case "year":
            return "in", str(first.year)
        case "season":
            return "in", f"{the}{reading.season} of {first.year}"
        case "half":
            of_month = reading.half is not None and reading.half[1] == "month"
            which = "first" if (first.day if of_month else first.month) == 1 else "second"
            return "in", f"{the}{which} half of {f'{_MONTHS[first.month - 1]} ' * of_month}{first.year}"
        case "quarter":
            return "in", f"Q{(first.month + 2) // 3} {first.year}"
        case "decade":
            return "in", f"{the}{first.year}s"
        case "week":
            return "in", f"{the}week of {day} to {_day(last)}"
        case "weekend":
            return "on", f"{the}weekend of {day} to {_day(last)}"
    return ("on", day) if first == last else _between(previous, day, _day(last))


def _between(previous: str, first: str, last: str) -> tuple[str, str]:
    return ("", f"{first} and {last}") if previous == "between" else ("from", f"{first} to {last}")


_EDGE_EN = {"start": "the beginning of", "middle": "the middle of", "end": "the end of"}


def _english_edge(reading: Reading, resolved: Resolved, the: str) -> tuple[str, str]:
    first, last = resolved.first, resolved.last
    if reading.ordinal is not None:
        return "from", f"{_day(first)} to {_day(last)}"
    if first == last and reading.month is None and reading.year is None and reading.week is None:
        if reading.edge in ("earlier", "later"):
            return "", f"{reading.edge} on {_day(first)}"
        return "at", f"{_EDGE_EN[reading.edge or 'end']} {_day(first)}"
    if reading.week is not None:
        monday, sunday = week_days(first)
        unit = f"the week of {monday} to {sunday}"
    elif reading.month is not None:
        unit = f"{_MONTHS[first.month - 1]} {first.year}"
    elif reading.quarter is not None:
        unit = f"Q{(first.month + 2) // 3} {first.year}"
    elif reading.season is not None:
        unit = f"the {reading.season} of {first.year}"
    elif reading.half is not None:
        return "from", f"{_day(first)} to {_day(last)}"
    else:
        unit = str(first.year)
    if reading.edge in ("earlier", "later"):
        return "", f"{reading.edge} in {unit}"
    if reading.edge == "rest":
        return "from", f"{_day(first)} to {_day(last)}"
    phrase = _EDGE_EN[reading.edge or "end"]
    return "at" if reading.edge != "middle" else "in", f"{phrase if the else phrase[4:]} {unit}"


def _english_minutes(reading: Reading, resolved: Resolved, previous: str, said: str) -> tuple[str, str]:
    first, last = resolved.first, resolved.last
    day = _day(first)
    begin, end = _clock(first), _clock(last)
    if resolved.is_open and reading.clock is not None:
        begin = _said_clock(reading.clock, said, "en")
        end = _said_clock(reading.clock_until, said, "en") if reading.clock_until is not None else begin
    if first != last:
        if _day(last) != day:
            return "from", f"{begin} on {day} {'and' if previous == 'between' else 'to'} {end} on {_day(last)}"
        if previous == "on":
            return "", f"{day} from {begin} to {end}"
        return "from", f"{begin} {'and' if previous == 'between' else 'to'} {end} on {day}"
    if previous == "on":
        return "", f"{day} {'from' if ' from ' in said.lower() else 'at'} {begin}"
    approximate = reading.offset is not None and reading.offset.approximate
    return ("around" if approximate else "at"), f"{begin} on {day}"
