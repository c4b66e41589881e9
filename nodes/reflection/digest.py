"""digest: what the stimulus means for the article, and which chapters it strikes."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ...prompts import reconstructing
from ...schema.article import ChapterName
from ...schema.graph_states.reflection import DigestState, ReflectionContext, ReflectionState, ReflectionUpdate
from .job import read_article, reflection_job


async def digest(state: ReflectionState, runtime: Runtime[ReflectionContext]) -> ReflectionUpdate:
    """Digest the stimulus by one model call. Without a model, and in a digest without chapters, it affects Dynamic."""
    context = runtime.context
    if context.chat is None:
        return {"digested": DigestState(significant=True, chapters=["Dynamic"], points={})}
    job = reflection_job(state, context.settings)
    article, _ = await read_article(job, context)
    stimulus = state["stimulus"]
    found = await reconstructing.digest(
        article, stimulus, chat=context.chat, names=job.names, language=job.language(article, stimulus)
    )
    chapters: list[ChapterName] = list(found.chapters) or ["Dynamic"]
    return {"digested": DigestState(significant=found.significant, chapters=chapters, points=dict(found.points))}
