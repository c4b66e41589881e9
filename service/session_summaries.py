"""Summaries of conversations that have fallen silent, by the model where there is one, else by the lines that say most."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from ..nodes.summarising import summarise
from ..schema.article import Spoken, SpokenRole, SummaryDraft
from ..schema.entity import Entity
from ..schema.errors import ModelError, StorageError
from ..schema.event import Event
from ..schema.names import Names
from ..schema.protocols import ChatModel
from ..schema.scope import Scope
from .observed import SUMMARY, Cleaned, make_event
from .unwritten import UnwrittenRecords

log = logging.getLogger(__name__)

ENOUGH_MESSAGES = 6
"""Fewer messages say no more than the observations themselves."""

MESSAGES_KEPT = 200
SESSIONS_KEPT = 1_000
TRANSCRIPT_CHARACTERS = 16_000
LOOKS_A_PERIOD = 4
"""How often the sessions are looked at within the silence that ends one."""

_USER_ROLES = frozenset(("user", "human"))
_BOT_ROLES = frozenset(("assistant", "ai", "bot"))


@dataclass(slots=True)
class _Session:
    scope: Scope
    messages: deque[Cleaned] = field(default_factory=lambda: deque(maxlen=MESSAGES_KEPT))


class SessionSummaries:
    """Keeps the redacted messages of running sessions in memory and stores one summary when a session falls silent.

    A session that goes on later gives another summary, of what was said since. At the end of the program the sessions
    that hold enough are summarised by rules, which takes no time; a crash loses the summary, not the observations.
    """

    def __init__(
        self,
        records: UnwrittenRecords,
        chat: ChatModel | None,
        *,
        idle_seconds: float,
        timezone: ZoneInfo,
        bot_name: str,
        clock: Callable[[], float],
    ) -> None:
        self._records = records
        self._chat = chat
        self._idle_seconds = idle_seconds
        self._timezone = timezone
        self._bot_name = bot_name
        self._clock = clock
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._lock = threading.Lock()
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.stored = 0

    def add(self, message: Cleaned) -> None:
        """Take a message of a session; it must be redacted. From any thread."""
        with self._lock:
            session = self._sessions.setdefault(message.session_id, _Session(message.scope))
            session.messages.append(message)
            self._sessions.move_to_end(message.session_id)
            if len(self._sessions) > SESSIONS_KEPT:
                self._sessions.popitem(last=False)

    def forget(self, entity: Entity) -> None:
        """Let go of what a user said, or of a group's sessions."""
        with self._lock:
            for key, session in list(self._sessions.items()):
                kept = [one for one in session.messages if not entity.spoke(one.scope.user_id, one.scope.group_id)]
                session.messages.clear()
                session.messages.extend(kept)
                if not kept:
                    del self._sessions[key]

    def start(self) -> None:
        """Look at the sessions from time to time."""
        self._task = asyncio.create_task(self._run(), name="historian session summaries")

    async def aclose(self) -> None:
        """Stop, and summarise by rules what holds enough."""
        self._closing.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        try:
            for session_id, session in self._silent(float("inf")):
                await self._store(session_id, session, None)
        except StorageError as error:
            log.warning("the last sessions are not summarised: %s", error)

    async def round(self) -> int:
        """Summarise every session that has been silent for long enough; returns how many summaries were stored."""
        before = self.stored
        for session_id, session in self._silent(self._clock() - self._idle_seconds):
            try:
                await self._store(session_id, session, self._chat)
            except StorageError as error:
                log.warning("a summary waits: %s", error)
                self._put_back(session_id, session)
        return self.stored - before

    async def _run(self) -> None:
        while not self._closing.is_set():
            try:
                async with asyncio.timeout(self._idle_seconds / LOOKS_A_PERIOD):
                    await self._closing.wait()
            except TimeoutError:
                try:
                    await self.round()
                except Exception as error:
                    # The next round comes; the text of the error could hold what was said.
                    log.error("sessions could not be summarised: %s", type(error).__name__)

    def _silent(self, until: float) -> list[tuple[str, _Session]]:
        """Take out the sessions whose last message came at `until` or before; those too small for a summary are let go."""
        with self._lock:
            over = [(key, session) for key, session in self._sessions.items() if session.messages[-1].at <= until]
            for key, _ in over:
                del self._sessions[key]
        return [(key, session) for key, session in over if len(session.messages) >= ENOUGH_MESSAGES]

    def _put_back(self, session_id: str, session: _Session) -> None:
        with self._lock:
            newer = self._sessions.get(session_id)
            if newer is not None:
                session.messages.extend(newer.messages)
            self._sessions[session_id] = session

    async def _store(self, session_id: str, session: _Session, chat: ChatModel | None) -> None:
        # Another process may have been told to forget somebody who spoke here.
        messages = await self._records.of_the_living(list(session.messages))
        if not messages:
            return
        summary = await self._summary(messages, session.scope, chat)
        if not summary.text:
            return
        first, last = messages[0].at, messages[-1].at
        digest = hashlib.sha256(f"{session.scope.key}\0{session_id}\0{first!r}\0{last!r}".encode()).hexdigest()[:32]
        event: Event = make_event(
            session.scope,
            event_id=f"{SUMMARY}-{digest}",
            job_id=f"{SUMMARY}-{digest}",
            kind="action",
            text=summary.text,
            at=last,
            timezone=self._timezone,
            source=SUMMARY,
            gate_reasons=summary.gate_reasons,
        )
        self.stored += await self._records.file([event], embed=chat is not None or not self._closing.is_set())

    async def _summary(self, messages: Sequence[Cleaned], scope: Scope, chat: ChatModel | None) -> SummaryDraft:
        """The summary, redacted and absolute; by rules where the model can not be asked."""
        spoken = [_spoken(message, self._timezone) for message in messages]
        moment = datetime.fromtimestamp(messages[-1].at, self._timezone)
        ask = partial(
            summarise,
            spoken,
            names=self._names(messages, scope),
            moment=moment,
            timezone=self._timezone,
            purpose="session_summary",
            most_characters=TRANSCRIPT_CHARACTERS,
        )
        try:
            return await ask(chat=chat)
        except ModelError as error:
            log.warning("a session is summarised without the model: %s", error)
            return await ask(chat=None)

    def _names(self, messages: Sequence[Cleaned], scope: Scope) -> Names:
        speakers = list(dict.fromkeys(one.name for one in messages if one.role in _USER_ROLES and one.name))
        if scope.request_type == "private":
            return Names(bot_name=self._bot_name, user_name=speakers[-1] if speakers else "", user_id=scope.user_id)
        return Names(bot_name=self._bot_name, group_id=scope.group_id, others=tuple(speakers))


def _spoken(message: Cleaned, timezone: ZoneInfo) -> Spoken:
    role: SpokenRole = "user" if message.role in _USER_ROLES else "assistant" if message.role in _BOT_ROLES else "tool"
    name = message.name or (message.role if role == "tool" else "")
    return Spoken(role, message.text, name, datetime.fromtimestamp(message.at, timezone).isoformat())
