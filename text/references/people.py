"""Finding of the persons named in a text, who are possible antecedents of later pronouns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ..borders import BEGINS, ENDS, LOWER, UPPER, places_of
from ..piecewise import matches
from ..protected import Span, overlaps
from ..word_lists import by_word, word_list, word_tables
from .types import Gender


@dataclass(frozen=True, slots=True)
class Mention:
    """A person named in a text: the wording, its character offsets, and the gender of the word."""

    name: str
    start: int
    end: int
    gender: Gender = ""


_WORDS = word_tables("references/people.toml")
_LISTS = {name: word_list(words) for name, words in _WORDS.items() if isinstance(words, str)}
_GENDER: dict[str, Gender] = {"male": "male", "female": "female", "either": ""}


def _gendered(table: str) -> dict[str, Gender]:
    """Return the words of a table with their gender, "" for either."""
    return {word: _GENDER[gender] for word, gender in by_word(_WORDS[table]).items()}


_SURNAMES: str = _WORDS["surnames"]
_TITLES = _gendered("titles")
_KIN_ZH, _KIN_EN, _ROLES = _gendered("kin"), _gendered("english_kin"), _gendered("roles")
KIN = {"zh": tuple(_KIN_ZH), "en": tuple(_KIN_EN)}
"""Nouns for a person's relatives and other related people, which need an owner: 妈妈, roommate."""
_PEOPLE = _KIN_ZH | _KIN_EN | _ROLES
ROLE_NOUNS = frozenset(_PEOPLE)
"""Nouns for a person's relation to others, and for professions: 妈妈, friend, teacher."""
_ROLE_ZH, _ROLE_EN = (
    "|".join(sorted((word for word in _PEOPLE if word.isascii() is ascii), key=len, reverse=True))
    for ascii in (False, True)
)
_VERB_AHEAD = (
    "说說是在和跟与與也的去来來把对對向给給有不没沒很会會要想叫喜爱愛讨讓让被昨今明刚剛已正最都就又還还從"
    "從到能可告问問教送帮幫约約请請做买買打发發提希觉覺认認住养養，。、！？；,.!?… \n\t）)」』"
)
# Verbs that end a name at the start of a clause (李娜考研, 王芳辞职了).
_VERB_AFTER_FIRST_NAME = (
    "考辞升离搬换参获得输赢报修写读看听吃喝玩学拿订借还卖租开骂夸弹唱跳跑病毕结"
)
# Words that may precede 说, 表示, 觉得 at the start of a clause and are not names.
_NO_NICKNAME = (
    "(?![我你您他她它咱俺某有这這那哪谁誰每各全听據据也都还又就才再很太不没别可能应该对本此今昨明前后刚曾一几两多来去在用跟和给被把让向为与只却并常总老仍虽"
    "但书报笑哭大随]|用户|用戶|网友|群[里内主]|人家|众人|而且|因[为為]|所以|如果|其实|经[常过]|最[近后]|现在|目前|感觉|确实|真的|突然|反复|主动|明确|私[下聊信]|详细"
    "|首先|同[时事学]|此外|另外|结果|直接|间接|坚持|公告|新闻|文章|歌词|原文|消息|通知|评论|官方|专家|接着|于是|甚至|开口|承认|回复|简单|认真|电话|[老导医][师生]|妈妈|爸爸|朋友)"
)
_ALSO_A_WORD = frozenset("高林黄黃周马馬方江金白华華施祝齐齊康温溫任何曾許许程夏付史毛钱錢易武")
_OPENS = r"(?:^|(?<=[，。！？；\n]))"
BEFORE_A_NAME = (
    "，。！？；：、,.!?;: \n\t（("
    "和跟与與对對把被给給是向让讓叫找問问約约請请見见說说聽听陪帮幫像在友学學事师師哥姐弟妹板"
)
"""Characters after which a Chinese name may begin."""
_BEFORE_FULL_NAME = frozenset(f"{BEFORE_A_NAME}的了")
_TITLES_EN = _gendered("english_titles")


@cache
def _chinese_names() -> re.Pattern[str]:
    titles = "|".join(sorted(_TITLES, key=len, reverse=True))
    return re.compile(
        rf"(?P<titled>[{_SURNAMES}](?:{titles})(?![作人具程厂]))"
        rf"|(?P<little>[小老阿](?:[{_SURNAMES}]|[明红紅刚剛强強丽麗芳军軍杰涛濤伟偉美玲敏静靜琳雯莉娟飞飛波鹏鵬凯凱航晨欣怡婷]))"
        rf"|(?P<role>(?:{_ROLE_ZH})(?![圈节們们际]))"
        rf"|(?P<owner>{_OPENS}{_NO_NICKNAME}[㐀-鿿]{{2,4}}?(?=的(?:{_ROLE_ZH})))"
        rf"|(?P<full>[{_SURNAMES}][㐀-鿿]{{1,2}}(?=[{_VERB_AHEAD}]|$))"
        rf"|(?P<opening>{_OPENS}[{_SURNAMES}][㐀-鿿](?=[{_VERB_AFTER_FIRST_NAME}]))"
        rf"|(?P<nickname>{_OPENS}{_NO_NICKNAME}[㐀-鿿]{{2,5}}?"
        r"(?=(?:说|說|表示|认为|認為|觉得|覺得|提到|告诉|告訴|声称)(?![明法话話服教])))"
    )


