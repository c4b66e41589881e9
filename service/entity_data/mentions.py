"""Which records of others speak of somebody: by name, by id, or by repeating a whole text of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ...schema.entity import Entity
from .byte_scan import SHORTEST_BYTES, Needles

_LONG_ID = 5
"""A shorter id is taken for one only where it is marked as one (`@42`, `user:42`, `qq=42`): else every 42 would be meant."""
_SHORTEST_NAME = 2
_AT_ONCE = 1_000


class Mention(NamedTuple):
    """A text that is kept of others: the kind and the id of what holds it, see `EntityData`."""

    kind: str
    id: str
    text: str


class Mentions:
    """Tells whether a text speaks of an entity that is known by `names`, or holds one of `texts`."""

    def __init__(self, entity: Entity, names: Iterable[str], texts: Iterable[str]) -> None:
        patterns = [_of_id(entity.id), *(_of_name(name) for name in sorted(names) if len(name) >= _SHORTEST_NAME)]
        self._pattern = re.compile("|".join(patterns), re.IGNORECASE)
        written = {text.strip().encode("utf-8", "replace") for text in texts}
        self._repeats = Needles({data for data in written if len(data) >= SHORTEST_BYTES})

    def stand_in(self, text: str) -> bool:
        return bool(self._pattern.search(text)) or any(True for _ in self._repeats.find(text.encode("utf-8", "replace")))

    def among(self, records: Iterable[Mention]) -> list[Mention]:
        """Those that speak of the entity. A thousand are looked through at once, which is what makes it quick."""
        source = iter(records)
        found: list[Mention] = []
        while some := list(islice(source, _AT_ONCE)):
            repeating = set(self._repeating(some))
            found += [record for n, record in enumerate(some) if n in repeating or self._pattern.search(record.text)]
        return found

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


def _of_id(entity_id: str) -> str:
    escaped = re.escape(entity_id)
    if len(entity_id) >= _LONG_ID:
        return rf"(?<![0-9A-Za-z]){escaped}(?![0-9A-Za-z])"
    return rf"(?:@|\buser[:=]|\bgroup[:=]|\bqq[:=]){escaped}(?![0-9A-Za-z])"


def _of_name(name: str) -> str:
    # "Ann的猫": a Chinese character beside a Latin name ends the name.
    before = "(?<![0-9A-Za-z_])" if name[0].isascii() else ""
    after = "(?![0-9A-Za-z_])" if name[-1].isascii() else ""
    return f"{before}{re.escape(name)}{after}"
