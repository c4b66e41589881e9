"""What became of the answers of a worker's model lately, in a small file: `historian doctor` is another process."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...schema.errors import StorageError
from ...schema.finding import Finding, finding
from ...stores.files.durable import write_atomically

if TYPE_CHECKING:
    from ..components import Parts

log = logging.getLogger(__name__)

FILE_NAME = "model_answers.json"
DECLINED_SECONDS = 86_400.0
"""How long declined content is told of."""


class ModelRecord:
    """Writes the file when the model begins to rest for a purpose, and when content was declined."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._written: tuple[frozenset[str], int] = frozenset(), 0
        self._declined_at = 0.0

    async def keep(self) -> None:
        """Write what has changed. A disk that refuses it is told in the log: nothing rests on this file."""
        chat = self._parts.chat
        if chat is None:
            return
        resting, usage, now = chat.resting(), chat.usage(), self._parts.clock()
        declined = sum(used.refused_by_provider for used in usage.values())
        state = frozenset(resting), declined
        if state == self._written:
            return
        if declined > self._written[1]:
            self._declined_at = now
        record: dict[str, Any] = {
            "model": chat.model,
            "declined": declined,
            "declined_at": self._declined_at,
            "resting": {
                purpose: {"until": now + left, "taken": usage[purpose].taken, "refused": usage[purpose].refused}
                for purpose, left in resting.items()
            },
        }
        self._written = state
        try:
            await asyncio.to_thread(write_atomically, self._parts.directory / FILE_NAME, json.dumps(record).encode())
        except StorageError as error:
            log.info("%s", error)


def answers_finding(directory: Path, now: float) -> Finding:
    """Return what the file of a data directory tells: a model that rests, else content that was declined."""
    try:
        record = json.loads((directory / FILE_NAME).read_bytes())
        resting = {name: one for name, one in record["resting"].items() if one["until"] > now}
        model, declined, at = str(record["model"]), int(record["declined"]), float(record["declined_at"])
        for purpose, one in resting.items():
            items, left = one["taken"] + one["refused"], (one["until"] - now) / 60
            return finding(
                "warning",
                "{model} rests for {left:.0f} min ({purpose}): of {items} items of its answers the checks refused {refused}",
                "take a stronger model in [models.historian], or leave the work to the rules: "
                'cognitive.historian.rewrite_mode = "rules"',
                **{"model": model, "left": left, "purpose": purpose, "items": items, "refused": one["refused"]},
            )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return finding("ok", "no model rests, no content was declined")
    if declined and now - at < DECLINED_SECONDS:
        return finding(
            "warning",
            "the provider of {model} declined the content of {n} questions; the rules filed it",
            "loosen the provider's content filter, or take another endpoint in [models.historian]",
            model=model,
            n=declined,
        )
    return finding("ok", "no model rests, no content was declined")
