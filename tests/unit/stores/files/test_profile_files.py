"""What is particular to profiles as Markdown files: places, hand-made damage, full disks, killed processes."""

from __future__ import annotations

import errno
import multiprocessing
import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from historian.schema.entity import Entity
from historian.schema.errors import RevisionConflict, StorageError
from historian.schema.profile import Profile, ProfileKey
from historian.stores.files.durable import sweep_leftovers
from historian.stores.files.profiles import PROFILE_FORMAT, MarkdownProfiles
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.crashes.killed_at import killed_at_every_call
from support.ledger import MemoryLedger

KEY = ProfileKey("user", "42")
NOW = "2026-02-21T17:30:00+08:00"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "profiles"


@pytest.fixture
def profiles(folder: Path) -> MarkdownProfiles:
    return MarkdownProfiles(folder, ledger=MemoryLedger(), revision_keep=3)


def profile(**fields: object) -> Profile:
    given: dict[str, object] = {"key": KEY, "name": "小林", "tags": ("猫",), "summary": "- 养了一只猫"}
    return Profile(**{**given, **fields})  # type: ignore[arg-type]


def damage(folder: Path, text: str | bytes) -> None:
    path = folder / "users" / "42.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def test_the_file_is_yaml_and_markdown_that_people_can_read(profiles: MarkdownProfiles, folder: Path) -> None:
    profiles.write(profile(), expected_revision=0, job_id="r1-1", now=NOW)
    assert (folder / "users" / "42.md").read_text(encoding="utf-8") == (
        "---\nentity_type: user\nentity_id: '42'\nlayer: ''\nname: 小林\ntags:\n- 猫\n"
        "updated_at: '2026-02-21T17:30:00+08:00'\nrevision: 1\nsource_event_id: r1-1:0\n---\n\n- 养了一只猫\n"
    )


@pytest.mark.parametrize(
    "entity_id", ["../x", "-1001234", "@ann:matrix.org", "记" * 128, "a/../../b", ".", "..", "NUL", "A" * 128]
)
def test_any_id_and_layer_stay_in_their_folder(profiles: MarkdownProfiles, folder: Path, entity_id: str) -> None:
    for entity_type in ("user", "group"):
        for layer in ("", "private", f"g:{entity_id}"):
            key = ProfileKey(entity_type, entity_id, layer)  # type: ignore[arg-type]
            for n in range(2):
                profiles.write(profile(key=key), expected_revision=n, now=NOW)
    assert len(profiles.keys()) == 6
    assert sorted(profiles.layers("user", entity_id)) == sorted(["", "private", f"g:{entity_id}"])
    assert len(list((folder / "users").iterdir())) == len(list((folder / "groups").iterdir())) == 3
    assert len(list((folder / "history" / "users").iterdir())) == 3
    assert {path.name for path in folder.iterdir()} == {"users", "groups", "history", ".locks"}
    assert {path.name for path in folder.parent.iterdir()} == {"profiles"}


def test_snapshots_are_named_by_revision_and_time(profiles: MarkdownProfiles, folder: Path) -> None:
    for n in range(2):
        profiles.write(profile(key=ProfileKey("user", "42", "private")), expected_revision=n, now=NOW)
    assert [p.name for p in (folder / "history" / "users" / "42@private").iterdir()] == ["1-20260221T093000Z.md"]


DAMAGED = {
    "": ("", ""),
    "just text": ("just text", ""),
    "---\nname: x\n": ("---\nname: x", ""),
    "---\n: : :\n\t- [\nname: 小林\nrevision: 7\n---\nbody": ("body", "小林"),
    "---\n- a\n- b\n---\nbody": ("---\n- a\n- b\n---\nbody", ""),
    "---\ntitle: my notes\n---\nbody": ("---\ntitle: my notes\n---\nbody", ""),
    "---\nname: [a, b]\ntags: {a: b}\nrevision: -3\n---\nbody": ("body", ""),
    "---\nname: 小林\ntags: 猫, 狗\nrevision: 9999999999999999999999\n---\nbody": ("body", "小林"),
    "---\nname: 007\nupdated_at: 2026-13-45\nrevision: .inf\n---\nbody": ("body", "007"),
    "---\nname: &a [*a]\n---\nbody": ("body", "&a [*a]"),
    "---\nname: !!python/object/apply:os.system [exit]\n---\nbody": ("body", ""),
    "\ufeff---\r\nname: 小林\r\n---\r\n\r\nbody\r\nmore\r\n": ("body\nmore", "小林"),
    "---\n" + "[" * 9000 + "\n---\nbody": ("---\n" + "[" * 9000 + "\n---\nbody", ""),
    "---\n" + "- " * 3000 + "x\n---\nbody": ("---\n" + "- " * 3000 + "x\n---\nbody", ""),
}


