"""Metrics in the text format of Prometheus, written and served by `prometheus_client` (the extra
`metrics`).

Counters start at 0 with the process. `historian stats --prometheus` shows the counters of the last
run of `historian worker`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...schema.errors import NotInstalled, StorageError

if TYPE_CHECKING:
    from prometheus_client import Metric

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[Mapping[str, str], float | None]
"""Labels and a value; a value of None is not written."""
Series = tuple[Mapping[str, str], Mapping[str, float]]
"""Labels of a summary, and those of its `p50`, `p95`, `p99`, `sum` and `count` that are known."""

_QUANTILES = {"p50": "0.5", "p95": "0.95", "p99": "0.99"}

Samples = Callable[[Mapping[str, Any]], Iterable[Sample]]


def _at(path: str, label: str = "") -> Samples:
    """Return a function that reads the number at a path of the report (`worker.events`). With
    `label` the path leads to a mapping, and the function returns one sample per key, as this
    label."""

    def samples(report: Mapping[str, Any]) -> Iterable[Sample]:
        found = _found(report, path)
        return (
            [({label: name}, value) for name, value in (found or {}).items()]
            if label
            else [({}, found)]
        )

    return samples


def _used(key: str) -> Samples:
    """Return a function that reads one number of the model usage, per purpose."""
    return lambda report: [
        ({"purpose": purpose}, used.get(key))
        for purpose, used in _found(report, "usage", {}).items()
    ]


def _queue(report: Mapping[str, Any]) -> Iterable[Sample]:
    return [
        ({"state": state}, _found(report, f"queue.{state}"))
        for state in ("pending", "processing", "failed")
    ]


def _gate(report: Mapping[str, Any]) -> Iterable[Sample]:
    shares = (("first", "worker.first_pass_share"), ("final", "worker.absolute_share"))
    return [({"pass": name}, _found(report, path)) for name, path in shares]


def _tokens(report: Mapping[str, Any]) -> Iterable[Sample]:
    for purpose, used in _found(report, "usage", {}).items():
        for direction in ("prompt", "completion"):
            yield {"purpose": purpose, "direction": direction}, used.get(f"{direction}_tokens")


def _recall_seconds(report: Mapping[str, Any]) -> Iterable[Series]:
    recall = _found(report, "recall", {})
    if seconds := recall.get("seconds"):
        yield (
            {},
            {
                **seconds,
                "count": sum(recall.get("levels", {}).values()),
                "sum": recall.get("seconds_sum", 0.0),
            },
        )


_METRICS: tuple[tuple[str, str, str, Callable[[Mapping[str, Any]], Iterable[Any]]], ...] = (
    (
        "info",
        "gauge",
        "The models in use; always 1",
        lambda report: [(report["models"], 1)] if report.get("models") else [],
    ),
    ("queue_jobs", "gauge", "Jobs in the queue by state", _queue),
    (
        "queue_oldest_pending_seconds",
        "gauge",
        "How long the oldest pending job has waited",
        _at("queue.oldest_pending_seconds"),
    ),
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
    (
        "jobs_total",
        "counter",
        "Jobs by outcome; one that is retried is counted each time",
        _at("worker.jobs", "outcome"),
    ),
    (
        "rewrites_total",
        "counter",
        "Passes through the rewriter, including retries",
        _at("worker.rewrites"),
    ),
    ("events_filed_total", "counter", "Events filed", _at("worker.events")),
    (
        "gate_pass_ratio",
        "gauge",
        "Share of filed events that the gate passed, at the first attempt and finally",
        _gate,
    ),
    (
        "events_by_writer_total",
        "counter",
        "Events by who wrote the final text",
        _at("worker.rewritten_by", "writer"),
    ),
    ("profiles_written_total", "counter", "Profiles written", _at("worker.profiles_written")),
    (
        "outages_total",
        "counter",
        "Jobs that had to wait for a model or the disk",
        _at("worker.outages"),
    ),
    (
        "node_seconds",
        "summary",
        "Seconds a step of a job took, its checkpoint included; quantiles of the last 1,000",
        _at("worker.node_seconds", "node"),
    ),
    (
        "model_calls_total",
        "counter",
        "Calls of models at endpoints that were answered, by purpose",
        _used("calls"),
    ),
    (
        "model_failed_calls_total",
        "counter",
        "Calls of models at endpoints without an answer, by purpose",
        _used("failed_calls"),
    ),
    (
        "model_items_taken_total",
        "counter",
        "Items of a model's answers that the checks took, by purpose",
        _used("taken"),
    ),
    (
        "model_items_refused_total",
        "counter",
        "Items of a model's answers that the checks refused, by purpose",
        _used("refused"),
    ),
    (
        "model_content_declined_total",
        "counter",
        "Questions whose content a model or its provider declined, by purpose",
        _used("refused_by_provider"),
    ),
    (
        "model_seconds_total",
        "counter",
        "Seconds waited for models at endpoints, by purpose",
        _used("seconds"),
    ),
    (
        "model_tokens_total",
        "counter",
        "Tokens as the server counts them, by purpose and direction",
        _tokens,
    ),
    (
        "model_characters_total",
        "counter",
        "Characters sent to be embedded or reranked where the server counts no tokens, by purpose",
        _used("characters"),
    ),
    (
        "recalls_total",
        "counter",
        "Recalls by the fallback level at which they were answered",
        _at("recall.levels", "level"),
    ),
    (
        "recall_reasons_total",
        "counter",
        "Reduced recalls by reason",
        _at("recall.reasons", "reason"),
    ),
    (
        "recall_seconds",
        "summary",
        "Seconds a recall took; quantiles of the last 1,000",
        _recall_seconds,
    ),
    ("scopes_in_memory", "gauge", "Conversations held in memory", _at("recall.scopes_in_memory")),
    (
        "scope_bytes",
        "gauge",
        "Bytes of memory that these conversations take",
        _at("recall.scope_bytes"),
    ),
    (
        "observations_total",
        "counter",
        "Observations by outcome",
        _at("observation", "outcome"),
    ),
)
"""Name without `historian_`, kind, help text, and the function that returns the samples of a
report."""


class ReportCollector:
    """A collector for `prometheus_client` of the metrics in a report of `CognitiveService.stats`.
    Missing parts of the report are skipped."""

    def __init__(self, report: Callable[[], Mapping[str, Any]]) -> None:
        self._report = report

    def collect(self) -> Iterator[Metric]:
        report = self._report()
        for name, kind, told, samples in _METRICS:
            metric = _metric(f"historian_{name}", kind, told, samples(report))
            if metric.samples:
                yield metric


def metrics_text(report: Mapping[str, Any]) -> str:
    """Return the metrics of a report of `CognitiveService.stats`. Raises NotInstalled without
    `prometheus_client`."""
    _require()
    from prometheus_client import generate_latest

    return generate_latest(ReportCollector(lambda: report)).decode()


@contextmanager
def serving_metrics(port: int, report: Callable[[], Mapping[str, Any]]) -> Iterator[int]:
    """Serve the metrics of `report()` on 127.0.0.1 and yield the port (0: any free port).

    `report` is called in a thread of the server. Raises StorageError if the port cannot be used,
    and NotInstalled without `prometheus_client`.
    """
    _require()
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, "127.0.0.1", ReportCollector(report))
    except OSError as error:
        raise StorageError(
            f"port {port} on 127.0.0.1 cannot be used: {error.strerror or error}; choose another"
        ) from error
    try:
        yield int(server.server_port)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _require() -> None:
    try:
        import prometheus_client  # noqa: F401 - is it installed?
    except ImportError:
        raise NotInstalled(
            'metrics need prometheus_client: pip install "langgraph-historian[metrics]"'
        ) from None


def _metric(name: str, kind: str, told: str, samples: Iterable[Any]) -> Metric:
    from prometheus_client import Metric

    metric = Metric(name.removesuffix("_total"), told, kind)
    for labels, value in samples:
        if kind != "summary":
            if value is not None:
                metric.add_sample(name, labels, value)
            continue
        for key, quantile in _QUANTILES.items():
            if key in value:
                metric.add_sample(name, {**labels, "quantile": quantile}, value[key])
        for part in ("sum", "count"):
            if part in value:
                metric.add_sample(f"{name}_{part}", labels, value[part])
    return metric


def _found(report: Mapping[str, Any], path: str, default: Any = None) -> Any:
    """Return the value at a path of the report; the default if it is missing or None."""
    found: Any = report
    for key in path.split("."):
        found = (found or {}).get(key)
    return default if found is None else found
