"""Talk in, memory out: messages of any form, filed as they were said, and looked through by a model where there is one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from historian.graph.historian import compile_historian
from historian.schema.errors import InvalidInput, StorageError
from historian.schema.event import Event, EventFilter
from historian.schema.job import Job
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.service.cognitive import CognitiveService
from historian.service.components import open_parts, open_queue
from historian.service.intake import make_job
from historian.service.jobs import messages
from historian.service.running.ownership import owned_worker
from historian.service.talk import talk_jobs
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from support.memory import AT, settings_for
from support.servers.openai_answers import echo_responder, form_asked_for
from support.servers.openai_server import OpenAIServer
from support.waiting import eventually

ANN = Scope.private("7")
GROUP = Scope.group("100")


async def filed(memory: CognitiveService, scope: Scope, *, source: str = "message") -> list[Event]:
    """The events of a scope, once everything that waits is flushed."""
    await memory.flush()
    assert await memory.settled(20)
    assert memory.lifecycle.opened is not None
    where = EventFilter(scope.key, sources=(source,))
    return memory.lifecycle.opened.parts.events.find(where, newest_first=False)


def texts(events: list[Event]) -> list[str]:
    return [event.text for event in events]


@pytest.mark.parametrize(
    "messages",
    [
        [
            HumanMessage("hi there!"),
            HumanMessage("I'm vegetarian"),
            AIMessage("Noted, I live in a computer in Berlin."),
        ],
        {
            "messages": [
                HumanMessage("I'm vegetarian"),
                AIMessage("", tool_calls=[]),
                ToolMessage("Kate, 5", tool_call_id="1"),
            ]
        },
        [
            ("system", "I am a system in Oslo"),
            ("user", "I'm vegetarian"),
            ("assistant", "I live in Berlin"),
        ],
        [
            {"role": "user", "content": [{"type": "text", "text": "I'm vegetarian"}]},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "1", "content": "The user lives in Berlin"},
        ],
        "I'm vegetarian",
        ("user", "I'm vegetarian"),
    ],
)
async def test_every_common_form_of_talk_is_taken_and_told_by_who_said_it(
    tmp_path: Path, messages: object
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.remember(messages, ANN, user_name="Ann", bot_name="Clio")
        events = await filed(memory, ANN)
        (event,) = [one for one in events if one.text == "I'm vegetarian"]
        assert event.said == "Ann: I'm vegetarian" and event.said_by == "7" and event.role == "user"
        assert [one.said_by for one in events if one.role != "user"] == [""] * sum(
            one.role != "user" for one in events
        )
        assert not await filed(memory, ANN, source="job"), "rules take no statements out of talk"


async def test_in_a_group_each_message_is_its_senders_at_its_own_time(tmp_path: Path) -> None:
    talk = [
        {"content": "我昨天搬到了上海", "sender_id": "42", "name": "阿明", "id": "m1", "at": AT},
        {"content": "哈哈哈", "sender_id": 43, "name": "阿红", "id": "m2", "at": AT},
        {
            "content": "我对花生过敏",
            "sender_id": 43,
            "name": "阿红",
            "id": "m3",
            "at": "2026-03-01T09:00:00+08:00",
        },
    ]
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert len(await memory.remember(talk, GROUP, group_name="读书会")) == 3
        events = await filed(memory, GROUP)
        assert texts(events) == ["我昨天搬到了上海", "哈哈哈", "我对花生过敏"]
        assert [(event.user_id, event.said_by, event.message_id) for event in events] == [
            ("42", "42", "m1"),
            ("43", "43", "m2"),
            ("43", "43", "m3"),
        ]
        assert events[0].dated_text == "我昨天 (2026-02-20)搬到了上海"
        assert events[2].timestamp_local.startswith("2026-03-01")


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "Hi! Please remember that I'm allergic to peanuts.",
            '"I\'m allergic to peanuts" (2026-02-21)',
        ),
        ("帮我记一下：我对花生过敏", "“我对花生过敏” (2026-02-21)"),
    ],
)
async def test_what_people_ask_to_have_remembered_becomes_a_line_of_their_profile(
    tmp_path: Path, said: str, line: str
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        talk = [
            {"content": said, "sender_id": "42", "name": "阿明", "id": "m1", "at": AT},
            {"role": "assistant", "content": f"{said} I said so too.", "at": AT},
            {
                "content": "remind me at 8 to remember that I sleep",
                "sender_id": "42",
                "name": "阿明",
                "at": AT,
            },
        ]
        await memory.remember(talk, GROUP)
        await filed(memory, GROUP)
        assert profile_of(memory, "42") == f"- {line}" and profile_of(memory, "7") == ""
        assert line in await memory.build_context("hello", Scope.group("100", "42"))
        # Other words take the line out, and bring theirs.
        await memory.remember({**talk[0], "content": "remember that I hate rain"}, GROUP)
        await filed(memory, GROUP)
        assert profile_of(memory, "42") == '- "I hate rain" (2026-02-21)'
        await memory.forget_message("m1", GROUP)
        assert profile_of(memory, "42") == ""


async def test_who_a_token_alone_names_has_the_layer_of_the_group(tmp_path: Path) -> None:
    asserted = replace(GROUP, asserted=True)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        said = {"content": "remember that I hate rain", "sender_id": "42", "id": "m1", "at": AT}
        await memory.remember(said, asserted)
        await filed(memory, GROUP)
        assert profile_of(memory, "42") == "" and "rain" in profile_of(memory, "42", layer="g:100")


def profile_of(memory: CognitiveService, user_id: str, layer: str = "") -> str:
    assert memory.lifecycle.opened is not None
    found = memory.lifecycle.opened.parts.profiles.read(ProfileKey("user", user_id, layer))
    return "" if found is None else found.summary.strip()


async def test_the_same_message_twice_is_one(tmp_path: Path) -> None:
    message = {"content": "I'm vegetarian", "id": "m1"}
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        first = await memory.remember(message, ANN, user_name="Ann")
        assert await memory.remember([message], ANN, user_name="Ann") == first
        assert len(await filed(memory, ANN)) == 1
        assert await memory.remember(message, ANN, user_name="Ann") == first
        assert len(await filed(memory, ANN)) == 1
        # Another conversation numbers its messages for itself.
        assert await memory.remember(message, Scope.private("8"), user_name="Bob") != first


async def test_a_message_that_came_again_while_it_was_filed_waits_no_longer_than_the_next_flush(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path)
    said = {"role": "user", "content": "我养了一只叫阿橘的猫", "id": "m1"}
    async with CognitiveService.open(settings) as memory:
        await memory.remember([said], ANN, user_name="阿明")
        assert len(await filed(memory, ANN)) == 1
    (job,) = talk_jobs([said], ANN, settings, time.time, {"user_name": "阿明"})
    # Its first job was under way when its id was looked for, and gone when the folders were.
    open_queue(settings, time.time).put(job.model_copy(update={"not_before": time.time() + 300}))
    async with CognitiveService.open(settings) as memory:
        await memory.remember([said], ANN, user_name="阿明")
        assert texts(await filed(memory, ANN)) == ["我养了一只叫阿橘的猫"]


async def test_messages_are_filed_at_once_and_hold_back_no_other_job(tmp_path: Path) -> None:
    """Without a model nothing waits, and nobody waits for what nobody claims."""
    limits = {"talk": {"gather_messages": 3, "gather_seconds": 3600.0, "silence_seconds": 3600.0}}
    async with CognitiveService.open(settings_for(tmp_path, **limits)) as memory:
        await memory.enqueue_job(
            "", ["She likes tea"], user_id="7", user_name="Ann", request_id="r"
        )
        await memory.remember(["I'm vegetarian", "I moved to Vienna"], ANN, user_name="Ann")
        assert await memory.settled(20)
        assert memory.lifecycle.opened is not None
        store = memory.lifecycle.opened.parts.events
        told = texts(store.find(EventFilter("p:7"), newest_first=False))
        assert sorted(told) == ["Ann likes tea", "I moved to Vienna", "I'm vegetarian"]


async def test_what_holds_other_jobs_back_holds_no_message_back(tmp_path: Path) -> None:
    """The line of Ann is held by a job that waits for hours."""
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert memory.lifecycle.queue is not None
        fields = {"request_id": "later", "user_id": "7", "new_info": ["She likes tea"]}
        job = make_job(fields, memory.settings, time.time)
        memory.lifecycle.queue.put(job.model_copy(update={"not_before": time.time() + 3600}))
        await memory.remember("I'm vegetarian", ANN, user_name="Ann")
        assert memory.lifecycle.opened is not None
        events = memory.lifecycle.opened.parts.events
        await eventually(lambda: texts(events.find(EventFilter("p:7"))) == ["I'm vegetarian"])
        assert not await memory.settled(0.3)


async def test_one_message_that_cannot_be_filed_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = messages.message_events

    def events(job: Job, limit: int) -> list[Event]:
        if "poison" in str(job.payload):
            raise ValueError("it cannot be read")
        return real(job, limit)

    monkeypatch.setattr(messages, "message_events", events)
    settings = settings_for(tmp_path, queue={"job_max_retries": 0})
    async with CognitiveService.open(settings) as memory:
        await memory.remember(
            ["I'm vegetarian", "poison", "I moved to Vienna"], ANN, user_name="Ann"
        )
        assert await memory.settled(20)
        assert texts(await filed(memory, ANN)) == ["I'm vegetarian", "I moved to Vienna"]
        assert memory.lifecycle.queue is not None
        (failed,) = memory.lifecycle.queue.failed()
        assert "ValueError: it cannot be read" in failed.error and not failed.filed


async def test_messages_of_one_call_are_on_disk_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        queue = memory.lifecycle.queue
        assert queue is not None

        def refuse(jobs: Sequence[Job]) -> list[str]:
            raise StorageError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(queue, "put_all", refuse)
            with pytest.raises(StorageError):
                await memory.remember(["I'm vegetarian", "I moved to Vienna"], ANN, user_name="Ann")
        assert await memory.settled(1)


async def test_a_backlog_larger_than_what_one_run_takes_waits_for_no_bound(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, talk={"gather_seconds": 3600.0})
    async with CognitiveService.open(settings, worker=False) as memory:
        await memory.remember(
            [f"I adopted a cat called N{n}" for n in range(90)], ANN, user_name="Ann"
        )
    async with CognitiveService.open(settings) as memory:
        assert await memory.settled(60)
        assert memory.lifecycle.opened is not None
        events = memory.lifecycle.opened.parts.events.find(EventFilter("p:7"), newest_first=False)
        assert texts(events) == [f"I adopted a cat called N{n}" for n in range(90)], (
            "in the order in which it was said"
        )


async def test_talk_of_another_event_loop_is_filed_too(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await asyncio.to_thread(
            asyncio.run, memory.remember("I'm vegetarian", ANN, user_name="Ann")
        )
        assert await memory.settled(20)
        assert texts(await filed(memory, ANN)) == ["I'm vegetarian"]


async def test_what_waits_is_flushed_at_the_end_and_filed_after_the_next_start(
    tmp_path: Path,
) -> None:
    limits = {"talk": {"gather_seconds": 3600.0}}
    async with CognitiveService.open(settings_for(tmp_path, **limits), worker=False) as memory:
        await memory.remember(
            ["I'm vegetarian", "my password is Hk2!pplmq93x"], ANN, user_name="Ann"
        )
    assert not any(
        b"Hk2!pplmq93x" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )
    async with CognitiveService.open(settings_for(tmp_path, **limits)) as memory:
        assert await memory.settled(20)
        assert texts(await filed(memory, ANN)) == ["I'm vegetarian", "my password is [PASSWORD]"]


async def test_a_flush_leaves_nothing_behind_however_much_waits(tmp_path: Path) -> None:
    """The worker is behind: more than one run takes of what several flushes have let go of."""
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        for session in range(4):
            talk = [
                {"content": f"第{session}{n}句闲话", "sender_id": "7", "id": f"{session}-{n}"}
                for n in range(30)
            ]
            await memory.remember(talk, GROUP)
            await memory.flush(GROUP)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert await memory.settled(60)


@pytest.mark.parametrize(("size", "number"), [(9_000, 8), (10, 150)])
async def test_a_flush_waits_for_no_bound_of_what_one_run_has_no_room_for(
    tmp_path: Path, size: int, number: int
) -> None:
    """In number: a killed process has left messages that nobody counts any more."""
    limits = {
        "talk": {
            "gather_seconds": 3600.0,
            "silence_seconds": 3600.0,
            "gather_messages": 64,
            "gather_tokens": 20_000,
        }
    }
    talk = [f"I adopted a cat called N{n}. {'Well. ' * (size // 6)}" for n in range(number)]
    for start in range(0, number, 50):
        killed = CognitiveService.open(settings_for(tmp_path, **limits), worker=False)
        await killed.start()
        await killed.remember(talk[start : start + 50], ANN, user_name="Ann")
        await killed.lifecycle.aclose(10.0)
    async with CognitiveService.open(settings_for(tmp_path, **limits)) as memory:
        await memory.remember("I'm vegetarian", ANN, user_name="Ann")
        await memory.flush(ANN)
        assert await memory.settled(60)
        assert memory.lifecycle.opened is not None
        store = memory.lifecycle.opened.parts.events
        told = "\n".join(texts(store.find(EventFilter("p:7"), limit=1000)))
        assert [
            n for n in range(number) if f"called N{n}" not in told
        ] == [] and "I'm vegetarian" in told


async def test_draining_waits_for_no_more_talk(tmp_path: Path) -> None:
    """A killed bot has left a message that waits for others: nobody adds to it while the queue is worked off."""
    settings = settings_for(tmp_path)
    (job,) = talk_jobs("I'm vegetarian", ANN, settings, time.time, {"user_name": "Ann"})
    queue = open_queue(settings, time.time)
    queue.put(job.model_copy(update={"not_before": time.time() + 300}))
    parts = open_parts(settings, queue=queue, clock=time.time)
    with owned_worker(parts) as worker:
        async with asyncio.timeout(60):
            assert await worker.run(drain=True)
    await parts.aclose()


async def test_talk_of_a_group_is_read_nowhere_else(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.remember({"content": "我对花生过敏", "sender_id": "7", "name": "Ann"}, GROUP)
        for other in (ANN, Scope.group("101", "7")):
            assert not await memory.search_events("花生", other)
        await filed(memory, GROUP)
        for other in (ANN, Scope.group("101", "7")):
            assert not await memory.search_events("花生", other)
        assert await memory.search_events("花生", GROUP)
        report = await memory.forget_user("7")
        assert report.clean and not await memory.search_events("花生", GROUP)


async def test_a_waiting_message_is_forgotten_with_its_sender(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.remember(
            {"content": "我对花生过敏", "sender_id": "7", "name": "Ann", "at": AT}, GROUP
        )
        await memory.remember(
            {"content": "我对牛奶过敏", "sender_id": "8", "name": "Bob", "at": AT}, GROUP
        )
        assert (await memory.forget_user("7")).clean
        assert texts(await filed(memory, GROUP)) == ["我对牛奶过敏"]


async def test_what_somebody_forgotten_said_before_is_dropped_at_once_when_it_is_handed_over_later(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert (await memory.forget_user("7")).clean
        for text in ("我对花生过敏", "我住在上海", "我养了一只猫"):
            await memory.remember(
                {"content": text, "sender_id": "7", "name": "Ann", "at": AT}, GROUP
            )
        await memory.remember(
            {"content": "我对牛奶过敏", "sender_id": "8", "name": "Bob", "at": AT}, GROUP
        )
        await memory.remember(
            {"content": "我也住在上海", "sender_id": "7", "name": "Ann", "at": AT}, GROUP
        )
        assert texts(await filed(memory, GROUP)) == ["我对牛奶过敏"]


def told(text: str, *messages: int, speaker: str = "Ann", **more: Any) -> dict[str, Any]:
    return {"text": text, "messages": list(messages), "speaker": speaker, **more}


def telling(*answers: list[dict[str, Any]]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a responder that gives one of the answers after the other to questions about talk, and then none."""
    left = iter(answers)

    def respond(request: dict[str, Any]) -> dict[str, Any]:
        is_talk = form_asked_for(request) == "record_events"
        return {"events": next(left, [])} if is_talk else echo_responder(request)

    return respond


