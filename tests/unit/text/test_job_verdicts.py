"""Verdicts on texts of hand-overs: those of a model in tests/data/hand_overs.tsv, and what rules leave open."""

from __future__ import annotations

import pytest
from historian.prompts.rewriting import rewrite_prompt
from historian.schema.graph_states.historian import events_of
from historian.schema.names import Names
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules, judge, prepare, shown_messages
from support.gate import REFUSED, refuse_all
from support.jobs import make_job
from support.tables import cases

PEOPLE = {"en": ("Ann", "Clio"), "zh": ("阿明", "小史")}


@pytest.mark.parametrize("case", cases("hand_overs"))
def test_a_models_text_of_a_hand_over_is_kept_or_refused_for_what_is_wrong_with_it(
    case: dict[str, str],
) -> None:
    language, kind, verdict, words, before, text = case.values()
    user, bot = PEOPLE[language]
    speaker, _, said = before.replace("：", ": ").partition(": ")
    others = [
        {"sender_id": "9", "sender_name": "Ben" if language == "en" else "小王", "text": "👍"}
    ]
    last = {"sender_id": "42" if speaker == user else "8", "sender_name": speaker, "text": said}
    messages = [*others, last] if said else others
    job = make_job(
        action_summary=words if kind == "action" else "",
        new_info=[] if kind == "action" else [words],
        user_name=user,
        bot_name=bot,
        recent_messages=messages,
    )
    (item,) = prepare(job, Settings())
    kinds = [one["kind"] for one in judge(item, text, job, Settings())]
    assert verdict in kinds if verdict != "kept" else kinds == []


def test_a_reason_names_where_a_number_was_looked_for() -> None:
    said = [
        {
            "sender_id": "42",
            "sender_name": "Ann",
            "text": "in 3 days",
            "at": "2026-02-20T09:00:00+08:00",
        }
    ]
    job = make_job(
        action_summary="I noted it",
        new_info=[],
        user_name="Ann",
        bot_name="Clio",
        recent_messages=said,
    )
    (item,) = prepare(job, Settings())
    (found,) = judge(item, "Clio noted it for 2026-02-24", job, Settings())
    assert found["why"] == '"24" is not in the item, m1: write only numbers and dates that are'
    assert not judge(item, "Clio noted it for 2026-02-23", job, Settings())


@pytest.mark.parametrize("at", ["", "yesterday", "2026-02-20", "2026-02-20T09:00:00"])
def test_a_message_before_tells_its_time_or_is_read_at_that_of_the_turn(at: str) -> None:
    job = make_job(
        recent_messages=[
            {"sender_id": "42", "sender_name": "Ann", "text": "leaving tomorrow", "at": at}
        ]
    )
    day = "2026-02-21" if at[:1] == "2" else "2026-02-22"
    assert [words for _, words in shown_messages(job).values()] == [f"leaving tomorrow ({day})"]


def test_the_same_relative_word_twice_is_two_violations_and_one_complaint() -> None:
    job = make_job(action_summary="", new_info=["那边来了人，那边又走了人"], group=None)
    (item,) = by_rules(job, Settings())
    assert [reason["text"] for reason in item["violations"]] == ["那边", "那边"]
    (event,) = events_of(job, [item])
    assert len(event.gate_reasons) == 1
    assert rewrite_prompt([item], job, Names(), "zh").count(event.gate_reasons[0]) == 1


def test_a_long_text_is_filed_whole_and_says_that_it_was_not_checked() -> None:
    text = "他昨天去了北京。" * 5_000
    job = make_job(action_summary="", new_info=[text], group=None)
    (item,) = by_rules(job, Settings())
    (event,) = events_of(job, [item])
    assert event.text.count("去了北京。") == 5_000 and "昨天" not in event.text[:1_000]
    assert not event.is_absolute and event.gate_reasons[0].startswith("原文太长")


def test_the_rules_draft_and_a_models_text_go_through_the_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = make_job(action_summary="", new_info=["Tom has a cat"], user_name="Tom")
    (item,) = prepare(job, Settings())
    texts = ("Tom has a cat", "Tom has got a cat")
    assert not any(judge(item, text, job, Settings()) for text in texts)
    refuse_all(monkeypatch)
    for text in texts:
        assert REFUSED in [one["text"] for one in judge(item, text, job, Settings())]
