"""A question to a chat model that can also be answered by rules."""

from __future__ import annotations

import logging

from ..schema.errors import ModelError, ModelRested
from ..schema.protocols import Answer, StructuredChat

log = logging.getLogger(__name__)


async def asked(
    chat: StructuredChat, form: type[Answer], otherwise: str, *, purpose: str, system: str, user: str
) -> Answer | None:
    """Return the model's answer; None where it has none for this content, which is logged with what is done `otherwise`.

    Raises ModelUnavailable, and ModelRefused where no content could change it.
    """
    try:
        return await chat.structured(form, purpose=purpose, system=system, user=user)
    except ModelError as error:
        if not error.about_content:
            raise
        # That a model rests is told once by whoever lets it.
        log.log(logging.DEBUG if isinstance(error, ModelRested) else logging.WARNING, "%s: %s", otherwise, error)
        return None
