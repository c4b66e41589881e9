from historian.prompts.rewriting import rewrite_prompt
from historian.schema.graph_states.historian import events_of
from historian.schema.names import Names
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from support.jobs import make_job


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
