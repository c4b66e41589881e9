"""Detection of mentions of an entity in the records of others.

A record mentions the entity by its id, or by a name that nobody else in the conversation bears. An
event may store which people its words name. Words that it assigns to another person do not count as
a name of the entity in that event.

A statement of another person about themselves is no mention, even if the entity said the same. In a
record of several lines (a profile, an article), a line that repeats the text of an event counts as
a mention exactly if the event does.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ...schema.entity import Entity
from ...schema.job import without_list_mark
from ...text.borders import whole_word
from ...text.speakers.borne_names import is_a_time, is_a_word
from .kinds import Record

_LONG_ID = 5
"""Shorter ids count only with a marker (`@42`, `user:42`, `qq=42`, `user 42`): without a marker any
number 42 would match."""
_SHORTEST_NAME = 2


class FoundMention(NamedTuple):
    """A text that mentions the entity, with kind and id of its record (see `Kind`)."""

    kind: str
    id: str
    text: str


class _Candidate(NamedTuple):
    """A record that may mention the entity. `texts` are all texts of an event; of other records,
    only the texts that may mention the entity."""

    kind: str
    record: Record
    texts: tuple[str, ...]


class Mentions:
    """Finds texts about an entity. First call `collect` with all records, events before other kinds;
    then `found` returns the mentions."""

    def __init__(
        self, entity: Entity, names: Iterable[str], texts: Iterable[str], kept: Collection[str] = ()
    ) -> None:
        """`texts` are the texts of the entity. `kept` are digests of texts that mention the entity,
        stored while its names were still known."""
        self._entity = entity.key
        # Texts from a group may be repeated in the profiles of its members. Texts of a person are
        # in no profile of others.
        self._gone = frozenset(map(_bare, texts)) if entity.type == "group" else frozenset()
        self._names = [
            one for one in sorted(names) if len(one) >= _SHORTEST_NAME and not is_a_word(one)
        ]
        self._of_time = {one for one in self._names if is_a_time(one)}
        """Names that are also words for a time (May). They count only at the beginning of a
        text."""
        self._kept = frozenset(kept)
        self._by_id = re.compile(
            "|".join(
                (
                    _of_id(entity.id),
                    *(rf"{_of_name(one)} ?\({re.escape(entity.id)}\)" for one in names),
                )
            )
        )
        self._by_name = re.compile("|".join(map(_of_name, self._names)) or "(?!)")
        self._borne: dict[str, set[str]] = defaultdict(set)
        self._spoken: dict[str, set[str]] = defaultdict(set)
        self._candidates: list[_Candidate] = []
        self._texts_of_events: set[str] = set()

    def collect(self, kind: str, records: Iterable[Record]) -> None:
        """Collect the names borne in each conversation, and the records that may mention the
        entity."""
        for record in records:
            for whose, name in record.borne:
                if whose != self._entity:
                    self._spoken[whose].add(record.scope)
                    if any(one.casefold() in name.casefold() for one in self._names):
                        self._borne[record.scope].add(name)
            texts = record.searched
            if record.is_event:
                if self._is_noted(record) or any(
                    self._may(text) or text in self._gone for text in texts
                ):
                    self._candidates.append(_Candidate(kind, record, texts))
                    self._texts_of_events.update(texts)
            elif some := tuple(
                text for text in texts if self._may(text) or self._rests_on_events(text)
            ):
                self._candidates.append(_Candidate(kind, record, some))

    def found(self) -> list[FoundMention]:
        """Return the mentions of the entity: one per event, with its first text, and one per
        matching text of other records."""
        found: list[FoundMention] = []
        stays: set[tuple[str, str]] = set()
        goes: set[tuple[str, str]] = set()
        for kind, record, texts in self._candidates:
            if record.is_event:
                elsewhere = {words for whose, words in record.named if whose != self._entity}
                is_mention = self._is_noted(record) or any(
                    self._is_about(text, [record.scope], elsewhere) for text in texts
                )
                (goes if is_mention else stays).add((record.scope, texts[0]))
                found += [FoundMention(kind, record.id, texts[0])] if is_mention else []
                continue
            scopes = (
                [record.scope]
                if record.scope
                else sorted({one for who, _ in record.borne for one in self._spoken[who]})
            )
            for text in texts:
                told = {(scope, _bare(text)) for scope in scopes}
                if told.isdisjoint(stays) and (
                    told & goes or _bare(text) in self._gone or self._is_about(text, scopes)
                ):
                    found.append(FoundMention(kind, record.id, text))
        return found

    def _is_noted(self, record: Record) -> bool:
        return any(whose == self._entity for whose, _ in record.named)

    def _may(self, text: str) -> bool:
        """Return True if a text holds the id or a name of the entity, or has a stored digest.

        Whether another person of the conversation bears the name is checked later, in `found`.
        """
        by_id = self._by_id.search(text) is not None
        return (
            by_id
            or self._by_name.search(text) is not None
            or (bool(self._kept) and digest(text) in self._kept)
        )

    def _rests_on_events(self, line: str) -> bool:
        return (bare := _bare(line)) in self._texts_of_events or bare in self._gone

    def _is_about(self, text: str, scopes: Sequence[str], elsewhere: Collection[str] = ()) -> bool:
        """Return True if a text names the entity. `elsewhere` are words of the text that name other
        people."""
        if self._by_id.search(text) or (self._kept and digest(text) in self._kept):
            return True
        others = {name for scope in scopes for name in self._borne[scope]}.union(elsewhere)
        folded = {name.casefold() for name in others}
        own = [name for name in self._names if name.casefold() not in folded]
        # Longer names of others ("Ann Lee") are matched first, so that a shorter name inside them
        # ("Ann") is not matched.
        longer = sorted(others, key=len, reverse=True)
        pattern = "|".join(
            (
                *map(_of_name, longer),
                *(f"(?P<own{n}>{_of_name(name)})" for n, name in enumerate(own)),
            )
        )
        named = [match for match in re.finditer(pattern, text) if match.lastgroup] if own else []
        return any(
            match.group() not in self._of_time or _bare(text).startswith(match.group())
            for match in named
        )


def digest(text: str) -> str:
    """Return a digest by which a text can be recognised later without storing the text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _bare(line: str) -> str:
    return without_list_mark(line.strip()).strip()


def _of_id(entity_id: str) -> str:
    escaped = re.escape(entity_id)
    if len(entity_id) >= _LONG_ID:
        return rf"(?<![0-9A-Za-z]){escaped}(?![0-9A-Za-z])"
    return rf"(?:@[!&]?|\b(?:user|group|qq)[:= ]|(?:用户|群) ?){escaped}(?![0-9A-Za-z])"


def _of_name(name: str) -> str:
    return whole_word(name)
