"""Subjects for texts without one: "喜欢吃辣", "Likes tea", "Recommended Dune to Ann".

The missing subject of a new fact is the user, that of an action summary the bot. The name is added only if a text clearly
begins with a predicate; other texts stay unchanged.
"""

from __future__ import annotations

import re
from typing import Literal

from ...schema.language import Language
from ...schema.names import Names
from ..language import detect_language
from ..time_expressions import find_relative
from ..word_lists import word_list, word_tables
from .agreement import is_common_verb, is_finite_verb, is_past_verb, third_person
from .chinese_rewriting import followed_by_institution
from .english_rewriting import capital
from .fragments import chinese_form, english_form
from .people import ROLE_NOUNS, find_people
from .types import Reference

_DATE = (
    r"(?:\d{4}(?:-\d{2}-\d{2}|年(?:\d{1,2}月)?)(?:前后|至\d{4}-\d{2}-\d{2})?"
    r"(?: ?\d{2}:\d{2}| ?(?:早上|上午|中午|下午|晚上|凌晨))?时?)?"
)
_ADVERB = r"(?:也|还|都|很|最|特别|非常|超|超级|比较|挺|真的|从小就?|一直|平时|经常|常常|有时|偶尔|已经|曾经?|其实|可能)*+"

_BEGINS_WITH_DATE = re.compile(_DATE)

