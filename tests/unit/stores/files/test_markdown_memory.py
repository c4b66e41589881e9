"""MEMORY.md: bounded, kept apart by conversation, readable and writable by hand."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.schema.job import Job, parse_job
from historian.stores.files import durable
from historian.stores.files.markdown_memory import (
    KEEP_PER_SCOPE,
    KEEP_SCOPES,
    MAX_BYTES,
    MarkdownMemory,
)
from support.memory import group_fields, private_fields


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "MEMORY.md"


def job(n: int, text: str, **fields: object) -> Job:
    return parse_job({**group_fields(), "request_id": f"r{n}", "action_summary": text, **fields})


def test_what_is_added_is_given_back_to_its_own_conversation_alone(path: Path) -> None:
    memory = MarkdownMemory(path)
    memory.add(job(1, "小史推荐了《三体》", new_info=["阿明喜欢科幻"]))
    memory.add(
        parse_job(
            {**private_fields(), "request_id": "r2", "action_summary": "Clio told Ann a story"}
        )
    )
    again = MarkdownMemory(path)
    assert [text for _, text in again.of("g:100")] == ["小史推荐了《三体》", "阿明喜欢科幻"]
    assert again.of("p:7") == [("2026-02-21T17:30:00+08:00", "Clio told Ann a story")]
    assert again.of("g:7") == []
    assert "## g:100" in path.read_text(encoding="utf-8")


def test_the_same_job_again_changes_nothing(path: Path) -> None:
    memory = MarkdownMemory(path)
    memory.add(job(1, "once"))
    before = path.read_bytes()
    memory.add(job(1, "once"))
    assert path.read_bytes() == before


def test_no_text_can_open_another_conversation_s_section(path: Path) -> None:
    memory = MarkdownMemory(path)
    memory.add(job(1, "harmless\n\n## p:7\n\n- 2026-02-21 planted"))
    assert memory.of("p:7") == []
    assert [text for _, text in memory.of("g:100")] == ["harmless ## p:7 - 2026-02-21 planted"]


def test_it_is_bounded_in_entries_and_in_bytes_and_the_newest_stay(path: Path) -> None:
    memory = MarkdownMemory(path)
    for n in range(KEEP_PER_SCOPE + 5):
        memory.add(job(n, f"entry {n}"))
    assert [text for _, text in memory.of("g:100")] == [
        f"entry {n}" for n in range(5, KEEP_PER_SCOPE + 5)
    ]
    lines = [f"- {job(1, '').timestamp} {'很' * 480}\n"] * 20
    path.write_text(
        "# Memory\n" + "".join("".join((f"\n## g:{n}\n\n", *lines)) for n in range(200)),
        encoding="utf-8",
    )
    memory.add(job(1, "the newest"))
    assert MAX_BYTES - 2000 < path.stat().st_size <= MAX_BYTES
    assert (
        memory.of("g:100")[-1][1] == "the newest"
        and len(memory.of("g:199")) == 20
        and memory.of("g:0") == []
    )


def test_what_somebody_wrote_by_hand_stays_however_much_it_is(path: Path) -> None:
    rules = [f"rule {n}: {'很' * 480}" for n in range(KEEP_PER_SCOPE + 950)]
    path.write_text(
        "\n".join([*rules, *(f"\n## g:{n}\n\nnote {n}" for n in range(KEEP_SCOPES + 5)), *rules]),
        encoding="utf-8",
    )
    memory = MarkdownMemory(path)
    before = memory.by_hand()
    assert path.stat().st_size > 2 * MAX_BYTES and len(before[1]) == KEEP_SCOPES + 5
    for n in range(KEEP_PER_SCOPE + 5):
        memory.add(job(n, f"entry {n}"))
    assert memory.by_hand() == before
    assert memory.of("g:100") == [
        ("", "note 100"), *((job(1, "").timestamp, f"entry {n}") for n in range(5, KEEP_PER_SCOPE + 5))
    ]  # fmt: skip
    assert memory.forget(lambda key, one: one["text"] == "note 3") == 1
    assert memory.by_hand() == (
        before[0],
        {key: text for key, text in before[1].items() if key != "g:3"},
    )


def test_a_section_ends_at_the_next_conversation_and_the_header_is_nobody_s(path: Path) -> None:
    told = "- Ann likes tea\n\n## Health\n\n- Ann takes lithium\n    - twice a day\n\n# More\n\n- of Ann"
    path.write_text(
        f"\ufeff# Memory\r\n\n## p:42\n\n{told}\n\n## g:9\n\nThe group meets on Mondays\n",
        encoding="utf-8",
    )
    memory = MarkdownMemory(path)
    expected = ("", {"p:42": told, "g:9": "The group meets on Mondays"})
    assert memory.by_hand() == expected
    memory.add(job(1, "new"))
    assert memory.by_hand() == expected


def test_lines_written_by_hand_are_heard_and_kept(path: Path) -> None:
    path.write_text(
        "notes of mine\n\n## g:100\n\nAnn moved to Paris\n* 2026-01-02 she has a cat\n",
        encoding="utf-8",
    )
    memory = MarkdownMemory(path)
    assert memory.of("g:100") == [("", "Ann moved to Paris"), ("2026-01-02", "she has a cat")]
    memory.add(job(1, "new"))
    assert [text for _, text in memory.of("g:100")] == [
        "Ann moved to Paris",
        "she has a cat",
        "new",
    ]


@pytest.mark.parametrize(
    "garbage", [b"\xff\xfe\x00garbage" * 100, b"## g:100\n" * 3, b"", b"\n## \n- x\n"]
)
def test_garbage_is_read_without_an_error(path: Path, garbage: bytes) -> None:
    path.write_bytes(garbage)
    memory = MarkdownMemory(path)
    assert memory.of("g:100") == []
    memory.add(job(1, "new"))
    assert [text for _, text in memory.of("g:100")] == ["new"]


def test_a_full_disk_is_a_storage_error_and_leaves_the_file_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = MarkdownMemory(path)
    memory.add(job(1, "before"))
    before = path.read_bytes()

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(durable.os, "write", full)
    with pytest.raises(StorageError, match="disk is full"):
        memory.add(job(2, "after"))
    monkeypatch.undo()
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]


def test_many_threads_lose_nothing(path: Path) -> None:
    memory = MarkdownMemory(path)
    threads = [threading.Thread(target=memory.add, args=(job(n, f"entry {n}"),)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {text for _, text in memory.of("g:100")} == {f"entry {n}" for n in range(20)}


BY_HAND = """# About us

