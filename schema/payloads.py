"""The payloads of jobs by kind: `talk` (one message of a conversation), `profile` (facts learnt from
messages), `states` (what was said in a session), and the commands.

Commands are jobs with which an operator or another process requests a change from the owner:

- `rollback` (`entity_type`, `entity_id`, `layer`, `revision`): restore an earlier profile as a new
  revision
- `rollback_article` (`user_id`, `group_id`, `revision`): restore an earlier article as a new
  revision
- `reprocess` (`run`, `scope_key`, `before_version`): rewrite stored events by the current rules or
  model
- `index` (`folder`, `notes_scope`, `remove`): index a folder of notes, or remove it from the index

Events and profile lines are edited and deleted at once by the process that receives the request.
`edit` and `forget` were commands in earlier versions; a job of these kinds that is still waiting
fails with a message.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .job import Job
from .profile import ProfileKey
from .scope import EntityType
from .summary import ArticleKey, Spoken

SAID_BY_PEOPLE = "user"

TalkRole = Literal["user", "assistant", "tool"]


class TalkPayload(BaseModel):
    """One message, redacted. `role` is `user` (a person), `assistant` (the bot) or `tool` (what a tool returned).

    `message_id` is the id that its platform gives it, `reply_to` that of the message which it answers ("" if unknown).
    `worded_at` (seconds since the epoch) is the time at which these words were handed over. Of two jobs of one message,
    the later one counts.
    The job's `user_id` and `user_name` are those of its sender; of a message of the bot or a tool, of the person it answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: TalkRole = "user"
    text: str = ""
    message_id: str = ""
    reply_to: str = ""
    worded_at: float = 0.0


class LearntFact(BaseModel):
    """A filed fact that a profile may include.

    `dated` is True if a time was resolved in it. `is_open` is True if the gate found nothing but
    unresolved references in it. `lasting` is True if it may hold for long.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    event_id: str
    dated: bool = False
    is_open: bool = False
    lasting: bool = True


class OldFact(BaseModel):
    """A former fact, and the event ids (`by`) of the new facts that may have superseded it.

    A job stores its id only: the `text` is read from the event when profiles are merged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    event_id: str
    by: list[str] = Field(default_factory=list)
    text: str = Field(default="", exclude=True)


class ProfilePayload(BaseModel):
    """The facts learnt from a person's messages or from a hand-over. Their events are read when the profiles are merged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: list[LearntFact] = Field(default_factory=list)
    former: list[OldFact] = Field(default_factory=list)


class SpokenPayload(BaseModel):
    """One state of a conversation, redacted. `at` is ISO 8601 with offset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["user", "assistant", "tool"]
    text: str
    name: str = ""
    at: str = ""


class StatesPayload(BaseModel):
    """The states in the order in which they were said; empty if the states already buffered have passed the threshold.

    `threshold` is in tokens, None is the configured one. With `reflect`, the article is rewritten if these
    states are significant.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    states: list[SpokenPayload] = Field(default_factory=list)
    threshold: int | None = Field(default=None, ge=1)
    reflect: bool = False

    def entries(self, job: Job) -> list[tuple[str, Spoken]]:
        """Return the states as (entry id, state), each with its own time or the job's."""
        return [
            (f"{job.job_id}:{n}", Spoken(one.role, one.text, one.name, one.at or job.timestamp))
            for n, one in enumerate(self.states)
        ]


OPERATOR = "operator"
"""The `user_id` of a command that concerns no single user."""


class _CommandPayload(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RollbackCommand(_CommandPayload):
    entity_type: EntityType
    entity_id: str
    layer: str = ""
    revision: int = Field(ge=1)

    @property
    def key(self) -> ProfileKey:
        return ProfileKey(self.entity_type, self.entity_id, self.layer)


class RollbackArticleCommand(_CommandPayload):
    user_id: str
    group_id: str = ""
    revision: int = Field(ge=1)

    @property
    def key(self) -> ArticleKey:
        return ArticleKey(self.user_id, self.group_id)


class ReprocessCommand(_CommandPayload):
    """`run` names the run. An empty `scope_key` is every conversation, an empty `before_version` every version."""

    run: str = Field(min_length=1)
    scope_key: str = ""
    before_version: str = ""


class IndexCommand(_CommandPayload):
    folder: str = Field(min_length=1)
    notes_scope: str = ""
    remove: bool = False
