"""Notes: what changes in a folder changes in memory, and nothing else does."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from historian.schema.errors import InvalidInput, SettingsError, StorageError
from historian.schema.event import Event, EventFilter
from historian.schema.scope import SHARED_NOTES, Scope, notes_scope
from historian.schema.settings.source import parse_settings
from historian.service.components import Parts, open_parts
from historian.service.running.ownership import owned_worker
from historian.service.upkeep.notes_index import IndexReport, NotesIndex
from historian.stores.files import note_folder
from support.memory import settings_for

GROUP = Scope.group("7")
OLD = time.time() - 3600


class Notes:
    """A folder of notes, an index over it, and the texts that are new events."""

    def __init__(self, parts: Parts, folder: Path) -> None:
        self.parts, self.folder = parts, folder
        folder.mkdir(exist_ok=True)
        self.embedded: list[str] = []
        self.index = NotesIndex(parts.backend.manifest, parts.settings, time.time)

    def write(self, path: str, text: str | bytes, *, at: float = OLD) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        os.utime(file, (at, at))
        return file

    async def run(self, scope: Scope = GROUP) -> IndexReport:
        before = {event.event_id for event in self.parts.events.find(EventFilter(None), limit=1000)}
        report = await self.index.run(self.folder, scope)
        every = self.parts.events.find(EventFilter(None), limit=1000)
        self.embedded = [event.text for event in every if event.event_id not in before]
        return report

    def events(self, scope: Scope = GROUP) -> list[Event]:
        return self.parts.events.find(EventFilter(scope.key), limit=1000)

    def texts(self, scope: Scope = GROUP) -> set[str]:
        return {event.text for event in self.events(scope)}


@pytest.fixture
async def notes(tmp_path: Path) -> AsyncIterator[Notes]:
    settings = settings_for(tmp_path / "data", observation={"chunk_max_tokens": 16})
    parts = open_parts(settings, clock=time.time)
    yield Notes(parts, tmp_path / "notes")
    await parts.aclose()


def counts(report: IndexReport) -> tuple[int, int, int, int, int]:
    return report.new, report.changed, report.renamed, report.deleted, report.unchanged


async def test_notes_become_events_of_their_scope_with_source_note_and_are_not_called_absolute(
    notes: Notes,
) -> None:
    notes.write("a/tea.md", "# Tea\n\nAnn likes green tea.\n")
    report = await notes.run()
    assert counts(report) == (1, 0, 0, 0, 0) and report.chunks == 1
    (event,) = notes.events()
    assert (
        event.source == "note"
        and event.scope.key == "g:7"
        and not event.is_absolute
        and event.kind == "fact"
    )
    assert abs(event.timestamp - OLD) < 1 and event.timestamp_local.endswith("+08:00")
    assert (
        notes.parts.events.search_keywords("green tea", EventFilter("g:7"), 5)[0][0]
        == event.event_id
    )
    assert list(notes.parts.backend.manifest.files("g:7", str(notes.folder))) == ["a/tea.md"]
    assert notes.parts.events.without_vector(9) == [event]


async def test_what_did_not_change_is_not_read_again(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.write("tea.md", "Ann likes tea.")
    await notes.run()
    monkeypatch.setattr(note_folder.os, "open", lambda *_: pytest.fail("a file was opened"))
    assert counts(await notes.run()) == (0, 0, 0, 0, 1)


async def test_another_time_with_the_same_content_embeds_nothing(notes: Notes) -> None:
    notes.write("tea.md", "Ann likes tea.")
    await notes.run()
    notes.write("tea.md", "Ann likes tea.", at=OLD + 60)
    assert counts(await notes.run()) == (0, 0, 0, 0, 1) and notes.embedded == []


async def test_a_file_changed_within_the_resolution_of_its_time_is_looked_into_again(
    notes: Notes,
) -> None:
    now = time.time()
    notes.write("tea.md", "Ann likes tea.", at=now)
    await notes.run()
    notes.write("tea.md", "Ann hates tea.", at=now)
    assert counts(await notes.run()) == (0, 1, 0, 0, 0)
    assert notes.texts() == {"Ann hates tea."}


async def test_a_changed_file_embeds_only_the_chunks_that_are_new(notes: Notes) -> None:
    first, second, third = (
        f"The {word} keeps a long diary about every single garden walk."
        for word in ("cat", "dog", "owl")
    )
    notes.write("pets.md", f"{first}\n\n{second}\n")
    await notes.run()
    kept = {event.text: event.event_id for event in notes.events()}
    notes.write("pets.md", f"{first}\n\n{third}\n", at=OLD + 5)
    report = await notes.run()
    assert counts(report) == (0, 1, 0, 0, 0) and notes.embedded == [third]
    assert notes.texts() == {first, third}
    assert {event.text: event.event_id for event in notes.events()}[first] == kept[first]


async def test_a_renamed_file_and_a_renamed_folder_embed_nothing_and_keep_their_events(
    notes: Notes,
) -> None:
    notes.write("a/tea.md", "Ann likes tea.")
    notes.write("a/b/owl.md", "The owl sleeps.")
    await notes.run()
    before = notes.events()
    (notes.folder / "a").rename(notes.folder / "z")
    report = await notes.run()
    assert counts(report) == (0, 0, 2, 0, 0) and notes.embedded == [] and notes.events() == before
    assert counts(await notes.run()) == (0, 0, 0, 0, 2)


async def test_two_files_that_change_names_embed_nothing(notes: Notes) -> None:
    notes.write("a.md", "Ann likes tea.")
    notes.write("b.md", "The owl sleeps at noon.")
    await notes.run()
    (notes.folder / "a.md").rename(notes.folder / "c.md")
    (notes.folder / "b.md").rename(notes.folder / "a.md")
    (notes.folder / "c.md").rename(notes.folder / "b.md")
    await notes.run()
    assert notes.embedded == [] and notes.texts() == {"Ann likes tea.", "The owl sleeps at noon."}


async def test_deleted_files_vanish_and_a_chunk_that_another_file_holds_stays(notes: Notes) -> None:
    notes.write("a.md", "Ann likes tea.")
    notes.write("b.md", "Ann likes tea.")
    notes.write("c.md", "The owl sleeps.")
    await notes.run()
    assert len(notes.events()) == 2
    (notes.folder / "a.md").unlink()
    (notes.folder / "c.md").unlink()
    report = await notes.run()
    assert report.deleted == 2 and report.removed == 1 and notes.texts() == {"Ann likes tea."}
    (notes.folder / "b.md").unlink()
    assert (await notes.run()).removed == 1 and notes.texts() == set()
    assert notes.parts.events.search_keywords("tea", EventFilter("g:7"), 5) == []


async def test_what_comes_back_after_it_was_deleted_is_indexed_again(notes: Notes) -> None:
    file = notes.write("a.md", "Ann likes tea.")
    await notes.run()
    file.unlink()
    await notes.run()
    notes.write("a.md", "Ann likes tea.")
    await notes.run()
    assert notes.texts() == {"Ann likes tea."}


async def test_a_note_removed_by_hand_stays_away_when_its_file_changes_elsewhere(
    notes: Notes,
) -> None:
    first, second = (
        "The cat keeps a long diary about every garden walk it took.",
        "The owl sleeps at noon and says nothing.",
    )
    notes.write("a.md", f"{first}\n\n{second}")
    await notes.run()
    (event,) = (event for event in notes.events() if event.text == first)
    notes.parts.events.delete([event.event_id])
    notes.write(
        "a.md", f"{first}\n\n{second}\n\nAnd something new was added here in the end.", at=OLD + 9
    )
    await notes.run()
    assert first not in notes.texts() and second in notes.texts() and len(notes.texts()) == 2


async def test_a_forgotten_person_s_notes_are_not_filed(notes: Notes) -> None:
    scope = Scope.private("42")
    notes.parts.backend.erasure.bury("user:42", time.time())
    notes.write("a.md", "Ann likes tea.")
    await notes.run(scope)
    assert notes.texts(scope) == set()


async def test_bad_files_are_skipped_with_a_word_and_never_stop_the_rest(notes: Notes) -> None:
    notes.write("good.md", "Ann likes tea.")
    notes.write("binary.md", b"PK\x03\x04\x00\x00rest")
    notes.write("latin.md", "café".encode("latin-1"))
    notes.write("huge.md", b"x" * (note_folder.MAX_NOTE_BYTES + 1))
    notes.write("empty.md", "")
    notes.write(".hidden.md", "not for you")
    notes.write(".git/note.md", "not for you")
    notes.write("picture.png", b"\x89PNG")
    (notes.folder / "dangling.md").symlink_to(notes.folder / "nowhere.md")
    (notes.folder / "loop").symlink_to(notes.folder)
    (notes.folder / "self.md").symlink_to(notes.folder / "self.md")
    os.mkfifo(notes.folder / "pipe.md")
    (notes.folder / "folder.md").mkdir()
    report = await notes.run()
    assert notes.texts() == {"Ann likes tea."}
    assert set(report.skipped) == {
        "binary.md",
        "latin.md",
        "huge.md",
        "dangling.md",
        "loop",
        "self.md",
        "pipe.md",
    }
    assert all(report.skipped.values())
    notes.write("good.md", b"now \x00 binary")
    assert (await notes.run()).deleted == 1 and notes.texts() == set()


async def test_a_link_out_of_the_folder_is_followed_only_when_asked_for_and_no_folder_twice(
    notes: Notes, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "owl.md").write_text("The owl sleeps.")
    (tmp_path / "key.md").write_text("The fox runs.")
    notes.write("inside/a.md", "Ann likes tea.")
    (notes.folder / "one").symlink_to(elsewhere)
    (notes.folder / "two").symlink_to(elsewhere)
    (notes.folder / "key.md").symlink_to(tmp_path / "key.md")
    (notes.folder / "again.md").symlink_to(Path("inside", "a.md"))
    (notes.folder / "up.md").symlink_to(Path("..", "key.md"))
    (notes.folder / "inside" / "out").symlink_to(notes.folder / "one")
    report = await notes.run()
    assert notes.texts() == {"Ann likes tea."} and report.new == 2
    assert set(report.skipped) == {"one", "two", "key.md", "up.md", "inside/out"}
    assert all("notes_follow_links" in why for why in report.skipped.values())
    cognitive = notes.parts.settings.cognitive.model_copy(update={"notes_follow_links": True})
    following = notes.parts.settings.model_copy(update={"cognitive": cognitive})
    report = await NotesIndex(notes.parts.backend.manifest, following, time.time).run(
        notes.folder, GROUP
    )
    assert notes.texts() == {"Ann likes tea.", "The owl sleeps.", "The fox runs."}
    assert set(report.skipped) == {"two", "inside/out"}
    await notes.run()
    assert notes.texts() == {"Ann likes tea."}


def test_a_file_that_became_a_link_since_it_was_listed_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("not for you")
    (tmp_path / "a.md").write_text("Ann likes tea.")
    (listed,) = note_folder.list_notes(tmp_path).files.values()
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError):
        note_folder.read_note(listed)


async def test_a_path_that_is_too_long_for_the_system_does_not_stop_the_others(
    notes: Notes,
) -> None:
    notes.write("good.md", "Ann likes tea.")
    begin = os.open(notes.folder, os.O_RDONLY)
    within = begin
    depths = [begin]
    # Every length around the system's limit, below which a folder is listed and its files are not.
    for name in ["d" * 200] * 19 + ["e" * 30] * 15:
        os.mkdir(name, dir_fd=within)
        within = os.open(name, os.O_RDONLY, dir_fd=within)
        depths.append(within)
        with os.fdopen(os.open("n.md", os.O_WRONLY | os.O_CREAT, dir_fd=within), "w") as file:
            file.write("The owl sleeps.")
    try:
        report = await notes.run()
        assert notes.texts() == {"Ann likes tea.", "The owl sleeps."}
        assert report.skipped and all("too long" in why for why in report.skipped.values())
        again = await notes.run()
        assert (again.new, again.deleted) == (0, 0)
    finally:
        for descriptor, name in zip(
            reversed(depths[:-1]), ["e" * 30] * 15 + ["d" * 200] * 19, strict=True
        ):
            os.unlink("n.md", dir_fd=depths[-1])
            os.close(depths.pop())
            os.rmdir(name, dir_fd=descriptor)
        os.close(begin)


async def test_a_folder_that_cannot_be_read_removes_nothing(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.write("a.md", "Ann likes tea.")
    notes.write("deep/b.md", "The owl sleeps.")
    await notes.run()
    real = os.scandir

    def refusing(path: Path) -> object:
        if Path(path).name == "deep":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(note_folder.os, "scandir", refusing)
    report = await notes.run()
    assert "deep" in report.skipped and report.deleted == 0 and len(notes.texts()) == 2
    monkeypatch.undo()
    notes.folder.rename(notes.folder.with_name("unmounted"))
    with pytest.raises(InvalidInput, match="is not a folder"):
        await notes.run()
    assert len(notes.texts()) == 2


SECRET_NAMES = [
    "password=Hunter2xQ9zz.md",
    "password=Hunter3xQ9zz.md",
    "sub/AKIAQ7RT5LPW2ZXK9NVM.md",
    "my token=Zq81xPw77Kd/plan.md",
]


def bytes_of(notes: Notes) -> bytes:
    return b"".join(
        path.read_bytes() for path in notes.parts.directory.rglob("*") if path.is_file()
    )


async def test_a_secret_in_the_name_of_a_file_or_folder_is_neither_stored_nor_told(
    notes: Notes,
) -> None:
    for n, path in enumerate((*SECRET_NAMES, "plain.md")):
        notes.write(path, f"The owl number {n} sleeps.")
    notes.write("ghp_0123456789abcdefghijABCDEFGHIJ456789.md", b"\xff\xfe\xfd")
    report = await notes.run()
    assert counts(report) == (5, 0, 0, 0, 0) and len(notes.texts()) == 5
    (skipped,) = report.skipped
    assert skipped.startswith("[TOKEN].md~")
    stored = notes.parts.backend.manifest.files(GROUP.key, str(notes.folder))
    assert sorted(name.partition("~")[0] for name in stored) == [
        "my token=[TOKEN]", "password=[PASSWORD]", "password=[PASSWORD]", "plain.md", "sub/[API_KEY].md",
    ]  # fmt: skip
    for secret in (b"Hunter2", b"Hunter3", b"AKIAQ7", b"Zq81xPw", b"ghp_0123"):
        assert secret not in bytes_of(notes)
    assert counts(await notes.run()) == (0, 0, 0, 0, 5)
    (notes.folder / SECRET_NAMES[0]).rename(notes.folder / "password=Hunter4xQ9zz.md")
    (notes.folder / SECRET_NAMES[2]).unlink()
    assert counts(await notes.run()) == (0, 0, 1, 1, 3) and len(notes.texts()) == 4


async def test_a_secret_in_the_name_of_the_notes_folder_is_not_stored(notes: Notes) -> None:
    notes.folder = notes.folder.with_name("password=Hunter2xQ9zz")
    notes.folder.mkdir()
    notes.write("owl.md", "The owl sleeps.")
    await notes.run()
    assert b"Hunter2" not in bytes_of(notes) and counts(await notes.run()) == (0, 0, 0, 0, 1)
    ((_, root, files),) = notes.parts.backend.manifest.roots()
    assert "password=[PASSWORD]~" in root and files == 1
    removed = await notes.index.remove(notes.folder, GROUP)
    assert (removed.deleted, removed.removed) == (1, 1) and notes.texts() == set()


async def test_shared_notes_are_in_no_conversation(notes: Notes) -> None:
    notes.write("a.md", "The owl sleeps.")
    await notes.run(SHARED_NOTES)
    for scope in (GROUP, Scope.private("42"), Scope.private("historian")):
        assert notes.parts.events.search_keywords("owl", EventFilter(scope.key), 5) == []
    assert len(notes.parts.events.search_keywords("owl", EventFilter(SHARED_NOTES.key), 5)) == 1


async def test_the_same_folder_in_two_scopes_is_kept_apart(notes: Notes) -> None:
    notes.write("a.md", "The owl sleeps.")
    await notes.run(GROUP)
    await notes.run(Scope.private("42"))
    assert notes.texts(GROUP) == notes.texts(Scope.private("42")) == {"The owl sleeps."}
    await notes.index.remove(notes.folder, GROUP)
    assert notes.texts(GROUP) == set() and notes.texts(Scope.private("42"))


async def test_secrets_in_notes_are_redacted_before_they_are_stored(notes: Notes) -> None:
    notes.write(
        "a.md",
        "My server:\n\npassword=hunter2hunter2 and key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD\n",
    )
    await notes.run()
    assert notes.texts() and not any(
        "hunter2" in text or "sk-proj" in text for text in notes.texts()
    )


async def test_without_vectors_notes_are_found_by_keyword_and_wait_to_be_embedded(
    notes: Notes,
) -> None:
    notes.write("a.md", "The owl sleeps.")
    assert (await notes.run()).chunks == 1
    assert len(notes.parts.events.without_vector(10)) == 1


async def test_a_run_that_fails_half_way_is_gone_on_with(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(150):
        notes.write(f"{n:03}.md", f"Note number {n} is about owls.")
    written = 0
    real = notes.parts.backend.manifest.write

    def failing(*arguments: object) -> None:
        nonlocal written
        if written:
            raise StorageError("disk full")
        written += 1
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(notes.parts.backend.manifest, "write", failing)
    with pytest.raises(StorageError):
        await notes.run()
    monkeypatch.undo()
    assert len(notes.texts()) == 64
    report = await notes.run()
    assert counts(report) == (86, 0, 0, 0, 64) and len(notes.texts()) == 150


async def test_the_worker_indexes_the_configured_folder_when_it_is_idle(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("The owl sleeps.")
    settings = settings_for(tmp_path / "data", notes_dir=str(folder), notes_scope="group:7")
    parts = open_parts(settings, clock=time.time)
    with owned_worker(parts) as worker:
        assert await worker.run(drain=True)
    assert [event.source for event in parts.events.find(EventFilter("g:7"))] == ["note"]
    await parts.aclose()


def test_a_notes_scope_that_names_no_conversation_is_a_settings_error(tmp_path: Path) -> None:
    assert (
        notes_scope("group:7") == GROUP
        and notes_scope("user:42") == Scope.private("42")
        and notes_scope("") == SHARED_NOTES
    )
    with pytest.raises(SettingsError, match="notes_scope"):
        parse_settings({"cognitive": {"notes_scope": "7"}}, environ={}, base=tmp_path)


def test_the_notes_folder_counts_from_the_configuration_s_own(tmp_path: Path) -> None:
    settings = parse_settings({"cognitive": {"notes_dir": "notes"}}, environ={}, base=tmp_path)
    assert settings.cognitive.notes_dir == str(tmp_path / "notes")


async def test_profiles_are_no_notes_by_whatever_way_they_are_reached(
    notes: Notes, tmp_path: Path
) -> None:
    data = Path(notes.parts.settings.cognitive.data_dir)
    profile = data / "profiles/users/1001@private.md"
    profile.parent.mkdir(parents=True, exist_ok=True)
    profile.write_text("Ann is pregnant", encoding="utf-8")
    other = notes.folder / "another bot/data"
    (other / "queues").mkdir(parents=True)
    (other / "index.sqlite").touch()
    (other / "MEMORY.md").write_text("Ann is pregnant", encoding="utf-8")
    notes.write("real.md", "The library opens at nine")
    (notes.folder / "link to it").symlink_to(data, target_is_directory=True)
    (notes.folder / "link into it").symlink_to(profile.parent, target_is_directory=True)
    (notes.folder / "ann.md").symlink_to(profile)
    report = await notes.run()
    assert notes.texts() == {"The library opens at nine"}
    assert set(report.skipped) == {"another bot/data", "link to it", "link into it", "ann.md"}
    above = await notes.index.run(tmp_path, Scope.group("8"))
    assert notes.texts(Scope.group("8")) == {"The library opens at nine"} and above.new == 1
    for inside in (data, profile.parent, notes.folder / "link into it"):
        with pytest.raises(InvalidInput, match="own data"):
            await notes.index.run(inside, GROUP)


async def test_what_an_earlier_version_took_from_its_own_data_goes(notes: Notes) -> None:
    taken = notes.write("bot/MEMORY.md", "Ann is pregnant")
    await notes.run()
    assert notes.texts() == {"Ann is pregnant"}
    (taken.parent / "queues").mkdir()
    (taken.parent / "index.sqlite").touch()
    await notes.run()
    assert notes.texts() == set()


async def test_what_somebody_wrote_into_memory_md_is_a_note_of_its_conversation_and_jobs_lines_are_not(
    notes: Notes,
) -> None:
    file = notes.folder / "MEMORY.md"
    lines = "## g:7\n\n- the club meets on Mondays\n- 2026-02-21T17:30:00+08:00 filed as an event\n\n## p:42\n\nBob likes tea\n"
    file.write_text(f"# About us\n\nAnn is the treasurer\n\n{lines}", encoding="utf-8")
    report = await notes.index.run_memory(file, SHARED_NOTES)
    assert (report.new, report.removed) == (3, 0)
    assert notes.texts() == {"- the club meets on Mondays"} and notes.texts(
        Scope.private("42")
    ) == {"Bob likes tea"}
    assert {event.source for event in notes.events()} == {"note"}
    assert any("treasurer" in text for text in notes.texts(SHARED_NOTES))
    again = await notes.index.run_memory(file, SHARED_NOTES)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 3)
    file.write_text("## g:7\n\n- the club meets on Fridays\n", encoding="utf-8")
    report = await notes.index.run_memory(file, SHARED_NOTES)
    assert (report.changed, report.deleted) == (1, 2)
    assert notes.texts() == {"- the club meets on Fridays"}
    assert notes.texts(Scope.private("42")) == notes.texts(SHARED_NOTES) == set()
    file.unlink()
    assert (
        await notes.index.run_memory(file, SHARED_NOTES)
    ).deleted == 1 and notes.texts() == set()


async def test_a_heading_within_a_conversation_s_section_tells_nobody_else(notes: Notes) -> None:
    file = notes.folder / "MEMORY.md"
    file.write_text(
        "# Memory\n\n## p:42\n\nAnn likes tea\n\n## Health\n\nAnn takes lithium\n", encoding="utf-8"
    )
    await notes.index.run_memory(file, GROUP)
    assert notes.texts(GROUP) == set() and any(
        "lithium" in text for text in notes.texts(Scope.private("42"))
    )


async def test_the_rest_of_memory_md_belongs_to_the_scope_of_notes(notes: Notes) -> None:
    file = notes.folder / "MEMORY.md"
    file.write_text(
        "Ann is the treasurer\n\n## g:7\n\nthe club meets on Mondays\n", encoding="utf-8"
    )
    await notes.index.run_memory(file, GROUP)
    assert "\n".join(sorted(notes.texts())).count("treasurer") == 1 and any(
        "Mondays" in text for text in notes.texts()
    )
