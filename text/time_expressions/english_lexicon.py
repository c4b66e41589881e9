"""The English words of time: units, weekdays, months, feasts, parts of the day, as chatters write them."""

from __future__ import annotations

from .reading import Edge, Part, Unit

UNITS: dict[str, Unit] = {
    "minute": "minute", "minutes": "minute", "min": "minute", "mins": "minute", "hour": "hour", "hours": "hour",
    "hr": "hour", "hrs": "hour", "h": "hour", "day": "day", "days": "day", "night": "day", "nights": "day",
    "week": "week", "weeks": "week", "wk": "week", "wks": "week", "weekend": "weekend", "weekends": "weekend",
    "month": "month", "months": "month", "quarter": "quarter", "quarters": "quarter", "year": "year",
    "years": "year", "yr": "year", "yrs": "year", "decade": "decade", "decades": "decade",
    "days'": "day", "weeks'": "week", "months'": "month", "years'": "year", "hours'": "hour", "minutes'": "minute",
}  # fmt: skip
"""Words that count time. "fortnight" is two weeks, "century" a hundred years, "second" a sixtieth: see `length`."""

DAYS: dict[str, int] = {
    "today": 0, "2day": 0, "tday": 0, "tomorrow": 1, "tmrw": 1, "tmr": 1, "tmw": 1, "tmoro": 1, "tomoz": 1,
    "tomorow": 1, "tommorow": 1, "tommorrow": 1, "tomo": 1, "2moro": 1, "2morrow": 1, "2mrw": 1, "2mro": 1,
    "overmorrow": 2, "yesterday": -1, "yday": -1, "yest": -1, "ystd": -1, "yesterdays": -1, "yesteday": -1,
}  # fmt: skip
TONIGHT = frozenset(["tonight", "tonite", "2nite", "2night", "tonights", "2nyt", "tonyt"])

WEEKDAYS: dict[str, int] = {
    "monday": 0, "mon": 0, "tuesday": 1, "tue": 1, "tues": 1, "wednesday": 2, "wed": 2, "weds": 2, "thursday": 3,
    "thu": 3, "thur": 3, "thurs": 3, "friday": 4, "fri": 4, "saturday": 5, "sat": 5, "sunday": 6, "sun": 6,
}  # fmt: skip
DOUBTFUL_WEEKDAYS = frozenset({"sat", "sun", "wed", "mon"})
"""Abbreviations that are words or names of their own: taken only where the place is one for a day."""

MONTHS: dict[str, int] = {
    "january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4, "may": 5, "june": 6,
    "jun": 6, "july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sep": 9, "sept": 9, "october": 10,
    "oct": 10, "november": 11, "nov": 11, "december": 12, "dec": 12,
}  # fmt: skip
PLAIN_MONTHS = frozenset(["january", "february", "july", "september", "october", "november", "december"])
"""Months that are neither a verb nor a common name, so that they may stand alone."""

SEASONS: dict[str, str] = {"spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn",
                           "winter": "winter"}  # fmt: skip
PARTS: dict[str, Part] = {"morning": "morning", "mornin": "morning", "afternoon": "afternoon", "arvo": "afternoon",
                          "evening": "evening", "eve": "evening", "night": "night", "nite": "night",
                          "noon": "noon", "lunchtime": "noon"}  # fmt: skip

MODIFIERS: dict[str, int] = {"this": 0, "last": -1, "next": 1, "past": -1, "previous": -1, "coming": 1, "upcoming": 1,
                             "following": 1, "current": 0, "nxt": 1}  # fmt: skip

