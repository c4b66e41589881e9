"""The assistant's own memory of a person: messages are handed over as a job; the article and the
summaries are read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from ...retrieval.driver import Deadline, result
from ...retrieval.passages import texts_of
from ...retrieval.prompt_block.articles import format_relevant, said_line
from ...retrieval.prompt_block.formatting import format_hit
from ...retrieval.relevant import fitting_lines, waiting_talk
from ...schema.errors import HistorianError, InvalidInput
from ...schema.job import Job, check_size, clean_text
from ...schema.language import Language
from ...schema.payloads import SpokenPayload, StatesPayload
from ...schema.scope import Scope
from ...schema.settings import Settings
from ...schema.summary import ArticleKey
from ...text.redaction import redact
from ..incoming_messages import Message, read_messages
from ..intake import make_job, redacted_in_turn, refuse_unknown, with_redacted_labels
from .arguments import is_conversation
from .timed import Recall

log = logging.getLogger(__name__)

EMBEDDING_SHARE = 0.7
"""The share of the time limit that a deep search waits for the vector of the query. Without the
vector only keywords are searched."""

_FIELDS = ("request_id", "user_name", "bot_name", "group_name", "timestamp", "timezone")
_NAME_CHARACTERS = 200


def read_states(states: object) -> list[Message]:
    """Return the states as messages, in order and unredacted. Empty states are left out.

    `states` is one state or several, in any form that `read_messages` takes. Raises InvalidInput
    that names the state and what is wrong with it.
    """
    said = read_messages(states, "states")
    check_size((text for one in said for text in (one.text, one.name)), "states")
    return said


def spoken_payloads(states: object) -> list[SpokenPayload]:
    """Return the messages of `read_states` redacted, without those that are empty after
    redaction."""
    said = read_states(states)
    texts = [clean_text(text) for text in redacted_in_turn([one.text for one in said], "all")]
    return [
        SpokenPayload(
            role=one.role, text=text, name=redact(one.name, "all")[:_NAME_CHARACTERS], at=one.at
        )
        for one, text in zip(said, texts, strict=True)
        if text
    ]


def states_job(
    states: object,
    user_id: str,
    scope: Scope | None,
    settings: Settings,
    clock: Callable[[], float],
    threshold: int | None,
    reflect: bool,
    fields: Mapping[str, Any],
) -> Job | None:
    """Return the job of kind `states`; None if the states are empty. Raises InvalidInput."""
    refuse_unknown(fields, _FIELDS)
    if threshold is not None and threshold < 1:
        raise InvalidInput(f"threshold: {threshold} tokens; give at least 1, or leave it out")
    key = ArticleKey.of(user_id, scope)
    given = spoken_payloads(states)
    if not given:
        return None
    payload = StatesPayload(states=given, threshold=threshold, reflect=reflect)
    data = {
        **fields,
        "kind": "states",
        "user_id": key.user_id,
        "group_id": key.group_id or None,
        "payload": payload.model_dump(),
    }
    return with_redacted_labels(make_job(data, settings, clock), settings.historian.redact_jobs)


async def relevant_memories(
    recall: Recall,
    user_input: str,
    user_id: str,
    scope: Scope | None,
    *,
    language: Language,
    deep: bool = False,
    max_tokens: int | None = None,
) -> str:
    """Carry out `Reading.get_relevant_memories` within the time limit of a recall. Never raises."""
    settings, limit = recall.settings(), recall.time_limit()
    end = asyncio.get_running_loop().time() + limit
    if scope is not None and not is_conversation(scope):
        log.warning(
            "no memories of %s are returned: scope must be a Scope, got %s",
            user_id,
            type(scope).__name__,
        )
        return ""
    try:
        key, stores = ArticleKey.of(user_id, scope), recall.parts.article_stores
        query = user_input.strip() if deep else ""
        deadline = Deadline(end - (1 - EMBEDDING_SHARE) * limit, end)
        search = _records(recall, query, key, deadline, language)
        records = recall.events.tasks.spawn(search, "deep search")
        async with asyncio.timeout_at(end):
            # A summary that moves into the article meanwhile is read twice rather than never.
            summaries = await asyncio.to_thread(stores.summaries.read, key)
            article = await asyncio.to_thread(stores.articles.read, key)
        reasons: list[str] = []
        await asyncio.wait((records,), timeout=end - asyncio.get_running_loop().time())
        hits = result(records, "records", reasons) or []
        if reasons:
            log.warning("deep search: %s", "; ".join(reasons))
        known = {one.id for one in summaries}  # some hits are summaries, stored as events too
        found = [name for name, _ in hits if name in known]
        lines = [line for name, line in hits if name not in known]
        if article is not None:
            found += await asyncio.to_thread(fitting_lines, query, article)
        budget = max_tokens or settings.query.relevant_max_tokens
        return await asyncio.to_thread(
            format_relevant,
            article,
            summaries,
            found,
            records=lines,
            language=language,
            max_tokens=budget,
        )
    except TimeoutError:
        log.warning("memories of %s: out of time", user_id)
    except (HistorianError, OSError) as error:
        log.warning("memories of %s cannot be read: %s", user_id, error)
    except Exception:
        # The reply must go out whatever fails.
        log.exception("reading the memories of %s failed; nothing is returned", user_id)
    return ""


async def _records(
    recall: Recall, query: str, key: ArticleKey, deadline: Deadline, language: Language
) -> list[tuple[str, str]]:
    """Return the search hits of the conversation, as (event id, line), and then the matching
    messages that wait to be summarised, as ("", line); nothing without a query."""
    if not query:
        return []
    hits, talk = await asyncio.gather(
        recall.search_until(query, key.scope, deadline),
        asyncio.to_thread(waiting_talk, query, recall.parts.article_stores, key),
    )
    names = recall.shown_names(key.scope, (query, *texts_of(hits)), language)
    lines = [(hit.event.event_id, format_hit(hit, language, names)) for hit in hits]
    return [*lines, *(("", said_line(one, language)) for one in talk)]
