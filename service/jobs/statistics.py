"""Statistics of the worker since its start."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from ...schema.graph_states.historian import ItemState
from ...schema.job import JobKind
from ..recall.recalled import quantiles_of

LATENCIES_KEPT = 1000


@dataclass
class WorkerStatistics:
    """Counts since the start of the worker. `latencies` are the seconds of each step of a node,
    including its checkpoint; the last 1,000 per node are stored."""

    outcomes: Counter[str] = field(default_factory=Counter)
    events: int = 0
    absolute: int = 0
    first_pass: int = 0
    by_writer: Counter[str] = field(default_factory=Counter)
    rewrites: int = 0
    profiles: int = 0
    summaries: int = 0
    articles: int = 0
    outages: int = 0
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    steps: Counter[str] = field(default_factory=Counter)
    latencies: defaultdict[str, deque[float]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=LATENCIES_KEPT))
    )

    def step(self, kind: JobKind, node: str, update: Mapping[str, Any], seconds: float) -> None:
        """Record one step of a job."""
        name = f"reflection.{node}" if kind == "states" else node
        self.latencies[name].append(seconds)
        self.seconds[name] += seconds
        self.steps[name] += 1
        if node == "rewrite":
            self.rewrites += 1
        elif node == "write_profile":
            self.profiles += len(update.get("written", []))
        elif node == "file_summary":
            self.summaries += 1
        elif node == "write_article":
            self.articles += "written" in update

    def filed(self, items: list[ItemState]) -> None:
        """Record the events of one filed job."""
        self.events += len(items)
        self.absolute += sum(item["passed"] for item in items)
        self.first_pass += sum(item["first_pass"] for item in items)
        self.by_writer.update(item["rewritten_by"] for item in items)

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON data. Shares refer to the number of events."""
        latencies = {node: list(values) for node, values in list(self.latencies.items())}
        return {
            "jobs": dict(self.outcomes),
            "rewrites": self.rewrites,
            "events": self.events,
            "absolute_share": self.absolute / self.events if self.events else None,
            "first_pass_share": self.first_pass / self.events if self.events else None,
            "rewritten_by": dict(self.by_writer),
            "profiles_written": self.profiles,
            "summaries_written": self.summaries,
            "articles_written": self.articles,
            "outages": self.outages,
            "node_seconds_median": {
                node: round(median(values), 6) for node, values in latencies.items()
            },
            "node_seconds": {
                node: {
                    **quantiles_of(values),
                    "sum": round(self.seconds[node], 6),
                    "count": self.steps[node],
                }
                for node, values in latencies.items()
            },
        }
