"""Everything of a person or a group into one file, and back: nothing lost, nothing twice, nothing where it should not be."""

import asyncio
import json
import os
import re
import shutil
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from historian.schema.entity import Entity
from historian.schema.event import Event, EventFilter
from historian.schema.profile import ProfileKey
from historian.schema.summary import ArticleKey, Spoken, Summary
from historian.service.components import Parts
from historian.service.entity_data.forgetting import forget
from historian.stores.tables.event_transfer import Carried
from historian.text.profiles.lines import read_lines
from historian.text.redaction import redact
from support.articles import Chapters, chapters_of, put_article
from support.canaries import (
    GROUP,
    MENTIONING,
    OTHER,
    USER,
    canaries,
    canary,
    left_of,
    opened,
    planted,
    settings_of,
)
from support.command import Called, historian
from support.events import make_event
from support.postgres import Schema, server_url
from support.stores import causes_of


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    planted(folder / "data", folder / "notes")
    return folder / "data"


@pytest.fixture
def data(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "data")


def run(*arguments: object, data: Path) -> Called:
    return historian(*arguments, "--json", "--data-dir", data)


def using(directory: Path, look: Callable[[Parts], Any], **stores: Any) -> Any:
    parts = opened(directory, **stores)
    try:
        return look(parts)
    finally:
        asyncio.run(parts.aclose())


def memory_keys(parts: Parts) -> list[ArticleKey]:
    stores = parts.article_stores
    return sorted(
        {*stores.articles.keys(), *stores.summaries.keys(), *stores.buffer.keys()}, key=str
    )


def memory_of(parts: Parts, key: ArticleKey) -> tuple[Any, ...]:
    stores = parts.article_stores
    return stores.articles.kept(key), stores.summaries.read(key), stores.buffer.read(key)


def kept_of(directory: Path, entity: Entity, **stores: Any) -> dict[str, Any]:
    """Everything that an archive carries, to be compared."""

    def look(parts: Parts) -> dict[str, Any]:
        keys = [
            ProfileKey(entity.type, entity.id, layer)
            for layer in parts.profiles.layers(entity.type, entity.id)
        ]
        return {
            "events": sorted(
                (carried.event.event_id, carried)
                for carried in parts.backend.transfer.take(entity.where)
            ),
            "profiles": {str(key): parts.profiles.kept(key) for key in keys},
            "jobs": {
                job.job_id: replaced
                for job in (
                    *parts.queue.jobs("pending"),
                    *parts.queue.jobs("processing"),
                    *_failed(parts),
                )
                if entity.owns(job)
                and (replaced := job.model_dump(exclude={"attempts", "last_error"}))
            },
            "summaries": sorted(
                entry["text"]
                for key, entry in parts.backend.plain_summaries.entries()
                if key == entity.scope.key or entry.get("user_id") == entity.id
            ),
            "layers": {
                str(key): memory_of(parts, key)
                for key in memory_keys(parts)
                if entity.spoke(key.user_id, key.group_id)
            },
        }

    return using(directory, look, **stores)  # type: ignore[no-any-return]


def _failed(parts: Parts) -> list[Any]:
    return [one.job for one in parts.queue.failed() if one.job is not None]


def test_an_archive_of_files_comes_back_whole_in_postgresql_and_from_there_in_files(
    data: Path, tmp_path: Path, schema: Schema
) -> None:
    person, stores = (
        Entity("user", USER),
        {"url": server_url(), "schema_name": schema.name, "pool_max": 4},
    )
    environ = {f"HISTORIAN__STORES__{name.upper()}": str(value) for name, value in stores.items()}
    there, back = ("--data-dir", tmp_path / "there"), tmp_path / "back"
    assert run("export", "user", USER, tmp_path / "a.zip", data=data).status == 0
    first, second = (
        historian("import", tmp_path / "a.zip", "--json", *there, environ=environ).lines[0]
        for _ in range(2)
    )
    assert (first["events"], second["events"], second["known_events"]) == (10, 0, 10)
    assert kept_of(tmp_path / "there", person, **stores) == kept_of(data, person)
    assert (
        historian("export", "user", USER, tmp_path / "b.zip", *there, environ=environ).status == 0
    )
    assert run("import", tmp_path / "b.zip", data=back).lines[0]["events"] == 10
    assert kept_of(back, person) == kept_of(data, person)


