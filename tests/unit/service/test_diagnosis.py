"""What the diagnosis of an installation finds, as data."""

from __future__ import annotations

from pathlib import Path

import pytest
from historian.schema.settings import CognitiveSettings, EmbeddingSettings, ModelSettings, Settings
from historian.service import diagnosis
from historian.service.diagnosis import CHECKS, Finding, Result, diagnose, finding
from historian.service.upkeep.reembedding import ReembeddingStopped


def without_models(directory: Path) -> Settings:
    models = ModelSettings(embedding=EmbeddingSettings(provider="none"))
    return Settings(cognitive=CognitiveSettings(data_dir=str(directory)), models=models)


async def results(directory: Path) -> dict[str, Result]:
    return {result.part: result async for result in diagnose(without_models(directory), directory)}


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
    async def broken(settings: Settings, directory: Path) -> Finding:
        raise RuntimeError("{no} placeholder")

    async def late(settings: Settings, directory: Path) -> Finding:
        raise TimeoutError

    monkeypatch.setattr(diagnosis, "CHECKS", {"disk": (broken, "mend it"), "queue": (late, "mend it")})
    found = await results(tmp_path)
    disk, queue = found["disk"].found, found["queue"].found
    assert (disk.state, disk.remedy) == ("failed", "mend it")
    assert disk.detail.format(**disk.values) == "RuntimeError: {no} placeholder"
    assert queue.detail.format(**queue.values) == "no answer within 60 s"


def test_templates_carry_their_values() -> None:
    assert finding("ok", "{n} jobs", n=2) == Finding("ok", "{n} jobs", "", {"n": 2})
    stopped = ReembeddingStopped("{done} of {total} are done", done=1, total=2)
    assert (str(stopped), stopped.template, stopped.values["done"]) == ("1 of 2 are done", "{done} of {total} are done", 1)
