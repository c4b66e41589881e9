"""The tense of the clause around an expression: past, future or none.

It is derived from cue words, not from a parse. Chinese 要, 会, 打算 mark the future and win over 了 (快到了, 要考试了);
已经, 了, 过 mark the past. English uses the verb nearest to the expression, first in its clause, then in its sentence; where
that of its clause is in the present, what was done in another one does not count.
Without a cue word the tense is "none".
"""

from __future__ import annotations

import re
from typing import Literal

from ..edits import edited
from ..word_lists import compiled_patterns, word_list, word_tables
from .reading import Tense

_PATTERNS = compiled_patterns(word_tables("time_expressions/tense.toml"))
_CLAUSE_END = "，。！？；,!?;\n：…"
_SENTENCE_END = "。！？!?\n；;"
_REACH = 60
"""Maximum characters searched on each side. Clauses are rarely longer, and the bound keeps the search linear."""

_ZH_FUTURE = _PATTERNS["zh_future"]
_ZH_AHEAD = _PATTERNS["zh_ahead"]
_ZH_PAST = _PATTERNS["zh_past"]
_ZH_ARRANGED = _PATTERNS["zh_arranged"]
_ZH_GONE = re.compile(r"没(?![有去来吃睡回看写做赶上买见到说听收过])[^，。！？；\s]{1,3}了")
"""What there is no more of, at whatever time: 10月2号没厅了."""
_ZH_NO_MORE = _PATTERNS["zh_no_more"]
"""What will not be, or cannot (周五不去了, 五一抢不到票了), and where a day is spent (年三十在婆家过): no past."""
_ZH_TICKET = re.compile(r"[^，。！？；]{0,6}票")
_ZH_SURELY_PAST = re.compile(r"已经|曾|过$")
_ZH_HABIT = _PATTERNS["zh_habit"]


_STOPS = {stops: re.compile(f"[{re.escape(stops)}]") for stops in (_CLAUSE_END, _SENTENCE_END, ".!?;\n,:", ".!?;\n")}


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


def chinese_evidence(text: str, start: int, end: int, *, wide: bool = True) -> Tense:
    """Return the tense of the clause around text[start:end]; if it is none and `wide`, that of the rest of the sentence."""
    low, high = _chinese_clause(text, start, end)
    before, after = text[low:start].rstrip(), _ZH_NO_MORE.sub("", _ZH_GONE.sub("", text[end:high])).replace("约了", "约")
    arranged = _ZH_ARRANGED.search(before)
    if arranged is not None and (before[arranged.start()] != "买" or _ZH_TICKET.match(after)):
        return "past" if _ZH_SURELY_PAST.search(after) else "future"
    found = _chinese_tense(before, after)
    for stops in (_CLAUSE_END, _SENTENCE_END) if wide else ():
        if found != "none":
            break
        further = _clause(text, start, end, stops)[1]
        if further > high:
            found = _chinese_tense("", _PATTERNS["zh_prepared"].sub("", _ZH_GONE.sub("", text[end:further])))
    return found


def _chinese_tense(before: str, after: str) -> Tense:
    if _ZH_FUTURE.search(after) or _ZH_FUTURE.search(before):
        return "past" if _ZH_SURELY_PAST.search(after) else "future"
    if _ZH_PAST.search(after) or _ZH_PAST.search(before):
        return "past"
    return "future" if _ZH_AHEAD.search(after) else "none"


def chinese_plan(text: str, start: int, end: int) -> bool:
    """Return True if the clause says that something is to be (要, 会, 打算), and not its verb alone (去, 见)."""
    low, high = _chinese_clause(text, start, end)
    return _ZH_FUTURE.search(text[end:high]) is not None or _ZH_FUTURE.search(text[low:start]) is not None


def chinese_habit(text: str, start: int, end: int, *, everyone: bool = True) -> bool:
    """Return True if the clause describes a habit (每, 一般, 通常; unless not `everyone`, 周末都… too)."""
    low, high = _clause(text, start, end, _CLAUSE_END)
    return _ZH_HABIT.search(text, low, high) is not None or (everyone and text[end : end + 1] == "都")


_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[.!?;:\n]|,")
_ENGLISH = {name: word_list(words) for name, words in word_tables("time_expressions/english/words.toml")["tense"].items()}
_FUTURE, _PAST, _ED_NOT, _BE = (_ENGLISH[name] for name in ("future", "past", "ed_not", "be"))
_PASSIVE = word_list("is are am be being get gets getting i'm you're we're they're")
"""Before a participle they tell what is done as a rule or will be ("I get paid"), and not what was done."""
_PERFECT_MODALS = word_list("may might can could would should must i'd we'd")
_FUTURE_OR_NOUN = word_list("free available book plan may")
_PAST_OR_BASE = word_list("set let hit read lay shut quit hurt")
_BEFORE_BASE = word_list("to will can should must please let's")
_BEFORE_MONTH = word_list("in of since until till by during from early late mid last next")
_PAST_ALONE = word_list("was were had did went came saw")


