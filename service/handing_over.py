"""The methods by which a bot hands over what it did, what it learnt, and what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any, Never

from ..schema.job import Job, RecentMessage
from ..schema.payloads import SAID_BY_PEOPLE
from ..schema.scope import RequestType, Scope, checked_scope
from .incoming_messages import Message, read_messages
from .intake import kept, read_job, refuse_unknown, unredacted
from .running.lifecycle import Lifecycle
from .silence import SilenceTimers
from .talk import Gathering, Wordings, talk_jobs

SETTLED_POLL_SECONDS, MERGES_SECONDS = 0.02, 0.5
"""Intervals in seconds at which `settled` checks whether the queue is empty, and whether only
merges of profiles wait."""


class HandingOver:
    """The methods of `CognitiveService` that hand over jobs, and those that wait for them."""

    def __init__(self, lifecycle: Lifecycle) -> None:
        self.lifecycle = lifecycle
        """Internal: the open stores, the worker and the settings in force. May change in any
        release."""
        self._gathering = Gathering()
        self._wordings = Wordings()
        self._silence = SilenceTimers(self._look_through)

    async def enqueue_job(
        self,
        action_summary: str = "",
        new_info: Sequence[str] | str = (),
        *,
        request_type: RequestType | None = None,
        user_id: str | int | None = None,
        group_id: str | int | None = None,
        sender_id: str | int | None = None,
        bot_id: str | int | None = None,
        user_name: str | None = None,
        group_name: str | None = None,
        bot_name: str | None = None,
        request_id: str | int | None = None,
        end_seq: int | None = None,
        timestamp: str | float | datetime | None = None,
        timezone: str | None = None,
        recent_messages: Sequence[RecentMessage | Mapping[str, Any]] | None = None,
        force: bool | None = None,
        tags: Sequence[str] | str = (),
        metadata: Mapping[str, Any] | None = None,
        expires_at: str | float | date | datetime | None = None,
        **unknown: Never,
    ) -> str | None:
        """Hand over an action of the bot (`action_summary`) and the facts that the bot learnt
        (`new_info`, a list of short statements).

        - `user_id`: the user with whom the bot talked; in a group, the sender. `sender_id` is
          another name for it.
        - `group_id`: the group. `request_type`: `"group"` or `"private"`; default: `"group"` if
          there is a `group_id`.
        - `user_name`, `group_name`, `bot_name`: names that replace "he", "here" and "I" in events.
          `bot_id`: the bot's own id.
        - `request_id`, `end_seq`: identify the job. A second call with the same pair returns the
          same id and adds no second job.
        - `timestamp`: the time of the turn, as ISO 8601 with offset, aware datetime, or seconds
          since 1970; default: now. `timezone`: IANA name; default: the configured one.
        - `recent_messages`: the last messages, oldest first: `{sender_id, sender_name, text, at}`.
        - `force`: True if the turn ended on purpose without a reply.
        - `tags`: at most 12 texts of at most 32 characters, stored in lower case. `metadata`: a
          JSON object of at most 2 KB. Both are stored with the events of the job, for conditions of
          searches and lists. Neither appears in the block.
        - `expires_at`: the time, in the future, at which the events are deleted: ISO 8601 with
          offset, an aware datetime, a day (until its end in `timezone`), or seconds since 1970.
          From this time on no search finds them; they are deleted soon after.

        When this returns, the redacted job is on disk. Returns the id of the job; None, without
        writing anything, if there is nothing to remember. Raises InvalidInput that names the field,
        and StorageError if the job cannot be written.
        """
        turn = {
            "action_summary": action_summary,
            "new_info": kept(new_info),
            "request_type": request_type,
            "user_id": user_id,
            "group_id": group_id,
            "sender_id": sender_id,
            "bot_id": bot_id,
            "user_name": user_name,
            "group_name": group_name,
            "bot_name": bot_name,
            "request_id": request_id,
            "end_seq": end_seq,
            "timestamp": timestamp,
            "timezone": timezone,
            "recent_messages": kept(recent_messages),
            "force": force,
            "tags": kept(tags) or None,
            "metadata": metadata,
            "expires_at": expires_at,
        }
        refuse_unknown(unknown, tuple(turn), Job.model_fields)
        lifecycle = self.lifecycle
        jobs = await lifecycle.hand_over(
            partial(read_job, {**unknown, **turn}, lifecycle.settings, lifecycle.clock)
        )
        return jobs[0].job_id if jobs else None

    async def update_memory(
        self,
        states: object,
        user_id: str | int,
        scope: Scope | None = None,
        *,
        threshold: int | None = None,
        reflect: bool = False,
        request_id: str | int | None = None,
        user_name: str | None = None,
        group_name: str | None = None,
        bot_name: str | None = None,
        timestamp: str | float | datetime | None = None,
        timezone: str | None = None,
        **unknown: Never,
    ) -> str | None:
        """Hand over messages of a running conversation, for the assistant's own memory of
        `user_id`.

        `states` are messages in any form that `remember` takes; `scope` is the conversation
        (default: the private chat with that user). The messages wait on disk until they have
        `threshold` tokens in total (default: `cognitive.shortterm.summary_token_threshold`). Then a
        dated summary is made of them. With `reflect` the article about the person is rewritten now,
        if these messages are significant. The other parameters are those of `enqueue_job`.

        When this returns, the redacted job is on disk. Returns the id of the job; None, without
        writing anything, if the messages are empty. A second call with the same `request_id`
        returns the same id and adds no second job. Raises InvalidInput, StorageError.
        """
        from .recall.articles import read_states, states_job

        names = {"user_name": user_name, "group_name": group_name, "bot_name": bot_name}
        fields = {
            **unknown,
            **names,
            "request_id": request_id,
            "timestamp": timestamp,
            "timezone": timezone,
        }
        lifecycle, given = self.lifecycle, kept(states)
        person, clock = str(user_id), lifecycle.clock

        def made(said: list[Message]) -> list[Job]:
            job = states_job(
                said, person, scope, lifecycle.settings, clock, threshold, reflect, fields
            )
            return [] if job is None else [job]

        jobs = await lifecycle.hand_over(lambda: unredacted(read_states(given), made))
        return jobs[0].job_id if jobs else None

    async def remember(
        self,
        messages: object,
        scope: Scope,
        *,
        bot_id: str | int | None = None,
        bot_name: str | None = None,
        user_name: str | None = None,
        group_name: str | None = None,
        timezone: str | None = None,
        **unknown: Never,
    ) -> list[str]:
        """Hand over messages. Each message is filed in its own words; a model, if there is one,
        also extracts events from the messages.

        `messages` is one message or several, as LangChain messages; messages of OpenAI or Ollama;
        OneBot events, arrays of segments or CQ strings; a LangGraph state `{"messages": …}`; pairs
        `(role, text)`; text (said by the user); or dicts `{role, content, sender_id, name, id, at,
        reply_to, edited_at, tags, metadata, expires_at}`, in which other keys are ignored.

        `at` is ISO 8601 with offset, or seconds since 1970 (milliseconds from 100,000,000,000 on);
        default: now. `tags`, `metadata` and `expires_at` are as in `enqueue_job`. An edit without
        them keeps those of the message. A message that has already expired is not stored. Content
        that is not text becomes a placeholder (`[image]`). The thoughts of a model, blocks of this
        memory and reminders added by frameworks are left out.

        In a group every message of a person needs a `sender_id`, or `scope` must name the speaker.
        A message with an `id` that was handed over before is not stored again; if its words differ,
        they replace the former ones. `forget_message` withdraws a message.

        When this returns, the redacted messages are on disk: all of them or none. (If a call fails,
        PostgreSQL may have stored the first ones. Messages with an `id` are not duplicated by a
        second call.) They are filed soon afterwards. A model reads the messages of a conversation
        together, when a limit in `cognitive.talk` is reached, or at `flush` or `aclose`. Without a
        model, a request to remember something ("remember that …", 记住…) becomes a line of the
        person's profile, in the original words.

        Returns the ids of the jobs, one per stored message. A message without words is logged.
        Raises InvalidInput, StorageError.
        """
        lifecycle = self.lifecycle
        names = {"bot_name": bot_name, "user_name": user_name, "group_name": group_name}
        given = {**unknown, **names, "bot_id": bot_id, "timezone": timezone}
        fields = {name: value for name, value in given.items() if value is not None}
        given_messages, made = kept(messages), partial(self._talk, scope=scope, fields=fields)
        jobs = await lifecycle.hand_over(lambda: unredacted(read_messages(given_messages), made))
        if jobs:
            said_by_people = [
                job.payload["text"] for job in jobs if job.payload.get("role") == SAID_BY_PEOPLE
            ]
            lifecycle.languages.hear(scope.key, said_by_people)
            if self._gathers:
                lifecycle.at_home(
                    self._listen, scope.key, lifecycle.settings.cognitive.talk.silence_seconds
                )
        return [job.job_id for job in jobs]

    def _talk(self, said: Sequence[Message], scope: Scope, fields: Mapping[str, Any]) -> list[Job]:
        """Return the jobs of messages that have not expired, each with its place in the order of
        wordings (`Wordings.in_turn`) and its due time (`Gathering.due`). Blocking."""
        settings, clock = self.lifecycle.settings, self.lifecycle.clock
        made = zip(talk_jobs(said, scope, settings, clock, fields), said, strict=True)
        jobs = [self._wordings.in_turn(job, one.edited_at, clock()) for job, one in made]
        kept_jobs = [job for job in jobs if not job.has_expired(clock())]
        return [
            self._gathering.due(job, clock(), settings, gathers=self._gathers) for job in kept_jobs
        ]

    @property
    def _gathers(self) -> bool:
        """False if no model reads talk, as far as this process knows; messages then do not wait for
        others."""
        opened = self.lifecycle.opened
        return opened is None or (
            opened.parts.chat is not None
            and self.lifecycle.settings.historian.rewrite_mode != "rules"
        )

    add = remember

    async def forget_message(
        self, message_id: str | int | Sequence[str | int], scope: Scope
    ) -> int:
        """Withdraw one or several messages of a conversation permanently. `message_id` is the id on
        the chat platform.

        A message is deleted whether it is filed or still waits, with the events and lines of
        profiles that only this message supports. If it is handed over again, it is not filed. If
        the speaker of `scope` is only asserted by the requests of a token, only messages that such
        requests handed over are withdrawn.

        Returns the number of deleted messages and events; 0 for an unknown message, which will not
        be filed if it arrives later. Raises InvalidInput, StorageError, and HistorianError if
        memory is off or not open.
        """
        from .withdrawal import withdraw

        return await withdraw(self.lifecycle, message_id, scope)

    async def flush(self, scope: Scope | None = None) -> None:
        """Release the waiting messages of `scope` (default: of all conversations of this process),
        so that a model reads them now."""
        await self._look_through(None if scope is None else checked_scope(scope).key)

    async def _look_through(self, scope_key: str | None) -> None:
        gathered = self._gathering.flushed(scope_key)
        for key in gathered if scope_key is None else [scope_key]:
            self.lifecycle.at_home(self._silence.end, key)
            await self.lifecycle.hasten(key)

    def _listen(self, scope_key: str, seconds: float) -> None:
        """Restart the silence timer of a conversation with waiting messages; stop it if none
        wait."""
        if self._gathering.waits(scope_key):
            self._silence.heard(scope_key, seconds)
        else:
            self._silence.end(scope_key)

    async def settled(self, timeout_seconds: float) -> bool:
        """Wait until every accepted job is filed or has failed, and the filed events have vectors.

        Vectors are awaited only if this process runs the worker, and while its embedder makes
        progress. When only merges of profiles are left, they run at once. Return False if jobs are
        left after `timeout_seconds`; missing vectors alone do not count.
        """
        lifecycle = self.lifecycle
        filed, next_merges, home = False, 0.0, asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout_seconds):
                while lifecycle.queue is not None:
                    counts = await asyncio.to_thread(lifecycle.queue.counts, lifecycle.clock())
                    if counts.pending + counts.processing == 0:
                        filed = True
                        if lifecycle.worker is not None:
                            await lifecycle.worker.maintenance.missing_vectors.wait_until_embedded()
                        return True
                    if not counts.processing and home.time() >= next_merges:
                        next_merges = home.time() + MERGES_SECONDS
                        if not await asyncio.to_thread(lifecycle.queue.is_due, lifecycle.clock()):
                            await asyncio.to_thread(lifecycle.queue.hasten, kind="profile")
                            lifecycle.wake()
                    await asyncio.sleep(SETTLED_POLL_SECONDS)
        except TimeoutError:
            return filed
        return True
