"""English expressions: what they mean on Wednesday 2025-07-09, 10:15, in New York, and what is none."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from historian.text.time_expressions import find_relative, find_time_expressions

AT = datetime.fromisoformat("2025-07-09T10:15:00-04:00")

MEANING = [
    ("yesterday i fixed it", "yesterday", "2025-07-08"),
    ("see u tmrw", "tmrw", "2025-07-10"),
    ("2nite we ride", "2nite", "2025-07-09"),
    ("she lost it the day before the conversation", "the day before the conversation", "2025-07-08"),
    ("the day before yesterday it rained", "the day before yesterday", "2025-07-07"),
    ("dentist next wednesday", "next wednesday", "2025-07-16"),
    ("we launched last Thursday", "last Thursday", "2025-07-03"),
    ("I moved here two weeks ago", "two weeks ago", "2025-06-25"),
    ("here in 10 minutes", "in 10 minutes", "2025-07-09T10:25"),
    ("An hour and a half ago it died", "An hour and a half ago", "2025-07-09T08:45"),
    ("tomorrow at 5pm works", "tomorrow at 5pm", "2025-07-10T17:00"),
    ("I got home at 9:30 last night", "9:30 last night", "2025-07-08T21:30"),
    ("at 2 am last night", "2 am last night", "2025-07-09T02:00"),
    ("sick for the past three days", "the past three days", "2025-07-06..2025-07-08"),
    ("busy for the next 3 days", "the next 3 days", "2025-07-10..2025-07-12"),
    ("since Monday", "Monday", "2025-07-07"),
    ("due at the end of the month", "the end of the month", "2025-07-21..2025-07-31"),
    ("I'm flying on Friday", "Friday", "2025-07-11"),
    ("I ran on Sunday", "Sunday", "2025-07-06"),
    ("on Tuesday of last week he resigned", "Tuesday of last week", "2025-07-01"),
    ("two Saturdays ago", "two Saturdays ago", "2025-06-28"),
    ("last summer we hiked", "last summer", "2024-06-01..2024-08-31"),
    ("Last Christmas was fun", "Last Christmas", "2024-12-25"),
    ("this Thanksgiving we stay", "this Thanksgiving", "2025-11-27"),
    ("easter this year was late", "easter this year", "2025-04-20"),
    ("mother's day last year", "mother's day last year", "2024-05-12"),
    ("we met on May 5th", "May 5th", "2025-05-05"),
    ("it will be on september 12", "september 12", "2025-09-12"),
    ("They married in June", "June", "2025-06-01..2025-06-30"),
    ("between 3 and 12 of Sept we will be away", "3 and 12 of Sept", "2025-09-03..2025-09-12"),
    ("the 3rd of this month", "the 3rd of this month", "2025-07-03"),
    ("tomorrow from 2 to 4pm", "tomorrow from 2 to 4pm", "2025-07-10T14:00..2025-07-10T16:00"),
    ("from tomorrow until Thursday next week", "tomorrow until Thursday next week", "2025-07-10..2025-07-17"),
    ("the last Friday of this month", "the last Friday of this month", "2025-07-25"),
    ("last quarter was good", "last quarter", "2025-04-01..2025-06-30"),
    ("three days before Christmas I will leave", "three days before Christmas", "2025-12-22"),
    ("today's standup", "today", "2025-07-09"),
    ("meet me at 5pm", "5pm", "2025-07-09T17:00"),
    ("Christmas Eve will be quiet", "Christmas Eve", "2025-12-24"),
    ("late may bank holiday will be wet", "late may bank holiday", "2026-05-25"),
    ("sales in week 27 of last year", "week 27 of last year", "2024-07-01..2024-07-07"),
    ("WFH mon-wed next week", "mon-wed next week", "2025-07-14..2025-07-16"),
    ("he'll be back within the next day and 5 hours", "within the next day and 5 hours", "2025-07-09T10:15..2025-07-10T15:15"),
    ("away for 3 days from tomorrow", "3 days from tomorrow", "2025-07-10..2025-07-12"),
    ("be there at half past nine tomorrow", "half past nine tomorrow", "2025-07-10T09:30"),
]


@pytest.mark.parametrize(("text", "words", "days"), MEANING)
def test_an_expression_is_found_with_its_span_and_means_these_days(text: str, words: str, days: str) -> None:
    found = find_time_expressions(text, AT, "America/New_York")
    assert [item.text for item in found] == [words]
    assert text[found[0].start : found[0].end] == words
    first, _, last = days.partition("..")
    assert (found[0].value, found[0].until) == (first, last or first)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("she recently got a puppy", "recently"),
        ("lately I can't sleep", "lately"),
        ("just now someone rang", "just now"),
        ("he told me the other day", "the other day"),
        ("a couple of days ago I lost it", "a couple of days ago"),
        ("busy in the next few weeks", "the next few weeks"),
        ("a few months ago she moved", "a few months ago"),
    ],
)
def test_a_vague_expression_is_marked_and_anchored(text: str, words: str) -> None:
    found = find_time_expressions(text, AT, "America/New_York")
    assert [(item.text, item.vague) for item in found] == [(words, True)]
    assert found[0].value == found[0].until == "2025-07-09"


NOT_RELATIVE = [
    "Maybe we could go, may I ask?", "May said she would march", "yoga every Monday and on Saturdays", "I work Mondays",
    "we lived in Peru for two weeks", "he came second", "The sun was out and the cat sat down", "version 3.12.5",
    'my favourite song is "Yesterday"', "run `date --date=yesterday`", "On 2024-05-06 he moved, the next day he called",
    "the movie lasts three hours", "born on May 5, 1990", "Her birthday is on March 3rd", "I usually wake up at 7am",
    "https://example.com/today", "two tablets a day", "April loves her dog June", "the second of the two", "@tomorrow hi",
    "The Friday Night Funkin mod", "now that he's here", "now and then", "once in a while", "as soon as possible",
    "It's Tuesday",
    "at the end of the day, fine",
    "I haven't seen you in a while", "in the 1990s", "around 2026-02-21", "the week of 2026-02-16 to 2026-02-22",
    "the evening of 2026-02-20", "the few months before 2025-07-09", "at 17:00 on 2025-07-09", "Christmas 2024 (2024-12-25)",
    "the song of the week", "Tuesday and Thursday nights are full", "Friday is pizza night", "the Today Show", "on Mondays",
    "I ran 5 in a day", "open Mon-Fri, every week", "I work 5 days a week from home", "I love October", "an Easter egg",
    "the 3 days from 2026-02-18 to 2026-02-20", "in January 2026", "see you later", "every other day", "a two-week vacation",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_RELATIVE)
def test_what_only_looks_like_time_is_left_alone(text: str) -> None:
    assert find_relative(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I suggested watching Dune in three days and he agreed", "2026-02-23"),
        ("I invited her to the show on Sunday and she said yes", "2026-02-22"),
        ("He suggested that they had met on Wednesday", "2026-02-18"),
    ],
)
def test_what_was_proposed_lies_ahead_what_was_claimed_does_not(text: str, value: str) -> None:
    at = datetime(2026, 2, 20, 17, 30, tzinfo=ZoneInfo("Europe/London"))
    assert [found.value for found in find_time_expressions(text, at)] == [value]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the Saturday runs with Bob", "Saturday"),
        ("I work on Tuesday and Thursday", "Tuesday and Thursday"),
        ("two weeks later, he died", "two weeks later"),
        ("a few days later she called", "a few days later"),
        ("the store closes at 5pm", "5pm"),
        ("I leave on Monday and will be back on Thursday", "Thursday"),
        ("we meet Mon, Wed and Fri", "Mon, Wed and Fri"),
        ("back a week on Friday", "a week on Friday"),
        ("the Friday after Thanksgiving we shop", "the Friday after Thanksgiving"),
        ("it arrived the Friday before", "the Friday before"),
        ("it took more than two weeks from today", "more than two weeks from today"),
        ("a pre-Christmas party will be held", "Christmas"),
        ("wake me up at 6", "6"),
        ("two days later it opens", "two days later"),
        ("Tom left on the 3rd of May, back on the 2nd", "the 2nd"),
    ],
)
def test_what_its_words_do_not_decide_stays_whole_and_is_reported(text: str, words: str) -> None:
    assert words in [found[2] for found in find_relative(text)]
    assert words not in [found.text for found in find_time_expressions(text, AT, "America/New_York")]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("I'm flying out next Thursday, back on Sunday", ["2025-07-17", "2025-07-20"]),
        ("could do next Wednesday or Thursday", ["2025-07-16", "2025-07-17"]),
        ("we'll fly on 3 December and be back on the 7th", ["2025-12-03", "2025-12-07"]),
    ],
)
def test_a_bare_name_follows_the_day_that_was_named_before_it(text: str, days: list[str]) -> None:
    assert [found.value for found in find_time_expressions(text, AT, "America/New_York")] == days
