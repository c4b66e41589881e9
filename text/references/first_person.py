"""Who "I" is in a fact, as far as the text alone tells.

A bot writes facts about its user, but what it hands over are often the user's own words. Whoever says "I" and speaks of the
user in the third person ("I told him", 他教过我日语, "I reminded Ann") is the bot; otherwise "I" is the user.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ...schema.names import Names
from ..protected import Span
from .finding import find_references
from .people import ROLE_NOUNS, find_people
from .types import Cast, Reference

Speaker = Literal["bot", "user", "open"]

_SERVES = re.compile(
    r"[我俺咱][^，。！？；,.!?;\n]{0,12}?(?:帮|幫|给|給|替|(?<![因以认作])(?:为|為)|陪|提醒|告诉|告訴|答应|答應|安慰|推荐|推薦|建议|建議|教|回答|解释|解釋|劝|勸|祝|向|跟|和|与|與|对|對|约|約|送|问|問|"
    r"道歉|听|聽|说|說|介绍|介紹|通知|夸|鼓励|纠正|起草|转告)"
    r"|\bI(?:['’](?:ve|ll|d))?\s+(?:(?:have|will|also|just|then|already|once|would|could)\s+)*"
    r"(?:[a-z]+ly\s+)?(?:tell|told|remind|help|sen[dt]|g[ai]ve|show|ask|suggest|recommend|explain|promise|book|order|wr[io]te|taught|teach|"
    r"answer|congratulat|comfort|wish|thank|apologi[sz]|walk|talk|listen|look|f[oi]u?nd|read|sang|played|agree|offer|invite|warn|"
    r"encourag|introduc|cheer|stay|sat|translat|summari[sz]|draft|correct|set|made|put|post|split|added|moved|updated|said|say|note|save|listed)\w*\b",
    re.IGNORECASE,
)
"""Acts of help and of speech: what a bot does for its user, or with them."""
_SERVICE = re.compile(
    r"我[^，。！？；,.!?;\n]{0,8}?(?:查|搜|画|写|生成|算|翻译|发|列|掷|统计|记|设|安排|整理|播放|更新|总结|修改|补充|拟)了"
    r"|\bI(?:['’]ve)?\s+(?:(?:have|also|just|then|already)\s+)*(?:[a-z]+ly\s+)?(?:searched|checked|calculated|generated|drew|rolled|compiled|"
    r"counted|collected|pulled|mentioned|created|scheduled|cancelled|canceled|edited|fixed|ran|played|picked|chose|reserved|pinned|"
    r"banned|muted|flagged|logged|recorded|tracked|converted|computed|estimated|quoted|shared|linked|described|compared|prepared)\b",
    re.IGNORECASE,
)
"""Acts of a bot that need nobody as their object."""
_NOT_TO_A_BOT = re.compile(
    r"(?:欠|借|接|送|载|背|抱|打(?!招呼|电话)|撞|甩|追|娶|嫁)(?:了|过|给)*我|我(?:搬家|[上下]班|的?[钱车])|(?:跟|和|与)我(?:分手|离婚|结婚|合租|住|吵)"
    r"|\b(?:owe[sd]?|lent|drove|drives|dumped|hit|punched|married|divorced|kissed|hugged|visit(?:s|ed)?|fired|hired) me\b"
    r"|比我[大小高矮重轻早晚]|[跟和与]我(?:同[岁年龄校班级届乡]|一样|差不多|年纪)|请我(?:吃|喝|看)|我(?:的?(?:隔壁|旁边|对面|楼[上下]|[前后]面|附近))"
    r"|\b(?:than|as|like|behind|beside|near|(?:next|door) to|across from|in front of|above|below|opposite|works? with) me\b"
    r"|帮我(?:修|搬|照顾|带)|陪我(?:去|看|逛)|给我(?:做饭|介绍)|我的?邻居|[和向跟]我求婚|[向和跟].{1,4}求婚|[和跟]我一起长大"
    r"|\b(?:hit|bit|fed|walked|allergic to) my\b|\bmy (?:dog|cat|neighbou?r)\b"
    r"|\b(?:g[ai]ve|bought) me an? (?!hint|tip|hand|nickname|name)|\b(?:borrowed|stole|broke|fixed|drove) my\b"
    r"|\b(?:pick(?:s|ed)? me up|helps?(?:ed)? me move|(?:live[sd]?|sle(?:eps|pt)|mov(?:es|ed|ing) in) with me)\b",
    re.IGNORECASE,
)
"""What is done to a body or its belongings, and who is older or next to "me": whoever speaks is no bot."""
_LIFE = re.compile(
    r"我(?:的|妈|爸|爷|奶|姥|哥|姐|弟|妹|老[公婆]|女朋友|男朋友|室友|同事|老板|们?家|是|有|在|住|对[^，。]{1,12}过敏|从小|一直|每|经常|平时"
    r"|今年|已经|打算|得|(?:最|很|特别|也|就|还)?(?:喜欢|爱|讨厌|怕|想|不|没|会|能))"
    r"|\b(?:[Mm]y|[Mm]ine)\b|\bI['’](?:ll|d) be\b"
    r"|\bI(?:['’]m| am| was|['’]ve been| have been)\s+(?!glad|happy|sorry|proud|touched|moved|pleased|here\b|going to|sure)"
    r"|\bI(?:['’]ve)?\s+(?:(?:really|also|still|never|always|usually|only|just)\s+)*(?:have|had|live|lived|like|love|hate|prefer|want"
    r"|need|can|can['’]t|could|couldn['’]t|don['’]t|used to|work|worked|study|own|feel|felt"
    r"|grew|moved|quit|hope|plan|got|started|swear|use)\b"
)
"""What people tell of their own lives: home, family, body, work, likings, states. Feelings about the talk may be the bot's."""
_HELPS_USER = re.compile(
    r"我[^，。！？\n]{0,6}?(?:帮|替|给|陪|提醒|告诉|安慰|建议|鼓励|答应)了?用户(?!群|的|打电话|发货)"
    r"|\bI\b[^.!?\n]{0,30}\bthe user\b(?! (?:base|group|interface|experience|data))"
)
_KIN = re.compile(
    r"我(?:的)?(?:老[公婆]|[爸妈爷奶哥姐弟妹]|丈夫|妻子|爱人|媳妇|儿子|女儿|[男女]朋友|对象|前任|室友|同学|同事|老板)"
    r"|\b[Mm]y (?:ex|(?:ex-)?(?:wife|husband|girlfriend|boyfriend)|m[ou]m|mother|dad|father|sister|brother|son|daughter|boss)\b"
)
"""Relatives and the like, whom a bot has not."""
_OBJECTS = frozenset(("object", "her"))
_SAME_CLAUSE = re.compile(r"[我俺咱][^，。！？；,.!?;\n]*$")
_FIRST_EN = re.compile(r"\bI\b[^.!?;,\n]*$")


