from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from historian.nodes.historian import merge_profile as merging
from historian.nodes.historian.merge_profile import merge_profile
from historian.nodes.historian.profile_rules import concerns
from historian.prompts.merging import NewFact
from historian.schema.errors import ModelAnswerUnusable, ModelError, ModelRefused, ModelUnavailable
from historian.schema.event import Event
from historian.schema.graph_states.historian import events_of
from historian.schema.job import Job
from historian.schema.profile import Profile, ProfileKey, ProfileLine
from historian.schema.protocols import not_judged
from historian.schema.settings import Settings
from historian.service.intake import make_job
from historian.text.job_verdicts import by_rules, names_of
from historian.text.profiles.lines import read_lines
from historian.text.speakers.borne_names import NamedPeople
from langgraph.runtime import Runtime
from profiles import profile_of
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
def test_a_profile_is_touched_only_by_facts_that_name_its_entity(
    fact: str, user: bool, group: bool
) -> None:
    job = make_job(group_fields(new_info=[fact]), settings_for(Path("/nowhere")), lambda: 0.0)
    items = by_rules(job, settings_for(Path("/nowhere")))
    names, people = names_of(job, settings_for(Path("/nowhere"))), NamedPeople.of_job(job)
    facts = [NewFact(item["candidate"], passed=item["passed"]) for item in items]
    assert concerns(facts, ProfileKey("user", "42"), people, names) is user
    assert concerns(facts, ProfileKey("group", "100"), people, names) is group


def part_of(job: Job, settings: Settings, filed: dict[str, Event]) -> dict[str, Any]:
    """The state of a run whose events are filed."""
    items = by_rules(job, settings)
    events = events_of(job, items)
    filed |= {one.event_id: one for one in events}
    return {"job": job.model_dump(), "items": items, "event_ids": [one.event_id for one in events]}


def context_of(
    settings: Settings,
    chat: Any,
    filed: dict[str, Event],
    kept: dict[ProfileKey, Any] | None = None,
) -> Any:
    events = SimpleNamespace(
        get=lambda ids: [filed[one] for one in ids if one in filed],
        is_forgotten=lambda job_id, *_: "forgotten" in job_id,
    )
    profiles = SimpleNamespace(read=(kept or {}).get, is_applied=lambda key, job_id: False)
    return SimpleNamespace(
        settings=settings, events=events, profiles=profiles, chat=chat, judged=not_judged
    )


def merge_of(
    chat: AnsweringChat, old: str = "", settings: Settings | None = None, **state: Any
) -> Any:
    settings = settings or settings_for(Path("/nowhere"))
    job = make_job(group_fields(new_info=["我喜欢茶"]), settings, lambda: 0.0)
    stored = profile_of(ProfileKey("user", "42"), old, name="阿明", revision=1) if old else None
    filed: dict[str, Event] = {}
    given: Any = {**part_of(job, settings, filed), **state}
    context = context_of(settings, chat, filed, {ProfileKey("user", "42"): stored})
    return merge_profile(given, Runtime(context=context))


def texts(update: Any) -> list[str]:
    """The lines that hold of the one profile that is proposed."""
    (proposed,) = update["proposed_profiles"]
    return [line["text"] for line in proposed["lines"] if not line.get("until")]


def adding(text: str, *facts: str) -> dict[str, Any]:
    return {
        "add": [{"about": "user", "text": text, "kind": "taste", "facts": list(facts) or ["N1"]}]
    }


@pytest.mark.parametrize(
    "fault",
    [ModelAnswerUnusable("no usable 'update_profiles'"), ModelRefused("HTTP 400", status=400)],
)
async def test_without_a_usable_answer_the_rules_write_the_profile(fault: ModelError) -> None:
    assert texts(await merge_of(AnsweringChat(fault))) == ["阿明喜欢茶"]


async def test_an_outage_is_waited_for() -> None:
    with pytest.raises(ModelUnavailable):
        await merge_of(AnsweringChat(ModelUnavailable("503")))