HOLIDAYS: dict[tuple[str, ...], tuple[str, str]] = {
    ("christmas", "eve"): ("christmas_eve", "Christmas Eve"), ("xmas", "eve"): ("christmas_eve", "Christmas Eve"),
    ("christmas", "day"): ("christmas", "Christmas Day"), ("christmas",): ("christmas", "Christmas"),
    ("xmas", "day"): ("christmas", "Christmas Day"), ("xmas",): ("christmas", "Christmas"),
    ("new", "year's", "eve"): ("new_year_eve", "New Year's Eve"), ("new", "years", "eve"): ("new_year_eve", "New Year's Eve"),
    ("nye",): ("new_year_eve", "New Year's Eve"), ("new", "year's", "day"): ("new_year", "New Year's Day"),
    ("new", "years", "day"): ("new_year", "New Year's Day"), ("new", "year", "day"): ("new_year", "New Year's Day"),
    ("new", "year's"): ("new_year", "New Year's Day"), ("new", "years"): ("new_year", "New Year's Day"),
    ("new", "year"): ("new_year", "New Year"),
    ("chinese", "new", "year"): ("spring", "Chinese New Year"), ("lunar", "new", "year"): ("spring", "Lunar New Year"),
    ("spring", "festival"): ("spring", "the Spring Festival of"), ("lantern", "festival"): ("lantern", "the Lantern Festival of"),
    ("dragon", "boat", "festival"): ("dragon_boat", "the Dragon Boat Festival of"),
    ("mid", "-", "autumn", "festival"): ("mid_autumn", "the Mid-Autumn Festival of"),
    ("mid", "autumn", "festival"): ("mid_autumn", "the Mid-Autumn Festival of"),
    ("halloween",): ("halloween", "Halloween"), ("thanksgiving", "day"): ("thanksgiving", "Thanksgiving Day"),
    ("thanksgiving",): ("thanksgiving", "Thanksgiving"), ("black", "friday"): ("black_friday", "Black Friday"),
    ("cyber", "monday"): ("cyber_monday", "Cyber Monday"), ("easter", "sunday"): ("easter", "Easter Sunday"),
    ("easter", "monday"): ("easter_monday", "Easter Monday"), ("easter",): ("easter", "Easter"),
    ("good", "friday"): ("good_friday", "Good Friday"), ("boxing", "day"): ("boxing", "Boxing Day"),
    ("valentine's", "day"): ("valentine", "Valentine's Day"), ("valentines", "day"): ("valentine", "Valentine's Day"),
    ("valentine's",): ("valentine", "Valentine's Day"), ("valentines",): ("valentine", "Valentine's Day"),
    ("mother's", "day"): ("mothers", "Mother's Day"), ("mothers", "day"): ("mothers", "Mother's Day"),
    ("father's", "day"): ("fathers", "Father's Day"), ("fathers", "day"): ("fathers", "Father's Day"),
    ("labor", "day"): ("labor", "Labor Day"), ("labour", "day"): ("labour", "Labour Day"),
    ("may", "day"): ("labour", "May Day"), ("memorial", "day"): ("memorial", "Memorial Day"),
    ("independence", "day"): ("independence", "Independence Day"), ("veterans", "day"): ("veterans", "Veterans Day"),
    ("veteran's", "day"): ("veterans", "Veterans Day"), ("columbus", "day"): ("columbus", "Columbus Day"),
    ("presidents", "day"): ("presidents", "Presidents' Day"), ("president's", "day"): ("presidents", "Presidents' Day"),
    ("mlk", "day"): ("mlk", "MLK Day"), ("juneteenth",): ("juneteenth", "Juneteenth"),
    ("earth", "day"): ("earth_day", "Earth Day"), ("women's", "day"): ("women", "Women's Day"),
    ("children's", "day"): ("children", "Children's Day"), ("teachers", "day"): ("teachers", "Teachers' Day"),
    ("april", "fools", "day"): ("fools", "April Fools' Day"), ("april", "fools"): ("fools", "April Fools' Day"),
    ("april", "fool's", "day"): ("fools", "April Fools' Day"), ("bonfire", "night"): ("guy_fawkes", "Bonfire Night"),
    ("st", "patrick's", "day"): ("patrick", "St Patrick's Day"), ("st", ".", "patrick's", "day"): ("patrick", "St Patrick's Day"),
    ("singles", "day"): ("singles", "Singles' Day"),
}  # fmt: skip
HOLIDAY_STARTS = frozenset(words[0] for words in HOLIDAYS)