def cast_of_fact(text: str, names: Names, language: str, protected: Sequence[Span] | None = None) -> Cast:
    """Return whom "I", "you" and "we" mean in a fact, by the text alone."""
    user, bot = names.user(language), names.bot(language)
    if not has_first_person(text, names, protected):
        return Cast(first=user, second=user, together=_both(user, bot, language) if _talked(text, names) else "")
    who = speaker_of_fact(text, names, protected)
    return cast_of(who, names, language, together=_talked(text, names))


def cast_of(who: Speaker, names: Names, language: str, *, together: bool = False) -> Cast:
    """Return the cast of a text whose "I" is the bot or the user; with `together` "we" is both of them."""
    user, bot = names.user(language), names.bot(language)
    both = _both(user, bot, language) if together or who == "bot" else ""
    if who == "bot":
        return Cast(first=bot, second=user, together=both)
    return Cast(first=user, second=bot, together=both, third=False) if who == "user" else Cast(third=False)


def _both(user: str, bot: str, language: str) -> str:
    return f"{bot}和{user}" if language == "zh" else f"{bot} and {user}"


_TALK = re.compile(
    r"(?<![把被让找约跟和与给叫请带替向对帮陪邀])(?:我们|咱们?)(?:俩)?(?![公学])[^，。！？；,.!?;\n和跟与]{0,8}?(?:约|聊|讨论|說好|说好|商量|谈|玩|见过)"
    r"|\b[Ww]e\s+(?:[a-z]+ly\s+)?(?:talk|discuss|agree|chat|played|met(?!\s+(?:an?|the|my|our|his|her|their|[A-Z]))|arrange|spoke|"
    r"laugh|argue|decide)(?![^.!?;,\n]*\swith\s(?!each other))",
)
"""What bot and user do together, with nobody joined to "we" and not as the object of somebody else's act."""