_INSIDE = re.compile(r"(?<=[\w,;)’'] )[A-Z][a-z]+(?![\w'’])")


def without_names(text: str, lower: str) -> str:
    """Return `lower`, a text in lower case, without the verbs that are names in it.

    Those are capitalised in mid-sentence (Will, May); `_` takes the place of each letter.
    """
    names = (found for found in _INSIDE.finditer(text) if found.group().lower() in _FUTURE | _PAST)
    return edited(lower, ((*found.span(), "_" * len(found.group())) for found in names))


def _verb_tense(words: list[str], position: int) -> Tense | None:
    """Return the tense that one word of a clause marks: "past", "future" or None."""
    word, before, following = words[position], words[position - 1] if position else "", words[position + 1 : position + 3]
    if word in _FUTURE or word.endswith("'ll"):
        if word in ("going", "gonna", "due", "free", "available") and before in ("was", "were"):
            return "past"
        if word == "going" and following[:1] != ["to"]:
            return "future" if before in _BE else None
        if word in _PERFECT_MODALS and "have" in following:
            return "past"
        if (word in ("could", "would", "i'd") and not following) or (word in _FUTURE_OR_NOUN and before in ("the", "a", "my")):
            return None
        if word == "may" and before in _BEFORE_MONTH:
            return None
        return "future"
    if word == "got" and before.endswith(("'s", "'ve", "has", "have")):
        return None
    if word in _PAST or (len(word) > 3 and word.endswith("ed") and word not in _ED_NOT):
        is_base = (before in _BE and word not in _PAST) or (word in _PAST_OR_BASE and before in _BEFORE_BASE)
        is_base = is_base or (before in _PASSIVE and word not in _PAST_ALONE)
        return None if is_base else "past"
    return "future" if word.endswith("ing") and len(word) > 4 and before in _BE else None


def _is_present(words: list[str], position: int) -> bool:
    """Return True for a verb whose form and place tell the present: "I move", "and move", "the lease ends", "she is"."""
    word, before = words[position], words[position - 1] if position else "and"
    if not _BASE_FOLLOWS.isdisjoint(words[max(0, position - 2) : position]):
        return False
    if word in _ENGLISH["present_of_be_and_have"]:
        following = words[position + 1] if position + 1 < len(words) else ""
        perfect = following in _PAST or following in _ENGLISH["after_have"] or following.endswith("ed")
        return word in ("am", "is", "are") or not perfect
    if word in _ENGLISH["present_third"]:
        return before not in _ENGLISH["before_noun"] or before == "and"
    if word not in _ENGLISH["present"]:
        return False
    several = before.endswith("s") and not before.endswith(("ss", "'s")) and before not in _ENGLISH["no_verb"]
    return before in _SUBJECTS or several or (before in _ENGLISH["break"] and _BASE_FOLLOWS.isdisjoint(words[:position]))


def _stems(word: str) -> tuple[str, str, str]:
    """Return what a participle may be made of: "flying", "leaving", "getting"."""
    return word[:-3], word[:-3] + "e", word[:-4]


_SUBJECTS = word_list("i you we they")
_BASE_FOLLOWS = word_list("did didn't do don't to could couldn't would made make let help helped")
"""After these a verb without an ending tells no time: "did you move", "had to pack and move"."""


def _english_tense(before: list[str], after: list[str], *, first: int = 0) -> tuple[Tense | Literal["present"], str]:
    """Return the tense of the verb nearest to the expression that stands between `before` and `after`, and that verb.

    The clause begins at the word `first` of `before`.
    """
    words = before + after
    clause = words[first:]
    best: tuple[Tense | Literal["present"], str] = "none", ""
    distance = len(words) + 2
    for position, word in enumerate(clause, first):
        away = len(before) - position if position < len(before) else position - len(before) + 1
        if away >= distance:
            continue
        ordered = position == first and word in _ENGLISH["orders"]
        tense: Tense | Literal["present"] | None = "future" if ordered else _verb_tense(clause, position - first)
        starts = position == first and word.endswith("ing") and not _ENGLISH["present"].isdisjoint(_stems(word))
        if tense is None and (starts or _is_present(words, position)):
            tense = "present"
        if tense:
            best, distance = (tense, word), away
    return best


