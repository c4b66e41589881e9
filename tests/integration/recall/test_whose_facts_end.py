"""A fact ends only facts of the same person and the same subject, and none that says more than it. Profiles keep both lines,
each with its day."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from historian.schema.event import Event, EventFilter
from historian.schema.profile import ProfileKey
from historian.schema.scope import PUBLIC_LAYER
from support.draining import open_worker, put
from support.memory import group_fields, private_fields, settings_for
from support.servers.openai_answers import Json
from support.servers.openai_server import OpenAIServer

ANN, BEN, OTHER_ANN = "1001", "2002", "6666"


def at(day: int) -> str:
    return f"2026-02-{day:02}T12:00:00+08:00"


def turn(user_id: str, user_name: str, text: str, **more: Any) -> dict[str, Any]:
    """What a bot learnt in a turn with a member of one group."""
    group = {"group_id": "1", "group_name": "Hikers", "bot_name": "Clio"}
    return group_fields(**group, user_id=user_id, user_name=user_name, new_info=[text], **more)


def alone(text: str, name: str = "Ann") -> dict[str, Any]:
    """What a bot learnt in a private chat with the user 7."""
    return private_fields(user_name=name, new_info=[text])


async def filed(
    directory: Path, *turns: dict[str, Any], base_url: str = ""
) -> tuple[list[Event], dict[str, str]]:
    """File one turn a day. Return the events in order, and everybody's profile as Markdown by id."""
    settings = settings_for(
        directory,
        base_url=base_url,
        historian={"rewrite_mode": "rules"},
        profile={"merge_after_seconds": 0},
    )
    async with open_worker(settings) as (parts, worker):
        for n, fields in enumerate(turns):
            put(parts, {**fields, "request_id": f"r{n}", "timestamp": at(n + 1)})
        assert await worker.run(drain=True)
        layers = [
            (fields["user_id"], PUBLIC_LAYER if fields.get("group_id") else "private")
            for fields in turns
        ]
        found = {
            user: parts.profiles.read(ProfileKey("user", user, layer)) for user, layer in layers
        }
        events = parts.events.find(EventFilter(None), newest_first=False)
        return events, {user: profile.summary if profile else "" for user, profile in found.items()}


def dated(*texts: str) -> str:
    """The profile with a line a day; "" for a day that brought none."""
    return "\n".join(f"- {text} (2026-02-{day:02})" for day, text in enumerate(texts, 1) if text)


def over(events: list[Event]) -> list[str]:
    return [event.text for event in events if not event.holds]


OF_ANOTHER_SUBJECT = [
    ("Ann lives in Oslo", "Ann's sister lives in Lyon", "Ann"),
    ("She lives in Oslo", "Her sister lives in Lyon", "Ann"),
    ("Ann's sister lives in Oslo", "Ann lives in Lyon", "Ann"),
    ("Ann's sister lives in Oslo", "Ann moved from Oslo to Lyon", "Ann"),
    ("Ann lives in Oslo", "Ann's sister moved from Oslo to Lyon", "Ann"),
    ("Ann's sister lives in Oslo", "Ann's brother lives in Lyon", "Ann"),
    ("Ann works at Acme", "Ann's boss works at Initech", "Ann"),
    ("Ann works at Acme", "Ann works as an engineer", "Ann"),
    ("Ann's birthday is 3 May", "Ann's mother's birthday is 5 June", "Ann"),
    ("Ann's cat's birthday is 3 May", "Ann's birthday is 5 June", "Ann"),
    ("Ann likes tuna", "Ann's cat no longer likes tuna", "Ann"),
    ("Ann's cat likes tuna", "Ann no longer likes tuna", "Ann"),
    ("Ann lives in Oslo", "Ann's cat lives in Lyon", "Ann"),
    ("Ann lives in Oslo", "Ann is proud that her sister moved to Lyon", "Ann"),
    ("Ann lives in Oslo", "Ann is happy and her sister moved to Lyon", "Ann"),
    ("Ann likes coffee", "Ann likes tea and her sister no longer likes coffee", "Ann"),
    ("Ann lives in Oslo", "Anna moved to Lyon", "Ann"),
    ("小林住在杭州", "小林的姐姐住在上海", "小林"),
    ("她住在杭州", "她姐姐住在上海", "小林"),
    ("小林的姐姐住在杭州", "小林搬到了上海", "小林"),
    ("小林姐姐住在杭州", "小林从杭州搬到了上海", "小林"),
    ("小林在腾讯工作", "小林的老板在字节工作", "小林"),
    ("小林的生日是5月3日", "小林妈妈的生日是6月5日", "小林"),
    ("小林的猫的生日是5月3日", "小林的生日是6月5日", "小林"),
    ("小林喜欢吃鱼", "小林的猫不喜欢吃鱼了", "小林"),
    ("小林住在杭州", "小林家的猫住在上海", "小林"),
    ("小林住在杭州", "小林很高兴姐姐搬到了上海", "小林"),
]


