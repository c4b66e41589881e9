"""Texts of which something stays open, people without a name, and texts in other languages, as they are filed without a model."""

from __future__ import annotations

from typing import Any

import pytest
from historian.nodes.historian.profile_rules import FiledFact, concerns, merged_by_rules
from historian.schema.names import Names
from historian.schema.profile import Profile, ProfileKey
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules, names_of
from historian.text.language import detect_language
from historian.text.speakers.borne_names import NamedPeople
from support.jobs import make_job

NIGHT = "2026-02-21T01:30:00+08:00"


def filed(text: str, kind: str = "fact", **given: Any) -> tuple[str, bool]:
    """Return the text filed of one handed over alone on 2026-02-21 (Saturday), and whether it is absolute."""
    fields: dict[str, Any] = {
        "action_summary": text if kind == "action" else "",
        "new_info": [] if kind == "action" else [text],
        "timestamp": "2026-02-21T12:00:00+08:00",
        "group": None,
        "user_name": "Ann" if detect_language(text) == "en" else "小李",
        "bot_name": "Clio" if detect_language(text) == "en" else "诺娃",
    }
    (item,) = by_rules(make_job(**{**fields, **given}), Settings())
    return item["candidate"], item["passed"]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("action", "It rained here yesterday and I told him", "It rained here on 2026-02-20 and Clio told Ann"),
        ("action", "They met on Friday and I told him", "They met on 2026-02-20 and Clio told Ann"),
        ("fact", "I moved over there yesterday", "Ann moved over there on 2026-02-20"),
        ("fact", "They told me about it yesterday", "They told Ann about it on 2026-02-20"),
        ("fact", "我昨天在那边帮他买了车", "诺娃2026-02-20在那边帮小李买了车"),
        ("fact", "他们昨天来我家了", "他们2026-02-20来小李家了"),
        ("action", "我昨天陪他去了那边", "诺娃2026-02-20陪小李去了那边"),
    ],
)
def test_one_word_that_stays_open_takes_no_name_and_no_date_from_the_others(kind: str, text: str, expected: str) -> None:
    assert filed(text, kind) == (expected, False)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("fact", "I came yesterday and will leave tomorrow", "Ann came on 2026-02-20 and will leave tomorrow"),
        ("fact", "I fly to Rome tomorrow", "Ann flies to Rome tomorrow"),
        ("action", "I will remind him tomorrow", "Clio will remind Ann tomorrow"),
        ("fact", "我明天去北京", "小李明天去北京"),
        ("action", "我答应明天提醒他", "诺娃答应明天提醒小李"),
    ],
)
def test_tomorrow_said_at_night_stays_and_takes_no_name_from_the_others(kind: str, text: str, expected: str) -> None:
    assert filed(text, kind, timestamp=NIGHT) == (expected, False)


@pytest.mark.parametrize(
    "text", ["She is his teacher", "I told her he is late", "她是他的老师", "我追尾了，对方全责", "她喜欢他", "他是王小明"]
)
def test_what_rests_on_a_person_whom_nobody_knows_is_no_certain_name(text: str) -> None:
    assert filed(text) == (text, False)


@pytest.mark.parametrize("nickname", ["", "  ", "\u3000\u200b", "\u3164", "\u2800\u2800"])
@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("fact", "I live in Leeds", "User 1001 lives in Leeds"),
        ("fact", "He likes tea", "User 1001 likes tea"),
        ("fact", "Likes tea", "User 1001: Likes tea"),
        ("fact", "My wife is a doctor", "User 1001's wife is a doctor"),
        ("action", "I helped him with his essay", "Clio helped user 1001 with user 1001's essay"),
        ("fact", "我住在杭州", "用户 1001 住在杭州"),
        ("fact", "他喜欢喝茶", "用户 1001 喜欢喝茶"),
        ("fact", "喜欢喝茶", "用户 1001：喜欢喝茶"),
        ("fact", "用户住在杭州", "用户 1001 住在杭州"),
        ("action", "我帮他改了简历", "诺娃帮用户 1001 改了简历"),
    ],
)
def test_a_person_without_a_name_that_can_be_seen_is_shown_by_id(nickname: str, kind: str, text: str, expected: str) -> None:
    assert filed(text, kind, user_name=nickname, user_id="1001") == (expected, True)


@pytest.mark.parametrize(
    ("text", "line"),
    [("I live in Leeds", "User 1001 lives in Leeds"), ("他住在杭州", "用户 1001 住在杭州")],
)
def test_a_person_without_a_name_gets_a_profile(text: str, line: str) -> None:
    job = make_job(action_summary="", new_info=[text], group=None, user_name="\u3164", user_id="1001")
    names, language = names_of(job, Settings()), detect_language(text)
    facts = [FiledFact(item["candidate"], item["passed"]) for item in by_rules(job, Settings())]
    people = NamedPeople.of_job(job)
    (key, *_) = ProfileKey.of_job(job, Settings().cognitive.profile.profile_layers)
    assert concerns(facts, key, people, names)
    profile = merged_by_rules(facts, Profile(key), people, names, language)
    assert [one.text for one in profile.lines] == [line]


@pytest.mark.parametrize("user_name", ["", "\u3164", "Ann"])
@pytest.mark.parametrize(
    ("said", "expected"),
    [("I'm allergic to peanuts", "User 1002 is allergic to peanuts"), ("我对花生过敏", "用户 1002 对花生过敏")],
)
def test_the_words_of_a_member_without_a_name_are_not_those_of_a_user_without_one(
    user_name: str, said: str, expected: str
) -> None:
    talk = [
        {"sender_id": "1002", "sender_name": "\u3164", "text": said},
        {"sender_id": "1001", "sender_name": user_name, "text": "oh no"},
    ]
    job = make_job(action_summary="", new_info=[said], user_id="1001", user_name=user_name, recent_messages=talk)
    (item,) = by_rules(job, Settings())
    assert (item["candidate"], item["passed"], item["said_by"]) == (expected, True, "1002")


def test_the_people_of_a_conversation_are_those_that_texts_name() -> None:
    assert Names(user_name="Ann", user_id="1").people == ("Ann",)
    assert Names(user_id="1", others=("Ben",)).people == ("用户 1", "user 1", "User 1", "Ben")
    assert Names().people == ()
