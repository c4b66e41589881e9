"""What holds for every text: spans, idempotence, quotations kept, speed of the import."""

import json
import re._constants as constants
import re._parser as parser
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from historian.text.time_expressions import find_relative, find_time_expressions, resolve_times
from historian.text.time_expressions.chinese import words as chinese_words
from hypothesis import given
from hypothesis import strategies as st

AT = datetime.fromisoformat("2026-02-21T15:30:00+08:00")

_WORDS = [
    "昨天",
    "今晚",
    "明早",
    "八点",
    "上周五",
    "周三",
    "下个月",
    "去年",
    "3月5号",
    "15号",
    "到",
    "至",
    "三天前",
    "半小时后",
    "最近",
    "刚才",
    "现在",
    "月底",
    "除夕",
    "今年春节",
    "了",
    "要",
    "我",
    "去",
    "的",
    "，",
    "。",
    "《",
    "》",
    "`",
    "“",
    "”",
    "2026-02-20",
    "前后",
    "晚上",
    "yesterday",
    "last",
    "week",
    "at",
    "5pm",
    "two",
    "days",
    "ago",
    "in",
    "10",
    "minutes",
    "on",
    "Friday",
    "the",
    "end",
    "of",
    "next",
    "month",
    "recently",
    "now",
    "was",
    "will",
    "and",
    "from",
    "to",
    "between",
    "the",
    "past",
    "three",
    "weeks",
    "'",
    '"',
    "-",
    "/",
    ":",
    "5",
    "12",
    "May",
    "March",
    "'s",
    "since",
    "after",
    "before",
    "Christmas",
]
_texts = st.one_of(
    st.lists(st.sampled_from(_WORDS), max_size=14).map("".join),
    st.lists(st.sampled_from(_WORDS), max_size=14).map(" ".join),
    st.text(max_size=60),
)
_references = st.datetimes(datetime(1950, 1, 1), datetime(2090, 12, 31), timezones=st.just(UTC))
_zones = st.sampled_from(
    ["UTC", "Asia/Shanghai", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe"]
)


@given(_texts, _references, _zones)
def test_spans_lie_in_the_text_and_never_overlap(text: str, reference: datetime, zone: str) -> None:
    end = 0
    for item in find_time_expressions(text, reference, zone):
        assert end <= item.start < item.end <= len(text)
        assert text[item.start : item.end] == item.text
        assert item.value is not None and item.until is not None and item.value <= item.until
        end = item.end


@given(_texts, _references, _zones)
def test_resolving_twice_changes_nothing(text: str, reference: datetime, zone: str) -> None:
    once, _ = resolve_times(text, reference, zone)
    assert resolve_times(once, reference, zone)[0] == once


@given(_texts, _references)
def test_everything_resolved_is_seen_by_the_gate_too(text: str, reference: datetime) -> None:
    spans = {(start, end) for start, end, _ in find_relative(text)}
    assert {
        (item.start, item.end) for item in find_time_expressions(text, reference, "UTC")
    } <= spans


@given(st.lists(st.sampled_from(_WORDS[:30]), max_size=8).map("".join), _references)
def test_what_is_quoted_is_kept_byte_for_byte(text: str, reference: datetime) -> None:
    inner = "".join(char for char in text if char not in "《》`“”'\"")
    for left, right in (("《", "》"), ("“", "”"), ("`", "`")):
        quoted = f"昨天说{left}x{inner}{right}"
        assert f"{left}x{inner}{right}" in resolve_times(quoted, reference, "Asia/Shanghai")[0]


def _first_characters(items: Any) -> tuple[set[str], bool]:
    """The characters a parsed pattern can begin with, and whether it may match nothing."""
    found: set[str] = set()
    for operator, argument in items:
        characters, empty = set[str](), False
        if operator in (constants.AT, constants.ASSERT, constants.ASSERT_NOT):
            empty = True
        elif operator is constants.LITERAL:
            characters = {chr(argument)}
        elif operator is constants.IN:
            for kind, value in argument:
                if kind is constants.LITERAL:
                    characters.add(chr(value))
                elif kind is constants.RANGE:
                    characters |= {chr(code) for code in range(value[0], value[1] + 1)}
                else:
                    characters |= set("0123456789")
        elif operator is constants.BRANCH:
            for branch in argument[1]:
                more, nothing = _first_characters(branch)
                characters, empty = characters | more, empty or nothing
        elif operator is constants.SUBPATTERN:
            characters, empty = _first_characters(argument[3])
        else:
            characters, empty = _first_characters(argument[2])
            empty = empty or argument[0] == 0
        found |= characters
        if not empty:
            return found, False
    return found, True


def test_the_quick_look_knows_every_character_a_chinese_word_of_time_begins_with() -> None:
    for name, pattern in chinese_words.PATTERNS.items():
        characters, empty = _first_characters(parser.parse(pattern))
        assert not empty, f"{name} can match nothing"
        assert characters <= set(chinese_words.STARTS), (
            f"{name}: {''.join(characters - set(chinese_words.STARTS))}"
        )


def test_importing_takes_neither_calendar_tables_nor_pydantic_and_little_time() -> None:
    code = (
        "import sys, time; t = time.process_time(); import historian.text.rewriting.absolutize; "
        "print(time.process_time() - t, bool({'lunar_python', 'pydantic'} & sys.modules.keys()))"
    )
    seconds, heavy = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert heavy == "False"
    assert float(seconds) < 1.0  # measured 0.1 s; a busy machine is given room


_UNSEEN = Path(__file__).parents[3] / "data" / "time_unseen.jsonl"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_sentences_labelled_before_the_code_was_written_are_right(language: str) -> None:
    """At least 97 of 100 sentences: everything labelled found with its days, and nothing else found."""
    cases = [json.loads(line) for line in _UNSEEN.read_text(encoding="utf-8").splitlines()]
    cases = [case for case in cases if case["language"] == language]
    wrong = []
    for case in cases:
        found = find_time_expressions(
            case["text"], datetime.fromisoformat(case["reference"]), case["timezone"]
        )
        got = ["vague" if item.vague else f"{item.value}..{item.until}" for item in found]
        want = [
            "vague" if item.get("vague") else f"{item['value']}..{item['until']}"
            for item in case["expected"]
        ]
        if got != want:
            wrong.append((case["text"], want, got))
    assert len(cases) >= 100
    assert len(wrong) <= 0.03 * len(cases), wrong
