"""One thing corrected everywhere: what was wrong stands in no profile, event, message or block, and
comes back by `undo` alone."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from historian import CognitiveService, InvalidInput, Scope
from historian.schema.correction import Correction
from historian.schema.profile import ProfileLine
from historian.schema.settings import Settings
from historian.schema.summary import Article, ArticleKey
from historian.stores.backend import Backend
from historian.stores.opening import open_backend, open_queue
from support.articles import chapters_of
from support.memory import settings_for
from support.postgres import on_server

ANN, BEA = Scope.private("7"), Scope.private("8")
GROUP = Scope.group("100", "7")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[CognitiveService]:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        yield memory


async def told(
    memory: CognitiveService, *facts: str, scope: Scope = ANN, request: str = ""
) -> None:
    where = {"user_id": "7", "user_name": "Ann", "group_id": scope.group_id or None}
    await memory.enqueue_job(
        new_info=list(facts), **where, **({"request_id": request} if request else {})
    )
    assert await memory.settled(20)


async def lines(memory: CognitiveService, scope: Scope = ANN) -> list[ProfileLine]:
    from historian.service.corrections.plan import lines_in, profile_keys

    return [
        line
        for _, line in lines_in(
            memory.lifecycle.in_use().parts, profile_keys(memory.lifecycle.in_use().parts, scope)
        )
    ]


async def told_by(memory: CognitiveService, words: str, scope: Scope = ANN) -> list[str]:
    """The places that say some words: lines, events, block."""
    places = [f"line {line.text}" for line in await lines(memory, scope) if words in line.text]
    places += [
        f"event {one.text}"
        for one in await memory.list_events(scope)
        if words in one.text and one.holds
    ]
    block = await memory.build_context(f"What about {words}?", scope)
    return places + (
        [f"block {block}"] if words in block.replace(f"What about {words}?", "") else []
    )


async def test_a_deleted_line_is_told_nowhere_and_undo_brings_it_back(
    memory: CognitiveService,
) -> None:
    await told(memory, "She is vegetarian")
    await told(memory, "She is vegetarian", "She lives in Leeds")
    (line,) = [one for one in await lines(memory) if "vegetarian" in one.text]
    before = await lines(memory)
    preview = await memory.delete_line(line.line_id, scope=ANN, dry_run=True)
    assert (
        preview.correction_id == "" and len(preview.events) == 2 and await lines(memory) == before
    )
    done = await memory.delete_line(line.line_id, scope=ANN)
    assert [one.text for _, one in done.lines] == [line.text] and len(done.events) == 2
    assert await told_by(memory, "vegetarian") == []
    assert await told_by(memory, "Leeds")
    assert [one.correction_id for one in await memory.list_corrections(scope=ANN)] == [
        done.correction_id
    ]
    assert await memory.list_corrections(scope=BEA) == []
    with pytest.raises(InvalidInput, match="correction_id: there is no correction"):
        await memory.undo(done.correction_id, scope=BEA)
    back = await memory.undo(done.correction_id, scope=ANN)
    assert back.is_undone and sorted(one.text for one in await lines(memory)) == sorted(
        one.text for one in before
    )
    assert len([one for one in await memory.list_events(ANN) if "vegetarian" in one.text]) == 2
    with pytest.raises(InvalidInput, match="is undone already"):
        await memory.undo(done.correction_id, scope=ANN)


async def test_an_edited_line_is_told_by_profile_event_and_block(memory: CognitiveService) -> None:
    await told(memory, "She is vegetarian")
    await told(memory, "She is vegetarian")
    (line,) = await lines(memory)
    done = await memory.edit_line(line.line_id, "Ann eats fish", scope=ANN)
    assert isinstance(done, Correction) and await told_by(memory, "vegetarian") == []
    (now,) = await lines(memory)
    assert (now.text, now.line_id) == ("Ann eats fish", line.line_id)
    assert [one.text for one in await memory.list_events(ANN)] == ["Ann eats fish"]
    assert now.evidence == tuple(one.event_id for one in await memory.list_events(ANN))
    await memory.undo(done.correction_id, scope=ANN)
    assert [one.text for one in await lines(memory)] == [line.text]
    assert [one.text for one in await memory.list_events(ANN)] == [line.text, line.text]


async def test_a_message_that_was_asked_to_be_remembered_is_hidden_and_a_new_event_says_what_is_right(
    memory: CognitiveService,
) -> None:
    await memory.remember(said("m1", "Remember that I'm vegetarian"), ANN)
    await memory.remember(said("m2", "nice weather"), ANN)
    assert await memory.settled(20)
    (line,) = await lines(memory)
    done = await memory.edit_line(line.line_id, "Ann eats everything", scope=ANN)
    assert [one.text for one in done.messages] == ["Remember that I'm vegetarian"]
    assert await told_by(memory, "vegetarian") == []
    assert {line.split()[0] for line in await told_by(memory, "everything")} == {
        "line",
        "event",
        "block",
    }
    await memory.undo(done.correction_id, scope=ANN)
    assert (
        await told_by(memory, "everything") == [] and len(await told_by(memory, "vegetarian")) == 3
    )


async def test_a_bot_corrects_with_one_call(memory: CognitiveService) -> None:
    await told(memory, "She is vegetarian", "She likes vegetarian pizza", "She has two cats")
    found = await memory.correct("vegetarian", scope=ANN)
    assert isinstance(found, list) and [one.kind for one in found] == ["line", "line"]
    assert isinstance(
        await memory.correct("has two cats", "Ann has three cats", scope=ANN), Correction
    )
    assert await told_by(memory, "two cats") == [] and await told_by(memory, "three cats")
    target = next(one.target_id for one in found if "pizza" not in one.text)
    done = await memory.correct("vegetarian", scope=ANN, target_id=target)
    assert isinstance(done, Correction)
    assert [one.text for one in await lines(memory) if "vegetarian" in one.text] == [
        "Ann likes vegetarian pizza"
    ]
    assert await memory.correct("quantum physics", scope=ANN) == []


async def test_pins_are_lines_of_their_conversation(memory: CognitiveService) -> None:
    pinned = await memory.pin("Never mention her ex", ANN, expires_at="2126-01-01T00:00:00+00:00")
    assert pinned.pinned and pinned.kind == "boundary" and await memory.list_pins(ANN) == [pinned]
    assert "Never mention her ex" in await memory.build_context("hello", ANN)
    assert await memory.list_pins(BEA) == await memory.list_pins(GROUP) == []
    for wrong in (
        "2001-01-01T00:00:00+00:00",
        5.0,
        "tomorrow",
        "2126-01-01T00:00:00",
        True,
        float("nan"),
    ):
        with pytest.raises(InvalidInput, match="expires_at"):
            await memory.pin("x", ANN, expires_at=wrong)
    assert await memory.unpin(pinned.line_id, ANN) and not await memory.unpin(pinned.line_id, ANN)
    assert await lines(memory) == []


async def test_a_pin_that_ended_a_week_ago_leaves_its_profile_when_another_one_is_added(
    tmp_path: Path,
) -> None:
    now = time.time()
    async with CognitiveService.open(
        settings_for(tmp_path), worker=False, clock=lambda: now
    ) as memory:
        await memory.pin("Ann is on holiday", ANN, expires_at=now + 60)
        now += 6 * 86_400
        await memory.pin("Never mention her ex", ANN)
        assert len(await lines(memory)) == 2 and len(await memory.list_pins(ANN)) == 1
        now += 2 * 86_400
        await memory.pin("Call her Annie", ANN)
        assert [one.text for one in await lines(memory)] == [
            "Never mention her ex",
            "Call her Annie",
        ]


def said(message_id: str, text: str) -> dict[str, str]:
    return {"role": "user", "content": text, "sender_id": "7", "name": "Ann", "id": message_id}


CANARY = "collects porcelain lighthouses"


def settings_at(
    engine: str, directory: Path, request: pytest.FixtureRequest, **more: object
) -> Settings:
    settings = settings_for(directory, **more)
    return (
        settings
        if engine == "sqlite"
        else on_server(settings, request.getfixturevalue("schema").name)
    )


async def _line_id(memory: CognitiveService, scope: Scope = ANN) -> str:
    return next(one.line_id for one in await lines(memory, scope) if "porcelain" in one.text)


async def _event_id(memory: CognitiveService) -> str:
    return next(one.event_id for one in await memory.list_events(ANN) if "porcelain" in one.text)


async def by_delete_line(memory: CognitiveService) -> None:
    await memory.delete_line(await _line_id(memory), scope=ANN)


async def by_delete_line_of_the_owner(memory: CognitiveService) -> None:
    await memory.delete_line(await _line_id(memory), scope=None)


async def by_edit_line(memory: CognitiveService) -> None:
    await memory.edit_line(await _line_id(memory), "Ann collects stamps", scope=ANN)


async def by_delete_event(memory: CognitiveService) -> None:
    await memory.delete_event(await _event_id(memory), scope=ANN)


async def by_edit_event(memory: CognitiveService) -> None:
    await memory.edit_event(await _event_id(memory), "Ann collects stamps", scope=ANN)


async def by_correct(memory: CognitiveService) -> None:
    assert isinstance(
        await memory.correct("collects porcelain lighthouses", "Ann collects stamps", scope=ANN),
        Correction,
    )


async def by_forget_user(memory: CognitiveService) -> None:
    assert (await memory.forget_user("7")).clean


WAYS = (
    by_delete_line,
    by_delete_line_of_the_owner,
    by_edit_line,
    by_delete_event,
    by_edit_event,
    by_correct,
    by_forget_user,
)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_a_fact_is_in_no_line_event_block_or_byte_after_each_way(
    way: Callable[[CognitiveService], Awaitable[None]],
    engine: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    settings = settings_at(engine, tmp_path, request, undo_hours=0)
    async with CognitiveService.open(settings) as memory:
        await told(memory, f"She {CANARY}")
        await told(memory, "She has two cats")
        assert await told_by(memory, "porcelain")
        await way(memory)
        assert await memory.list_corrections(scope=None) == []
        assert await told_by(memory, "porcelain") == []
        assert bool(await told_by(memory, "two cats")) == (way is not by_forget_user)
        parts = memory.lifecycle.in_use().parts
        assert all(
            "porcelain" not in line
            for key in parts.profiles.keys()  # noqa: SIM118 - no dict
            for line in parts.profiles.lines(key)
        )
        assert parts.backend.erasure.overwrite(insist=True) or engine == "postgres"
        await memory.settled(20)
    with contextlib.closing(open_parts_of(settings)) as backend:
        found = [one.place for one in backend.stored_bytes([]) if b"porcelain" in one.data]
    assert found == []


def open_parts_of(settings: Settings) -> Backend:
    queue = open_queue(settings, time.time)
    return open_backend(settings, queue)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
async def test_what_waits_in_the_queue_does_not_bring_it_back_but_what_is_told_later_does(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    settings = settings_at(engine, tmp_path, request)
    async with CognitiveService.open(settings) as memory:
        await told(memory, "She is vegetarian")
    async with CognitiveService.open(settings, worker=False) as memory:
        await memory.enqueue_job(
            new_info=["She is vegetarian", "She lives in Leeds"], user_id="7", user_name="Ann"
        )
        (line,) = [one for one in await lines(memory) if "vegetarian" in one.text]
        await memory.delete_line(line.line_id, scope=ANN)
        assert "vegetarian" not in await memory.build_context("what does she eat", ANN)
    async with CognitiveService.open(settings) as memory:
        assert await memory.settled(20)
        assert await told_by(memory, "vegetarian") == [] and await told_by(memory, "Leeds")
        await told(memory, "She is vegetarian")
        assert await told_by(memory, "vegetarian")


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
async def test_undo_ends_with_its_time_and_with_the_person(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    now = [time.time()]
    settings = settings_at(engine, tmp_path, request, undo_hours=1)
    async with CognitiveService.open(settings, clock=lambda: now[0]) as memory:
        await told(memory, "She is vegetarian", "She has two cats", "She plays the piano")
        done = [
            await memory.delete_line(one.line_id, scope=ANN) for one in (await lines(memory))[:2]
        ]
        await memory.undo(done[0].correction_id, scope=None)
        now[0] += 3_601
        with pytest.raises(InvalidInput, match="list_corrections"):
            await memory.undo(done[1].correction_id, scope=ANN)
        assert await memory.list_corrections(scope=ANN) == []
        last = await memory.delete_event((await memory.list_events(ANN))[0].event_id, scope=ANN)
        assert (await memory.forget_user("7")).clean
        with pytest.raises(InvalidInput, match="are deleted earlier if a person"):
            await memory.undo(last.correction_id, scope=ANN)
        assert await lines(memory) == [] and await memory.list_events(ANN) == []


@pytest.mark.parametrize("rule", ["private_separate", "per_group", "shared"])
async def test_a_pin_is_read_in_its_conversation_alone_under_every_rule_of_layers(
    rule: str, tmp_path: Path
) -> None:
    async with CognitiveService.open(
        settings_for(tmp_path, profile={"profile_layers": rule})
    ) as memory:
        await told(memory, "I play the piano", scope=GROUP)
        await memory.pin("Call her captain", ANN)
        await memory.pin("群里不谈价格", GROUP)
        blocks = {scope: await memory.build_context("piano", scope) for scope in (ANN, GROUP, BEA)}
        assert "captain" in blocks[ANN] and "captain" not in blocks[GROUP] + blocks[BEA]
        assert "群里不谈价格" in blocks[GROUP] and "群里不谈价格" not in blocks[ANN] + blocks[BEA]
        assert [one.text for one in await memory.list_pins(GROUP)] == ["群里不谈价格"]


async def test_pins_are_bounded_and_an_undone_correction_keeps_what_was_changed_since(
    memory: CognitiveService,
) -> None:
    for n in range(50):
        await memory.pin(f"rule number {n}", ANN)
    assert await memory.pin("Rule number 7!", ANN) in await memory.list_pins(ANN)
    with pytest.raises(InvalidInput, match="50 pins"):
        await memory.pin("one more", ANN)
    with pytest.raises(InvalidInput, match="at most 500"):
        await memory.pin("x" * 501, ANN)
    (line,) = [one for one in await lines(memory) if one.text == "rule number 3"]
    first = await memory.edit_line(line.line_id, "rule number three", scope=ANN)
    await memory.edit_line(line.line_id, "rule number 3000", scope=ANN)
    await memory.undo(first.correction_id, scope=ANN)
    assert [one.text for one in await lines(memory) if one.line_id == line.line_id] == [
        "rule number 3000"
    ]


async def test_a_line_with_more_evidence_stays_when_one_event_goes(
    memory: CognitiveService,
) -> None:
    await told(memory, "She is vegetarian")
    await told(memory, "She is vegetarian")
    first, second = await memory.list_events(ANN)
    await memory.delete_event(first.event_id, scope=ANN)
    (line,) = await lines(memory)
    assert line.evidence == (second.event_id,)
    done = await memory.delete_event(second.event_id, scope=ANN)
    assert [one.line_id for _, one in done.lines] == [line.line_id] and await lines(memory) == []
    await memory.undo(done.correction_id, scope=ANN)
    assert [one.text for one in await lines(memory)] == [line.text]


async def test_of_two_edits_the_first_is_not_undone_over_the_second(
    memory: CognitiveService,
) -> None:
    await told(memory, "She is vegetarian")
    (line,) = await lines(memory)
    first = await memory.edit_line(line.line_id, "Ann eats fish", scope=ANN)
    second = await memory.edit_line(line.line_id, "Ann eats meat", scope=ANN)
    await memory.undo(first.correction_id, scope=ANN)
    assert (
        [one.text for one in await memory.list_events(ANN)]
        == ["Ann eats meat"]
        == [one.text for one in await lines(memory)]
    )
    await memory.undo(second.correction_id, scope=ANN)
    assert (
        [one.text for one in await memory.list_events(ANN)]
        == ["Ann eats fish"]
        == [one.text for one in await lines(memory)]
    )


async def test_nobody_corrects_what_is_of_another_conversation(memory: CognitiveService) -> None:
    await told(memory, "She is vegetarian")
    (line,) = await lines(memory)
    for scope in (BEA, GROUP, Scope.group("100", "8")):
        with pytest.raises(InvalidInput, match="line_id: there is no line"):
            await memory.delete_line(line.line_id, scope=scope)
        with pytest.raises(InvalidInput, match="target_id: there is no line or event"):
            await memory.correct("vegetarian", scope=scope, target_id=line.line_id)
    with pytest.raises(InvalidInput, match="text: nothing to change"):
        await memory.edit_line(line.line_id, scope=ANN)
    with pytest.raises(InvalidInput, match="kind: expected one of"):
        await memory.edit_line(line.line_id, scope=ANN, kind="mood")  # type: ignore[arg-type]
    assert await lines(memory) == [line]


def message_of(text: str, who: str = "7", name: str = "Ann", n: str = "1") -> dict[str, str]:
    return {"role": "user", "content": text, "sender_id": who, "name": name, "id": n}


async def test_what_others_said_in_the_same_words_is_theirs(memory: CognitiveService) -> None:
    words = "I'm allergic to peanuts"
    await memory.remember(
        [message_of(words), message_of(words, "8", "Bea", "2")], Scope.group("100")
    )
    assert await memory.settled(20)
    (line,) = await lines(memory, GROUP)
    done = await memory.delete_line(line.line_id, scope=GROUP, messages=True)
    assert [one.said_by for one in done.messages] == ["7"]
    (hers,) = await lines(memory, Scope.group("100", "8"))
    assert hers.evidence and [one.said_by for one in await memory.list_events(GROUP)] == ["8"]


async def test_undo_brings_back_nothing_that_was_withdrawn_since(memory: CognitiveService) -> None:
    for n, messages in enumerate((True, False)):
        await memory.remember([message_of("I'm allergic to peanuts", n=str(n))], ANN)
        assert await memory.settled(20)
        (line,) = await lines(memory)
        done = await memory.delete_line(line.line_id, scope=ANN, messages=messages)
        await memory.forget_message(str(n), ANN)
        with contextlib.suppress(InvalidInput):
            await memory.undo(done.correction_id, scope=ANN)
        assert await told_by(memory, "peanuts") == []


async def test_a_correction_in_private_says_nothing_in_groups(memory: CognitiveService) -> None:
    await memory.remember([message_of("I live in Leeds")], Scope.group("100"))
    assert await memory.settled(20)
    await memory.correct("I live in Leeds", "Ann lives in York", scope=ANN)
    assert (
        await told_by(memory, "York", GROUP) == [] and await told_by(memory, "Leeds", GROUP) == []
    )
    assert await told_by(memory, "York")


@pytest.mark.parametrize(
    ("fact", "wrong"),
    [
        ("她不喜欢咖啡", "喜欢咖啡"),
        ("她的妈妈住在杭州", "她住在杭州"),
        ("Her brother Bob is vegetarian", "Ann is vegetarian"),
        ("She has three cats", "Ann has two cats"),
    ],
)
async def test_what_may_not_be_meant_is_a_candidate(
    memory: CognitiveService, fact: str, wrong: str
) -> None:
    await told(memory, fact)
    found = await memory.correct(wrong, scope=ANN)
    assert isinstance(found, list) and found


async def test_one_character_finds_what_holds_it(memory: CognitiveService) -> None:
    await told(memory, "她对虾过敏")
    assert not isinstance(await memory.correct("虾", scope=ANN), list)


async def test_a_pin_with_other_words_is_still_a_pin(memory: CognitiveService) -> None:
    pin = await memory.pin("Exam on Sunday", ANN)
    await memory.edit_line(pin.line_id, "Exam on Monday", scope=ANN)
    assert await told_by(memory, "Monday") and await memory.unpin(pin.line_id, ANN)
    assert await told_by(memory, "Monday") == []


async def test_a_line_of_an_article_goes_with_the_last_event_on_which_it_rests(
    memory: CognitiveService,
) -> None:
    await told(memory, "She rides to work by bicycle")
    await told(memory, "She sings in a choir")
    bicycle, choir = sorted(await memory.list_events(ANN), key=lambda one: "choir" in one.text)
    texts = {
        "Ann cycles each day": (bicycle.event_id,),
        "Ann is fit and likes music": (bicycle.event_id, choir.event_id),
        "Ann is kind": (),
    }
    told_lines = [ProfileLine(text, text, evidence=ids) for text, ids in texts.items()]
    key, store = ArticleKey("7"), memory.lifecycle.in_use().parts.article_stores.articles
    article = Article(key).with_chapters({"Bedrock": told_lines})
    now = "2026-02-21T17:30:00+08:00"
    store.write(article, expected_revision=0, now=now, forgotten=lambda: False)
    await memory.delete_event(bicycle.event_id, scope=ANN)
    assert chapters_of(store.read(key)).bedrock == "- Ann is fit and likes music\n- Ann is kind"
    await memory.delete_event(choir.event_id, scope=ANN)
    assert chapters_of(store.read(key)).bedrock == "- Ann is kind", "the last of two events"


async def test_a_line_of_an_article_stays_while_it_rests_on_an_event_a_reflection_or_a_hand(
    memory: CognitiveService,
) -> None:
    await told(memory, "She rides to work by bicycle")
    await told(memory, "She sings in a choir")
    bicycle, choir = sorted(await memory.list_events(ANN), key=lambda one: "choir" in one.text)
    key, store = ArticleKey("7"), memory.lifecycle.in_use().parts.article_stores.articles
    first, then = (bicycle.event_id,), (bicycle.event_id, choir.event_id)
    expired = (bicycle.event_id, "summary-expired")
    revisions = [
        {"told again": first, "written by hand": first, "reflected": (*first, "job-9")},
        {
            "told again": then,
            "written by hand": (),
            "reflected": (*first, "job-9"),
            "expired": expired,
            "of an expired one": ("summary-expired",),
        },
    ]
    for revision, texts in enumerate(revisions):
        rested = [ProfileLine(text, text, evidence=ids) for text, ids in texts.items()]
        store.write(
            Article(key).with_chapters({"Bedrock": rested}),
            expected_revision=revision,
            now="2026-02-21T17:30:00+08:00",
            forgotten=lambda: False,
        )
    await memory.delete_event(bicycle.event_id, scope=ANN)
    assert chapters_of(store.read(key)).bedrock == (
        "- told again\n- written by hand\n- reflected\n- of an expired one"
    )