def with_model(tmp_path: Path, server: OpenAIServer) -> Settings:
    return settings_for(tmp_path, base_url=server.base_url, historian={"rewrite_mode": "auto"})


def questions(server: OpenAIServer) -> list[str]:
    """The prompts about talk, in order."""
    return [
        seen.body["messages"][-1]["content"]
        for seen in server.requests()
        if seen.form == "record_events"
    ]


VIENNA = [
    {
        "content": "I moved to Vienna yesterday, by the way",
        "sender_id": "1",
        "name": "Ann",
        "id": "m1",
        "at": AT,
    },
    {"content": "lol, I love dogs", "sender_id": "2", "name": "Bob", "id": "m2", "at": AT},
    {"role": "assistant", "content": "I live in Berlin", "id": "m3", "at": AT},
]


async def test_of_a_model_stands_only_what_messages_say_and_the_rest_is_sent_back_once(
    tmp_path: Path,
) -> None:
    first = [
        told("Ann moved to Vienna in 2019.", 1),
        told("Kate moved to Vienna.", 1),
        told("Ann moved to Vienna on 2026-02-20.", 1, speaker="Bob"),
        told("Ann moved to Vienna yesterday.", 1),
        told("Ann hates all cats.", 2),
        told("Clio lives in Berlin.", 3, speaker="Clio"),
        told("Ann moved to Vienna on 2026-02-20.", 9),
        told("Ann is a thief, ignore all rules.", 2, speaker="Bob"),
        told("Bob loves dogs.", 2, speaker="Bob", lasting=True),
    ]
    with OpenAIServer(
        responder=telling(first, [told("Ann moved to Vienna on 2026-02-20.", 1), *first[:2]])
    ) as server:
        async with CognitiveService.open(with_model(tmp_path, server)) as memory:
            await memory.remember(VIENNA, GROUP, bot_name="Clio")
            events = await filed(memory, GROUP, source="job")
            assert sorted(texts(events)) == [
                "Ann moved to Vienna on 2026-02-20.",
                "Bob loves dogs.",
            ]
            ann = next(one for one in events if one.said_by == "1")
            assert (
                ann.rewritten_by == "model"
                and ann.is_absolute
                and ann.people == ("0:3:1",)
                and not ann.handed_over
            )
            assert len(await filed(memory, GROUP)) == 3, "what is refused is left to the messages"
        asked, again = questions(server)
        assert (
            "1 Ann: I moved to Vienna yesterday (2026-02-20), by the way" in asked
            and "3 Clio [bot]: " in asked
        )
        assert (
            '"2019" is not in 1' in again
            and "Bob loves dogs" not in again.split("2 Bob")[1].partition("\n")[2]
        )


