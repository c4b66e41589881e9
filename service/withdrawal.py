"""Withdrawn messages: `forget_message` takes a message out of every place where it stands, or may come to stand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from ..schema.errors import InvalidInput
from ..schema.ids import told
from ..schema.scope import Scope, checked_scope
from ..text.messages import every_name, job_prefixes
from .components import Parts
from .jobs.messages import FiledMessages
from .running.lifecycle import Lifecycle


def message_ids(given: object) -> list[str]:
    """Return the ids of messages, each once. Raises InvalidInput for what is no id of a message, and no list of them."""
    several = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    ids = list(given) if several else [given]  # type: ignore[call-overload]  # is iterable
    for one in ids:
        if isinstance(one, bool) or not isinstance(one, str | int) or one == "":
            raise InvalidInput(f"message_id: expected the platform's id of a message, or a list of ids, got {told(one)}")
    return list(dict.fromkeys(map(str, ids)))


async def withdraw(lifecycle: Lifecycle, given: object, scope: Scope) -> int:
    """Withdraw messages. See `CognitiveService.forget_message`."""
    ids, opened = message_ids(given), lifecycle.in_use()
    key = checked_scope(scope).key
    words, gone = await asyncio.to_thread(_withdraw, opened.parts, ids, scope)
    await asyncio.to_thread(lifecycle.plain.forget_words, key, words)
    opened.recall.clear()
    return gone


def _withdraw(parts: Parts, ids: list[str], scope: Scope) -> tuple[set[str], int]:
    """Withdraw messages from all stores. Return their words, and how many messages and events are gone.

    What profiles took from them goes before the messages, which tell what that is, and once more behind the tombstones,
    after which no worker writes any more of them.
    """
    messages = FiledMessages(parts.context)
    names = [name for one in ids for name in every_name(scope, one)]
    prefixes = [prefix for one in ids for prefix in job_prefixes(scope, one)]
    stored = {name: found for name in names if (found := messages.stored(name))}
    resting = {name: parts.events.resting_on([name]) for name in stored}
    for name, said in stored.items():
        messages.take_out(said, resting[name])
    gone = set(parts.events.withdraw(names))
    for name, said in stored.items():
        messages.take_out(said, resting[name])
        buffered = [one.event_id for one in resting[name] if one.event_id in gone]
        parts.article_stores.buffer.remove(buffered)
    jobs = [job for prefix in prefixes for job in parts.queue.talk_of(prefix)]
    parts.queue.withdraw([job.job_id for job in jobs])
    records = parts.backend.corrections  # what was withdrawn is not brought back
    held = [one.correction for one in records.all() if any(said.job_id in names for said in one.correction.messages)]
    records.remove([one.correction_id for one in held])
    words = {str(job.payload.get("text", "")) for job in jobs} | {one.text for said in stored.values() for one in said}
    statements = gone - {one.event_id for said in stored.values() for one in said}
    waiting = {prefix for prefix in prefixes if any(job.job_id.startswith(prefix) for job in jobs)}
    known = {one for one in ids if any(name in stored for name in every_name(scope, one))}
    new = {one for one in ids if one not in known and not waiting.isdisjoint(job_prefixes(scope, one))}
    return words - {""}, len(known) + len(new) + len(statements)