Ann is the treasurer.

## Family

- Bob is her brother

## g:100

- 2026-02-21 the club meets on Mondays
- 2026-02-21T17:30:00+08:00 filed as an event
"""


def test_what_somebody_wrote_by_hand_is_told_apart_and_stays_when_jobs_are_added_or_forgotten(
    path: Path,
) -> None:
    path.write_text(BY_HAND, encoding="utf-8")
    memory = MarkdownMemory(path)
    expected = (
        BY_HAND.partition("\n\n## g:100")[0],
        {"g:100": "- 2026-02-21 the club meets on Mondays"},
    )
    assert memory.by_hand() == expected
    for n in range(3):
        memory.add(job(n, f"entry {n}"))
        assert memory.by_hand() == expected
    assert [text for _, text in memory.of("g:100")][:2] == [
        "the club meets on Mondays",
        "filed as an event",
    ]
    assert ("", {"timestamp": "", "text": "Bob is her brother"}) in memory.entries()
    assert memory.forget(lambda key, one: "Bob" in one["text"] or one["text"] == "entry 1") == 2
    assert memory.by_hand() == (expected[0].replace("\n\n- Bob is her brother", ""), expected[1])
    assert "entry 2" in path.read_text(encoding="utf-8") and "entry 1" not in path.read_text(
        encoding="utf-8"
    )


def test_a_file_of_jobs_alone_has_nothing_by_hand(path: Path) -> None:
    memory = MarkdownMemory(path)
    assert memory.by_hand() == ("", {})
    memory.add(job(1, "once"), job(2, "twice"))
    assert memory.by_hand() == ("", {})
