"""People without a name that can be seen: their profiles, and whose words are theirs."""

from __future__ import annotations

import pytest
from historian.nodes.historian.profile_rules import concerns, merged_by_rules
from historian.prompts.merging import NewFact
from historian.schema.names import Names
from historian.schema.profile import Profile, ProfileKey
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules, names_of
from historian.text.language import detect_language
from historian.text.speakers.borne_names import NamedPeople
from support.jobs import make_job


@pytest.mark.parametrize(
    ("text", "line"),
    [("I live in Leeds", "User 1001 lives in Leeds"), ("他住在杭州", "用户 1001 住在杭州")],
)
def test_a_person_without_a_name_gets_a_profile(text: str, line: str) -> None:
    job = make_job(
        action_summary="", new_info=[text], group=None, user_name="\u3164", user_id="1001"
    )
    names, language = names_of(job, Settings()), detect_language(text)
    facts = [
        NewFact(item["candidate"], passed=item["passed"]) for item in by_rules(job, Settings())
    ]
    people = NamedPeople.of_job(job)
    (key, *_) = ProfileKey.of_job(job, Settings().cognitive.profile.profile_layers)
    assert concerns(facts, key, people, names)
    profile = merged_by_rules(facts, Profile(key), people, names, language)
    assert [one.text for one in profile.lines] == [line]


@pytest.mark.parametrize("user_name", ["", "\u3164", "Ann"])
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I'm allergic to peanuts", "User 1002 is allergic to peanuts"),
        ("我对花生过敏", "用户 1002 对花生过敏"),
    ],
)
def test_the_words_of_a_member_without_a_name_are_not_those_of_a_user_without_one(
    user_name: str, said: str, expected: str
) -> None:
    talk = [
        {"sender_id": "1002", "sender_name": "\u3164", "text": said},
        {"sender_id": "1001", "sender_name": user_name, "text": "oh no"},
    ]
    job = make_job(
        action_summary="",
        new_info=[said],
        user_id="1001",
        user_name=user_name,
        recent_messages=talk,
    )
    (item,) = by_rules(job, Settings())
    assert (item["candidate"], item["passed"], item["said_by"]) == (expected, True, "1002")


def test_the_people_of_a_conversation_are_those_that_texts_name() -> None:
    assert Names(user_name="Ann", user_id="1").people == ("Ann",)
    assert Names(user_id="1", others=("Ben",)).people == ("用户 1", "user 1", "User 1", "Ben")
    assert Names().people == ()