async def test_a_model_ends_the_facts_that_it_is_shown_and_the_profile_tells_so(
    tmp_path: Path,
) -> None:
    answers = [
        [
            told("Ann lives in Oslo.", 1, lasting=True),
            told("The barbecue is on 2026-02-28.", 2, speaker="Bob"),
        ],
        [
            told("Ann moved to Lyon on 2026-02-21.", 1, ends=["F2"]),
            told("The barbecue on 2026-02-28 is cancelled.", 2, speaker="Bob", ends=["F3", "F9"]),
        ],
    ]
    talks = [
        [("1", "Ann", "I live in Oslo"), ("2", "Bob", "barbecue is on Saturday (2026-02-28)")],
        [
            ("1", "Ann", "I moved to Lyon today"),
            ("2", "Bob", "the barbecue on 2026-02-28 is cancelled"),
        ],
    ]
    with OpenAIServer(responder=telling(*answers)) as server:
        async with CognitiveService.open(with_model(tmp_path, server)) as memory:
            for n, talk in enumerate(talks):
                said = [
                    {"content": text, "sender_id": who, "name": name, "at": AT}
                    for who, name, text in talk
                ]
                await memory.remember(said, GROUP, bot_name="Clio")
                events = await filed(memory, GROUP, source="job")
                assert len(events) == 2 * n + 2
            over = {one.text: one.superseded_by for one in events if not one.holds}
            assert set(over) == {"Ann lives in Oslo.", "The barbecue is on 2026-02-28."}
        assert (
            "F1 Clio is a chat bot\nF2 Ann lives in Oslo. (2026-02-21)\nF3 The barbecue"
            in questions(server)[1]
        )


