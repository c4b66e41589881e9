"""Forgetting a person or a group: of everything that was kept nothing is left, and of others nothing is missing."""

import asyncio
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter
from historian.schema.forgetting import ForgetReport, ForgetRequest
from historian.schema.job import Job
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.entity_data.forgetting import Forgetting, forget
from historian.service.entity_data.kinds import Traces
from historian.service.entity_data.registry import stored_kinds
from historian.service.jobs.step_stream import JobWatch
from historian.stores.chroma.index import ChromaIndex
from historian.stores.files.owner_lock import OwnerLock, owner_of
from historian.stores.sqlite.queue import QUEUE, open_queue_file
from historian.stores.tables import erasure
from historian.stores.tables.forget_requests import ForgetRequestTable
from historian.text.messages.content import has_content
from historian.text.search_words import indexed_words
from profiles import profile_of
from support.articles import chapters_of
from support.canaries import (
    GROUP,
    MENTIONING,
    OTHER,
    USER,
    canaries,
    canary,
    left_of,
    opened,
    places,
    planted,
    settings_of,
)
from support.command import historian
from support.crashes.child import Killer, exit_code, in_child, is_killed
from support.draining import open_worker, put
from support.events import make_event
from support.memory import group_fields, settings_for
from support.recall import NOW, WordEmbedder, open_memory
from support.servers.openai_server import OpenAIServer
from support.waiting import eventually, eventually_async, eventually_now

