"""What forgetting a person or a group means for the two layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..schema.article import CHAPTER_NAMES
from ..schema.entity import Entity
from ..schema.two_layers import ArticleKey, StoredArticle
from .parts import Parts

if TYPE_CHECKING:
    from .forgetters import Record, Traces

_ALL_TOKENS = 10**12


class LayerForgetter:
    """Articles with their history, summaries, states that wait, and the vectors of an article's lines."""

    kind = "articles and summaries"

    def __init__(self, parts: Parts) -> None:
        self._layers = parts.layers
        self._clock = parts.clock

    def survey(self, traces: Traces) -> None:
        for key in self._keys():
            if traces.entity.spoke(key.user_id, key.group_id):
                traces.texts.update(self._texts(key))

    def forget(self, traces: Traces) -> int:
        entity: Entity = traces.entity
        return self._layers.delete(entity.id) if entity.type == "user" else self._layers.delete_scope(entity.scope)

    def others(self) -> Iterator[Record]:
        from .forgetters import Record

        for key in self._keys():
            for text in self._texts(key):
                yield Record(self.kind, str(key), text)

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        now = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        ids = {record.id for record in records}
        for key in self._keys():
            if str(key) in ids:
                self._layers.articles.without_lines(key, unwanted, now=now)
                self._layers.summaries.without_lines(key, unwanted)
                # What waits is not sorted: it was said near to what was unwanted.
                waiting = self._layers.buffer.oldest(key, _ALL_TOKENS)
                if any(unwanted(one.spoken.text) for one in waiting):
                    self._layers.buffer.release(key, waiting[-1].entry_id)
        return len(records)

    def _keys(self) -> list[ArticleKey]:
        layers = self._layers
        return list(dict.fromkeys([*layers.articles.keys(), *layers.summaries.keys(), *layers.buffer.keys()]))

    def _texts(self, key: ArticleKey) -> Iterator[str]:
        """Every line that is kept of somebody."""
        stored = self._layers.articles.read(key)
        kept: list[StoredArticle] = [*([stored] if stored is not None else []), *self._layers.articles.history(key)]
        for one in kept:
            for name in CHAPTER_NAMES:
                yield from one.article.lines(name)
        for summary in self._layers.summaries.read(key):
            yield from (line for line in summary.text.splitlines() if line.strip())
        for state in self._layers.buffer.oldest(key, _ALL_TOKENS):
            yield state.spoken.text
