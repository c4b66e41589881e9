"""Finding deictic words in Chinese text, and excluding longer words with the same characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ..borders import in_word
from ..piecewise import matches
from ..word_lists import in_full, word_tables
from .types import Gender, Kind, Person, Reference

_TABLES = word_tables("references/chinese.toml")
_WORDS = {"longer": "|".join(_TABLES["longer"]), **_TABLES["words"]}
# The first characters of all alternatives; other characters are skipped immediately.
_BEGINNINGS = (
    "我你您妳他她它牠祂咱俺鄙本朕在人对對该該此这這那楼樓层当當Tt尤其极極与與吉排利维維马馬犹猶卡伐西依阿别別无無另挪移言真太好都就"
    "又还可去管自忘舍捨小大超唯尔爾卿有时時以天必知敌敵物非怨迷应應活绝相老女户戶用"
)


@cache
def _pattern() -> re.Pattern[str]:
    """Return a pattern of all words, compiled on first use: it takes a fifth of the import time."""
    words = "|".join(
        f"(?P<{name}>{in_full(pattern, _TABLES['nouns'])})" for name, pattern in _WORDS.items()
    )
    return re.compile(rf"(?=[{_BEGINNINGS}])(?:{words})")


_ANY_WORD = re.compile(
    r"[我你您妳他她它牠祂咱俺鄙本朕在人对對该該此这這那楼樓层当當]|用[户戶]|TA|Ta|ta"
)

# Characters that may precede a place word at the start of its phrase. After any other character
# (公司那边, 北京这里) a noun names the place, and the expression is not a reference.
_BEFORE_PLACE = frozenset(
    "在到去从從来來往住离離是的了把对對向和跟与與及就也都还還又很说說觉覺得看等想放搬回留待呆进進给給为為被让讓叫过過着著而但却卻因所且或"
    "要会會能可将將才刚剛只不没沒有比像如同至由自于於爱愛恨管找问問加入发發退建拉踢欢歡开開应應厌厭恋戀念绍紹荐薦诉訴记記当當您你我他她个個"
)
_BEFORE_FOLKS = frozenset(
    "被把给給跟对對向让讓叫和是说說看找问問帮幫替像比在到去等但而可因怕听聽惹骂罵追求靠学學不也都还"
)
_NOT_BEFORE_THAT = frozenset("不本早也就都还還更最才真总總又我你他她它们們谁誰应應活合理")
_MUTUAL = re.compile(r"[^。！？!?\n]*(?:互相|相互|彼此|双方|雙方|各自|一方)")
_CLAUSE_BREAK = frozenset(
    "，。！？；：、,.!?;:()（）【】[]…—~～\n\t \u3000\"'“”‘’「」『』《》<>|/*#>-"
)
_SENTENCE_END = re.compile(r"[。！？!?\n]")
_PLACE_NAMED = re.compile(
    r"(?:[去到在从從来來飞飛回住逛游赴搬往]|离开|離開|抵[达達])[了过過]?(?![这這那哪此本当當一的了着过])[㐀-鿿A-Za-z]{2,}"
    r"|[㐀-鿿]{1,6}(?:[市省县州镇村岛国區区街路]|大学|公司|餐厅|商场|公园|学校|医院|酒店)"
)
_GENDER: dict[str, Gender] = {
    "他": "male",
    "她": "female",
    "妳": "female",
    "它": "thing",
    "牠": "thing",
}
_PERSON: dict[str, Person] = {
    **dict.fromkeys("我咱俺鄙本朕在", "first"),
    **dict.fromkeys("你您妳", "second"),
    **dict.fromkeys("他她它牠祂Tt", "third"),
}
_PRONOUNS = frozenset(("singular", "plural", "pair", "chat", "self"))
_STAND_INS = frozenset(
    ("other_party", "this_person", "that_one", "that_fellow", "poster", "folks", "loose_user")
)
_FORMS = {"chat": "singular", "self": "singular", "our_group": "group", "this_group": "group"}


def chinese_references(text: str) -> Iterator[Reference]:
    """Yield the Chinese deictic words of `text`, left to right, also those in protected spans."""
    if not _ANY_WORD.search(text):
        return
    for match in matches(_pattern(), text):
        name, word = match.lastgroup or "longer", match.group()
        if name == "longer" or not _points(name, word, text, *match.span()):
            continue
        kind: Kind = (
            "pronoun" if name in _PRONOUNS else "reference" if name in _STAND_INS else "place"
        )
        person: Person = "none"
        if kind == "reference":
            person = "third" if name != "folks" else "none"
        elif kind == "pronoun" or name == "where_person_is":
            person = _PERSON.get(word[0], "none")
        plural = name in ("plural", "pair") or (
            person != "none" and (word[0] == "咱" or "们" in word or "們" in word)
        )
        gender = _GENDER.get(word[0], "") if person in ("second", "third") else ""
        yield Reference(kind, word, *match.span(), person, plural, gender, _FORMS.get(name, name))


def _points(name: str, word: str, text: str, start: int, end: int) -> bool:
    """Return True if a word is deictic in its context."""
    before = text[start - 1 : start]
    at_clause_start = not before or before in _CLAUSE_BREAK
    if name == "chat":
        return _stands_alone(text, start, end)
    if name == "self":
        return at_clause_start
    if name == "folks":
        return at_clause_start or before in _BEFORE_FOLKS
    if name == "other_party":
        floor = max(
            (one.end() for one in _SENTENCE_END.finditer(text, max(0, start - 80), start)),
            default=max(0, start - 80),
        )
        return not _MUTUAL.match(text, floor, end + 80)
    if name == "this_person":
        return word[0] not in "该該" or before not in _NOT_BEFORE_THAT
    if name in ("that_one", "that_fellow"):  # 他这人, Tom这位
        return (
            not (before in "我你您他她们們" or (before.isascii() and before.isalpha()))
            if before
            else True
        )
    if name in ("here", "there", "our_place", "local", "the_place") or (
        name == "this_group" and word[0] in "本该此"
    ):
        named = name in ("there", "the_place") and _PLACE_NAMED.search(
            text, max(0, start - 120), start
        )
        return (at_clause_start or before in _BEFORE_PLACE) and not named
    return True


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return True if the Latin letters TA/ta are a pronoun among Chinese characters."""
    before, after = text[start - 1 : start] if start else " ", text[end : end + 1] or " "
    if in_word(before) or before in "-.'" or in_word(after) or after in "-.'":
        return False
    if text.startswith("TA ", start) and text[end + 1 : end + 5].isdecimal():
        return True  # before an inserted date: TA 2026-03-02 到
    return any(
        "㐀" <= one <= "鿿"
        for one in (before, after, text[start - 2 : start - 1] if start > 1 else " ")
    )