@pytest.mark.parametrize("entity", [Entity("user", USER), Entity("group", GROUP)], ids=str)
def test_what_is_exported_comes_back_whole_in_another_directory_once(
    data: Path, tmp_path: Path, entity: Entity
) -> None:
    archive = tmp_path / "archive.zip"
    (written,) = run("export", entity.type, entity.id, archive, data=data).lines
    assert written["events"] == {"user": 10, "group": 8}[entity.type]
    assert archive.stat().st_mode & 0o077 == 0, "others could read it"
    there = tmp_path / "there"
    (arrived,) = run("import", archive, data=there).lines
    assert (arrived["events"], arrived["profiles"]) == (
        written["events"],
        {"user": 3, "group": 1}[entity.type],
    )
    assert kept_of(there, entity) == kept_of(data, entity)
    kept = {
        "user": {"articles": 2, "dated_summaries": 2, "buffered_states": 2},
        "group": {"articles": 2, "dated_summaries": 2},
    }
    assert {name: arrived[name] for name in kept[entity.type]} == kept[entity.type]
    (again,) = run("import", archive, data=there).lines
    changes = [
        name
        for name, count in again.items()
        if count and not name.startswith("known") and name not in ("file", "entity")
    ]
    assert changes == []
    assert [again[f"known_{name}"] for name in kept[entity.type]] == list(
        kept[entity.type].values()
    )
    assert kept_of(there, entity) == kept_of(data, entity)
    assert not [
        kind
        for kind in left_of(there, "other")
        if "event" in kind or "profile" in kind or "failed" in kind
    ]


def test_what_comes_back_is_found_by_its_words_at_once_and_waits_for_its_vector(
    data: Path, tmp_path: Path
) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    run("import", tmp_path / "a.zip", data=tmp_path / "there")

    def look(parts: Parts) -> None:
        found = parts.events.search_keywords(
            canary("event private", "user"), EventFilter("p:" + USER), 3
        )
        assert found[0][0] == "u1-0:0"
        assert len(parts.events.without_vector(100)) == 10 and parts.events.fingerprint() is None
        assert not parts.events.file_job("u1-0", [make_event("u1-0", 0)], [None]), (
            "its job is noted as filed"
        )
        assert parts.backend.profile_index.search_keywords(canary("profile", "user"), 3)[0][
            0
        ] == ProfileKey("user", USER)

    using(tmp_path / "there", look)


def test_what_was_taken_in_or_summed_up_meanwhile_is_not_brought_back_to_wait_again(
    data: Path, tmp_path: Path
) -> None:
    archive, there = tmp_path / "a.zip", tmp_path / "there"
    run("export", "user", USER, archive, data=data)
    run("import", archive, data=there)
    key = ArticleKey(USER)

    def go_on(parts: Parts) -> None:
        assert {"dated-0-0", "dated-0-1"} <= causes_of(parts.article_stores.articles, key)
        assert parts.article_stores.buffer.was_taken("buffered0-0")
        (state,) = parts.article_stores.buffer.read(key)
        parts.article_stores.buffer.release(key, state.entry_id)
        parts.article_stores.summaries.mark_promoted(
            key, ["dated-0-1"], at="2026-02-22T10:00:00+08:00", into=2
        )

    using(there, go_on)
    before = kept_of(there, Entity("user", USER))
    (again,) = run("import", archive, data=there).lines
    assert (
        again["buffered_states"],
        again["different_dated_summaries"],
        again["dated_summaries"],
    ) == (0, 0, 0)
    assert kept_of(there, Entity("user", USER)) == before


def test_an_archive_of_without_articles_is_read(data: Path, tmp_path: Path) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    older = tmp_path / "older.zip"
    with zipfile.ZipFile(tmp_path / "a.zip") as source, zipfile.ZipFile(older, "w") as target:
        for name in source.namelist():
            if not name.startswith("layers/"):
                content = source.read(name)
                dropped = {"articles": []} if name == "manifest.json" else {}
                manifest = (
                    {key: value for key, value in json.loads(content).items() if key not in dropped}
                    if dropped
                    else None
                )
                target.writestr(name, json.dumps(manifest) if manifest else content)
    (arrived,) = run("import", older, data=tmp_path / "there").lines
    assert (
        arrived["events"],
        arrived["articles"],
        arrived["dated_summaries"],
        arrived["buffered_states"],
    ) == (10, 0, 0, 0)


def test_what_an_archive_brings_is_redacted_before_it_is_stored(data: Path, tmp_path: Path) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    key, holding = "AKIAQ7RT5LPW2ZXK9NVM", set()
    with (
        zipfile.ZipFile(tmp_path / "a.zip") as source,
        zipfile.ZipFile(tmp_path / "keys.zip", "w") as target,
    ):
        for name in source.namelist():
            content = source.read(name)
            for said in ("紫色的鲸鱼", "林小满"):
                content = content.replace(said.encode(), f"{said} {key} ".encode())
            holding |= (
                {name.split("/")[-2 if "/" in name else 0]} if key.encode() in content else set()
            )
            target.writestr(name, content)
    assert holding >= {
        "events.jsonl",
        "jobs.jsonl",
        "summaries.jsonl",
        "profiles",
        "articles",
        "layers",
    }
    there = tmp_path / "there"
    (arrived,) = run("import", tmp_path / "keys.zip", data=there).lines
    assert (
        arrived["events"] == 10
        and arrived["profiles"]
        and arrived["jobs"]
        and arrived["summaries"]
        and arrived["articles"]
    )
    assert [
        str(path)
        for path in there.rglob("*")
        if path.is_file() and key.encode() in path.read_bytes()
    ] == []
    assert any(
        "紫色的鲸鱼 [API_KEY]" in carried.event.text
        for _, carried in kept_of(there, Entity("user", USER))["events"]
    )
    (again,) = run("import", tmp_path / "keys.zip", data=there).lines
    changes = [
        name
        for name, count in again.items()
        if count and not name.startswith("known") and name not in ("file", "entity")
    ]
    assert changes == []


