"""`historian chapters` and `historian summaries`, through their own entry point."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from historian.schema.summary import ArticleKey, Spoken, Summary
from historian.stores.files.owner_lock import OwnerLock
from support.articles import Chapters, put_article
from support.command import NO_MODELS, Called, historian
from support.memory import AT, settings_for
from support.recall import stored_parts

KEY, IN_GROUP = ArticleKey("42"), ArticleKey("42", "100")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    parts = stored_parts(settings_for(tmp_path))
    layers = parts.article_stores
    for key, fact in ((KEY, "a nurse"), (IN_GROUP, "a singer")):
        for revision in range(2):
            article = Chapters(
                bedrock=f"- Ann is {fact}", dynamic=f"- 2026-02-0{revision + 1} Ann paints"
            )
            sources = [f"s{revision}"]
            put_article(
                layers.articles,
                key,
                article,
                expected_revision=revision,
                sources=sources,
                now=AT,
                forgotten=lambda: False,
            )
        for n in range(2):
            made = Summary(
                f"s{key}{n}",
                key,
                f"Ann read chapter {n} of {fact}",
                AT,
                AT,
                AT,
                9,
                "rules",
                True,
                through=f"{n}",
            )
            layers.summaries.add(made, forgotten=lambda: False)
        layers.summaries.mark_promoted(key, [f"s{key}0"], at=AT, into=1)
    layers.buffer.add(KEY, "j", [("j:0", Spoken("user", "waiting"))], entities=[], at=0.0)
    asyncio.run(parts.aclose())
    return tmp_path


def call(data: Path, *arguments: str) -> Called:
    return historian(*arguments, environ={**NO_MODELS, "HISTORIAN__COGNITIVE__DATA_DIR": str(data)})


def lines(data: Path, *arguments: str) -> list[dict[str, Any]]:
    called = call(data, *arguments, "--json")
    assert called.status == 0, called.err
    return called.lines


def test_articles_and_what_may_become_one_are_listed(data: Path) -> None:
    listed = [
        (one["user_id"], one["scope"], one["revision"], one["summaries"])
        for one in lines(data, "chapters", "list")
    ]
    assert listed == [("42", "p:42", 2, 2), ("42", "g:100", 2, 2)]
    assert [one["waiting_tokens"] > 0 for one in lines(data, "chapters", "list")] == [True, False]
    assert "Ann is a nurse" in call(data, "chapters", "list").out


def test_an_article_is_shown_of_one_conversation(data: Path) -> None:
    (article,) = lines(data, "chapters", "show", "42")
    assert (article["scope"], article["revision"], article["bedrock"]) == (
        "p:42",
        2,
        "- Ann is a nurse",
    )
    (article,) = lines(data, "chapters", "show", "42", "--group", "100")
    assert (article["scope"], article["bedrock"]) == ("g:100", "- Ann is a singer")
    shown = call(data, "chapters", "show", "42").out
    assert "## Bedrock" in shown and "- Ann is a nurse" in shown and "revision 2" in shown


def test_revisions_are_listed_compared_and_brought_back(data: Path) -> None:
    assert [one["revision"] for one in lines(data, "chapters", "history", "42")] == [2, 1]
    (diff,) = lines(data, "chapters", "diff", "42")
    assert "-- 2026-02-01 Ann paints" in diff["diff"] and "+- 2026-02-02 Ann paints" in diff["diff"]
    assert "2 (current)" in call(data, "chapters", "history", "42").out
    assert "+- 2026-02-02" in call(data, "chapters", "diff", "42").out
    assert lines(data, "chapters", "rollback", "42", "1") == [{"done": True, "job_id": ""}]
    (article,) = lines(data, "chapters", "show", "42")
    assert (article["revision"], article["dynamic"]) == (3, "- 2026-02-01 Ann paints")


def test_with_an_owner_a_rollback_is_handed_over_and_carried_out_by_it(data: Path) -> None:
    lock = OwnerLock(data)
    lock.acquire(0.0)
    with lock:
        (answer,) = lines(data, "chapters", "rollback", "42", "1")
        assert answer["done"] is False
        assert lines(data, "chapters", "show", "42")[0]["revision"] == 2
    assert call(data, "worker", "--drain").status == 0
    (article,) = lines(data, "chapters", "show", "42")
    assert (article["revision"], article["sources"]) == (3, [f"rollback:1:{answer['job_id']}"])


def test_summaries_are_listed_with_where_they_are(data: Path) -> None:
    found = lines(data, "summaries", "list", "42")
    assert [(one["text"], one["promoted_into"]) for one in found] == [
        ("Ann read chapter 0 of a nurse", 1),
        ("Ann read chapter 1 of a nurse", None),
    ]
    shown = call(data, "summaries", "list", "42").out
    assert (
        "revision 1" in shown and "short-term" in shown and "tokens of conversation wait" in shown
    )
    assert len(lines(data, "summaries", "list", "42", "--group", "100")) == 2
    parts = stored_parts(settings_for(data))
    made = Summary("long", KEY, "Ann: tea\nClio: Dune", AT, AT, AT, 9, "rules", True, through="2")
    parts.article_stores.summaries.add(made, forgotten=lambda: False)
    asyncio.run(parts.aclose())
    assert "Ann: tea / Clio: Dune" in call(data, "summaries", "list", "42").out, (
        "its lines stay apart"
    )
    assert "no summaries yet" in call(data, "summaries", "list", "43").out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["show", "43"], 1, "there is neither an article nor a summary about '43'"),
        (
            ["show", "42", "--group", "101"],
            1,
            "there is neither an article nor a summary about '42' in g:101",
        ),
        (
            ["rollback", "42", "9"],
            1,
            "revision 9 of '42' is not stored; the stored revisions are: 1",
        ),
        (["diff", "42", "--from", "8"], 1, "revision 8 of '42' is not stored"),
        (["show", " 42"], 2, "user_id: ' 42'"),
    ],
)
def test_what_is_not_there_is_named(
    data: Path, arguments: list[str], status: int, message: str
) -> None:
    called = call(data, "chapters", *arguments)
    assert called.status == status and message in called.err
