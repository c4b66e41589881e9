"""What forgetting a person or a group means for the two layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from ...schema.entity import Entity
from ...schema.summary import ArticleKey, BufferedState
from ...stores.sqlite.state_buffer import job_of_entry
from ..components import Parts
from .forget_traces import Record, Traces

_ALL_TOKENS = 10**12


class LayerForgetter:
    """Articles with their history, summaries, states that wait, and the vectors of an article's lines."""

    kind = "articles and summaries"

    def __init__(self, parts: Parts) -> None:
        self._layers = parts.layers
        self._erasure = parts.erasure
        self._clock = parts.clock

    def survey(self, traces: Traces) -> None:
        for key in self._keys():
            if traces.entity.spoke(key.user_id, key.group_id):
                traces.texts.update(self._texts(key))
                traces.job_ids.update(job_of_entry(state.entry_id) for state in self._waiting(key))
                if traces.entity.type == "user" and not key.group_id:  # in a group somebody else may have spoken
                    said = [state.spoken for state in self._waiting(key) if state.spoken.role == "user"]
                    traces.names.update(spoken.name for spoken in said if spoken.name)

    def forget(self, traces: Traces) -> int:
        entity: Entity = traces.entity
        # Jobs that are handed over again, under a later time, are no new ones.
        keys = [key for key in self._layers.buffer.keys() if entity.spoke(key.user_id, key.group_id)]  # noqa: SIM118
        self._erasure.bury_jobs(sorted({job_of_entry(state.entry_id) for key in keys for state in self._waiting(key)}))
        self._erasure.erase_ledger(entity)
        return self._layers.erase(entity)

    def others(self) -> Iterator[Record]:
        for key in self._keys():
            for text in self._kept(key):
                yield Record(self.kind, str(key), text)
            for state in self._waiting(key):
                yield Record(self.kind, str(key), _with_speaker(state))

    def drop(self, records: Sequence[Record], unwanted: Callable[[str], bool]) -> int:
        now = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        ids = {record.id for record in records}
        for key in self._keys():
            if str(key) in ids:
                # The article comes last: killed in between, its lines still say whose vectors are to be looked at.
                self._layers.line_vectors.without_lines(key, unwanted)
                self._layers.buffer.remove([one.entry_id for one in self._waiting(key) if unwanted(_with_speaker(one))])
                self._layers.summaries.without_lines(key, unwanted)
                self._layers.articles.without_lines(key, unwanted, now=now)
        return len(records)

    def _keys(self) -> list[ArticleKey]:
        layers = self._layers
        return list(dict.fromkeys([*layers.articles.keys(), *layers.summaries.keys(), *layers.buffer.keys()]))

    def _texts(self, key: ArticleKey) -> Iterator[str]:
        yield from self._kept(key)
        yield from (state.spoken.text for state in self._waiting(key))

    def _kept(self, key: ArticleKey) -> Iterator[str]:
        """Every line of the article, of its earlier revisions and of the summaries."""
        yield from self._layers.articles.lines(key)
        for summary in self._layers.summaries.read(key):
            yield from (line for line in summary.text.splitlines() if line.strip())

    def _waiting(self, key: ArticleKey) -> list[BufferedState]:
        return self._layers.buffer.oldest(key, _ALL_TOKENS)


def _with_speaker(state: BufferedState) -> str:
    return f"{state.spoken.name}\n{state.spoken.text}"