def _talked(text: str, names: Names) -> bool:
    """Return True if "we" is bot and user: they talked, and nobody else is named before it who may take part."""
    talk = _TALK.search(text)
    if talk is None or (names.bot_name and names.user_name and names.bot_name in text and names.user_name in text):
        return talk is not None
    others = tuple(name for name in names.others if name)
    return all(one.name == names.user_name for one in find_people(text[: talk.start()], others))


def has_first_person(text: str, names: Names, protected: Sequence[Span] | None = None) -> bool:
    """Return True if a text says "I", outside quotations and names."""
    return any(one.person == "first" and not one.plural for one in _references(text, names, protected))


def may_be_service(text: str) -> bool:
    """Return True if a text tells of an act that a bot may do for people as well as they themselves: "I moved the call"."""
    return serves(text) or _SERVICE.search(text) is not None


def tells_of_a_life(text: str) -> bool:
    """Return True if a text in the first person tells of a state, a relation or a liking, which a bot has not."""
    return _LIFE.search(text) is not None


def serves(text: str) -> bool:
    """Return True if a text says that "I" helped somebody or told them something."""
    return _SERVES.search(text) is not None


def speaker_of_fact(text: str, names: Names, protected: Sequence[Span] | None = None) -> Speaker:
    """Return who "I" is: "open" where the words fit the bot as well as the user ("I miss him", "I told Tom")."""
    if _named_by(text, names.bot_name):
        return "bot"
    if _named_by(text, names.user_name):
        return "user"
    if _HELPS_USER.search(text) and not _KIN.search(text):
        return "bot"
    references = _references(text, names, protected)
    thirds = [one for one in references if one.person == "third" and one.gender != "thing"]
    serves = _SERVES.search(text)
    orphans = [
        one
        for one in thirds
        if (one.kind == "reference" and (serves or one.form != "other_party")) or not (one.antecedents or one.anchored)
    ]
    if not orphans and not any(name and name in text for name in (names.user("zh"), names.user("en"))):
        told = serves is not None and (thirds or _helps_somebody(text, serves.end(), names))
        return "open" if told else "user"
    if serves is not None:
        return "bot"
    if _KIN.search(text):
        return "user"
    return "open" if _NOT_TO_A_BOT.search(text) or any(_loved(text, one) for one in orphans) else "bot"


def _helps_somebody(text: str, position: int, names: Names) -> bool:
    """Return True if somebody is named right after an act of help who is no relative of the speaker."""
    others = tuple(name for name in names.others if name)
    after = (one for one in find_people(text, others) if position <= one.start <= position + 12)
    return any(one.name.lower() not in ROLE_NOUNS for one in after)


def _references(text: str, names: Names, protected: Sequence[Span] | None) -> list[Reference]:
    people = tuple(name for name in (names.user_name, names.bot_name, *names.others) if name)
    return find_references(text, people=people, bot=names.bot_name, protected=protected)


def _loved(text: str, reference: Reference) -> bool:
    """Return True if "he" is what "I" acts on in the same clause."""
    before = text[max(0, reference.start - 60) : reference.start]
    if reference.text.isascii():
        return reference.form in _OBJECTS and _FIRST_EN.search(before) is not None
    return _SAME_CLAUSE.search(before) is not None


def _named_by(text: str, name: str) -> bool:
    """Return True if the text says "I am `name`"."""
    if not name:
        return False
    am = r"(?:我(?:叫|是|的名字(?:叫|是))|叫我|\bI(?:['’]m| am)|\bmy name(?:['’]s| is)|\bcall me)"
    return re.search(rf"{am}\s*[“\"]?{re.escape(name)}(?![A-Za-z0-9_])", text, re.IGNORECASE) is not None
