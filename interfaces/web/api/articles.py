"""Routes for the assistant's articles about people.

Also for their revisions, and for the dated summaries from which the articles are written.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field

from ....schema.summary import ArticleKey
from ....service.inspection.article_list import listed_articles, listed_data
from ....service.inspection.json_data import ArticleData, SummaryData, article_data, summary_data
from ...revisions import article_revisions
from ..dependencies import CallerHere, MemoryHere, OperatorHere, PartsHere
from .revisions import Commanded, Diff, commanded, difference
from .talk import Body

router = APIRouter(tags=["articles"])

UserParameter = Annotated[str, Query(description="The person whom the article is about.")]
GroupParameter = Annotated[
    str,
    Query(
        description="The group in which the content of the article was said; by default the private chat."
    ),
]


class Articles(BaseModel):
    articles: list[dict[str, Any]] = Field(
        description="The people about whom there is an article, or material for one."
    )


class ArticleRevisions(BaseModel):
    revisions: list[ArticleData] = Field(
        description="Newest first; the first one is the current one."
    )


class Summaries(BaseModel):
    summaries: list[SummaryData] = Field(
        description="Oldest first. Those with `promoted_at` have left short-term memory. "
        "Those with `promoted_into` became part of that revision of the article."
    )
    waiting_tokens: int = Field(description="Tokens of conversation that wait to be summarised.")


class ArticleRollback(Body):
    user_id: str
    group_id: str = ""
    revision: Annotated[int, Field(ge=1)]


@router.get("/articles")
def list_articles(parts: PartsHere, operator: OperatorHere) -> Articles:
    """The people about whom there is an article, or material for one: summaries, or conversation that waits to be summarised."""
    return Articles(articles=[listed_data(one) for one in listed_articles(parts.article_stores)])


async def _key(
    caller: CallerHere, user_id: UserParameter, group_id: GroupParameter = ""
) -> ArticleKey:
    key = ArticleKey(user_id, group_id)
    caller.scope_named(key.scope.key)
    return key


KeyHere = Annotated[ArticleKey, Depends(_key)]
"""The key of the requested article; the request is refused if the caller may not read it."""


@router.get("/article")
def show_article(parts: PartsHere, key: KeyHere) -> ArticleData:
    """The article about a person: three chapters.

    If there is no article yet, the dated summaries are returned in the chapter `dynamic`, with revision 0.
    """
    return article_data(article_revisions(parts, key).kept[0])


@router.get("/article/history")
def history(parts: PartsHere, operator: OperatorHere, key: KeyHere) -> ArticleRevisions:
    """The stored revisions of an article."""
    return ArticleRevisions(
        revisions=[article_data(one) for one in article_revisions(parts, key).kept]
    )


@router.get("/article/diff")
def diff(
    parts: PartsHere,
    operator: OperatorHere,
    key: KeyHere,
    old: int | None = None,
    new: int | None = None,
) -> Diff:
    """The differences between two revisions, by default the last two."""
    return difference(article_revisions(parts, key), old, new)


@router.post("/article/rollback")
async def roll_back(
    asked: ArticleRollback,
    memory: MemoryHere,
    parts: PartsHere,
    operator: OperatorHere,
    response: Response,
) -> Commanded:
    """Restore an earlier revision as a new one."""
    key = ArticleKey(asked.user_id, asked.group_id)
    found = await asyncio.to_thread(article_revisions, parts, key)
    return await commanded(memory, found.rollback, found.command(asked.revision), response)


@router.get("/summaries")
def summaries(parts: PartsHere, key: KeyHere) -> Summaries:
    """The dated summaries of a person in one conversation, and the number of tokens that wait to be summarised."""
    found = parts.article_stores.summaries.read(key)
    return Summaries(
        summaries=[summary_data(one) for one in found],
        waiting_tokens=parts.article_stores.buffer.tokens(key),
    )
