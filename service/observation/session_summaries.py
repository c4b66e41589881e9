"""Summaries of sessions that have ended, by the chat model. Without one the messages stand for themselves."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from ...prompts.summarising import summary_by_model
from ...schema.article import Spoken, SpokenRole
from ...schema.entity import Entity
from ...schema.errors import ModelUnavailable, StorageError
from ...schema.event import Event
from ...schema.ids import digest_of
from ...schema.names import Names
from ...schema.protocols import ChatModel
from ...schema.scope import Scope
from ...text.redaction import redact
from ..outages.availability import Pause
from .filing import UnwrittenRecords
from .records import SUMMARY, Cleaned

log = logging.getLogger(__name__)

ENOUGH_MESSAGES = 6
"""Shorter sessions are not summarised: their messages suffice."""

MESSAGES_KEPT = 200
SESSIONS_KEPT = 1_000
TRANSCRIPT_CHARACTERS = 16_000
LOOKS_A_PERIOD = 4
"""How often the sessions are checked within the silence that ends one."""

_USER_ROLES = frozenset(("user", "human"))
_BOT_ROLES = frozenset(("assistant", "ai", "bot"))


@dataclass(slots=True)
class _Session:
    scope: Scope
    messages: deque[Cleaned] = field(default_factory=lambda: deque(maxlen=MESSAGES_KEPT))
    silence: Pause = field(default_factory=Pause)
    """Runs out when the session has ended."""


class SessionSummaries:
    """Keeps the redacted messages of running sessions in memory and stores one summary when a session falls silent.

    A session that continues later gets another summary, of the messages since. The end of the program loses the summaries
    of open sessions, but not their messages.
    """

    def __init__(
        self,
        records: UnwrittenRecords,
        chat: ChatModel,
        *,
        idle_seconds: float,
        timezone: ZoneInfo,
        bot_name: str,
    ) -> None:
        self._records = records
        self._chat = chat
        self._idle_seconds = idle_seconds
        self._timezone = timezone
        self._bot_name = bot_name
        self._clock = records.clock
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._lock = threading.Lock()
        self._task: asyncio.Task[None] | None = None
        self.stored = 0

    def add(self, message: Cleaned) -> None:
        """Add a redacted message to its session. Thread-safe."""
        with self._lock:
            session = self._sessions.setdefault(message.session_id, _Session(message.scope))
            session.messages.append(message)
            session.silence.begin(self._clock(), self._idle_seconds)
            self._keep(message.session_id, session)

    def forget(self, entity: Entity) -> None:
        """Remove the messages of a user, or the sessions of a group."""
        self._drop(lambda one: entity.spoke(one.scope.user_id, one.scope.group_id))

    def forget_words(self, scope_key: str, words: Collection[str]) -> None:
        """Remove the messages of a conversation that say one of `words`."""
        said = {redact(text, "all") for text in words}
        self._drop(lambda one: one.scope.key == scope_key and one.text in said)

    def _drop(self, unwanted: Callable[[Cleaned], bool]) -> None:
        with self._lock:
            for key, session in list(self._sessions.items()):
                kept = [one for one in session.messages if not unwanted(one)]
                session.messages.clear()
                session.messages.extend(kept)
                if not kept:
                    del self._sessions[key]

    def start(self) -> None:
        """Start checking the sessions at intervals."""
        self._task = asyncio.create_task(self._run(), name="historian session summaries")

    async def aclose(self) -> None:
        """Stop. Open sessions and the one that the model is at work on get no summary."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        with self._lock:
            self._sessions.clear()

    async def round(self) -> int:
        """Summarise every session that has been silent for long enough; returns how many summaries were stored."""
        before = self.stored
        for session_id in self._known():
            # Taken out one at a time, so that the others stay if the round is interrupted.
            session = self._take(session_id)
            if session is not None:
                await self._summarised(session_id, session)
        return self.stored - before

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._idle_seconds / LOOKS_A_PERIOD)
            try:
                await self.round()
            except Exception as error:
                # The next round retries. The text of the error is not logged: it may hold what was said.
                log.error("sessions could not be summarised: %s", type(error).__name__)

    def _known(self) -> list[str]:
        with self._lock:
            return list(self._sessions)

    def _take(self, session_id: str) -> _Session | None:
        """Remove a session that has ended, and return it if it is long enough for a summary."""
        with self._lock:
            session = self._sessions.get(session_id)
            if session is None or session.silence.remaining(self._clock()):
                return None
            del self._sessions[session_id]
        return session if len(session.messages) >= ENOUGH_MESSAGES else None

    async def _summarised(self, session_id: str, session: _Session) -> None:
        """Store the summary of a session. Put the session back if the store or the model is away."""
        try:
            await self._store(session_id, session)
        except (StorageError, ModelUnavailable) as error:
            log.warning("a session is not summarised, next try in the next round: %s", error)
            self._put_back(session_id, session)
        except Exception as error:
            # The other sessions go on. The text of the error is not logged: it may hold what was said.
            log.error("a session could not be summarised: %s", type(error).__name__)

    def _put_back(self, session_id: str, session: _Session) -> None:
        with self._lock:
            newer = self._sessions.get(session_id)
            if newer is not None:
                session.messages.extend(newer.messages)
                session.silence = newer.silence
            self._keep(session_id, session)

    def _keep(self, session_id: str, session: _Session) -> None:
        """Keep a session as the newest one and drop the oldest beyond SESSIONS_KEPT. Call it under the lock."""
        self._sessions[session_id] = session
        self._sessions.move_to_end(session_id)
        if len(self._sessions) > SESSIONS_KEPT:
            self._sessions.popitem(last=False)

    async def _store(self, session_id: str, session: _Session) -> None:
        # Another process may have forgotten a speaker of this session.
        messages = await self._records.of_the_living(list(session.messages))
        while messages:
            text = await self._summary(messages, session.scope)
            living = await self._records.of_the_living(messages)
            if len(living) == len(messages):
                break
            messages = living  # a speaker was forgotten meanwhile: summarise again without them
        else:
            return
        if not text:
            return
        speakers = tuple(sorted({one.scope.user_id for one in messages if one.scope.user_id}))
        first, last = messages[0].at, messages[-1].at
        event_id = f"{SUMMARY}-{digest_of(session.scope.key, session_id, repr(first), repr(last))}"
        event = Event.in_scope(
            _scope_of(session.scope, speakers),
            datetime.fromtimestamp(last, self._timezone),
            str(self._timezone),
            event_id=event_id,
            job_id=event_id,
            kind="action",
            text=text,
            is_absolute=True,
            source=SUMMARY,
            rewritten_by="model",
            speakers=speakers if len(speakers) > 1 else (),
        )
        self.stored += await self._records.file([event], embed=True)

    async def _summary(self, messages: Sequence[Cleaned], scope: Scope) -> str:
        return await summary_by_model(
            [_spoken(message, self._timezone) for message in messages],
            chat=self._chat,
            names=self._names(messages, scope),
            moment=datetime.fromtimestamp(messages[-1].at, self._timezone),
            timezone=self._timezone,
            purpose="session_summary",
            most_characters=TRANSCRIPT_CHARACTERS,
        )

    def _names(self, messages: Sequence[Cleaned], scope: Scope) -> Names:
        speakers = list(dict.fromkeys(one.name for one in messages if one.role in _USER_ROLES and one.name))
        if scope.request_type == "private":
            return Names(bot_name=self._bot_name, user_name=speakers[-1] if speakers else "", user_id=scope.user_id)
        return Names(bot_name=self._bot_name, group_id=scope.group_id, others=tuple(speakers))


def _scope_of(scope: Scope, speakers: Sequence[str]) -> Scope:
    """Return the scope of a summary: in a group with one speaker, that of the speaker; with several, that of the group."""
    return scope if scope.request_type == "private" else Scope.group(scope.group_id, speakers[0] if len(speakers) == 1 else "")


def _spoken(message: Cleaned, timezone: ZoneInfo) -> Spoken:
    role: SpokenRole = "user" if message.role in _USER_ROLES else "assistant" if message.role in _BOT_ROLES else "tool"
    name = message.name or (message.role if role == "tool" else "")
    return Spoken(role, message.text, name, datetime.fromtimestamp(message.at, timezone).isoformat())
