"""Finding of the persons named in a text, the possible antecedents of later pronouns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..borders import BEGINS, ENDS, LOWER, UPPER, places_of
from ..protected import Span, merge_spans, overlaps
from ..word_lists import by_word, word_list, word_tables
from .types import Gender


@dataclass(frozen=True, slots=True)
class Mention:
    """A person named in a text: the wording, its character offsets, and the gender if the word shows it."""

    name: str
    start: int
    end: int
    gender: Gender = ""

    @property
    def likely_gender(self) -> Gender:
        """The gender suggested by an English first name. It may choose between two persons but not rule one out."""
        if self.gender:
            return self.gender
        first = self.name.split(maxsplit=1)[0].lower() if self.name.strip() else ""
        return "male" if first in _LISTS["male_names"] else "female" if first in _LISTS["female_names"] else ""


_WORDS = word_tables("references/people.toml")
_LISTS = {name: word_list(words) for name, words in _WORDS.items() if isinstance(words, str)}
_GENDER: dict[str, Gender] = {"male": "male", "female": "female", "either": ""}


def _gendered(table: str) -> dict[str, Gender]:
    """Return the words of a table with the gender they show, "" for either."""
    return {word: _GENDER[gender] for word, gender in by_word(_WORDS[table]).items()}


_SURNAMES: str = _WORDS["surnames"]
_COMPOUND_SURNAMES = "欧阳|歐陽|司马|司馬|诸葛|諸葛|上官|慕容|令狐|东方|尉迟|皇甫"
_TITLES = _gendered("titles")
_KIN = _gendered("kin") | {"男孩": "male", "女孩": "female"}
_LITTLE = rf"[小老阿](?:[{_SURNAMES}]|[明红紅刚剛强強丽麗芳军軍杰涛濤伟偉美玲敏静靜琳雯莉娟飞飛波鹏鵬凯凱航晨欣怡婷])"
_VERB_AHEAD = (
    "说說是在和跟与與也的去来來把对對向给給有不没沒很会會要想叫喜爱愛讨讓让被昨今明刚剛已正最都就又还還从"
    "從到能可告问問教送帮幫约約请請做买買打发發提希觉覺认認住养養，。、！？；,.!?… \n\t）)」』"
)
# Verbs that end a name at the start of a clause (李娜考研, 王芳辞职了).
_VERB_AFTER_FIRST_NAME = (
    "考辞辭升离離搬换換参參获獲得输輸赢贏报報修写寫读讀看听聽吃喝玩学學拿订訂借还還卖賣租开開骂罵夸誇弹彈唱跳跑病毕畢结結"
)
# Words that may open a clause before 说, 表示, 觉得 and are not names.
_NO_NICKNAME = re.compile(
    r"[我你您他她它咱俺某有这這那哪谁誰每各全听聽据據也都还還又就才再很太不没沒别別可能应應该該对對本此今昨明前后後刚剛曾一几幾两多来來去在用跟和给給被把"
    r"让讓向为為与與只却卻并並常总總老仍虽雖然但书書报報笑哭大随隨]"
    r"|用户|用戶|网友|網友|群里|群裡|群内|群主|人家|众人|而且|因为|因為|所以|如果|其实|其實|经常|经過|最近|最后|最後|现在|現在|目前|感觉|确实|真的|突然|反复|主动|明确|私下|"
    r"私聊|详细|首先|同时|同時|此外|另外|结果|一直|已经|已經|依然|直接|间接|坚持|公告|新闻|文章|歌词|原文|消息|通知|评论|官方|专家|接着|于是|甚至|开口|承认|私信|"
    r"回复|简单|认真|电话|老师|医生|妈妈|爸爸|朋友|同事|同学"
)
_ALSO_A_WORD = frozenset("高林黄黃周马馬方江金白华華施祝齐齊康温溫任何曾许許程夏付史毛钱錢易武")
_CHINESE_NAMES = (
    rf"(?P<compound>(?:{_COMPOUND_SURNAMES})[㐀-鿿]{{1,2}}(?=[{_VERB_AHEAD}]|$))"
    rf"|(?P<titled>[{_SURNAMES}](?:{'|'.join(sorted(_TITLES, key=len, reverse=True))})(?![作人具程厂]))"
    rf"|(?P<little>{_LITTLE})"
    rf"|(?P<kin>(?:{'|'.join(sorted(_KIN, key=len, reverse=True))})(?![圈节們们际]))"
    rf"|(?P<owner>(?:^|(?<=[，。！？；\n]))(?!{_NO_NICKNAME.pattern})[㐀-鿿]{{2,4}}?"
    rf"(?=的(?:{'|'.join(sorted(_KIN, key=len, reverse=True))})))"
    rf"|(?P<full>[{_SURNAMES}][㐀-鿿]{{1,2}}(?=[{_VERB_AHEAD}]|$))"
    rf"|(?P<opening>(?:^|(?<=[，。！？；\n]))[{_SURNAMES}][㐀-鿿](?=[{_VERB_AFTER_FIRST_NAME}]))"
    rf"|(?P<nickname>(?:^|(?<=[，。！？；\n]))(?!{_NO_NICKNAME.pattern})[㐀-鿿]{{2,5}}?(?=(?:说|說|表示|认为|認為|觉得|覺得|提到|告诉|告訴|声称)(?![明法话話服教])))"
)
BEFORE_A_NAME = (
    "，。！？；：、,.!?;: \n\t（(和跟与與对對把被给給是向让讓叫找問问約约請请見见說说聽听陪帮幫像在友学學事师師哥姐弟妹板"
)
"""Characters after which a Chinese name may begin."""
_BEFORE_FULL_NAME = frozenset(f"{BEFORE_A_NAME}的了")

_FIRST_NAMES = _LISTS["male_names"] | _LISTS["female_names"] | _LISTS["either_names"]
_TITLES_EN = _gendered("english_titles")
_KIN_EN = _gendered("english_kin")
ROLE_NOUNS = frozenset((*_KIN, *_KIN_EN))
"""Nouns for a person's relation to somebody: 妈妈, 室友, friend."""

