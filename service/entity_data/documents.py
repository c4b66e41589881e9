"""Profiles and articles, with their revisions.

For a group, its profiles include the layers of user profiles that belong to the group. For a user
they include lines of other profiles whose evidence comes from this user alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.event import EventFilter
from ...schema.ids import encode_id
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...schema.scope import Scope
from ...schema.summary import Article, ArticleKey, Restored
from ...stores.files.archive import ArchiveReader, ArchiveWriter
from ...stores.files.articles import ARTICLE_FORMAT
from ...stores.files.forms import Document, Format
from ...stores.files.naming import ARTICLES, PROFILES, Key, Naming
from ...stores.files.profiles import PROFILE_FORMAT
from ...stores.tables.documents import DocumentTable
from ...stores.tables.profiles import ProfileStorage
from ...text.profiles.made_of import made_of
from ..intake import redacted_in_turn
from ..timezones import iso_of
from .kinds import Kind, Record, Traces, checked, redact_time, redacted_in


class Documents(Kind[list[Document]], Generic[Key, Document]):
    """A kind that is written into an archive as Markdown files, one per revision. The keys are in
    the manifest.

    A value is the list of revisions of one key, oldest first.
    """

    naming: Naming[Key]
    form: Format[Key, Document]
    store: DocumentTable[Key, Document]

    def stored(self, entity: Entity | None) -> Iterator[list[Document]]:
        for key in self.store.keys():  # noqa: SIM118 - a store, not a dictionary
            is_wanted = entity is None or self.naming.is_of(self.naming.place(key), entity)
            if is_wanted and (value := self.store.kept(key)[::-1]):
                yield value

    def lines(self, value: list[Document]) -> tuple[str, ...]:
        """Return the distinct lines of all revisions, the newest revision first."""
        lines = (line for one in value[::-1] for line in self.form.lines(one))
        return tuple(dict.fromkeys(lines))

    def redact(self, value: list[Document]) -> list[Document]:
        every: list[Any] = value
        clean = [redacted_in(one, self.level, self.redacted) for one in every]
        return [replace(one, updated_at=redact_time(one.updated_at)) for one in clean]

    def restore(self, values: Sequence[list[Document]]) -> Sequence[Restored]:
        return [self.store.restore(revisions) for revisions in values]

    def write(self, archive: ArchiveWriter, entity: Entity) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        for value in self.values(entity):
            key = self.form.key(value[0])
            for document in value if entity.key in key.entities else ():
                _, owner, _ = self.naming.row(key)
                member = f"{self.path}/{len(entries):04d}-{encode_id(owner)}-{document.revision}.md"
                archive.text(member, self.form.render(document))
                entries.append(
                    {"member": member, **self.naming.fields(key), "revision": document.revision}
                )
        return entries

    def read(self, archive: ArchiveReader, path: Path) -> Iterator[list[Document]]:
        where, found = f"{path}: {self.name}", dict[Key, list[Mapping[str, Any]]]()
        entries = archive.manifest.get(self.name, [])
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            raise InvalidInput(f"{where}: expected a list of objects in the manifest")
        for entry in entries:
            with checked(where):
                found.setdefault(self.naming.of_fields(entry), []).append(entry)
        for key, some in found.items():
            with checked(where):
                revisions = [self._parsed(archive, key, entry) for entry in some]
            yield sorted(revisions, key=lambda one: one.revision)

    def _parsed(self, archive: ArchiveReader, key: Key, entry: Mapping[str, Any]) -> Document:
        revision = entry["revision"]
        if type(revision) is not int:
            raise InvalidInput(f"revision: expected a whole number, got {type(revision).__name__}")
        return self.form.parse(archive.text(str(entry["member"])).encode(), key, lambda: revision)


class ArticleRecords(Documents[ArticleKey, Article]):
    kind = "articles and summaries"
    name, path = "articles", "layers/articles"
    naming, form = ARTICLES, ARTICLE_FORMAT
    redacted = "sources chapters.tags"

    def record(self, value: list[Article]) -> Record:
        key = value[0].key
        return Record(str(key), key.entities, self.lines(value), key.scope.key)

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        for key in self.store.keys():  # noqa: SIM118 - a store, not a dictionary
            if lines := unwanted.get(str(key)):
                now = iso_of(self.parts.clock())
                self.store.without_lines(key, lines.__contains__, now=now)

    def redact(self, value: list[Article]) -> list[Article]:
        return [
            one.with_chapters({name: self._redacted(lines) for name, lines in one.chapters.items()})
            for one in super().redact(value)
        ]

    def _redacted(self, lines: Sequence[ProfileLine]) -> list[ProfileLine]:
        """Redact the lines of a chapter together: a secret, such as a private key, may span several
        lines. Leave out the lines of which nothing is left."""
        texts = redacted_in_turn([line.text for line in lines], self.level)
        return [replace(line, text=text) for line, text in zip(lines, texts, strict=True) if text]


class ProfileRecords(Documents[ProfileKey, Profile]):
    """Profiles with their revisions, and their index."""

    kind = name = path = "profiles"
    naming, form = PROFILES, PROFILE_FORMAT
    redacted = "name tags source_event_id lines.text lines.tags"
    store: ProfileStorage

    def record(self, value: list[Profile]) -> Record:
        key, texts = value[0].key, [line.text for one in value for line in one.lines]
        group = [f"group:{key.layer.removeprefix('g:')}"] if key.layer.startswith("g:") else []
        scope = Scope.group(key.entity_id).key if key.entity_type == "group" else ""
        borne = tuple(dict.fromkeys((key.entity, one.name) for one in value[::-1]))
        return Record(
            key.index_id,
            [key.entity, *group],
            tuple(dict.fromkeys(texts)),
            scope,
            lines=self.lines(value),
            borne=borne,
        )

    def may_hold(self, entity: Entity, record: Record) -> bool:
        return entity.key == record.entities[0]  # the layers of a group are in no archive of it

    def records(self, traces: Traces | None = None) -> Iterator[Record]:
        for record in super().records(traces):
            # Others are known by their names of today alone.
            yield record._replace(borne=record.borne[:1]) if traces is None else record
        for key, without in self._of_others(traces) if traces is not None else ():
            kept = self.store.kept(key)
            left = {line for one in kept for line in self.form.lines(without(one))}
            if gone := {line for one in kept for line in self.form.lines(one)} - left:
                yield Record(key.index_id, texts=tuple(sorted(gone)))

    def erase(self, traces: Traces) -> int:
        self.backend.erasure.erase_profiles(traces.entity)
        removed = self.store.erase(traces.entity)
        now = iso_of(self.parts.clock())
        for key, without in self._of_others(traces):
            if revised := self.store.revise(key, without, now=now, cause="forget"):
                self.backend.profile_index.put(revised, None)
                removed += 1
        return removed

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        now = iso_of(self.parts.clock())
        for key, lines in ((ProfileKey.of_index_id(one), lines) for one, lines in unwanted.items()):
            self.store.without_lines(key, lines.__contains__, now=now)
            if profile := self.store.read(key):
                self.backend.profile_index.put(profile, None)

    def restore(self, values: Sequence[list[Profile]]) -> Sequence[Restored]:
        results = super().restore(values)
        for revisions, result in zip(values, results, strict=True):
            if result == "restored":
                self.backend.profile_index.put(revisions[-1], None)
        return results

    def _of_others(
        self, traces: Traces
    ) -> Iterator[tuple[ProfileKey, Callable[[Profile], Profile]]]:
        """Yield the keys of the profiles of all others, each with the function that removes the
        statements of a user from a revision. Yield nothing for a group, or for a user without
        texts."""
        for key in self.store.keys() if traces.texts and traces.entity.type == "user" else ():
            if key.entity != traces.entity.key:
                yield key, partial(_without, traces, self._repeated(key, traces))

    def _repeated(self, key: ProfileKey, traces: Traces) -> set[str]:
        """Return the tags and the handwritten lines of a group's profile that repeat a text of the
        user, and such lines that are made of one, unless an event of another person in that group
        has the same text."""
        if key.entity_type != "group":
            return set()
        kept = self.store.kept(key)
        plain = {line.text for one in kept for line in one.lines if not line.evidence}
        found = plain.union(*(one.tags for one in kept)) & traces.texts
        found |= made_of(plain, traces.texts)
        scope, user_id = Scope.group(key.entity_id).key, traces.entity.id
        for event, *_ in self.backend.transfer.take(EventFilter(scope)) if found else ():
            if user_id not in (event.user_id, *event.speakers):
                found.discard(event.text.strip())
        return found


def line_without(line: ProfileLine, traces: Traces) -> ProfileLine | None:
    """Return a line of another profile without the evidence from the person's jobs.

    Return None if this is all the evidence of the line. A line that the person said (`said_by`) is
    returned without its speaker if a part of the evidence is left; otherwise return None.
    """
    left = tuple(one for one in line.evidence if one.rpartition(":")[0] not in traces.job_ids)
    is_said = line.said_by == traces.entity.id
    if (not left and (line.evidence or is_said)) or (is_said and left == line.evidence):
        return None
    return replace(line, evidence=left, said_by="" if is_said else line.said_by)


def _without(traces: Traces, repeated: Collection[str], profile: Profile) -> Profile:
    lines = (line for line in profile.lines if line.evidence or line.text not in repeated)
    left = tuple(one for line in lines if (one := line_without(line, traces)))
    tags = tuple(tag for tag in profile.tags if tag not in repeated)
    return replace(profile, lines=left, tags=tags)