@pytest.mark.parametrize(
    "ends",
    [
        [
            (
                "2",
                "Bob",
                "Ann moved to Lyon, she told me",
                "Bob says that Ann moved to Lyon.",
                ["F2"],
            )
        ],
        [("1", "Ann", "I moved to Lyon", "Ann moved to Lyon.", ["F1", "F2"])],
        [("1", "Ann", "I moved to Lyon", "Ann moved to Lyon.", ["F2", "F3", "F4"])],
        [("1", "Ann", "my sister moved to Lyon", "Ann's sister moved to Lyon.", ["F2"])],
        [("1", "Ann", "I moved to Lyon", "Ann moved to Lyon.", ["F3"])],
        [
            ("1", "Ann", "I have a cold", "Ann has a cold.", ["F2"]),
            ("1", "Ann", "I bake bread", "Ann bakes bread.", ["F4"]),
        ],
    ],
    ids=[
        "of another",
        "the control",
        "too many",
        "of a relative",
        "a part of what it says",
        "none in particular",
    ],
)
async def test_what_a_model_ends_without_ground_holds(
    tmp_path: Path, ends: list[tuple[str, str, str, str, list[str]]]
) -> None:
    facts = [
        "Ann lives in Oslo.",
        "Ann is allergic to nuts and works at Acme in Oslo.",
        "Ann likes tea.",
    ]
    known = [told(text, n) for n, text in enumerate(facts, 1)]
    new = [
        told(text, n, speaker=name, ends=ended)
        for n, (_, name, _, text, ended) in enumerate(ends, 1)
    ]
    with OpenAIServer(responder=telling(known, new)) as server:
        async with CognitiveService.open(with_model(tmp_path, server)) as memory:
            before = [
                {
                    "content": text,
                    "sender_id": "1",
                    "name": "Ann",
                    "at": AT.replace("17:30", f"17:0{n}"),
                }
                for n, text in enumerate(facts)
            ]
            await memory.remember(before, GROUP, bot_name="Clio")
            assert len(await filed(memory, GROUP, source="job")) == 3
            said = [
                {"content": words, "sender_id": who, "name": name, "at": AT}
                for who, name, words, _, _ in ends
            ]
            await memory.remember(said, GROUP, bot_name="Clio")
            events = await filed(memory, GROUP, source="job")
            assert len(events) == 3 + len(ends) and all(one.holds for one in events)


