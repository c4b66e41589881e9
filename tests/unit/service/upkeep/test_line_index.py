"""Lines of the chapter Dynamic are embedded behind everybody's back, and follow the article."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from historian.schema.article import Article
from historian.schema.entity import Entity
from historian.schema.errors import ModelAnswerUnusable
from historian.schema.protocols import Matrix
from historian.schema.summary import ArticleKey
from historian.service.components import Parts
from historian.service.upkeep.missing_vectors import LOOK_EVERY, LineIndex
from support.jobs import make_job
from support.memory import AT, settings_for
from support.recall import WordEmbedder, stored_parts

KEY = ArticleKey("42", "7")


@pytest.fixture
async def parts(tmp_path: Path) -> AsyncIterator[Parts]:
    parts = stored_parts(settings_for(tmp_path))
    yield parts
    await parts.aclose()


def write(parts: Parts, revision: int, *lines: str) -> None:
    article = Article(bedrock="- a fact", dynamic="\n".join(lines))
    sources = [f"s{revision}"]
    parts.article_stores.articles.write(
        KEY, article, expected_revision=revision, sources=sources, now=AT, forgotten=lambda: False
    )


async def test_lines_are_embedded_once_and_go_with_the_article(parts: Parts) -> None:
    embedder = WordEmbedder()
    asked: list[str] = []
    embed = embedder.embed_documents

    async def counted(texts: Sequence[str]) -> Matrix:
        asked.extend(texts)
        return await embed(texts)

    embedder.embed_documents = counted  # type: ignore[method-assign]
    index = LineIndex(parts.article_stores, embedder)
    write(parts, 0, "- tea", "- piano")
    await index.bring_up_to_date()
    assert set(parts.article_stores.line_vectors.read(KEY, embedder.model)) == {"- tea", "- piano"}
    write(parts, 1, "- piano", "- hiking")
    await index.bring_up_to_date()
    assert set(parts.article_stores.line_vectors.read(KEY, embedder.model)) == {"- tea", "- piano"}, "nobody has touched it"
    index.touch(make_job(kind="states", payload={"states": []}))
    await index.bring_up_to_date()
    assert set(parts.article_stores.line_vectors.read(KEY, embedder.model)) == {"- piano", "- hiking"}
    assert asked == ["- tea", "- piano", "- hiking"]


async def test_an_article_that_another_process_has_brought_back_is_embedded_soon(parts: Parts) -> None:
    embedder = WordEmbedder()
    index = LineIndex(parts.article_stores, embedder)
    await index.bring_up_to_date()
    write(parts, 0, "- tea")
    for _ in range(LOOK_EVERY):
        await index.bring_up_to_date()
    assert set(parts.article_stores.line_vectors.read(KEY, embedder.model)) == {"- tea"}


async def test_a_rollback_is_followed(parts: Parts) -> None:
    index = LineIndex(parts.article_stores, WordEmbedder())
    write(parts, 0, "- tea")
    write(parts, 1, "- piano")
    await index.bring_up_to_date()
    parts.article_stores.articles.rollback(KEY, 1, now=AT)
    payload = {"user_id": KEY.user_id, "group_id": KEY.group_id, "revision": 1}
    index.touch(make_job(kind="rollback_article", payload=payload))
    await index.bring_up_to_date()
    assert set(parts.article_stores.line_vectors.read(KEY, WordEmbedder.model)) == {"- tea"}


async def test_nothing_is_kept_of_who_is_forgotten_while_lines_are_embedded(parts: Parts) -> None:
    embedder = WordEmbedder()
    embed = embedder.embed_documents

    async def forgets(texts: Sequence[str]) -> Matrix:
        parts.article_stores.erase(Entity("user", "42"))
        return await embed(texts)

    embedder.embed_documents = forgets  # type: ignore[method-assign]
    write(parts, 0, "- tea")
    await LineIndex(parts.article_stores, embedder).bring_up_to_date()
    assert parts.article_stores.line_vectors.read(KEY, embedder.model) == {}


async def test_a_line_that_cannot_be_embedded_is_left_to_keywords(parts: Parts) -> None:
    embedder = WordEmbedder()

    async def broken(texts: Sequence[str]) -> Matrix:
        raise ModelAnswerUnusable("no vectors")

    embedder.embed_documents = broken  # type: ignore[method-assign]
    write(parts, 0, "- tea")
    await LineIndex(parts.article_stores, embedder).bring_up_to_date()
    assert parts.article_stores.line_vectors.read(KEY, embedder.model) == {}


async def test_vectors_of_another_model_are_not_those_of_this_one(parts: Parts) -> None:
    embedder, other = WordEmbedder(), WordEmbedder()
    other.model = "test:other"  # type: ignore[misc]
    write(parts, 0, "- tea")
    for one in (embedder, other):
        await LineIndex(parts.article_stores, one).bring_up_to_date()
    assert parts.article_stores.line_vectors.read(KEY, embedder.model) == {}
    assert set(parts.article_stores.line_vectors.read(KEY, other.model)) == {"- tea"}
