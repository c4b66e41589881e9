"""What every `ProfileStorage` promises. `open_storage()` opens the same profiles again, as another process would."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import InvalidInput, RevisionConflict
from historian.schema.profile import Profile, ProfileKey, ProfileLine
from historian.stores.tables.profiles import ProfileStorage
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from profiles import profile_of
from support.documents import profiles_in
from support.postgres import Schema
from support.stores import causes_of

KEY = ProfileKey("user", "42")
ENTITY = Entity("user", "42")
NOW = "2026-02-21T17:30:00+08:00"
OpenStorage = Callable[[], ProfileStorage]


def _in_schema(schema: Schema) -> ProfileStorage:
    database = schema.open()
    return ProfileStorage(lambda: database, revision_keep=3)


@pytest.fixture(params=["sqlite", "postgres"])
def open_storage(request: pytest.FixtureRequest, tmp_path: Path, schema: Schema) -> OpenStorage:
    if request.param == "sqlite":
        return lambda: profiles_in(tmp_path, revision_keep=3)
    return lambda: _in_schema(schema)


@pytest.fixture
def storage(open_storage: OpenStorage) -> ProfileStorage:
    return open_storage()


def profile(key: ProfileKey = KEY, **fields: object) -> Profile:
    given: dict[str, object] = {
        "name": "小林",
        "tags": ("猫", "杭州"),
        "markdown": "- 养了一只猫",
        "source_event_id": "r1-1:0",
    }
    return profile_of(key, **{**given, **fields})  # type: ignore[arg-type]


def test_what_was_never_written_is_not_there(storage: ProfileStorage) -> None:
    assert storage.read(KEY) is None
    assert storage.history(KEY) == storage.keys() == storage.layers("user", "42") == []
    assert not storage.erase(ENTITY)
    assert not storage.is_applied(KEY, "r1-1")


def test_a_profile_comes_back_as_it_was_written(open_storage: OpenStorage) -> None:
    written = open_storage().write(profile(), expected_revision=0, job_id="r1-1", now=NOW)
    assert written == profile(revision=1, updated_at=NOW)
    assert open_storage().read(KEY) == written


TEXTS = st.text(max_size=60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=TEXTS,
    tags=st.lists(TEXTS, max_size=4),
    markdown=st.text(max_size=300),
    entity_id=st.text("aA.@/~%-é猫", min_size=1),
)
def test_any_text_comes_back_as_write_returned_it(
    storage: ProfileStorage, name: str, tags: list[str], markdown: str, entity_id: str
) -> None:
    key = ProfileKey("user", entity_id, "private")
    storage.erase(Entity("user", entity_id))
    written = storage.write(
        profile(key, name=name, tags=tuple(tags), markdown=markdown), expected_revision=0, now=NOW
    )
    assert storage.read(key) == written
    stored_keys = storage.keys()
    assert key in stored_keys


@pytest.mark.parametrize(
    "text",
    [
        "---",
        "# Titel",
        "a: b",
        "```",
        "-",
        "- - x",
        "born (1990-01-01)",
        "x (2026-02-20) (2026-02-21)",
        "**b**",
        "<!-- c -->",
    ],
)
def test_a_line_that_looks_like_markdown_stays_what_it_is(
    open_storage: OpenStorage, text: str
) -> None:
    lines = (
        ProfileLine("one", text, last_day="2026-02-20", evidence=("e1",)),
        ProfileLine("two", "tea", kind="taste", pinned=True),
    )
    written = open_storage().write(Profile(KEY, lines=lines), expected_revision=0, now=NOW)
    assert written.lines == lines and open_storage().read(KEY) == written


def test_only_one_of_two_writers_of_a_revision_succeeds(storage: ProfileStorage) -> None:
    storage.write(profile(name="a"), expected_revision=0, now=NOW)
    storage.write(profile(name="b"), expected_revision=1, now=NOW)
    with pytest.raises(RevisionConflict, match="revision 2 is stored, expected 1"):
        storage.write(profile(name="c"), expected_revision=1, now=NOW)
    with pytest.raises(RevisionConflict):
        storage.write(profile(name="d"), expected_revision=0, now=NOW)
    stored = storage.read(KEY)
    assert stored is not None and (stored.name, stored.revision) == ("b", 2)


def test_the_same_job_again_changes_nothing(open_storage: OpenStorage) -> None:
    storage = open_storage()
    first = storage.write(profile(), expected_revision=0, job_id="r1-1", now=NOW)
    other = storage.write(profile(markdown="other"), expected_revision=1, job_id="r2-1", now=NOW)
    assert (
        storage.is_applied(KEY, "r1-1")
        and storage.is_applied(KEY, "r2-1")
        and not storage.is_applied(KEY, "r3-1")
    )
    for again in (storage, open_storage()):
        assert again.write(profile(), expected_revision=0, job_id="r1-1", now=NOW) == other
    assert storage.history(KEY) == [first]
    assert not storage.is_applied(ProfileKey("user", "42", "private"), "r1-1")
    assert not storage.is_applied(ProfileKey("group", "42"), "r1-1")


def test_a_job_is_remembered_by_its_own_id_whatever_the_profile_says(
    storage: ProfileStorage,
) -> None:
    written = storage.write(
        profile(source_event_id="x-1:0"), expected_revision=0, job_id="r1-1", now=NOW
    )
    assert written.source_event_id == "r1-1:0"


def test_the_last_revisions_are_kept_newest_first(storage: ProfileStorage) -> None:
    for n in range(6):
        storage.write(profile(markdown=f"text {n}"), expected_revision=n, now=NOW)
    assert [(old.revision, old.summary) for old in storage.history(KEY)] == [
        (5, "- text 4"),
        (4, "- text 3"),
        (3, "- text 2"),
    ]


def test_a_rollback_is_a_new_revision_and_can_be_rolled_back(storage: ProfileStorage) -> None:
    for n in range(3):
        storage.write(profile(markdown=f"text {n}", name=f"n{n}"), expected_revision=n, now=NOW)
    back = storage.rollback(KEY, 1, now="2026-02-22T00:00:00+08:00")
    assert (back.revision, back.summary, back.name, back.source_event_id) == (
        4,
        "- text 0",
        "n0",
        "rollback:1",
    )
    assert back.updated_at == "2026-02-22T00:00:00+08:00"
    assert storage.read(KEY) == back
    assert storage.rollback(KEY, 3, now=NOW).summary == "- text 2"
    for revision in (1, 5, 99, -1):
        with pytest.raises(InvalidInput, match=r"stored revisions are 4, 3, 2"):
            storage.rollback(KEY, revision, now=NOW)


def test_a_rollback_by_a_job_happens_once(storage: ProfileStorage) -> None:
    for n in range(2):
        storage.write(profile(markdown=f"text {n}"), expected_revision=n, now=NOW)
    back = storage.rollback(KEY, 1, now=NOW, job_id="order-1")
    assert storage.rollback(KEY, 1, now=NOW, job_id="order-1") == back
    assert back.revision == 3 and storage.is_applied(KEY, "order-1")


def test_layers_and_entities_are_apart(storage: ProfileStorage) -> None:
    keys = [
        ProfileKey("user", "42"),
        ProfileKey("user", "42", "private"),
        ProfileKey("user", "42", "g:7"),
        ProfileKey("user", "42@private"),
        ProfileKey("user", "4"),
        ProfileKey("user", "ABC"),
        ProfileKey("user", "abc"),
        ProfileKey("group", "42"),
    ]
    for key in keys:
        assert (
            storage.write(
                profile(key, markdown=repr(key)), expected_revision=0, job_id="r1-1", now=NOW
            ).revision
            == 1
        )
    assert {read.summary for key in keys if (read := storage.read(key))} == {
        f"- {key!r}" for key in keys
    }
    assert sorted(map(repr, storage.keys())) == sorted(map(repr, keys))
    assert sorted(storage.layers("user", "42")) == ["", "g:7", "private"]
    assert storage.layers("group", "42") == [""]
    assert storage.erase(Entity("group", "7")) == 1, (
        "what users are known by in a group goes with it"
    )
    assert sorted(storage.layers("user", "42")) == ["", "private"]
    assert storage.erase(ENTITY) == 2
    assert storage.layers("user", "42") == [] and storage.layers("group", "42") == storage.layers(
        "user", "42@private"
    ) == [""]


def test_deleting_takes_the_history_and_the_causes_along(storage: ProfileStorage) -> None:
    for n in range(3):
        storage.write(profile(), expected_revision=n, job_id=f"r{n}-1", now=NOW)
    assert storage.erase(ENTITY) == 3
    assert not storage.erase(ENTITY)
    assert storage.read(KEY) is None and storage.history(KEY) == []
    assert causes_of(storage, KEY) == set() and not storage.is_applied(KEY, "r1-1")
    assert storage.write(profile(), expected_revision=0, job_id="r9-1", now=NOW).revision == 1


def test_only_the_causes_of_the_entity_go_with_it(storage: ProfileStorage) -> None:
    keys = [
        ProfileKey("user", "42"),
        ProfileKey("user", "42", "g:7"),
        ProfileKey("user", "42@private"),
        ProfileKey("user", "421"),
    ]
    keys += [ProfileKey("user", "43", "g:7"), ProfileKey("group", "42"), ProfileKey("group", "7")]
    for key in keys:
        storage.write(profile(key), expected_revision=0, job_id="j1-0", now=NOW)
    storage.erase(ENTITY)
    assert [key for key in keys if not storage.is_applied(key, "j1-0")] == keys[:2]
    storage.erase(Entity("group", "7"))
    assert [key for key in keys if storage.is_applied(key, "j1-0")] == [keys[2], keys[3], keys[5]]


def test_a_rename_and_a_merge_at_once_lose_neither(open_storage: OpenStorage) -> None:
    open_storage().write(profile(name="old", markdown="", tags=()), expected_revision=0, now=NOW)
    rounds = 15

    def change(what: Callable[[Profile, int], Profile]) -> None:
        storage = open_storage()
        for n in range(rounds):
            while True:
                current = storage.read(KEY)
                assert current is not None
                try:
                    storage.write(what(current, n), expected_revision=current.revision, now=NOW)
                    break
                except RevisionConflict:
                    continue

    changes: list[Callable[[Profile, int], Profile]] = [
        lambda old, n: dataclasses.replace(old, name=f"name {n}"),
        lambda old, n: dataclasses.replace(
            old, lines=(*old.lines, ProfileLine(f"f{n}", f"fact {n}"))
        ),
        lambda old, n: dataclasses.replace(old, tags=(*old.tags, f"t{n}")),
    ]
    threads = [threading.Thread(target=change, args=(what,)) for what in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    stored = open_storage().read(KEY)
    assert stored is not None
    assert (stored.revision, stored.name) == (1 + 3 * rounds, f"name {rounds - 1}")
    assert stored.summary.split("\n") == [f"- fact {n}" for n in range(rounds)]
    assert stored.tags == tuple(f"t{n}" for n in range(rounds))