async def test_a_profile_that_changes_whenever_it_is_merged_is_merged_by_rules_in_the_end() -> None:
    chat = AnsweringChat(adding("喜欢茶"))
    assert texts(await merge_of(chat, merges=merging.MOST_MERGES - 1)) == ["喜欢茶"]
    assert (
        texts(await merge_of(chat, merges=merging.MOST_MERGES)) == ["阿明喜欢茶"]
        and len(chat.asked) == 1
    )


KNOWN = ["阿明住在杭州", "阿明会拉小提琴", "阿明有两个孩子"]
OLD = "\n".join(f"- {line}" for line in KNOWN)


@pytest.mark.parametrize(
    "answer",
    [
        adding("Mallory likes EVIL1"),
        adding("阿明是热爱探索星空的太空迷"),
        adding("他喜欢茶"),
        {"change": [{"line": "L1", "text": "马洛里可以查看所有人的记录", "facts": ["N1"]}]},
        {"end": [{"line": f"L{n}", "facts": ["N1"]} for n in (1, 2, 3)]},
    ],
)
async def test_what_no_fact_carries_is_sent_back_once_and_then_left_to_the_rules(
    answer: dict[str, Any],
) -> None:
    chat = AnsweringChat(answer)
    update = await merge_of(chat, OLD)
    assert texts(update) == [*KNOWN, "阿明喜欢茶"]
    assert (
        len(chat.asked) == merging.ANSWERS
        and "没有采用" not in chat.asked[0][2]
        and "没有采用" in chat.asked[1][2]
    )


async def test_a_mended_line_is_taken_and_what_nobody_named_stays_as_it_is() -> None:
    chat = AnsweringChat(adding("是太空迷"), adding("喜欢茶"))
    update = await merge_of(chat, OLD)
    assert texts(update) == [*KNOWN, "喜欢茶"] and len(chat.asked) == 2
    (proposed,) = update["proposed_profiles"]
    assert proposed["lines"][-1]["kind"] == "taste" and proposed["name"] == "阿明"
    assert [line["line_id"] for line in proposed["lines"][:3]] == [
        line.line_id for line in read_lines(OLD)
    ]


async def test_an_answer_without_lines_changes_nothing() -> None:
    chat = AnsweringChat({})
    assert (await merge_of(chat, OLD))["proposed_profiles"] == [] and len(chat.asked) == 1


async def test_the_owners_words_stand_in_the_system_message_and_are_no_content() -> None:
    chat = AnsweringChat({})
    cognitive = {"instructions": "不记健康状况", "profile": {"slots": ["生日"]}}
    await merge_of(chat, OLD, settings=settings_for(Path("/nowhere"), **cognitive))
    (_, system, user) = chat.asked[0]
    assert "<owner>\n不记健康状况\n" in system and "生日" in system.partition("<owner>")[2]
    assert "不记健康状况" not in user and "还空着的项：生日" in user


def merge_asked(
    chat: AnsweringChat, facts: list[str], language: str = "auto", **fields: Any
) -> Any:
    settings = settings_for(Path("/nowhere"), language=language)
    job = make_job(group_fields(new_info=facts, **fields), settings, lambda: 0.0)
    filed: dict[str, Event] = {}
    given: Any = part_of(job, settings, filed)
    return merge_profile(given, Runtime(context=context_of(settings, chat, filed)))


TAI = {"sender_id": "43", "sender_name": "阿泰", "text": "我周日加班，晚点到"}


async def test_neither_another_members_words_nor_what_is_no_fact_is_put_to_the_model() -> None:
    chat = AnsweringChat({})
    await merge_asked(
        chat, ["阿明喜欢茶", "我周日加班，晚点到", "如果我是你，就辞职"], recent_messages=[TAI]
    )
    (asked,) = chat.asked
    assert "喜欢茶" in str(asked) and "加班" not in str(asked) and "辞职" not in str(asked)


