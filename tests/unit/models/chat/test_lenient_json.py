"""JSON found in what models write."""

from __future__ import annotations

import json
from typing import Any

import pytest
from historian.models.chat.lenient_json import CutOff, NotJson, find_json, parse_lenient
from hypothesis import given, settings
from hypothesis import strategies as st

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), values, max_size=5), st.booleans())
def test_all_json_is_read_as_json_reads_it(value: dict[str, Any], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert parse_lenient(text) == value
    assert find_json(f"Here you are:\n```json\n{text}\n```\nDone.").objects == [value]


@given(st.dictionaries(st.text(min_size=1), values, min_size=1, max_size=3), st.data())
def test_nothing_cut_off_is_accepted(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    found = find_json(text[: data.draw(st.integers(1, len(text) - 1))])
    assert found.objects == []


@given(st.text(max_size=300))
@settings(max_examples=300)
def test_no_text_breaks_the_search(text: str) -> None:
    find_json(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'texts': ['it is', \"so\"],}", {"texts": ["it is", "so"]}),
        ('{"a": [1, 2,], "b": {"c": null,},}', {"a": [1, 2], "b": {"c": None}}),
        ("{'yes': True, 'no': False, 'none': None}", {"yes": True, "no": False, "none": None}),
        ('{texts: ["x"] /* all */, // end\n more: -1.5e3}', {"texts": ["x"], "more": -1500.0}),
        ('{"text": "two\nlines\tand \\u4f60\\ud83d\\ude00"}', {"text": "two\nlines\tand 你😀"}),
    ],
)
def test_sloppy_forms_are_understood(text: str, value: dict[str, Any]) -> None:
    assert parse_lenient(text) == value
    assert find_json(f"prose {text} prose").objects == [value]


def test_what_a_model_thinks_aloud_is_not_its_answer() -> None:
    assert find_json('<think>maybe {"a": 1}</think>\n{"a": 2}').objects == [{"a": 2}]
    assert find_json('maybe {"a": 1}</think>{"a": 2}').objects == [{"a": 2}]
    assert find_json('<think>maybe {"a": 1} or').objects == []


def test_parts_of_a_broken_or_cut_off_object_are_not_answers() -> None:
    assert find_json('{"user": {"name": "Ann"}, "group": {"name": "Bo').objects == []
    assert find_json('{"user": {"name": "Ann"}, "group": {"name": "Bo').cut_off
    assert find_json('{"user" {"name": "Ann"}} then {"a": 1}').objects == [{"a": 1}]


def test_braces_in_prose_are_passed_over() -> None:
    assert find_json('use {name} and {see: below}: {"a": 1}').objects == [{"a": 1}]


def test_a_bare_list_counts_only_as_the_whole_text_or_a_fence() -> None:
    assert find_json('["a", "b"]').lists == [["a", "b"]]
    assert find_json('so:\n```json\n["a"]\n```').lists == [["a"]]
    assert find_json('as in [1] or ["a"]').lists == []


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000, "{a:" * 5000, "{" * 20000])
def test_deep_nesting_is_refused_quickly(text: str) -> None:
    assert find_json(text).objects == []
    with pytest.raises(NotJson):
        parse_lenient(text)


@pytest.mark.parametrize("text", ['{"a": 1', '{"a": "x', '["a", ', '{"a": tru', '{"a"', '"\\u12'])
def test_what_ends_too_early_is_told_apart(text: str) -> None:
    with pytest.raises(CutOff):
        parse_lenient(text)


@pytest.mark.parametrize("text", ["", "nope!", '{"a" 1}', "{} {}", "[1 2]", '{"a": "\\u-123"}', "__import__('os')", "{**{}}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        parse_lenient(text)
