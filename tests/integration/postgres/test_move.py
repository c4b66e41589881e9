"""Moving a memory between SQLite and PostgreSQL: everything arrives with its numbers, after a crash too, and is found alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from historian.schema.correction import Correction, CorrectionRecord
from historian.schema.entity import Entity
from historian.schema.errors import HistorianError, InvalidInput, OwnerLockHeld
from historian.schema.event import EventFilter
from historian.schema.forgetting import ForgetRequest
from historian.schema.profile import ProfileKey
from historian.schema.settings import Settings
from historian.schema.summary import Article, ArticleKey, Spoken
from historian.service.entity_data import moving
from historian.service.entity_data.moving import move
from historian.stores.backend import Backend
from historian.stores.contents import Row
from historian.stores.opening import open_backend, open_queue
from historian.stores.tables.items import NewItem
from historian.stores.tables.notes import FileChange, IndexedFile
from profiles import profile_of
from support.command import historian
from support.events import make_event, unit_vectors
from support.jobs import make_job
from support.memory import AT, settings_for
from support.postgres import Schema, fresh_schema, server_url

EVERYWHERE = EventFilter(None)
KEY = ArticleKey("42", "7")


class Memories:
    """A memory in a directory and one in a schema, opened as the settings say, and closed at the end."""

    def __init__(self, directory: Path, schema: Schema) -> None:
        self.local = settings_for(directory / "one")
        there = {"url": server_url(), "schema_name": schema.name, "pool_max": 4}
        self.server = settings_for(directory / "two").model_copy(
            update={"stores": settings_for(directory).stores.model_copy(update=there)}
        )
        self._directory = directory
        self._opened: list[Backend] = []

    def on_server(self, name: str, **stores: Any) -> Settings:
        changed = self.server.stores.model_copy(update={"schema_name": name, **stores})
        return self.server.model_copy(update={"stores": changed})

    def another(self, name: str) -> Settings:
        return settings_for(self._directory / name)

    def open(self, settings: Settings) -> Backend:
        self._opened.append(open_backend(settings, open_queue(settings, lambda: 1.0)))
        return self._opened[-1]

    def close(self) -> None:
        for backend in self._opened:
            backend.close()


@pytest.fixture
def memories(tmp_path: Path, schema: Schema) -> Iterator[Memories]:
    memories = Memories(tmp_path, schema)
    yield memories
    memories.close()


def fill(backend: Backend) -> None:
    """Something of every kind, with gaps in the numbers."""
    backend.events.set_fingerprint("test", 8)
    for n in range(12):
        job_id, group = f"j{n}-0", str(n % 3)
        texts = [f"record {n} of tea and 龙井茶 in Hangzhou", f"note {n}" + " tea" * (n % 4)]
        events = [
            make_event(
                job_id,
                i,
                text=text,
                group=group,
                gate_reasons=("why",),
                speakers=("43",) if i else (),
            )
            for i, text in enumerate(texts)
        ]
        assert backend.events.file_job(
            job_id,
            events,
            [unit_vectors(1, seed=n)[0], None if n == 3 else unit_vectors(1, seed=90 + n)[0]],
        )
    spans = {"times": ("4:2026-12-04",), "people": ("0:3:42",), "reply_to": "8", "message_id": "9"}
    labels = {"tags": ("移动", "work"), "metadata": {"thread": 7, "who": ["安"]}, "expires_at": 4e9}
    said = make_event(
        "m-1",
        text="she moves to 杭州",
        kind="message",
        source="message",
        role="user",
        user_name="Ann",
        **spans,
        **labels,
    )
    backend.events.file_messages([[said], [make_event("m-2", text="withdrawn", kind="message")]])
    backend.events.file_job(
        "m-1-0", [make_event("m-1-0", text="Ann moves", sources=("m-1",))], [None]
    )
    backend.events.file_job(
        "m-2-0", [make_event("m-2-0", text="goes with one", sources=("m-1", "m-2"))], [None]
    )
    assert backend.events.withdraw(["m-2"]) == ["m-2:0", "m-2-0:0"]
    backend.events.delete(["j4-0:0", "j0-0:1"])
    backend.events.edit("j5-0:0", "edited by hand", None)
    backend.erasure.bury("user:99", 5.5)
    for n in range(3):
        profile = profile_of(ProfileKey("user", "42"), name="小林", markdown=f"- text {n}")
        stored = backend.profiles.write(profile, expected_revision=n, job_id=f"j{n}-0", now=AT)
    backend.profile_index.put(stored, unit_vectors(1, seed=5)[0])
    backend.profiles.write(
        profile_of(ProfileKey("group", "7"), markdown="climbers"), expected_revision=0, now=AT
    )
    stores = backend.article_stores
    stores.articles.write(
        KEY,
        Article(dynamic="- tea"),
        expected_revision=0,
        sources=["s1"],
        now=AT,
        forgotten=lambda: False,
    )
    stores.buffer.add(
        KEY, "j7-0", [("j7-0:0", Spoken("user", "waiting", "Ann", AT))], entities=[], at=1.0
    )
    backend.plain_summaries.add([make_job("p")])
    change = FileChange(IndexedFile("a.md", 1, 2, "h", "1"), ("c1",), (), ())
    backend.manifest.write("g:7", "/notes", [change])
    record = CorrectionRecord(Correction("c1", "edit_line", AT), "g:7", 9.0, entities=("user:42",))
    backend.corrections.put(record)
    backend.queue.put(make_job("waits"))


def contents_of(backend: Backend) -> dict[str, list[tuple[Any, ...]]]:
    contents = backend.contents
    found = {table: contents.read(table, None, 10_000) for table in contents.tables()}
    return {table: [tuple(map(_plain, row)) for row in rows] for table, rows in found.items()}


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def documents_of(backend: Backend) -> tuple[Any, ...]:
    profiles, articles = backend.profiles, backend.article_stores.articles
    keys = sorted(profiles.keys(), key=str)
    return (
        [profiles.kept(key) for key in keys],
        [articles.kept(key) for key in articles.keys()],  # noqa: SIM118
        backend.plain_summaries.entries(),
        list(backend.corrections.all()),
        backend.profile_index.vectors()[0],
        [key for key, _ in backend.profile_index.search_keywords("text", 5)],
    )


def test_a_memory_moves_to_the_server_and_back_as_it_is(memories: Memories) -> None:
    source, server = memories.open(memories.local), memories.open(memories.server)
    fill(source)
    steps: list[tuple[int, int]] = []
    report = move(source, server, 1.0, lambda done, total: steps.append((done, total)))
    assert (report.jobs, report.documents) == (
        1,
        {"profiles": 2, "articles": 1, "summaries": 0, "items": 0, "plain summaries": 1},
    )
    assert report.recalls > 2 and report.differing == 0 and report.rows["events"] == 24
    assert steps[-1][0] == steps[-1][1] == sum(report.rows.values())
    assert contents_of(server) == contents_of(source) and documents_of(server) == documents_of(
        source
    )
    for backend in (source, server):
        found = [
            event_id for event_id, _ in backend.events.search_keywords("ann", EventFilter("g:7"), 5)
        ]
        assert sorted(found) == ["m-1-0:0", "m-1:0"], "the speaker of a message is among its words"
    back = memories.open(memories.another("three"))
    assert move(server, back, 1.0).rows == report.rows
    assert contents_of(back) == contents_of(source) and documents_of(back) == documents_of(source)
    assert len(back.events.embedded_after({}, 99).events) == back.events.embedded_count()


def assert_alike(one: Backend, other: Backend, *, within: float) -> None:
    """The same rows, their vectors within a distance."""
    left, right = contents_of(one), contents_of(other)
    assert left.keys() == right.keys()
    for table, rows in left.items():
        assert len(rows) == len(right[table]), table
        for row, arrived in zip(rows, right[table], strict=True):
            for value, copy in zip(row, arrived, strict=True):
                is_vector = isinstance(value, list) and bool(value) and isinstance(value[0], float)
                assert np.allclose(value, copy, atol=within) if is_vector else value == copy, table


def test_a_memory_moves_to_vectors_of_half_precision_and_back(memories: Memories) -> None:
    source, half = (
        memories.open(memories.local),
        memories.open(memories.on_server(fresh_schema(), vectors="half")),
    )
    fill(source)
    report = move(source, half, 1.0)
    assert report.recalls > 2 and report.differing == 0 and report.rows["event_vectors"] == 20
    assert_alike(source, half, within=0.001)
    for settings in (memories.another("three"), memories.on_server(fresh_schema())):
        back = memories.open(settings)
        again = move(half, back, 1.0)
        assert again.rows == report.rows and again.differing == 0
        assert_alike(half, back, within=0.0)
        assert documents_of(back) == documents_of(source)


def test_vectors_that_arrived_otherwise_are_told(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, server = memories.open(memories.local), memories.open(memories.server)
    fill(source)
    encode = server.contents.encode
    monkeypatch.setattr(
        server.contents,
        "encode",
        lambda kind, value: encode(kind, abs(value) if kind == "vector" else value),
    )
    assert move(source, server, 1.0).differing > 2


def test_what_an_application_keeps_moves_with_its_words_vectors_and_times(
    memories: Memories,
) -> None:
    source, server, back = (
        memories.open(one) for one in (memories.local, memories.server, memories.another("three"))
    )
    vectors = unit_vectors(2)
    texts = {"tea": "她喜欢喝龙井茶 and running", "cat": "一只叫阿橘的猫"}
    with closing(source.items()) as items:
        new = [
            NewItem("a.b", key, json.dumps({"n": 1, "t": text}), None, [text], [], "test")
            for key, text in texts.items()
        ]
        items.put([*new[:1], new[1]._replace(ttl_seconds=60.0, vectors=vectors)], 5.0)
        items.put([NewItem("c", "gone", "{}")], 6.0)
        items.put([NewItem("c", "gone", None)], 7.0)
    for one, other in ((source, server), (server, back)):
        assert (
            move(one, other, 1.0).documents["items"]
            == 2
            == move(one, other, 1.0).documents["items"]
        )
        with closing(one.items()) as here, closing(other.items()) as there:
            for key in texts:
                mine, theirs = here.get("a.b", key, 10.0), there.get("a.b", key, 10.0)
                assert mine and theirs and mine[1:] == theirs[1:]
            assert there.get("a.b", "cat", 70.0) is None and there.namespaces(10.0) == ["a.b"]
            for query in ("龙井", "run", "猫", "喝"):
                assert len(there.matching(query, "a")) == len(here.matching(query, "a")) == 1, query
            assert len(there.rows("a", 10.0, {"n": 1})) == 2
            np.testing.assert_array_equal(there.vectors("test", 8)[1], np.stack(vectors))


def test_the_memory_goes_on_behind_the_numbers_that_arrived(memories: Memories) -> None:
    source, server = memories.open(memories.local), memories.open(memories.server)
    fill(source)
    move(source, server, 1.0)
    known = server.events.change_number("g:1")
    for backend in (source, server):
        for group in ("1", "new"):
            assert backend.events.file_job(
                f"later-{group}", [make_event(f"later-{group}", group=group)], unit_vectors(1)
            )
        assert not backend.events.file_job("j1-0", [make_event("j1-0")], [None]), "filed before"
        assert not backend.events.file_job(
            "old-0", [make_event("old-0", user_id="99", timestamp=5.0)], [None]
        ), "forgotten"
        backend.article_stores.buffer.add(
            KEY, "later-0", [("later-0:0", Spoken("user", "x"))], entities=[], at=1.0
        )
        backend.manifest.write(
            "g:7", "/notes", [FileChange(IndexedFile("b.md", 1, 2, "h", "1"), ("c1",), (), ())]
        )
    assert server.events.change_number("g:1") > known
    assert contents_of(server) == contents_of(source)
    assert server.events.search_keywords(
        "龙井", EventFilter("g:1"), 9
    ) == source.events.search_keywords("龙井", EventFilter("g:1"), 9)


@pytest.mark.parametrize("dies_at", [0, 7])
def test_a_move_that_was_broken_off_goes_on_where_it_stood(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    monkeypatch.setattr(moving, "AT_ONCE", 5)
    source, server = memories.open(memories.local), memories.open(memories.server)
    fill(source)
    written: list[tuple[str, Row]] = []
    write = server.contents.write

    def dying(table: str, rows: list[Row], mark: str) -> None:
        if len(written) == dies_at:
            raise KeyboardInterrupt
        write(table, rows, mark)
        written.append((table, rows[0]))

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(server.contents, "write", dying)
        move(source, server, 1.0)
    with monkeypatch.context() as patched:
        patched.setattr(server.contents, "write", dying)
        before, dies_at = len(written), -1
        move(source, server, 1.0)
    assert len(set(map(repr, written))) == len(written) > before, "no portion was written twice"
    assert contents_of(server) == contents_of(source) and documents_of(server) == documents_of(
        source
    )


def test_hits_of_equal_scores_may_change_places_and_others_may_not(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, server = memories.open(memories.local), memories.open(memories.server)
    events = [
        make_event(f"t{n}-0", group="1", text="tea and cakes" if n else "tea house in Leeds")
        for n in range(6)
    ]
    source.events.file_new(events, [None] * 6)
    search = server.events.search_keywords

    def exchanged(query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        return sorted(search(query, where, limit), key=lambda hit: (-hit[1], hit[0]))

    monkeypatch.setattr(server.events, "search_keywords", exchanged)
    report = move(source, server, 1.0)
    assert (report.recalls, report.differing) == (6, 0)
    for wrong in (
        lambda *given: search(*given)[1:],
        lambda *given: search(*given)[::-1],
        lambda *given: [],
    ):
        monkeypatch.setattr(server.events, "search_keywords", wrong)
        assert move(source, server, 1.0).differing == 6


def test_a_move_again_brings_only_the_jobs_that_came_later(memories: Memories) -> None:
    source, server = memories.open(memories.local), memories.open(memories.server)
    fill(source)
    move(source, server, 1.0)
    source.queue.put(make_job("late"))
    assert move(source, server, 1.0).jobs == 2 and move(source, server, 1.0).jobs == 2
    assert json.loads(server.contents.mark())["done"] is True


def test_what_holds_another_memory_or_one_that_has_changed_is_refused(memories: Memories) -> None:
    source, server = memories.open(memories.local), memories.open(memories.server)
    fill(source)
    move(source, server, 1.0)
    other = memories.open(memories.another("other"))
    fill(other)
    with pytest.raises(InvalidInput, match="already contains a memory"):
        move(source, other, 1.0)
    with pytest.raises(InvalidInput, match="was being moved here"):
        move(other, server, 1.0)
    source.events.delete(["j1-0:0"])
    with pytest.raises(InvalidInput, match="has changed since"):
        move(source, server, 1.0)


def test_while_somebody_is_forgotten_or_at_work_nothing_moves(memories: Memories) -> None:
    source, server = memories.open(memories.local), memories.open(memories.server)
    owner = memories.open(memories.local).workers.ownership()
    owner.acquire(1.0)
    with owner, pytest.raises(OwnerLockHeld):
        move(source, server, 1.0)
    source.forget_requests.ask(ForgetRequest(Entity("user", "42"), 1.0))
    with pytest.raises(HistorianError, match="forget request is in progress"):
        move(source, server, 1.0)


def test_the_command_moves_a_memory_and_says_what_arrived(
    memories: Memories, tmp_path: Path
) -> None:
    source = memories.open(memories.local)
    fill(source)
    source.close()
    config = tmp_path / "config.toml"
    config.write_text(f'[cognitive]\ndata_dir = "{tmp_path / "one"}"\n', encoding="utf-8")
    schema = memories.server.stores.schema_name
    there = ("--to", server_url(), "--schema", schema)
    moved = historian("--config", config, "--json", "migrate", *there)
    assert (
        moved.status == 0
        and moved.lines[0]["rows"]["events"] == 24
        and moved.lines[0]["differing"] == 0
    )
    again = historian("--config", config, "migrate", *there)
    assert (
        again.status == 0
        and "24 events, 2 profiles, 1 article and 1 waiting job moved"
        in " ".join(again.out.split())
    )
    back = historian("--config", config, "migrate", "--to", tmp_path / "one")
    assert back.status == 2 and "already is the place of the memory" in back.err
    assert historian("--config", config, "migrate").status == 2
    assert historian("--config", config, "migrate", "old.json", *there).status == 2
    assert len(list(memories.open(memories.server).transfer.take(EVERYWHERE))) == 24


def test_the_command_moves_to_another_precision_and_writes_nothing_where_it_does_not_fit(
    memories: Memories, tmp_path: Path
) -> None:
    source = memories.open(memories.local)
    fill(source)
    source.close()
    memories.open(memories.server).close()
    config, schema = tmp_path / "config.toml", memories.server.stores.schema_name
    config.write_text(f'[cognitive]\ndata_dir = "{tmp_path / "one"}"\n', encoding="utf-8")
    refused = historian(
        "--config", config, "migrate", "--to", server_url(), "--schema", schema, "--vectors", "half"
    )
    assert refused.status == 1 and "--vectors half" in " ".join(refused.err.split())
    assert memories.open(memories.server).events.count() == 0
    there = fresh_schema()
    moved = historian(
        "--config",
        config,
        "--json",
        "migrate",
        "--to",
        server_url(),
        "--schema",
        there,
        "--vectors",
        "half",
    )
    assert moved.status == 0 and moved.lines[0]["differing"] == 0
    assert memories.open(memories.on_server(there, vectors="half")).events.count() == 24
