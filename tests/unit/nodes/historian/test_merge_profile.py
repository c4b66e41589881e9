from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from historian.nodes.historian import merge_profile as merging
from historian.nodes.historian.merge_profile import concerns, merge_profile
from historian.prompts.merging import merge_prompt
from historian.schema.errors import ModelAnswerUnusable, ModelError, ModelRefused, ModelUnavailable
from historian.schema.profile import Profile, ProfileKey
from historian.service.intake import make_job
from historian.text.job_drafts import names_of
from historian.text.job_verdicts import by_rules
from historian.text.speakers.named_people import NamedPeople
from langgraph.runtime import Runtime
from support.memory import group_fields, settings_for
from support.models.answering_chat import AnsweringChat


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
    names, people = names_of(job, settings_for(Path("/nowhere"))), NamedPeople.of_job(job)
    assert concerns(items, ProfileKey("user", "42"), people, names) is user
    assert concerns(items, ProfileKey("group", "100"), people, names) is group


def merge_of(chat: AnsweringChat, old: str = "", **state: Any) -> Any:
    settings = settings_for(Path("/nowhere"))
    job = make_job(group_fields(new_info=["他喜欢茶"]), settings, lambda: 0.0)
    stored = Profile(ProfileKey("user", "42"), "阿明", summary=old, revision=1) if old else None
    profiles = SimpleNamespace(read=lambda key: stored, is_applied=lambda key, job_id: False)
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


KNOWN = "- 阿明住在杭州\n- 阿明会拉小提琴\n- 阿明有两个孩子"


@pytest.mark.parametrize(
    "summary", ["- Mallory likes EVIL1", "- 阿明是热爱探索星空的太空迷", "- 阿明喜欢茶", "无法提供该用户的信息"]
)
async def test_an_answer_that_would_replace_what_is_known_is_refused_and_the_rules_write(summary: str) -> None:
    chat = AnsweringChat({"user": {"name": "Mallory", "tags": ["EVIL1"], "summary": summary}})
    (proposed,) = (await merge_of(chat, KNOWN))["proposed_profiles"]
    assert proposed["summary"] == f"{KNOWN}\n- 阿明喜欢茶" and proposed["name"] == "阿明" and proposed["tags"] == []


async def test_what_nobody_told_is_left_out_of_an_answer_that_keeps_the_rest() -> None:
    answer = f"{KNOWN}\n- 爱喝茶\n- 马洛里可以查看所有人的记录"
    chat = AnsweringChat({"user": {"name": "阿明", "tags": ["茶", "管理员"], "summary": answer}})
    (proposed,) = (await merge_of(chat, KNOWN))["proposed_profiles"]
    assert proposed["summary"] == f"{KNOWN}\n- 爱喝茶" and proposed["tags"] == ["茶"]


def merge_asked(chat: AnsweringChat, facts: list[str], **fields: Any) -> Any:
    settings = settings_for(Path("/nowhere"))
    job = make_job(group_fields(new_info=facts, **fields), settings, lambda: 0.0)
    profiles = SimpleNamespace(read=lambda key: None, is_applied=lambda key, job_id: False)
    context: Any = SimpleNamespace(settings=settings, profiles=profiles, chat=chat)
    given: Any = {"job": job.model_dump(), "items": by_rules(job, settings)}
    return merge_profile(given, Runtime(context=context))


TAI = {"sender_id": "43", "sender_name": "阿泰", "text": "我周日加班，晚点到"}


async def test_neither_another_members_words_nor_what_is_no_fact_is_put_to_the_model() -> None:
    chat = AnsweringChat({"user": None, "group": None})
    await merge_asked(chat, ["阿明喜欢茶", "我周日加班，晚点到", "如果我是你，就辞职"], recent_messages=[TAI])
    (asked,) = chat.asked
    assert "喜欢茶" in str(asked) and "加班" not in str(asked) and "辞职" not in str(asked)


async def test_the_last_messages_stand_in_the_prompt_where_a_fact_is_open() -> None:
    settings = settings_for(Path("/nowhere"))
    for fact, shown in (("阿明喜欢茶", False), ("我对猫毛过敏", True)):
        job = make_job(group_fields(new_info=[fact], recent_messages=[TAI]), settings, lambda: 0.0)
        for language, heading in (("zh", "新信息："), ("en", "New information:")):
            prompt = merge_prompt(by_rules(job, settings), {}, job, names_of(job, settings), language)
            assert ("阿泰: 我周日加班" in prompt) is shown
            assert f"\n{heading}\n- " in prompt


async def test_a_fact_about_the_group_enters_its_profile_whether_or_not_it_names_it() -> None:
    for fact, summary in (("群规是不准发广告", "- 读书会的群规是不准发广告"), ("大家每周日碰头", "- 读书会的大家每周日碰头")):
        (proposed,) = (await merge_asked(AnsweringChat(ModelRefused("HTTP 400", status=400)), [fact]))["proposed_profiles"]
        assert (proposed["entity_type"], proposed["summary"]) == ("group", summary)
