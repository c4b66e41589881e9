"""Migration of data that former versions stored as files.

    forgetting/{type}-{id}.json        forgetting/{type}-{id}.known/{number}
    {profiles,chapters}/{place}.md      {profiles,chapters}/history/{place}/{revision}-{time}.md
    summaries/{place}.jsonl

The files are documents with earlier revisions in `history/`, summaries as JSON lines, and forget
requests. The texts that were found for a request are in `.known`; an answered request has a
`.report.json`.

The files become rows when the data directory is opened. An interrupted migration is repeated: a
document that has rows is left unchanged, and the former files are deleted after all documents were
stored.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...schema.errors import InvalidInput
from ...schema.forgetting import ForgetRequest
from ...schema.profile import Profile, ProfileKey, ProfileLine, bounded_evidence
from ...schema.scope import PRIVATE_LAYER, PUBLIC_LAYER
from ...schema.summary import ArticleKey
from ..files.durable import (
    bytes_of,
    explaining,
    names_in,
    remove_durably,
    remove_folder,
    write_atomically,
)
from ..files.mirrors import SUFFIX, front_matter_of, key_of_file, places_below
from ..files.naming import ARTICLES
from ..files.summary_lines import json_object, parse_line
from ..tables.documents import DocumentTable
from ..tables.engine import Database
from ..tables.forget_requests import ForgetRequestTable
from ..tables.ledger import note_applied
from ..tables.summaries import SummaryStorage
from .documents import MirroredDocuments

log = logging.getLogger(__name__)

HISTORY = "history"
FORGETTING = "forgetting"
_REPORT = ".report.json"
_SNAPSHOT = re.compile(r"(?P<revision>[0-9]{1,9})-.*\.md")
_LINES = ".jsonl"
_DAMAGED = "summaries.damaged.jsonl"
_OF_DOCUMENTS = (
    "entity_key LIKE 'user:%%' OR entity_key LIKE 'group:%%' OR entity_key LIKE 'article:%%'"
)


class _Fact(NamedTuple):
    """A fact of the index, with its owner and its time."""

    event_id: str
    user_id: str
    group_id: str
    request_type: str
    timestamp_local: str

    def is_of(self, key: ProfileKey) -> bool:
        """Return True if the fact may be evidence of a line of this profile."""
        if key.entity_type == "group":
            return self.group_id == key.entity_id
        is_private = self.request_type == "private"
        layers = (
            (PRIVATE_LAYER, PUBLIC_LAYER) if is_private else (PUBLIC_LAYER, f"g:{self.group_id}")
        )
        return self.user_id == key.entity_id and key.layer in layers


def take_over(
    directory: Path,
    index: Database,
    documents: Database,
    stores: Mapping[str, MirroredDocuments[Any, Any]],
    summaries: SummaryStorage,
    requests: ForgetRequestTable,
) -> None:
    """Convert the files of former versions in a data directory to rows.

    `stores` maps the names of folders to their stores. Raises StorageError.
    """
    if found := index.rows(
        f"SELECT entity_key, job_id FROM ledger WHERE {_OF_DOCUMENTS}".replace("%%", "%")
    ):
        with documents.writing() as transaction:
            for entity_key, job_id in found:
                note_applied(transaction, entity_key, [job_id])
        index.run(f"DELETE FROM ledger WHERE {_OF_DOCUMENTS}".replace("%%", "%"))
    for name, store in stores.items():
        if (directory / name / HISTORY).is_dir():
            _take_documents(directory / name, store, documents, index)
    if (directory / "summaries").is_dir():
        _take_summaries(directory, summaries)
    if (directory / FORGETTING).is_dir():
        _take_requests(directory / FORGETTING, requests)


def _facts(index: Database) -> dict[str, list[_Fact]]:
    """Return the facts among the events by text, oldest first."""
    found: dict[str, list[_Fact]] = {}
    columns = "event_id, user_id, group_id, request_type, timestamp_local"
    query = f"SELECT text, {columns} FROM events WHERE kind = 'fact' ORDER BY timestamp, event_id"
    for text, *values in index.rows(query):
        found.setdefault(text, []).append(_Fact(*values))
    return found


def _with_evidence(profile: Profile, facts: Mapping[str, list[_Fact]]) -> Profile:
    """Return a profile with the facts of the same text as evidence of its lines.

    Former versions stored no evidence.
    """

    def with_its(line: ProfileLine) -> ProfileLine:
        its = [
            one for one in facts.get(line.text, ()) if not line.evidence and one.is_of(profile.key)
        ]
        if not its:
            return line
        days = [one.timestamp_local[: len("2026-03-02")] for one in its]
        evidence = bounded_evidence(one.event_id for one in its)
        return replace(line, told=len(its), first_day=days[0], last_day=days[-1], evidence=evidence)

    return replace(profile, lines=tuple(map(with_its, profile.lines)))


def _take_documents(
    folder: Path, store: MirroredDocuments[Any, Any], documents: Database, index: Database
) -> None:
    facts = _facts(index)
    naming, history = store.naming, folder / HISTORY
    log.warning(
        "the documents in %s are moved into %s; this is done only once", folder, documents.name
    )
    places = {place for place, _ in places_below(folder, naming.folders, SUFFIX)}
    places |= {
        inside + name
        for inside in naming.folders
        for name in names_in(history / inside)
        if name[0] != "."
    }
    for place in sorted(places - {"users", "groups", HISTORY}):
        snapshots = [history / place / name for name in names_in(history / place)]
        for path in (folder / f"{place}{SUFFIX}", *snapshots[-1:]):
            if (key := key_of_file(naming, path, place, front_matter_of)) is not None:
                _take_document(store, key, folder / f"{place}{SUFFIX}", snapshots, facts)
                break
    with documents.writing():
        pass  # waits for the disk: rows must be durable before the files are deleted
    for gone in (history, folder / ".locks"):
        with explaining("remove", gone), suppress(FileNotFoundError):
            shutil.rmtree(gone)


def _take_document(
    store: MirroredDocuments[Any, Any],
    key: Any,
    path: Path,
    snapshots: list[Path],
    facts: Mapping[str, list[_Fact]],
) -> None:
    form, aside = store.form, path
    revisions: dict[int, Any] = {}
    numbers = [(match, one) for one in snapshots if (match := _SNAPSHOT.fullmatch(one.name))]
    for match, snapshot in sorted(numbers, key=lambda pair: int(pair[0]["revision"])):
        with suppress(InvalidInput):
            number = int(match["revision"])
            revisions[number] = form.parse(bytes_of(snapshot) or b"", key, partial(int, number))
    following = max(revisions, default=0) + 1
    if (data := bytes_of(path)) is None:  # deleted by hand
        if revisions:
            deleted_at = revisions[following - 1].updated_at
            revisions[following] = form.revised(form.empty(key), following, deleted_at, "edit")
    else:
        try:
            current = form.parse(data, key, lambda: following)
            revisions = {n: one for n, one in revisions.items() if n < current.revision} | {
                current.revision: current
            }
        except InvalidInput as error:
            aside = path.parents[1] / f"{path.parent.name}-{path.stem}.damaged{SUFFIX}"
            log.warning(
                "%s: %s The newest readable revision is used instead; it is kept as %s",
                path,
                error,
                aside,
            )
    if revisions:
        newest = revisions[max(revisions)]
        if isinstance(newest, Profile):
            revisions[newest.revision] = _with_evidence(newest, facts)
        DocumentTable.restore(store, [revisions[n] for n in sorted(revisions)], durable=False)
    if aside != path:  # last: otherwise the document would count as deleted if this is repeated
        path.replace(aside)


def _take_summaries(directory: Path, summaries: SummaryStorage) -> None:
    folder = directory / "summaries"
    for place, path in places_below(folder, ARTICLES.folders, _LINES):
        lines = [
            line
            for line in (bytes_of(path) or b"").decode("utf-8", errors="replace").split("\n")
            if line.strip()
        ]
        key = key_of_file(ARTICLES, path, place, partial(_named, lines))
        told = [None if key is None else parse_line(line, key) for line in lines]
        if spoilt := [line for line, one in zip(lines, told, strict=True) if one is None]:
            log.warning(
                "%s: %d lines are not summaries; they are kept in %s", path, len(spoilt), _DAMAGED
            )
            kept = (
                (bytes_of(directory / _DAMAGED) or b"")
                .decode("utf-8", errors="replace")
                .splitlines()
            )
            write_atomically(
                directory / _DAMAGED,
                "".join(f"{line}\n" for line in dict.fromkeys((*kept, *spoilt))).encode(),
            )
        if key is not None:
            summaries.restore([one for one in told if one is not None])
        remove_durably(path)
    for left in (folder / ".locks", folder):
        with suppress(OSError):  # the folder contains other files
            shutil.rmtree(left) if left != folder else folder.rmdir()


def _named(lines: list[str], _: bytes) -> Mapping[str, object]:
    return next(
        (
            one
            for one in map(json_object, lines)
            if ArticleKey.parse(one.get("user_id"), one.get("scope"))
        ),
        {},
    )


def _take_requests(folder: Path, requests: ForgetRequestTable) -> None:
    """Store the unanswered forget requests.

    If another request for the same entity is already a row, the two are merged, and the work starts
    again at the stage `waiting`.
    """
    names = names_in(folder)
    stored = {one.entity: one for one in requests.all()}
    for name in names:
        if name.endswith(_REPORT) or not name.endswith(".json") or name[0] == ".":
            continue
        path, known = folder / name, folder / f"{name.removesuffix('.json')}.known"
        files = [known / one for one in names_in(known) if one[0] != "."]
        if f"{path.stem}{_REPORT}" not in names and (data := bytes_of(path)) is not None:
            try:
                found = [json.loads(bytes_of(one) or b"{}") for one in files]
                request = ForgetRequest.from_dict(json.loads(data)).with_known(found)
            except ValueError as error:
                log.error(
                    "%s is not a valid request to forget an entity (%s); remove it and ask again",
                    path,
                    error,
                )
                continue
            if request.entity not in stored:
                requests.ask(request)
            elif not request.is_same_request(stored[request.entity]):
                requests.ask(replace(request, stage="waiting", last_rows=()))
        for one in (*files, path):
            remove_durably(one)
        remove_folder(known)
    for name in names:
        if name.endswith(_REPORT) or name[0] == ".":
            remove_durably(folder / name)
    with suppress(OSError):  # the folder contains other files
        folder.rmdir()
