"""The tense of the clause around an expression: past, future or none.

It is derived from cue words, not from a parse. In Chinese, 要, 会, 打算 mark the future and take
precedence over 了 (快到了, 要考试了); 已经, 了, 过 mark the past; 已经, 曾 or a final 过 after the
expression takes precedence over a cue for the future. In English, the verb nearest to the
expression in its clause decides. A participle after a present-tense verb or in the perfect ("gets
paid", "hasn't started") is no cue for the past. Without a cue word the tense is "none".
"""

from __future__ import annotations

import re

from ..edits import edited
from ..word_lists import compiled_patterns, word_list, word_tables
from .reading import Tense

_PATTERNS = compiled_patterns(word_tables("time_expressions/tense.toml"))
_CLAUSE_END = "，。！？；,!?;\n：…"
_SENTENCE_END = "。！？!?\n；;"
_REACH = 60
"""Maximum characters searched on each side. Clauses are rarely longer, and the time is linear."""

_ZH_FUTURE = _PATTERNS["zh_future"]
_ZH_WEAK_FUTURE = _PATTERNS["zh_ahead"]
_ZH_PAST = _PATTERNS["zh_past"]
_ZH_ARRANGED = _PATTERNS["zh_arranged"]
_ZH_RAN_OUT = re.compile(r"没(?![有去来吃睡回看写做赶上买见到说听收过])[^，。！？；\s]{1,3}了")
"""Phrases that say that something has run out (10月2号没厅了). Their 了 does not mark the past."""
_ZH_NOT_PAST = _PATTERNS["zh_no_more"]
"""Phrases whose 了 or 过 does not mark the past.

They say what will not or cannot happen (周五不去了, 五一抢不到票了), or where a day is spent
(年三十在婆家过).
"""
_ZH_TICKET = re.compile(r"[^，。！？；]{0,6}票")
_ZH_SURELY_PAST = re.compile(r"已经|曾|过$")
_ZH_HABIT = _PATTERNS["zh_habit"]


_STOPS = {
    stops: re.compile(f"[{re.escape(stops)}]")
    for stops in (_CLAUSE_END, _SENTENCE_END, ".!?;\n,:", ".!?;\n")
}


_GAP = re.compile(r"(?<=[\u4e00-\u9fff])[ ]+(?=[\u4e00-\u9fff\d])")
"""A space between Chinese characters, which separates clauses in chats."""


def _clause(text: str, start: int, end: int, stops: str) -> tuple[int, int]:
    floor = max(0, start - _REACH)
    low = max(text.rfind(stop, floor, start) for stop in stops) + 1
    after = _STOPS[stops].search(text, end, min(len(text), end + _REACH))
    return max(low, floor), after.start() if after is not None else min(len(text), end + _REACH)


def _chinese_clause(text: str, start: int, end: int) -> tuple[int, int]:
    low, high = _clause(text, start, end, _CLAUSE_END)
    for gap in _GAP.finditer(text, low, high):
        if gap.end() <= start:
            low = gap.end()
        elif gap.start() > end:
            return low, gap.start()
    return low, high


def chinese_sentence_start(text: str, position: int) -> int:
    """Return the start of the sentence around `position` (at most a few clauses back)."""
    floor = max(0, position - 3 * _REACH)
    return max(floor, max(text.rfind(stop, floor, position) for stop in _SENTENCE_END) + 1)


def chinese_tense(text: str, start: int, end: int, *, wide: bool = True) -> Tense:
    """Return the tense of the clause around text[start:end].

    If it is "none" and `wide` is true, return the tense of the rest of the sentence.
    """
    low, high = _chinese_clause(text, start, end)
    before, after = (
        text[low:start].rstrip(),
        _ZH_NOT_PAST.sub("", _ZH_RAN_OUT.sub("", text[end:high])).replace("约了", "约"),
    )
    arranged = _ZH_ARRANGED.search(before)
    if arranged is not None and (before[arranged.start()] != "买" or _ZH_TICKET.match(after)):
        return "past" if _ZH_SURELY_PAST.search(after) else "future"
    found = _tense_of_words(before, after)
    for stops in (_CLAUSE_END, _SENTENCE_END) if wide else ():
        if found != "none":
            break
        further = _clause(text, start, end, stops)[1]
        if further > high:
            found = _tense_of_words(
                "", _PATTERNS["zh_prepared"].sub("", _ZH_RAN_OUT.sub("", text[end:further]))
            )
    return found


def _tense_of_words(before: str, after: str) -> Tense:
    if _ZH_FUTURE.search(after) or _ZH_FUTURE.search(before):
        return "past" if _ZH_SURELY_PAST.search(after) else "future"
    if _ZH_PAST.search(after) or _ZH_PAST.search(before):
        return "past"
    return "future" if _ZH_WEAK_FUTURE.search(after) else "none"


def is_chinese_plan(text: str, start: int, end: int) -> bool:
    """Return True if a word of the clause marks the future (要, 会, 打算).

    A verb such as 去 or 见 alone is not enough.
    """
    low, high = _chinese_clause(text, start, end)
    return (
        _ZH_FUTURE.search(text[end:high]) is not None
        or _ZH_FUTURE.search(text[low:start]) is not None
    )


def is_chinese_habit(text: str, start: int, end: int, *, everyone: bool = True) -> bool:
    """Return True if the clause describes a habit (每, 一般, 通常).

    With `everyone`, 都 directly after the expression counts too (周末都…).
    """
    low, high = _clause(text, start, end, _CLAUSE_END)
    return _ZH_HABIT.search(text, low, high) is not None or (
        everyone and text[end : end + 1] == "都"
    )