async def test_a_model_is_shown_the_profile_of_the_group_and_the_words_of_an_hour() -> None:
    line = {"about": "group", "text": "不许剧透", "facts": ["N1"]}
    chat = AnsweringChat({"add": [line]})
    update = await merge_asked(chat, ["阿明定了规矩：不许剧透"])
    assert "G 群：读书会：\n（无）" in chat.asked[0][2] and texts(update) == ["不许剧透"]
    for fact, is_shown in (
        ("阿明：下午两点前不要吸尘", True),
        ("阿明明天下午两点吸尘", False),
        ("阿明喜欢茶", False),
    ):
        chat = AnsweringChat({})
        await merge_asked(chat, [fact])
        assert ("原话：" in chat.asked[0][2]) is is_shown and "G 群：" in chat.asked[0][2]


async def test_a_fact_about_the_group_enters_its_profile_whether_or_not_it_names_it() -> None:
    for fact in ("读书会每周日碰头", "大家每周日碰头"):
        update = await merge_asked(AnsweringChat(ModelRefused("HTTP 400", status=400)), [fact])
        (line,) = texts(update)
        assert update["proposed_profiles"][0]["entity_type"] == "group" and line.startswith(
            "读书会"
        )


def gathered(
    settings: Settings, filed: dict[str, Event], *told: tuple[str, str, str], **payload: Any
) -> Any:
    """The input of a run of kind `profile`: (user, name, fact) each as a job that waited."""
    jobs = []
    for n, (user, name, fact) in enumerate(told):
        fields = group_fields(
            user_id=user, user_name=name, new_info=[fact], action_summary="", request_id=f"r{n}"
        )
        part = part_of(make_job(fields, settings, lambda: 0.0), settings, filed)
        learnt = [{"event_id": one} for one in part["event_ids"]]
        more = {
            "kind": "profile",
            "new_info": [],
            "payload": {"facts": learnt, **payload},
            "request_id": f"profile-{n}",
        }
        jobs.append(make_job({**fields, **more}, settings, lambda: 0.0).model_dump())
    return {"job": jobs[0], "talk": jobs}


async def test_one_question_is_about_all_people_and_the_group_of_what_was_gathered() -> None:
    settings, filed = settings_for(Path("/nowhere")), dict[str, Event]()
    state = gathered(
        settings,
        filed,
        ("42", "阿明", "阿明喜欢茶"),
        ("43", "小王", "小王住在成都"),
        ("43", "小王", "读书会每周日碰头"),
    )
    lines = [("P1", "喜欢茶", "N1"), ("P2", "住在成都", "N2"), ("G", "每周日碰头", "N3")]
    chat = AnsweringChat(
        {"add": [{"about": about, "text": text, "facts": [fact]} for about, text, fact in lines]}
    )
    update = await merge_profile(state, Runtime(context=context_of(settings, chat, filed)))
    found = [
        (one["entity_id"], one["lines"][0]["text"], one["name"])
        for one in update["proposed_profiles"]
    ]
    assert found == [
        ("42", "喜欢茶", "阿明"),
        ("43", "住在成都", "小王"),
        ("100", "每周日碰头", "读书会"),
    ]
    assert len(chat.asked) == 1 and not update["more"]
    assert [one["jobs"] for one in update["proposed_profiles"]] == [
        ["profile-0-0"],
        ["profile-1-0"],
        ["profile-0-0", "profile-1-0", "profile-2-0"],
    ]


async def test_what_is_gone_corrected_or_of_another_conversation_is_not_merged() -> None:
    settings, filed = settings_for(Path("/nowhere")), dict[str, Event]()
    facts = ["阿明喜欢茶", "阿明住在成都", "阿明会拉小提琴", "阿明养了两只猫"]
    state = gathered(settings, filed, *(("42", "阿明", fact) for fact in facts))
    gone, corrected, elsewhere, _ = filed
    del filed[gone]
    filed[corrected] = replace(filed[corrected], corrected_by="other:0")
    filed[elsewhere] = replace(filed[elsewhere], group_id="200")
    chat = AnsweringChat({})
    await merge_profile(state, Runtime(context=context_of(settings, chat, filed)))
    (asked,) = chat.asked
    assert "两只猫" in asked[2] and not any(word in asked[2] for word in ("茶", "成都", "提琴"))


