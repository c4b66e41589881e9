"""Who may read what is stored: its owner alone, or the group of a shared directory, whatever the umask is."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from historian.stores.chroma.index import ChromaIndex
from historian.stores.files.access import create_file, protect
from historian.stores.files.archive import ArchiveWriter
from historian.stores.files.durable import write_atomically
from support.command import Called, historian

pytestmark = pytest.mark.skipif(os.name == "nt", reason="files have no modes there")


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(root: Path) -> tuple[set[str], set[str]]:
    """The modes of all folders and of all files below a folder, itself included."""
    every = [root, *root.rglob("*")]
    folders = {f"{stat.S_IMODE(one.stat().st_mode):o}" for one in every if one.is_dir()}
    return folders, {f"{stat.S_IMODE(one.stat().st_mode):o}" for one in every if one.is_file()}


def remembered(data: Path, folder: Path) -> Called:
    """Let the command line file one job, with profile, checkpoints and lock files."""
    job = {"new_info": ["Ann likes tea"], "user_id": "ann", "user_name": "Ann", "request_id": "r1"}
    (folder / "jobs.jsonl").write_text(json.dumps(job), encoding="utf-8")
    historian("ingest", folder / "jobs.jsonl", "--data-dir", data)
    drained = historian("worker", "--drain", "--data-dir", data)
    assert drained.status == 0, drained.err
    return drained


def test_all_that_is_stored_is_its_owners_alone(tmp_path: Path, umask: int) -> None:
    data = tmp_path / "new" / "data"
    remembered(data, tmp_path)
    assert (data / "index.sqlite").is_file() and (data / "profiles").is_dir()
    assert modes(data) == ({"700"}, {"600"})
    assert modes(tmp_path / "new")[0] == {"700"}
    assert historian("backup", tmp_path / "copy", "--data-dir", data).status == 0
    assert modes(tmp_path / "copy") == ({"700"}, {"600"})


def test_a_shared_directory_is_the_groups_too_and_closed_again_when_that_ends(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("HISTORIAN__COGNITIVE__GROUP_ACCESS", "true")
    remembered(data, tmp_path)
    assert modes(data) == ({"2770"}, {"660"})
    monkeypatch.delenv("HISTORIAN__COGNITIVE__GROUP_ACCESS")
    assert historian("stats", "--data-dir", data).status == 0
    assert modes(data) == ({"700"}, {"600"})


def test_what_an_earlier_version_left_open_is_closed_and_what_is_not_historians_stays(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    for name in (
        "index.sqlite",
        "profiles/users/ann.md",
        "queues/pending/1.json",
        "site/index.html",
        "notes.txt",
    ):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text("")
        (data / name).chmod(0o644)
    for folder in (data, *data.rglob("*")):
        if folder.is_dir():
            folder.chmod(0o755)
    protect(data, shared=False)
    mode = {
        str(one.relative_to(data)): f"{stat.S_IMODE(one.stat().st_mode):o}"
        for one in (data, *data.rglob("*"))
    }
    assert (
        mode["index.sqlite"]
        == mode["profiles/users/ann.md"]
        == mode["queues/pending/1.json"]
        == "600"
    )
    assert mode["profiles"] == mode["profiles/users"] == mode["queues/pending"] == "700"
    assert (mode["."], mode["site"], mode["site/index.html"], mode["notes.txt"]) == (
        "755",
        "755",
        "644",
        "644",
    )


def test_the_derived_index_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        index = ChromaIndex(tmp_path / "chromadb")
        index.upsert(["a"], [[1.0, 0.0]])
        index.close()
    finally:
        os.umask(before)
    assert modes(tmp_path / "chromadb") == ({"700"}, {"600"})


def test_configuration_and_archives_are_their_owners_alone(tmp_path: Path, umask: int) -> None:
    config = tmp_path / "config.toml"
    assert historian("init", config).status == 0
    with ArchiveWriter(tmp_path / "a.zip") as archive:
        archive.text("a", "b")
    assert [stat.S_IMODE(one.stat().st_mode) for one in (config, tmp_path / "a.zip")] == [
        0o600,
        0o600,
    ]
    config.chmod(0o644)
    assert historian("init", config, "--force").status == 0
    assert stat.S_IMODE(config.stat().st_mode) == 0o600


def test_a_link_in_the_place_of_a_new_file_is_not_written_through(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("as it was")
    (tmp_path / "link").symlink_to(target)
    for flags in (os.O_WRONLY | os.O_EXCL, os.O_RDWR):
        with pytest.raises(OSError):
            create_file(tmp_path / "link", flags)
    write_atomically(tmp_path / "link", b"new")
    assert target.read_text() == "as it was" and not (tmp_path / "link").is_symlink()