def _is_requested(before: list[str]) -> bool:
    """Return True if somebody was asked to do what has the time: "I reminded him to be at home on Wednesday"."""
    return any(word in _ENGLISH["requested"] and before[place + 2 : place + 3] == ["to"] for place, word in enumerate(before))


def _last_index(words: list[str], wanted: frozenset[str]) -> int | None:
    return next((index for index in range(len(words) - 1, -1, -1) if words[index] in wanted), None)


def _words(piece: str) -> list[str]:
    return [word for word in _WORD.findall(piece) if word[0].isalpha()]


_LAST_WORD = re.compile(r"(?<![a-z])(since|until|till|til|by(?! on )|starting|beginning|effective) (?:the |on |from )?$")
_MOVED = _PATTERNS["moved"]
"""What has been moved to a day or booked lies ahead: "the meeting moved to Wednesday", "booked a 14 Feb shift"."""
_ARRANGED = _PATTERNS["arranged"]
_BEGINS = ("starting", "beginning", "effective")

_IS_ON = re.compile(r"(?<![a-z])(?:is|are|[a-z]{1,12}'s|isn't|aren't) (?:not |only |now |set |due )?(?:on|in|for) $")
"""An event that "is on" a day is in the future: "the concert is on October 11"."""


def english_evidence(text: str, start: int, end: int, *, wide: bool = True) -> Tense:
    """Return the tense of the verb nearest to text[start:end] in its clause; if it is none and `wide`, in its sentence.

    `text` is lower case.
    """
    lead = _LAST_WORD.search(text, max(0, start - 12), start)
    if lead is not None:
        return "none" if lead[1] in _BEGINS else "past" if lead[1] == "since" else "future"
    if _IS_ON.search(text, max(0, start - 24), start) or _MOVED.search(text, max(0, start - 48), start):
        return "future"
    before, after, first = _english_clause(text, start, end)
    own = before[first:]
    if _is_requested(own) or (not _ENGLISH["proposed"].isdisjoint(own) and "that" not in own):
        return "future"
    found = _english_tense(before, after, first=first)[0]
    if found == "none" and first:  # "bread and milk on Friday": what the word joins is no clause
        found = _english_tense(before, after)[0]
    if found in ("none", "present") and wide:
        low, high = _clause(text, start, end, ".!?;\n")
        before, after = _words(text[low:start]), _words(text[end:high])
        words = before + after
        if found == "present":  # its own verb is in the present: what was done is told of something else
            return "future" if any(_verb_tense(words, position) == "future" for position in range(len(words))) else "none"
        found = _english_tense(before, after)[0]
    return "none" if found == "present" else found


def _english_clause(text: str, start: int, end: int) -> tuple[list[str], list[str], int]:
    """Return the words before and after text[start:end] up to a mark, and the index where its clause begins."""
    low, high = _clause(text, start, end, ".!?;\n,:")
    before, after = _words(text[low:start]), _words(text[end:high])
    broken = _last_index(before[:-1], _ENGLISH["break"])
    ends = (at for at, word in enumerate(after) if (at or word in _JOINS) and word in _ENGLISH["break"])
    return before, after[: next(ends, None)], 0 if broken is None else broken + 1


def is_arranged(text: str, start: int) -> bool:
    """Return True if what stands before `start` was arranged: the time behind it may be that of either.

    "Registered for the triathlon in June", "bought seats for a show on Tuesday". `text` is lower case.
    """
    low, _ = _clause(text, start, start, ".!?;\n")
    return _ARRANGED.search(text, low, start) is not None


def english_present(text: str, start: int, end: int) -> str:
    """Return the verb in the present that governs text[start:end] ("I signed on the 2nd and move on the 9th"), else ""."""
    before, after, first = _english_clause(text, start, end)
    tense, verb = _english_tense(before, after, first=first)
    return verb if tense == "present" else ""


_JOINS = word_list("and but because although though while so then")
"""What joins two clauses each of which has its verb: "I'm seeing Tom on Friday and saw Kate on Sunday"."""


def is_monthly(verb: str) -> bool:
    """Return True for a verb that tells with a day of a month what is done every month: "I get paid on the 25th"."""
    return verb in _ENGLISH["monthly"]


def english_habit(text: str, start: int, end: int) -> bool:
    """Return True if the clause describes a habit (every, usually, always)."""
    low, high = _clause(text, start, end, ".!?;\n")
    words = _words(text[low:high])
    return any(word in _ENGLISH["habit"] and not _is_everybody(words, at) for at, word in enumerate(words))


def _is_everybody(words: list[str], at: int) -> bool:
    """Return True for "every" and "each" of persons or things: "every idiot in town goes in" is no habit."""
    following = words[at + 1] if at + 1 < len(words) else ""
    return words[at] in ("every", "each") and following in _ENGLISH["everybody"]
