"""What the two layers keep of a person or a group as members of an archive, and back.

    layers/summaries.jsonl   dated summaries as in the data directory, the promoted ones among them
    layers/buffered.jsonl    states that wait: {"entry_id", "user_id", "scope", "role", "text", "name", "at"}
    layers/articles/…        Markdown as in the data directory, earlier revisions too; the manifest says whose they are

Archives of earlier versions hold none of this.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from ...schema.article import Spoken
from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.ids import encode_id
from ...schema.job import check_timestamp, clean_text
from ...schema.summary import ArticleKey, BufferedState, StoredArticle, Summary
from ...stores.files.archive import ArchiveReader, ArchiveWriter
from ...stores.files.articles import ARTICLE_FORMAT
from ...stores.files.summaries import as_line, parse_line
from ...stores.sqlite.state_buffer import ROLES, job_of_entry, spoken_tokens
from ..components import Parts

SUMMARIES, BUFFERED, ARTICLES = "layers/summaries.jsonl", "layers/buffered.jsonl", "layers/articles"
_ALL_TOKENS = 10**12


@dataclass
class CarriedLayers:
    """What an archive holds of the two layers, by whose it is; articles with their revisions, the oldest first."""

    articles: dict[ArticleKey, list[StoredArticle]] = field(default_factory=dict)
    summaries: dict[ArticleKey, list[Summary]] = field(default_factory=dict)
    states: dict[ArticleKey, list[BufferedState]] = field(default_factory=dict)


def write_layers(parts: Parts, entity: Entity, archive: ArchiveWriter) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """Write the members; returns how much that was, and what the manifest says of the articles. Raises StorageError."""
    layers = parts.layers
    counts = {
        "dated_summaries": archive.lines(
            SUMMARIES,
            (json.loads(as_line(one)) for key in _of(entity, layers.summaries.keys) for one in layers.summaries.read(key)),
        ),
        "buffered_states": archive.lines(
            BUFFERED,
            (_as_data(key, one) for key in _of(entity, layers.buffer.keys) for one in layers.buffer.oldest(key, _ALL_TOKENS)),
        ),
    }
    entries: list[dict[str, Any]] = []
    for key in _of(entity, layers.articles.keys):
        for stored in sorted(layers.articles.kept(key), key=lambda one: one.revision):
            name = f"{ARTICLES}/{len(entries):04d}-{encode_id(key.user_id)}-{stored.revision}.md"
            archive.text(name, ARTICLE_FORMAT.render(stored))
            entries.append({"member": name, "user_id": key.user_id, "scope": key.scope.key, "revision": stored.revision})
    return counts, entries


def read_layers_of(archive: ArchiveReader, path: Path) -> CarriedLayers:
    """What the archive holds, all of it checked. Raises InvalidInput that names the member and the line."""
    carried = CarriedLayers()
    for number, value in archive.lines(SUMMARIES):
        where = f"{path}: {SUMMARIES}, line {number}"
        summary = _summary(value, where)
        carried.summaries.setdefault(summary.key, []).append(summary)
    for number, value in archive.lines(BUFFERED):
        where = f"{path}: {BUFFERED}, line {number}"
        key = _key(value, where)
        carried.states.setdefault(key, []).append(_state(value, where))
    for entry in archive.manifest.get("articles", []):
        where = f"{path}: articles"
        try:
            key = _key(entry, where)
            stored = ARTICLE_FORMAT.parse(archive.text(str(entry["member"])).encode(), key, partial(int, entry["revision"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"{where}: {error}") from None
        carried.articles.setdefault(key, []).append(stored)
    for revisions in carried.articles.values():
        revisions.sort(key=lambda one: one.revision)
    return carried


def forgotten_of_layers(parts: Parts, carried: CarriedLayers) -> set[str]:
    """The keys (`user:42`, `job x-0`) by which anything of it was forgotten here. An article has no time: any is too late."""
    buried = {value for kind, value, _ in parts.erasure.buried() if kind == "entity"}
    found = {entity for key in carried.articles for entity in _entities(key) if entity in buried}
    for key, summaries in carried.summaries.items():
        for summary in summaries:
            at = datetime.fromisoformat(summary.until).timestamp()
            found |= {entity for entity in _entities(key) if parts.erasure.is_buried(summary.id, [entity], at)}
    for key, states in carried.states.items():
        for state in states:
            at = datetime.fromisoformat(state.spoken.at).timestamp() if state.spoken.at else 0.0
            found |= {entity for entity in _entities(key) if parts.erasure.is_buried("", [entity], at)}
            job_id = job_of_entry(state.entry_id)
            found |= {f"job {job_id}"} if parts.erasure.is_buried(job_id, [], at) else set()
    return found


def bring_layers(parts: Parts, carried: CarriedLayers) -> dict[str, Counter[str]]:
    """Bring back what is not there: how many of each were "restored", are there ("same"), or are there with other content."""
    layers = parts.layers
    results: dict[str, Counter[str]] = {"articles": Counter(), "dated_summaries": Counter(), "buffered_states": Counter()}
    for revisions in carried.articles.values():
        results["articles"][layers.articles.restore(revisions)] += 1
    for key, summaries in carried.summaries.items():
        results["dated_summaries"].update(layers.summaries.restore(key, summaries))
    for key, states in carried.states.items():
        results["buffered_states"].update(layers.buffer.restore(key, states))
    return results


def _of(entity: Entity, keys: Callable[[], list[ArticleKey]]) -> Iterator[ArticleKey]:
    return (key for key in keys() if entity.spoke(key.user_id, key.group_id))


def _entities(key: ArticleKey) -> list[str]:
    return [f"user:{key.user_id}", *([f"group:{key.group_id}"] if key.group_id else [])]


def _as_data(key: ArticleKey, state: BufferedState) -> dict[str, Any]:
    spoken = state.spoken
    whose = {"entry_id": state.entry_id, "user_id": key.user_id, "scope": key.scope.key}
    return {**whose, "role": spoken.role, "text": spoken.text, "name": spoken.name, "at": spoken.at}


def _key(value: dict[str, Any], where: str) -> ArticleKey:
    key = ArticleKey.parse(value.get("user_id"), value.get("scope"))
    if key is None or key.scope.key != value.get("scope"):
        whose = f"user_id {value.get('user_id')!r:.80} and scope {value.get('scope')!r:.80}"
        raise InvalidInput(f"{where}: {whose} name nobody's memory; expected an id with its private chat, or with a group")
    return key


def _summary(value: dict[str, Any], where: str) -> Summary:
    summary = parse_line(json.dumps(value), _key(value, where))
    if summary is None:
        raise InvalidInput(f"{where}: no dated summary; expected id, text, from, until, created_at, through and tokens")
    try:
        for moment in (summary.since, summary.until, summary.created_at):
            check_timestamp(moment)
        as_line(summary).encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{where}: holds half of a character, which cannot be stored") from None
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    return summary


def _state(value: dict[str, Any], where: str) -> BufferedState:
    words = {name: value.get(name) for name in ("entry_id", "text", "name", "at")}
    role = ROLES.get(str(value.get("role")))
    if role is None or not all(isinstance(word, str) for word in words.values()) or not job_of_entry(str(words["entry_id"])):
        raise InvalidInput(f"{where}: no buffered state; expected entry_id (job:number), role, text, name and at")
    try:
        at = check_timestamp(str(words["at"])) if words["at"] else ""
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    spoken = Spoken(role, clean_text(str(words["text"])), clean_text(str(words["name"])), at)
    return BufferedState(str(words["entry_id"]), spoken, spoken_tokens(spoken))
