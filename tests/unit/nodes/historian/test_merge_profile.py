from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from historian.nodes.historian import merge_profile as merging
from historian.nodes.historian.merge_profile import concerns, merge_profile
from historian.prompts.merging import without_inventions
from historian.schema.errors import ModelAnswerUnusable, ModelError, ModelRefused, ModelUnavailable
from historian.schema.names import Names
from historian.schema.profile import ProfileKey
from historian.service.intake import make_job
from historian.text.job_drafts import names_of
from historian.text.job_verdicts import by_rules
from langgraph.runtime import Runtime
from support.answering_chat import AnsweringChat
from support.memory import group_fields, settings_for

NAMES = Names(bot_name="小史", user_name="阿明", user_id="42")


def test_a_line_with_a_made_up_number_date_or_title_is_left_out() -> None:
    given = "- 阿明养了两只猫\n阿明2026-02-19搬到了杭州\n阿明喜欢《三体》"
    true = ["- 阿明养了2只猫", "- 阿明2026-02-19搬到杭州", "- 阿明喜欢《三体》"]
    made_up = ["- 阿明26岁", "- 阿明2019年毕业", "- 阿明喜欢《三体》和《流浪地球》"]
    summary = "\n".join(line for pair in zip(true, made_up, strict=True) for line in pair)
    assert without_inventions(summary, given, NAMES).splitlines() == true


def test_headings_and_plain_lines_stay() -> None:
    summary = "## Likes\n- Ann likes tea\n- Ann has 2 cats"
    assert without_inventions(summary, "Ann likes tea\nAnn has two cats", Names(user_name="Ann")) == summary


@pytest.mark.parametrize(
    ("fact", "user", "group"),
    [
        ("阿明喜欢茶", True, False),
        ("读书会每周日碰头", False, True),
        ("小王喜欢茶", False, False),
        ("阿明建了读书会", True, True),
    ],
)
def test_a_profile_is_touched_only_by_facts_that_name_its_entity(fact: str, user: bool, group: bool) -> None:
    job = make_job(group_fields(new_info=[fact]), settings_for(Path("/nowhere")), lambda: 0.0)
    items = by_rules(job, settings_for(Path("/nowhere")))
    names = names_of(job, settings_for(Path("/nowhere")))
    assert concerns(items, ProfileKey("user", "42"), names, "zh") is user
    assert concerns(items, ProfileKey("group", "100"), names, "zh") is group


def merge_of(chat: AnsweringChat, **state: Any) -> Any:
    settings = settings_for(Path("/nowhere"))
    job = make_job(group_fields(new_info=["他喜欢茶"]), settings, lambda: 0.0)
    profiles = SimpleNamespace(read=lambda key: None, is_applied=lambda key, job_id: False)
    context: Any = SimpleNamespace(settings=settings, profiles=profiles, chat=chat)
    given: Any = {"job": job.model_dump(), "items": by_rules(job, settings), **state}
    return merge_profile(given, Runtime(context=context))


@pytest.mark.parametrize("fault", [ModelAnswerUnusable("no usable 'update_profiles'"), ModelRefused("HTTP 400", status=400)])
async def test_without_a_usable_answer_the_rules_write_the_profile(fault: ModelError) -> None:
    (proposed,) = (await merge_of(AnsweringChat(fault)))["proposed_profiles"]
    assert proposed["summary"] == "- 阿明喜欢茶"


async def test_an_outage_is_waited_for() -> None:
    with pytest.raises(ModelUnavailable):
        await merge_of(AnsweringChat(ModelUnavailable("503")))


async def test_a_profile_that_changes_whenever_it_is_merged_is_merged_by_rules_in_the_end() -> None:
    chat = AnsweringChat({"user": {"name": "阿明", "summary": "- 阿明喜欢茶\n- 阿明喜欢三体"}})
    state: dict[str, Any] = {}
    for _ in range(merging.MOST_MERGES + 2):
        state = await merge_of(chat, **state)
    assert len(chat.asked) == merging.MOST_MERGES
    (proposed,) = state["proposed_profiles"]
    assert proposed["summary"] == "- 阿明喜欢茶"
