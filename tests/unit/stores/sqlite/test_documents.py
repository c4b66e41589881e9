"""Profiles of a data directory: rows, their Markdown files, what hands do to these, crashes, two processes, former versions."""

from __future__ import annotations

import errno
import multiprocessing
import os
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from historian.schema.entity import Entity
from historian.schema.errors import RevisionConflict
from historian.schema.profile import Profile, ProfileKey, ProfileLine
from historian.stores.files.durable import sweep_leftovers
from historian.stores.files.mirrors import with_digest
from historian.stores.files.profiles import PROFILE_FORMAT
from historian.stores.sqlite.documents import MirroredProfiles
from hypothesis import given
from hypothesis import strategies as st
from profiles import profile_of
from support.crashes.killed_at import killed_at_every_call
from support.documents import profiles_in

KEY = ProfileKey("user", "42")
NOW = "2026-02-21T17:30:00+08:00"
LINES = (
    ProfileLine(
        "cat",
        "养了一只猫",
        kind="home",
        told=2,
        first_day="2026-02-20",
        last_day="2026-02-21",
        evidence=("e1", "m1"),
    ),
    ProfileLine(
        "pea",
        "allergic to peanuts",
        kind="health",
        pinned=True,
        last_day="2026-02-21",
        evidence=("e2",),
    ),
)