async def test_profiles_for_which_one_question_has_no_room_come_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(merging, "MOST_TOKENS", 12)
    settings, filed = settings_for(Path("/nowhere")), dict[str, Event]()
    state = gathered(
        settings, filed, *((str(n), f"阿{n}号", f"阿{n}号喜欢喝茶") for n in range(42, 46))
    )
    chat, asked = AnsweringChat({}), set[str]()
    for _ in range(9):
        update = await merge_profile(state, Runtime(context=context_of(settings, chat, filed)))
        asked.update(update["merged"])
        state = {**state, "merged": update["merged"]}
        if not update["more"]:
            break
    assert len(asked) == 5 and 1 < len(chat.asked) < 6


async def test_nothing_is_asked_where_no_fact_lasts() -> None:
    settings, filed, chat = settings_for(Path("/nowhere")), dict[str, Event](), AnsweringChat({})
    state = gathered(settings, filed, ("42", "阿明", "阿明喜欢茶"))
    for job in state["talk"]:
        job["payload"]["facts"][0]["lasting"] = False
    update = await merge_profile(state, Runtime(context=context_of(settings, chat, filed)))
    assert update["proposed_profiles"] == [] and not chat.asked


@pytest.mark.parametrize(
    ("text", "kind", "answer", "held"),
    [
        ("住在杭州", "home", {}, []),
        ("鸡蛋过敏", "health", {}, ["鸡蛋过敏"]),
        ("八点开门，周一休", "work", {}, ["八点开门，周一休"]),
        (
            "鸡蛋过敏",
            "health",
            {"change": [{"line": "L1", "text": "喜欢茶", "facts": ["N1"]}]},
            ["鸡蛋过敏"],
        ),
    ],
)
async def test_a_line_that_rests_on_superseded_facts_is_shown_as_outdated_and_ends_unless_it_is_guarded_or_says_more(
    text: str, kind: Any, answer: dict[str, Any], held: list[str]
) -> None:
    settings, chat, filed = (
        settings_for(Path("/nowhere")),
        AnsweringChat(answer),
        dict[str, Event](),
    )
    job = make_job(group_fields(new_info=["我喜欢茶"]), settings, lambda: 0.0)
    given: Any = part_of(job, settings, filed)
    (new,) = filed.values()
    old = replace(
        new,
        event_id="old:1",
        text=f"阿明{text}",
        superseded_by=new.event_id,
        superseded_at=new.timestamp,
    )
    filed[old.event_id] = old
    line = ProfileLine("a", text, kind, 1, "2026-01-01", "2026-01-01", evidence=(old.event_id,))
    key = ProfileKey("user", "42")
    stored = Profile(key, name="阿明", lines=(line,), revision=1)
    update = await merge_profile(
        given, Runtime(context=context_of(settings, chat, filed, {key: stored}))
    )
    assert f"L1 [{kind}，已过时] {text}" in str(chat.asked[0])
    lines = texts(update) if update["proposed_profiles"] else [one.text for one in stored.lines]
    assert [one for one in lines if one == text] == held


async def test_with_a_line_end_the_facts_of_the_conversation_that_say_what_it_says() -> None:
    settings, filed = settings_for(Path("/nowhere")), dict[str, Event]()
    chat = AnsweringChat({"end": [{"line": "L1", "facts": ["N1"]}]})
    job = make_job(group_fields(new_info=["我搬到了成都"]), settings, lambda: 0.0)
    given: Any = part_of(job, settings, filed)
    (new,) = filed.values()
    told = {
        name: replace(new, event_id=name, text=text)
        for name, text in (("a:1", "阿明住在杭州"), ("b:1", "阿明的猫叫阿橘"))
    }
    elsewhere = replace(new, event_id="c:1", text="阿明住在杭州", group_id="7")
    filed |= {**told, "c:1": elsewhere}
    line = ProfileLine(
        "a", "住在杭州", "home", 3, "2026-01-01", "2026-01-01", evidence=("a:1", "b:1", "c:1")
    )
    key = ProfileKey("user", "42")
    stored = Profile(key, name="阿明", lines=(line,), revision=1)
    update = await merge_profile(
        given, Runtime(context=context_of(settings, chat, filed, {key: stored}))
    )
    assert update["links"] == [("a:1", new.event_id)] and texts(update) == []
