"""Changing the embedding model: the former vectors are read until the new ones take their place, whatever happens."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from historian.models.embeddings.wrapped import MatchingEmbedder
from historian.schema.errors import (
    InvalidInput,
    ModelAnswerUnusable,
    ModelRefused,
    ModelUnavailable,
)
from historian.schema.event import EventFilter
from historian.schema.profile import ProfileKey
from historian.schema.protocols import Matrix, Vector
from historian.service.components import Parts, open_parts
from historian.service.upkeep import reembedding
from historian.service.upkeep.reembedding import Reembedding, ReembeddingStopped, change_model
from historian.stores.chroma.index import ChromaIndex
from historian.stores.index_repair import repair
from historian.stores.tables.events.shadow_vectors import ShadowVectors
from profiles import profile_of
from support.crashes.child import Killer, exit_code, in_child, is_killed
from support.events import embedded_ids, make_event
from support.memory import settings_for
from support.postgres import Schema, server_url

GROUP = EventFilter("g:7")


class Model:
    """An embedder whose vectors tell model and text apart. `texts` is what was paid for; `broken_after` calls it is away."""

    is_remote = False

    def __init__(
        self, name: str = "new", dimension: int = 6, *, broken_after: int = 10_000
    ) -> None:
        self.model, self.dimension = f"test:{name}", dimension
        self.texts: list[str] = []
        self.unusable: set[str] = set()
        self.broken_after = broken_after
        self.on_call: Callable[[int], None] = lambda call: None
        self.calls = 0

    def vector(self, text: str) -> Vector:
        seed = sum((n + 1) * byte for n, byte in enumerate(f"{self.model}\0{text}".encode()))
        values = np.random.default_rng(seed).normal(size=self.dimension).astype(np.float32)
        return np.asarray(values / np.linalg.norm(values), dtype=np.float32)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.calls += 1
        self.on_call(self.calls)
        if self.calls > self.broken_after:
            raise ModelUnavailable("the endpoint is away")
        if self.unusable & set(texts):
            raise ModelAnswerUnusable("NaN")
        self.texts.extend(texts)
        return np.stack([self.vector(text) for text in texts])

    async def embed_query(self, text: str) -> Vector:
        return self.vector(text)

    async def aclose(self) -> None:
        return None


def open_at(directory: Path) -> Parts:
    settings = settings_for(directory)
    return open_parts(settings, clock=time.time)


def file(parts: Parts, numbers: range, model: Model) -> None:
    parts.events.set_fingerprint(model.model, model.dimension)
    for n in numbers:
        group = "7" if n % 2 else "8"
        event = make_event(f"j{n}-0", 0, text=f"record {n}", group=group)
        assert parts.events.file_job(event.job_id, [event], [model.vector(event.text)])


def work_of(parts: Parts, model: Model) -> Reembedding:
    return Reembedding(parts, model)


def assert_read(parts: Parts, model: Model, count: int) -> None:
    """Searches read the vectors of `model`, one an event, each at its own event; scope by scope too."""
    assert parts.events.fingerprint() == (model.model, model.dimension)
    ids, matrix = parts.events.vectors(EventFilter(None))
    texts = {
        event.event_id: event.text for event in parts.events.find(EventFilter(None), limit=10_000)
    }
    assert len(ids) == count == parts.events.embedded_count()
    for event_id, vector in zip(ids, matrix, strict=True):
        assert np.array_equal(vector, model.vector(texts[event_id]))
    news = [parts.events.news(key, 0, 0) for key, _ in parts.events.scopes()]
    in_scopes = [event_id for one in news for event_id in embedded_ids(one)]
    assert sorted(in_scopes) == sorted(ids)


@pytest.fixture(params=["files", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, schema: Schema) -> Parts:
    """The parts of an empty memory on each backend; the test closes them."""
    if request.param == "files":
        return open_at(tmp_path)
    given = settings_for(tmp_path)
    there = {"url": server_url(), "schema_name": schema.name, "pool_max": 4}
    settings = given.model_copy(update={"stores": given.stores.model_copy(update=there)})
    return open_parts(settings, clock=time.time)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembedding, "BATCH", 4)


@pytest.fixture
def old() -> Model:
    return Model("old", 5)


async def test_searches_read_the_former_vectors_until_the_change_and_the_new_ones_after_it(
    opened: Parts, old: Model
) -> None:
    parts, new = opened, Model()
    file(parts, range(10), old)
    seen: list[tuple[int, int]] = []
    new.on_call = lambda call: assert_read(parts, old, 10)
    built = await work_of(parts, new).build(
        on_progress=lambda done, total: seen.append((done, total))
    )
    assert (
        (built.made, built.found, built.skipped) == (10, 0, 0)
        and seen[0] == (0, 10)
        and seen[-1] == (10, 10)
    )
    assert_read(parts, old, 10)
    before = parts.events.change_number("g:7")
    parts.backend.shadow.change_over()
    assert_read(parts, new, 10)
    after = parts.events.change_number("g:7")
    assert after[0] > before[0] and after[1] > before[1]
    assert parts.backend.shadow.sets().kept == (old.model, 5)
    await parts.aclose()


async def test_events_filed_edited_and_deleted_meanwhile_are_included(
    opened: Parts, old: Model
) -> None:
    parts, new = opened, Model()
    file(parts, range(10), old)

    def meddle(call: int) -> None:
        if call == 2:
            file(parts, range(10, 13), old)
            parts.events.edit(
                "j0-0:0", "edited after it was embedded", old.vector("edited after it was embedded")
            )
            parts.events.edit("j8-0:0", "edited while it is embedded", None)
            parts.events.delete(["j1-0:0", "j9-0:0"])

    new.on_call = meddle
    await work_of(parts, new).build()
    parts.backend.shadow.change_over()
    assert_read(parts, new, 11)
    file_later = make_event("later-0", 0, text="filed after the change")
    assert parts.events.file_job("later-0", [file_later], [new.vector(file_later.text)])
    assert_read(parts, new, 12)
    await parts.aclose()


async def test_a_model_that_goes_away_in_the_middle_loses_nothing_and_is_not_paid_twice(
    tmp_path: Path, old: Model
) -> None:
    parts, new = open_at(tmp_path), Model(broken_after=2)
    file(parts, range(20), old)
    with pytest.raises(ModelUnavailable):
        await work_of(parts, new).build()
    assert_read(parts, old, 20)
    assert parts.backend.shadow.sets().next_done == 8
    again = Model()
    built = await work_of(parts, again).build()
    assert (built.found, built.made) == (8, 12) and not set(again.texts) & set(new.texts)
    parts.backend.shadow.change_over()
    assert_read(parts, new, 20)
    await parts.aclose()


async def test_a_text_that_no_model_can_embed_is_left_to_keywords_and_stops_nothing(
    tmp_path: Path, old: Model
) -> None:
    parts, new = open_at(tmp_path), Model()
    file(parts, range(9), old)
    new.unusable = {"record 2"}
    built = await work_of(parts, new).build()
    assert (built.made, built.skipped) == (8, 1)
    parts.backend.shadow.change_over()
    assert_read(parts, new, 8)
    assert parts.events.search_keywords("record 2", EventFilter("g:8"), 1)
    await parts.aclose()


async def test_another_model_in_between_begins_anew(tmp_path: Path, old: Model) -> None:
    parts = open_at(tmp_path)
    file(parts, range(8), old)
    with pytest.raises(ModelUnavailable):
        await work_of(parts, Model("second", broken_after=1)).build()
    third = Model("third", 9)
    assert (await work_of(parts, third).build()).found == 0
    parts.backend.shadow.change_over()
    assert_read(parts, third, 8)
    await parts.aclose()


async def test_going_back_and_forth_costs_nothing_until_the_old_ones_are_dropped(
    opened: Parts, old: Model
) -> None:
    parts, new = opened, Model()
    file(parts, range(6), old)
    await work_of(parts, new).build()
    parts.backend.shadow.change_over()
    event = make_event("later-0", 0, text="filed after the change")
    parts.events.file_job("later-0", [event], [new.vector(event.text)])
    assert await work_of(parts, old).build() == "kept"
    assert parts.backend.shadow.roll_back() == (old.model, 5)
    assert_read(parts, old, 6)
    assert [one.event_id for one in parts.events.without_vector(9)] == ["later-0:0"]
    parts.backend.shadow.roll_back()
    assert_read(parts, new, 7)
    with pytest.raises(InvalidInput, match="--drop-old"):
        await work_of(parts, Model("third", 9)).build()
    assert parts.backend.shadow.drop_old() == 6
    with pytest.raises(InvalidInput, match="nothing to switch back to"):
        parts.backend.shadow.roll_back()
    assert_read(parts, new, 7)
    await work_of(parts, Model("third", 9)).build()
    await parts.aclose()


async def test_the_same_model_is_nothing_to_do_and_a_first_model_keeps_nothing(
    tmp_path: Path,
) -> None:
    parts, new = open_at(tmp_path), Model()
    event = make_event("j0-0", 0, text="record 0")
    parts.events.file_job("j0-0", [event], [None])
    await work_of(parts, new).build()
    parts.backend.shadow.change_over()
    assert_read(parts, new, 1)
    assert parts.backend.shadow.sets().kept is None
    assert await work_of(parts, new).build() == "same"
    with pytest.raises(InvalidInput, match="run `historian reembed`"):
        parts.backend.shadow.change_over()
    await parts.aclose()


async def test_profiles_change_over_with_the_events(opened: Parts, old: Model) -> None:
    parts, new = opened, Model()
    file(parts, range(2), old)
    stored = [
        parts.profiles.write(
            profile_of(ProfileKey("user", n), "- likes tea", name=n), expected_revision=0, now=""
        )
        for n in ("1", "2")
    ]
    for profile in stored:
        parts.backend.profile_index.put(profile, old.vector(profile.name))
    assert (await work_of(parts, new).build()).profiles == 2
    moved = parts.profiles.write(stored[0], expected_revision=1, now="")
    parts.backend.profile_index.put(moved, old.vector("1"))
    parts.backend.shadow.change_over()
    keys, matrix = parts.backend.profile_index.vectors()
    assert [key.entity_id for key in keys] == ["2"] and matrix.shape == (1, new.dimension)
    assert parts.backend.profile_index.stale([moved]) == [moved]
    parts.backend.shadow.roll_back()
    assert parts.backend.profile_index.vectors()[1].shape == (2, old.dimension)
    await parts.aclose()


@pytest.mark.parametrize("dimension", [5, 6])
async def test_the_derived_index_is_brought_to_the_new_vectors(
    tmp_path: Path, old: Model, dimension: int
) -> None:
    parts, new = open_at(tmp_path), Model(dimension=dimension)
    file(parts, range(5), old)
    index = ChromaIndex(tmp_path / "chromadb")
    repair(parts.events, index)
    new.unusable = {"record 3"}
    await work_of(parts, new).build()
    parts.backend.shadow.change_over()
    repair(parts.events, index)
    assert index.count() == 4
    (held,) = index._open().get(ids=["j4-0:0"], include=["embeddings"])["embeddings"]
    assert held == pytest.approx(new.vector("record 4"), abs=1e-6)
    index.close()
    await parts.aclose()


async def test_forgotten_texts_leave_no_vector_in_any_set(tmp_path: Path, old: Model) -> None:
    parts, new = open_at(tmp_path), Model()
    file(parts, range(4), old)
    await work_of(parts, new).build()
    parts.backend.shadow.change_over()
    parts.events.forget(["j1-0:0"])
    assert parts.backend.shadow.sets().kept_count == 3
    await parts.aclose()
    content = b"".join(path.read_bytes() for path in tmp_path.glob("index.sqlite*"))
    assert old.vector("record 0").tobytes() in content
    assert (
        old.vector("record 1").tobytes() not in content
        and new.vector("record 1").tobytes() not in content
    )


async def test_a_service_with_the_former_model_goes_by_keywords_after_the_change(
    tmp_path: Path, old: Model
) -> None:
    parts, new = open_at(tmp_path), Model(dimension=5)
    file(parts, range(3), old)
    running = MatchingEmbedder(old, parts.events)
    assert len(await running.embed_query("record")) == 5
    await work_of(parts, new).build()
    assert len(await running.embed_query("record")) == 5
    parts.backend.shadow.change_over()
    with pytest.raises(ModelRefused, match="test:new"):
        await running.embed_query("record")
    with pytest.raises(ModelRefused):
        await running.embed_documents(["record"])
    await parts.aclose()


async def test_a_second_process_that_would_make_the_same_vectors_is_told_that_one_does(
    opened: Parts, old: Model
) -> None:
    file(opened, range(3), old)
    is_told = pytest.raises(
        ReembeddingStopped, match=r"another `historian reembed` is at work.*process"
    )
    with opened.backend.workers.reembedding(opened.clock()), is_told:
        await change_model(opened, Model())
    assert (await change_model(opened, Model())).outcome == "built"


def run_killed(directory: Path, point: int, paid: int) -> bool:
    """Run the whole change in a child that is killed at `point`; False where it was not reached."""

    def work() -> None:
        killer = Killer(point)
        for name in ("begin", "store", "store_profiles", "change_over"):
            setattr(ShadowVectors, name, killer.around(getattr(ShadowVectors, name)))
        parts, new = open_at(directory), Model()

        def pay(call: int) -> None:
            os.write(paid, b".")
            killer.point()

        new.on_call = pay
        asyncio.run(work_of(parts, new).build())
        parts.backend.shadow.change_over()

    return is_killed(work)


@pytest.mark.slow
def test_a_kill_at_every_boundary_of_every_batch_loses_nothing_and_pays_for_one_batch_at_most(
    tmp_path: Path,
) -> None:
    old, new, events = Model("old", 5), Model(), 18
    batches = -(-events // 4)
    point, killed = 0, True
    while killed:
        point += 1
        directory = tmp_path / str(point)
        parts = open_at(directory)
        file(parts, range(events), old)
        asyncio.run(parts.aclose())
        log = directory / "paid"
        paid = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        killed = run_killed(directory, point, paid)
        if killed:
            parts = open_at(directory)
            changed = parts.events.fingerprint() == (new.model, new.dimension)
            assert_read(parts, new if changed else old, events)
            asyncio.run(parts.aclose())
            if not changed:
                assert not run_killed(directory, 10_000, paid)
        os.close(paid)
        parts = open_at(directory)
        assert_read(parts, new, events)
        assert parts.backend.shadow.sets().kept_count == events
        asyncio.run(parts.aclose())
        assert log.stat().st_size <= batches + 1
    assert point == 2 + 3 * batches + 2 + 1


def test_another_process_that_reads_all_the_while_sees_one_set_or_the_other(tmp_path: Path) -> None:
    old, new = Model("old", 5), Model()
    parts = open_at(tmp_path)
    file(parts, range(60), old)
    asyncio.run(parts.aclose())
    ready, started = os.pipe()

    def read() -> None:
        reader = open_at(tmp_path)
        seen: set[int] = set()
        deadline = time.monotonic() + 30
        os.write(started, b".")
        while seen != {5, 6} and time.monotonic() < deadline:
            ids, matrix = reader.events.vectors(GROUP)
            assert matrix.shape[0] == len(ids) == 30
            seen.add(matrix.shape[1])
        assert seen == {5, 6}

    child = in_child(read)
    os.read(ready, 1)
    parts = open_at(tmp_path)
    asyncio.run(work_of(parts, new).build())
    parts.backend.shadow.change_over()
    assert exit_code(child) == 0
    asyncio.run(parts.aclose())