_CHINESE_FACT = re.compile(
    rf"{_DATE}{_ADVERB}(?:"
    r"喜欢|喜爱|热爱|讨厌|不喜欢|不爱|爱[吃喝看玩听唱打]|不[吃喝抽]|想[要去学买考找换吃当]|打算|计划(?!书|经济|生育)"
    r"|住在|住(?=[一-鿿]{2,6}(?:区|市|县|省|路|街|村|镇)(?:$|[，,。]))|搬到|搬去|来自|毕业于|就读于|从事|擅长|害怕|希望|觉得|认为|需要"
    r"|养了|养着|有(?:一|两|三|四|\d+)(?:只|条|台|辆|套|部|把|张)|对[^，,。]{1,12}过敏|生日是|正在(?=[学准找写做看考减备])"
    r"|在[^，,。]{1,12}?(?:工作|上班|上学|读书|读研|读博|实习|定居)|每(?:天|周|晚|早|年|个?月)[^，,。]{0,8}?(?:去|都|跑|练|喝|吃|写|看|做|加班)"
    r"|[不也]?会(?=[弹说写做用唱画拉吹编游开下玩修])(?!说话的)|要(?=[去考交搬出参面加结])|叫(?=[一-鿿]{2,3}(?:$|[，,。]))"
    r")"
)
_CLEAR = word_list(
    """
    likes loves hates dislikes lives works has is was wants plans prefers enjoys moved studies plays owns speaks needs thinks believes
    feels hopes collects practices practises trains goes comes grew doesn't didn't isn't hasn't can't cannot
    won't got bought started quit finished graduated adopted married broke lost
    """
)
_DEEDS = word_list(
    """
    told recommended explained helped sent answered promised suggested reminded gave asked discussed talked chatted shared wished thanked
    apologised apologized offered agreed declined refused congratulated encouraged comforted corrected translated summarised summarized
    looked searched found played wrote drew noted confirmed greeted introduced invited joked taught showed scheduled praised warned
    """
)
_SOMEBODY = re.compile(r"大家|有人|全群|群|用户|对方|成员|管理员|[我你您他她它咱这那]|今天|话题|天气")
_HABIT = re.compile(
    r"(?:也|还|都|很|特别|非常|超级?|比较|从小就?|一直|平时|经常|常常|总是|老是|有时|偶尔|已经|从来?不|刚|正在|最近)*+"
    r"(?:最?(?:爱|喜欢|讨厌|害怕)|打算|忘了?[吃带买做写]|戒[了掉]|[买卖换养吃喝搬辞学看写丢订]了|会(?=[弹说唱画编开])|不[吃喝抽爱]"
    r"|想[要去学买考]|一个人(?:在[^，。]{1,8})?[住过吃睡]|没(?:抢到|买到|赶上|睡好|考上|考过)|对[^，。]{1,12}过敏(?!原)"
    r"|要(?=开黑|加班|出差|考试|搬家|上班|上课|开会|面试|体检|复查|回家|请假)"
    r"|[坐吃喝开睡看打骑听][一-鿿]{1,3}?(?:喜欢|讨厌|最?爱|只[吃喝看坐打听]|怕))"
)
_BEGINS = {name: "|".join(words.split()) for name, words in word_tables("references/subjects.toml").items()}
_VERB = f"[{_BEGINS['verbs'].replace('|', '')}]"
_CHANGE = _BEGINS["changes"]
_WITH = "(?:[跟和与陪带给帮替为教向把被从在]|对(?!方))(?!\\s|用户|对方|大家|[他她你您群])[^，,。！？了过]{1,12}?"
_PREDICATE = re.compile(
    r"(?:[一二两三四五六七八九十百几半\d]+多?(?:年|个?月|周|星期|天|个?小时)(?:多|来|以来)?)?"
    rf"(?:{_BEGINS['adverbs']})*+(?:"
    rf"{_VERB}(?:了|完|过|到|好|掉|上|回|错|着|下了|出了|起了|不[到了起下上惯着])"
    rf"|没有?(?:怎么|再)?(?:{_VERB}|{_CHANGE}|想|赶上|抢到)"
    rf"|不(?:怎么|太|再|会|能|敢|用|打算|准备)*(?:{_VERB}|{_CHANGE}|想|爱|喜欢|敢|舍得|习惯|认识|打算|记得)"
    rf"|(?:正?在|开始|决定|准备|打算|计划|坚持|改|想|得|能|可以)(?:{_VERB}|{_CHANGE})|(?:体检|检查)?(?:查出|确诊)|说是?要"
    r"|满[一-鿿\d]{1,3}[了岁]|有[^，。的]{0,6}(?:课|考试|面试|会议|约|局|比赛|演出|聚会)(?:$|[，,。！])|要(?:孩子|二胎|小孩)"
    rf"|(?:{_CHANGE})(?:[了过后完去到中]|$|[，,。！两一三四五六七八九十半\d])"
    rf"|{_WITH}(?:{_VERB}[了过完到回错在上]|{_VERB}(?!的)[^，。的]{{0,4}}[，。！]?$|{_CHANGE}|吵|落|开始|骂了|裁了|录取|咬了|摔)"
    rf"|{_BEGINS['feelings']}|(?:{_BEGINS['body']})(?:很|有点|一直|又|不|疼|痛|酸|偏|过敏)|(?:{_BEGINS['places']})[在住]"
    rf"|(?:{_BEGINS['facts']})(?:是|在|有|大概|\d)|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]"
    rf"|(?:{_BEGINS['states']})(?:很|有点|太|一直|不|比较|特别|超|挺)|有了?个?(?:{_BEGINS['had']})"
    r")"
)
"""How Chinese clauses without a subject begin: a verb with its aspect, negation or auxiliary, a phrase with somebody before the
verb, a change in one's life, what one feels, one's body and belongings. What people are the subject of, not things."""
_THING_DONE = re.compile(r"[一-鿿]{2,8}?(?:(?:已经?被?|被|将)[一-鿿]|快[乐樂])")
"""A thing to which something was done (会议已取消), or a wish."""
_HAN = re.compile(r"[一-鿿]")
_RELATIVE = re.compile(r"[^，,。！？]{0,14}的(?:是|人|那)")
"""What looks like a predicate and tells of which thing or person: 做饭的是我老公."""
_DONE_TO_ME = re.compile(
    r"(?:请|麻烦|记得|别忘了?|到时候?)*+(?:每[天晚周早][^，。]{0,6}?)?"
    r"(?:欠|借|送|帮|教|骗|让|劝|陪|约|问|告诉|答应|给|催|骂|夸|提醒|叫醒|叫(?=我[起去来吃])|通知|监督)了?过?我"
    r"(?!们?的?(?:[妈爸爷奶姥外哥姐弟妹女儿老家孩娃朋同室闺猫狗]|对象|自己))"
    r"|[a-z]+(?:s|ed|ave|old|ought|ent) (?:me|us)\b"
    r"|(?:please |don['’]?t forget to )?(?:remind|wake|tell|text|message|send|show|give|help|let) (?:me|us)\b",
    re.IGNORECASE,
)
"""What somebody else did to the speaker, or is to do: "欠我两百块", "Owes me 50 bucks", 提醒我明天开会."""
_ACT = re.compile(
    r"(?:用[^，。户]{1,12})?(?:说明|讲解|介绍|解释|整理|推荐|提醒|安慰|建议|回答|总结|告知)(?:了|[^，。！？的书会]{2})"
)
_FOR_USER = re.compile(
    r"(?:帮|给|替|为|陪)(?P<user>用户|对方)|(?:帮|给|替|为|陪)[他她你您]"
    r"|(?:[a-z]+ed|told|gave|sent|taught|made|found|wrote|read) (?:(?P<them>the user|user)\b|(?:them|him|her)\b)",
    re.IGNORECASE,
)
"""What was done for the one whom the statement is about: not by them."""
_ENGLISH_START = re.compile(
    r"(?:(?:also|still|really|usually|often|always|never|currently|recently|probably|just|not|already|briefly|politely|gently|then) )*"
    r"(?P<verb>[a-z]+(?:['’]t)?)\s+(?!(?:is|are|was|were|and)\b)\S",
    re.IGNORECASE,
)
_VERBS = word_list(
    """
    is was has does got went felt lost bought broke grew left kept can't cant cannot won't wont doesn't doesnt didn't didnt
    isn't isnt hasn't hasnt couldn't couldnt
    """
)
_STATE = re.compile(
    r"(?P<is>(?:(?:also|still|now|not|no longer|currently|newly|happily|severely|mildly) )*"
    r"(?:allergic to|lactose intolerant|vegan|vegetarian|diabetic|"
    r"pregnant|unemployed|left-handed|colou?r-?blind|dyslexic|retired|divorced|widowed|struggling|single|engaged"
    r"|on (?:a diet|vacation|holiday|leave|call)|out of work|back (?:home|from)"
    r"|back in(?! (?:[a-z]+ )?(?:\d{4}|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))|married(?= (?:for|since|with)\b|$|,))\b)"
    r"|(?P<has>(?:[a-z]+ ){1,2}(?:allergy|intolerance|phobia)(?=$|[,.;]))",
    re.IGNORECASE,
)
"""States that a note tells without a verb: "allergic to nuts", "nut allergy, carries an epipen"."""
_ACTS = word_list(
    """
    outlined advised suggested explained summarised summarized told said asked recommended offered described listed reminded
    answered shared sent confirmed promised noted gave made took wrote posted set put moved added
    """
)
_BEGINNING = 2_000
"""Characters of a text that are looked at to tell whose it is. What is longer is a document."""
_THAT = re.compile(r"\s+(?:it|that|this|there)\b", re.IGNORECASE)
_SHOUTED = re.compile(r"[A-Z]{2}")
_ELLIPTIC = re.compile(
    r"(?:(?:also|still|really|just|absolutely|currently) )*(?P<verb>love|hate|prefer|live|need|want|enjoy|miss|own|haven['’]?t"
    r"|don['’]?t (?=(?:like|want|need|know|have|drink|eat|smoke|live|think|feel|own|speak|drive|work)\b))"
    r"(?=\s+(?!you\b|help\b|is\b)\S|(?<=\s))",
    re.IGNORECASE,
)
"""How people speak of themselves without "I": "Love hiking", "Haven't been home since May"."""
_FUNCTION = re.compile(
    r"\s+(?:an?|the|my|our|his|her|their|to|for|from|with|at|in|on|into|up|out|off|down|back|home|over|about|around|that|all|some"
    r"|engaged|married|divorced|promoted|two|three|\d+)\b",
    re.IGNORECASE,
)
"""What follows the verb of a clause, and hardly an adjective: "Sold my car", not "Used cars"."""


