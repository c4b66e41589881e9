"""Notes that leave out how their message begins: 现在住在成都, of 我表姐现在住在成都."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.names import Names
from ..borders import in_word
from ..references.finding import deictic_words
from ..references.people import find_people
from ..references.subjects import predicate_of
from .utterances import BOT, Utterance

LONGEST_BEGINNING = 40
"""Characters of a clause before the note. What stands before a longer one is hardly its subject."""
LONGEST_NOTE = 400
_BREAK = re.compile(r"[,.;!?，。；！？…\n]")
_LINK = re.compile(r"(?:(?:so|and|but|well|oh|btw|also) )*+", re.IGNORECASE)
_SUBJECT = re.compile(r"I|my(?: [a-z]+){0,3}|我", re.IGNORECASE)
_IS = re.compile(r"(?:['’](?:m|ve|s)| am| is| are| has| have)?\s*$")
_NOUN = re.compile(r"(?:the|an?|this|that|some|one) [a-z]", re.IGNORECASE)


def with_beginning(text: str, said: Sequence[Utterance], names: Names) -> str:
    """Return a note with what stands before it in its clause of the one message that holds it, if its subject stands there.

    A note that begins with a predicate gets all of it (我想, of 我想养猫); another one only a subject as a whole.
    """
    note = text.strip(" 。.!！")
    begins = {_before(note, one.text) for one in said if one.who not in ("", BOT) and not one.asks} - {None}
    begin = begins.pop() if len(begins) == 1 and 2 < len(note) < LONGEST_NOTE else ""
    if not begin or len(begin) > LONGEST_BEGINNING:
        return text
    whole = begin + (text[0].lower() + text[1:] if begin.isascii() and not text[:2].isupper() else text)
    people = find_people(begin, names.people)
    if predicate_of(text, names):
        has_subject = people or deictic_words(begin, ()) or _NOUN.match(begin)
        return whole if has_subject and not predicate_of(whole, names) else text
    bare = _IS.sub("", begin)
    alone = any(one.end == len(bare) and begin[: one.start] in ("", "我", "我的", "我家") for one in people)
    return whole if alone or _SUBJECT.fullmatch(bare) else text


def _before(note: str, message: str) -> str | None:
    """Return what stands before a note in its clause of a message; None if the message does not hold it."""
    at = message.lower().find(note.lower())
    if at < 0 or (at and in_word(note[:1]) and in_word(message[at - 1])):
        return None
    *_, head = (0, *(mark.end() for mark in _BREAK.finditer(message, 0, at)))
    return _LINK.sub("", message[head:at].lstrip(), count=1)
