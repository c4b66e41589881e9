"""Antecedents: the persons before a pronoun in the same text that it may mean."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from ..word_lists import compiled_patterns, word_tables
from .english import is_object_her, plural_noun_before
from .people import Mention
from .types import Reference

_RE = compiled_patterns(word_tables("references/antecedents.toml"))
_HAN = re.compile(r"[㐀-鿿]")
_NEAREST = 12  # persons considered before a pronoun; it only matters whether there are 0, 1 or more
LOOK_BACK = 400
"""Maximum characters between an antecedent and its pronoun. It also keeps the time linear."""
_OWNERS = frozenset(("his", "her", "their", "hers", "theirs"))
_LAST_WORD = re.compile(r"[A-Za-z]+\s+$")  # "Lisa knows him": this verb does not open a clause
_SPEAKS = re.compile("(?: said)?[:：]")
_OWNS = re.compile("['’]s |的")
_IS_CALLED = re.compile(r"\b(?:is|was) (?:\S{1,30}['’]s |an? |the )$|[是叫](?:\S{1,20}的)?$")
_AND = re.compile(r"\b(?:and|or)\b")
_GOES_ON = re.compile(
    r"[，,](?=(?:[还也就又再会要想去来能]|可以|打算|准备|经常|每天)+[一-鿿]{1,2}$)"
)
"""A comma before a clause that has the same subject: 阿明有车，会去接她."""


def mentions_before(mentions: Sequence[Mention], position: int) -> list[Mention]:
    """Return the mentions before `position`, at most `LOOK_BACK` characters away, in text order.

    Of these, at most the last _NEAREST are returned.
    """
    last = bisect_right(mentions, position, key=lambda mention: mention.end)
    first = bisect_left(
        mentions, position - LOOK_BACK, lo=0, hi=last, key=lambda mention: mention.start
    )
    return list(mentions[max(first, last - _NEAREST) : last])


def antecedents(
    text: str, reference: Reference, mentions: Sequence[Mention], bot: str = ""
) -> Reference:
    """Return `reference` with its `antecedents` and `anchored` set.

    The bot, the speaker of the text ("Ann: …") and persons of the other gender are no antecedents.
    The subject of a clause is no antecedent of its object ("Tom told him").
    """
    near = mentions_before(mentions, reference.start)
    before = [
        one
        for one in near
        if one.name != bot and not (one.start == 0 and _SPEAKS.match(text, one.end))
    ]
    people = {mention.name for mention in before}
    head = text[max(0, reference.start - 200) : reference.start]
    if reference.gender == "thing":
        return replace(reference, anchored=len(_HAN.findall(head)) >= 2)
    if reference.form == "pair":
        return replace(reference, anchored=len(people) == 2)
    if reference.plural:
        head = head[-160:]
        anchored = (
            len(people) >= 2 or _RE.zh_plural.search(head) is not None or plural_noun_before(head)
        )
        reference = replace(reference, anchored=anchored)
        if _HAN.match(reference.text):
            return reference
    fitting = dict.fromkeys(
        mention.name
        for mention in before
        if not (mention.gender and reference.gender and mention.gender != reference.gender)
        and not _is_own_object(text, mention, reference, near)
    )
    if len(fitting) > 1:  # "Ann is Greg's sister and she": neither Greg nor "sister" is a rival
        owners = {one.name for one in before if _OWNS.match(text, one.end)}
        called = {
            one.name for one in before if _IS_CALLED.search(text, max(0, one.start - 60), one.start)
        }
        others = [name for name in fitting if name not in owners]
        fitting = dict.fromkeys(
            [name for name in others if name not in called] or others or fitting
        )
    return replace(reference, antecedents=tuple(fitting))


def _is_own_object(
    text: str, mention: Mention, reference: Reference, mentions: Sequence[Mention]
) -> bool:
    """Return True if the reference may be the object of the mention: "Tom told him"."""
    between = text[mention.end : reference.start]
    if (
        len(between) > 80
        or text[mention.start : mention.end].lower() in _OWNERS
        or any(
            mention.end <= one.start <= mention.end + 2 and one.end <= reference.start
            for one in mentions
        )
    ):
        return False  # 小明女朋友叫他: the mention is a possessor
    if _HAN.match(reference.text):
        if _RE.zh_is.fullmatch(between):
            return _RE.zh_what_to_them.match(text, reference.end) is not None  # 小林是他同事
        if text[: mention.start].endswith(("把", "将")) and _RE.zh_recipient.fullmatch(between):
            return True  # 我把小王的电话给了他
        is_object = _RE.zh_before_object.search(between) is not None and not between.startswith(
            "的"
        )
        return (
            is_object
            and not _RE.zh_clause.search(_GOES_ON.sub("", between))
            and not _RE.zh_own.match(text, reference.end)
        )
    if _RE.en_is.fullmatch(between):
        # "Ann is his sister"
        return (
            reference.form in ("his", "her")
            and _RE.en_person.match(text, reference.end) is not None
        )
    if reference.form not in ("object", "her") or text[mention.end : mention.end + 2] in (
        "'s",
        "’s",
    ):
        return False
    if reference.form == "her" and not is_object_her(text, reference.start, reference.end):
        return False
    if _RE.en_clause.search(_LAST_WORD.sub("", between)) or _RE.en_other_subject.search(between):
        return False
    conjunction = _AND.search(between)
    return conjunction is None or any(
        one.start == mention.end + conjunction.end() + 1 for one in mentions
    )
