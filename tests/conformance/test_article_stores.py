"""Conformance of the stores of summaries and articles. `opened` reopens the same data, as another process would."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import InvalidInput, RevisionConflict
from historian.schema.summary import (
    Article,
    ArticleKey,
    BufferedState,
    Spoken,
    Summary,
)
from historian.service.components import open_parts
from historian.stores.files.summary_lines import as_line
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.sqlite.documents import MirroredArticles
from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue
from historian.stores.tables.articles import ArticleStorage, ArticleStores
from historian.stores.tables.events.store import EventStore
from historian.stores.tables.state_buffer import StateBuffer
from historian.stores.tables.summaries import SummaryStorage
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.articles import Chapters, chapters_of, put_article
from support.memory import AT, settings_for
from support.postgres import Schema
from support.stores import bury, causes_of

KEY, IN_GROUP, OTHER = ArticleKey("42"), ArticleKey("42", "100"), ArticleKey("43", "100")
ARTICLE = Chapters(
    "- I know that Ann is a nurse",
    "- Ann and I joke about tea",
    "- 2026-02-21 Ann reads Three Body",
)


class Opened(NamedTuple):
    article_stores: ArticleStores
    events: EventStore


OpenParts = Callable[[], Opened]


def never() -> bool:
    return False


def _in_directory(place: Path) -> OpenParts:
    configured = settings_for(place, shortterm={"revision_keep": 3})

    def opener() -> Opened:
        parts = open_parts(configured, clock=lambda: 0.0)
        return Opened(parts.article_stores, parts.events)

    return opener


def _in_schema(schema: Schema) -> OpenParts:
    def opener() -> Opened:
        database = schema.open()
        stores = ArticleStores(
            buffer=StateBuffer(lambda: database),
            summaries=SummaryStorage(lambda: database),
            articles=ArticleStorage(lambda: database, revision_keep=3),
        )
        return Opened(stores, PostgresEventStore(database))

    return opener


@pytest.fixture(params=["files", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, schema: Schema) -> Iterator[OpenParts]:
    kept: list[Opened] = []
    opener = _in_directory(tmp_path) if request.param == "files" else _in_schema(schema)

    def keeping() -> Opened:
        kept.append(opener())
        return kept[-1]

    yield keeping
    for one in kept:
        one.events.close()


FILES_ONLY = pytest.mark.parametrize("opened", ["files"], indirect=True)


@pytest.fixture
def stores(opened: OpenParts) -> ArticleStores:
    return opened().article_stores


def summary(number: int = 1, key: ArticleKey = KEY, **fields: object) -> Summary:
    made = Summary(
        id=f"summary-{key}-{number}",
        key=key,
        text=f"Ann read chapter {number}\n第二行 with </Bedrock> and a tab\t.",
        since=AT,
        until=AT,
        created_at=AT,
        tokens=10,
        written_by="model",
        is_absolute=False,
        gate_reasons=("relative: today",),
        through=f"job:{number}",
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def write(
    stores: ArticleStores, article: Article, revision: int, *sources: str, key: ArticleKey = KEY
) -> int:
    stored = put_article(
        stores.articles,
        key,
        article,
        expected_revision=revision,
        sources=sources,
        now=AT,
        forgotten=never,
    )
    assert stored is not None
    return stored.revision


# --- states


def states(job: str, *texts: str) -> list[tuple[str, Spoken]]:
    return [(f"{job}:{n}", Spoken("user", text, "Ann", AT)) for n, text in enumerate(texts)]


def test_states_wait_in_order_and_are_released_up_to_one(opened: OpenParts) -> None:
    buffer = opened().article_stores.buffer
    assert buffer.add(KEY, "a-0", states("a-0", "one", "two"), entities=["user:42"], at=1.0)
    assert buffer.add(KEY, "b-0", states("b-0", "three"), entities=["user:42"], at=1.0)
    buffer = opened().article_stores.buffer
    assert [one.spoken.text for one in buffer.read(KEY)] == ["one", "two", "three"]
    assert [one.entry_id for one in buffer.through(KEY, "a-0:1")] == ["a-0:0", "a-0:1"]
    assert buffer.release(KEY, "a-0:1") == 2
    assert buffer.release(KEY, "a-0:1") == 0, "releasing again lets nothing else go"
    assert [one.spoken.text for one in buffer.read(KEY)] == ["three"]
    assert buffer.tokens(KEY) == sum(one.tokens for one in buffer.read(KEY)) > 0


def test_a_jobs_states_are_taken_once_even_after_they_were_released(stores: ArticleStores) -> None:
    assert stores.buffer.add(KEY, "a-0", states("a-0", "one"), entities=[], at=1.0)
    assert stores.buffer.was_taken("a-0") and not stores.buffer.was_taken("b-0")
    stores.buffer.release(KEY, "a-0:0")
    assert not stores.buffer.add(KEY, "a-0", states("a-0", "one"), entities=[], at=1.0)
    assert stores.buffer.tokens(KEY) == 0


def test_states_of_who_was_forgotten_are_not_taken(opened: OpenParts) -> None:
    parts = opened()
    bury(parts.events, "user:42", until=100.0)
    assert not parts.article_stores.buffer.add(
        KEY, "a-0", states("a-0", "one"), entities=["user:42"], at=100.0
    )
    assert parts.article_stores.buffer.add(
        KEY, "b-0", states("b-0", "later"), entities=["user:42"], at=101.0
    )


def test_states_of_one_conversation_are_not_those_of_another(stores: ArticleStores) -> None:
    for n, key in enumerate((KEY, IN_GROUP, OTHER)):
        stores.buffer.add(key, f"j{n}-0", states(f"j{n}-0", f"text {n}"), entities=[], at=1.0)
    assert [one.spoken.text for one in stores.buffer.read(IN_GROUP)] == ["text 1"]
    assert stores.buffer.release(IN_GROUP, "j0-0:0") == 0, (
        "another conversation's state releases nothing here"
    )
    assert set(stores.buffer.keys()) == {KEY, IN_GROUP, OTHER}


# --- summaries


def test_summaries_come_back_as_they_were_written(opened: OpenParts) -> None:
    assert opened().article_stores.summaries.add(summary(1), forgotten=never)
    assert not opened().article_stores.summaries.add(summary(1, text="another"), forgotten=never)
    assert opened().article_stores.summaries.add(summary(2), forgotten=never)
    assert opened().article_stores.summaries.read(KEY) == [summary(1), summary(2)]


def test_each_summary_is_promoted_once(stores: ArticleStores) -> None:
    for n in (1, 2, 3):
        stores.summaries.add(summary(n), forgotten=never)
    ids = [summary(1).id, summary(2).id]
    assert stores.summaries.mark_promoted(KEY, ids, at=AT, into=4) == 2
    assert (
        stores.summaries.mark_promoted(
            KEY, [*ids, summary(3).id], at="2027-01-01T00:00:00+08:00", into=9
        )
        == 1
    )
    stores.summaries.add(summary(4), forgotten=never)
    assert stores.summaries.mark_promoted(KEY, [summary(4).id], at=AT, into=None) == 1
    assert [one.promoted_into for one in stores.summaries.read(KEY)] == [4, 4, 9, None]
    assert not any(one.is_short_term for one in stores.summaries.read(KEY))


def test_nothing_is_kept_of_who_is_forgotten(stores: ArticleStores) -> None:
    assert not stores.summaries.add(summary(1), forgotten=lambda: True)
    assert stores.summaries.read(KEY) == []
    assert (
        put_article(
            stores.articles,
            KEY,
            ARTICLE,
            expected_revision=0,
            sources=["s"],
            now=AT,
            forgotten=lambda: True,
        )
        is None
    )
    assert stores.articles.read(KEY) is None


def test_the_line_of_a_summary_has_the_names_that_are_documented() -> None:
    data = json.loads(as_line(summary(1, key=IN_GROUP)))
    assert set(data) == {
        *(
            "id",
            "user_id",
            "scope",
            "text",
            "from",
            "until",
            "created_at",
            "tokens",
            "written_by",
            "is_absolute",
        ),
        *("gate_reasons", "through", "promoted_at", "promoted_into"),
    }
    assert data["scope"] == "g:100" and data["promoted_at"] is None


# --- articles


def test_an_article_comes_back_as_it_was_written(opened: OpenParts) -> None:
    odd = Chapters("- </Bedrock> <Dynamic>", "- ---\n- revision: 9", "- [2026-02-21] 三体")
    assert write(opened().article_stores, odd, 0, "s1", "s2") == 1
    stored = opened().article_stores.articles.read(KEY)
    assert (
        stored is not None
        and chapters_of(stored) == odd
        and stored.sources == ("s1", "s2")
        and stored.updated_at == AT
    )


def test_of_two_writers_of_one_revision_one_succeeds(stores: ArticleStores) -> None:
    write(stores, ARTICLE, 0, "s1")
    with pytest.raises(RevisionConflict, match="revision 1 is stored"):
        write(stores, ARTICLE, 0, "s2")


def test_what_was_taken_in_is_not_taken_in_again_however_long_ago_that_was(
    opened: OpenParts,
) -> None:
    stores = opened().article_stores
    for n in range(8):
        write(stores, ARTICLE.with_chapters({"Dynamic": f"- {n}"}), n, f"s{n}")
    assert write(opened().article_stores, ARTICLE, 99, "s0") == 8, (
        "the stored article is given, and nothing was written"
    )
    assert causes_of(opened().article_stores.articles, KEY) == {f"s{n}" for n in range(8)}
    assert [one.revision for one in opened().article_stores.articles.history(KEY)] == [7, 6, 5]


def test_an_earlier_revision_comes_back_as_a_new_one(stores: ArticleStores) -> None:
    write(stores, ARTICLE, 0, "s1")
    write(stores, Chapters(bedrock="- worse"), 1, "s2")
    assert stores.articles.rollback(KEY, 1, now=AT, job_id="order").revision == 3
    assert stores.articles.rollback(KEY, 1, now=AT, job_id="order").revision == 3, (
        "the same order changes nothing more"
    )
    stored = stores.articles.read(KEY)
    assert stored is not None and chapters_of(stored) == ARTICLE
    with pytest.raises(InvalidInput, match="stored revisions are 2, 1"):
        stores.articles.rollback(KEY, 7, now=AT)


@FILES_ONLY
def test_an_article_is_edited_in_its_file_and_nothing_is_read_from_one_that_is_broken(
    tmp_path: Path, stores: ArticleStores
) -> None:
    write(stores, ARTICLE, 0, "s1")
    path = tmp_path / "chapters" / "42.md"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("## Evolutionary", ""), encoding="utf-8")
    stored = stores.articles.read(KEY)
    assert stored is not None and (chapters_of(stored), stored.revision) == (ARTICLE, 1)
    path.write_text(whole.replace("is a nurse", "was a nurse"), encoding="utf-8")
    stored = stores.articles.read(KEY)
    assert stored is not None and chapters_of(stored).bedrock == "- I know that Ann was a nurse"
    assert (stored.revision, stored.sources) == (2, ("edit",))
    assert write(stores, Chapters(bedrock="- newer"), 2, "s3") == 3
    assert "- newer" in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_reader_never_sees_half_an_article_or_half_a_file_of_summaries(opened: OpenParts) -> None:
    writing, reading = opened().article_stores, opened().article_stores
    done = threading.Event()
    wrong: list[str] = []
    seen: set[int] = set()

    def hammer() -> None:
        while not done.is_set():
            stored = reading.articles.read(KEY)
            if stored is not None:
                seen.add(stored.revision)
                parts = {lines[0].text for lines in stored.chapters.values()}
                if parts != {f"number {stored.revision} {'x' * 2_000}"}:
                    wrong.append(f"revision {stored.revision} mixes chapters")
            known = reading.summaries.read(KEY)
            if [one.id for one in known] != [f"summary-42-{n}" for n in range(len(known))]:
                wrong.append("a summary is missing")

    readers = [threading.Thread(target=hammer) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for n in range(60):
            text = f"- number {n + 1} {'x' * 2_000}"
            write(writing, Chapters(text, text, text), n, f"s{n}")
            writing.summaries.add(summary(n), forgotten=never)
            writing.summaries.mark_promoted(KEY, [summary(n).id], at=AT, into=n + 1)
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert wrong == []
    assert len(seen) > 1, "the readers saw the article change"


# --- forgetting


def fill(stores: ArticleStores) -> None:
    for n, key in enumerate((KEY, IN_GROUP, OTHER)):
        stores.buffer.add(key, f"j{n}-0", states(f"j{n}-0", "secret"), entities=[], at=1.0)
        stores.summaries.add(summary(1, key=key), forgotten=never)
        write(stores, ARTICLE, 0, "s1", key=key)
        write(stores, ARTICLE, 1, "s2", key=key)


def left(stores: ArticleStores) -> set[ArticleKey]:
    kept = {*stores.buffer.keys(), *stores.summaries.keys(), *stores.articles.keys()}
    return kept | {key for key in (KEY, IN_GROUP, OTHER) if stores.articles.history(key)}


def test_all_of_a_user_goes_in_every_conversation(stores: ArticleStores) -> None:
    fill(stores)
    assert stores.erase(Entity("user", "42")) == 6
    assert left(stores) == {OTHER} and stores.erase(Entity("user", "42")) == 0
    put_article(
        stores.articles, KEY, ARTICLE, expected_revision=0, sources=["s9"], now=AT, forgotten=never
    )
    assert stores.articles.history(KEY) == [], "nothing of before"


@FILES_ONLY
def test_all_of_a_user_goes_out_of_the_files_also_what_somebody_broke(
    opened: OpenParts, tmp_path: Path
) -> None:
    stores = opened().article_stores
    fill(stores)
    (tmp_path / "chapters" / "42.md").write_text("<Bedrock>", encoding="utf-8")
    broken = tmp_path / "chapters" / "43@g%3A100.md"
    broken.write_text("<Bedrock>\n- what 42 has said", encoding="utf-8")
    stores.articles.keys()
    assert stores.erase(Entity("user", "42")) == 6
    assert left(stores) == {OTHER}
    assert [path.name for path in (tmp_path / "chapters").iterdir()] == [broken.name]
    assert "42 has said" not in broken.read_text(encoding="utf-8"), (
        "what a broken file holds is not known"
    )
    assert b"secret" in (tmp_path / "index.sqlite").read_bytes(), (
        "of the other user, whose data stays"
    )
    stores.erase(Entity("user", "43"))
    assert b"secret" not in (tmp_path / "index.sqlite").read_bytes()


def test_all_of_a_conversation_goes(stores: ArticleStores) -> None:
    fill(stores)
    assert stores.erase(Entity("group", "100")) == 6
    assert left(stores) == {KEY}
    stores.erase(Entity("user", "42"))
    assert left(stores) == set()


def test_lines_about_somebody_else_are_taken_out_for_good(
    stores: ArticleStores, tmp_path: Path
) -> None:
    write(
        stores,
        ARTICLE.with_chapters({"Bedrock": "- Ann is a nurse\n- Bob is her brother"}),
        0,
        "s1",
    )
    write(
        stores,
        ARTICLE.with_chapters(
            {"Bedrock": "- Ann is a nurse\n- Bob is her brother", "Dynamic": "- Ann swims"}
        ),
        1,
        "s2",
    )
    stores.summaries.add(summary(1, text="Ann swims\nBob sings"), forgotten=never)
    stores.summaries.add(summary(2, text="Bob sings"), forgotten=never)
    assert stores.articles.without_lines(KEY, lambda line: "Bob" in line, now=AT) == 1
    assert stores.summaries.without_lines(KEY, lambda line: "Bob" in line) == 2
    stored = stores.articles.read(KEY)
    assert (
        stored is not None
        and stored.revision == 3
        and chapters_of(stored).bedrock == "- Ann is a nurse"
    )
    assert [one.text for one in stores.summaries.read(KEY)] == ["Ann swims"]
    assert not any("Bob" in line for line in stores.articles.lines(KEY))
    for folder in ("chapters", "summaries"):
        files = [
            path
            for path in (tmp_path / folder).rglob("*")
            if path.is_file() and path.suffix in (".md", ".jsonl")
        ]
        assert not any("Bob" in path.read_text(encoding="utf-8") for path in files)
    assert stores.articles.without_lines(KEY, lambda line: "Bob" in line, now=AT) == 0
    assert stores.articles.read(KEY) == stored, "nothing to take out, nothing written"


@FILES_ONLY
def test_lines_go_out_of_a_file_that_somebody_broke_and_what_was_taken_in_stays_known(
    stores: ArticleStores, tmp_path: Path
) -> None:
    write(stores, ARTICLE, 0, "s1")
    write(stores, ARTICLE.with_chapters({"Dynamic": "- Ann swims with Bob"}), 1, "s2")
    path = next((tmp_path / "chapters").glob("*.md"))
    path.write_text(
        path.read_text(encoding="utf-8").replace("## Bedrock", "- and Bob sings"), encoding="utf-8"
    )
    assert stores.articles.read(KEY).revision == 2, "nothing is taken from it"
    assert "- and Bob sings" in path.read_text(encoding="utf-8"), "whoever broke it may correct it"
    assert stores.articles.without_lines(KEY, lambda line: "Bob" in line, now=AT) == 1
    assert not any("Bob" in line for line in stores.articles.lines(KEY))
    files = [
        file
        for file in (tmp_path / "chapters").rglob("*.md")
        if "Bob" in file.read_text(encoding="utf-8")
    ]
    assert files == []
    stored = stores.articles.read(KEY)
    assert stored is not None and chapters_of(stored) == ARTICLE.with_chapters({"Dynamic": ""})
    assert "s1" in causes_of(stores.articles, KEY)


def test_what_an_article_that_came_back_had_taken_in_stays_known_after_its_history_has_gone(
    stores: ArticleStores,
) -> None:
    revisions = [
        replace(ARTICLE, dynamic=f"- {n}").article(KEY, n, AT, (f"s{n}",)) for n in range(4, 9)
    ]
    assert stores.articles.restore(revisions) == "restored"
    assert stores.articles.kept(KEY) == revisions[:0:-1], (
        "as many earlier ones as are kept, by their own numbers"
    )
    assert (stores.articles.restore(revisions), stores.articles.restore(revisions[:2])) == (
        "same",
        "different",
    )
    for n in range(8, 14):
        write(stores, replace(ARTICLE, dynamic=f"- {n + 1}"), n, f"s{n + 1}")
    assert {"s4", "s5", "s8"} <= causes_of(stores.articles, KEY)


def test_what_is_brought_back_is_sorted_in_and_changes_nothing_that_is_there(
    opened: OpenParts,
) -> None:
    stores = opened().article_stores
    early, late = (summary(n, created_at=f"2026-02-{n:02}T10:00:00+08:00") for n in (3, 9))
    between = summary(5, created_at="2026-02-05T10:00:00+00:00")
    for one in (early, late):
        stores.summaries.add(one, forgotten=never)
    stores.summaries.mark_promoted(KEY, [early.id], at=AT, into=1)
    assert stores.summaries.restore([early, between, replace(late, text="other")]) == [
        "same",
        "restored",
        "different",
    ]
    assert [one.id for one in opened().article_stores.summaries.read(KEY)] == [
        early.id,
        between.id,
        late.id,
    ]
    waiting = [
        BufferedState(KEY, "a-0:0", Spoken("user", "one", "Ann", AT), 1),
        BufferedState(KEY, "b-0:0", Spoken("user", "two"), 1),
    ]
    stores.buffer.add(KEY, "a-0", states("a-0", "one", "gone"), entities=[], at=1.0)
    stores.buffer.add(KEY, "c-0", states("c-0", "three"), entities=[], at=1.0)
    changed = BufferedState(KEY, "c-0:0", Spoken("user", "changed", "Ann", AT), 1)
    released = BufferedState(KEY, "a-0:7", Spoken("user", "long since summarised"), 1)
    assert stores.buffer.restore([*waiting, changed, released]) == [
        "same",
        "restored",
        "different",
        "same",
    ]
    assert [one.spoken.text for one in stores.buffer.read(KEY)] == [
        "one",
        "gone",
        "three",
        "two",
    ]
    assert stores.buffer.was_taken("b-0") and stores.buffer.remove(["a-0:1", "nobody"]) == 1


def test_nobody_elses_goes_whatever_the_ids_are_like(stores: ArticleStores) -> None:
    keys = [
        ArticleKey("4"),
        ArticleKey("42"),
        ArticleKey("42@g:1"),
        ArticleKey("42", "1"),
        ArticleKey("g:1"),
        ArticleKey("%34"),
    ]
    for key in keys:
        stores.summaries.add(summary(1, key=key), forgotten=never)
        write(stores, ARTICLE, 0, "s", key=key)
    stores.erase(Entity("user", "42"))
    assert (
        set(stores.summaries.keys())
        == set(stores.articles.keys())
        == {key for key in keys if key.user_id != "42"}
    )


LONG = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=128)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    users=st.lists(LONG, min_size=1, max_size=3, unique=True),
    groups=st.lists(LONG, max_size=2, unique=True),
)
def test_every_key_is_found_again_by_its_file(
    tmp_path: Path, users: list[str], groups: list[str]
) -> None:
    queue = SqliteJobQueue(tmp_path / str(abs(hash((*users, *groups)))) / QUEUE, clock=time.time)
    store = MirroredArticles(queue.database, queue.database().path.parent / "chapters")
    keys = {ArticleKey(user, group) for user in users for group in ("", *groups)}
    for key in keys:
        put_article(
            store, key, ARTICLE, expected_revision=0, sources=["s"], now=AT, forgotten=never
        )
    queue.database().run("DELETE FROM documents")
    assert set(store.keys()) == keys, "the files alone are left"
    for key in keys:
        stored = store.read(key)
        assert stored is not None and (stored.key, chapters_of(stored)) == (key, ARTICLE)
    queue.close()
