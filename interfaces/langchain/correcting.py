"""The tools that change memory.

These are `correct_memory`, `pin_memory`, `unpin_memory`, `list_pins`, and `forget_message`.

`correct_memory` is the tool for "that's wrong": it removes or replaces the statement that its
argument `wrong` names. If several lines or records match, it changes nothing and lists them with
their ids; the next call passes one of these as `target_id`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...retrieval.prompt_block.block import Block
from ...retrieval.prompt_block.quoting import quoted
from ...schema.errors import InvalidInput
from ...schema.language import Language
from ...schema.scope import Scope
from ...service.recall.reading import Reading
from .texts import TEXTS, Texts
from .tool_arguments import KnownArguments

if TYPE_CHECKING:
    from ...schema.correction import Candidate, Correction
    from ...service.cognitive import CognitiveService

MOST_TOKENS = 2_000
"""Approximate maximum size of a tool's answer, in tokens."""

_ANSWERS: Texts = TEXTS["answers"]


class CorrectMemoryArguments(KnownArguments):
    """The arguments of `correct_memory`."""

    wrong: str
    right: str = ""
    target_id: str = ""


class PinMemoryArguments(KnownArguments):
    """The arguments of `pin_memory`."""

    text: str
    expires_at: str | None = None


class UnpinMemoryArguments(KnownArguments):
    """The arguments of `unpin_memory`."""

    line_id: str


class ListPinsArguments(KnownArguments):
    """`list_pins` takes none."""


class ForgetMessageArguments(KnownArguments):
    """The arguments of `forget_message`."""

    message_id: str


async def correct_memory(
    memory: Reading, scope: Scope, asked: CorrectMemoryArguments, language: Language
) -> str:
    """Correct memory. Return the removed texts and the id for undoing, or the candidates."""
    found = await _writable(memory).correct(
        asked.wrong, asked.right, scope=scope, target_id=asked.target_id
    )
    if isinstance(found, list):
        return _candidates(found, language)
    return _corrected(found, asked.right, language)


def _candidates(found: list[Candidate], language: Language) -> str:
    if not found:
        return _ANSWERS["nothing_says_that"][language]
    lines = [f"- {one.target_id}: {quoted(one.text)}{_day(one.day)}" for one in found]
    return _ANSWERS["which_one"][language] + _block(lines, language)


def _corrected(done: Correction, right: str, language: Language) -> str:
    lines = [quoted(line.dated_text) for _, line in done.lines]
    lines += [quoted(one.text) for one in (*done.events, *done.messages)]
    told = _ANSWERS["replaced" if right else "taken_out"][language]
    told += _block([f"- {one}" for one in dict.fromkeys(lines)], language)
    if done.undo_until:
        undo = _ANSWERS["undo"][language]
        told += undo.format(id=done.correction_id, until=done.undo_until[:16].replace("T", " "))
    if done.still_told:
        left = [f"- {quoted(one)}" for one in done.still_told]
        told += _ANSWERS["still_told"][language] + _block(left, language)
    return told


async def pin_memory(
    memory: Reading, scope: Scope, asked: PinMemoryArguments, language: Language
) -> str:
    """Pin a text. Return an answer with the id of the new pin."""
    line = await _writable(memory).pin(asked.text, scope, expires_at=asked.expires_at)
    return _ANSWERS["pinned"][language].format(id=line.line_id)


async def unpin_memory(
    memory: Reading, scope: Scope, asked: UnpinMemoryArguments, language: Language
) -> str:
    """Remove a pin. Return a confirmation, or a message that no pin has this id."""
    removed = await _writable(memory).unpin(asked.line_id, scope)
    return _ANSWERS["unpinned" if removed else "no_pin"][language]


async def list_pins(
    memory: Reading, scope: Scope, asked: ListPinsArguments, language: Language
) -> str:
    """Return the pins of the conversation with their ids."""
    pins = await _writable(memory).list_pins(scope)
    lines = (f"- {one.line_id}: {quoted(one.text)}{_day(one.until)}" for one in pins)
    return _block(lines, language) or _ANSWERS["no_pins"][language]


async def forget_message(
    memory: Reading, scope: Scope, asked: ForgetMessageArguments, language: Language
) -> str:
    """Withdraw a message. Return a confirmation, or an answer that no message has this id."""
    gone = await _writable(memory).forget_message(asked.message_id, scope)
    return _ANSWERS["withdrawn" if gone else "no_message"][language]


def _writable(memory: Reading) -> CognitiveService:
    from ...service.cognitive import CognitiveService

    if not isinstance(memory, CognitiveService):
        raise InvalidInput("memory: this memory is read-only")
    return memory


def _day(told: str) -> str:
    return f" ({told[:10]})" if told else ""


def _block(lines: Iterable[str], language: Language) -> str:
    block = Block(language, MOST_TOKENS)
    block.fill(lines, 1.0)
    return block.text()