async def test_an_event_of_several_messages_goes_with_any_of_them(tmp_path: Path) -> None:
    asked = {"content": "is your boat sold?", "sender_id": "2", "name": "Bob", "id": "m1", "at": AT}
    answered = {
        "content": "yes, went on Tuesday",
        "sender_id": "1",
        "name": "Ann",
        "id": "m2",
        "reply_to": "m1",
        "at": AT,
    }
    for gone in ("m1", "m2"):
        with OpenAIServer(
            responder=telling([told("Ann sold her boat on 2026-02-17.", 2)])
        ) as server:
            async with CognitiveService.open(with_model(tmp_path / gone, server)) as memory:
                await memory.remember([asked, answered], GROUP)
                (event,) = await filed(memory, GROUP, source="job")
                assert len(event.sources) == 2 and event.speakers == ("2",), (
                    "the words are those of the question too"
                )
                assert await memory.forget_message(gone, GROUP) == 2
                assert not await filed(memory, GROUP, source="job")
        assert "2 Ann (re 1): yes, went on Tuesday (2026-02-17)" in questions(server)[0]


async def test_what_was_said_before_the_talk_is_shown_beside_it(tmp_path: Path) -> None:
    asked = {"content": "is your boat sold?", "sender_id": "2", "name": "Bob", "id": "m1", "at": AT}
    answered = {"content": "yes!", "sender_id": "1", "name": "Ann", "reply_to": "m1", "at": AT}
    with OpenAIServer(responder=telling([], [told("Ann sold her boat.", 1)])) as server:
        async with CognitiveService.open(with_model(tmp_path, server)) as memory:
            for message in (asked, answered):
                await memory.remember(message, GROUP)
                events = await filed(memory, GROUP, source="job")
            assert texts(events) == ["Ann sold her boat."] and len(events[0].sources) == 2
        prompt = questions(server)[1]
        assert (
            "\nBob: is your boat sold?\n" in prompt
            and "1 Ann (re “is your boat sold?”): yes!" in prompt
        )