@pytest.fixture
def profiles(tmp_path: Path) -> MirroredProfiles:
    return profiles_in(tmp_path, revision_keep=3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profiles" / "users" / "42.md"


def write(
    profiles: MirroredProfiles, revision: int = 0, *, job: str = "", **fields: object
) -> Profile:
    given: dict[str, object] = {
        "key": KEY,
        "name": "小林",
        "tags": ("猫",),
        "lines": LINES,
        "source_event_id": "r1-1:0",
    }
    made = Profile(**{**given, **fields})  # type: ignore[arg-type]
    return profiles.write(made, expected_revision=revision, job_id=job, now=NOW)


def as_file(profile: Profile) -> bytes:
    return with_digest(PROFILE_FORMAT.render(profile))


def told(profile: Profile | None) -> list[str]:
    assert profile is not None
    return [line.text for line in profile.lines]


def edit(path: Path, change: Callable[[str], str]) -> None:
    """Change a file as an editor does that writes a new one beside it and renames it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".md~")
    aside.write_text(
        change(path.read_text(encoding="utf-8") if path.exists() else ""),
        encoding="utf-8",
        newline="",
    )
    os.utime(aside, (1_772_000_000, 1_772_000_000))  # 2026-02-25
    aside.replace(path)


def test_the_file_is_yaml_and_a_list_with_days_that_people_can_read(
    profiles: MirroredProfiles, path: Path
) -> None:
    write(profiles, job="r1-1")
    head, body = path.read_text(encoding="utf-8").removeprefix("---\n").split("---\n\n")
    assert body == "- 养了一只猫 (2026-02-21)\n- allergic to peanuts (2026-02-21)\n"
    fields = yaml.safe_load(head)
    assert (fields["entity_id"], fields["name"], fields["tags"], fields["revision"]) == (
        "42",
        "小林",
        ["猫"],
        1,
    )
    assert fields["lines"][1] == {
        **{
            "line_id": "pea",
            "text": "allergic to peanuts",
            "kind": "health",
            "last_day": "2026-02-21",
            "pinned": True,
        },
        "evidence": ["e2"],
    }


@pytest.mark.parametrize(
    "entity_id",
    ["../x", "-1001234", "@ann:matrix.org", "记" * 128, "a/../../b", ".", "..", "NUL", "A" * 128],
)
def test_any_id_and_layer_stay_in_their_folder(
    profiles: MirroredProfiles, tmp_path: Path, entity_id: str
) -> None:
    for entity_type in ("user", "group"):
        for layer in ("", "private", f"g:{entity_id}"):
            write(profiles, key=ProfileKey(entity_type, entity_id, layer))  # type: ignore[arg-type]
    assert len(profiles.keys()) == 6
    assert sorted(profiles.layers("user", entity_id)) == sorted(["", "private", f"g:{entity_id}"])
    folder = tmp_path / "profiles"
    assert len(list((folder / "users").iterdir())) == len(list((folder / "groups").iterdir())) == 3
    assert {one.name for one in folder.iterdir()} == {"users", "groups"}


WHOLE = "- 养了一只猫 (2026-02-21)\n- allergic to peanuts (2026-02-21)\n"
EDITS: dict[str, tuple[Callable[[str], str], list[str]]] = {
    "a line is added": (
        lambda text: f"{text}- likes tea\n",
        ["养了一只猫", "allergic to peanuts", "likes tea"],
    ),
    "a line is changed": (
        lambda text: text.replace("猫 (2026-02-21)", "狗"),
        ["养了一只狗", "allergic to peanuts"],
    ),
    "a line is removed": (
        lambda text: text.replace("- 养了一只猫 (2026-02-21)\n", ""),
        ["allergic to peanuts"],
    ),
    "lines change places": (
        lambda text: text.replace(WHOLE, "- allergic to peanuts\n- 养了一只猫\n"),
        ["allergic to peanuts", "养了一只猫"],
    ),
    "a BOM and CRLF": (
        lambda text: "\ufeff" + text.replace("\n", "\r\n"),
        ["养了一只猫", "allergic to peanuts"],
    ),
    "nothing but the time": (lambda text: text, ["养了一只猫", "allergic to peanuts"]),
    "without the front matter": (
        lambda text: "- likes tea\n",
        ["养了一只猫", "allergic to peanuts", "likes tea"],
    ),
    "fences in the list": (
        lambda text: f"{text}```\n---\n~~~\n",
        ["养了一只猫", "allergic to peanuts"],
    ),
    "the lines of the front matter are gone": (
        lambda text: text[: text.index("lines:")] + text[text.rindex("---\n") :],
        ["养了一只猫", "allergic to peanuts"],
    ),
    "the digest is gone": (
        lambda text: text.replace("digest: ", "no: "),
        ["养了一只猫", "allergic to peanuts"],
    ),
    "broken YAML": (
        lambda text: text.replace("tags:", "tags: [\n: :"),
        ["养了一只猫", "allergic to peanuts"],
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_a_hand_changes_is_a_revision_of_its_own(
    profiles: MirroredProfiles, path: Path, name: str
) -> None:
    before = write(profiles)
    change, expected = EDITS[name]
    edit(path, change)
    found = profiles.read(KEY)
    assert told(found) == expected
    assert found is not None and found.name == "小林" and found.tags == ("猫",)
    (health,) = [line for line in found.lines if line.line_id == "pea"]
    assert health == LINES[1], "what stands there as it was keeps kind, pin and evidence"
    assert (found.revision, found.source_event_id) in ((1, "r1-1:0"), (2, "edit"))
    if found.revision == 2:
        assert profiles.history(KEY) == [before] and found.updated_at == "2026-02-25T06:13:20+00:00"
    assert path.read_bytes() == as_file(found), "the file is written anew"
    assert profiles.read(KEY) == found


def test_a_new_line_has_the_day_of_the_edit_and_a_changed_one_no_evidence(
    profiles: MirroredProfiles, path: Path
) -> None:
    write(profiles)
    edit(path, lambda text: text.replace("猫 (2026-02-21)", "狗") + "- likes tea\n")
    found = profiles.read(KEY)
    assert found is not None
    assert [(line.line_id, line.evidence, line.last_day) for line in found.lines[::2]] == [
        ("cat", (), "2026-02-25"),
        (found.lines[2].line_id, (), "2026-02-25"),
    ]


def test_name_and_tags_are_edited_too(profiles: MirroredProfiles, path: Path) -> None:
    write(profiles)
    edit(path, lambda text: text.replace("name: 小林", "name: 007").replace("- 猫\n", "- 狗\n"))
    found = profiles.read(KEY)
    assert found is not None and (found.name, found.tags, found.lines) == ("007", ("狗",), LINES)


BROKEN = {
    "empty": "",
    "zeros": "\0\0\0",
    "white space": " \n\n",
    "half a front matter": "---\nentity_type: user\nentity_id: '42'\nname: x\nlines:\n- line_id: a\n",
    "another one's front matter": "---\ntitle: my notes\n---\nbody",
    "never closed": "---\ntext",
    "brackets": "---\n" + "[" * 9000 + "\n---\nbody",
    "deep": "---\n" + "- " * 3000 + "x\n---\nbody",
}


@pytest.mark.parametrize("name", BROKEN)
def test_nothing_is_taken_from_a_broken_file_which_may_be_corrected(
    profiles: MirroredProfiles, path: Path, name: str
) -> None:
    before = write(profiles)
    good = path.read_text(encoding="utf-8")
    edit(path, lambda _: BROKEN[name])
    for _ in range(2):
        assert profiles.read(KEY) == before
    assert path.read_text(encoding="utf-8") == BROKEN[name], "whoever broke it may correct it"
    edit(path, lambda _: f"{good}- likes tea\n")
    assert told(profiles.read(KEY)) == ["养了一只猫", "allergic to peanuts", "likes tea"]
    edit(path, lambda _: BROKEN[name])
    written = write(profiles, 2, lines=LINES[:1])
    assert path.read_bytes() == as_file(written), "the next revision takes its place"


def test_bytes_that_are_no_text_lose_no_line(profiles: MirroredProfiles, path: Path) -> None:
    write(profiles)
    path.write_bytes(b"\xff\xfe\x00 text")
    found = profiles.read(KEY)
    assert {line.line_id for line in LINES} <= {line.line_id for line in found.lines}  # type: ignore[union-attr]


def test_a_deleted_file_takes_out_what_the_profile_says_and_a_rollback_brings_it_back(
    profiles: MirroredProfiles, path: Path
) -> None:
    before = write(profiles)
    path.unlink()
    found = profiles.read(KEY)
    assert found is not None and (
        found.name,
        found.lines,
        found.revision,
        found.source_event_id,
    ) == ("", (), 2, "edit")
    assert not path.exists() and profiles.history(KEY) == [before]
    back = profiles.rollback(KEY, 1, now=NOW)
    assert back.lines == LINES and path.read_bytes() == as_file(back)


def test_a_folder_that_is_gone_is_written_anew(profiles: MirroredProfiles, path: Path) -> None:
    before = write(profiles)
    path.unlink()
    path.parent.rmdir()
    assert profiles.read(KEY) == before and path.exists()


def test_a_file_that_somebody_puts_there_is_a_new_profile(
    profiles: MirroredProfiles, path: Path
) -> None:
    edit(path, lambda _: "---\nname: Ann\n---\n# Food\n- likes tea\n")
    assert profiles.keys() == [KEY]
    found = profiles.read(KEY)
    assert (
        told(found) == ["Food: likes tea"]
        and found is not None
        and (found.name, found.revision) == ("Ann", 1)
    )


def test_whose_files_were_edited_is_told_once(profiles: MirroredProfiles, path: Path) -> None:
    write(profiles)
    assert profiles.edited() == []
    edit(path, lambda text: f"{text}- likes tea\n")
    edit(path.with_name("43.md"), lambda _: "- likes coffee\n")
    assert sorted(profiles.edited(), key=str) == [KEY, ProfileKey("user", "43")]
    assert profiles.edited() == []


def test_files_of_others_and_of_editors_are_no_profiles(
    profiles: MirroredProfiles, path: Path
) -> None:
    write(profiles)
    for name in (".tmp-1-2-3", "notes.txt", "UPPER.md", ".42.md.swp", "42.md~", "#42.md#", "4913"):
        (path.parent / name).write_text("half")
    assert profiles.keys() == [KEY] and told(profiles.read(KEY)) == [line.text for line in LINES]


def test_an_edit_and_a_job_at_once_lose_neither(profiles: MirroredProfiles, path: Path) -> None:
    """The hand has opened revision 1; a job writes revision 2; the hand saves."""
    write(profiles)
    opened = path.read_text(encoding="utf-8")
    new = ProfileLine("job", "moved to Leeds", last_day="2026-02-22")
    write(profiles, 1, lines=(LINES[0], new), job="r2-1")
    edit(
        path,
        lambda _: opened.replace("- 养了一只猫 (2026-02-21)\n", "- 养了一只狗\n") + "- likes tea\n",
    )
    assert told(profiles.read(KEY)) == ["养了一只狗", "likes tea", "moved to Leeds"]
    with pytest.raises(RevisionConflict):
        write(profiles, 2)


def test_an_edit_before_a_write_is_seen_by_the_writer(
    profiles: MirroredProfiles, path: Path
) -> None:
    write(profiles)
    edit(path, lambda text: f"{text}- likes tea\n")
    with pytest.raises(RevisionConflict, match="revision 2 is stored, expected 1"):
        write(profiles, 1, job="r2-1")


def test_a_file_of_a_former_revision_is_no_edit(profiles: MirroredProfiles, path: Path) -> None:
    """As two processes leave it that write at once, a backup, or a power failure."""
    write(profiles)
    old = path.read_text(encoding="utf-8")
    for n in range(1, 7):
        now = write(profiles, n, lines=(*LINES[1:], ProfileLine("n", f"text {n}")))
        edit(path, lambda _: old)
        assert profiles.read(KEY) == now
        assert path.read_bytes() == as_file(now)


LINE = st.builds(
    ProfileLine,
    line_id=st.uuids().map(str),
    text=st.text(min_size=1, max_size=60)
    | st.sampled_from(["-", "(2026-02-20)", "tea (2026-02-20)", "tea", "# x", "```"]),
    last_day=st.sampled_from(["", "2026-02-20"]),
    evidence=st.lists(st.text("abc-:", min_size=1), max_size=2).map(tuple),
)


@given(
    st.lists(LINE, max_size=5).map(tuple),
    st.text(max_size=20),
    st.lists(st.text(max_size=20), max_size=3).map(tuple),
)
def test_a_file_that_nobody_has_edited_changes_nothing(
    lines: tuple[ProfileLine, ...], name: str, tags: tuple[str, ...]
) -> None:
    stored = PROFILE_FORMAT.revised(Profile(KEY, name=name, tags=tags, lines=lines), 3, NOW)
    data = PROFILE_FORMAT.render(stored).encode(errors="replace")
    found = PROFILE_FORMAT.edited(data, stored, {3: stored}.get, "2026-02-25")
    assert found is not None and PROFILE_FORMAT.same(found, stored)


def test_lines_of_any_form_stay_as_they_are_beside_one_that_is_edited() -> None:
    texts = ("-", "tea", "tea (2026-02-20)", "(2026-02-20)", "# x", "```")
    odd = tuple(
        ProfileLine(f"{n}", text, last_day="2026-02-20", evidence=("e1",))
        for n, text in enumerate(texts)
    )
    stored = PROFILE_FORMAT.revised(
        Profile(KEY, lines=(*odd, ProfileLine("last", "likes tea"))), 3, NOW
    )
    data = PROFILE_FORMAT.render(stored).encode().replace(b"- likes tea", b"- likes coffee")
    found = PROFILE_FORMAT.edited(data, stored, {3: stored}.get, "2026-02-25")
    assert found is not None and found.lines[:-1] == odd and found.lines[-1].text == "likes coffee"


@given(st.text(max_size=200), st.text(max_size=100))
def test_no_text_whatever_makes_reading_raise(head: str, body: str) -> None:
    stored = Profile(KEY, lines=LINES, revision=1)
    for text in (
        head + body,
        f"---\n{head}\n---\n{body}",
        f"---\nname: {head}\ntags: {body}\n---\n",
    ):
        PROFILE_FORMAT.parse(text.encode(errors="replace"), KEY, int)
        PROFILE_FORMAT.edited(text.encode(errors="replace"), stored, {1: stored}.get, "")


def test_a_full_disk_keeps_the_row_and_the_file_is_made_up_for(
    profiles: MirroredProfiles, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(profiles)
    before = path.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for n, call in enumerate(("write", "fsync", "replace"), 1):
        with monkeypatch.context() as patched:
            patched.setattr(os, call, refuse)
            written = write(profiles, n, lines=LINES[:1], name=call)
            assert profiles.read(KEY) == written and path.read_bytes() == before
        assert profiles.read(KEY) == written
        assert (before := path.read_bytes()) == as_file(written)
    assert sweep_leftovers(path.parent) == 0


def test_without_history_nothing_is_kept(tmp_path: Path, path: Path) -> None:
    profiles = profiles_in(tmp_path, revision_keep=0)
    for n in range(3):
        write(profiles, n)
    edit(path, lambda text: f"{text}- likes tea\n")
    assert len(profiles.kept(KEY)) == 1 and len(told(profiles.read(KEY))) == 3


def test_a_removed_line_is_in_no_row_and_no_file(
    profiles: MirroredProfiles, tmp_path: Path, path: Path
) -> None:
    write(profiles)
    write(profiles, 1, tags=())
    edit(path, lambda _: "---\nhalf: allergic to peanuts")
    profiles.read(KEY)
    assert profiles.without_lines(KEY, "allergic to peanuts".__eq__, now=NOW) == 1
    assert told(profiles.read(KEY)) == ["养了一只猫"] and profiles.history(KEY) == []
    assert [
        one for one in tmp_path.rglob("*") if one.is_file() and b"peanuts" in one.read_bytes()
    ] == []
    assert profiles.erase(Entity("user", "42")) == 1
    assert [
        one for one in tmp_path.rglob("*") if one.is_file() and "养了".encode() in one.read_bytes()
    ] == []


def test_a_job_whose_writer_is_killed_anywhere_is_applied_exactly_once(tmp_path: Path) -> None:
    runs = 0

    def reset() -> None:
        nonlocal runs
        runs += 1
        for n in range(4):
            write(
                profiles_in(tmp_path / str(runs), revision_keep=3),
                n,
                lines=(*LINES, ProfileLine("n", f"text {n}")),
            )

    def merge(profiles: MirroredProfiles) -> None:
        current = profiles.read(KEY)
        assert current is not None
        new = replace(
            current, lines=(*current.lines, ProfileLine("m", "merged")), source_event_id="r1-1:1"
        )
        profiles.write(new, expected_revision=current.revision, job_id="r1-1", now=NOW)

    for n in killed_at_every_call(
        lambda: merge(profiles_in(tmp_path / str(runs), revision_keep=3)), reset
    ):
        profiles = profiles_in(tmp_path / str(n), revision_keep=3)
        for _ in range(2):
            merge(profiles)  # the job runs again
        found = profiles.read(KEY)
        assert found is not None and (told(found)[2:], found.revision) == (
            ["text 3", "merged"],
            5,
        ), f"killed at call {n}"
        assert [old.revision for old in profiles.history(KEY)] == [4, 3, 2], f"killed at call {n}"
        file = tmp_path / str(n) / "profiles" / "users" / "42.md"
        assert file.read_bytes() == as_file(found), f"killed at call {n}"
    assert n > 5


def _change(directory: Path, what: str) -> None:
    profiles = profiles_in(directory, revision_keep=3)
    for n in range(20):
        while True:
            current = profiles.read(KEY)
            assert current is not None
            new = (
                replace(current, name=f"name {n}")
                if what == "rename"
                else replace(current, tags=(*current.tags, f"{what}{n}"))
            )
            try:
                profiles.write(new, expected_revision=current.revision, now=NOW)
                break
            except RevisionConflict:
                continue


def test_two_processes_and_a_hand_at_once_lose_nothing(
    profiles: MirroredProfiles, tmp_path: Path, path: Path
) -> None:
    write(profiles, tags=())
    context = multiprocessing.get_context("fork")
    processes = [
        context.Process(target=_change, args=(tmp_path, what)) for what in ("rename", "merge")
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    found = profiles.read(KEY)
    assert found is not None and found.lines == LINES
    assert (found.revision, found.name, found.tags) == (
        41,
        "name 19",
        tuple(f"merge{n}" for n in range(20)),
    )
    assert path.read_bytes() == as_file(found)


def test_where_the_queue_is_lost_while_it_is_open_the_files_bring_the_profiles_back(
    tmp_path: Path,
) -> None:
    from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue

    with closing(SqliteJobQueue(tmp_path / QUEUE, clock=time.time)) as queue:
        profiles = MirroredProfiles(queue.database, tmp_path / "profiles")
        before = profiles.write(
            profile_of(KEY, "- likes tea (2026-02-20)", name="Ann"),
            expected_revision=0,
            job_id="r1-1",
            now=NOW,
        )
        (tmp_path / QUEUE).unlink()
        assert (
            profiles.read(KEY) == before
            and profiles.keys() == [KEY]
            and profiles.is_applied(KEY, "r1-1")
        )