_ENGLISH_NAMES = (
    rf"(?P<titled>{BEGINS}(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Uncle|Aunt|Auntie|Grandma|Grandpa|Coach|Captain|Doctor)\.? "
    rf"[{UPPER}][\w'’\-]*(?:\s[{UPPER}][\w\-]+)?)"
    rf"|(?P<kin>{BEGINS}(?:{'|'.join(sorted(_KIN_EN, key=len, reverse=True))}){ENDS})"
    rf"|(?P<name>{BEGINS}[{UPPER}][{UPPER}{LOWER}]+(?:-[{UPPER}][{LOWER}]+)?"
    rf"(?:\s[{UPPER}][{LOWER}]+(?:-[{UPPER}][{LOWER}]+)?){{0,2}})"
)

_ADDRESSED = re.compile(r"@(?![了过過着著到他她我你])([\w·\-.]{1,33})")


def find_people(text: str, known: Sequence[str] = (), protected: Sequence[Span] = ()) -> list[Mention]:
    """Return the persons named in `text`, left to right.

    `known` are names that are certain (those of the conversation). Beside them: in Chinese a surname with a title
    (张老师), 小王 and 老李, kinship and role nouns (妈妈, 室友), full names that begin with a common surname; in
    English titles, kinship and role nouns, common first names, and capitalised words that behave like a person. Names
    inside `protected` spans do not count, unless they are `known` or a mention (@Tom). Precision is
    preferred to recall: a missed name leaves a reference undecided instead of resolving it wrongly.
    """
    found = [Mention(text[start:end], start, end) for start, end in places_of(text, known)]
    taken: list[Span] = [(mention.start, mention.end) for mention in found]
    addressed = [match for match in _ADDRESSED.finditer(text) if not overlaps(taken, *match.span())]
    found.extend(Mention(match.group(1), *match.span()) for match in addressed)
    taken = merge_spans([*taken, *(match.span() for match in addressed)])
    if re.search("[㐀-鿿]", text):
        found.extend(mention for mention in _chinese(text) if _free(mention, taken, protected))
    if re.search("[A-Za-z]{3}", text):
        found.extend(mention for mention in _english(text) if _free(mention, taken, protected))
    return sorted(found, key=lambda mention: mention.start)


