"""Metrics in the text format that Prometheus reads."""

import re
import sys
import urllib.request
from pathlib import Path

import pytest
from historian.schema.errors import NotInstalled, StorageError
from historian.schema.scope import Scope
from historian.service.telemetry.metrics import metrics_text, serving_metrics
from support.command import historian
from support.draining import open_worker, put
from support.memory import group_fields, settings_for
from support.recall import open_memory
from support.servers.openai_server import OpenAIServer

_SAMPLE = re.compile(
    r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<labels>(?:[a-zA-Z_]\w*=\"(?:[^\"\\\n]|\\[\\n\"])*\",?)*)\})? (?P<value>\S+)"
)


def parsed(text: str) -> dict[str, float]:
    """Samples by name and labels; every line must be one, or tell of one that follows, as the format says."""
    assert text.endswith("\n")
    found: dict[str, float] = {}
    declared: list[str] = []
    for line in text.splitlines():
        if line.startswith("# "):
            word, name = line.split(" ")[1:3]
            assert word in ("HELP", "TYPE") and (word == "HELP") == (name not in declared[-1:])
            declared += [name] if word == "HELP" else []
            continue
        sample = _SAMPLE.fullmatch(line)
        assert sample is not None, line
        assert sample["name"].removesuffix("_sum").removesuffix("_count") == declared[-1]
        key = sample["name"] + (f"{{{sample['labels']}}}" if sample["labels"] else "")
        assert key not in found, f"{key} twice"
        found[key] = float(sample["value"])
    assert len(declared) == len(set(declared))
    return found


async def test_what_a_worker_has_done_is_counted(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        settings = settings_for(tmp_path, base_url=server.base_url)
        async with open_worker(settings) as (parts, worker):
            for n in range(3):
                put(
                    parts,
                    group_fields(
                        request_id=f"r{n}",
                        action_summary="小史给阿明推荐了《三体》",
                        new_info=["阿明喜欢科幻小说"],
                    ),
                )
            assert await worker.run(drain=True)
            usage = {
                name: {"calls": used.calls, "prompt_tokens": used.prompt_tokens}
                for name, used in parts.chat.usage().items()
            }  # type: ignore[union-attr]
            found = parsed(
                metrics_text(
                    {"worker": worker.statistics.as_dict(), "usage": usage, "outage": worker.outage}
                )
            )
    assert found['historian_jobs_total{outcome="filed"}'] == 3
    assert found["historian_events_filed_total"] == 6 and found["historian_outage"] == 0
    assert found['historian_gate_pass_ratio{pass="final"}'] == 1
    assert found['historian_node_seconds_count{node="rewrite"}'] == 3
    assert (
        0
        < found['historian_node_seconds{node="rewrite",quantile="0.5"}']
        <= found['historian_node_seconds_sum{node="rewrite"}']
    )
    assert found['historian_model_calls_total{purpose="rewrite"}'] == 3
    assert found['historian_model_tokens_total{direction="prompt",purpose="rewrite"}'] > 0


async def test_a_bot_reads_the_metrics_of_its_service(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, _):
        scope = Scope.group("100", "42")
        await memory.enqueue_job("小史讲了故事", **group_fields())
        await memory.build_context("故事", scope)
        await memory.on_tool_executed("find", {}, "found", scope=scope)
        found = parsed(await memory.metrics_text())
    assert found['historian_queue_jobs{state="pending"}'] == 1
    assert (
        found['historian_recalls_total{level="keyword"}'] == 1
        and found["historian_recall_seconds_count"] == 1
    )
    assert found['historian_observations_total{outcome="noted"}'] == 1
    assert found['historian_observations_total{outcome="dropped"}'] == 0


def test_the_command_prints_metrics(tmp_path: Path) -> None:
    line = '{"action_summary": "小史讲了故事", "user_id": "7", "timestamp": "2026-02-21T17:30:00+08:00"}'
    assert historian("ingest", "-", "--data-dir", tmp_path, stdin=line).status == 0
    assert historian("worker", "--drain", "--metrics-port", "0", "--data-dir", tmp_path).status == 0
    found = parsed(historian("stats", "--prometheus", "--data-dir", tmp_path).out)
    assert found["historian_events"] == 1 and found['historian_jobs_total{outcome="filed"}'] == 1


def test_metrics_are_served_on_loopback() -> None:
    with serving_metrics(0, lambda: {"events": 3, "usage": {'q"\\\n': {"calls": 2}}}) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=")
            assert parsed(answer.read().decode()) == {
                "historian_events": 3,
                'historian_model_calls_total{purpose="q\\"\\\\\\n"}': 2,
            }
        with pytest.raises(StorageError, match="choose another"), serving_metrics(port, dict):
            pass


def test_without_the_extra_the_fix_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(NotInstalled, match=r"langgraph-historian\[metrics\]"):
        metrics_text({})
