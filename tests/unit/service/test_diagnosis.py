"""What the diagnosis of an installation finds, as data."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from historian.schema.finding import DiagnosisFinding, finding
from historian.schema.protocols import Vector
from historian.schema.settings import CognitiveSettings, EmbeddingSettings, ModelSettings, Settings
from historian.service import diagnosis
from historian.service.diagnosis import CHECKS, Result, diagnose
from historian.service.upkeep.reembedding import ReembeddingStopped
from historian.stores.files.owner_lock import OwnerLock, owner_of
from historian.stores.sqlite.index_schema import open_index
from support.crashes.child import exit_code, in_child
from support.recall import WordEmbedder
from support.waiting import eventually


def without_models(directory: Path) -> Settings:
    models = ModelSettings(embedding=EmbeddingSettings(provider="none"))
    return Settings(cognitive=CognitiveSettings(data_dir=str(directory)), models=models)


async def results(directory: Path) -> dict[str, Result]:
    return {result.part: result async for result in diagnose(without_models(directory), directory)}


@contextmanager
def open_owned(directory: Path) -> Iterator[None]:
    """This process works on the directory."""
    with closing(open_index(directory / "index.sqlite")) as database:
        lock = OwnerLock(directory, index=database.identity)
        lock.acquire(0.0, worker=True)
        with lock:
            yield


async def test_every_part_is_checked_in_order_and_nothing_is_left_behind(tmp_path: Path) -> None:
    found = await results(tmp_path / "data")
    assert list(found) == list(CHECKS)
    assert found["disk"].found.state == "ok" and found["embedding"].found.state == "off"
    for result in found.values():
        assert "{" not in result.found.detail.format(**result.found.values) + result.found.remedy
    assert list(tmp_path.iterdir()) == []


async def test_what_a_check_raises_is_a_finding_with_the_remedy_of_its_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(settings: Settings, directory: Path) -> DiagnosisFinding:
        raise RuntimeError("{no} placeholder")

    async def late(settings: Settings, directory: Path) -> DiagnosisFinding:
        raise TimeoutError

    monkeypatch.setattr(
        diagnosis, "CHECKS", {"disk": (broken, "mend it"), "queue": (late, "mend it")}
    )
    found = await results(tmp_path)
    disk, queue = found["disk"].found, found["queue"].found
    assert (disk.state, disk.remedy) == ("failed", "mend it")
    assert disk.detail.format(**disk.values) == "RuntimeError: {no} placeholder"
    assert queue.detail.format(**queue.values) == "no answer within 60 s"


def test_templates_carry_their_values() -> None:
    assert finding("ok", "{n} jobs", n=2) == DiagnosisFinding("ok", "{n} jobs", "", {"n": 2})
    stopped = ReembeddingStopped("{done} of {total} are done", done=1, total=2)
    assert (str(stopped), stopped.template, stopped.values["done"]) == (
        "1 of 2 are done",
        "{done} of {total} are done",
        1,
    )


def remade(path: Path, *statements: str) -> None:
    """An index that something has changed from outside."""
    open_index(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("change", ["gone", "replaced"])
async def test_a_database_that_is_not_the_one_its_owner_has_open_is_a_failure(
    tmp_path: Path, change: str
) -> None:
    with open_owned(tmp_path):
        assert (await results(tmp_path))["database"].found.state == "ok"
        (tmp_path / "index.sqlite").unlink()
        if change == "replaced":
            remade(tmp_path / "index.sqlite")
        found = (await results(tmp_path))["database"].found
        assert found.state == "failed" and str(os.getpid()) in found.detail.format(**found.values)
        assert "stop the bot" in found.remedy


async def test_an_owner_that_is_suspended_is_told_with_what_lets_it_go_on(tmp_path: Path) -> None:
    def own() -> None:
        with open_owned(tmp_path):
            os.kill(os.getpid(), signal.SIGSTOP)

    child = in_child(own)
    try:
        await eventually(lambda: (owner := owner_of(tmp_path)) is not None and owner.is_suspended)
        found = (await results(tmp_path))["owner"].found
        assert found.state == "warning" and f"kill -CONT {child}" in found.detail.format(
            **found.values
        )
    finally:
        os.kill(child, signal.SIGCONT)
        assert exit_code(child) == 0
    assert (await results(tmp_path))["owner"].found.state == "off"


class TimedEmbedder(WordEmbedder):
    """Takes so many milliseconds for a query."""

    def __init__(self, clock: list[float], milliseconds: float) -> None:
        super().__init__()
        self.is_remote = False
        self._clock, self._milliseconds = clock, milliseconds

    async def embed_query(self, text: str) -> Vector:
        self._clock[0] += self._milliseconds / 1000
        return await super().embed_query(text)


@pytest.mark.parametrize(("milliseconds", "state"), [(70, "ok"), (80, "warning")])
async def test_a_local_embedder_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, milliseconds: int, state: str
) -> None:
    clock = [0.0]
    monkeypatch.setattr(
        diagnosis, "make_embedder", lambda _settings: TimedEmbedder(clock, milliseconds)
    )
    monkeypatch.setattr(
        diagnosis, "time", SimpleNamespace(perf_counter=lambda: clock[0], time=time.time)
    )
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    found = (await results(tmp_path))["embedding"].found
    assert found.state == state
    assert f"a query in {milliseconds} ms" in found.detail.format(**found.values)
    assert ("OMP_WAIT_POLICY" in found.remedy) == (state == "warning")