def test_a_key_that_spans_lines_of_an_article_is_redacted_whole(tmp_path: Path) -> None:
    data, archive, key = tmp_path / "data", tmp_path / "a.zip", ArticleKey(USER)
    body = ["MIIEowIBAAKCAQEAx7Vq9Zt3", "Kf82jLmNpQrStUvWxYz01234", "AbCdEfGhIjKlMnOpQrStUv=="]
    lines = ["-----BEGIN RSA PRIVATE KEY-----", *body, "-----END RSA PRIVATE KEY-----"]
    chapters = Chapters("\n".join(f"- {line}" for line in ("likes tea", *lines)))

    def plant(parts: Parts) -> None:
        stores, now = parts.article_stores, "2026-02-21T15:00:00+08:00"
        put_article(
            stores.articles, key, chapters, expected_revision=0, sources=[], now=now,
            forgotten=lambda: False,
        )  # fmt: skip

    using(data, plant)
    run("export", "user", USER, archive, data=data)
    there = tmp_path / "there"
    assert run("import", archive, data=there).lines[0]["articles"] == 1
    article = using(there, lambda parts: parts.article_stores.articles.read(key))
    assert chapters_of(article).bedrock.splitlines() == ["- likes tea", "- [PRIVATE_KEY]"]
    assert not any(
        one.encode() in path.read_bytes()
        for path in there.rglob("*")
        if path.is_file()
        for one in body
    )


def with_lines_changed(archive: Path, target: Path, member: str, **fields: Any) -> Path:
    """Write a copy of an archive with these fields in every line of a member."""
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            content = source.read(name)
            if name == member:
                lines = [{**json.loads(line), **fields} for line in content.splitlines()]
                content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
            elif name.endswith(".md"):
                content = re.sub(
                    rb"(?m)^updated_at:.*$", b"updated_at: hunter2-AKIAQ7RT5LPW2ZXK9NVM", content
                )
            copy.writestr(name, content)
    return target


def test_times_and_origins_of_an_archive_are_no_place_for_a_secret(
    data: Path, tmp_path: Path
) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    key, there = "AKIAQ7RT5LPW2ZXK9NVM", tmp_path / "there"
    wrong = with_lines_changed(
        tmp_path / "a.zip", tmp_path / "source.zip", "events.jsonl", source=f"job {key}"
    )
    refused = run("import", wrong, data=there)
    assert (
        refused.status != 0
        and "source: expected one of job" in refused.err
        and key not in refused.err + refused.out
    )
    local = with_lines_changed(
        tmp_path / "a.zip", tmp_path / "local.zip", "events.jsonl", timestamp_local=f"noon {key}"
    )
    assert run("import", local, data=there).lines[0]["events"] == 10
    assert [
        str(path)
        for path in there.rglob("*")
        if path.is_file() and key.encode() in path.read_bytes()
    ] == []
    for _, one in kept_of(there, Entity("user", USER))["events"]:
        assert datetime.fromisoformat(one.event.timestamp_local).timestamp() == one.event.timestamp