def with_subject(
    text: str, names: Names, item: Literal["action", "fact"], language: Language, subject: str = "", said: str = ""
) -> str:
    """Return `text` with the name of its subject in front if it begins with a predicate; otherwise `text` itself.

    Where the text is known to tell of `subject`, whatever begins like a predicate gets that name, even an act; `said` is the text
    before its times and references were resolved. Otherwise (in talk) only what clearly begins with a predicate gets the bot's
    name in an action, the user's in a fact. The function is idempotent.
    """
    begins = predicate_of(said or text, names) if subject else ""
    lacks = begins == "act" or (_is_deed(text, names) if item == "action" else begins == "state" or _is_clear(text, names))
    name = subject or (names.bot(language) if item == "action" else names.user(language))
    return _told_of(name, text, language, is_deed=item == "action") if lacks else text


def _is_clear(text: str, names: Names) -> bool:
    """Return True if a text tells of a person's state or habits and clearly leaves out whose."""
    if _begins_with_a_name(text, names) or text.rstrip().endswith("?"):  # a nickname may read as a predicate: 不吃香菜的猫
        return False
    verb, position = _first_verb(text)
    return bool(_CHINESE_FACT.match(text) or _STATE.match(text) or (verb in _CLEAR and not _THAT.match(text, position)))


