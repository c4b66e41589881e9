"""Score how informative a statement is: facts, plans and events with names, figures and dates score high; praise, thanks and
questions score low."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..schema.names import Names
from .borders import BEGINS, ENDS, LOWER, UPPER
from .declared import declared_in
from .language import detect_language
from .lasting import lasts
from .protected import whole_name_pattern
from .statements import LONGEST_STATEMENT, spoken_by, stamped, statements
from .support import content_terms, stem, weight, words_only
from .word_lists import compiled_patterns, word_list, word_tables

_TABLES = word_tables("telling.toml")
_PATTERNS = compiled_patterns(_TABLES)
TELLS = 0.6
"""Minimum score of a sentence that is kept."""

_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?|\d{4}年(?:\d{1,2}月)?|\b(?:19|20)\d\d\b")
# "Around 2023-08-17", "as of 2023-08-17": resolved from "lately" and "now", not the date of an event.
_VAGUE_DAY = _PATTERNS["vague_day"]
_NUMBER = re.compile(r"(?<![\d-])\d+(?:[.,:]\d+)*(?![\d-])")
_SPELT = _PATTERNS["spelt"]
_TITLE = re.compile(r"《[^《》]+》|“[^“”]+”|「[^「」]+」|\"[^\"]+\"")
_NAME = re.compile(
    rf"(?<![.!?。！？:：“\"] )(?<!^)(?<!['’]){BEGINS}"
    rf"(?:[{UPPER}][{LOWER}]+|[A-Z]{{2,}}[A-Za-z0-9]*)(?:['’]s)?{ENDS}"
)
_NO_NAME = word_list(_TABLES["words"]["no_name"])
_DONE = _PATTERNS["done"]
_PLANS = _PATTERNS["plans"]
_TALK = _PATTERNS["talk"]
_TO_SOMEBODY = _PATTERNS["to_somebody"]
_QUESTION = re.compile(r"[?？]\s*$|[吗呢]$")
_WEIGHTLESS = frozenset(stem(word) for word in word_list(_TABLES["words"]["weightless"]))
_SAYS_SOMETHING = 1.0
_CAPTION = re.compile(r"(?:^|[.!?…]\s+)an? (?:photo|photograph|photography|close[- ]up|screenshot) of [^.!?]*+[.!?]?+\s*$")
_WEEK = re.compile(r"(?<=week of )(?P<first>\d{4}-\d{2}-\d{2}) to \d{4}-\d{2}-\d{2}")
_BRACKETS = re.compile(r"\(\s*\)|（\s*）")
_DASH = re.compile(r"(?<!\s)\s+[-–—]{1,2}\s+|(?<!\s)\s*[—]{2}\s*")
_REMARK = _PATTERNS["remark"]
_INTERJECTION = _PATTERNS["interjection"]


def undated(line: str, day: str) -> str:
    """Return a line that will be dated with `day` without vague mentions of that day and without the day at its beginning."""
    bare = _VAGUE_DAY.sub(lambda found: "" if day in found.group() else found.group(), line)
    bare = re.sub(
        rf"^((?:[^\s:：]{{1,40}}[:：]\s*)?)(?:On )?{re.escape(day)}(?![\d至])(?! to )[,，]?\s*", r"\1", _BRACKETS.sub("", bare)
    )
    return " ".join(bare.split())


def compact(sentence: str, names: Names) -> str:
    """Return a sentence without interjections, picture captions and remarks without content ("- it was awesome!").

    A week is given by its first day. A sentence of more than LONGEST_STATEMENT characters is only stripped.
    """
    if len(sentence) > LONGEST_STATEMENT:
        return sentence.strip()
    bare = _WEEK.sub(r"\g<first>", _CAPTION.sub("", sentence).strip())
    pieces = _DASH.split(bare)
    kept = [piece for piece in pieces if _substance(piece, names) >= _SAYS_SOMETHING]
    bare = " - ".join(kept) if kept else bare
    tail = _REMARK.search(bare)
    if tail is not None and _substance(tail.group(), names) < _SAYS_SOMETHING and tail.start() > len(bare) // 3:
        bare = bare[: tail.start()]
    opening = _INTERJECTION.match(bare)
    bare = " ".join(bare[opening.end() if opening else 0 :].split()).strip(" ,，-–—!！")
    return bare[:1].upper() + bare[1:]


def _substance(text: str, names: Names) -> float:
    return weight(words_only(content_terms(text, names)) - _WEIGHTLESS)


def telling(statement: str, names: Names) -> float:
    """Return a score of the lasting information in a statement: 0 is none, about 1 is worth a line, 3 is high."""
    _, said = spoken_by(stamped(statement[:LONGEST_STATEMENT])[1])
    terms = words_only(content_terms(said, names, dates=False)) - _WEIGHTLESS
    substance = weight(terms)
    if not substance:
        return 0.0
    dateless = _DAY.sub(" ", _VAGUE_DAY.sub(" ", said))
    score = 1.6 * substance / (substance + 4.0)
    score += 0.8 * bool(_DAY.search(_VAGUE_DAY.sub(" ", said)))
    score += 0.4 * bool(_NUMBER.search(dateless) or _SPELT.search(dateless))
    score += 0.5 * min(2, len(_proper_names(dateless, names)) + len(_TITLE.findall(dateless)))
    score += 0.4 * bool(_DONE.search(dateless)) + 0.5 * bool(_PLANS.search(dateless))
    score += 2.0 * bool(declared_in(statement, names)) + 0.6 * lasts(said, names)
    for found, factor in ((_TALK.match(said), 0.6), (_TO_SOMEBODY.search(said), 0.6), (_QUESTION.search(said), 0.4)):
        score *= factor if found else 1.0
    return score


def is_concrete(statement: str, names: Names) -> bool:
    """Return True if a statement tells of something done or planned, a figure, a date, a name or a title, and answers nobody."""
    if _TALK.match(statement) or _TO_SOMEBODY.search(statement):
        return False
    marks = (_DAY, _NUMBER, _SPELT, _TITLE, _DONE, _PLANS)
    return any(mark.search(statement) for mark in marks) or bool(_proper_names(statement, names))


def _proper_names(text: str, names: Names) -> set[str]:
    people = whole_name_pattern(tuple(name for name in (names.bot_name, names.user_name, names.user_id) if name))
    bare = people.sub(" ", text) if people else text
    return {found for found in _NAME.findall(bare) if found.removesuffix("'s").removesuffix("’s") not in _NO_NAME}


def told_in(line: str, names: Names) -> tuple[str, float]:
    """Return a line "name: text" without its uninformative sentences, and the score of the rest; ("", 0) if none is left."""
    speaker, said = spoken_by(line)
    head = f"{speaker}: " if speaker else ""
    short = [one for one in (compact(one, names) for one in statements(said)) if one]
    kept = [(one, worth) for one, worth in ((one, telling(head + one, names)) for one in short) if worth >= TELLS]
    text = _joined([one for one, _ in kept])
    return (head + text, math.hypot(*(worth for _, worth in kept))) if kept else ("", 0.0)


def _joined(sentences: Sequence[str]) -> str:
    parts = []
    for n, one in enumerate(sentences):
        chinese = detect_language(one) == "zh"
        last = n == len(sentences) - 1
        end = "" if last or one[-1] in ".!?…。！？" else "。" if chinese else "."
        parts.append(one + end + ("" if last or chinese else " "))
    return "".join(parts)