def test_who_was_forgotten_comes_back_only_when_that_is_meant(data: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    run("export", "user", USER, archive, data=data)

    async def work() -> None:
        parts = opened(data)
        await forget(parts, Entity("user", USER))
        await parts.aclose()

    asyncio.run(work())
    called = historian("import", archive, "--data-dir", data)
    refusal = f"error: {archive}: user:{USER} was forgotten here; nothing is imported. --even-forgotten imports the whole"
    assert (
        called.status == 1 and called.err.startswith(refusal) and len(called.err.splitlines()) == 1
    )
    assert not [kind for kind in left_of(data, "user") if kind in canaries("user")]
    (arrived,) = run("import", archive, "--even-forgotten", data=data).lines
    assert arrived["events"] == 10 and arrived["profiles"] == 3
    assert (arrived["articles"], arrived["dated_summaries"], arrived["buffered_states"]) == (
        2,
        2,
        2,
    )


@pytest.mark.parametrize("kind", ["article", "summary", "state"])
def test_who_left_nothing_but_one_piece_of_the_layers_is_refused_once_forgotten(
    tmp_path: Path, kind: str
) -> None:
    data, archive, key, at = (
        tmp_path / "data",
        tmp_path / "a.zip",
        ArticleKey(OTHER, GROUP),
        "2026-02-21T15:00:00+08:00",
    )

    def plant_one(parts: Parts) -> None:
        stores = parts.article_stores
        if kind == "article":
            put_article(
                stores.articles,
                key,
                Chapters("- x"),
                expected_revision=0,
                sources=[],
                now=at,
                forgotten=lambda: False,
            )
        elif kind == "summary":
            made = Summary(
                "s-1", key, "an old story", at, at, at, 9, "rules", True, through="j-0:0"
            )
            stores.summaries.add(made, forgotten=lambda: False)
        else:
            stores.buffer.add(
                key, "j-0", [("j-0:0", Spoken("user", "an old story", "", at))], entities=[], at=0.0
            )

    using(data, plant_one)
    run("export", "user", OTHER, archive, data=data)
    assert using(data, lambda parts: asyncio.run(forget(parts, Entity("group", GROUP))).clean)
    refused = historian("import", archive, "--data-dir", data)
    assert (
        refused.status == 1
        and f"group:{GROUP}" in refused.err
        and "was forgotten here" in refused.err
    )
    assert using(data, memory_keys) == []
    (arrived,) = run("import", archive, "--even-forgotten", data=data).lines
    assert using(data, memory_keys) == [key]
    assert arrived["articles"] + arrived["dated_summaries"] + arrived["buffered_states"] == 1


def test_one_forgotten_job_of_several_events_is_counted_once(data: Path, tmp_path: Path) -> None:
    there, archive = tmp_path / "there", tmp_path / "a.zip"
    events = [make_event("several-0", n, user_id=OTHER) for n in range(3)]
    using(there, lambda parts: parts.events.file_job("several-0", events, [None] * 3))
    run("export", "user", OTHER, archive, data=there)
    using(data, lambda parts: parts.backend.erasure.bury_jobs(["several-0"]))
    refused = historian("import", archive, "--data-dir", data)
    assert refused.status == 1 and ": 1 of its jobs was forgotten here" in refused.err


def test_an_archive_of_plain_summaries_alone_is_refused_once_its_group_was_forgotten(
    tmp_path: Path,
) -> None:
    data, archive = tmp_path / "data", tmp_path / "a.zip"
    at = "2026-02-21T15:00:00+08:00"
    using(
        data,
        lambda parts: parts.backend.plain_summaries.restore(
            [
                (
                    f"g:{GROUP}",
                    {"job_id": "j-0", "timestamp": at, "user_id": OTHER, "text": "a story"},
                )
            ]
        ),
    )
    run("export", "user", OTHER, archive, data=data)
    assert run("import", archive, data=data).lines[0]["known_summaries"] == 1
    assert using(data, lambda parts: asyncio.run(forget(parts, Entity("group", GROUP))).clean)
    refused = historian("import", archive, "--data-dir", data)
    assert refused.status == 1 and f"group:{GROUP} was forgotten here" in refused.err
    (arrived,) = run("import", archive, "--even-forgotten", data=data).lines
    assert (arrived["summaries"], arrived["known_summaries"]) == (1, 0)


def test_what_is_there_is_never_overwritten(data: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    run("export", "user", OTHER, archive, data=data)

    def change(parts: Parts) -> None:
        parts.events.edit("o1-0:0", "周大年后来说的是另一件事", None)
        key = ProfileKey("user", OTHER)
        profile = parts.profiles.read(key)
        assert profile is not None
        changed = replace(profile, lines=read_lines("- 周大年现在爱下棋"))
        parts.profiles.write(
            changed, expected_revision=profile.revision, now="2026-03-01T00:00:00+08:00"
        )
        stores, later = parts.article_stores, "2026-03-01T00:00:00+08:00"
        stored = stores.articles.read(MENTIONING)
        assert stored is not None
        put_article(stores.articles,
            MENTIONING, Chapters(bedrock="- 我知道的是另一件事"), expected_revision=stored.revision, sources=["x"], now=later,
            forgotten=lambda: False,
        )  # fmt: skip
        assert stores.summaries.without_lines(MENTIONING, lambda line: "划船" in line) == 2

    using(data, change)
    (arrived,) = run("import", archive, data=data).lines
    assert arrived["different_articles"] == 1 and arrived["known_articles"] == 1
    assert arrived["different_dated_summaries"] == 2 and arrived["known_dated_summaries"] == 2
    assert (
        using(
            data, lambda parts: chapters_of(parts.article_stores.articles.read(MENTIONING)).bedrock
        )
        == "- 我知道的是另一件事"
    )
    boating = using(
        data,
        lambda parts: [
            one for one in parts.article_stores.summaries.read(MENTIONING) if "划船" in one.text
        ],
    )
    assert boating == []
    assert arrived["different_events"] == 1 and arrived["different_profiles"] == [f"user:{OTHER}"]
    assert (
        using(data, lambda parts: parts.events.get(["o1-0:0"])[0].text)
        == "周大年后来说的是另一件事"
    )
    assert "另一件事" not in run("import", archive, data=tmp_path / "there").out


def test_an_existing_file_is_replaced_only_with_force(data: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    archive.write_text("mine")
    assert historian("export", "user", USER, archive, "--data-dir", data).status == 2
    assert archive.read_text() == "mine"
    assert historian("export", "user", USER, archive, "--force", "--data-dir", data).status == 0
    assert zipfile.is_zipfile(archive) and [path.name for path in tmp_path.glob(".tmp*")] == []
    unknown = historian("export", "user", "nobody", tmp_path / "b.zip", "--data-dir", data)
    assert (
        unknown.status == 1 and "check the id" in unknown.err and not (tmp_path / "b.zip").exists()
    )
    before = archive.read_bytes()
    assert historian("export", "user", "nobody", archive, "--force", "--data-dir", data).status == 1
    assert archive.read_bytes() == before and [path.name for path in tmp_path.glob(".tmp*")] == []


def test_export_and_import_name_and_count_the_same_things_alike(data: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    written = historian("export", "user", USER, archive, "--data-dir", data)
    arrived = historian("import", archive, "--data-dir", tmp_path / "there")

    def counts(printed: str) -> dict[str, str]:
        rows = [re.split(r" {2,}", line.strip()) for line in printed.splitlines()]
        return {
            row[0]: row[1].split()[0] for row in rows if row[0] not in ("file", "entity", "refused")
        }

    counted = counts(written.out)
    assert counted.pop("memory") == "1"
    assert counts(arrived.out) == counted
    assert counted["events"] == "10" and counted["profiles"] == "3" and counted["articles"] == "2"


def rewritten(archive: Path, **members: Callable[[bytes], bytes]) -> Path:
    """The archive with members changed; names are given with `_` for `.`."""
    made = archive.with_name("changed.zip")
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            change = members.get(name.replace(".", "_"), lambda content: content)
            target.writestr(name, change(source.read(name)))
    return made


def with_value(**values: Any) -> Callable[[bytes], bytes]:
    return lambda content: json.dumps({**json.loads(content), **values}).encode()


def first_line(**values: Any) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        first, rest = content.split(b"\n", 1)
        return json.dumps({**json.loads(first), **values}).encode() + b"\n" + rest

    return change


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"manifest_json": with_value(version=2)}, "newer version.*archive version 2"),
        (
            {"manifest_json": with_value(event_schema_version=9)},
            "event_schema_version 9 is not known",
        ),
        (
            {"manifest_json": with_value(format="something else")},
            "not an archive of `historian export`",
        ),
        (
            {"manifest_json": with_value(entity={"type": "planet", "id": "1"})},
            "'planet' is not one of user, group",
        ),
        ({"manifest_json": lambda _: b"["}, "manifest.json: not JSON"),
        (
            {"events_jsonl": first_line(schema_version=4)},
            "events.jsonl, line 1: schema_version 4 is newer",
        ),
        (
            {"events_jsonl": first_line(role="boss")},
            "events.jsonl, line 1: role: expected one of user, assistant, tool",
        ),
        ({"events_jsonl": first_line(kind="message")}, "events.jsonl, line 1: role: missing"),
        (
            {"events_jsonl": first_line(times=["soon"])},
            "events.jsonl, line 1: times: .*17:2026-12-04",
        ),
        ({"events_jsonl": first_line(times=["99999:2026-12-04"])}, "events.jsonl, line 1: times"),
        (
            {"events_jsonl": first_line(times=["1:2026-12-04 hunter2"])},
            "events.jsonl, line 1: times",
        ),
        ({"events_jsonl": first_line(people=["3:1:42"])}, "events.jsonl, line 1: people: .*0:3:42"),
        ({"events_jsonl": first_line(sources="m-1")}, "events.jsonl, line 1: sources"),
        ({"events_jsonl": first_line(timezone="Mars")}, "events.jsonl, line 1: timezone"),
        ({"events_jsonl": first_line(user_id="")}, "events.jsonl, line 1: user_id"),
        ({"events_jsonl": first_line(kind="order")}, "events.jsonl, line 1: kind"),
        (
            {"events_jsonl": first_line(text="\ud800")},
            "events.jsonl, line 1: holds a lone surrogate",
        ),
        ({"events_jsonl": lambda content: content + b"{"}, "events.jsonl, line 11: not JSON"),
        (
            {"jobs_jsonl": first_line(kind="forget", payload={"event_ids": ["x"]})},
            "jobs.jsonl, line 1: kind 'forget'",
        ),
        ({"jobs_jsonl": first_line(request_id="")}, "jobs.jsonl, line 1: request_id"),
        (
            {
                "jobs_jsonl": first_line(
                    kind="states", payload={"states": [{"role": "x", "text": "y"}]}
                )
            },
            "line 1: payload.states.0",
        ),
        (
            {"layers/summaries_jsonl": first_line(scope="p:8")},
            "layers/summaries.jsonl, line 1: user_id '13801' and scope 'p:8'",
        ),
        (
            {"layers/summaries_jsonl": first_line(until="today")},
            "layers/summaries.jsonl, line 1: timestamp: 'today'",
        ),
        (
            {"layers/summaries_jsonl": first_line(tokens="many")},
            "layers/summaries.jsonl, line 1: not a dated summary",
        ),
        (
            {"layers/buffered_jsonl": first_line(entry_id="x")},
            "layers/buffered.jsonl, line 1: not a buffered state",
        ),
        (
            {"layers/buffered_jsonl": first_line(role="narrator")},
            "layers/buffered.jsonl, line 1: not a buffered state",
        ),
        (
            {
                "manifest_json": with_value(
                    articles=[{"user_id": "1", "scope": "p:1", "revision": 1}]
                )
            },
            "articles: 'member'",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_does_not_fit_is_refused_and_nothing_is_written(
    data: Path, tmp_path: Path, members: dict[str, Callable[[bytes], bytes]], message: str
) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    called = historian(
        "import", rewritten(tmp_path / "a.zip", **members), "--data-dir", tmp_path / "there"
    )
    assert called.status == 2

    assert re.search(message, called.err), called.err
    assert using(tmp_path / "there", lambda parts: parts.events.count()) == 0


def test_no_file_outside_of_the_data_directory_can_be_written_by_an_archive(
    data: Path, tmp_path: Path
) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    evil = "../../../evil.md"

    def named(content: bytes) -> bytes:
        manifest = json.loads(content)
        manifest["profiles"] = [
            {
                "member": evil,
                "entity_type": "user",
                "entity_id": "../../evil",
                "layer": "../../evil",
                "revision": 1,
            }
        ]
        return json.dumps(manifest).encode()

    made = rewritten(tmp_path / "a.zip", manifest_json=named)
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr(evil, "---\nname: evil\n---\n\n- evil\n")
        archive.writestr("/etc/passwd", "evil")
    before = {path for path in tmp_path.rglob("*") if "there" not in path.parts}
    assert run("import", made, data=tmp_path / "there" / "deep" / "data").status == 0
    assert {path for path in tmp_path.rglob("*") if "there" not in path.parts} == before
    assert not list((tmp_path / "there").rglob("evil.md"))
    assert {path.name for path in (tmp_path / "there").iterdir()} == {"deep"}


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 cut", b"hello"], ids=["empty", "cut", "text"]
)
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    called = historian("import", tmp_path / "a.zip", "--data-dir", tmp_path / "data")
    assert called.status == 2 and "not an archive" in called.err
    assert (
        historian("import", tmp_path / "missing.zip", "--data-dir", tmp_path / "data").status == 2
    )


def grown(archive: Path, **members: str) -> Path:
    """The archive with lines added to members; names are given with `_` for `.`."""
    return rewritten(
        archive,
        **{
            name: (lambda content, lines=lines: content + lines.encode())
            for name, lines in members.items()
        },
    )  # type: ignore[misc]


def test_an_archive_of_one_user_writes_nothing_of_others(data: Path, tmp_path: Path) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    run("export", "user", OTHER, tmp_path / "b.zip", data=data)
    with zipfile.ZipFile(tmp_path / "b.zip") as other:
        theirs = {name.replace(".", "_"): other.read(name) for name in other.namelist()}
    lines = (
        "events_jsonl",
        "jobs_jsonl",
        "summaries_jsonl",
        "layers/summaries_jsonl",
        "layers/buffered_jsonl",
    )
    entries = json.loads(theirs["manifest_json"])

    def both(content: bytes) -> bytes:
        manifest = json.loads(content)
        return json.dumps(
            {
                **manifest,
                **{name: manifest[name] + entries[name] for name in ("profiles", "articles")},
            }
        ).encode()

    made = rewritten(
        tmp_path / "a.zip",
        manifest_json=both,
        **{name: (lambda content, name=name: content + theirs[name]) for name in lines},  # type: ignore[misc]
    )
    with zipfile.ZipFile(made, "a") as archive:
        for name, content in theirs.items():
            if name.startswith(("profiles/", "layers/articles/")):
                archive.writestr(name.removesuffix("_md") + ".md", content)
    there = tmp_path / "there"
    (arrived,) = run("import", made, data=there).lines
    assert (arrived["events"], arrived["profiles"], arrived["articles"]) == (10, 3, 2)
    refused = {name.partition(" of ")[0] for name in arrived["refused"]}
    assert refused == {
        "events",
        "jobs",
        "summaries",
        "dated_summaries",
        "buffered_states",
        "profiles",
        "articles",
    }
    assert all(name.endswith(f" of user:{OTHER}") for name in arrived["refused"])
    assert left_of(there, "other") == {}
    assert kept_of(there, Entity("user", OTHER))["events"] == []
    assert f"events of user:{OTHER}" in historian("import", made, "--data-dir", there).out


def test_an_archive_of_a_group_writes_no_layer_of_a_user(data: Path, tmp_path: Path) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        profiles = json.loads(archive.read("manifest.json"))["profiles"]
    layers = [{**profiles[0], "layer": f"g:{GROUP}"}]
    of_group = with_value(entity={"type": "group", "id": GROUP}, profiles=layers)
    there, made = tmp_path / "there", rewritten(tmp_path / "a.zip", manifest_json=of_group)
    (arrived,) = run("import", made, data=there).lines
    assert (arrived["profiles"], arrived["refused"][f"profiles of user:{USER}"]) == (0, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"profiles": 5}, "profiles: expected a list of objects in the manifest"),
        ({"profiles": ["x"]}, "profiles: expected a list of objects in the manifest"),
        ({"articles": {"a": 1}}, "articles: expected a list of objects in the manifest"),
        ({"articles": [{"user_id": ["1"], "scope": {}, "revision": 1}]}, "articles: "),
        (
            {
                "profiles": [
                    {
                        "entity_type": ["user"],
                        "entity_id": USER,
                        "layer": "",
                        "member": "x",
                        "revision": 1,
                    }
                ]
            },
            "profiles: ",
        ),
        (
            {
                "profiles": [
                    {
                        "entity_type": "user",
                        "entity_id": USER,
                        "layer": "",
                        "member": "x",
                        "revision": 1e400,
                    }
                ]
            },
            "Infinity is not a number",
        ),
        ({"entity": 7}, "does not name the entity"),
        ({"entity": {"type": [], "id": {}}}, "is not one of user, group"),
        ({"version": True}, "archive version True"),
        ({"event_schema_version": "1"}, "event_schema_version '1' is not known"),
        ({"portraits": []}, "an archive of a former version (portraits), which is no longer read"),
        ({"event_schema_version": 2}, "former version (event_schema_version 2)"),
    ],
    ids=str,
)
def test_a_manifest_of_wrong_types_gives_one_line(
    data: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    called = historian(
        "import",
        rewritten(tmp_path / "a.zip", manifest_json=with_value(**change)),
        "--data-dir",
        tmp_path / "x",
    )
    assert called.status == 2 and message in called.err and len(called.err.splitlines()) == 1


@pytest.mark.parametrize(
    "values", [{"attempts": 3}, {"not_before": 9e9}, {"last_error": "x"}], ids=str
)
def test_jobs_from_files_do_not_say_what_only_the_queue_says(
    data: Path, tmp_path: Path, values: dict[str, Any]
) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    called = historian(
        "import",
        rewritten(tmp_path / "a.zip", jobs_jsonl=first_line(**values)),
        "--data-dir",
        tmp_path / "x",
    )
    assert called.status == 2 and f"{next(iter(values))}: only the queue sets it" in called.err
    line = json.dumps({"user_id": "1", "action_summary": "said", **values})
    called = historian("ingest", "-", "--data-dir", tmp_path / "x", stdin=line)
    assert called.status == 1 and f"{next(iter(values))}: only the queue sets it" in called.err


@pytest.mark.parametrize(
    "kind", ["edit", "forget", "rollback", "index", "rollback_article", "reprocess"]
)
def test_files_bring_no_commands(tmp_path: Path, kind: str) -> None:
    line = json.dumps(
        {
            "user_id": "1",
            "kind": kind,
            "payload": {"event_id": "a-0:0", "text": "x", "event_ids": ["a-0:0"]},
        }
    )
    called = historian("ingest", "-", "--data-dir", tmp_path / "x", stdin=line)
    assert called.status == 1 and f"{kind} is a command" in called.err
    assert list((tmp_path / "x").rglob("*.json")) == []


def test_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        called = historian("import", place, "--data-dir", tmp_path / "x")
        assert (
            called.status == 2
            and "is not an ordinary file" in called.err
            and len(called.err.splitlines()) == 1
        )


def peak_of(archive: Path, directory: Path, *options: object) -> tuple[Called, int]:
    """What an import says, and the most memory that it held at once, in bytes."""
    tracemalloc.start()
    try:
        return historian(
            "import", archive, "--data-dir", directory, *options
        ), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_an_archive_that_is_a_bomb_is_refused_within_little_memory(
    data: Path, tmp_path: Path
) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        line, manifest = archive.read("events.jsonl").split(b"\n")[0], archive.read("manifest.json")
    long = json.dumps({**json.loads(line), "text": "long " * 20_000}).encode()

    def bomb(**members: bytes) -> Path:
        with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as target:
            for name, content in {"manifest_json": manifest, **members}.items():
                target.writestr(name.replace("_", "."), content)
        return tmp_path / "bomb.zip"

    for members, message in (
        ({"events_jsonl": b" " * 3_000_000}, "longer than"),
        ({"events_jsonl": b"\n".join([long] * 90)}, "--max-mib"),
        ({"manifest_json": manifest[:-1] + b" " * 3_000_000 + b"}"}, "larger than"),
        ({f"x{n}": b"" for n in range(10_001)}, "more than 10000 members"),
    ):
        made = bomb(**members)
        called, peak = peak_of(made, tmp_path / "x", "--max-mib", 8)
        assert called.status == 2 and message in called.err, called.err
        assert peak < 12_000_000
        made.unlink()


@pytest.mark.slow
def test_a_large_archive_is_read_within_little_memory(data: Path, tmp_path: Path) -> None:
    run("export", "user", USER, tmp_path / "a.zip", data=data)

    def many(content: bytes) -> bytes:
        first = json.loads(content.split(b"\n")[0])
        more = (
            {**first, "event_id": f"x{n}-0:0", "job_id": f"x{n}-0", "text": f"{n} " * 20_000}
            for n in range(300)
        )
        return b"".join(json.dumps(one).encode() + b"\n" for one in more) + b"{"

    called, peak = peak_of(rewritten(tmp_path / "a.zip", events_jsonl=many), tmp_path / "x")
    assert called.status == 2 and "line 301: not JSON" in called.err
    assert peak < 15_000_000, "some 25 MB of events were held at once"


def test_messages_come_back_with_all_their_fields_in_words_redacted_as_jobs_are(
    tmp_path: Path,
) -> None:
    def said(name: str, text: str, **more: Any) -> Event:
        values = {
            "kind": "message",
            "source": "message",
            "role": "user",
            "said_by": "42",
            "user_name": "Ann",
            **more,
        }
        return make_event(name, text=text, schema_version=3, is_absolute=False, **values)

    mail, key = "ann@example.org", "AKIAQ7RT5LPW2ZXK9NVM"
    text = f"on Friday write to {mail} with {key} before Monday, Ben"
    day, end = text.index("Friday") + 6, text.index("Monday") + 6
    spans = {
        "times": (f"{day}:2026-12-04", f"{text.index(key) + 5}:2026-12-05", f"{end}:2026-12-07")
    }
    people = (f"{len(text) - 3}:{len(text)}:43", f"{text.index(key)}:{text.index(key) + 4}:44")
    every = [
        said("m-1", text, message_id="7", reply_to="6", people=people, **spans),
        said("m-2", f"the mail is {mail}", role="tool", said_by=""),
        said("m-3", "noted", role="assistant", said_by="", bot_name="Clio", user_name=""),
        make_event(
            "j1-0",
            text="Ann writes to Ben",
            sources=("m-1", "m-0"),
            people=("14:17:43",),
            schema_version=3,
        ),
    ]

    def fill(parts: Parts) -> None:
        parts.backend.transfer.bring([Carried(one, False) for one in every])

    using(tmp_path / "here", fill)
    run("export", "user", "42", tmp_path / "a.zip", data=tmp_path / "here")
    (arrived,) = run("import", tmp_path / "a.zip", data=tmp_path / "there").lines
    assert arrived["events"] == 4
    back = {
        one.event_id: one
        for one in using(tmp_path / "there", lambda parts: parts.events.find(EventFilter(None)))
    }
    message, level = back["m-1:0"], settings_of(tmp_path).historian.redact_jobs
    assert message.text == redact(text, level) and key not in message.text
    assert (
        message.dated_text.count("Friday (2026-12-04)")
        == message.dated_text.count("Monday (2026-12-07)")
        == 1
    )
    assert len(message.times) == 2, "the one within the key is gone"
    assert [
        message.text[int(a) : int(b)] for a, b, _ in (one.split(":") for one in message.people)
    ] == ["Ben"]
    assert (message.message_id, message.reply_to, message.said_by) == ("7", "6", "42")
    assert back["m-2:0"].text == redact(every[1].text, "all") and mail not in back["m-2:0"].text
    assert back["m-3:0"] == every[2] and back["j1-0:0"] == every[3]
