"""Plain summaries: the last ones are kept; a broken file is set aside, one that only cannot be read now is left alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.stores.files.end_summaries import KEEP_PER_SCOPE, EndSummaries
from support.jobs import make_job

OpenSummaries = Callable[[], EndSummaries]


@pytest.fixture
def opened(tmp_path: Path) -> OpenSummaries:
    return lambda: EndSummaries(tmp_path / "end_summaries.json")


def test_a_job_is_kept_once_with_its_text_for_every_process(opened: OpenSummaries) -> None:
    job = make_job("a")
    opened().add([job, make_job("b", action_summary="", new_info=[])])
    opened().add([job])
    assert opened().of("g:7") == [(job.timestamp, "告诉用户明天下雨\n用户养了一只叫阿橘的猫")]
    assert opened().of("g:8") == []
    entry = {
        "job_id": job.job_id,
        "timestamp": job.timestamp,
        "user_id": "42",
        "text": opened().of("g:7")[0][1],
    }
    assert opened().entries() == [("g:7", entry)]


def test_the_last_of_a_scope_are_kept_oldest_first(opened: OpenSummaries) -> None:
    summaries = opened()
    for n in range(KEEP_PER_SCOPE + 5):
        summaries.add([make_job(f"r{n}", action_summary=f"text {n}", new_info=[])])
    summaries.add([make_job("other", group="8")])
    assert [text for _, text in summaries.of("g:7")] == [
        f"text {n}" for n in range(5, KEEP_PER_SCOPE + 5)
    ]
    assert [text for _, text in summaries.of("g:7", 2)] == [
        f"text {n}" for n in range(KEEP_PER_SCOPE + 3, KEEP_PER_SCOPE + 5)
    ]
    assert len(summaries.of("g:8")) == 1


def test_what_is_unwanted_goes(opened: OpenSummaries) -> None:
    summaries = opened()
    summaries.add([make_job("a"), make_job("b", user_id="43"), make_job("c", group="8")])
    assert summaries.forget(lambda key, entry: key == "g:7" and entry["user_id"] == "42") == 1
    assert [(key, entry["job_id"]) for key, entry in summaries.entries()] == [
        ("g:7", "b-1"),
        ("g:8", "c-1"),
    ]
    assert summaries.forget(lambda key, entry: False) == 0


def test_what_is_brought_back_stands_by_its_time_and_not_twice(opened: OpenSummaries) -> None:
    summaries = opened()
    summaries.add([make_job("b")])
    earlier = {
        "job_id": "a-1",
        "timestamp": "2026-02-20T17:30:00+08:00",
        "user_id": "42",
        "text": "earlier",
    }
    plain = {"timestamp": "2026-02-19T17:30:00+08:00", "text": "of an earlier version"}
    assert (
        summaries.restore(
            [("g:7", earlier), ("", earlier), ("g:7", {**earlier, "text": ""}), ("g:7", plain)]
        )
        == 2
    )
    assert [text for _, text in summaries.of("g:7")][:2] == ["of an earlier version", "earlier"]
    assert summaries.restore([("g:7", earlier)]) == 0


def test_a_broken_file_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "end_summaries.json"
    path.write_text("{broken")
    EndSummaries(path).add([make_job("a")])
    assert len(EndSummaries(path).of("g:7")) == 1
    assert (tmp_path / "end_summaries.damaged.json").read_text() == "{broken"


def test_a_file_that_cannot_be_read_now_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "end_summaries.json"
    EndSummaries(path).add([make_job("a")])

    def refusing(path: Path) -> bytes:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", refusing)
        for use in (
            lambda one: one.of("g:7"),
            lambda one: one.add([make_job("b")]),
            lambda one: one.forget(lambda key, entry: True),
        ):
            with pytest.raises(StorageError, match="Input/output"):
                use(EndSummaries(path))
    assert len(EndSummaries(path).of("g:7")) == 1 and [
        file.name for file in tmp_path.glob("*.json")
    ] == [path.name]


@pytest.mark.parametrize("content", ["{broken", "[1, 2]"])
def test_reading_a_broken_file_leaves_it_where_it_is(tmp_path: Path, content: str) -> None:
    path = tmp_path / "end_summaries.json"
    path.write_text(content)
    assert EndSummaries(path).of("g:7") == EndSummaries(path).entries() == []
    assert path.read_text() == content and [file.name for file in tmp_path.glob("*.json")] == [
        path.name
    ]
    EndSummaries(path).add([make_job("a")])
    assert (tmp_path / "end_summaries.damaged.json").read_text() == content and len(
        EndSummaries(path).of("g:7")
    ) == 1


def test_a_known_job_again_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "end_summaries.json"
    EndSummaries(path).add([make_job("a"), make_job("b")])
    before = path.stat().st_mtime_ns, path.stat().st_ino
    EndSummaries(path).add([make_job("a")])
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before
