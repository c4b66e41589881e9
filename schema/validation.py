"""Pydantic validation errors as InvalidInput: `field: problem`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .errors import InvalidInput

Model = TypeVar("Model", bound=BaseModel)


def problems(
    error: ValidationError, *, whole: str = "", within: str = ""
) -> list[tuple[str, str, ErrorDetails]]:
    """Return (dotted field, message, pydantic's details) of each problem.

    `within` is the field that holds the validated object, `whole` the name of the object itself.
    """
    return [
        (
            ".".join(filter(None, (within, *map(str, item["loc"])))) or whole,
            item["msg"].removeprefix("Value error, "),
            item,
        )
        for item in error.errors(include_url=False)
    ]


def invalid_input(error: ValidationError, *, whole: str = "", within: str = "") -> InvalidInput:
    """Return the first problem as InvalidInput. If a validator raised an InvalidInput, its message
    is unchanged.
    """
    field, message, item = problems(error, whole=whole, within=within)[0]
    cause = item.get("ctx", {}).get("error")
    return InvalidInput(str(cause) if isinstance(cause, InvalidInput) else f"{field}: {message}")


def validated(model: type[Model], data: Mapping[str, object], *, within: str = "") -> Model:
    """Return `data` as a `model`. Raises InvalidInput that names the field."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise invalid_input(error, whole=model.__name__.lower(), within=within) from None