@pytest.mark.parametrize(("before", "after", "name"), OF_ANOTHER_SUBJECT)
async def test_what_one_has_only_once_is_one_value_a_subject(
    tmp_path: Path, before: str, after: str, name: str
) -> None:
    events, _ = await filed(tmp_path, alone(before, name), alone(after, name))
    assert over(events) == []


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("Ann lives in Oslo", "Ann moved to Lyon", "Ann"),
        ("Ann's sister lives in Oslo", "Ann's sister moved to Lyon", "Ann"),
        ("Her boss works at Acme", "Her boss works at Initech", "Ann"),
        ("Ann lives in Leeds, England", "Ann moved to Berlin", "Ann"),
        ("Ann lives in Oslo", "Ann moved to Lyon and sold the car", "Ann"),
        ("小林住在杭州", "小林搬到了上海", "小林"),
        ("小林的姐姐住在杭州", "小林的姐姐搬到了上海", "小林"),
        ("小林住在杭州", "小林搬到了上海，和姐姐合租", "小林"),
        ("她姐姐住在杭州", "她姐姐从杭州搬到了上海", "小林"),
    ],
)
async def test_another_value_of_the_same_subject_ends_the_former(
    tmp_path: Path, before: str, after: str, name: str
) -> None:
    events, profiles = await filed(tmp_path, alone(before, name), alone(after, name))
    assert over(events) == [events[0].text]
    assert profiles == {"7": dated(*(event.text for event in events))}, (
        "without a model no line is removed"
    )


