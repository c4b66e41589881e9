"""The base class of the tables of the configuration file, and the types that several tables use."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Seconds = Annotated[float, Field(gt=0, le=86_400)]


def hot(*default: Any, **options: Any) -> Any:
    """Declare a key that applies without a restart."""
    return Field(*default, json_schema_extra={"hot": True}, **options)


class Section(BaseModel):
    """A table of the configuration file."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)
