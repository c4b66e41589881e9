"""Nothing of one conversation is ever read in another, by any public way in, whatever ids and texts are like."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.langchain.retriever import CognitiveRetriever
from historian.interfaces.langchain.searching import is_admin
from historian.interfaces.langchain.tools import handle_memory_call, make_memory_tools
from historian.retrieval.filters import event_filter, profile_filter
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter, EventLink
from historian.schema.profile import ProfileKey
from historian.schema.scope import LayerRule, Scope, layer_written, layers_read
from historian.schema.settings import Settings
from historian.schema.summary import ArticleKey, Spoken, Summary
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts
from historian.service.intake import make_job
from historian.service.recall.reader import MemoryReader
from historian.stores.tables.events.revisions import Change
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from profiles import profile_of
from support.articles import Chapters, put_article
from support.command import historian
from support.memory import settings_for
from support.postgres import Schema, fresh_schema, server_url
from support.profile_filters import admits
from support.recall import NOW, WordEmbedder, events_in, file_events, open_memory

SECRET = re.compile(r"secret(\d+)x")
ODD_IDS = [
    "7",
    "77",
    "-1007",
    "g:7",
    "p:7",
    "7@private",
    "private",
    "../7",
    "%37",
    "*",
    "7*",
    "user:7",
    "'; --",
    "７",
    "Ａnn",
    "ann",
    "Ann",
]
ids = st.sampled_from(ODD_IDS) | st.text(
    st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=12
)
scopes = st.one_of(ids.map(Scope.private), st.builds(Scope.group, ids, ids))


def secrets(text: Any) -> set[int]:
    return {
        int(found) for found in SECRET.findall(json.dumps(text, default=str, ensure_ascii=False))
    }


def write(
    parts: Parts, places: list[Scope], embedder: WordEmbedder | None, rule: LayerRule
) -> dict[int, tuple[str, Scope, str]]:
    """Events, a waiting job and profiles a scope, each with a secret; gives what each secret is and where it was learnt."""
    owner: dict[int, tuple[str, Scope, str]] = {}
    for n, scope in enumerate(places):
        number = 10 * n
        fields: dict[str, Any] = {
            "user_id": scope.user_id,
            "user_name": "system: everybody",
            "said_by": scope.user_id,
        }
        write_events(parts, scope, number, embedder, fields)
        owner[number] = ("event", scope, "")
        owner[number + 7] = ("former", scope, "")
        owner[number + 8] = owner[number + 9] = ("never", scope, "")
        job = make_job(
            {
                "request_id": f"waits{n}",
                "request_type": scope.request_type,
                "group_id": scope.group_id or None,
                "user_id": scope.user_id,
                "action_summary": f"咖啡 tea secret{number + 1}x",
                "timestamp": "2026-02-21T17:30:00+08:00",
            },
            parts.settings,
            parts.clock,
        )
        parts.queue.put(job)
        owner[number + 1] = ("event", scope, "")
        for offset, kind, entity in ((2, "user", scope.user_id), (3, "group", scope.group_id)):
            if entity:
                key = ProfileKey(kind, entity, layer_written(scope, kind, rule))  # type: ignore[arg-type]
                if parts.profiles.read(key) is None:
                    profile = profile_of(
                        key, f"咖啡 tea secret{number + offset}x", name=f"咖啡 {entity}"
                    )
                    written = parts.profiles.write(
                        profile, expected_revision=0, now="2026-02-21T17:30:00+08:00"
                    )
                    parts.backend.profile_index.put(
                        written, embedder.vector(profile.summary) if embedder else None
                    )
                    owner[number + offset] = (kind, scope, key.layer)
        if scope.user_id:
            write_layers(parts, ArticleKey.of(scope.user_id, scope), number + 4, embedder)
            owner[number + 4] = owner[number + 5] = owner[number + 6] = (
                "layers",
                scope,
                scope.user_id,
            )
    return owner


def write_events(
    parts: Parts, scope: Scope, number: int, embedder: WordEmbedder | None, fields: dict[str, Any]
) -> None:
    """What holds, what it has ended and what it has corrected, each of which tells of a day, and the former text of one.

    Their ids hold the secret too. Links to the events of the scopes before, both ways, are tried first.
    """
    times = {"occurs_from": NOW - 86_400, "occurs_until": NOW}
    events = [
        events_in(
            scope.group_id or None,
            [f"咖啡 tea secret{one}x"],
            prefix=f"secret{one}x-",
            **fields,
            **times,
            timestamp=NOW - 600 + at,
        )[0]
        for at, one in enumerate((number + 8, number + 7, number))
    ]
    file_events(parts, events, embedder)
    wrong, former, holding = (event.event_id for event in events)
    others = [
        one.event_id
        for one in parts.events.find(EventFilter(None), limit=1000)
        if one.scope.key != scope.key
    ]
    strange = [
        link
        for other in others
        for link in (EventLink(former, other), EventLink(other, holding, corrects=True))
    ]
    assert parts.events.supersede(strange) == []
    assert (
        len(
            parts.events.supersede(
                [EventLink(wrong, holding, corrects=True), EventLink(former, holding)]
            )
        )
        == 2
    )
    run, vector = f"run{number}", embedder.vector("咖啡 tea") if embedder else None
    parts.backend.revisions.begin(run, NOW)
    for n, (before, after) in enumerate(((number, number + 9), (number + 9, number))):
        texts = (f"咖啡 tea secret{one}x" for one in (before, after))
        old, new = (replace(events[2], text=text) for text in texts)
        assert parts.backend.revisions.advance(
            run, seen=1, rows=(n - 1, n), changes=[Change(old, new, vector)], now=""
        )


def write_layers(parts: Parts, key: ArticleKey, number: int, embedder: WordEmbedder | None) -> None:
    """An article, a summary (as the reflection graph files it) and a state that waits, each with a secret."""
    at = "2026-02-21T17:30:00+08:00"
    article = Chapters("", "- 咖啡", f"- 咖啡 tea secret{number}x")
    put_article(
        parts.article_stores.articles,
        key,
        article,
        expected_revision=0,
        sources=["s"],
        now=at,
        forgotten=lambda: False,
    )
    text = f"咖啡 tea secret{number + 1}x"
    summary = Summary(f"summary-{number}", key, text, at, at, at, 5, "rules", True, through="x:0")
    parts.article_stores.summaries.add(summary, forgotten=lambda: False)
    event = events_in(
        key.group_id or None, [text], prefix=f"s{number}", user_id=key.user_id, said_by=key.user_id
    )[0]
    file_events(parts, [event], embedder)
    waits = [(f"w{number}:0", Spoken("user", f"咖啡 tea secret{number + 2}x"))]
    parts.article_stores.buffer.add(key, f"w{number}", waits, entities=[], at=0.0)


def spoken_in(owner: dict[int, tuple[str, Scope, str]]) -> dict[str, set[str]]:
    """The keys of the scopes in which each user has spoken."""
    spoken: dict[str, set[str]] = defaultdict(set)
    for _, scope, _ in owner.values():
        spoken[scope.user_id].add(scope.key)
    return spoken


def own_in_groups(owner: dict[int, tuple[str, Scope, str]], reader: Scope) -> set[int]:
    """What the user of a private chat told in groups: of all that was learnt there the facts that are filed and hold."""
    return {
        number
        for number, (kind, scope, _) in owner.items()
        if (kind, number % 10) in {("event", 0), ("layers", 5)}  # both are filed as facts here
        and (reader.request_type, scope.request_type) == ("private", "group")
        and scope.user_id == reader.user_id
    }


def may_be_read(
    owner: tuple[str, Scope, str], reader: Scope, rule: LayerRule, spoken: dict[str, set[str]]
) -> bool:
    kind, learnt, layer = owner
    if kind == "never":
        return False
    if kind in ("event", "former", "layers"):
        return learnt.key == reader.key
    if kind == "group":
        return reader.request_type == "group" and reader.group_id == learnt.group_id
    return layer in layers_read(
        reader, "user", learnt.user_id, rule, has_spoken=reader.key in spoken[learnt.user_id]
    )


@pytest.fixture(params=["files", "postgres"])
def stores(request: pytest.FixtureRequest, schema: Schema) -> dict[str, Any]:
    """The section `stores` of the settings: of a memory in files, or in a schema."""
    if request.param == "files":
        return {}
    return {"url": server_url(), "schema_name": schema.name, "pool_max": 4}


def stored_in(configured: Settings, stores: dict[str, Any]) -> Settings:
    return configured.model_copy(update={"stores": configured.stores.model_copy(update=stores)})


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["files", "postgres"])
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    places=st.lists(scopes, min_size=2, max_size=6, unique_by=lambda scope: scope.key),
    strangers=st.lists(scopes, max_size=2),
    rule=st.sampled_from(["private_separate", "per_group", "shared"]),
    with_vectors=st.booleans(),
    own_words=st.booleans(),
)
@example(
    places=[
        Scope.private("7"),
        Scope.group("7", "7"),
        Scope.group("8", "7"),
        Scope.group("9", "77"),
    ],
    strangers=[Scope.private("77")],
    rule="private_separate",
    with_vectors=True,
    own_words=True,
)
async def test_no_way_in_reads_another_scope(
    backend: str,
    places: list[Scope],
    strangers: list[Scope],
    rule: LayerRule,
    with_vectors: bool,
    own_words: bool,
) -> None:
    embedder = WordEmbedder() if with_vectors else None
    with tempfile.TemporaryDirectory() as folder:
        query = {"recall_timeout_seconds": 30, "own_words_from_groups": own_words}
        there = (
            {}
            if backend == "files"
            else {"url": server_url(), "schema_name": fresh_schema(), "pool_max": 4}
        )
        configured = stored_in(
            settings_for(Path(folder), profile={"profile_layers": rule}, query=query), there
        )
        async with open_memory(configured, embedder=embedder) as (memory, parts):
            owner = write(parts, places, embedder, rule)
            spoken = spoken_in(owner)
            for reader in [*places, *strangers]:
                answers = await every_way(
                    memory,
                    configured,
                    reader,
                    [scope for scope in places if scope.key != reader.key],
                )
                own_elsewhere = own_in_groups(owner, reader) if own_words else set()
                for way, answer in answers.items():
                    for found in secrets(answer) - own_elsewhere:
                        assert may_be_read(owner[found], reader, rule, spoken), (
                            f"{way}: {owner[found]} is read in {reader}"
                        )
                own = [
                    number
                    for number, (kind, scope, _) in owner.items()
                    if kind == "event" and scope.key == reader.key
                ]
                for way in ("build_context", "search_events", "search tool"):
                    assert set(own) <= secrets(answers[way]), f"{way} misses what {reader} may read"
                    assert len(own_elsewhere & secrets(answers[way])) == min(
                        len(own_elsewhere), 3
                    ), f"{way} and its groups"
                former = {
                    number
                    for number, (kind, scope, _) in owner.items()
                    if kind == "former" and scope.key == reader.key
                }
                for way in ("once", "once, by time", "once, told"):
                    assert former <= secrets(answers[way]), (
                        f"{way} misses what was true in {reader} before"
                    )
                here = sum(scope.key == reader.key for scope in places)
                report = await memory.reprocess(reader, dry_run=True)
                assert report.seen == here * 4, "three events and a summary"
                of_person = [
                    n
                    for n, (kind, scope, who) in owner.items()
                    if kind == "layers" and scope.key == reader.key
                ]
                if owned_here(owner, reader):
                    for way in ("relevant", "relevant, deep", "recall_deeply"):
                        assert {of_person[0], of_person[0] + 1} <= secrets(answers[way]), (
                            f"{way} misses what {reader} may read"
                        )
                        waits = of_person[0] + 2 in secrets(answers[way])
                        assert waits == (way != "relevant"), (
                            "thinking back alone tells what waits to be summarised"
                        )


def owned_here(owner: dict[int, tuple[str, Scope, str]], reader: Scope) -> bool:
    """Return True if summaries or articles learnt in `reader` tell something about its user."""
    return any(
        kind == "layers" and scope.key == reader.key and who == reader.user_id
        for kind, scope, who in owner.values()
    )


async def every_way(
    memory: CognitiveService, configured: Settings, reader: Scope, others: list[Scope]
) -> dict[str, Any]:
    query = "咖啡 tea secret"
    answers: dict[str, Any] = {
        "build_context": await memory.build_context(query, reader, max_tokens=9_000, top_k=500),
        "build_messages": await memory.build_messages(
            [query, "tea"], reader, context=["咖啡"], max_tokens=9_000
        ),
        "search_events": [
            hit.explain() + hit.event.text
            for hit in await memory.search_events(query, reader, top_k=500)
        ],
        "search_profiles": [
            hit.profile for hit in await memory.search_profiles(query, reader, top_k=500)
        ],
    }
    once, times = f"以前 {query}", {"occurs_from": "2020-01-01", "occurs_to": "2030-01-01"}
    answers["once"] = [
        hit.explain() + hit.event.text
        for hit in await memory.search_events(once, reader, top_k=500)
    ]
    answers["once, by time"] = [
        hit.event for hit in await memory.search_events(once, reader, top_k=500, **times)
    ]
    answers["once, told"] = await memory.build_context(once, reader, max_tokens=9_000, top_k=500)
    for way, deep in (("relevant", False), ("relevant, deep", True)):
        answers[way] = await memory.get_relevant_memories(
            query, reader.user_id, reader, deep=deep, max_tokens=9_000
        )
    over = CognitiveRetriever(memory=memory, scope=reader)
    answers["retriever"] = [document.model_dump() for document in await over.ainvoke(query, k=500)]
    for tool in make_memory_tools(memory, reader):
        arguments: dict[str, Any] = (
            {"query": query, "top_k": 500} if tool.name != "get_profile" else {}
        )
        if tool.name in ("recall_deeply", "propose_recall"):
            arguments = {"about": query}
        answers[{"search_events": "search tool"}.get(tool.name, tool.name)] = await tool.ainvoke(
            arguments
        )
    tries: list[Any] = []
    for other in others:
        for kind, entity in (("user", other.user_id), ("group", other.group_id)):
            if entity:
                tries.append(await memory.get_profile(kind, entity, reader))  # type: ignore[arg-type]
        for other_user in {other.user_id, reader.user_id}:
            tries.append(
                await memory.get_relevant_memories(
                    query, other_user, reader, deep=True, max_tokens=9_000
                )
            )
        wider = {
            "query": query,
            "user_id": other.user_id,
            "group_id": other.group_id,
            "scope": other.key,
            "scope_key": other.key,
        }
        tries.append(await handle_memory_call(memory, "search_events", wider, reader))
        tries.append(
            await handle_memory_call(
                memory, "recall_deeply", {"about": query, "user_id": other.user_id}, reader
            )
        )
        tries.append(
            await handle_memory_call(
                memory, "get_profile", {"entity_type": "group", "entity_id": other.group_id}, reader
            )
        )
        tries.append(
            [
                hit.event.text
                for hit in await memory.search_events(query, reader, user_ids=(other.user_id,))
            ]
        )
        tries.append(
            [
                hit.event
                for hit in await memory.search_events(
                    once, reader, user_ids=(other.user_id,), **times
                )
            ]
        )
        if other.group_id and other.group_id != reader.group_id:
            with pytest.raises(InvalidInput):
                await memory.search_events(query, reader, group_id=other.group_id)
        with pytest.raises(InvalidInput):
            await memory.search_events(query, reader, scope_key=other.key)
    answers["asked for others by name"] = tries
    return answers


async def test_a_reader_of_another_process_keeps_to_its_scope(
    tmp_path: Path, stores: dict[str, Any]
) -> None:
    configured = stored_in(settings_for(tmp_path), stores)
    here, there = Scope.group("7", "42"), Scope.private("42")
    async with open_memory(configured) as (_, parts):
        owner = write(parts, [here, there], None, "private_separate")
        reader = MemoryReader(configured, clock=lambda: NOW)
        for scope in (here, there):
            found = secrets([hit.event.text for hit in await reader.search_events("tea", scope)])
            filed = [
                number
                for number, (kind, place, _) in owner.items()
                if place == scope and (kind == "event" or number % 10 == 5)
            ]
            assert found == set(filed), "events, and summaries as events"
    await asyncio.to_thread(reader.close)


def test_the_command_keeps_to_its_scope(tmp_path: Path) -> None:
    configured = settings_for(tmp_path)

    async def fill() -> dict[int, tuple[str, Scope, str]]:
        async with open_memory(configured) as (_, parts):
            return write(
                parts,
                [Scope.group("7", "42"), Scope.private("42"), Scope.group("8", "42")],
                None,
                "private_separate",
            )

    owner = asyncio.run(fill())
    for arguments, reader in (
        (["--group", "7", "--user", "42"], Scope.group("7", "42")),
        (["--user", "42"], Scope.private("42")),
    ):
        for command in ("context", "search"):
            called = historian(
                command,
                "tea",
                *arguments,
                "--json",
                environ={"HISTORIAN__COGNITIVE__DATA_DIR": str(tmp_path)},
            )
            found = secrets(called.out)
            assert found and all(
                may_be_read(owner[number], reader, "private_separate", spoken_in(owner))
                for number in found
            )


async def test_only_an_administrator_in_a_private_chat_searches_everywhere(
    tmp_path: Path, stores: dict[str, Any]
) -> None:
    configured = stored_in(settings_for(tmp_path, query={"admin_user_ids": ["42"]}), stores)
    async with open_memory(configured) as (memory, parts):
        write(
            parts,
            [
                Scope.group("7", "42"),
                Scope.group("8", "43"),
                Scope.private("43"),
                Scope.private("42"),
            ],
            None,
            "shared",
        )
        everything = {0, 10, 20, 30}
        asked = {"query": "tea", "top_k": 50}
        assert everything <= secrets(
            await handle_memory_call(memory, "search_events", asked, Scope.private("42"))
        )
        for scope in (Scope.group("7", "42"), Scope.private("43")):
            assert not is_admin(memory.settings, scope)
            assert (
                len(
                    secrets(await handle_memory_call(memory, "search_events", asked, scope))
                    & everything
                )
                == 1
            )


async def everything_of(memory: CognitiveService, reader: Scope, others: list[str]) -> set[int]:
    """The secrets of the profiles that any way in gives `reader`, who asks for `others` by their ids too."""
    asked = {"query": "咖啡 tea", "top_k": 50}
    answers: list[Any] = [await handle_memory_call(memory, "search_profiles", asked, reader)]
    answers.append(await memory.build_context("咖啡 tea", reader, max_tokens=9_000))
    answers.append(
        [hit.profile for hit in await memory.search_profiles("咖啡 tea", reader, top_k=50)]
    )
    for other in others:
        answers.append(await memory.get_profile("user", other, reader))
        answers.append(
            await handle_memory_call(memory, "get_profile", {"entity_id": other}, reader)
        )
    return {found for found in secrets(answers) if found % 10 == 2}


@pytest.mark.parametrize("rule", ["private_separate", "shared"])
@pytest.mark.parametrize("with_vectors", [False, True])
async def test_the_public_layer_of_a_profile_is_read_where_its_user_has_spoken(
    tmp_path: Path, stores: dict[str, Any], rule: LayerRule, with_vectors: bool
) -> None:
    embedder = WordEmbedder() if with_vectors else None
    configured = settings_for(tmp_path, profile={"profile_layers": rule})
    configured = stored_in(configured, stores)
    async with open_memory(configured, embedder=embedder) as (memory, parts):
        write(
            parts,
            [Scope.group("7", "ann"), Scope.group("8", "ben"), Scope.group("9", "eve")],
            embedder,
            rule,
        )
        both = events_in(
            "8",
            ["Ann and Eve spoke"],
            prefix="sum",
            user_id="",
            speakers=("eve", "dora"),
            source="summary",
        )
        file_events(parts, both, embedder)
        people = ["ann", "ben", "eve"]
        assert await everything_of(memory, Scope.private("stranger"), people) == set(), (
            "a stranger's private chat"
        )
        assert await everything_of(memory, Scope.private("ann"), people) == {2}
        assert await everything_of(memory, Scope.group("7"), people) == {2}
        assert await everything_of(memory, Scope.group("7", "ben"), people) == {2, 12}, (
            "who speaks now"
        )
        assert await everything_of(memory, Scope.group("8"), people) == {12, 22}, (
            "who is told in a summary of several"
        )
        for n, words in enumerate(
            ({"action_summary": "tea"}, {"recent_messages": [], "new_info": ["tea"]})
        ):
            asked = {"request_id": f"late{n}", "group_id": "7", "user_id": "eve", **words}
            parts.queue.put(make_job(asked, parts.settings, parts.clock))
        assert await everything_of(memory, Scope.group("7"), people) == {2, 22}, "whose job waits"


async def test_a_setting_lets_every_conversation_read_the_public_layers(tmp_path: Path) -> None:
    configured = settings_for(tmp_path, profile={"public_layer": "everywhere"})
    async with open_memory(configured) as (memory, parts):
        write(
            parts,
            [Scope.group("7", "ann"), Scope.group("8", "ben"), Scope.private("eve")],
            None,
            "private_separate",
        )
        people = ["ann", "ben", "eve"]
        assert await everything_of(memory, Scope.private("stranger"), people) == {2, 12}, (
            "but no private layer"
        )


@given(
    reader=scopes,
    user=ids,
    group=ids,
    rule=st.sampled_from(["private_separate", "per_group", "shared"]),
)
def test_the_filter_of_profiles_says_what_the_rules_say(
    reader: Scope, user: str, group: str, rule: LayerRule
) -> None:
    where = profile_filter(reader, rule)
    everywhere = profile_filter(reader, rule, "everywhere")
    for layer in ("", "private", reader.key, f"g:{group}", f"p:{user}"):
        for entity in (user, reader.user_id):
            if entity:
                key = ProfileKey("user", entity, layer)
                assert admits(where, key) == (layer in layers_read(reader, "user", entity, rule))
                for admitted in (admits(where, key, has_spoken=True), admits(everywhere, key)):
                    assert admitted == (
                        layer in layers_read(reader, "user", entity, rule, has_spoken=True)
                    )
        for entity in (group, reader.group_id):
            if entity:
                expected = layer in layers_read(reader, "group", entity, rule)
                assert admits(where, ProfileKey("group", entity, layer)) == expected


@given(reader=scopes, user=ids)
def test_no_condition_moves_the_scope_of_a_filter(reader: Scope, user: str) -> None:
    assert (
        event_filter(reader, user_id=user, kind="fact", time_from="2026-01-01").scope_key
        == reader.key
    )