EDGES: dict[str, Edge] = {
    "end": "end", "ending": "end", "close": "end", "start": "start", "beginning": "start", "begining": "start",
    "middle": "middle", "mid": "middle", "early": "start", "late": "end", "earlier": "earlier", "later": "later",
}  # fmt: skip
EDGE_SHORT: dict[str, str] = {"eod": "day", "eow": "week", "eom": "month", "eoy": "year"}

VAGUE: dict[tuple[str, ...], str] = {
    ("recently",): "past", ("lately",): "past", ("just", "now"): "past", ("the", "other", "day"): "past",
    ("the", "other", "night"): "past", ("the", "other", "week"): "past", ("other", "day"): "past",
    ("a", "while", "ago"): "past", ("a", "while", "back"): "past", ("a", "moment", "ago"): "past",
    ("moments", "ago"): "past", ("not", "long", "ago"): "past", ("not", "so", "long", "ago"): "past",
    ("a", "little", "while", "ago"): "past", ("a", "bit", "ago"): "past", ("a", "short", "while", "ago"): "past",
    ("not", "too", "long", "ago"): "past", ("long", "ago"): "past",
    ("a", "long", "time", "ago"): "past", ("some", "time", "ago"): "past",
    ("ages", "ago"): "past", ("a", "sec", "ago"): "past", ("a", "second", "ago"): "past",
    ("these", "days"): "now", ("nowadays",): "now", ("these", "past", "few", "days"): "past",
    ("as", "of", "late"): "past", ("of", "late"): "past", ("one", "of", "these", "days"): "future",
    ("soon",): "future", ("in", "a", "bit"): "future", ("in", "a", "while"): "future", ("in", "a", "moment"): "future",
    ("in", "a", "sec"): "future", ("in", "a", "second"): "future", ("in", "a", "little", "while"): "future",
    ("in", "no", "time"): "future", ("before", "long"): "future", ("any", "day", "now"): "future",
    ("in", "the", "near", "future"): "future", ("in", "recent", "days"): "past", ("in", "recent", "weeks"): "past",
    ("in", "recent", "months"): "past", ("in", "recent", "years"): "past", ("shortly",): "future",
}  # fmt: skip
VAGUE_STARTS = frozenset(words[0] for words in VAGUE)

NOW: dict[tuple[str, ...], bool] = {
    ("right", "now"): True, ("now",): True, ("currently",): True, ("at", "the", "moment"): True, ("rn",): True,
    ("at", "present"): True, ("at", "the", "present", "time"): True, ("at", "this", "time"): True,
    ("presently",): True, ("at", "the", "minute"): True, ("at", "this", "moment"): True, ("atm",): True,
    ("as", "of", "now"): True, ("at", "this", "point", "in", "time"): True,
}  # fmt: skip
NOW_STARTS = frozenset(words[0] for words in NOW)

# fmt: off
DATE_PREPOSITIONS = frozenset(
    [
        "on", "in", "by", "since", "until", "til", "till", "before", "after", "from", "during", "through",
        "throughout", "around", "about", "of", "early", "late", "mid", "this", "last", "next",
    ]
)
# fmt: on

# fmt: off
PRONOUNS = frozenset(
    [
        "i", "you", "he", "she", "we", "they", "it", "there", "my", "our", "his", "her", "their", "the", "a", "an",
        "this", "that",
    ]
)
# fmt: on
# fmt: off
FUNCTION_WORDS = (
    frozenset(
        [
        "and", "or", "but", "so", "at", "on", "in", "by", "for", "with", "to", "from", "of", "is", "was", "were",
        "are", "will", "would", "did", "do", "does", "has", "have", "had", "because", "if", "when", "while", "then",
        "since", "until", "till", "before", "after", "as", "about", "around", "not", "also", "again", "already",
        "too", "please", "can", "could", "should", "than", "through", "during", "over", "under", "went", "came",
        "got", "became", "began",
    ]
    )
    | PRONOUNS
)
# fmt: on
"""Words that go on after an expression; a noun in their place would make "Easter" a part of "Easter eggs"."""
