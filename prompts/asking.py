"""Questions to a chat model with a fallback to rules, and parsing of short values in answers."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ..schema.errors import ModelError, ModelRested
from ..schema.protocols import Answer, StructuredChat
from ..text.checks.figures import figures

log = logging.getLogger(__name__)

CONTROL = 1
"""The number of the control: a statement that is listed before the former facts and is never
outdated. A model that names it as ended names facts at random. The example in the prompt for talk
also names it, so that a model that copies the example is recognised."""
CONTROL_FACT = {"zh": "{}是聊天机器人", "en": "{} is a chat bot"}
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_SHORT_ID = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]?)(\d{1,3})(?!\d)")


def listed(value: Any) -> list[str]:
    """Return a list of texts. Models also write nothing, one text, or numbers instead of a list."""
    given = value if isinstance(value, list) else [] if value is None else [value]
    return [str(one) for one in given if isinstance(one, str | int)]


Texts = Annotated[list[str], BeforeValidator(listed), Field(default_factory=list)]
some = BeforeValidator(lambda value: value or [])


def short_id(written: str) -> tuple[str, int]:
    """Return the first short id in a text as (letter, number); ("", 0) if there is none.

    >>> short_id("[f2]"), short_id("L1: likes tea"), short_id("3"), short_id("tea")
    (('F', 2), ('L', 1), ('', 3), ('', 0))
    """
    found = _SHORT_ID.search(written)
    return (found[1].upper(), int(found[2])) if found else ("", 0)


def numbers_of(letter: str, written: Iterable[str], most: int) -> list[int]:
    """Return the numbers, from 1 to `most`, of the short ids with a letter that a model wrote.

    >>> numbers_of("N", ["N2", "3", "[n1]", "N2: likes tea", "L4", "N5, N6"], 9)
    [2, 3, 1, 5, 6]
    """
    found = (short_id(one) for text in written for one in re.split("[,，、;；]", text))
    return [n for n in dict.fromkeys(n for of, n in found if of in ("", letter)) if 1 <= n <= most]


async def asked(
    chat: StructuredChat,
    form: type[Answer],
    otherwise: str,
    *,
    purpose: str,
    system: str,
    user: str,
) -> Answer | None:
    """Return the model's answer, or None if it refuses or fails for this content.

    `otherwise` describes the fallback for the log. Raises ModelUnavailable, and ModelRefused if the
    refusal does not depend on the content.
    """
    try:
        return await chat.structured(form, purpose=purpose, system=system, user=user)
    except ModelError as error:
        if not error.about_content:
            raise
        # The code that rests a model logs this, as a warning once per purpose.
        log.log(
            logging.DEBUG if isinstance(error, ModelRested) else logging.WARNING,
            "%s: %s",
            otherwise,
            error,
        )
        return None


def named_day(written: str, sources: str) -> date | None:
    """Return the day that a model wrote (`2026-03-02`) if its sources contain it, else None."""
    if (
        not _DAY.fullmatch(written)
        or not figures(written).keys() <= figures(sources, uncertain=True).keys()
    ):
        return None
    try:
        return date.fromisoformat(written)
    except ValueError:
        return None
