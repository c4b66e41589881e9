"""Withdrawal of messages: `forget_message` deletes a message from all stores and from the queue,
and prevents it from being filed later."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from ..schema.errors import InvalidInput
from ..schema.ids import told
from ..schema.scope import Scope, checked_scope
from ..text.messages.records import every_name, job_prefixes
from .components import Parts
from .jobs.messages import FiledMessages
from .running.lifecycle import Lifecycle


def message_ids(given: object) -> list[str]:
    """Return the ids of messages without duplicates. `given` is one id or several. Raises
    InvalidInput for anything else."""
    several = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    ids = list(given) if several else [given]  # type: ignore[call-overload]  # is iterable
    for one in ids:
        if isinstance(one, bool) or not isinstance(one, str | int) or one == "":
            raise InvalidInput(
                f"message_id: expected the platform's id of a message, or a list of ids, got {told(one)}"
            )
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
    """Withdraw messages from all stores. Return their texts, and the number of deleted messages and
    events.

    The lines of profiles that the messages support are removed before the messages, which are
    needed to find these lines. They are removed a second time after the tombstones are set, because
    no worker adds such lines from then on.
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
    records = parts.backend.corrections  # `undo` must not restore a withdrawn message
    held = [
        one.correction
        for one in records.all()
        if any(said.job_id in names for said in one.correction.messages)
    ]
    records.remove([one.correction_id for one in held])
    words = {str(job.payload.get("text", "")) for job in jobs} | {
        one.text for said in stored.values() for one in said
    }
    statements = gone - {one.event_id for said in stored.values() for one in said}
    waiting = {prefix for prefix in prefixes if any(job.job_id.startswith(prefix) for job in jobs)}
    known = {one for one in ids if any(name in stored for name in every_name(scope, one))}
    new = {
        one for one in ids if one not in known and not waiting.isdisjoint(job_prefixes(scope, one))
    }
    return words - {""}, len(known) + len(new) + len(statements)
