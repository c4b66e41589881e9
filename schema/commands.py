"""Commands: payloads of the jobs with which an operator or another process requests a change from
the owner.

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

from pydantic import BaseModel, ConfigDict, Field

from .profile import ProfileKey
from .scope import EntityType
from .summary import ArticleKey

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
