"""Metrics in Prometheus' text format (exposition format 0.0.4).

Counters start with the process; those of `historian stats --prometheus` are of the last run of `historian worker`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[Mapping[str, str], float | None]
"""Labels and a value; a value of None is not written."""

_QUANTILES = {"p50": "0.5", "p95": "0.95", "p99": "0.99"}


class Exposition:
    """The text of metrics. A metric without samples is not written."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, name: str, kind: str, told: str, samples: Iterable[Sample]) -> None:
        """Add a counter or gauge; `told` is its help."""
        self._write(name, kind, told, [(name, labels, value) for labels, value in samples if value is not None])

    def summary(self, name: str, told: str, series: Iterable[tuple[Mapping[str, str], Mapping[str, float]]]) -> None:
        """Add quantiles (`p50`, `p95`, `p99` of each mapping) with `count` and `sum`."""
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


Samples = Callable[[Mapping[str, Any]], Iterable[Sample]]


def _at(path: str, label: str = "") -> Samples:
    """Return the number at a path of the report (`worker.events`), or with a label the numbers of the mapping there."""

    def samples(report: Mapping[str, Any]) -> Iterable[Sample]:
        found = _found(report, path)
        return [({label: name}, value) for name, value in (found or {}).items()] if label else [({}, found)]

    return samples


def _used(key: str) -> Samples:
    """Return a number of the model usage, by purpose."""
    return lambda report: [({"purpose": purpose}, used.get(key)) for purpose, used in _found(report, "usage", {}).items()]


def _queue(report: Mapping[str, Any]) -> Iterable[Sample]:
    return [({"state": state}, _found(report, f"queue.{state}")) for state in ("pending", "processing", "failed")]


def _gate(report: Mapping[str, Any]) -> Iterable[Sample]:
    shares = (("first", "worker.first_pass_share"), ("final", "worker.absolute_share"))
    return [({"pass": name}, _found(report, path)) for name, path in shares]


def _tokens(report: Mapping[str, Any]) -> Iterable[Sample]:
    for purpose, used in _found(report, "usage", {}).items():
        for direction in ("prompt", "completion"):
            yield {"purpose": purpose, "direction": direction}, used.get(f"{direction}_tokens")


def _recall_seconds(report: Mapping[str, Any]) -> Iterable[tuple[Mapping[str, str], Mapping[str, float]]]:
    recall = _found(report, "recall", {})
    if seconds := recall.get("seconds"):
        yield {}, {**seconds, "count": sum(recall.get("levels", {}).values()), "sum": recall.get("seconds_sum", 0.0)}


_METRICS: tuple[tuple[str, str, str, Callable[[Mapping[str, Any]], Iterable[Any]]], ...] = (
    ("info", "gauge", "The models in use; always 1", lambda report: [(report["models"], 1)] if report.get("models") else []),
    ("queue_jobs", "gauge", "Jobs in the queue by state", _queue),
    ("queue_oldest_pending_seconds", "gauge", "How long the oldest pending job has waited", _at("queue.oldest_pending_seconds")),
    ("events", "gauge", "Events that are stored", _at("events")),
    ("vectors_waiting", "gauge", "Events that wait for their vector", _at("vectors.waiting")),
    (
        "vectors_oldest_waiting_seconds",
        "gauge",
        "Age of the oldest event that waits for its vector",
        _at("vectors.oldest_waiting_seconds"),
    ),
    (
        "outage",
        "gauge",
        "1 while claiming pauses because a model or the disk is away",
        lambda report: [({}, bool(report["outage"]))] if "outage" in report else [],
    ),
    ("jobs_total", "counter", "Jobs by outcome; one that is retried is counted each time", _at("worker.jobs", "outcome")),
    ("rewrites_total", "counter", "Passes through the rewriter, retries among them", _at("worker.rewrites")),
    ("events_filed_total", "counter", "Events filed", _at("worker.events")),
    ("gate_pass_ratio", "gauge", "Share of filed events that the gate passed, at the first pass and in the end", _gate),
    ("events_by_writer_total", "counter", "Events by who wrote the final text", _at("worker.rewritten_by", "writer")),
    ("profiles_written_total", "counter", "Profiles written", _at("worker.profiles_written")),
    ("outages_total", "counter", "Jobs that had to wait for a model or the disk", _at("worker.outages")),
    (
        "node_seconds",
        "summary",
        "Seconds a step of a job took, its checkpoint included; quantiles of the last 1,000",
        _at("worker.node_seconds", "node"),
    ),
    ("model_calls_total", "counter", "Calls of models at endpoints that were answered, by purpose", _used("calls")),
    ("model_failed_calls_total", "counter", "Calls of models at endpoints without an answer, by purpose", _used("failed_calls")),
    ("model_items_taken_total", "counter", "Items of a model's answers that the checks took, by purpose", _used("taken")),
    ("model_items_refused_total", "counter", "Items of a model's answers that the checks refused, by purpose", _used("refused")),
    (
        "model_content_declined_total",
        "counter",
        "Questions whose content a model or its provider declined, by purpose",
        _used("refused_by_provider"),
    ),
    ("model_seconds_total", "counter", "Seconds waited for models at endpoints, by purpose", _used("seconds")),
    ("model_tokens_total", "counter", "Tokens as the server counts them, by purpose and direction", _tokens),
    (
        "model_characters_total",
        "counter",
        "Characters sent to be embedded or reranked where the server counts no tokens, by purpose",
        _used("characters"),
    ),
    ("recalls_total", "counter", "Recalls by the fallback level at which they were answered", _at("recall.levels", "level")),
    ("recall_reasons_total", "counter", "Why recalls brought less than they could", _at("recall.reasons", "reason")),
    ("recall_seconds", "summary", "Seconds a recall took; quantiles of the last 1,000", _recall_seconds),
    ("scopes_in_memory", "gauge", "Conversations held in memory", _at("recall.scopes_in_memory")),
    ("scope_bytes", "gauge", "Bytes they take", _at("recall.scope_bytes")),
    ("observations_total", "counter", "Observations by what became of them", _at("observation", "outcome")),
)
"""Name without `historian_`, kind, help, and the function that returns the samples of a report."""


def metrics_text(report: Mapping[str, Any]) -> str:
    """Return the metrics of a report of `CognitiveService.stats`. Missing parts of the report are skipped."""
    out = Exposition()
    for name, kind, told, samples in _METRICS:
        if kind == "summary":
            out.summary(f"historian_{name}", told, samples(report))
        else:
            out.add(f"historian_{name}", kind, told, samples(report))
    return out.text()


def _found(report: Mapping[str, Any], path: str, default: Any = None) -> Any:
    """Return the value at a path of the report; the default if it is missing or None."""
    found: Any = report
    for key in path.split("."):
        found = (found or {}).get(key)
    return default if found is None else found


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