def _begins_with_a_name(text: str, names: Names) -> bool:
    return text.startswith(tuple(filter(None, (*names.everybody, names.group_name))))


def _is_named(text: str, names: Names) -> bool:
    """Return True if a text names somebody of the conversation, or its group."""
    folded = text.casefold()
    return any(name.casefold() in folded for name in (*names.everybody, names.group_name) if name)


def _is_deed(text: str, names: Names) -> bool:
    """Return True if what a bot did is told without saying who did it: it begins with nobody's name, in English with a verb."""
    asks, text = text.rstrip().endswith("?"), text[:_BEGINNING]
    nameless = not names.bot_name or _begins_with_a_name(text, names)  # of a bot without a name what stands first may be its name
    if detect_language(text) == "zh":
        deed = text[_after_time(text) :].lstrip(" ，,")
        somebody = _SOMEBODY.match(deed) or any(one.start == 0 for one in find_people(deed)) or _begins_with_a_name(deed, names)
        return not nameless and _HAN.match(deed) is not None and not somebody and _THING_DONE.match(deed) is None
    verb, position = _first_verb(text)
    if asks or verb in _DEEDS:
        return not asks
    if nameless or any(one.start == 0 for one in find_people(text)):
        return False
    if not is_past_verb(verb) or _is_noun_before_verb(text, position):
        return False
    by_next = text[position:].lstrip()[:1].isupper() or _FUNCTION.match(text, position) is not None
    return by_next or english_form(text[0].lower() + text[1:]) == "verb"


def _first_verb(text: str) -> tuple[str, int]:
    """Return the word with which an English clause without a subject may begin, in lower case, and its end; "" for others."""
    found = _ENGLISH_START.match(text)
    return (found["verb"].lower().replace("’", "'"), found.end("verb")) if found is not None else ("", 0)


def _is_noun_before_verb(text: str, position: int) -> bool:
    """Return True if another past verb follows the first word: "Lost luggage arrived", "Meeting moved to Friday"."""
    following = _ENGLISH_START.match(text[position:].lstrip())
    return following is not None and is_past_verb(following["verb"])


def _after_time(text: str, at: int = 0) -> int:
    """Return where a text goes on after the time that it has from `at` on: 今年, 2025年, 2026-02-20 20:00."""
    dated = _BEGINS_WITH_DATE.match(text, at)
    end = dated.end() if dated is not None and dated.end() > at else 0
    relative = find_relative(text)
    return relative[0][1] if relative and relative[0][0] == at else end


def predicate_of(text: str, names: Names) -> Literal["state", "act", "other", ""]:
    """Return what a text begins with that has no subject; "" for other texts.

    A state or habit (戒了奶茶, "Likes tea"), an act of help or speech (讲解了…, "Outlined …"), which may be the bot's too,
    or what another one did to the speaker ("other": 欠我两百块).
    """
    asks, text = text.rstrip().endswith(("?", "？")), text[:_BEGINNING]
    named = _is_named(text, names)
    chinese = detect_language(text) == "zh"
    if asks:
        return ""
    start = _after_time(text, text.startswith("于")) if chinese else 0
    if _DONE_TO_ME.match(text, start):
        return "other"
    if chinese:
        if not named and (_ACT.match(text) or _FOR_USER.match(text, start)):
            return "act"
        told = _PREDICATE.match(text, start) or _CHINESE_FACT.match(text, start) or (None if named else _HABIT.match(text, start))
        if _RELATIVE.match(text) or _begins_with_a_name(text, names):
            return ""
        if told is None:
            return "" if named or "我" in text else chinese_form(text[start:])
        return "other" if names.user_name and names.user_name in text else "state"
    if named:
        return "state" if _is_clear(text, names) else ""
    if _EVENT.match(text):
        return "other"
    if _FOR_USER.match(text):
        return "act"
    if _STATE.match(text) or _ELLIPTIC.match(text):
        return "state"
    verb, position = _first_verb(text)
    form = english_form(text)
    if verb in _ACTS and not (form and verb in ("moved", "took", "set")):
        return "act"
    if form:
        return "state"
    if verb != "got" and _is_noun_before_verb(text, position):
        return ""
    base = verb.removesuffix("s")
    known = verb in _VERBS or (base != verb and (is_common_verb(base) or is_common_verb(base.removesuffix("e"))))
    past = is_past_verb(verb) and _FUNCTION.match(text, position) is not None
    return "state" if known or past or (verb.endswith("ing") and is_common_verb(verb.removesuffix("ing"))) else ""


