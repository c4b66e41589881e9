from historian.prompts.rewriting import rewrite_prompt
from historian.schema.names import Names
from historian.schema.settings import Settings
from historian.schema.states import events_of
from historian.text.job_verdicts import by_rules
from support.jobs import make_job


def test_the_same_relative_word_twice_is_two_violations_and_one_complaint() -> None:
    job = make_job(action_summary="", new_info=["那边来了人，那边又走了人"], group=None)
    (item,) = by_rules(job, Settings())
    assert [reason["text"] for reason in item["violations"]] == ["那边", "那边"]
    (event,) = events_of(job, [item])
    assert len(event.gate_reasons) == 1
    assert rewrite_prompt([item], job, Names(), "zh").count(event.gate_reasons[0]) == 1
