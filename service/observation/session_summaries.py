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

from ...prompts.summarising import summarise
from ...schema.article import Spoken, SpokenRole, SummaryDraft
from ...schema.entity import Entity
from ...schema.errors import HistorianError, StorageError
from ...schema.event import Event
from ...schema.names import Names
from ...schema.protocols import ChatModel
from ...schema.scope import Scope
from ..availability import Pause
from .filing import UnwrittenRecords
from .records import SUMMARY, Cleaned, make_event

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
    silence: Pause = field(default_factory=Pause)
    """Over when nothing was said for so long that the session has ended."""


class SessionSummaries:
    """Keeps the redacted messages of running sessions in memory and stores one summary when a session falls silent.

    A session that goes on later gives another summary, of what was said since. At the end of the program the sessions
    that hold enough are summarised by rules (from 20 ms each to 0.3 s for 200 messages) as far as the bound allows, also
    the one that a model is at work on. A crash, and the end of the bound, lose the summary, not the observations.
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
            session.silence.begin(self._clock(), self._idle_seconds)
            self._keep(message.session_id, session)

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

    async def aclose(self, timeout_seconds: float = 5.0) -> None:
        """Stop, and summarise by rules what holds enough, within the bound. Raises nothing but its own cancellation."""
        self._closing.set()
        task, self._task = self._task, None
        try:
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            async with asyncio.timeout(timeout_seconds):
                for session_id in self._known():
                    session = self._take(session_id, even_running=True)
                    if session is not None and not await self._summarised(session_id, session, None):
                        break
        except TimeoutError:
            log.warning("the time is up before every session is summarised")
        finally:
            self._give_up_the_rest()

    def _give_up_the_rest(self) -> None:
        with self._lock:
            left = sum(len(session.messages) >= ENOUGH_MESSAGES for session in self._sessions.values())
            self._sessions.clear()
        if left:
            log.warning("%d sessions are not summarised", left)

    async def round(self) -> int:
        """Summarise every session that has been silent for long enough; returns how many summaries were stored."""
        before = self.stored
        for session_id in self._known():
            # Taken out one at a time: whatever ends the round, the others stay.
            session = self._take(session_id)
            if session is not None:
                await self._summarised(session_id, session, self._chat)
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

    def _known(self) -> list[str]:
        with self._lock:
            return list(self._sessions)

    def _take(self, session_id: str, *, even_running: bool = False) -> _Session | None:
        """Take out a session that is over and holds enough; one that is too small for a summary is let go."""
        with self._lock:
            session = self._sessions.get(session_id)
            if session is None or (session.silence.remaining(self._clock()) and not even_running):
                return None
            del self._sessions[session_id]
        return session if len(session.messages) >= ENOUGH_MESSAGES else None

    async def _summarised(self, session_id: str, session: _Session, chat: ChatModel | None) -> bool:
        """Store the summary of a session that was taken out; False, and the session is put back, where the store refuses."""
        try:
            await self._store(session_id, session, chat)
        except StorageError as error:
            log.warning("a summary waits: %s", error)
            self._put_back(session_id, session)
            return False
        except asyncio.CancelledError:
            self._put_back(session_id, session)
            raise
        except Exception as error:
            # It is this session's own fault and must cost no other one; the text of the error could hold what was said.
            log.error("a session could not be summarised: %s", type(error).__name__)
        return True

    def _put_back(self, session_id: str, session: _Session) -> None:
        with self._lock:
            newer = self._sessions.get(session_id)
            if newer is not None:
                session.messages.extend(newer.messages)
                session.silence = newer.silence
            self._keep(session_id, session)

    def _keep(self, session_id: str, session: _Session) -> None:
        """Hold a session as the newest one, the oldest going where there are too many. Under the lock."""
        self._sessions[session_id] = session
        self._sessions.move_to_end(session_id)
        if len(self._sessions) > SESSIONS_KEPT:
            self._sessions.popitem(last=False)

    async def _store(self, session_id: str, session: _Session, chat: ChatModel | None) -> None:
        # Another process may have been told to forget somebody who spoke here.
        messages = await self._records.of_the_living(list(session.messages))
        while messages:
            summary = await self._summary(messages, session.scope, chat)
            living = await self._records.of_the_living(messages)
            if len(living) == len(messages):
                break
            messages = living  # somebody was forgotten while the model was at work: it is asked again without them
        else:
            return
        if not summary.text:
            return
        speakers = tuple(sorted({one.scope.user_id for one in messages if one.scope.user_id}))
        first, last = messages[0].at, messages[-1].at
        # Whoever names sessions need not know that half an emoji, a lone surrogate, has no bytes in UTF-8.
        identity = f"{session.scope.key}\0{session_id}\0{first!r}\0{last!r}".encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(identity).hexdigest()[:32]
        event: Event = make_event(
            _scope_of(session.scope, speakers),
            event_id=f"{SUMMARY}-{digest}",
            job_id=f"{SUMMARY}-{digest}",
            kind="action",
            text=summary.text,
            at=last,
            timezone=self._timezone,
            source=SUMMARY,
            gate_reasons=summary.gate_reasons,
            speakers=speakers if len(speakers) > 1 else (),
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
        except Exception as error:
            # Not ModelError alone: a client that breaks in its own way must not cost the summary.
            if chat is None:
                raise
            told = str(error) if isinstance(error, HistorianError) else type(error).__name__
            log.warning("a session is summarised without the model: %s", told)
            return await ask(chat=None)

    def _names(self, messages: Sequence[Cleaned], scope: Scope) -> Names:
        speakers = list(dict.fromkeys(one.name for one in messages if one.role in _USER_ROLES and one.name))
        if scope.request_type == "private":
            return Names(bot_name=self._bot_name, user_name=speakers[-1] if speakers else "", user_id=scope.user_id)
        return Names(bot_name=self._bot_name, group_id=scope.group_id, others=tuple(speakers))


def _scope_of(scope: Scope, speakers: Sequence[str]) -> Scope:
    """The conversation, in a group as that of its only speaker: a summary of several is nobody's alone."""
    return scope if scope.request_type == "private" else Scope.group(scope.group_id, speakers[0] if len(speakers) == 1 else "")


def _spoken(message: Cleaned, timezone: ZoneInfo) -> Spoken:
    role: SpokenRole = "user" if message.role in _USER_ROLES else "assistant" if message.role in _BOT_ROLES else "tool"
    name = message.name or (message.role if role == "tool" else "")
    return Spoken(role, message.text, name, datetime.fromtimestamp(message.at, timezone).isoformat())