_SERVED = re.compile(r"(?:帮|替|陪|提醒|告诉|安慰|建议|鼓励)了?$|\b(?:told|reminded|helped|advised) $", re.IGNORECASE)
NEAR = 60
"""Characters about 对方 that tell whom it means."""
_THEIRS = re.compile(r"[的车]|父母|律师|保险")
_IS_OR_HAS = re.compile(
    r"[不没很最挺太也都又还在是有叫住说想要会能对已刚正来去从跟和把被给让向每怕陪姓属懂]|\d|希望|提到|表示|询问|偏好|讨厌|觉得|认为|打算|计划"
    r"|(?:经常|平时|最近|今年)|\s+(?!of\b)[a-z]"
)


def is_of_other_party(text: str, reference: Reference, names: Names) -> bool:
    """Return True if 对方 in a fact is the one whom the bot talks with: its subject as a whole, or the one who is helped.

    Beside another subject (跟对方吵了一架), or before a noun (对方司机), it is a party that only the talk knows.
    """
    served = _SERVED.search(text, max(0, reference.start - NEAR), reference.start) is not None
    heads = reference.start == 0 or text[reference.start - 1] in "，。；,.; "
    if not served and not heads and reference.start > NEAR:
        return False
    begin = _after_time(text[:NEAR])
    heads = heads or reference.start == begin
    if not served and not (heads and text[begin : begin + NEAR].lstrip().startswith(reference.text)):
        return False
    rest = text[reference.end : reference.end + NEAR]
    if _THEIRS.match(rest) or followed_by_institution(rest, 0) or any(one.start == 0 for one in find_people(rest[:20])):
        return False
    return served or _IS_OR_HAS.match(rest) is not None or bool(predicate_of(rest, names))


def helps_the_user(text: str) -> bool:
    """Return True if a text begins with what was done for "the user": 帮用户订了票."""
    found = _FOR_USER.match(text)
    return found is not None and bool(found["user"] or found["them"])


def _told_of(subject: str, text: str, language: Language, *, is_deed: bool) -> str:
    """Return a text that begins with its predicate with its subject in front: "Love hiking" → "Ann loves hiking"."""
    if language == "zh":
        return f"{subject}{text}"
    subject = capital(text, 0, subject)
    rest = text if _SHOUTED.match(text) else text[0].lower() + text[1:]
    state, elliptic = _STATE.match(text), _ELLIPTIC.match(text)
    if is_deed:
        return f"{subject} {rest}"
    if state is not None:
        return f"{subject} {'is' if state['is'] else 'has an' if rest[0] in 'aeiou' else 'has a'} {rest}"
    if elliptic is not None:
        verb = elliptic["verb"].strip().lower().replace("’", "'")
        return f"{subject} {rest[: elliptic.start('verb')]}{third_person(verb)}{text[elliptic.start('verb') + len(verb) :]}"
    first = rest.split(maxsplit=1)[0]
    if first == "been" or first.endswith("ing") or (first == "not" and rest.split(maxsplit=2)[1].endswith("ing")):
        return f"{subject} {'has' if first == 'been' else 'is'} {rest}"
    form = english_form(text)
    return f"{subject} {rest}" if form in ("", "verb") else f"{subject} {form} {rest}"


_KIN = re.compile(
    rf"(?:{_BEGINS['kin']})(?![，,！!、我你节们])|(?:{_BEGINS['dependants']})(?![，,！!、我你节们是都会也粮砂舍熊])"
    r"(?=[^，。]*(?:了|今|昨|明|\d)|[归跟读由]|在?上[小初高幼])"
)
_THINGS = re.compile(rf"(?:{_BEGINS['belongings']})(?![，,！!、我你])")
"""Parts of one's body and what everybody has one of: of a note that begins with them nobody knows whose they are."""
_HEAD = re.compile(r"(?<=[，,。！？；\n])")
_KIN_ENGLISH = re.compile(
    r"(?:^|(?<=[.!?;,] ))(?:m[ou]m(?:my)?|mama|dad(?:dy)?|papa|grandma|grandpa|granny"
    rf"|(?:(?:the|older|elder|oldest|eldest|younger|youngest|little|big|twin|left|right) )?(?:{_BEGINS['english_kin']}"
    rf"|(?P<thing>{_BEGINS['english_belongings']}))(?=['’]s (?:in|on|at|an?|the|not|now|[a-z]+ing)\b"
    r"|\s+(?:is|are|was|were|has|have|had|just|still|wants?|said|says|told|got|keeps?|kept|never|always|[a-z]{2,}(?:s|ed))\b))"
    r"(?=['’]s\b|\s+(?!and I\b)[a-z])",
    re.IGNORECASE,
)