@cache
def _english_names() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<titled>{BEGINS}(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Uncle|Aunt|Auntie|Grandma|Grandpa|Coach|Captain|Doctor)\.? "
        rf"[{UPPER}][\w'’\-]*(?:\s[{UPPER}][\w\-]+)?)"
        rf"|(?P<role>{BEGINS}(?:{_ROLE_EN}){ENDS})"
        rf"|(?P<name>{BEGINS}[{UPPER}][{UPPER}{LOWER}]+(?:-[{UPPER}][{LOWER}]+)?"
        rf"(?:\s[{UPPER}][{LOWER}]+(?:-[{UPPER}][{LOWER}]+)?){{0,2}})"
    )


def find_people(
    text: str, known: Sequence[str] = (), protected: Sequence[Span] = ()
) -> list[Mention]:
    """Return the persons named in `text`, left to right.

    `known` are certain names (those of the conversation). Other persons in Chinese are surnames
    with a title (张老师), 小王 and 老李, kinship and role nouns (妈妈, 室友), and full names that begin
    with a common surname. In English they are names with titles, kinship and role nouns, common
    first names, and capitalised words that are used like persons. Names inside `protected` spans do
    not count, unless they are `known`. Precision is preferred to recall: a missed name leaves a
    reference undecided instead of resolving it wrongly.
    """
    taken: list[Span] = places_of(text, (name.strip() for name in known))
    found = [Mention(text[start:end], start, end) for start, end in taken]
    others = [*(() if text.isascii() else _chinese(text)), *_english(text)]
    found.extend(
        one
        for one in others
        if not overlaps(taken, one.start, one.end) and not overlaps(protected, one.start, one.end)
    )
    return sorted(found, key=lambda mention: mention.start)


def _chinese(text: str) -> Iterator[Mention]:
    for match in matches(_chinese_names(), text):
        word, kind = match.group(), match.lastgroup
        start, end = match.span()
        before = text[start - 1] if start else ""
        if kind == "role":
            if (
                before
                and before in "无沒没有当當做找"
                and word in ("朋友", "对象", "同事", "老师", "医生", "男友", "女友")
            ):
                continue
        elif kind == "little":
            if (
                word in _LISTS["not_little"]
                and text[end : end + 1] not in "说說是和跟也去来來想要在把被给給"
            ):
                continue
            if before and before in "很太最真从從大从不好":
                continue
        elif kind == "opening":
            if word in _LISTS["not_names"] or word[0] in _ALSO_A_WORD:
                continue
        elif kind == "full":
            while word[-1] in _VERB_AHEAD and word[-1] not in "明住教":
                word, end = word[:-1], end - 1
            if (
                len(word) < 2
                or word[-1] in "过過着著们們个個人座"
                or (before or "，") not in _BEFORE_FULL_NAME
            ):
                continue
            if {word, word[:2]} & _LISTS["not_names"] or (
                len(word) == 2 and word[0] in _ALSO_A_WORD
            ):
                continue
        gender = _TITLES[word[1:]] if kind == "titled" else _PEOPLE.get(word, "")
        yield Mention(word, start, end, gender)


def _english(text: str) -> Iterator[Mention]:
    for match in matches(_english_names(), text):
        word, kind = match.group(), match.lastgroup
        start, end = match.span()
        if kind == "titled":
            yield Mention(word, start, end, _TITLES_EN[word.split()[0].rstrip(".").lower()])
        elif kind == "role":
            yield Mention(word, start, end, _PEOPLE[word.lower()])
        else:
            parts = word.split()
            while parts and parts[0].lower() in _LISTS["not_persons"]:
                parts = parts[1:]
            start = end - len(" ".join(parts))
            if not parts or any(part.lower() in _LISTS["not_persons"] for part in parts):
                continue
            if parts[0].lower() in _LISTS["first_names"] or _acts_like_a_person(text, start, end):
                yield Mention(" ".join(parts), start, end)


_PET_NAMED = re.compile(
    r"\b(?:dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|horse|parrot|hamster|rabbit|fish|car|boat|bike|plant|guitar)"
    r"(?:\s+(?:is|was|who|that|he|she|they|it|are|were))?(?:\s+(?:is|was))?(?:,?\s+(?:named|called))?,?\s+$"
)
_CHINESE_PERSON_VERB = re.compile(
    r" ?(?:说|說|告诉|告訴|觉得|覺得|表示|认为|認為|问|問|喜欢|喜歡|讨厌|希望|提到)(?!明)"
)
_WORD_BEFORE = re.compile(rf"([{UPPER}{LOWER}]+)\s+$")
_WORD_AFTER = re.compile(rf"(?:['’]s)?\s+([{UPPER}{LOWER}]+)")
_INSIDE = re.compile(rf"[{LOWER},]\s+$")


def _acts_like_a_person(text: str, start: int, end: int) -> bool:
    """Return True for a capitalised word beside a word for acts of persons ("Wang said").

    Names of pets are excluded.
    """
    before = _WORD_BEFORE.search(text[max(0, start - 30) : start])
    previous = before.group(1).lower() if before else ""
    if previous in _LISTS["before_places"] or _PET_NAMED.search(text[max(0, start - 40) : start]):
        return False
    if previous in _LISTS["before_persons"] or _CHINESE_PERSON_VERB.match(text, end):
        return True
    after = _WORD_AFTER.match(text[end : end + 30])
    if after is None or after.group(1) not in _LISTS["person_verbs"]:
        return False
    # The capital of a first word is not significant: "Basketball has been …", but "Wang said".
    inside = _INSIDE.search(text[max(0, start - 5) : start]) is not None
    return inside or " " in text[start:end] or after.group(1) not in _LISTS["weak_verbs"]
