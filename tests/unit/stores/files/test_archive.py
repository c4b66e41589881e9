"""Archives that are too large are refused before they are read."""

import json
import zipfile
from pathlib import Path

import pytest
from historian.schema.errors import InvalidInput
from historian.stores.files import archive
from historian.stores.files.archive import FORMAT, VERSION, ArchiveReader

MANIFEST = json.dumps({"format": FORMAT, "version": VERSION}).encode()


def written(path: Path, events: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("manifest.json", MANIFEST)
        target.writestr("events.jsonl", events)
    return path


def test_what_the_directory_says_is_too_large_is_refused_before_a_line_is_read(
    tmp_path: Path,
) -> None:
    small = b'{"event_id": "x"}\n'
    path = written(tmp_path / "a.zip", small * (3 * 1024 * 1024 // len(small)))
    with pytest.raises(InvalidInput, match=r"larger than 2 MiB .*--max-mib"):
        ArchiveReader(path, most_mib=2)
    with ArchiveReader(path, most_mib=4) as reader:
        assert next(reader.lines("events.jsonl")) == (1, {"event_id": "x"})


def test_an_archive_of_very_many_lines_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_LINES_A_MIB", 10)
    path = written(tmp_path / "a.zip", b"{}\n" * 30)
    with (
        ArchiveReader(path, most_mib=2) as reader,
        pytest.raises(InvalidInput, match="more than 20 lines"),
    ):
        list(reader.lines("events.jsonl"))
    with ArchiveReader(path, most_mib=3) as reader:
        assert len(list(reader.lines("events.jsonl"))) == 30
        reader.rewind()
        assert len(list(reader.lines("events.jsonl"))) == 30