PERSON, ROOM = Entity("user", USER), Entity("group", GROUP)
MENTIONS = {
    ("events", "o3-0:0"),
    ("profiles", ProfileKey("user", OTHER).index_id),
    ("articles and summaries", str(MENTIONING)),
    ("jobs", "states-other-0"),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything planted, to be copied."""
    folder = tmp_path_factory.mktemp("planted")
    planted(folder / "data", folder / "notes")
    for whose in ("user", "group", "other"):
        assert left_of(folder / "data", whose).keys() == canaries(whose).keys(), (
            "a canary was not planted"
        )
    return folder / "data"


@pytest.fixture
def data(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "data")


def requests_of(directory: Path) -> ForgetRequestTable:
    database = open_queue_file(directory / QUEUE)
    return ForgetRequestTable(lambda: database)


def forgotten(directory: Path, entity: Entity, **more: Any) -> ForgetReport:
    async def run() -> ForgetReport:
        parts = opened(directory)
        try:
            return await forget(parts, entity, **more)
        finally:
            await parts.aclose()

    return asyncio.run(run())


def kept_of(directory: Path, whose: str) -> dict[str, list[str]]:
    """Return `left_of` without the derived index, which is deleted as a whole and made anew by the next worker."""
    return {
        kind: [place for place in places if not place.startswith("chromadb/")]
        for kind, places in left_of(directory, whose).items()
    }


def assert_others_are_whole(directory: Path, original: Path) -> None:
    """Everything of others is where it was, and is still found."""
    assert kept_of(directory, "other") == kept_of(original, "other")
    parts = opened(directory)
    found = parts.events.search_keywords(canary("event group", "other"), EventFilter("g:77002"), 5)
    assert found[0][0] == "o2-0:0"
    assert parts.events.vectors(EventFilter("p:" + OTHER))[0] == ["o1-0:0"]
    stores = parts.article_stores
    assert [one.sources for one in stores.articles.history(MENTIONING)][-1] == ("dated-3-0",)
    assert [(one.id, one.promoted_into) for one in stores.summaries.read(MENTIONING)] == [
        ("dated-3-0", 1),
        ("dated-3-1", None),
    ]
    assert stores.buffer.read(MENTIONING)[0].entry_id == "buffered3-0:0"
    assert any(job.request_id == "states-other" for job in parts.queue.jobs("pending"))
    waiting = [job for job in parts.queue.jobs("pending") if job.request_id == "wait-other"]
    assert waiting[0].action_summary == canary("pending", "other")
    asyncio.run(parts.aclose())


def words_left(directory: Path, text: str) -> set[str]:
    """Terms of `text` that the keyword index still knows, though no event holds them."""
    with sqlite3.connect(directory / "index.sqlite") as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, event_keywords, row)"
        )
        known = {term for (term,) in connection.execute("SELECT term FROM temp.terms")}
        held = {
            word
            for (words,) in connection.execute("SELECT words FROM event_words")
            for word in words.split()
        }
    return (set(indexed_words(text)[1].split()) & known) - held


def test_nothing_of_a_person_is_left_in_any_byte_and_nothing_of_others_is_missing(
    data: Path, original: Path
) -> None:
    report = forgotten(data, PERSON)
    assert report.clean and report.removed["events"] == 10 and report.removed["note files"] == 1
    assert left_of(data, "user") == {}
    assert not any(words_left(data, text) for text in canaries("user").values())
    assert_others_are_whole(data, original)
    assert kept_of(data, "group") == kept_of(original, "group")
    assert set(report.mentions) == MENTIONS and not report.mentions_removed
    parts = opened(data)
    assert parts.profiles.layers("user", USER) == [] and parts.profiles.read(
        ProfileKey("user", OTHER)
    )
    assert parts.backend.shadow.sets().next_done == 6
    # What they said before the turn of somebody else went out of that job, too.
    assert all(not job.recent_messages for job in parts.queue.jobs("pending"))
    assert (
        parts.backend.database.rows(
            "SELECT value FROM tombstones WHERE kind != 'entity' AND value = ?", (USER,)
        )
        == []
    )
    assert {key.user_id for key in parts.article_stores.buffer.keys()} == {OTHER}  # noqa: SIM118
    noted = set(parts.backend.database.rows("SELECT entity_key, job_id FROM ledger"))
    noted |= set(parts.queue.database().rows("SELECT entity_key, job_id FROM ledger"))
    assert not any(USER in key or job_id in ("buffered0-0", "buffered1-0") for key, job_id in noted)
    assert (
        any(key.startswith(f"article:{OTHER}") for key, _ in noted)
        and ("buffered", "buffered3-0") in noted
    )
    asyncio.run(parts.aclose())


def test_nothing_of_a_group_is_left_nor_what_users_are_known_by_in_it(
    data: Path, original: Path
) -> None:
    report = forgotten(data, ROOM)
    assert report.clean
    assert left_of(data, "group") == {}
    assert_others_are_whole(data, original)
    elsewhere = {kind for kind in canaries("user") if "group" not in kind} - {
        "observation",
        "summary",
        "failed",
        "profile",
    }
    assert left_of(data, "user").keys() >= elsewhere - {
        "checkpoint",
        "damaged checkpoint",
        "damaged summaries",
        "leftover",
    }


@pytest.mark.parametrize("calls", [1, 2])
def test_what_others_say_of_somebody_goes_with_mentions(
    data: Path, original: Path, calls: int
) -> None:
    if calls == 2:  # their names and texts are not known any more then
        first = forgotten(data, PERSON)
        assert set(first.mentions) == MENTIONS and not first.mentions_removed
        assert set(forgotten(data, PERSON).mentions) == MENTIONS, "what is left is told again"
    report = forgotten(data, PERSON, mentions=True)
    assert report.clean and set(report.mentions) == MENTIONS and report.mentions_removed
    assert forgotten(data, PERSON).mentions == ()
    for path in data.rglob("*"):
        assert not path.is_file() or "林小满".encode() not in path.read_bytes(), path
    assert_others_are_whole(data, original)
    parts = opened(data)
    profile = parts.profiles.read(ProfileKey("user", OTHER))
    assert profile is not None and profile.summary == f"- {canary('profile', 'other')}"
    article = parts.article_stores.articles.read(MENTIONING)
    assert (
        article is not None
        and chapters_of(article).bedrock == f"- {canary('article', 'other')}"
        and not chapters_of(article).dynamic
    )
    assert [one.spoken.text for one in parts.article_stores.buffer.read(MENTIONING)] == [
        canary("buffered", "other")
    ]
    (job,) = [job for job in parts.queue.jobs("pending") if job.request_id == "states-other"]
    assert [state["text"] for state in job.payload["states"]] == [canary("states", "other")]
    asyncio.run(parts.aclose())


def test_the_derived_index_is_made_anew_without_what_was_forgotten(data: Path) -> None:
    forgotten(data, PERSON)
    assert not (data / "chromadb").exists()

    async def work() -> None:
        async with open_worker(settings_of(data), clock=lambda: NOW + 60) as (_, worker):
            assert await worker.run(drain=True)

    asyncio.run(work())
    index = ChromaIndex(data / "chromadb")
    found = set(index.ids())
    index.close()
    assert found == {"g1-0:0", "o1-0:0", "o2-0:0", "o3-0:0"}


def test_what_comes_late_of_the_time_before_is_dropped_and_what_comes_after_is_filed(
    data: Path,
) -> None:
    forgotten(data, PERSON)

    async def work() -> list[str]:
        settings = settings_for(data, historian={"rewrite_mode": "rules"})
        async with open_worker(settings, clock=lambda: NOW + 60) as (parts, worker):
            for n, at in enumerate(("2026-02-21T17:29:00+08:00", "2026-02-21T17:31:00+08:00")):
                put(
                    parts,
                    group_fields(
                        user_id=USER,
                        request_id=f"late{n}",
                        timestamp=at,
                        action_summary=f"迟到的话第{n}号石头",
                    ),
                )
            # Handed over again, as if it had just happened.
            put(
                parts,
                group_fields(
                    user_id=USER,
                    request_id="u1",
                    timestamp="2026-02-21T17:32:00+08:00",
                    action_summary="又来了",
                ),
            )
            assert await worker.run(drain=True)
            return [event.text for event in parts.events.find(EventFilter(None, user_ids=(USER,)))]

    assert [text for text in asyncio.run(work()) if "号石头" in text or "又来" in text] == [
        "小史：迟到的话第1号石头"
    ]
    assert "迟到的话第0号石头".encode() not in b"".join(
        path.read_bytes() for path in data.rglob("*") if path.is_file()
    )


def test_notes_come_back_only_when_they_change(data: Path, original: Path) -> None:
    forgotten(data, PERSON)
    folder = original.parent / "notes" / f"p-{USER}"
    assert historian("index", folder, "--user", USER, "--data-dir", data, "--json").status == 0
    assert left_of(data, "user") == {}


def test_forgetting_twice_and_forgetting_nobody_is_quiet(data: Path) -> None:
    forgotten(data, PERSON)
    again = forgotten(data, PERSON)
    assert again.clean and again.removed == {}
    assert forgotten(data, Entity("user", "nobody")).removed == {}
    with pytest.raises(InvalidInput, match="user"):
        Entity("user", "")


def test_the_command_reports_what_was_removed_and_ends_with_one_where_something_is_left(
    data: Path,
) -> None:
    copy = data / "queues" / "copy-of-mine.txt"  # where a former version kept the queue
    copy.parent.mkdir(exist_ok=True)
    copy.write_text(f"someone kept: {canary('event private', 'user')}", encoding="utf-8")
    called = historian("forget", "user", USER, "--yes", "--json", "--data-dir", data)
    (answer,) = called.lines
    assert called.status == 1 and not answer["clean"]
    assert {place.partition(":")[0] for place in answer["left"]} == {"queues/copy-of-mine.txt"}
    copy.unlink()
    called = historian("forget", "group", GROUP, "--yes", "--data-dir", data)
    assert called.status == 0 and f"group:{GROUP}" in called.out and "nothing" in called.out
    assert historian("forget", "person", USER, "--data-dir", data).status == 2


def test_what_users_are_known_by_as_well_is_listed_as_theirs_and_is_no_trace(
    tmp_path: Path,
) -> None:
    said = {"user_id": "u2", "user_name": "Ann", "group_id": "7001", "group_name": "Book Club"}
    turn = {
        **said,
        "new_info": ["Ann said thing number 2 about Leeds and her cat", "I moved to Leeds in 2012"],
    }
    arguments = ("--data-dir", tmp_path / "data")
    assert historian("ingest", "-", *arguments, stdin=json.dumps(turn)).status == 0
    assert historian("worker", "--drain", *arguments).status == 0
    called = historian("forget", "group", "7001", "--yes", *arguments)
    assert called.status == 0, called.out
    assert "2 events" in called.out and "1 event of others that mentions group:7001" in called.out
    assert re.search(r"^profile +user:u2 ", called.out, re.MULTILINE)


def test_the_command_says_so_where_nothing_was_known_of_the_id(data: Path) -> None:
    for _ in range(2):  # the first time the checkpoints go, which are nobody's in particular
        called = historian("forget", "user", "nobody-by-this-id", "--yes", "--data-dir", data)
        assert called.status == 0
        assert (
            called.out.startswith("no data about user:nobody-by-this-id was found: ")
            and "check it" in called.out
        )
        assert "forgotten  " not in called.out and len(called.out.splitlines()) == 1
    told = historian(
        "forget", "user", "nobody-by-this-id", "--yes", "--json", "--data-dir", data
    ).lines[0]
    assert (told["done"], told["clean"], told["removed"]) == (True, True, {})


@pytest.mark.slow
def test_killed_after_any_step_it_is_finished_by_the_same_command(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "ERASED_AT_ONCE", 2)
    steps = _steps_of(shutil.copytree(original, tmp_path / "counted"))
    assert len(steps) > 20 and "articles and summaries, second time" in steps
    assert steps.count("some events deleted") == 5, "ten events, two in a slice"
    for n in range(len(steps)):
        directory = shutil.copytree(original, tmp_path / f"killed{n}")
        _killed_at(directory, n)
        done = steps[n] == "answered"
        assert requests_of(directory).waiting() != done, steps[n]
        report = forgotten(directory, PERSON)
        assert report.clean, (steps[n], report.left)
        assert left_of(directory, "user") == {}, steps[n]
        assert_others_are_whole(directory, original)
        shutil.rmtree(directory)


def test_of_every_store_in_the_list_something_was_planted_and_nothing_is_left(data: Path) -> None:
    parts = opened(data)
    stores = stored_kinds(parts)
    kinds = list(dict.fromkeys(store.kind for store in stores))
    asyncio.run(parts.aclose())
    report = forgotten(data, PERSON)
    assert list(report.removed) == kinds, "a store of the list has no canary"
    parts = opened(data)
    for store in stored_kinds(parts):
        assert not list(store.records(Traces(PERSON))), store.kind
    asyncio.run(parts.aclose())


@pytest.mark.slow
def test_killed_in_the_middle_it_is_finished_by_the_next_start_before_any_job_runs(
    data: Path, original: Path
) -> None:
    _killed_at(data, 5)
    assert left_of(data, "user")

    async def start() -> None:
        async with open_worker(settings_of(data), clock=lambda: NOW + 60) as (_, worker):
            assert await worker.run(drain=True)

    asyncio.run(start())
    assert left_of(data, "user") == {}
    assert not requests_of(data).waiting()


def test_jobs_of_others_are_filed_between_the_slices_and_what_is_said_meanwhile_stays(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "ERASED_AT_ONCE", 1)
    requests, stages = requests_of(data), list[str]()
    parts: Any = None

    def later(text: str, user_id: str) -> None:
        at = "2026-02-21T17:31:00+08:00"
        said = {
            "request_id": f"later{len(stages)}",
            "user_id": user_id,
            "group_id": f"9{len(stages)}",
            "user_name": "某人",
        }
        put(parts, group_fields(**said, action_summary=text, timestamp=at))

    class Later(JobWatch):
        def step(self, job: Job, node: str, update: object) -> None:
            stages.append(requests.stage_of(PERSON))
            if stages[-1] == "waiting":
                later("别的人在码头画了一只海鸥", "4711")
            elif stages[-1] and not {"deleting", "erasing"}.intersection(stages[:-1]):
                later("后来的人在船上画了一座灯塔", USER)

    requests.ask(ForgetRequest(PERSON, NOW))

    async def work() -> list[str]:
        nonlocal parts
        async with open_worker(settings_of(data), clock=lambda: NOW + 120, watch=Later()) as (
            parts,
            worker,
        ):
            later("别的人在码头画了一只海鸥", "4711")
            assert await worker.run(drain=True)
            return [event.text for event in parts.events.find(PERSON.where)]

    (left,) = asyncio.run(work())
    assert "灯塔" in left and {"deleting", "erasing"}.intersection(stages), (
        "the jobs of others waited for the end"
    )
    assert left_of(data, "user") == {} and not requests.waiting()
    assert left_of(data, "other").keys() == canaries("other").keys()


@pytest.mark.slow
def test_killed_between_two_slices_nothing_is_lost_and_nothing_comes_back(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "ERASED_AT_ONCE", 2)
    second = [
        n
        for n, step in enumerate(_steps_of(shutil.copytree(data, data.parent / "c")))
        if step == "some events deleted"
    ][1]
    _killed_at(data, second)
    requests = requests_of(data)
    assert (
        requests.stage_of(PERSON) == "deleting"
        and canary("event group", "user") in requests.all()[0].texts
    )
    parts = opened(data)
    assert parts.events.count(PERSON.where) == 6
    assert parts.events.is_forgotten("x-0", [f"user:{USER}"], NOW)
    # What they say after that is not what was asked to be forgotten.
    new = make_event(
        "new-0", 0, group=GROUP, user_id=USER, text="后来的人在船上画了一座灯塔", timestamp=NOW + 60
    )
    assert parts.events.file_job("new-0", [new], [None])
    asyncio.run(parts.aclose())

    async def start() -> list[str]:
        async with open_worker(settings_of(data), clock=lambda: NOW + 120) as (parts, worker):
            assert await worker.run(drain=True)
            return [event.text for event in parts.events.find(PERSON.where)]

    assert asyncio.run(start()) == ["后来的人在船上画了一座灯塔"]
    assert left_of(data, "user") == {} and not requests.waiting()
    assert left_of(data, "other").keys() == canaries("other").keys()


def test_what_a_forgotten_person_said_stays_in_no_profile_of_a_group(data: Path) -> None:
    key, lines = (
        ProfileKey("group", "77002"),
        ["- 群里每个月聚一次", "- 大家都爱吃鲸鱼形状的糕点", "- 春天一起去爬山"],
    )
    parts = opened(data)
    jobs = ("o2-0", "u3-0", "o9-0")  # the second is theirs; a model has put it in words of its own
    for n, job_id in enumerate(jobs):
        profile = profile_of(key, "\n".join(lines[: n + 1]), name="读书会")
        told = zip(profile.lines, jobs, strict=False)
        profile = replace(
            profile, lines=tuple(replace(line, evidence=(f"{job}:0",)) for line, job in told)
        )
        now = f"2026-02-2{n}T10:00:00+08:00"
        parts.profiles.write(profile, expected_revision=n, job_id=job_id, now=now)
    parts.backend.profile_index.put(parts.profiles.kept(key)[0], None)
    asyncio.run(parts.aclose())
    report = forgotten(data, PERSON)
    assert report.clean
    parts = opened(data)
    kept = parts.profiles.kept(key)
    assert kept[0].summary.splitlines() == [lines[0], lines[2]]
    assert not any("糕点" in one.summary for one in kept)
    asyncio.run(parts.aclose())
    assert places(data, lines[1]) == []


def test_the_state_of_a_request_is_told(data: Path) -> None:
    requests_of(data).ask(ForgetRequest(PERSON, NOW))
    assert requests_of(data).advance(ForgetRequest(PERSON, NOW), "erasing")
    assert historian("stats", "--json", "--data-dir", data).lines[0]["forgetting"] == {
        PERSON.key: "erasing"
    }
    assert "the data is deleted" in historian("stats", "--data-dir", data).out
    assert forgotten(data, PERSON).clean
    assert historian("stats", "--json", "--data-dir", data).lines[0]["forgetting"] == {}


def test_who_is_forgotten_is_in_no_cache_of_the_process(data: Path) -> None:
    has_content("青瓦巷 is where they live")
    assert forgotten(data, PERSON).clean
    cached: Any = has_content
    assert not cached.cache_info().currsize


def _work(directory: Path, on_step: Callable[[str], None]) -> None:
    parts = opened(directory)
    requests_of(directory).ask(ForgetRequest(PERSON, NOW))
    drop = Forgetting(parts, ChromaIndex(directory / "chromadb"), on_step=on_step)
    drop.carry_out()


def _steps_of(directory: Path) -> list[str]:
    steps: list[str] = []
    _work(directory, steps.append)
    return steps


def _killed_at(directory: Path, last: int) -> None:
    """Forget in a child that kills itself after its step `last` (from 0)."""
    killer = Killer(last + 1)
    assert is_killed(lambda: _work(directory, lambda _: killer.point()))


READER = """
import sys, time
from pathlib import Path
from historian.schema.event import EventFilter
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index
from historian.retrieval.scope_index.tables import ScopeTables
store = SqliteEventStore(open_index(Path(sys.argv[1]) / "index.sqlite"))
tables = ScopeTables(store, lambda: 1 << 20)
for query in sys.stdin:
    tables.snapshot(sys.argv[2])
    found = store.search_keywords(query, EventFilter(sys.argv[2]), 10)
    print(len(found), len(tables.snapshot(sys.argv[2])), flush=True)
"""


class Reader:
    """Another process that reads again and again, keeping what it has read in memory as a bot does."""

    def __init__(self, directory: Path, scope_key: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", READER, directory, scope_key],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, query: str) -> tuple[int, int]:
        """How many events a keyword search finds, and how many the scope's table holds."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(query + "\n")
        self._process.stdin.flush()
        hits, known = self._process.stdout.readline().split()
        return int(hits), int(known)

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def reader(data: Path) -> Iterator[Reader]:
    made = Reader(data, f"p:{USER}")
    yield made
    made.close()


def test_another_process_that_reads_meanwhile_sees_nothing_afterwards(
    data: Path, reader: Reader
) -> None:
    text = canary("event private", "user")
    assert reader.ask(text)[0] >= 1 and reader.ask(text)[1] >= 2
    assert forgotten(data, PERSON).clean
    assert reader.ask(text) == (0, 0)
    assert left_of(data, "user") == {}


async def test_a_running_owner_forgets_for_another_process_and_answers_it(
    data: Path, reader: Reader
) -> None:
    text = canary("event private", "user")
    await asyncio.to_thread(reader.ask, text)
    async with CognitiveService.open(settings_of(data), clock=lambda: NOW + 60) as memory:
        await eventually(lambda: memory.lifecycle.worker)
        called = await asyncio.to_thread(
            historian, "forget", "user", USER, "--yes", "--json", "--wait", 60, "--data-dir", data
        )  # fmt: skip
        # One more where the owner was quicker to file the job that waited.
        assert called.status == 0 and called.lines[0]["removed"]["events"] in (10, 11)
        assert await asyncio.to_thread(reader.ask, text) == (0, 0)
        assert await memory.search_events("鲸鱼", Scope.private(USER)) == []
        assert await memory.settled(30)
    assert left_of(data, "user") == {}
    assert not requests_of(data).waiting()


def test_an_owner_that_does_not_answer_leaves_the_request_and_the_tombstone(data: Path) -> None:
    lock = OwnerLock(data)
    lock.acquire(time.time())
    with lock:
        called = historian(
            "forget", "user", USER, "--yes", "--json", "--wait", 0.2, "--data-dir", data
        )
    assert called.status == 1 and not called.lines[0]["done"]
    parts = opened(data)
    assert parts.events.is_forgotten("x-0", [f"user:{USER}"], NOW)
    asyncio.run(parts.aclose())
    called = historian("forget", "user", USER, "--yes", "--json", "--data-dir", data)
    assert called.status == 0 and left_of(data, "user") == {}


def test_who_waits_for_a_suspended_owner_is_told_what_lets_it_go_on(data: Path) -> None:
    def own() -> None:
        lock = OwnerLock(data)
        lock.acquire(time.time(), worker=True)
        with lock:
            os.kill(os.getpid(), signal.SIGSTOP)

    child = in_child(own)
    try:
        eventually_now(lambda: (owner := owner_of(data)) is not None and owner.is_suspended)
        asked = historian("forget", "user", USER, "--yes", "--wait", 0.1, "--data-dir", data)
        assert asked.status == 1 and f"kill -CONT {child}" in asked.out
        second = historian("worker", "--drain", "--data-dir", data)
        assert second.status == 1 and f"kill -CONT {child}" in second.err
    finally:
        os.kill(child, signal.SIGCONT)
        assert exit_code(child) == 0


async def test_a_bot_forgets_for_its_user_what_is_only_in_memory_too(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    settings = settings_for(tmp_path, observation={"summary_interval_seconds": 1000})
    async with open_memory(settings, embedder=embedder) as (memory, parts):
        scope = Scope.group("100", "42")
        for n in range(8):
            memory.feed_message(
                "user", f"窗台上第{n}盆薄荷长得真快呀朋友们", "s1", scope=scope, name="阿明"
            )
            memory.feed_message(
                "user", f"阳台上第{n}盆罗勒也不错的朋友们", "s1", scope=scope, name="阿明"
            )
        await memory.build_context("薄荷长得怎么样", scope)
        assert memory.observation is not None and await memory.observation.settled(10)
        memory.feed_message("user", "最后一盆薄荷还没有人看见过", "s1", scope=scope, name="阿明")
        report = await memory.forget_user("42")
        assert report.clean
        recall = memory.lifecycle.opened.recall
        assert recall is not None and recall.events.vectors is not None
        assert recall.events.vectors.cached == 0 and len(recall.events.tables) == 0
        assert await memory.search_events("薄荷", scope) == []
    # Closing stores what is still in memory.
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "薄荷".encode() not in content and json.dumps("薄荷")[1:-1].encode() not in content
    assert parts.directory == tmp_path


async def test_a_job_in_flight_brings_nothing_back(tmp_path: Path, server: OpenAIServer) -> None:
    server.script("hang")
    async with CognitiveService.open(settings_for(tmp_path, base_url=server.base_url)) as memory:
        await memory.enqueue_job(
            "他昨天说要给屋顶种满向日葵", ["他最喜欢向日葵的屋顶"], **group_fields()
        )
        await asyncio.to_thread(
            server.wait_for, 1
        )  # the model is asked, the job stands in the middle of the graph
        report = await memory.forget_user("42")
        assert report.clean and report.removed["jobs"] == 1
        assert await memory.settled(20)
        stats = await memory.stats()
        assert stats["events"] == 0
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "向日葵".encode() not in content


@pytest.mark.parametrize("entity", [Entity("user", "42"), Entity("group", "100")], ids=str)
async def test_states_in_flight_bring_nothing_back(
    tmp_path: Path, server: OpenAIServer, entity: Entity
) -> None:
    server.script("hang")
    settings = settings_for(
        tmp_path, base_url=server.base_url, shortterm={"summary_token_threshold": 10}
    )
    async with CognitiveService.open(settings) as memory:
        said = [
            "我打算给屋顶种满向日葵，一共三百棵向日葵",
            "向日葵的种子已经在路上了，屋顶也打扫好了",
        ]
        fields = {
            key: value
            for key, value in group_fields().items()
            if key not in ("request_type", "group_id", "user_id")
        }
        scope = Scope.group("100", "42")
        await memory.update_memory(
            said,
            "42",
            scope,
            **{name: fields[name] for name in ("user_name", "timestamp", "timezone")},
        )
        await asyncio.to_thread(
            server.wait_for, 1
        )  # the states wait in the buffer, the model is asked to sum them up
        report = await (
            memory.forget_user("42") if entity.type == "user" else memory.forget_group("100")
        )
        assert (
            report.clean
            and report.removed["jobs"] == 1
            and report.removed["articles and summaries"] == 2
        )
        assert await memory.settled(20)
        assert (await memory.stats())["events"] == 0
        assert await memory.get_relevant_memories("向日葵", "42", scope) == ""
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "向日葵".encode() not in content and json.dumps("向日葵")[1:-1].encode() not in content


async def test_forgetting_does_not_wait_for_a_model_that_is_away(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, base_url="http://127.0.0.1:9/v1")  # nobody listens there
    async with CognitiveService.open(settings) as memory:
        await memory.enqueue_job("他昨天说要给屋顶种满向日葵", **group_fields())

        async def outage() -> object:
            return (await memory.stats()).get("outage")

        assert await eventually_async(outage, seconds=60)
        report = await memory.forget_user("42")
        assert report.clean and report.removed["jobs"] == 1
        assert (await memory.stats())["queue"]["pending"] == 0


async def test_memory_that_is_switched_off_forgets_all_the_same(data: Path) -> None:
    settings = settings_of(data)
    off = settings.model_copy(
        update={"cognitive": settings.cognitive.model_copy(update={"enabled": False})}
    )
    async with CognitiveService.open(off, clock=lambda: NOW) as memory:
        assert (await memory.forget_group(GROUP)).clean
    assert left_of(data, "group") == {}
