"""Replace the assistant's name by "I" in articles that are written without a model."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..edits import Edit, edited
from ..language import detect_language
from ..protected import overlaps, protected_spans, whole_name_pattern
from ..word_lists import compiled_patterns, word_list, word_tables

_TABLES = word_tables("articles/first_person.toml")
_RE = compiled_patterns(_TABLES)
_AUXILIARY = {"is": "am", "has": "have", "does": "do", "doesn't": "don't", "hasn't": "haven't", "isn't": "am not"}
_VERBS = word_list(_TABLES["words"]["verbs"])


def _with_s(verb: str) -> str:
    """Return the third person singular of a verb."""
    if verb[-1] == "y" and verb[-2] not in "aeo":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("ch", "sh", "ss", "go")) else f"{verb}s"


_THIRD_PERSON = {_with_s(verb): verb for verb in sorted(_VERBS)}
# "Ann and": the name after it is a subject unless a preposition precedes ("with Ann and").
_JOINED = re.compile(r"(?<![A-Za-z])[A-Z][\w'’]* and $")
_PREDICATE = re.compile(
    r"^ (?P<verb>is|has|does|doesn't|hasn't|isn't|was|had|did|didn't|will|would|can|could|should|must"
    r"|told|gave|said|sent|wrote|went|found|made|read|took|got|kept|left|felt|thought|knew|spoke|taught|sang|drew"
    rf"|{'|'.join(_THIRD_PERSON)}|[a-z]+ed)\b"
)


def in_first_person(text: str, names: Names) -> str:
    """Return `text` with the bot's name as 我 or I, me, my; in English only before a common verb.

    Names inside quotations and titles are kept. If the bot has no name, `text` is returned unchanged.
    """
    pattern = whole_name_pattern((names.bot_name,))
    if pattern is None:
        return text
    chinese = detect_language(text) == "zh"
    closed = protected_spans(text)
    named = (found.span() for found in pattern.finditer(text) if not overlaps(closed, *found.span()))
    return edited(text, ((start, end, "我") if chinese else _english(text, start, end) for start, end in named))


def _english(text: str, start: int, end: int) -> Edit:
    """Return the edit that replaces the name, and the verb after it."""
    if text[end : end + 2] in ("'s", "’s"):
        return start, end + 2, "my" if text[:start].strip() else "My"
    before = text[:start]
    joined = _JOINED.search(before)
    if joined is not None and not _RE.before_me.search(before[: joined.start()]):
        return start, end, "I"
    predicate = _PREDICATE.match(text[end:])
    if predicate is not None and not _RE.before_me.search(before.removesuffix("and ")):
        verb = predicate["verb"]
        return start, end + predicate.end(), f"I {_AUXILIARY.get(verb) or _THIRD_PERSON.get(verb, verb)}"
    return start, end, "me" if _RE.before_me.search(before) else text[start:end]
