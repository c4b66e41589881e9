"""Forgetting reaches articles, summaries, states and jobs that wait; those of others stay."""

from __future__ import annotations

from pathlib import Path

from historian.schema.summary import ArticleKey, Spoken, Summary
from historian.service.cognitive import CognitiveService
from support.articles import Chapters, put_article
from support.memory import AT, settings_for
from support.queue_rows import rows
from support.recall import stored_parts

ANN, ANN_IN_GROUP, BOB_IN_GROUP = ArticleKey("7"), ArticleKey("7", "100"), ArticleKey("8", "100")


def secret(key: ArticleKey) -> str:
    return f"zebra-{key.user_id}-{key.group_id or 'private'}"


async def filled(directory: Path) -> None:
    parts = stored_parts(settings_for(directory))
    for n, key in enumerate((ANN, ANN_IN_GROUP, BOB_IN_GROUP)):
        stores = parts.article_stores
        for revision in range(2):
            article = Chapters(bedrock=f"- I know {secret(key)} number {revision}")
            sources = [f"s{revision}"]
            put_article(
                stores.articles,
                key,
                article,
                expected_revision=revision,
                sources=sources,
                now=AT,
                forgotten=lambda: False,
            )
        made = Summary(
            f"s{n}", key, f"{secret(key)} was told", AT, AT, AT, 9, "rules", True, through=f"{n}:0"
        )
        stores.summaries.add(made, forgotten=lambda: False)
        stores.buffer.add(
            key, f"j{n}", [(f"j{n}:0", Spoken("user", f"{secret(key)} waits"))], entities=[], at=0.0
        )
    await parts.aclose()


def found(directory: Path, what: str) -> list[str]:
    return [
        str(path)
        for path in directory.rglob("*")
        if path.is_file() and what.encode() in path.read_bytes()
    ]


async def test_a_user_is_forgotten_in_summaries_and_articles_and_in_what_waits(
    tmp_path: Path,
) -> None:
    await filled(tmp_path)
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        await memory.update_memory(f"my secret is {secret(ANN)} indeed", "7")
        await memory.update_memory("something of somebody else", "8")
        report = await memory.forget_user("7")
        assert report.clean
    assert found(tmp_path, "zebra-7") == []
    assert found(tmp_path, secret(BOB_IN_GROUP))
    assert len(rows(tmp_path)) == 1


async def test_a_group_is_forgotten_and_the_private_chats_of_its_members_stay(
    tmp_path: Path,
) -> None:
    await filled(tmp_path)
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert (await memory.forget_group("100")).clean
    assert found(tmp_path, secret(ANN_IN_GROUP)) == found(tmp_path, secret(BOB_IN_GROUP)) == []
    assert found(tmp_path, secret(ANN))
