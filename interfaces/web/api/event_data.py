"""Pydantic models of the API that are made from dataclasses."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from ....schema.correction import Candidate, Correction
from ....schema.event import Event
from ....schema.profile import ProfileLine
from ....schema.scope import EntityType


def record_model(kind: type, name: str, *left_out: str, **more: Any) -> Any:
    """Return a pydantic model with the fields of a dataclass except `left_out`; all are required.

    `more` are additional fields, or replacements of fields, as pairs of a type and a `Field`.
    """
    hints = get_type_hints(kind)
    own = {one.name: (hints[one.name], ...) for one in fields(kind) if one.name not in left_out}
    config = ConfigDict(from_attributes=True)
    return create_model(name, __config__=config, __doc__=kind.__doc__, **{**own, **more})


class LineOfProfile(BaseModel):
    entity_type: EntityType
    entity_id: str
    layer: str
    line: ProfileLine


if TYPE_CHECKING:  # type checkers cannot use a model that is created at run time as a type
    EventData = Event
    CandidateData = Candidate
    CorrectionData = dict[str, Any]
else:
    CandidateData = record_model(Candidate, "CandidateData")
    _NAME = Field(description='The name of the sender of a message at that time; "" for an event.')
    EventData = record_model(Event, "EventData", "worded_at", speaker=(str, _NAME))
    _LISTS = {"events": (list[EventData], ...), "messages": (list[EventData], ...)}
    CorrectionData = record_model(
        Correction, "CorrectionData", lines=(list[LineOfProfile], ...), **_LISTS
    )
