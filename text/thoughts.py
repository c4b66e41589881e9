"""What a reasoning model writes of its thoughts before and between its answers: `<think>…</think>`."""

from __future__ import annotations

import re

_OPENING = re.compile(r"(?<!`)<(?:think|thinking)>", re.IGNORECASE)
_CLOSING = re.compile(r"</(?:think|thinking)>(?!`)", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return a model's text without what it thought.

    Left out are blocks with their marks, what stands before a closing mark whose opening is missing (some chat templates write
    it), and everything after an opening at the very beginning that is never closed. Any other unclosed opening stays.

    >>> without_thoughts("<think>she likes tea?</think>Longjing, perhaps."), without_thoughts("<think>she likes")
    ('Longjing, perhaps.', '')
    """
    pieces: list[str] = []
    done, closing = 0, _CLOSING.search(text)
    opening = _OPENING.search(text)
    if closing and (opening is None or closing.start() < opening.start()):
        done = closing.end()
    while (opening := _OPENING.search(text, done)) and (closing := _CLOSING.search(text, opening.end())):
        pieces.append(text[done : opening.start()])
        done = closing.end()
    is_cut_off = opening is not None and not "".join([*pieces, text[done : opening.start()]]).strip()
    return "".join(pieces if is_cut_off else [*pieces, text[done:]])
