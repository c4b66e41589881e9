"""What every `ProfileIndex` promises. `open_profiles()` opens the same index again, as another process would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from historian.schema.errors import FingerprintMismatch
from historian.schema.profile import Profile, ProfileFilter, ProfileKey
from historian.stores.postgres.events.rows import PostgresEventRows
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.postgres.profile_index import PostgresProfileIndex
from historian.stores.sqlite.events.rows import SqliteEventRows
from historian.stores.sqlite.profile_index import SqliteProfileIndex
from historian.stores.tables.events.store import EventStore
from historian.stores.tables.profile_index import ProfileIndex
from profiles import profile_of
from support.events import DIMENSION, make_event, unit_vectors
from support.postgres import Schema
from support.profile_filters import admits
from support.stores import open_events

OpenProfiles = Callable[[], ProfileIndex]

LIN = ProfileKey("user", "42")
LIN_PRIVATE = ProfileKey("user", "42", "private")
CLIMBERS = ProfileKey("group", "7")


class Opened(NamedTuple):
    index: ProfileIndex
    events: EventStore


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, schema: Schema) -> Callable[[], Opened]:
    def in_directory() -> Opened:
        events = open_events(tmp_path)
        return Opened(SqliteProfileIndex(SqliteEventRows(events.database)), events)

    def in_schema() -> Opened:
        database = schema.open()
        return Opened(
            PostgresProfileIndex(PostgresEventRows(database)), PostgresEventStore(database)
        )

    return in_directory if request.param == "sqlite" else in_schema


@pytest.fixture
def open_profiles(opened: Callable[[], Opened]) -> OpenProfiles:
    return lambda: opened().index


@pytest.fixture
def index(open_profiles: OpenProfiles) -> ProfileIndex:
    return open_profiles()


def profile(
    key: ProfileKey = LIN, summary: str = "喜欢爬山，养了一只叫阿橘的猫", revision: int = 1
) -> Profile:
    return profile_of(key, summary, name="小林", tags=("登山", "Rust"), revision=revision)


def found(
    index: ProfileIndex, query: str, where: ProfileFilter | None = None, limit: int = 10
) -> list[ProfileKey]:
    return [key for key, _ in index.search_keywords(query, limit, where)]


def test_a_profile_is_found_by_name_tag_and_summary(
    index: ProfileIndex, open_profiles: OpenProfiles
) -> None:
    index.put(profile(), None)
    index.put(profile(CLIMBERS, "周末登山的群"), None)
    for reader in (index, open_profiles()):
        assert found(reader, "rust") and LIN in found(reader, "小林")
        assert found(reader, "阿橘") == [LIN]
        assert found(reader, "周末") == [CLIMBERS]
    assert found(index, "登山", limit=1) and found(index, "登山", limit=0) == []


def test_a_new_revision_replaces_the_old_one_and_an_older_one_changes_nothing(
    index: ProfileIndex,
) -> None:
    index.put(profile(), None)
    index.put(profile(summary="moved to Berlin", revision=3), unit_vectors(1)[0])
    index.put(profile(summary="lives in Paris", revision=2), None)
    assert found(index, "berlin") == [LIN] and found(index, "阿橘 paris") == []
    assert index.vectors()[0] == [LIN]


def test_stale_are_those_of_another_revision_or_without_vector(index: ProfileIndex) -> None:
    first, second, third = profile(), profile(LIN_PRIVATE), profile(CLIMBERS)
    index.put(first, unit_vectors(1)[0])
    index.put(second, None)
    assert index.stale([first, second, third]) == [second, third]
    assert index.stale([replace(first, revision=2)]) == [replace(first, revision=2)]
    assert index.stale([]) == []


def test_vectors_come_as_one_matrix_with_their_keys(index: ProfileIndex) -> None:
    assert index.vectors()[1].shape == (0, 0)
    one, two = unit_vectors(2)
    index.put(profile(), one)
    index.put(profile(CLIMBERS), two)
    index.put(profile(LIN_PRIVATE), None)
    keys, matrix = index.vectors()
    assert keys == [LIN, CLIMBERS]
    np.testing.assert_array_equal(matrix, np.stack([one, two]))
    assert index.vectors(ProfileFilter(keys=(CLIMBERS,)))[0] == [CLIMBERS]
    with pytest.raises(FingerprintMismatch):
        index.put(profile(revision=2), unit_vectors(1, dimension=DIMENSION + 1)[0])
    assert index.vectors()[0] == [LIN, CLIMBERS]


def test_a_filter_admits_layers_of_users_and_named_profiles_only(index: ProfileIndex) -> None:
    keys = [
        LIN,
        LIN_PRIVATE,
        CLIMBERS,
        ProfileKey("user", "43"),
        ProfileKey("user", "43", "private"),
        ProfileKey("group", "8"),
        ProfileKey("user", "44", "g:7"),
        ProfileKey("group", "42", "private"),
        ProfileKey("user", '42", "private'),
    ]
    for n, key in enumerate(keys):
        index.put(profile(key), unit_vectors(1, seed=n)[0])
    for where in (
        ProfileFilter(),
        ProfileFilter(user_layers=("",)),
        ProfileFilter(user_layers=("",), keys=(LIN_PRIVATE, CLIMBERS)),
        ProfileFilter(user_layers=("g:7",), keys=(CLIMBERS,)),
        ProfileFilter(keys=(ProfileKey("user", "nobody"),)),
    ):
        admitted = {key for key in keys if admits(where, key)}
        assert set(found(index, "小林", where)) == admitted == set(index.vectors(where)[0])
    assert set(found(index, "小林")) == set(keys)


def test_a_filter_by_speakers_admits_those_who_have_spoken_in_a_scope(
    opened: Callable[[], Opened],
) -> None:
    index, events = opened()
    for n, user in enumerate(("42", "43", "44")):
        index.put(profile(ProfileKey("user", user)), unit_vectors(1, seed=n)[0])
    told = make_event("sum", user_id="", speakers=("43", "45"))
    said = [make_event("a", user_id="42"), make_event("b", group="8", user_id="44"), told]
    events.file_new(said, [None] * len(said))
    where = ProfileFilter(user_layers=("",), spoken_in="g:7")
    spoken = {
        key
        for user in ("42", "43", "44")
        if events.has_spoken("g:7", user) and (key := ProfileKey("user", user))
    }
    assert (
        set(found(index, "小林", where))
        == spoken
        == set(index.vectors(where)[0])
        == {LIN, ProfileKey("user", "43")}
    )
    assert not events.has_spoken("g:9", "42") and not found(
        index, "小林", replace(where, spoken_in="g:9")
    )


def test_one_chinese_character_is_found_inside_words(index: ProfileIndex) -> None:
    index.put(profile(), None)
    assert found(index, "猫") == found(index, "橘") == found(index, "山") == [LIN]
    assert found(index, "树") == []


@pytest.mark.parametrize(
    "query", ["", '"', "a AND", "words: x", "\x00", "\ud800", "猫" * 50_000, "NEAR(", "{"]
)
def test_no_query_raises(index: ProfileIndex, query: str) -> None:
    index.put(profile(), None)
    assert isinstance(index.search_keywords(query, 5), list)