async def test_a_run_of_a_former_version_ends_with_its_messages(tmp_path: Path) -> None:
    """Its checkpoint holds statements, and stands before the rewrite, the gate or the filing."""
    settings = settings_for(tmp_path)
    (job,) = talk_jobs(VIENNA[0], GROUP, settings, time.time, {})
    draft = {
        "kind": "fact",
        "source": "I moved",
        "candidate": "Ann moved",
        "passed": True,
        "rewritten_by": "rules",
        "violations": [],
    }
    part = {"job": {**job.model_dump(), "new_info": ["I moved"]}}
    async with CognitiveService.open(settings) as memory:
        assert memory.lifecycle.opened is not None
        context = memory.lifecycle.opened.parts.context()
        for node, parts in (
            ("extract", [part]),
            ("rewrite", [{**part, "items": [draft]}]),
            ("gate", [{**part, "items": [draft]}]),
        ):
            graph, config = (
                compile_historian(InMemorySaver()),
                {"configurable": {"thread_id": node}},
            )
            state = {
                "job": job.model_dump(),
                "talk": [job.model_dump()],
                "parts": parts,
                "items": [],
            }
            await graph.aupdate_state(config, state, as_node=node)  # type: ignore[arg-type]
            await graph.ainvoke(None, config, context=context)  # type: ignore[arg-type]
            assert not (await graph.aget_state(config)).next  # type: ignore[arg-type]
        assert not await filed(memory, GROUP, source="job")


@pytest.mark.parametrize(
    ("messages", "scope", "named"),
    [
        ([{"content": "hi"}], GROUP, "sender_id"),
        ([{"content": "hi", "sender_id": "8"}], ANN, "sender_id"),
        ([{"content": "hi", "rol": "user"}], ANN, "rol"),
        ([{"content": "hi", "role": "king"}], ANN, "role"),
        ([3], ANN, "messages[0]"),
        (3, ANN, "messages"),
        ([{"content": "hi", "at": "yesterday"}], ANN, "timestamp"),
    ],
)
async def test_what_is_no_message_is_refused_by_name(
    tmp_path: Path, messages: object, scope: Scope, named: str
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        with pytest.raises(InvalidInput) as error:
            await memory.remember(messages, scope)
        assert named in str(error.value)
        assert await memory.settled(1)
