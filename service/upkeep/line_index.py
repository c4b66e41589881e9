"""Embeddings of the Dynamic lines of articles, made when the worker is idle, for the deep search."""

from __future__ import annotations

import asyncio

from ...models.embeddings.recorded import embedded_apart
from ...schema.commands import RollbackArticleCommand
from ...schema.job import Job
from ...schema.protocols import ArticleStores, Embedder, Vector
from ...schema.summary import ArticleKey

LOOK_EVERY = 30
"""Every so many looks at what jobs have changed, one is for articles that another process has restored."""


class LineIndex:
    """Keeps the vectors of Dynamic lines as the articles stand."""

    def __init__(self, stores: ArticleStores, embedder: Embedder | None) -> None:
        self._stores = stores
        self._embedder = embedder
        self._changed: set[ArticleKey] = set()
        self._known: set[ArticleKey] = set()
        self._looks = 0

    def touch(self, job: Job) -> None:
        """Note whose article a finished job may have changed."""
        if self._embedder is None:
            return
        if job.kind == "rollback_article":
            self._changed.add(RollbackArticleCommand.model_validate(job.payload).key)
        else:
            self._changed.add(ArticleKey(job.user_id, job.group_id))

    async def bring_up_to_date(self) -> None:
        """Embed the lines of changed articles; now and then also look for articles restored by another process.

        Raises ModelUnavailable, ModelRefused and StorageError.
        """
        if self._embedder is None:
            return
        if self._looks % LOOK_EVERY == 0:
            keys = set(await asyncio.to_thread(self._stores.articles.keys))
            self._changed |= keys - self._known
            self._known = keys
        self._looks += 1
        while self._changed:
            key = next(iter(self._changed))
            await self._embed(key, self._embedder)
            self._changed.discard(key)

    async def _embed(self, key: ArticleKey, embedder: Embedder) -> None:
        stored = await asyncio.to_thread(self._stores.articles.read, key)
        lines = dict.fromkeys(stored.article.lines("Dynamic")) if stored is not None else {}
        known = await asyncio.to_thread(self._stores.line_vectors.read, key, embedder.model)
        new = [line for line in lines if line not in known]
        vectors: dict[str, Vector] = {line: known[line] for line in lines if line in known}
        if not new and len(vectors) == len(known):
            return
        made = zip(new, await embedded_apart(new, embedder), strict=True)
        vectors.update({line: vector for line, vector in made if vector is not None})

        def forgotten() -> bool:
            """Return True if lines went while they were embedded, with the article or out of it."""
            now = self._stores.articles.read(key)
            return not vectors.keys() <= set(now.article.lines("Dynamic") if now is not None else ())

        await asyncio.to_thread(self._stores.line_vectors.replace, key, embedder.model, vectors, forgotten=forgotten)
