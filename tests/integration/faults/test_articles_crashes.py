"""kill -9 around every side effect of a summary, a promotion and a reconstruction: nothing lost, nothing promoted twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from historian.schema.event import EventFilter
from historian.schema.summary import ArticleKey
from historian.service.components import open_parts, open_queue
from historian.service.recall.articles import states_job
from support.crashes.matrix import Host, distinct, saved_answers
from support.memory import AT, settings_for
from support.models.reflection_answers import reflection_responder
from support.servers.openai_server import OpenAIServer
from support.stores import not_in_index

pytestmark = pytest.mark.slow

KEY = ArticleKey("7")
SHORTTERM: dict[str, Any] = {"summary_token_threshold": 90, "promote_above": 1, "promote_count": 1}
SAID = [
    f"On 2026-02-{10 + n} I finished chapter {n} of the book about the history of sailing ships."
    for n in range(6)
]
CALLS = 3
"""Two summaries, one reconstruction."""


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(responder=reflection_responder) as server:
        yield server


def accept(directory: Path) -> None:
    """One job whose states are enough for two summaries, of which one is promoted."""
    settings = settings_for(directory, shortterm=SHORTTERM)
    fields = {
        "user_name": "Ann",
        "bot_name": "Clio",
        "timestamp": AT,
        "timezone": "Asia/Shanghai",
        "request_id": "said",
    }
    job = states_job(
        SAID, "7", None, settings, lambda: 0.0, threshold=None, reflect=False, fields=fields
    )
    assert job is not None
    open_queue(settings, lambda: 1_000_000_000.0).put(job)


def assert_whole(directory: Path) -> None:
    settings = settings_for(directory, shortterm=SHORTTERM)
    parts = open_parts(settings, clock=lambda: 0.0)
    try:
        summaries = parts.article_stores.summaries.read(KEY)
        assert len(summaries) == len({one.id for one in summaries}) == 2
        for n, said in enumerate(SAID):
            assert sum(said.replace(" I ", " Ann ") in one.text for one in summaries) == 1, (
                f"state {n} is lost or doubled"
            )
        assert [one.promoted_into for one in summaries] == [1, None]
        article = parts.article_stores.articles.read(KEY)
        assert (
            article is not None and article.revision == 1 and article.sources == (summaries[0].id,)
        )
        lines = [line.text for some in article.chapters.values() for line in some]
        for n in range(len(SAID)):
            held = sum(f"chapter {n} " in line for line in lines)
            assert held == (f"chapter {n} " in summaries[0].text), (
                f"statement {n} stands {held} times in the article"
            )
        assert parts.article_stores.buffer.tokens(KEY) == 0
        events = parts.events.find(EventFilter("p:7"))
        assert {event.event_id for event in events} == {one.id for one in summaries}
        assert parts.events.without_vector(10) == [] and not_in_index(parts.events, directory) == []
        counts = parts.queue.counts(0.0)
        assert counts.pending + counts.processing + counts.failed == 0
    finally:
        parts.events.close()


def test_killed_at_every_point_each_state_is_in_one_summary_and_each_promotion_in_one_revision(
    tmp_path: Path, host: Host, server: OpenAIServer
) -> None:
    trace = tmp_path / "trace"
    accept(tmp_path / "whole")
    assert host.drain(
        tmp_path / "whole", server.base_url, trace=str(trace), shortterm=SHORTTERM
    ) == {"signal": 0, "status": 0}
    assert_whole(tmp_path / "whole")
    assert server.count("chat") == CALLS
    points = trace.read_text().splitlines()
    effects = (
        "StateBuffer.add",
        "StateBuffer.release",
        "SummaryStorage.add",
        "SummaryStorage.mark_promoted",
    )
    assert {
        f"{name} after"
        for name in (*effects, "MirroredArticles.write", "SqliteEventStore.file_new")
    } <= set(points)
    for number in distinct(points):
        point = points[number]
        directory = tmp_path / f"killed-{number}"
        accept(directory)
        before = server.count("chat")
        died = host.drain(directory, server.base_url, kill_at=number, shortterm=SHORTTERM)
        assert died["signal"] == 9, f"point {number} ({point}) was not reached"
        ended = host.drain(directory, server.base_url, shortterm=SHORTTERM)
        assert ended == {"signal": 0, "status": 0}, f"after a kill at {number} ({point})"
        assert_whole(directory)
        asked = sum(line == "LangChainChatModel.structured before" for line in points[: number + 1])
        asked -= point == "LangChainChatModel.structured before"
        calls = server.count("chat") - before
        assert calls <= CALLS + asked - saved_answers(points[: number + 1]), (
            f"{calls} calls after a kill at {number} ({point}): a checkpointed answer was asked for again"
        )


def test_checkpoints_that_are_lost_with_the_process_cost_calls_and_nothing_else(
    tmp_path: Path, host: Host, server: OpenAIServer
) -> None:
    trace = tmp_path / "trace"
    accept(tmp_path / "whole")
    host.drain(tmp_path / "whole", server.base_url, trace=str(trace), shortterm=SHORTTERM)
    points = trace.read_text().splitlines()
    lasting = (
        "StateBuffer",
        "SummaryStorage",
        "MirroredArticles",
        "SqliteEventStore.file_new",
        "LedgerTable",
    )
    for number in distinct(points):
        if not points[number].startswith(lasting):
            continue
        directory = tmp_path / f"killed-{number}"
        accept(directory)
        assert (
            host.drain(directory, server.base_url, kill_at=number, shortterm=SHORTTERM)["signal"]
            == 9
        )
        for file in directory.glob("checkpoints.sqlite*"):
            file.unlink()
        assert host.drain(directory, server.base_url, shortterm=SHORTTERM) == {
            "signal": 0,
            "status": 0,
        }
        assert_whole(directory)
