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
        bare = filter(None, map(_bare, texts))
        self._forgotten_texts = frozenset(bare if entity.type == "group" else ())
        self._names = [
            one for one in sorted(names) if len(one) >= _SHORTEST_NAME and not is_a_word(one)
        ]
        self._time_words = {one for one in self._names if is_a_time(one)}
        """Names that are also words for a time (May). They count only at the beginning of a
        text."""
        self._kept = frozenset(kept)
        self._by_id = re.compile(
            "|".join(
                (
                    _id_pattern(entity.id),
                    *(rf"{whole_word(one)} ?\({re.escape(entity.id)}\)" for one in names),
                )
            )
        )
        self._by_name = re.compile("|".join(map(whole_word, self._names)) or "(?!)")
        self._names_of_others: dict[str, set[str]] = defaultdict(set)
        self._scopes_by_speaker: dict[str, set[str]] = defaultdict(set)
        self._candidates: list[_Candidate] = []
        self._repeated = set(self._forgotten_texts)
        """Texts of forgotten and possible events. A line that repeats one may be a mention too."""

    def collect(self, kind: str, records: Iterable[Record]) -> None:
        """Collect the names borne in each conversation, and the records that may mention the
        entity."""
        for record in records:
            for whose, name in record.borne:
                if whose != self._entity:
                    self._scopes_by_speaker[whose].add(record.scope)
                    if any(one.casefold() in name.casefold() for one in self._names):
                        self._names_of_others[record.scope].add(name)
            repeated = self._forgotten_texts if record.is_event else self._repeated
            some = tuple(
                text
                for text in record.searched
                if self._may_mention(text) or _bare(text) in repeated
            )
            if record.is_event and (some or self._names_entity(record)):
                some = record.searched
                self._repeated.update(filter(None, some))
            if some:
                self._candidates.append(_Candidate(kind, record, some))

    def found(self) -> list[FoundMention]:
        """Return the mentions of the entity: one per event, with its first text, and one per
        matching text of other records."""
        found: list[FoundMention] = []
        kept_texts: set[tuple[str, str]] = set()
        mention_texts: set[tuple[str, str]] = set()
        for kind, record, texts in self._candidates:
            if record.is_event:
                others = {words for whose, words in record.named if whose != self._entity}
                about = (self._is_about(text, [record.scope], others) for text in texts)
                is_mention = self._names_entity(record) or any(about)
                (mention_texts if is_mention else kept_texts).add((record.scope, texts[0]))
                found += [FoundMention(kind, record.id, texts[0])] if is_mention else []
                continue
            speakers = (whose for whose, _ in record.borne)
            scopes = [record.scope] if record.scope else self._scopes_of(speakers)
            for text in texts:
                places = {(scope, _bare(text)) for scope in scopes}
                if places.isdisjoint(kept_texts) and (
                    places & mention_texts
                    or _bare(text) in self._forgotten_texts
                    or self._is_about(text, scopes)
                ):
                    found.append(FoundMention(kind, record.id, text))
        return found

    def _scopes_of(self, speakers: Iterable[str]) -> list[str]:
        return sorted({scope for one in speakers for scope in self._scopes_by_speaker[one]})

    def _names_entity(self, record: Record) -> bool:
        return any(whose == self._entity for whose, _ in record.named)

    def _may_mention(self, text: str) -> bool:
        """Return True if a text holds the id or a name of the entity, or has a stored digest.

        Whether another person of the conversation bears the name is checked later, in `found`.
        """
        return bool(self._by_id.search(text) or self._by_name.search(text) or self._is_kept(text))

    def _is_kept(self, text: str) -> bool:
        """Return True if a text has a stored digest. Former versions stored lines of articles with
        their list mark."""
        return bool(self._kept) and not self._kept.isdisjoint((digest(text), digest(f"- {text}")))

    def _is_about(self, text: str, scopes: Sequence[str], elsewhere: Collection[str] = ()) -> bool:
        """Return True if a text names the entity. `elsewhere` are words of the text that name other
        people."""
        if self._by_id.search(text) or self._is_kept(text):
            return True
        others = {name for scope in scopes for name in self._names_of_others[scope]}.union(
            elsewhere
        )
        folded = {name.casefold() for name in others}
        own = [name for name in self._names if name.casefold() not in folded]
        # Longer names of others ("Ann Lee") are matched first, so that a shorter name inside them
        # ("Ann") is not matched.
        longer = sorted(others, key=len, reverse=True)
        pattern = "|".join(
            (
                *map(whole_word, longer),
                *(f"(?P<own{n}>{whole_word(name)})" for n, name in enumerate(own)),
            )
        )
        named = [match for match in re.finditer(pattern, text) if match.lastgroup] if own else []
        return any(
            match.group() not in self._time_words or _bare(text).startswith(match.group())
            for match in named
        )


def digest(text: str) -> str:
    """Return a digest by which a text can be recognised later without storing the text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _bare(line: str) -> str:
    return without_list_mark(line.strip()).strip()


def _id_pattern(entity_id: str) -> str:
    escaped = re.escape(entity_id)
    if len(entity_id) >= _LONG_ID:
        return rf"(?<![0-9A-Za-z]){escaped}(?![0-9A-Za-z])"
    return rf"(?:@[!&]?|\b(?:user|group|qq)[:= ]|(?:用户|群) ?){escaped}(?![0-9A-Za-z])"
