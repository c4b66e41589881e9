"""extract: file the messages of a conversation unchanged, and ask a model for their events."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from ...prompts.asking import asked
from ...prompts.extracting import RecordEvents, TalkQuestion, text_of
from ...prompts.templates import owner_words, render
from ...schema.event import Event, EventFilter, is_raw
from ...schema.graph_states.historian import (
    HistorianPart,
    HistorianState,
    HistorianUpdate,
    ShownFact,
    ShownMessage,
    TalkShown,
)
from ...schema.job import Job
from ...stores.historian_context import HistorianContext
from ...stores.tables.events.store import EventStore
from ...text.content_words import share, terms_in
from ...text.facts.superseding import terms_of
from ...text.messages.records import every_name, message_events, said_by_people, with_people_listed
from ...text.speakers.borne_names import BorneNames
from .conversation import messages_before

ANSWERS = 2
"""Maximum number of answers. Events that the gate refuses are sent back to the model once."""
MOST_FACTS, MOST_COMPARED = 20, 200
"""Maximum number of former facts that are shown to a model, and of the speakers' latest facts, from
which they are chosen together with facts that share words with the talk."""
MOST_BEFORE, LONGEST_BEFORE = 4, 200
"""Maximum number of earlier messages that are shown, and of characters of each."""
MOST_NAMED = 20
"""Maximum number of people who are listed because messages name them."""


async def extract(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """File the messages and ask a model for the events in them.

    On the second visit, ask the model to correct the events that the gate refused.
    """
    context = runtime.context
    update: HistorianUpdate = {}
    if "shown" not in state:
        update = await asyncio.to_thread(_begun, state, context)
    parts, shown = update.get("parts") or state["parts"], update.get("shown") or state["shown"]
    is_said = any(said_by_people(Job.model_validate(parts[n]["job"])) for n in shown["parts"])
    if context.chat is None or not context.asks_a_model or not is_said:
        return {**update, "told": [], "spent": True}
    question = await asyncio.to_thread(TalkQuestion.of, parts, shown, context.settings)
    answer = await asked(
        context.chat,
        RecordEvents,
        f"job {question.jobs[0].job_id}: the model gave no usable events; only the messages are "
        "stored",
        purpose="extract",
        system=render(
            "extract_system",
            question.language,
            owner=owner_words(context.settings.cognitive, question.language),
        ),
        user=await asyncio.to_thread(question.prompt, state.get("refused", [])),
    )
    attempt = state.get("attempt", 0) + 1
    told = [] if answer is None else [one.model_dump() for one in answer.events]
    return {
        **update,
        "told": told,
        "attempt": attempt,
        "spent": answer is None or attempt >= ANSWERS,
    }


def _begun(state: HistorianState, context: HistorianContext) -> HistorianUpdate:
    """File the messages. Return a part for each message, and the data to show to a model."""
    store = context.events
    jobs = [Job.model_validate(one) for one in (state.get("talk") or [state["job"]])]
    limit = context.settings.cognitive.observation.chunk_max_tokens
    messages = [message_events(job, limit) for job in jobs]
    store.file_messages(messages)
    words = {one.event_id: one.text for parts in messages for one in parts}
    stored = {one.event_id: one.text for one in store.get(list(words))}
    # No events are extracted from messages that were withdrawn or edited meanwhile.
    current = [
        bool(parts) and all(stored.get(one.event_id) == one.text for one in parts)
        for parts in messages
    ]
    latest = {parts[0].job_id: n for n, parts in enumerate(messages) if parts}
    places = [
        n for n, stands in enumerate(current) if stands and latest[messages[n][0].job_id] == n
    ]
    said = [jobs[n] for n in places]
    shown = TalkShown(parts=places, before=[], replied={}, former=[])
    others: dict[str, str] = {}
    if any(map(said_by_people, said)) and context.asks_a_model:
        now = context.clock()
        first, talk = said[0], {parts[0].job_id for parts in messages if parts}
        before = messages_before(
            store, first.scope.key, first.moment.timestamp(), MOST_BEFORE, now, talk
        )
        replied = {
            str(n): found
            for n, job in enumerate(said)
            if (found := _replied(store, job, said, now))
        }
        shown = TalkShown(
            parts=places,
            before=list(map(_shown, before)),
            replied={n: _shown(one) for n, one in replied.items()},
            former=_former(store, said, now),
        )
        others = {
            one.said_by: one.user_name
            for one in (*before, *replied.values())
            if one.role == "user" and one.said_by
        }
        others |= _named(store, said)
    return {
        "parts": [HistorianPart(job=job.model_dump()) for job in with_people_listed(jobs, others)],
        "shown": shown,
    }


def _shown(one: Event) -> ShownMessage:
    said_by = one.said_by if one.role == "user" else ""
    return ShownMessage(
        message=one.job_id, speaker=one.speaker, said_by=said_by, words=one.text[:LONGEST_BEFORE]
    )


def _replied(store: EventStore, job: Job, talk: Sequence[Job], now: float) -> Event | None:
    """Return the message that a message of the talk replies to, if it is not part of the talk."""
    wanted = str(job.payload.get("reply_to", ""))
    if not wanted or any(one.payload.get("message_id") == wanted for one in talk):
        return None
    found = store.get([f"{name}:0" for name in every_name(job.scope, wanted)])
    return next(
        (one for one in found if one.holds and not one.has_expired(now) and not is_raw(one)), None
    )


def _named(store: EventStore, said: Sequence[Job]) -> dict[str, str]:
    """Return the current names, by id, of people whom the messages name, speakers or not."""
    names = BorneNames(store.names(said[0].scope.key))
    found = names.named_in("\n".join(map(text_of, said)))
    return {who: names.today(who) for who in sorted(found)[:MOST_NAMED]}


def _former(store: EventStore, said: Sequence[Job], now: float) -> list[ShownFact]:
    """Return the MOST_FACTS current facts that have most content words in the talk, oldest first.

    Candidates are the latest facts of the speakers, and facts found by the words of the talk. Of
    equally good facts the newer ones are preferred.
    """
    speakers = tuple(dict.fromkeys(job.user_id for job in said if said_by_people(job)))
    where = EventFilter(said[0].scope.key, kinds=("fact",), sources=("job",), now=now, holds=True)
    words = "\n".join(map(text_of, said))
    by_words = store.get([one for one, _ in store.search_keywords(words, where, MOST_FACTS)])
    theirs = store.find(replace(where, people=speakers), limit=MOST_COMPARED)
    found = {one.event_id: one for one in (*theirs, *by_words) if one.is_absolute}
    told, names = terms_in(words), tuple(job.user_name for job in said if job.user_name)

    def rank(one: Event) -> tuple[float, float]:
        return share(terms_of(one.text, names), told), one.timestamp

    best = sorted(found.values(), key=rank, reverse=True)[:MOST_FACTS]
    best.sort(key=lambda one: (one.timestamp, one.event_id))
    return [ShownFact(event_id=one.event_id, text=one.text, day=one.day) for one in best]
