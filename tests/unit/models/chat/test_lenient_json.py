"""JSON found in what models write."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from historian.models.chat.lenient_json import LONGEST_REPAIRED, find_json
from hypothesis import given
from hypothesis import strategies as st

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), values, max_size=5), st.booleans())
def test_all_json_is_read_as_json_reads_it(value: dict[str, Any], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert find_json(text).objects == [value]
    assert find_json(f"Here you are:\n```json\n{text}\n```\nDone.").objects == [value]


@given(st.dictionaries(st.text(min_size=1), values, min_size=1, max_size=3), st.data())
def test_nothing_cut_off_is_accepted(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert find_json(text[: data.draw(st.integers(1, len(text) - 1))]).objects == []


@given(st.text(max_size=300) | st.text("{}[]\"':,\\ab ", max_size=300))
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
        (
            '{"text": "她说"我不去，太贵了"，走了", "n": 2}',
            {"text": '她说"我不去，太贵了"，走了', "n": 2},
        ),
        ("{“texts”: [“好”]}", {"texts": ["好"]}),
        ('{"texts": ["a" "b"]}', {"texts": ["a", "b"]}),
    ],
)
def test_sloppy_forms_are_understood(text: str, value: dict[str, Any]) -> None:
    assert find_json(text).objects == [value]
    assert find_json(f"prose {text} prose").objects == [value]


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ('<think>maybe {"a": 1}</think>\n{"a": 2}', [{"a": 2}]),
        ('maybe {"a": 1}</think>{"a": 2}', [{"a": 2}]),
        ('<think>maybe {"a": 1} or', []),
        ('<thinking>{"a": 1}</thinking>{"a": 2}', [{"a": 2}]),
        ('<Reasoning>{"a": 1}</Reasoning>{"a": 2}<think>{"a": 3}', [{"a": 2}]),
        ('<seed:think>{"a": 1}</seed:think>{"a": 2}', [{"a": 2}]),
        ('[THINK]{"a": 1}[/THINK]{"a": 2}', [{"a": 2}]),
        ('◁think▷{"a": 1}◁/think▷{"a": 2}', [{"a": 2}]),
        (
            '<|channel|>analysis<|message|>say {"a": 1}?<|end|><|start|>assistant<|channel|>final<|message|>{"a": 2}',
            [{"a": 2}],
        ),
        (
            '<|channel|>analysis<|message|>{"a": 1}<|channel|>commentary to=functions.t <|message|>{"a": 2}<|call|>',
            [{"a": 2}],
        ),
        ('<|channel|>analysis<|message|>say {"a": 1}', []),
    ],
)
def test_what_a_model_thinks_aloud_is_not_its_answer(
    text: str, objects: list[dict[str, Any]]
) -> None:
    assert find_json(text).objects == objects


def test_parts_of_a_broken_or_cut_off_object_are_not_answers() -> None:
    assert find_json('{"user": {"name": "Ann"}, "group": {"name": "Bo').objects == []
    assert find_json('{"user": {"name": "Ann"}, "group": {"name": "Bo').cut_off
    assert find_json('{"user" {"name": "Ann"}} then {"a": 1}').objects == [{"a": 1}]


def test_braces_in_prose_are_passed_over() -> None:
    assert {"a": 1} in find_json('use {name}, { and {see: below}: {"a": 1}').objects


def test_a_bare_list_counts_only_as_the_whole_text_or_a_fence() -> None:
    assert find_json('["a", "b"]').lists == [["a", "b"]]
    assert find_json('so:\n```json\n["a"]\n```').lists == [["a"]]
    assert find_json('as in [1] or ["a"]').lists == []
    assert find_json('["a", "b').lists == []


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000,
        '{"a":' * 5000,
        "{a:" * 5000,
        "{" * 20000,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "[" * 5000 + "]" * 5000,
        '{"a": [' + '"x" y" ' * LONGEST_REPAIRED + "]}",
    ],
)
def test_deep_nesting_and_long_garbage_are_refused_quickly(text: str) -> None:
    begun = time.thread_time()
    found = find_json(text)
    assert found.objects == [] and found.lists == []
    assert time.thread_time() - begun < 2


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1',
        '{"a": "x',
        '{"a": ["b", ',
        '{"a": tru',
        '{"a"',
        '{"a": "\\u12',
        '{"a": "x}',
        "{'a': 'x}",
    ],
)
def test_what_ends_too_early_is_told_apart(text: str) -> None:
    found = find_json(text)
    assert (found.objects, found.cut_off) == ([], True)


@pytest.mark.parametrize(
    "text", ["", "nope!", '{"a" 1}', "__import__('os')", "{'a': ['it's fine', 'b']}"]
)
def test_what_is_no_json_is_refused(text: str) -> None:
    found = find_json(text)
    assert (found.objects, found.lists, found.cut_off) == ([], [], False)
