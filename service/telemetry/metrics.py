"""What has been done, in numbers, as the text that Prometheus reads (exposition format 0.0.4).

Counters count since the process began (or, from `historian stats --prometheus`, in the last run of `historian worker`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[Mapping[str, str], float | None]
"""Labels and a value; None is left out."""

_QUANTILES = {"p50": "0.5", "p95": "0.95", "p99": "0.99"}


class Exposition:
    """Metrics, one after the other. A metric without a sample is not written."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, name: str, kind: str, told: str, samples: Iterable[Sample]) -> None:
        """A counter or gauge; `told` is its help."""
        self._write(name, kind, told, [(name, labels, value) for labels, value in samples if value is not None])

    def summary(self, name: str, told: str, series: Iterable[tuple[Mapping[str, str], Mapping[str, float]]]) -> None:
        """Quantiles (`p50`, `p95`, `p99` of each mapping) with `count` and `sum`."""
        lines: list[tuple[str, Mapping[str, str], float]] = []
        for labels, values in series:
            lines += [
                (name, {**labels, "quantile": quantile}, values[key]) for key, quantile in _QUANTILES.items() if key in values
            ]
            lines += [(f"{name}_{part}", labels, values[part]) for part in ("sum", "count") if part in values]
        self._write(name, "summary", told, lines)

    def text(self) -> str:
        return "\n".join(self._lines) + "\n" if self._lines else ""

    def _write(self, name: str, kind: str, told: str, lines: list[tuple[str, Mapping[str, str], float]]) -> None:
        if lines:
            self._lines += [f"# HELP {name} {_escaped(told, quotes=False)}", f"# TYPE {name} {kind}"]
            self._lines += [f"{full}{_labels(labels)} {_number(value)}" for full, labels, value in lines]


def metrics_text(report: Mapping[str, Any]) -> str:
    """The metrics of a report as `CognitiveService.stats` gives it. What a report does not hold is left out."""
    out = Exposition()
    models = report.get("models") or {}
    out.add("historian_info", "gauge", "The models in use; always 1", [(models, 1)] if models else [])
    queue = report.get("queue") or {}
    states = [({"state": state}, queue[state]) for state in ("pending", "processing", "failed") if state in queue]
    out.add("historian_queue_jobs", "gauge", "Jobs in the queue by state", states)
    out.add(
        "historian_queue_oldest_pending_seconds",
        "gauge",
        "How long the oldest pending job has waited",
        [({}, queue.get("oldest_pending_seconds"))],
    )
    out.add("historian_events", "gauge", "Events that are stored", [({}, report.get("events"))])
    if "outage" in report:
        out.add(
            "historian_outage",
            "gauge",
            "1 while claiming pauses because a model or the disk is away",
            [({}, bool(report["outage"]))],
        )
    _add_worker(out, report.get("worker") or {})
    _add_usage(out, report.get("usage") or {})
    _add_recall(out, report.get("recall") or {})
    observed = report.get("observation") or {}
    out.add(
        "historian_observations_total",
        "counter",
        "Observations by what became of them",
        [({"outcome": name}, count) for name, count in observed.items()],
    )
    return out.text()


def _add_worker(out: Exposition, worker: Mapping[str, Any]) -> None:
    out.add(
        "historian_jobs_total",
        "counter",
        "Jobs by outcome; one that is retried is counted each time",
        [({"outcome": name}, count) for name, count in (worker.get("jobs") or {}).items()],
    )
    out.add(
        "historian_rewrites_total", "counter", "Passes through the rewriter, retries among them", [({}, worker.get("rewrites"))]
    )
    out.add("historian_events_filed_total", "counter", "Events filed", [({}, worker.get("events"))])
    out.add(
        "historian_gate_pass_ratio",
        "gauge",
        "Share of filed events that the gate passed, at the first pass and in the end",
        [({"pass": "first"}, worker.get("first_pass_share")), ({"pass": "final"}, worker.get("absolute_share"))],
    )
    out.add(
        "historian_events_by_writer_total",
        "counter",
        "Events by who wrote the final text",
        [({"writer": name}, count) for name, count in (worker.get("rewritten_by") or {}).items()],
    )
    out.add("historian_profiles_written_total", "counter", "Profiles written", [({}, worker.get("profiles_written"))])
    out.add("historian_outages_total", "counter", "Jobs that had to wait for a model or the disk", [({}, worker.get("outages"))])
    out.summary(
        "historian_node_seconds",
        "Seconds a step of a job took, its checkpoint included; quantiles of the last 1,000",
        [({"node": node}, values) for node, values in (worker.get("node_seconds") or {}).items()],
    )


def _add_usage(out: Exposition, usage: Mapping[str, Mapping[str, float]]) -> None:
    for name, told, key in (
        ("historian_model_calls_total", "Calls of the chat model that were answered, by purpose", "calls"),
        ("historian_model_failed_calls_total", "Calls of the chat model without an answer, by purpose", "failed_calls"),
        ("historian_model_seconds_total", "Seconds waited for the chat model, by purpose", "seconds"),
    ):
        out.add(name, "counter", told, [({"purpose": purpose}, used.get(key)) for purpose, used in usage.items()])
    out.add(
        "historian_model_tokens_total",
        "counter",
        "Tokens as the server counts them, by purpose and direction",
        [
            ({"purpose": purpose, "direction": direction}, used.get(f"{direction}_tokens"))
            for purpose, used in usage.items()
            for direction in ("prompt", "completion")
        ],
    )


def _add_recall(out: Exposition, recall: Mapping[str, Any]) -> None:
    levels = recall.get("levels") or {}
    out.add(
        "historian_recalls_total",
        "counter",
        "Recalls by the fallback level at which they were answered",
        [({"level": name}, count) for name, count in levels.items()],
    )
    out.add(
        "historian_recall_reasons_total",
        "counter",
        "Why recalls brought less than they could",
        [({"reason": name}, count) for name, count in (recall.get("reasons") or {}).items()],
    )
    if seconds := recall.get("seconds"):
        values = {**seconds, "count": sum(levels.values()), "sum": recall.get("seconds_sum", 0.0)}
        out.summary("historian_recall_seconds", "Seconds a recall took; quantiles of the last 1,000", [({}, values)])
    out.add("historian_scopes_in_memory", "gauge", "Conversations held in memory", [({}, recall.get("scopes_in_memory"))])
    out.add("historian_scope_bytes", "gauge", "Bytes they take", [({}, recall.get("scope_bytes"))])


def _labels(labels: Mapping[str, str]) -> str:
    written = ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels.items())
    return f"{{{written}}}" if written else ""


def _escaped(text: str, *, quotes: bool = True) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))
