"""The last plain summaries: a broken file is set aside, one that only cannot be read now is left alone."""

from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.stores.files.end_summaries import EndSummaries
from support.jobs import make_job


def test_a_broken_file_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "end_summaries.json"
    path.write_text("{broken")
    EndSummaries(path).add([make_job("a")])
    assert len(EndSummaries(path).of("g:7")) == 1
    assert (tmp_path / "end_summaries.damaged.json").read_text() == "{broken"


def test_a_file_that_cannot_be_read_now_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert len(EndSummaries(path).of("g:7")) == 1 and [file.name for file in tmp_path.glob("*.json")] == [path.name]


@pytest.mark.parametrize("content", ["{broken", "[1, 2]"])
def test_reading_a_broken_file_leaves_it_where_it_is(tmp_path: Path, content: str) -> None:
    path = tmp_path / "end_summaries.json"
    path.write_text(content)
    assert EndSummaries(path).of("g:7") == EndSummaries(path).entries() == []
    assert path.read_text() == content and [file.name for file in tmp_path.glob("*.json")] == [path.name]
    EndSummaries(path).add([make_job("a")])
    assert (tmp_path / "end_summaries.damaged.json").read_text() == content and len(EndSummaries(path).of("g:7")) == 1


def test_a_known_job_again_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "end_summaries.json"
    EndSummaries(path).add([make_job("a"), make_job("b")])
    before = path.stat().st_mtime_ns, path.stat().st_ino
    EndSummaries(path).add([make_job("a")])
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before
