"""Documents of a former version become rows once: with their history, whatever was broken or killed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from historian.schema.entity import Entity
from historian.schema.forgetting import ForgetRequest
from historian.schema.profile import ProfileKey
from historian.schema.summary import ArticleKey, Summary
from historian.stores.files.summary_lines import as_line
from historian.stores.local import LocalBackend
from historian.stores.sqlite.former_documents import take_over
from historian.stores.sqlite.index_schema import open_index
from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue
from support.articles import chapters_of
from support.crashes.killed_at import killed_at_every_call
from support.memory import settings_for
from support.stores import causes_of

ANN, GROUP = ProfileKey("user", "42", "g:7"), ProfileKey("group", "7")
AT = "2026-02-21T17:30:00+08:00"
ARTICLE = ArticleKey("42", "7")
ASKED = ForgetRequest(
    Entity("user", "42"), 5.5, stage="deleting", last_rows=(1 << 40,), texts=("asked",)
)
CHAPTERS = "<Bedrock>\n- Ann is a nurse\n</Bedrock>\n\n<Evolutionary>\n</Evolutionary>\n\n<Dynamic>\n- {n}\n</Dynamic>\n"


def profile_text(key: ProfileKey, revision: int, body: str) -> str:
    return (
        f"---\nentity_type: {key.entity_type}\nentity_id: '{key.entity_id}'\nlayer: '{key.layer}'\nname: 小林\ntags:\n- 猫\n"
        f"updated_at: '{AT}'\nrevision: {revision}\nsource_event_id: r{revision}-1:0\n---\n\n{body}\n"
    )


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def summary(n: int) -> Summary:
    return Summary(
        f"s{n}",
        ARTICLE,
        f"Ann read {n}",
        AT,
        AT,
        f"2026-02-2{n}T10:00:00+08:00",
        3,
        "rules",
        True,
        through=f"j{n}-0:0",
    )


def former(directory: Path) -> Path:
    """Make a data directory as a former version left it."""
    profiles, chapters = directory / "profiles", directory / "chapters"
    put(profiles / "users" / "42@g%3A7.md", profile_text(ANN, 3, "# 爱好\n- 爬山\n\n喜欢喝茶"))
    for n in (1, 2):
        put(
            profiles / "history" / "users" / "42@g%3A7" / f"{n}-20260221T093000Z.md",
            profile_text(ANN, n, f"- text {n}"),
        )
    put(
        profiles / "history" / "users" / "42@g%3A7" / "3-20260221T093000Z.md",
        profile_text(ANN, 3, "- killed in between"),
    )
    put(profiles / "groups" / "7.md", profile_text(GROUP, 1, "- climbers"))
    put(
        profiles / "history" / "users" / "43" / "1-20260221T093000Z.md",
        profile_text(ProfileKey("user", "43"), 1, "- gone"),
    )
    put(profiles / "users" / "UPPER.md", "whose is it?")
    put(profiles / ".locks" / "01.lock", "")
    head = (
        "---\nuser_id: '42'\nscope: g:7\nrevision: {n}\nupdated_at: '"
        + AT
        + "'\nsources:\n- s{n}\n---\n\n"
    )
    for n in (1, 2):
        put(
            chapters / "history" / "42@g%3A7" / f"{n}-20260221T093000Z.md",
            (head + CHAPTERS).format(n=n),
        )
    put(chapters / "42@g%3A7.md", (head + CHAPTERS.replace("<Bedrock>", "")).format(n=3))
    put(
        directory / "summaries" / "42@g%3A7.jsonl",
        "".join(f"{as_line(summary(n))}\n" for n in (1, 2)) + "{not json}\n",
    )
    forgetting = directory / "forgetting"
    put(forgetting / "user-42.json", json.dumps(asdict(ASKED)))
    put(
        forgetting / "user-42.known" / "000000",
        json.dumps({"texts": ["found"], "moments": [["g:7", 1.5]]}),
    )
    put(
        forgetting / "user-43.json",
        json.dumps({**asdict(ASKED), "entity": {"type": "user", "id": "43"}}),
    )
    put(forgetting / "user-43.report.json", "{}")
    with closing(open_index(directory / "index.sqlite")) as index, index.writing() as transaction:
        noted = [
            ("user:42@g%3A7", "r0-1"),
            ("article:42@g%3A7", "s0"),
            ("job", "r0-1"),
            ("buffered", "r0-1"),
            ("migrated", "x"),
        ]
        transaction.run_many("INSERT INTO ledger (entity_key, job_id) VALUES (%s, %s)", noted)
    return directory


@contextmanager
def opened(directory: Path) -> Iterator[LocalBackend]:
    with (
        closing(SqliteJobQueue(directory / QUEUE, clock=time.time)) as queue,
        closing(LocalBackend(directory, settings_for(directory), queue)) as backend,
    ):
        yield backend


def found_in(directory: Path) -> dict[str, Any]:
    with opened(directory) as backend:
        profiles, articles = backend.profiles, backend.article_stores.articles
        return {
            "profiles": {
                str(key): [
                    (one.revision, [line.text for line in one.lines], one.name)
                    for one in profiles.kept(key)
                ]
                for key in profiles.keys()  # noqa: SIM118 - a store, no dictionary
            },
            "causes": (causes_of(profiles, ANN), causes_of(articles, ARTICLE)),
            "articles": [
                (one.revision, chapters_of(one).dynamic) for one in articles.kept(ARTICLE)
            ],
            "summaries": [one.id for one in backend.article_stores.summaries.read(ARTICLE)],
            "requests": backend.forget_requests.all(),
            "ledger": [
                backend.ledger.has(key, "r0-1") for key in ("job", "buffered", "user:42@g%3A7")
            ],
        }


EXPECTED = {
    "profiles": {
        "group:7": [(1, ["climbers"], "小林")],
        "user:42@g:7": [
            (3, ["爱好: 爬山", "爱好: 喜欢喝茶"], "小林"),
            (2, ["text 2"], "小林"),
            (1, ["text 1"], "小林"),
        ],
        "user:43": [(2, [], ""), (1, ["gone"], "小林")],
    },
    "causes": ({"r0-1", "r1-1", "r2-1", "r3-1"}, {"s0", "s1", "s2"}),
    "articles": [(2, "- 2"), (1, "- 1")],
    "summaries": ["s1", "s2"],
    "requests": [replace(ASKED, texts=("asked", "found"), moments=(("g:7", 1.5),))],
    "ledger": [True, True, False],
}


def test_all_of_it_becomes_rows_once(tmp_path: Path) -> None:
    former(tmp_path)
    for _ in range(2):
        assert found_in(tmp_path) == EXPECTED
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_dir()}
    assert (
        left
        & {"profiles/history", "chapters/history", "summaries", "profiles/.locks", "forgetting"}
        == set()
    )
    assert (tmp_path / "summaries.damaged.jsonl").read_text(encoding="utf-8") == "{not json}\n"
    assert "- 3" in (tmp_path / "chapters-42@g%3A7.damaged.md").read_text(encoding="utf-8")
    text = (tmp_path / "profiles" / "users" / "42@g%3A7.md").read_text(encoding="utf-8")
    assert text.endswith("---\n\n- 爱好: 爬山\n- 爱好: 喜欢喝茶\n"), "the file is of this version"


@pytest.mark.slow
def test_killed_anywhere_it_is_done_again(tmp_path: Path) -> None:
    runs = 0

    def reset() -> None:
        nonlocal runs
        runs += 1
        former(tmp_path / str(runs))

    def work() -> None:
        with opened(tmp_path / str(runs)):
            pass

    for n in killed_at_every_call(work, reset):
        assert found_in(tmp_path / str(n)) == EXPECTED, f"killed at call {n}"
    assert n > 10


def test_another_request_for_the_same_entity_begins_anew_with_what_was_found_for_both(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as backend:
        backend.forget_requests.ask(
            ForgetRequest(ASKED.entity, 7.5, mentions=True, texts=("later",))
        )
    put(tmp_path / "forgetting" / "user-42.json", json.dumps(asdict(ASKED)))
    put(tmp_path / "forgetting" / "user-44.json", "{broken")
    with opened(tmp_path) as backend:
        (found,) = backend.forget_requests.all()
    assert (found.until, found.mentions, found.stage, found.last_rows) == (7.5, True, "waiting", ())
    assert set(found.texts) == {"asked", "later"}
    assert (tmp_path / "forgetting" / "user-44.json").exists(), (
        "what cannot be read is left for people"
    )


def test_summaries_of_a_former_version_keep_their_promotion(tmp_path: Path) -> None:
    line = {**json.loads(as_line(summary(1))), "promoted_at": AT, "promoted_into": 3}
    put(tmp_path / "summaries" / "42@g%3A7.jsonl", json.dumps(line))
    with opened(tmp_path) as backend:
        (one,) = backend.article_stores.summaries.read(ARTICLE)
        assert (one.promoted_at, one.promoted_into) == (AT, 3)


def test_taking_over_nothing_makes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as backend:
        take_over(
            tmp_path,
            backend.database,
            backend.queue.database(),
            {},
            backend.article_stores.summaries,
            backend.forget_requests,
        )  # type: ignore[attr-defined,arg-type]
    assert {path.name for path in tmp_path.iterdir()} == {"index.sqlite", "queue.sqlite"}