@pytest.mark.parametrize("text", DAMAGED, ids=[str(n) for n in range(len(DAMAGED))])
def test_a_damaged_file_is_read_as_well_as_can_be_and_nothing_is_lost(
    profiles: MarkdownProfiles, folder: Path, text: str
) -> None:
    for n in range(2):
        profiles.write(profile(), expected_revision=n, now=NOW)
    damage(folder, text)
    summary, name = DAMAGED[text]
    found = profiles.read(KEY)
    assert found is not None
    assert (found.summary, found.name, found.key) == (summary, name, KEY)
    assert found.revision == (7 if "revision: 7" in text else 2)
    written = profiles.write(replace(found, summary="new"), expected_revision=found.revision, now=NOW)
    assert profiles.read(KEY) == written
    snapshots = [path.read_bytes() for path in (folder / "history" / "users" / "42").iterdir()]
    assert text.encode() in snapshots
    assert profiles.rollback(KEY, found.revision, now=NOW).summary == summary


def test_bytes_that_are_no_text_are_kept_in_the_history(profiles: MarkdownProfiles, folder: Path) -> None:
    damage(folder, b"\xff\xfe\x00 text")
    found = profiles.read(KEY)
    assert found is not None and found.revision == 1 and "text" in found.summary
    profiles.write(profile(), expected_revision=1, now=NOW)
    assert [path.read_bytes() for path in (folder / "history" / "users" / "42").iterdir()] == [b"\xff\xfe\x00 text"]


@given(st.text(max_size=200), st.text(max_size=100))
def test_no_text_whatever_makes_reading_raise(head: str, body: str) -> None:
    for text in (head + body, f"---\n{head}\n---\n{body}", f"---\nname: {head}\ntags: {body}\n---\n"):
        PROFILE_FORMAT.parse(text.encode(errors="replace"), KEY, int)


def test_the_front_matter_is_plain_yaml_to_others() -> None:
    tricky = profile(name="yes: no # x", tags=("null", "1", "a: b", "'"), summary="---\nx", updated_at=NOW, revision=3)
    head = PROFILE_FORMAT.render(tricky).split("---\n")[1]
    fields = yaml.safe_load(head)
    assert (fields["name"], fields["tags"], fields["updated_at"]) == (tricky.name, list(tricky.tags), NOW)
    assert PROFILE_FORMAT.parse(PROFILE_FORMAT.render(tricky).encode(), KEY, int) == tricky


def test_files_of_others_and_temporary_files_are_no_profiles(profiles: MarkdownProfiles, folder: Path) -> None:
    profiles.write(profile(), expected_revision=0, now=NOW)
    users = folder / "users"
    (users / ".tmp-1-2-3").write_text("half")
    (users / "notes.txt").write_text("x")
    (users / "UPPER.md").write_text("whose is it?")
    assert profiles.keys() == [KEY]
    assert sweep_leftovers(folder) == 1


