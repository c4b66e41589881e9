"""Replacement of the unambiguous references of a text by names, for articles and direct speech."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..edits import Edit, edited
from .rewriting import draft

_THIRD = re.compile(r"他|她|它|\b(?:ta|he|him|his|she|hers?|they|them|theirs?)\b", re.IGNORECASE)
_FIRST = re.compile(r"^(?:我|咱|俺|I\b|me\b|my\b|mine\b|we\b|us\b|our)", re.IGNORECASE)
_SAME_NAME = re.compile(r"用户|the user|user", re.IGNORECASE)


def with_names(text: str, names: Names) -> str:
    """Return a text of the assistant about one person, with names for "he", "you" and "the user"; its own "I" stays.

    In a group only "the user" is replaced, because "he" may be anybody.
    """
    kept: list[Edit] = []
    own = -1  # end of an "I" that stays; its verb stays too
    for change in draft(text, names, "fact").replaced:
        if _FIRST.match(change.old):
            own = change.end
        elif (own < 0 or text[own : change.start].strip()) and (not names.group_id or _SAME_NAME.search(change.old)):
            kept.append((change.start, change.end, change.new))
    return edited(text, kept)


def direct_speech(text: str, names: Names) -> str:
    """Return what `names.bot_name` said to `names.user_name`, with names for "I" and "you"; third persons stay."""
    made = draft(text, names, "action").replaced
    return edited(text, ((one.start, one.end, one.new) for one in made if not _THIRD.search(one.old)))
