"""Reading of input lines (JSON objects or plain text).

Also the models of the lines that `historian gate` and `historian absolutize` accept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, Field

from ...schema.errors import InvalidInput
from ...schema.language import LanguageChoice
from ...schema.names import Names
from ...schema.times import check_timestamp, check_timezone
from ...schema.validation import validated
from .shell import WrongUse

Id = Annotated[str, Field(coerce_numbers_to_str=True)]


class GateLine(BaseModel):
    """A line of `historian gate`. Unknown keys are passed over; ids may be numbers."""

    text: str
    language: LanguageChoice = "auto"
    bot_name: str = ""
    user_name: str = ""
    user_id: Id = ""
    group_name: str = ""
    group_id: Id = ""
    others: tuple[str, ...] = ()
    glossary: tuple[str, ...] = ()

    def names(self, *, default_bot: str) -> Names:
        """Return the names in the line, with `default_bot` if the line has no name of the bot."""
        given = {one.name: getattr(self, one.name) for one in fields(Names)}
        return Names(**{**given, "bot_name": self.bot_name or default_bot})


class AbsolutizeLine(GateLine):
    """A line of `historian absolutize`."""

    timestamp: Annotated[str, AfterValidator(check_timestamp)] = ""
    timezone: Annotated[str, AfterValidator(check_timezone)] = ""
    item: Literal["action", "fact"] = "fact"
    recent_speakers: tuple[str, ...] = ()


Line = TypeVar("Line", bound=GateLine)


def validated_line(kind: type[Line], line: Mapping[str, Any]) -> Line:
    """Return a line validated as `kind`. Raises InvalidInput that names the key.

    A key with the value null or "" counts as missing, except `text`.
    """
    return validated(
        kind,
        {key: value for key, value in line.items() if key == "text" or value not in (None, "")},
    )


def json_lines() -> Iterator[Mapping[str, Any] | InvalidInput]:
    """Read JSON objects from stdin, one per line, and yield each as soon as its line arrives.

    For a line that is no JSON object, yield an InvalidInput with the line number.
    """
    for number, raw in _numbered_lines():
        try:
            yield json_object(raw, number)
        except InvalidInput as error:
            yield InvalidInput(f"line {number}: {error}")


def json_object(raw: bytes, number: int) -> dict[str, Any]:
    """Return the JSON object in a line. Line 1 may begin with a byte order mark.

    Raises InvalidInput if the line is no JSON object in UTF-8.
    """
    try:
        found = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        raise WrongUse("not UTF-8 (byte {n}); convert it", n=error.start + 1) from None
    except (ValueError, RecursionError) as error:
        raise WrongUse("not JSON: {error}", error=error) from None
    if not isinstance(found, dict):
        raise WrongUse("expected one JSON object per line")
    return found


def text_lines() -> Iterator[Mapping[str, Any] | InvalidInput]:
    """Read plain lines from stdin; yield each as an object with the key `text`."""
    for _, raw in _numbered_lines():
        yield {"text": raw.decode("utf-8", errors="replace").rstrip("\r\n")}


def _numbered_lines() -> Iterator[tuple[int, bytes]]:
    """Yield each line of stdin that is not blank as soon as it arrives, with its number from 1."""
    for number, raw in enumerate(iter(sys.stdin.buffer.readline, b""), 1):
        if raw.strip():
            yield number, raw