@lru_cache(maxsize=2)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a long pattern on first use, not at import."""
    return re.compile(pattern)


def _free(mention: Mention, taken: Sequence[Span], protected: Sequence[Span]) -> bool:
    return not overlaps(taken, mention.start, mention.end) and not overlaps(protected, mention.start, mention.end)


def _chinese(text: str) -> Iterator[Mention]:
    for match in _compiled(_CHINESE_NAMES).finditer(text):
        word, kind = match.group(), match.lastgroup
        start, end = match.span()
        gender: Gender = ""
        if kind == "titled":
            gender = _TITLES[word[1:]]
        elif kind == "kin":
            gender = _KIN[word]
            before = text[start - 1] if start else ""
            if before and before in "无沒没有当當做找" and word in ("朋友", "对象", "同事", "老师", "医生", "男友", "女友"):
                continue
        elif kind == "little":
            before = text[start - 1] if start else ""
            if word in _LISTS["not_little"] and text[end : end + 1] not in "说說是和跟也去来來想要在把被给給":
                continue
            if before and before in "很太最真从從大从不好":
                continue
        elif kind in ("nickname", "owner"):
            if _NO_NICKNAME.match(word):
                continue
        elif kind == "opening":
            if word in _LISTS["not_names"] or word[0] in _ALSO_A_WORD:
                continue
        elif kind == "full":
            before = text[start - 1] if start else "，"
            while word[-1] in _VERB_AHEAD and word[-1] not in "明住教":
                word, end = word[:-1], end - 1
            if len(word) < 2 or word[-1] in "过過着著们們个個人座":
                continue
            if before not in _BEFORE_FULL_NAME or word[:2] in _LISTS["not_names"] or word in _LISTS["not_names"]:
                continue
            if len(word) == 2 and word[0] in _ALSO_A_WORD:
                continue
        yield Mention(word, start, end, gender)


def _english(text: str) -> Iterator[Mention]:
    for match in _compiled(_ENGLISH_NAMES).finditer(text):
        word, kind = match.group(), match.lastgroup
        start, end = match.span()
        if kind == "titled":
            yield Mention(word, start, end, _TITLES_EN[word.split()[0].rstrip(".").lower()])
            continue
        if kind == "kin":
            yield Mention(word, start, end, _KIN_EN[word.lower()])
            continue
        parts = word.split()
        while parts and parts[0].lower() in _LISTS["not_persons"]:
            start += len(parts[0]) + 1
            parts = parts[1:]
        if not parts:
            continue
        start = end - len(" ".join(parts))
        if start < 0 or any(part.lower() in _LISTS["not_persons"] for part in parts):
            continue
        if parts[0].lower() in _FIRST_NAMES or _acts_like_a_person(text, start, end):
            yield Mention(" ".join(parts), start, end)


_PET_NAMED = re.compile(
    r"\b(?:dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|horse|parrot|hamster|rabbit|fish|car|boat|bike|plant|guitar)"
    r"(?:\s+(?:is|was|who|that|he|she|they|it|are|were))?(?:\s+(?:is|was))?(?:,?\s+(?:named|called))?,?\s+$"
)


_CHINESE_PERSON_VERB = re.compile(r" ?(?:说|說|告诉|告訴|觉得|覺得|表示|认为|認為|问|問|喜欢|喜歡|讨厌|希望|提到)(?!明)")


def _acts_like_a_person(text: str, start: int, end: int) -> bool:
    """Return True for a capitalised word next to a word that goes with persons ("Wang said"), except names of pets."""
    if _PET_NAMED.search(text[max(0, start - 40) : start]):
        return False
    before = re.search(rf"([{UPPER}{LOWER}]+)\s+$", text[max(0, start - 30) : start])
    previous = before.group(1).lower() if before else ""
    if previous in _LISTS["before_places"] or previous in ("the", "a", "an", "to", "of", "on"):
        return False
    if previous in _LISTS["before_persons"]:
        return True
    if _CHINESE_PERSON_VERB.match(text, end):
        return True
    after = re.match(rf"(?:['’]s)?\s+([{UPPER}{LOWER}]+)", text[end : end + 30])
    if after is None or after.group(1) not in _LISTS["person_verbs"]:
        return False
    # The capital of a first word is not significant: "Basketball has been …", but "Wang said".
    inside = re.search(rf"[{LOWER},]\s+$", text[max(0, start - 5) : start]) is not None
    return inside or " " in text[start:end] or after.group(1) not in _LISTS["weak_verbs"]
