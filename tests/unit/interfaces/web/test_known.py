"""Who is known, a page at a time."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from historian.interfaces.web.pages.known import (
    PAGE,
    People,
    conversations,
    groups,
    name_of,
    people,
    records_to_remove,
)
from historian.schema.entity import Entity
from historian.schema.profile import ProfileKey
from historian.service.components import Parts, open_parts
from profiles import profile_of
from support.events import file_texts
from support.servers.web import web_settings

NOW = "2026-02-21T17:30:00+08:00"


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    settings = web_settings(tmp_path)
    opened = open_parts(settings, clock=time.time)
    yield opened
    opened.events.close()


def write(parts: Parts, key: ProfileKey, name: str, summary: str = "- likes tea") -> None:
    written = parts.profiles.write(
        profile_of(key, summary, name=name), expected_revision=0, now=NOW
    )
    parts.backend.profile_index.put(written, None)


def walked(parts: Parts, kind: str, text: str = "") -> list[str]:
    """The ids on all pages, in order."""
    ids: list[str] = []
    page = People([], "")
    while not ids or page.next:
        page = (people if kind == "user" else groups)(parts, text, page.next)
        ids += [one.entity.id for one in page.found]
    return ids


@pytest.mark.parametrize("kind", ["user", "group"])
def test_the_pages_hold_everybody_once_those_without_events_too(parts: Parts, kind: str) -> None:
    named = [f"{n:03d}" for n in range(2 * PAGE + 5)]
    for n, one in enumerate(named):
        if n % 3:
            file_texts(
                parts.events,
                ["likes tea"],
                f"j{one}-0",
                **({"user_id": one} if kind == "user" else {"group": one}),
            )
        if n % 3 != 1:
            write(parts, ProfileKey("user" if kind == "user" else "group", one), f"name {one}")
    assert walked(parts, kind) == named


def test_they_are_found_by_id_and_by_name(parts: Parts) -> None:
    file_texts(
        parts.events,
        ["likes tea"],
        "a-0",
        user_id="ann",
        user_name="Ann",
        group="100",
        group_name="读书会",
    )
    write(parts, ProfileKey("user", "42"), "阿明")
    write(parts, ProfileKey("group", "9"), "Board Games")
    assert walked(parts, "user", "AN") == ["ann"]
    assert walked(parts, "user", "阿明") == ["42"]
    assert walked(parts, "group", "读书") == ["100"]
    assert walked(parts, "group", "board") == ["9"]
    (ann,) = people(parts, "ann", "").found
    assert (ann.name, ann.events, ann.says) == ("Ann", 1, "")
    assert name_of(parts, Entity("group", "100")) == "读书会"
    assert name_of(parts, Entity("user", "nobody")) == ""


def test_records_to_remove_are_counted_by_kind(parts: Parts) -> None:
    file_texts(parts.events, ["likes tea", "likes coffee"], "a-0", user_id="ann", group="100")
    write(parts, ProfileKey("user", "ann"), "Ann")
    write(parts, ProfileKey("user", "ann", "private"), "Ann")
    assert records_to_remove(parts, Entity("user", "ann")) == {"events": 2, "profiles": 2}
    assert records_to_remove(parts, Entity("user", "nobody")) == {}


def test_conversations_come_with_names_the_fullest_first(parts: Parts) -> None:
    file_texts(parts.events, ["likes tea"], "a-0", group="100")
    file_texts(parts.events, ["likes tea", "likes coffee"], "b-0", group=None, user_id="ann")
    write(parts, ProfileKey("group", "100"), "读书会")
    assert conversations(parts) == [("p:ann", ""), ("g:100", "读书会")]
