"""A finding about the worker's model for `historian doctor`. The worker writes it into the data
directory; the doctor reads it there."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path

from ...schema.errors import StorageError
from ...schema.finding import DiagnosisFinding, finding
from ...schema.protocols import ChatModel
from ...stores.files.durable import write_atomically

log = logging.getLogger(__name__)

FILE_NAME = "model_answers.json"
DECLINED_SECONDS = 86_400.0
"""The seconds for which declined content is reported."""


class ModelRecord:
    """Writes a finding when the chat model begins to rest for a purpose (`ChatModel.resting`), and
    when the provider has declined content."""

    def __init__(self, chat: ChatModel | None, directory: Path, clock: Callable[[], float]) -> None:
        self._chat, self._directory, self._clock = chat, directory, clock
        self._resting: set[str] = set()
        self._declined = 0

    async def keep(self) -> None:
        """Write a finding if there is a new one. If the file cannot be written, this is only
        logged, because nothing else depends on the file."""
        chat = self._chat
        if chat is None:
            return
        resting, usage = chat.resting(), chat.usage()
        declined = sum(used.refused_by_provider for used in usage.values())
        found, seconds = None, DECLINED_SECONDS
        if declined > self._declined:
            found = finding(
                "warning",
                "the provider of {model} declined the content of {n} questions; the rules filed it",
                "loosen the provider's content filter, or use another endpoint in "
                "[models.historian]",
                model=chat.model,
                n=declined,
            )
        for purpose in resting.keys() - self._resting:
            used, seconds = usage[purpose], resting[purpose]
            found = finding(
                "warning",
                "{model} is not used for up to an hour ({purpose}): the checks refused {refused} "
                "of {items} items of its answers",
                "use a stronger model in [models.historian], or let the rules do the work: "
                'cognitive.historian.rewrite_mode = "rules"',
                model=chat.model,
                purpose=purpose,
                items=used.taken + used.refused,
                refused=used.refused,
            )
        self._resting, self._declined = set(resting), declined
        if found is not None:
            record = [self._clock() + seconds, found.detail, found.remedy, found.values]
            try:
                await asyncio.to_thread(
                    write_atomically, self._directory / FILE_NAME, json.dumps(record).encode()
                )
            except StorageError as error:
                log.info("%s", error)


def answers_finding(directory: Path, now: float) -> DiagnosisFinding:
    """Return the finding stored in a data directory. If there is none, or it has expired, return
    "ok"."""
    try:
        until, detail, remedy, values = json.loads((directory / FILE_NAME).read_bytes())
        if now < until:
            return DiagnosisFinding("warning", str(detail), str(remedy), dict(values))
    except (OSError, ValueError, TypeError) as error:
        log.debug("%s", error)
    return finding("ok", "no model is paused, no content was declined")
