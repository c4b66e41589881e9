"""The gate on a text alone: the labelled set, its spans, and properties that hold for any text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from historian.schema.names import Names
from historian.text.checks.findings import RELATIVE_KINDS, Verdict
from historian.text.checks.relative_words import find_relative_words
from hypothesis import given
from hypothesis import strategies as st

LABELLED = Path(__file__).parents[3] / "data" / "gate_labelled.jsonl"

Spans = set[tuple[str, str, int, int]]


def labelled() -> Iterator[dict[str, Any]]:
    with LABELLED.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def names_of(record: dict[str, Any]) -> Names | None:
    if "names" not in record:
        return None
    return Names(
        **{
            key: tuple(value) if isinstance(value, list) else value
            for key, value in record["names"].items()
        }
    )


def found(result: Verdict) -> Spans:
    return {(one.kind, one.text, one.start, one.end) for one in result.violations}


def wanted(record: dict[str, Any]) -> Spans:
    return {(one["kind"], one["text"], one["start"], one["end"]) for one in record["violations"]}


def test_the_labels_quote_their_texts() -> None:
    records = list(labelled())
    assert len(records) >= 360
    assert 0.5 <= sum(not record["violations"] for record in records) / len(records) <= 0.6
    for record in records:
        for label in record["violations"] + record.get("notes", []):
            assert record["text"][label["start"] : label["end"]] == label["text"]


def test_no_hard_negative_raises_an_alarm() -> None:
    alarms = [
        (record["text"], found(result))
        for record in labelled()
        if not record["violations"]
        and (result := find_relative_words(record["text"], names=names_of(record))).violations
    ]
    assert alarms == []


def test_nearly_every_violation_is_found_with_its_exact_span() -> None:
    expected = missed = 0
    extra: list[tuple[str, Spans]] = []
    for record in labelled():
        result = found(find_relative_words(record["text"], names=names_of(record)))
        expected += len(wanted(record))
        missed += len(wanted(record) - result)
        if result - wanted(record):
            extra.append((record["text"], result - wanted(record)))
    assert missed <= 0.02 * expected
    assert extra == []


@pytest.mark.parametrize(
    "text",
    [
        "Tom met Bob and he paid",
        "周周今天跟婆婆吵架，她要回娘家",
        "小梁带对象，他有大箱子",
        "Ann saw Mia. She left",
    ],
)
def test_what_opens_a_main_clause_and_could_mean_two_people_is_a_violation(text: str) -> None:
    names = Names("Clio", "周周", others=("小梁",))
    assert "ambiguous" in [one.why for one in find_relative_words(text, names=names).violations]


def test_a_pronoun_that_could_mean_several_people_is_a_note() -> None:
    for record in labelled():
        for label in record.get("notes", []):
            notes = find_relative_words(record["text"], names=names_of(record)).notes
            assert (label["text"], label["start"]) in {(note.text, note.start) for note in notes}, (
                record["text"]
            )


@pytest.mark.parametrize("text", ["小王说他喜欢猫", "Tom said he likes cats"])
def test_a_pronoun_with_one_antecedent_passes_unless_all_pronouns_are_to_go(text: str) -> None:
    assert find_relative_words(text).passed
    (finding,) = find_relative_words(text, pronouns="all").violations
    assert finding.kind == "pronoun"
    assert text[finding.start : finding.end] == finding.text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Undefined told him about the outage", None),
        ("Undefined said that he likes tea", Names(bot_name="Undefined", user_name="Tom")),
        ("小夜说他喜欢猫", Names(bot_name="小夜", user_name="阿强")),
    ],
)
def test_the_bot_and_the_subject_of_its_own_object_are_no_antecedents(
    text: str, names: Names | None
) -> None:
    assert [finding.kind for finding in find_relative_words(text, names=names).violations] == [
        "pronoun"
    ]


def test_the_names_of_the_conversation_are_never_relative() -> None:
    names = Names(
        bot_name="今天",
        user_name="明日香",
        group_name="这里是猫窝",
        glossary=("My Chemical Romance",),
    )
    assert find_relative_words(
        "今天在这里是猫窝给明日香推荐了 My Chemical Romance", names=names
    ).passed


def test_an_empty_text_holds_nothing_relative() -> None:
    assert find_relative_words("") == Verdict()
    assert find_relative_words(" \n") == Verdict()


_PIECES = st.sampled_from(
    [
        *"他她我你这里群“”《》「」\"'`()，。,. \n",
        "昨天", "对方", "Tom", "小王", "the user", "he", "I", "here", "2026-02-20", "吉他", "本群", "yesterday", "```",
    ]
)  # fmt: skip


@given(st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=30).map("".join)))
def test_findings_quote_the_text_and_never_overlap(text: str) -> None:
    result = find_relative_words(text)
    end = 0
    for finding in result.violations:
        assert finding.kind in RELATIVE_KINDS
        assert 0 <= finding.start < finding.end <= len(text)
        assert text[finding.start : finding.end] == finding.text
        assert finding.start >= end
        end = finding.end
    for note in result.notes:
        assert text[note.start : note.end] == note.text


@given(
    st.lists(
        st.sampled_from(["我", "昨天", "他", "这里", "he", "yesterday ", "the user "]), min_size=1
    ).map("".join)
)
def test_what_stands_in_quotation_marks_is_not_judged(text: str) -> None:
    assert find_relative_words(f"小王的签名是「{text}」").passed
