"""Detection of mentions of an entity in records of others: by name, by id, or by a repeated text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...schema.entity import Entity
from ...schema.portions import portions
from ...text.borders import whole_word
from .byte_scan import SHORTEST_BYTES, Needles

_LONG_ID = 5
"""Shorter ids count only with a marker (`@42`, `user:42`, `qq=42`), since any number 42 would match otherwise."""
_SHORTEST_NAME = 2
_AT_ONCE = 1_000


class Mention(NamedTuple):
    """A text in a record of others, with kind and id of the record, see `EntityData`."""

    kind: str
    id: str
    text: str


class Mentions:
    """Finds texts that mention an entity by id or by one of `names`, or contain one of `texts`."""

    def __init__(self, entity: Entity, names: Iterable[str], texts: Iterable[str], kept: Collection[str] = ()) -> None:
        """`kept` are digests of texts that mention the entity, found while its names and texts were still known."""
        patterns = [_of_id(entity.id), *(_of_name(name) for name in sorted(names) if len(name) >= _SHORTEST_NAME)]
        self._pattern = re.compile("|".join(patterns), re.IGNORECASE)
        written = {text.strip().encode("utf-8", "replace") for text in texts}
        self._kept = frozenset(kept)
        self._repeats = Needles({data for data in written if len(data) >= SHORTEST_BYTES})

    def stand_in(self, text: str) -> bool:
        return self._names(text) or any(True for _ in self._repeats.find(text.encode("utf-8", "replace")))

    def among(self, records: Iterable[Mention]) -> list[Mention]:
        """Return the records that mention the entity. Processes a thousand at once, which is faster."""
        found: list[Mention] = []
        for some in portions(records, _AT_ONCE):
            repeating = set(self._repeating(some))
            found += [record for n, record in enumerate(some) if n in repeating or self._names(record.text)]
        return found

    def _names(self, text: str) -> bool:
        return bool(self._pattern.search(text)) or (bool(self._kept) and digest(text) in self._kept)

    def _repeating(self, records: Sequence[Mention]) -> Iterator[int]:
        joined = b"\n".join(record.text.encode("utf-8", "replace") for record in records)
        ends: list[int] = []
        position = 0
        for record in records:
            position += len(record.text.encode("utf-8", "replace")) + 1
            ends.append(position)
        n = 0
        for offset in sorted(offset for offset, _ in self._repeats.find(joined)):
            while offset >= ends[n]:
                n += 1
            yield n


def digest(text: str) -> str:
    """Return by what a text is recognised later, without a word of it being kept."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _of_id(entity_id: str) -> str:
    escaped = re.escape(entity_id)
    if len(entity_id) >= _LONG_ID:
        return rf"(?<![0-9A-Za-z]){escaped}(?![0-9A-Za-z])"
    return rf"(?:@|\buser[:=]|\bgroup[:=]|\bqq[:=]){escaped}(?![0-9A-Za-z])"


def _of_name(name: str) -> str:
    return whole_word(name)
