"""What is no longer true, from the job to the block: links, recall, profiles, and the way back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, Scope
from historian.schema.event import Event, EventFilter
from historian.schema.profile import ProfileKey
from historian.schema.scope import PUBLIC_LAYER
from historian.schema.settings import Settings
from support.draining import open_worker, put
from support.memory import group_fields, private_fields, settings_for
from support.servers.openai_answers import Json, form_asked_for
from support.servers.openai_server import OpenAIServer

LISBON, TEA, VIENNA = "Ann lives in Lisbon", "Ann likes tea", "Ann moved to Vienna"


def at(day: int) -> str:
    return f"2026-02-{day:02}T12:00:00+08:00"


async def filed(settings: Settings, *jobs: dict[str, Any]) -> list[Event]:
    async with open_worker(settings) as (parts, worker):
        for job in jobs:
            put(parts, job)
        assert await worker.run(drain=True)
        return parts.events.find(EventFilter(None), newest_first=False)


def told(*texts: str, make: Any = private_fields) -> list[dict[str, Any]]:
    """One job a text, a day apart."""
    return [
        make(request_id=f"r{n}", new_info=[text], timestamp=at(n + 1))
        for n, text in enumerate(texts)
    ]


async def test_the_present_is_answered_by_what_holds_and_the_past_with_its_days(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path)
    events = await filed(settings, *told(LISBON, TEA, VIENNA))
    assert [event.superseded_by for event in events] == ["r2-0:0", "", ""]
    scope = Scope.private("7")
    async with CognitiveService.open(settings, worker=False) as memory:
        now = [
            hit.event.text for hit in await memory.search_events("Where does Ann live now?", scope)
        ]
        assert VIENNA in now and LISBON not in now
        before = [
            hit.event for hit in await memory.search_events("Where did Ann live before?", scope)
        ]
        assert [event.superseded_by for event in before if event.text == LISBON] == ["r2-0:0"]
        for question in ("Where does Ann live now?", "Where did Ann live before?"):
            block = await memory.build_context(question, scope)
            assert (
                0 <= block.find(f"{VIENNA} (2026-02-03)") < block.find(f"{LISBON} (2026-02-01)")
            ), "the newest stands first"


async def test_a_corrected_fact_never_comes_back(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    texts = ["阿明的航班是MU5137", "阿明喜欢茶", "阿明说看错了，航班是MU5173"]
    events = await filed(settings, *told(*texts, make=group_fields))
    assert [event.corrected_by for event in events] == ["r2-0:0", "", ""]
    async with CognitiveService.open(settings, worker=False) as memory:
        for question in ("阿明坐哪个航班", "阿明之前坐哪个航班"):
            found = [
                hit.event.text for hit in await memory.search_events(question, Scope.group("100"))
            ]
            assert any("MU5173" in text for text in found) and not any(
                "MU5137" in text for text in found
            )


async def test_a_profile_keeps_what_was_said_in_one_group_and_what_is_over_by_another_with_their_days(
    tmp_path: Path,
) -> None:
    """Links never cross conversations; the public layer of a profile is read in all of them, and its newest line stands first."""
    settings = settings_for(tmp_path)
    groups = [
        group_fields(
            group_id=group,
            user_id="7",
            user_name="Ann",
            request_id=group,
            new_info=[text],
            timestamp=at(n + 1),
        )
        for n, (group, text) in enumerate(
            (("1", "Ann likes coffee"), ("2", "Ann no longer likes coffee"))
        )
    ]
    async with open_worker(settings) as (parts, worker):
        for job in groups:
            put(parts, job)
        assert await worker.run(drain=True)
        profile = parts.profiles.read(ProfileKey("user", "7", PUBLIC_LAYER))
        assert profile is not None
        assert (
            profile.summary
            == "- Ann likes coffee (2026-02-01)\n- Ann no longer likes coffee (2026-02-02)"
        )
        assert all(event.holds for event in parts.events.find(EventFilter(None)))
    async with CognitiveService.open(settings, worker=False) as memory:
        block = await memory.build_context("What does Ann like?", Scope.group("1", "7"))
        assert 0 <= block.find("no longer likes coffee") < block.find("likes coffee (2026-02-01)")


async def test_a_change_in_one_conversation_ends_nothing_in_another(tmp_path: Path) -> None:
    """The same person, in two groups and in private."""
    places = [
        group_fields(group_id=group, user_id="7", user_name="Ann", bot_name="Clio")
        for group in ("1", "2")
    ]
    first = [
        {**place, "request_id": f"old{n}", "new_info": [LISBON], "timestamp": at(1)}
        for n, place in enumerate(places)
    ]
    private = private_fields(request_id="old2", new_info=[LISBON], timestamp=at(1))
    moved = {**places[0], "request_id": "new", "new_info": [VIENNA], "timestamp": at(2)}
    events = await filed(settings_for(tmp_path), *first, private, moved)
    assert {event.event_id: event.superseded_by for event in events} == {
        "old0-0:0": "new-0:0",
        "old1-0:0": "",
        "old2-0:0": "",
        "new-0:0": "",
    }


async def test_a_wrong_link_is_undone_and_stays_undone(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    later = private_fields(request_id="later", new_info=["Ann plays the cello"], timestamp=at(6))
    await filed(settings, *told(LISBON, TEA, VIENNA))
    async with open_worker(settings) as (parts, _):
        parts.events.uphold(["r0-0:0"])
    events = await filed(settings, later)
    assert [event.text for event in events if event.holds] == [
        LISBON,
        TEA,
        VIENNA,
        "Ann plays the cello",
    ]


AT_ONCE = {"merge_after_seconds": 0}


def ending(*pairs: tuple[str, str]) -> Json:
    return {"end": [{"line": line, "facts": [fact]} for line, fact in pairs]}


@pytest.mark.parametrize(("said", "over"), [("F2", True), ("F1", False), ("F7", False)])
async def test_a_model_says_what_is_over_where_no_rule_does(
    tmp_path: Path, said: str, over: bool
) -> None:
    def responder(request: Json) -> Json:
        assert form_asked_for(request) == "update_profiles"
        return (
            ending((said, "N1"))
            if "Former facts:" in request["messages"][-1]["content"]
            else {"end": []}
        )

    with OpenAIServer(responder=responder) as server:
        settings = settings_for(
            tmp_path, base_url=server.base_url, historian={"rewrite_mode": "rules"}, profile=AT_ONCE
        )
        events = await filed(
            settings,
            *told("Ann's landlord is strict about pets", "Ann's landlord lets her keep a parrot"),
        )
    assert [bool(event.superseded_by) for event in events] == [over, False]


BREAKFAST, CANTEEN = "Ann eats breakfast at home", "Ann has her morning meal in the canteen"


async def test_a_model_is_shown_what_is_told_in_other_words(tmp_path: Path) -> None:
    def responder(request: Json) -> Json:
        shown = request["messages"][-1]["content"]
        return ending(("F2", "N1")) if f"F2: {BREAKFAST}" in shown else {"end": []}

    with OpenAIServer(responder=responder) as server:
        settings = settings_for(
            tmp_path,
            base_url=server.base_url,
            embedding="local",
            historian={"rewrite_mode": "rules"},
            profile=AT_ONCE,
        )
        events = await filed(settings, *told(TEA, BREAKFAST, "Ann has a cat called Moose", CANTEEN))
    assert [event.superseded_by for event in events] == ["", "r3-0:0", "", ""]


async def test_of_facts_that_waited_together_a_model_says_which_ends_which(tmp_path: Path) -> None:
    asked: list[str] = []

    def responder(request: Json) -> Json:
        asked.append(request["messages"][-1]["content"])
        return ending(("N1", "N2"))

    with OpenAIServer(responder=responder) as server:
        settings = settings_for(
            tmp_path, base_url=server.base_url, historian={"rewrite_mode": "rules"}
        )
        events = await filed(
            settings,
            *told("Ann's landlord is strict about pets", "Ann's landlord lets her keep a parrot"),
        )
    assert (
        [event.superseded_by for event in events] == ["r1-0:0", ""]
        and len(asked) == 1
        and "F2" not in asked[0]
    )


@pytest.mark.parametrize(
    ("named", "ended"), [(["F2"], 1), (["F1"], 0), (["F1", "F2"], 0), (["F2", "F3", "F4"], 0)]
)
async def test_a_model_that_ends_whatever_it_is_shown_is_not_believed(
    tmp_path: Path, named: list[str], ended: int
) -> None:
    """Its answer counts if it leaves the control, which stands first."""
    told_before = (
        "Ann has an offer on her house in Bath",
        "Ann has red running shoes",
        TEA,
        "Ann has a cat called Moose",
    )

    def responder(request: Json) -> Json:
        is_last = "handed back" in request["messages"][-1]["content"]
        return ending(*((one, "N1") for one in named)) if is_last else {"end": []}

    with OpenAIServer(responder=responder) as server:
        settings = settings_for(
            tmp_path,
            base_url=server.base_url,
            embedding="local",
            historian={"rewrite_mode": "rules"},
            profile=AT_ONCE,
        )
        events = await filed(settings, *told(*told_before, "Ann handed back her keys"))
    assert [event.superseded_by for event in events].count("r4-0:0") == ended