COMPOUND = [
    ("I am allergic to peanuts and I live in Leeds", "I moved to Berlin", "Ann"),
    ("Ann is allergic to peanuts and lives in Leeds", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds and is allergic to peanuts", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds, and her sister is allergic to peanuts", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds; she is allergic to peanuts", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds. Ann is allergic to peanuts.", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds but works at Acme", "Ann joined Initech", "Ann"),
    ("Ann, who is allergic to peanuts, lives in Leeds", "Ann moved to Berlin", "Ann"),
    ("Ann who is allergic to peanuts lives in Leeds", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds (allergic to peanuts)", "Ann moved to Berlin", "Ann"),
    ("Ann is a vegetarian living in Leeds", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds as well as being allergic to peanuts", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds with her peanut allergy", "Ann moved to Berlin", "Ann"),
    ("Ann moved to Leeds to study medicine", "Ann moved to Berlin", "Ann"),
    ("Ann works at Acme as an engineer", "Ann joined Initech", "Ann"),
    ("Ann is vegetarian and lives in Leeds", "Ann eats meat again", "Ann"),
    ("Ann likes coffee and jazz", "Ann no longer likes coffee", "Ann"),
    ("Ann and Tom live in Leeds", "Ann moved to Berlin", "Ann"),
    ("Ann lives in Leeds while studying at Acme College", "Ann moved to Berlin", "Ann"),
    (
        "Ann plays the cello and likes tea",
        "Ann said she never played the cello, it was a typo",
        "Ann",
    ),
    ("我对花生过敏，住在北京", "我搬到了上海", "小林"),
    ("小林住在北京，对花生过敏", "小林搬到了上海", "小林"),
    ("小林住在北京；小林对花生过敏", "小林搬到了上海", "小林"),
    ("小林住在北京。她对花生过敏。", "小林搬到了上海", "小林"),
    ("小林住在北京并且对花生过敏", "小林搬到了上海", "小林"),
    ("小林对花生过敏而且住在北京", "小林搬到了上海", "小林"),
    ("小林对花生过敏也住在北京", "小林搬到了上海", "小林"),
    ("小林和阿明住在北京", "小林搬到了上海", "小林"),
    ("小林住在北京且对花生过敏", "小林搬到了上海", "小林"),
    ("小林住在北京对花生过敏", "小林搬到了上海", "小林"),
    ("小林是住在北京的素食者", "小林搬到了上海", "小林"),
    ("小林喜欢咖啡和爵士乐", "小林不再喜欢咖啡", "小林"),
    ("小林吃素，在腾讯上班", "小林从腾讯辞职了", "小林"),
]


@pytest.mark.parametrize(("before", "after", "name"), COMPOUND)
async def test_a_later_fact_ends_nothing_of_a_fact_that_says_more(
    tmp_path: Path, before: str, after: str, name: str
) -> None:
    events, _ = await filed(tmp_path, alone(before, name), alone(after, name))
    assert over(events) == []


async def test_a_nickname_ends_nothing_of_another_persons(tmp_path: Path) -> None:
    for name, home, moved in (
        ("Ann", "Ann lives in Leeds", "Ann moved to Berlin"),
        ("小林", "小林住在北京", "小林搬到了上海"),
    ):
        events, profiles = await filed(
            tmp_path / name, turn(ANN, name, home), turn(OTHER_ANN, name, moved)
        )
        assert over(events) == []
        assert profiles == {ANN: dated(home), OTHER_ANN: dated("", moved)}


@pytest.mark.parametrize(
    ("first", "then", "home", "moved"),
    [
        ("Sam", "Sammy", "Sam lives in Leeds", "Sammy moved to Berlin"),
        ("Sam", "River", "Sam lives in Leeds", "River moved to Berlin"),
        ("小林", "林深", "小林住在北京", "林深搬到了上海"),
        ("", "Ann", "user 1001 lives in Leeds", "Ann moved to Berlin"),
    ],
)
async def test_who_changes_their_nickname_has_one_home(
    tmp_path: Path, first: str, then: str, home: str, moved: str
) -> None:
    events, profiles = await filed(tmp_path, turn(ANN, first, home), turn(ANN, then, moved))
    assert over(events) == [home]
    assert profiles == {ANN: dated(home, moved)}


async def test_who_had_three_nicknames_has_one_home(tmp_path: Path) -> None:
    turns = [
        turn(ANN, "Sam", "Sam lives in Leeds"),
        turn(ANN, "River", "River likes tea"),
        turn(ANN, "Lee", "Lee moved to Rome"),
    ]
    events, profiles = await filed(tmp_path, *turns)
    assert over(events) == ["Sam lives in Leeds"]
    assert profiles == {ANN: dated("Sam lives in Leeds", "River likes tea", "Lee moved to Rome")}


@pytest.mark.parametrize(
    ("name", "home", "claim"),
    [
        ("Ann", "Ann lives in Leeds", "Ann moved to Berlin"),
        ("Ann", "Ann likes coffee", "Ann no longer likes coffee"),
        ("Ann", "Ann's flight leaves at 7:52", "Ann's flight leaves at 9:52"),
        ("小林", "小林住在北京", "小林搬到了上海"),
        ("小林", "小林喜欢咖啡", "小林不再喜欢咖啡"),
    ],
)
async def test_what_somebody_claims_of_another_ends_nothing(
    tmp_path: Path, name: str, home: str, claim: str
) -> None:
    events, profiles = await filed(tmp_path / "a", turn(ANN, name, home), turn(BEN, "Ben", claim))
    assert over(events) == [] and profiles[ANN] == (dated(home) if "flight" not in home else "")
    events, _ = await filed(tmp_path / "b", turn(BEN, "Ben", home), turn(BEN, "Ben", claim))
    assert over(events) == [], "nor of what they claimed before"
    said = [{"sender_id": BEN, "sender_name": "Ben", "text": claim}]
    events, _ = await filed(
        tmp_path / "c", turn(ANN, name, home), turn(ANN, name, claim, recent_messages=said)
    )
    assert over(events) == [], "nor where it is handed over in a turn with them"


@pytest.mark.parametrize(("name", "said"), [("Ann", "I moved to Berlin"), ("小林", "我搬到了上海")])
async def test_words_of_another_of_the_same_nickname_end_nothing(
    tmp_path: Path, name: str, said: str
) -> None:
    """The bot handed it over in a turn with the one, and the other said it."""
    home, moved = (
        ("Ann lives in Leeds", "Ann moved to Berlin")
        if name == "Ann"
        else ("小林住在北京", "小林搬到了上海")
    )
    talk = [{"sender_id": OTHER_ANN, "sender_name": name, "text": said}]
    events, _ = await filed(
        tmp_path / "a", turn(ANN, name, home), turn(ANN, name, moved, recent_messages=talk)
    )
    assert over(events) == []
    events, _ = await filed(
        tmp_path / "b",
        turn(ANN, name, home, recent_messages=talk_of(home, name)),
        turn(ANN, name, moved),
    )
    assert over(events) == []


def talk_of(text: str, name: str) -> list[dict[str, str]]:
    return [
        {
            "sender_id": OTHER_ANN,
            "sender_name": name,
            "text": text.replace(name, "我" if name == "小林" else "I"),
        }
    ]


async def test_ones_own_words_in_another_turn_are_ones_own(tmp_path: Path) -> None:
    """Ann said it while the bot talked with Ben."""
    talk = [{"sender_id": ANN, "sender_name": "Ann", "text": "I live in Leeds near the river"}]
    before = turn(BEN, "Ben", "I live in Leeds near the river", recent_messages=talk)
    events, _ = await filed(tmp_path, before, turn(ANN, "Ann", "Ann moved to Berlin"))
    assert over(events) == ["Ann lives in Leeds near the river"]


async def test_a_name_that_passes_to_another_member_ends_no_fact_of_its_former_bearer(
    tmp_path: Path,
) -> None:
    """Sam became River, and Ben calls himself Sam since."""
    turns = [
        turn(ANN, "Sam", "Sam lives in Leeds"),
        turn(ANN, "River", "River likes tea"),
        turn(BEN, "Sam", "Sam moved to Berlin"),
    ]
    events, profiles = await filed(tmp_path / "a", *turns)
    assert [event.people for event in events] == [
        ("0:3:1001",),
        ("0:5:1001",),
        ("0:3:2002",),
    ] and over(events) == []
    assert profiles == {
        ANN: dated("Sam lives in Leeds", "River likes tea"),
        BEN: dated("", "", "Sam moved to Berlin"),
    }
    events, _ = await filed(tmp_path / "b", *turns, turn(ANN, "River", "River moved to Rome"))
    assert over(events) == ["Sam lives in Leeds"]


async def test_a_claim_about_a_mentioned_id_is_over_by_that_persons_own_words_alone(
    tmp_path: Path,
) -> None:
    members = [{"sender_id": ANN, "sender_name": "Ann", "text": "hi"}]
    claim = turn(BEN, "Ben", f"<@{ANN}> lives in Leeds", recent_messages=members)
    events, _ = await filed(tmp_path / "a", claim, turn(OTHER_ANN, "Ann", "Ann moved to Berlin"))
    assert [event.text for event in events] == [
        "Ann lives in Leeds",
        "Ann moved to Berlin",
    ] and over(events) == []
    events, _ = await filed(tmp_path / "b", claim, turn(ANN, "Ann", "Ann moved to Berlin"))
    assert over(events) == ["Ann lives in Leeds"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The door code is 7719", "The door code is 2084"),
        ("Ann's birthday is 3 May", "Ann's birthday is 5 June"),
    ],
)
async def test_other_values_than_home_and_job_end_nothing_without_a_model(
    tmp_path: Path, before: str, after: str
) -> None:
    events, _ = await filed(tmp_path, turn(ANN, "Ann", before), turn(ANN, "Ann", after))
    assert over(events) == []


@pytest.mark.parametrize(
    ("before", "after", "is_over"),
    [
        (
            alone("Ann's landlord is strict about pets"),
            alone("Ann's landlord lets her keep a parrot"),
            True,
        ),
        (
            alone("Ann's landlord is strict and lives in Leeds"),
            alone("Ann's landlord lets her keep a parrot"),
            False,
        ),
        (alone("小林的房东管得很严，住在楼上"), alone("小林的房东让她养鹦鹉了"), False),
        (
            turn(ANN, "Ann", "Ann lives in Leeds"),
            turn(OTHER_ANN, "Ann", "Ann has unpacked in York"),
            False,
        ),
        (
            turn(ANN, "Ann", "Ann lives in Leeds"),
            turn(BEN, "Ben", "Ann has unpacked in York"),
            False,
        ),
        (
            turn(ANN, "Ann", "Ann lives in Leeds"),
            turn(BEN, "Ben", "Tom Bell has unpacked in York"),
            False,
        ),
        (
            turn(ANN, "Sam", "Sam lives in Leeds"),
            turn(ANN, "River", "River has unpacked in York"),
            True,
        ),
        (turn(ANN, "小林", "小林住在北京"), turn(OTHER_ANN, "小林", "小林在上海安顿好了"), False),
        (turn(ANN, "小林", "小林住在北京"), turn(ANN, "林深", "林深在上海安顿好了"), True),
        (alone("Ann lives in Leeds"), alone("Ann's sister has unpacked in York"), False),
    ],
)
async def test_a_model_ends_no_more_than_the_rules_may(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], is_over: bool
) -> None:
    """It says so of all that it is shown."""

    def responder(request: Json) -> Json:
        shown = "F2: " in request["messages"][-1]["content"]
        return {"end": [{"line": "F2", "facts": ["N1"]}]} if shown else {"end": []}

    with OpenAIServer(responder=responder) as server:
        events, _ = await filed(tmp_path, before, after, base_url=server.base_url)
    assert over(events) == ([events[0].text] if is_over else [])


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("Ann lives in Oslo", "Ann's sister lives in Lyon", "Ann"),
        ("Ann lives in Oslo", "Ann's sister moved from Oslo to Lyon", "Ann"),
        ("小林住在杭州", "小林的姐姐住在上海", "小林"),
    ],
)
async def test_a_model_that_ends_ones_home_for_a_relatives_is_not_believed(
    tmp_path: Path, before: str, after: str, name: str
) -> None:
    def responder(request: Json) -> Json:
        add = {
            "about": "user",
            "text": after if after in request["messages"][-1]["content"] else before,
            "facts": ["N1"],
        }
        return {
            "add": [add],
            "end": [{"line": "L1", "facts": ["N1"]}],
            "change": [{**add, "line": "L1"}],
        }

    with OpenAIServer(responder=responder) as server:
        _, profiles = await filed(
            tmp_path, alone(before, name), alone(after, name), base_url=server.base_url
        )
    assert [line.partition(" (")[0] for line in profiles["7"].splitlines()] == [
        f"- {before}",
        f"- {after}",
    ]