def test_a_full_disk_changes_nothing(profiles: MarkdownProfiles, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = profiles.write(profile(), expected_revision=0, now=NOW)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for call in ("write", "fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, call, refuse)
            with pytest.raises(StorageError, match="free some space"):
                profiles.write(profile(summary="new"), expected_revision=1, job_id="r2-1", now=NOW)
        assert profiles.read(KEY) == written
        assert profiles.history(KEY) == []
        assert not profiles.is_applied(KEY, "r2-1")
    assert sweep_leftovers(folder) == 0


def test_without_history_nothing_is_kept(folder: Path) -> None:
    profiles = MarkdownProfiles(folder, ledger=MemoryLedger(), revision_keep=0)
    for n in range(3):
        profiles.write(profile(), expected_revision=n, now=NOW)
    assert profiles.history(KEY) == []


class DiskLedger:
    """A ledger of empty files, for processes that are killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, entity_key: str, job_id: str) -> bool:
        return (self._folder / f"{entity_key} {job_id}").exists()

    def among(self, entity_key: str, job_ids: Collection[str]) -> set[str]:
        return {job_id for job_id in job_ids if self.has(entity_key, job_id)}

    def add(self, entity_key: str, *job_ids: str) -> None:
        self._folder.mkdir(exist_ok=True)
        for job_id in job_ids:
            os.close(os.open(self._folder / f"{entity_key} {job_id}", os.O_CREAT | os.O_WRONLY))


def test_a_job_whose_writer_is_killed_anywhere_is_applied_exactly_once(tmp_path: Path) -> None:
    runs = 0

    def open_profiles(n: int) -> MarkdownProfiles:
        return MarkdownProfiles(tmp_path / str(n), ledger=DiskLedger(tmp_path / f"ledger {n}"), revision_keep=3)

    def reset() -> None:
        nonlocal runs
        runs += 1
        for n in range(4):
            open_profiles(runs).write(profile(summary=f"text {n}"), expected_revision=n, now=NOW)

    def merge(profiles: MarkdownProfiles) -> None:
        current = profiles.read(KEY)
        assert current is not None
        new = replace(current, summary=current.summary + " merged", source_event_id="r1-1:1")
        profiles.write(new, expected_revision=current.revision, job_id="r1-1", now=NOW)

    for n in killed_at_every_call(lambda: merge(open_profiles(runs)), reset):
        profiles = open_profiles(n)
        found = profiles.read(KEY)
        assert found is not None and found.summary in ("text 3", "text 3 merged"), f"killed at call {n}"
        merge(profiles)  # the job runs again
        merge(profiles)
        found = profiles.read(KEY)
        assert found is not None and (found.summary, found.revision) == ("text 3 merged", 5), f"killed at call {n}"
        assert profiles.is_applied(KEY, "r1-1")
        profiles.write(replace(found, summary="later"), expected_revision=5, job_id="r2-1", now=NOW)
        assert [old.revision for old in profiles.history(KEY)] == [5, 4, 3], f"killed at call {n}"
        sweep_leftovers(tmp_path / str(n))
        assert not list((tmp_path / str(n)).rglob(".tmp-*"))
    assert n > 10


def test_a_job_is_known_by_the_files_alone_while_its_revision_is_kept(folder: Path) -> None:
    MarkdownProfiles(folder, ledger=MemoryLedger()).write(profile(), expected_revision=0, job_id="r1-1", now=NOW)
    MarkdownProfiles(folder, ledger=MemoryLedger()).write(profile(), expected_revision=1, job_id="r2-1", now=NOW)
    ledger = MemoryLedger()
    profiles = MarkdownProfiles(folder, ledger=ledger)
    assert profiles.is_applied(KEY, "r1-1") and profiles.is_applied(KEY, "r2-1")
    assert not profiles.is_applied(KEY, "r-1") and not profiles.is_applied(KEY, "1-1")
    assert ledger.pairs == {("user:42", "r1-1"), ("user:42", "r2-1")}


def _change(folder: Path, what: str) -> None:
    profiles = MarkdownProfiles(folder, ledger=MemoryLedger(), revision_keep=3)
    for n in range(20):
        while True:
            current = profiles.read(KEY)
            assert current is not None
            new = replace(current, name=f"name {n}") if what == "rename" else replace(current, tags=(*current.tags, f"{what}{n}"))
            try:
                profiles.write(new, expected_revision=current.revision, now=NOW)
                break
            except RevisionConflict:
                continue


def test_two_processes_that_rename_and_merge_at_once_lose_neither(profiles: MarkdownProfiles, folder: Path) -> None:
    profiles.write(profile(tags=()), expected_revision=0, now=NOW)
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_change, args=(folder, what)) for what in ("rename", "merge")]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    found = profiles.read(KEY)
    assert found is not None
    assert (found.revision, found.name, found.tags) == (41, "name 19", tuple(f"merge{n}" for n in range(20)))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=st.lists(st.sampled_from(["write", "rollback", "delete", "damage", "restart"]), max_size=25))
def test_revisions_only_grow_and_history_is_bounded_whatever_happens(tmp_path: Path, moves: list[str]) -> None:
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    profiles = MarkdownProfiles(folder, ledger=MemoryLedger(), revision_keep=3)
    revision = 0
    for n, move in enumerate(moves):
        current = profiles.read(KEY)
        assert (current.revision if current else 0) == revision
        if move == "write":
            revision = profiles.write(profile(summary=str(n)), expected_revision=revision, now=NOW).revision
        elif move == "rollback" and profiles.history(KEY):
            revision = profiles.rollback(KEY, profiles.history(KEY)[-1].revision, now=NOW).revision
        elif move == "delete":
            assert bool(profiles.erase(Entity("user", "42"))) == (revision > 0)
            revision = 0
        elif move == "damage" and revision and profiles.history(KEY):
            damage(folder, f"lost {n}")
        elif move == "restart":
            profiles = MarkdownProfiles(folder, ledger=MemoryLedger(), revision_keep=3)
        assert len(profiles.history(KEY)) <= 3