def _unowned(text: str, names: Names) -> list[tuple[int, int, bool]]:
    """Return where a text begins a clause with somebody's relative or thing without saying whose, and whether it is a thing.

    In a text that names somebody the relative may be theirs.
    """
    if len(text) > _BEGINNING or any(one.name.lower() not in ROLE_NOUNS for one in find_people(text, names.everybody)):
        return []
    if detect_language(text) != "zh":
        return [(*one.span(), one["thing"] is not None) for one in _KIN_ENGLISH.finditer(text)]
    begin = _after_time(text)
    heads = {begin, *(head.start() for head in _HEAD.finditer(text))}
    found = [(*kin.span(), False) for at in sorted(heads) if (kin := _KIN.match(text, at)) is not None]
    thing = _THINGS.match(text, begin)
    return found if thing is None else [(*thing.span(), True), *found]


def without_owner(text: str, names: Names) -> str:
    """Return the relative or thing of which a text does not say whose it is, "" if there is none."""
    return next((text[start:end] for start, end, _ in _unowned(text, names)), "")


def with_owner(text: str, owner: str, names: Names) -> str:
    """Return what somebody tells with their name before relatives and things without one: 老公又出差了 → 林悦的老公又出差了.

    In a group a thing may be everybody's (预算 of a trip), and stays.
    """
    unowned = _unowned(text, names) if owner else []
    chinese = detect_language(text) == "zh"
    for start, end, is_thing in reversed(unowned):
        if not (is_thing and names.group_id):
            owned = f"的{text[start:end]}" if chinese else f"'s {text[start:end].lower().removeprefix('the ')}"
            text = f"{text[:start]}{owner}{owned}{text[end:]}"
    return text


_PREDICATE_FIRST = re.compile(
    r"离(?![婚职心谱开线岸奇合])|[被把替帮](?=[一-鿿]{2})|会(?![议员计场馆费长所话])|能(?![量力源耗效])|[^，。]{1,8}(?:的时候|(?<![及准按同临平])时)[会就都总老要]"
    r"|(?![为除算到来下出有没多少停死起罢极对])[一-鿿][了过着][一-鿿\d]"
)
_PLACE_FIRST = re.compile("在(?![线读逃职意乎])")


def lacks_subject(text: str, names: Names) -> bool:
    """Return True if a note that names nobody begins with its predicate or has none: 离学校40分钟, "rehab in Leeds"."""
    if len(text) > _LONGEST_NOTE or _is_named(text, names):
        return False
    if detect_language(text) == "zh":
        start = _after_time(text)
        return (_PREDICATE_FIRST.match(text, start) or (None if start else _PLACE_FIRST.match(text))) is not None
    bare = _NOUN_FIRST.match(text) is not None and not find_people(text)
    return bare and names_no_deed(text) and not any(map(is_common_verb, _WORD.findall(text)))


def names_no_deed(text: str) -> bool:
    """Return True if an English text has no verb that tells what somebody did: "small talk"."""
    words = _WORD.findall(text[:_LONGEST_NOTE])
    return bool(words) and not any(is_finite_verb(word) or is_past_verb(word) for word in words)


_LONGEST_NOTE = 120
"""Characters of a note that is looked at for its subject. What is longer is a document."""
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?", re.IGNORECASE)
_NOUN_FIRST = re.compile(
    r"(?!(?:the|this|that|these|those|an?|his|her|their|our|my|its|there|most|all|every|no|some)\b)(?:[a-z]+ ){0,2}?[a-z]+"
    r" (?:in|at|on|from|for|until|till|by|since|with|near|to)\b[^'’]*$"
)
"""A noun without an article, a time or a place, and no verb."""
_EVENT = re.compile(
    r"(?:starts|begins|ends|opens|closes|runs|lasts|kicks off|takes place) (?:(?:on|at|from|until|till|in|around) )?"
    r"(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|noon|midnight"
    r"|next|this|to(?:morrow|night))",
    re.IGNORECASE,
)
"""What is told of something that happens, not of a person: "Starts on 1 April"."""
