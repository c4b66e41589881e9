"""The assistant's articles about people, their revisions, and the dated summaries that they are made of."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from ....schema.summary import ArticleKey, StoredArticle
from ....service.components import Parts
from ....service.inspection.article_list import listed_articles, listed_data
from ....service.inspection.json_data import ArticleData, SummaryData, article_data, summary_data
from ....text.articles.markup import format_article
from ..access import Caller
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
    summaries: list[SummaryData] = Field(description="Oldest first; those with `promoted_into` are in the article.")
    waiting_tokens: int = Field(description="Tokens of conversation that wait to be summarised.")


class ArticleRollback(Body):
    user_id: str
    group_id: str = ""
    revision: Annotated[int, Field(ge=1)]


@router.get("/articles")
def list_articles(parts: PartsHere, operator: OperatorHere) -> Articles:
    """Whom there is an article about, or something that may become one: summaries, and what waits to be summarised."""
    return Articles(articles=[listed_data(one) for one in listed_articles(parts.article_stores)])


@router.get("/article")
def show_article(user_id: UserParameter, parts: PartsHere, caller: CallerHere, group_id: GroupParameter = "") -> ArticleData:
    """The article about a person: three chapters."""
    return article_data(kept_articles(parts, _key(caller, user_id, group_id))[0])


@router.get("/article/history")
def history(user_id: UserParameter, parts: PartsHere, operator: OperatorHere, group_id: GroupParameter = "") -> ArticleRevisions:
    """The revisions of an article that are kept."""
    found = kept_articles(parts, _key(operator, user_id, group_id))
    return ArticleRevisions(revisions=[article_data(one) for one in found])


@router.get("/article/diff")
def diff(
    user_id: UserParameter,
    parts: PartsHere,
    operator: OperatorHere,
    group_id: GroupParameter = "",
    old: int | None = None,
    new: int | None = None,
) -> Diff:
    """What changed between two revisions, by default the last two."""
    found = kept_articles(parts, _key(operator, user_id, group_id))
    return difference(found, old, new, lambda one: format_article(one.article).splitlines())


@router.post("/article/rollback")
async def roll_back(
    asked: ArticleRollback, memory: MemoryHere, parts: PartsHere, operator: OperatorHere, response: Response
) -> Commanded:
    """Bring an earlier revision back, as a new one."""
    key = _key(operator, asked.user_id, asked.group_id)
    _, *earlier = await asyncio.to_thread(kept_articles, parts, key)
    numbered(earlier, asked.revision)
    return await rolled_back(memory, "rollback_article", asked.model_dump(), response)


@router.get("/summaries")
def summaries(user_id: UserParameter, parts: PartsHere, caller: CallerHere, group_id: GroupParameter = "") -> Summaries:
    """The dated summaries of a person in one conversation, and how much waits to become one."""
    key = _key(caller, user_id, group_id)
    found = parts.article_stores.summaries.read(key)
    return Summaries(summaries=[summary_data(one) for one in found], waiting_tokens=parts.article_stores.buffer.tokens(key))


def kept_articles(parts: Parts, key: ArticleKey) -> list[StoredArticle]:
    """Return the revisions of an article, newest first. Raises Refused (404) for none."""
    stored = parts.article_stores.articles.read(key)
    if stored is None:
        raise Refused(HTTPStatus.NOT_FOUND, "there is no such article; summaries become one when there are enough of them")
    return [stored, *parts.article_stores.articles.history(key)]


def _key(caller: Caller, user_id: str, group_id: str) -> ArticleKey:
    key = ArticleKey(user_id, group_id)
    caller.scope_named(key.scope.key)
    return key