_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_ENGLISH = {
    name: word_list(words)
    for name, words in word_tables("time_expressions/english/words.toml")["tense"].items()
}
_FUTURE, _PAST, _BE = (_ENGLISH[name] for name in ("future", "past", "be"))
_NO_PAST_AFTER = _ENGLISH["no_past_after"] | _BE
"""If one of these words is at most two words before a participle ("gets paid", "hasn't started"),
the participle does not mark the past."""
_PERFECT_MODALS = word_list("may might can could would should must i'd we'd")
_PAST_ALONE = word_list("was were had did went came saw")
_JOINS = word_list("and but because although though while so then")
"""Conjunctions of clauses that have their own verbs: "I'm seeing Tom on Friday and saw Kate"."""
_INSIDE = re.compile(r"(?<=[\w,;)’'] )[A-Z][a-z]+(?![\w'’])")


def without_names(text: str, lower: str) -> str:
    """Return `lower` (`text` in lower case) with those verb forms masked that are names in `text`.

    Names are capitalised in mid-sentence (Will, May). Each of their letters is replaced by `_`.
    """
    names = (found for found in _INSIDE.finditer(text) if found.group().lower() in _FUTURE | _PAST)
    return edited(lower, ((*found.span(), "_" * len(found.group())) for found in names))


def _verb_tense(words: list[str], position: int) -> Tense | None:
    """Return the tense that one word of a clause marks: "past", "future" or None."""
    word, before = words[position], words[max(0, position - 2) : position]
    if word in _FUTURE or word.endswith("'ll"):
        perfect = word in _PERFECT_MODALS and "have" in words[position + 1 : position + 3]
        return "past" if perfect or before[-1:] in (["was"], ["were"]) else "future"
    if word in _PAST or (len(word) > 3 and word.endswith("ed") and word not in _ENGLISH["ed_not"]):
        return "past" if word in _PAST_ALONE or _NO_PAST_AFTER.isdisjoint(before) else None
    return (
        "future"
        if word.endswith("ing") and len(word) > 4 and not _BE.isdisjoint(before[-1:])
        else None
    )


def _nearest(before: list[str], after: list[str]) -> Tense:
    """Return the tense of the verb nearest to the place between the words `before` and `after`."""
    words, here = before + after, len(before)
    told = {at: _verb_tense(words, at) for at in range(len(words))}
    if words and words[0] in _ENGLISH["orders"]:
        told[0] = "future"
    verbs = [
        (here - at if at < here else at - here + 1, tense)
        for at, tense in told.items()
        if tense is not None
    ]
    return min(verbs, key=lambda one: one[0], default=(0, "none"))[1]


def _is_requested(before: list[str]) -> bool:
    """Return True if the time belongs to something that somebody was asked to do.

    Example: "I reminded him to be at home on Wednesday".
    """
    return any(
        word in _ENGLISH["requested"] and before[place + 2 : place + 3] == ["to"]
        for place, word in enumerate(before)
    )


_LAST_WORD = re.compile(
    r"(?<![a-z])(since|until|till|til|by(?! on )|starting|beginning|effective) (?:the |on |from )?$"
)
_MOVED = _PATTERNS["moved"]
"""Verbs of moving and booking, after which a day is in the future: "the meeting moved to
Wednesday", "booked a 14 Feb shift"."""
_ARRANGED = _PATTERNS["arranged"]
_BEGINS = ("starting", "beginning", "effective")
_IS_ON = re.compile(
    r"(?<![a-z])(?:is|are|[a-z]{1,12}'s|isn't|aren't) (?:not |only |now |set |due )?(?:on|in|for) $"
)
"""An event that "is on" a day is in the future: "the concert is on October 11"."""


def english_tense(text: str, start: int, end: int) -> Tense:
    """Return the tense of the clause around text[start:end], which the nearest verb decides.

    `text` is lower case.
    """
    lead = _LAST_WORD.search(text, max(0, start - 12), start)
    if lead is not None:
        return "none" if lead[1] in _BEGINS else "past" if lead[1] == "since" else "future"
    if _IS_ON.search(text, max(0, start - 24), start) or _MOVED.search(
        text, max(0, start - 48), start
    ):
        return "future"
    low, high = _clause(text, start, end, ".!?;\n,:")
    before, after = _WORD.findall(text, low, start), _WORD.findall(text, end, high)
    after = after[: next((at for at, word in enumerate(after) if word in _JOINS), None)]
    own = before[
        max(
            (at + 1 for at, word in enumerate(before[:-1]) if word in _ENGLISH["break"]), default=0
        ) :
    ]
    if _is_requested(own) or (not _ENGLISH["proposed"].isdisjoint(own) and "that" not in own):
        return "future"
    tense = _nearest(own, after)
    if tense != "none":
        return tense
    if len(own) < 2 and text.startswith(",", end):
        return english_tense(text, start, end + 1)  # "On Friday, I got great news"
    return "none"


def english_sentence_tense(text: str, start: int, end: int) -> Tense:
    """Return the tense of the sentence around text[start:end], which the nearest verb decides.

    `text` is lower case.
    """
    low, high = _clause(text, start, end, ".!?;\n")
    return _nearest(_WORD.findall(text, low, start), _WORD.findall(text, end, high))


def is_arranged(text: str, start: int) -> bool:
    """Return True if the words before `start` are about an arrangement.

    The time after them may be the time of the arrangement or of the arranged event: "Registered for
    the triathlon in June", "bought seats for a show on Tuesday". `text` is lower case.
    """
    low, _ = _clause(text, start, start, ".!?;\n")
    return _ARRANGED.search(text, low, start) is not None


def is_english_habit(text: str, start: int, end: int) -> bool:
    """Return True if the clause describes a habit (every, usually, always)."""
    low, high = _clause(text, start, end, ".!?;\n")
    return not _ENGLISH["habit"].isdisjoint(_WORD.findall(text, low, high))
