"""The assistant's articles about people, their revisions, and the dated summaries that they are made of."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field

from ....schema.summary import ArticleKey, StoredArticle
from ....service.components import Parts
from ....service.inspection.article_list import listed_articles, listed_data
from ....service.inspection.json_data import ArticleData, SummaryData, article_data, summary_data
from ....text.articles import format_article
from ...revisions import kept_articles
from ..dependencies import CallerHere, MemoryHere, OperatorHere, PartsHere
from ..problems import Refused
from .revisions import Commanded, Diff, difference, numbered, rolled_back
from .talk import Body

router = APIRouter(tags=["articles"])

UserParameter = Annotated[str, Query(description="Whom the article is about.")]
GroupParameter = Annotated[str, Query(description="The group where it was learnt; by default the private chat.")]


class Articles(BaseModel):
    articles: list[dict[str, Any]] = Field(description="Whom there is an article about, or something that may become one.")


class ArticleRevisions(BaseModel):
    revisions: list[ArticleData] = Field(description="Newest first; the first one is the current one.")


class Summaries(BaseModel):
    summaries: list[SummaryData] = Field(
        description="Oldest first; those with `promoted_at` have left short-term memory, for the article if `promoted_into`."
    )
    waiting_tokens: int = Field(description="Tokens of conversation that wait to be summarised.")


class ArticleRollback(Body):
    user_id: str
    group_id: str = ""
    revision: Annotated[int, Field(ge=1)]


@router.get("/articles")
def list_articles(parts: PartsHere, operator: OperatorHere) -> Articles:
    """Whom there is an article about, or something that may become one: summaries, and what waits to be summarised."""
    return Articles(articles=[listed_data(one) for one in listed_articles(parts.article_stores)])


async def _key(caller: CallerHere, user_id: UserParameter, group_id: GroupParameter = "") -> ArticleKey:
    key = ArticleKey(user_id, group_id)
    caller.scope_named(key.scope.key)
    return key


KeyHere = Annotated[ArticleKey, Depends(_key)]
"""Whose memory is asked for, if the caller may read it."""


@router.get("/article")
def show_article(parts: PartsHere, key: KeyHere) -> ArticleData:
    """The article about a person: three chapters. Where none is written yet the dated summaries, as `dynamic` of revision 0."""
    return article_data(_kept(parts, key)[0])


@router.get("/article/history")
def history(parts: PartsHere, operator: OperatorHere, key: KeyHere) -> ArticleRevisions:
    """The revisions of an article that are kept."""
    return ArticleRevisions(revisions=[article_data(one) for one in _kept(parts, key)])


@router.get("/article/diff")
def diff(parts: PartsHere, operator: OperatorHere, key: KeyHere, old: int | None = None, new: int | None = None) -> Diff:
    """What changed between two revisions, by default the last two."""
    return difference(_kept(parts, key), old, new, lambda one: format_article(one.article).splitlines())


@router.post("/article/rollback")
async def roll_back(
    asked: ArticleRollback, memory: MemoryHere, parts: PartsHere, operator: OperatorHere, response: Response
) -> Commanded:
    """Bring an earlier revision back, as a new one."""
    _, *earlier = await asyncio.to_thread(_kept, parts, ArticleKey(asked.user_id, asked.group_id))
    numbered(earlier, asked.revision)
    return await rolled_back(memory, "rollback_article", asked.model_dump(), response)


@router.get("/summaries")
def summaries(parts: PartsHere, key: KeyHere) -> Summaries:
    """The dated summaries of a person in one conversation, and how much waits to become one."""
    found = parts.article_stores.summaries.read(key)
    return Summaries(summaries=[summary_data(one) for one in found], waiting_tokens=parts.article_stores.buffer.tokens(key))


def _kept(parts: Parts, key: ArticleKey) -> list[StoredArticle]:
    """Return the revisions of an article, newest first. Raises Refused (404) for none."""
    if found := kept_articles(parts, key):
        return found
    raise Refused(HTTPStatus.NOT_FOUND, "there is neither such an article nor a summary yet")
