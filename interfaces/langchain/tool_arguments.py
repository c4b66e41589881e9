"""What the tools of memory are called with: models send `null` and "" for what they leave out, and numbers as ids."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator


class Arguments(BaseModel):
    """The arguments of one tool."""

    model_config = ConfigDict(extra="ignore")

    @field_validator("*", mode="before")
    @classmethod
    def _blank_is_left_out(cls, value: Any, info: Any) -> Any:
        field = cls.model_fields[info.field_name]
        if value in (None, "") and not field.is_required():
            return field.get_default(call_default_factory=True)
        if info.field_name.endswith("_id") and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return value
