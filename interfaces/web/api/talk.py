"""Routes for bots: hand over messages and turns, and search the memory."""

from __future__ import annotations

import uuid
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from ....schema.errors import InvalidInput
from ....schema.event import EventKind
from ....schema.job import RecentMessage
from ....schema.language import Language
from ....schema.scope import RequestType, Scope
from ....service.recall.reading import MOST_NEIGHBOURS
from ..access import Caller
from ..dependencies import CallerHere, MemoryHere, ScopeParameter
from .event_data import EventData

router = APIRouter(tags=["talk"])

Id = Annotated[str | int, Field(description="An id of the platform.")]
Tags = Annotated[
    list[str], Field(description="Short texts. A search finds records that have all of them.")
]
Metadata = Annotated[
    dict[str, Any] | None,
    Field(
        description="A JSON object of at most 2 KB. A search finds records with equal values for its keys."
    ),
]
TopK = Annotated[int, Field(ge=1, le=500)]


class Body(BaseModel):
    """The body of a request: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class InScope(Body):
    """A request about one conversation."""

    scope: str | None = Field(
        None, description="`group:ID` or `user:ID`; by default that of the token."
    )
    user_id: Id | None = Field(None, description="The speaker in a group.")

    def scope_for(self, caller: Caller) -> Scope:
        return caller.needed_scope(self.scope, None if self.user_id is None else str(self.user_id))


class TurnNames(Body):
    user_name: str | None = None
    group_name: str | None = None
    bot_name: str | None = None


class RememberRequest(InScope, TurnNames):
    messages: list[dict[str, Any]] | dict[str, Any] | str = Field(
        description="Messages: `{role, content, sender_id?, name?, id?, reply_to?, at?, tags?, metadata?, expires_at?}`, "
        "or messages of OpenAI or OneBot, one or several; or a text of the user. A known `id` with another text replaces "
        "that message."
    )
    bot_id: Id | None = None
    timezone: str | None = None
    flush: bool = Field(False, description="File the waiting messages of this conversation now.")


class TurnRequest(TurnNames):
    action_summary: str = Field("", description="What the bot did.")
    new_info: list[str] | str = Field(
        [], description="What it learnt: a short statement, or several."
    )
    request_type: RequestType | None = None
    user_id: Id | None = None
    group_id: Id | None = None
    sender_id: Id | None = None
    bot_id: Id | None = None
    request_id: Id | None = Field(
        None, description="Calls with the same value and the same end_seq make one job."
    )
    end_seq: int | None = None
    timestamp: str | float | None = Field(
        None, description="ISO 8601 with offset, or seconds since 1970; by default now."
    )
    timezone: str | None = None
    recent_messages: list[RecentMessage] | None = None
    force: bool | None = None
    tags: Tags = []
    metadata: Metadata = None
    expires_at: str | float | None = Field(
        None,
        description="When it is forgotten: ISO 8601 with offset, a day, or seconds since 1970.",
    )

    def fields_for(self, caller: Caller) -> dict[str, Any]:
        """Return the arguments of `enqueue_job`.

        Raises Refused if the request names another conversation than the caller's token.
        """
        fields = self.model_dump(exclude_unset=True)
        own = caller.scope
        if own is None:
            return fields
        kind = fields.get("request_type") or (
            "group" if fields.get("group_id") else own.request_type
        )
        place = "group" if kind == "group" else "user"
        whose = fields.get(f"{place}_id") or getattr(own, f"{place}_id")
        scope = caller.needed_scope(f"{place}:{whose}")
        # Job ids are unique in the whole memory. The prefix keeps the holder of a token from using
        # the id of a job of another conversation.
        which = (
            uuid.uuid4().hex
            if fields.get("request_id") is None
            else f"{scope.key}:{fields['request_id']}"
        )
        return {
            **fields,
            "request_id": scope.request_id(which),
            "request_type": kind,
            f"{place}_id": whose,
        }


class ContextRequest(InScope):
    query: str | dict[str, Any] | list[str | dict[str, Any]] = Field(
        description="What was said: text or messages, as in /remember."
    )
    context: list[str] = Field(
        [], description="What was said before, for queries too short to search with."
    )
    language: Language | None = None
    top_k: TopK | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None


class SearchRequest(Body):
    query: str | list[str]
    scope: str | None = Field(
        None, description="`group:ID` or `user:ID`; by default that of the token."
    )
    everywhere: bool = Field(False, description="For the operator: search every conversation.")
    context: list[str] = []
    top_k: TopK | None = None
    kind: EventKind | None = None
    user_id: Id | None = Field(None, description="Only what this user said.")
    source: str | None = None
    time_from: str | float | None = None
    time_to: str | float | None = None
    occurs_from: str | float | None = None
    occurs_to: str | float | None = None
    is_absolute: bool | None = None
    tags: Tags = []
    metadata: Metadata = None
    neighbours: Annotated[int, Field(ge=0, le=MOST_NEIGHBOURS)] = Field(
        0, description="The number of messages to return before and after each message found."
    )
    explain: bool = Field(False, description="Add an explanation of the rank of each event.")


class JobIds(BaseModel):
    job_ids: list[str]


class JobId(BaseModel):
    job_id: str | None = Field(description="None: there was nothing to remember.")


class Block(BaseModel):
    context: str = Field(
        description='One quoted block for a message of the role `user`; "" for none.'
    )


class Withdrawn(BaseModel):
    messages: int = Field(
        description="The number of messages that were withdrawn; 0 if the id is unknown."
    )


class FoundEvent(BaseModel):
    event: EventData
    score: float
    scores: dict[str, float] = Field(description="The score of every step of the search, in order.")
    pending: bool = Field(
        description="True: handed over but not filed yet; the text is as it was handed over."
    )
    before: list[EventData] = Field(
        description="Messages before it, oldest first, if `neighbours` asks for them."
    )
    after: list[EventData] = Field(description="Messages after it.")
    explain: str = ""


class Hits(BaseModel):
    hits: list[FoundEvent] = Field(description="Best first.")


@router.post("/remember", status_code=HTTPStatus.ACCEPTED)
async def remember(asked: RememberRequest, memory: MemoryHere, caller: CallerHere) -> JobIds:
    """Hand over messages. They are on disk when the response is sent, and are stored as they were said."""
    scope = asked.scope_for(caller)
    fields = asked.model_dump(exclude={"scope", "user_id", "messages", "flush"}, exclude_none=True)
    job_ids = await memory.remember(asked.messages, scope, **fields)
    if asked.flush:
        await memory.flush(scope)
    return JobIds(job_ids=job_ids)


@router.delete("/messages/{message_id:path}")
async def forget_message(
    message_id: str, memory: MemoryHere, caller: CallerHere, scope: ScopeParameter = None
) -> Withdrawn:
    """Withdraw a message by its platform id, and remove what is based on it alone. It is never filed again."""
    return Withdrawn(messages=await memory.forget_message(message_id, caller.needed_scope(scope)))


@router.post("/jobs", status_code=HTTPStatus.ACCEPTED)
async def enqueue(asked: TurnRequest, memory: MemoryHere, caller: CallerHere) -> JobId:
    """Hand over what the bot did and learnt in a turn. It is on disk when the response is sent."""
    return JobId(job_id=await memory.enqueue_job(**asked.fields_for(caller)))


@router.post("/context")
async def context(asked: ContextRequest, memory: MemoryHere, caller: CallerHere) -> Block:
    """The memories that are relevant for a reply, found within the time limit of a recall."""
    scope = asked.scope_for(caller)
    options = asked.model_dump(exclude={"scope", "user_id", "query"})
    return Block(context=await memory.build_context(asked.query, scope, **options))


@router.post("/search")
async def search(asked: SearchRequest, memory: MemoryHere, caller: CallerHere) -> Hits:
    """Search the messages and events of one conversation, or of all for the operator; best first."""
    own = {"query", "scope", "everywhere", "context", "top_k", "user_id", "neighbours", "explain"}
    conditions = asked.model_dump(exclude=own, exclude_none=True)
    if asked.user_id is not None:
        conditions["user_id"] = str(asked.user_id)
    if asked.everywhere:
        caller.check_operator()
        if asked.scope is not None or asked.neighbours or not isinstance(asked.query, str):
            raise InvalidInput(
                "everywhere: leave scope and neighbours out, and give query as one text"
            )
        hits = await memory.search_everywhere(asked.query, top_k=asked.top_k, **conditions)
    else:
        scope = caller.needed_scope(asked.scope)
        more = {**conditions, "context": asked.context, "neighbours": asked.neighbours}
        hits = await memory.search_events(asked.query, scope, top_k=asked.top_k, **more)
    return Hits(
        hits=[
            FoundEvent(
                event=hit.event,
                score=hit.score,
                scores=dict(hit.scores),
                pending=hit.pending,
                before=list(hit.before),
                after=list(hit.after),
                explain=hit.explain() if asked.explain else "",
            )
            for hit in hits
        ]
    )
