"""rewrite: draft the texts of a hand-over by rules; a model writes those that stay unresolved."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime

from ...prompts.asking import asked
from ...prompts.rewriting import RecordTexts, rewrite_prompt
from ...prompts.templates import owner_words, render
from ...schema.graph_states.historian import HistorianState, HistorianUpdate, ItemState
from ...stores.historian_context import HistorianContext
from ...text.job_verdicts import can_be_mended, language_of, names_of, passed_by_rules, prepare
from .conversation import recent_messages, with_messages

log = logging.getLogger(__name__)

MOST_TIMES, ROOM = 4, 200
"""A rewrite has at most MOST_TIMES times the characters of its source, plus ROOM characters."""


async def rewrite(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Draft the items on the first visit. Ask the model, in one call, for the unresolved texts."""
    if "parts" in state:  # an older version rewrote the texts of a talk, too
        return {"spent": True}
    chat, settings = runtime.context.chat, runtime.context.settings
    job = with_messages(state)
    before = state.get("items")
    items: list[ItemState] = before if before else await asyncio.to_thread(prepare, job, settings)
    attempt = state.get("attempt", 0)
    if chat is None or settings.historian.rewrite_mode == "rules":
        return {"items": items, "attempt": attempt, "spent": True}
    if attempt == 0:
        items = await asyncio.to_thread(
            lambda: [passed_by_rules(item, job, settings) for item in items]
        )
    names = names_of(job, settings)
    wanted = [
        n for n, item in enumerate(items) if not item["passed"] and can_be_mended(item, names)
    ]
    if not wanted:
        return {"items": items, "attempt": attempt, "spent": True}
    if not job.recent_messages and "beside" not in state:
        said = await asyncio.to_thread(recent_messages, job, runtime.context)
        job = job.model_copy(update={"recent_messages": said})
        names = names_of(job, settings)
    language = language_of(job, settings)
    answer = await asked(
        chat,
        RecordTexts,
        f"job {job.job_id}: the model gave no usable rewrite; the text made by rules is kept",
        purpose="rewrite",
        system=render("rewrite_system", language, owner=owner_words(settings.cognitive, language)),
        user=rewrite_prompt([items[n] for n in wanted], job, names, language),
    )
    if answer is None:
        return {"items": items, "attempt": attempt + 1, "spent": True}
    if len(answer.texts) != len(wanted):
        log.info(
            "job %s: the model returned %d texts for %d items",
            job.job_id,
            len(answer.texts),
            len(wanted),
        )
    # All candidates are empty if the number of texts is wrong, and one is empty if its text is too
    # long. The gate refuses empty candidates, and the model is asked again.
    texts = answer.texts if len(answer.texts) == len(wanted) else [""] * len(wanted)
    changed = list(items)
    for n, text in zip(wanted, texts, strict=True):
        candidate = text.strip() if len(text) <= MOST_TIMES * len(items[n]["source"]) + ROOM else ""
        changed[n] = {**items[n], "candidate": candidate, "rewritten_by": "model", "passed": False}
    spent = attempt >= settings.historian.rewrite_max_retry
    shown = [one.model_dump() for one in job.recent_messages]
    return {"beside": shown, "items": changed, "attempt": attempt + 1, "spent": spent}
