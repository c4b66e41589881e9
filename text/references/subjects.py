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
from ..word_lists import word_list
from .agreement import is_common_verb

_DATE = (
    r"(?:\d{4}(?:-\d{2}-\d{2}|年(?:\d{1,2}月)?)(?:前后|至\d{4}-\d{2}-\d{2})?"
    r"(?: ?\d{2}:\d{2}| ?(?:早上|上午|中午|下午|晚上|凌晨))?时?)?"
)
_ADVERB = (
    r"(?:也|还|都|很|最|特别|非常|超|超级|比较|挺|真的|从小|从小就|一直|一直都|平时|经常|常常|有时|偶尔|已经|曾经?|其实|可能)*"
)

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
_CHINESE_ACTION = re.compile(
    rf"{_DATE}{_ADVERB}(?:"
    r"推荐|回答|回复|帮|告诉|讲解|讲了|解释|发送|发了|发给|提醒|答应|介绍|安慰|陪|教(?!师|室|练|授|程|材)|给|查了|查询|查找|建议|纠正|分享|祝"
    r"|(?:向|跟|和|与|对)[^，,。]{1,12}?(?:说|聊|讲|讨论|约|道歉|解释|推荐|介绍|确认|打招呼|问|表示)"
    r"|记录|记下|记住|安排|总结|生成|画了|写了|翻译|搜索|询问|问了|鼓励|夸|拒绝|参与|调侃|吐槽|表示|道歉|感谢|谢了|谢谢|确认|整理|设置"
    r"|调用|使用|播放|讨论了|聊了"
    r")"
)
_ENGLISH_FACT = re.compile(
    r"(?:(?:also|still|really|usually|often|always|never|currently|recently) )?(?:"
    r"(?:likes|loves|hates|dislikes|lives|works|has|is|was|wants|plans|prefers|enjoys|moved|studies|plays|owns|speaks|needs|thinks|believes"
    r"|feels|hopes|collects|practices|practises|trains|goes|comes|grew|used to|doesn't|does not|didn't|isn't|hasn't|can't|cannot"
    r"|won't|got|bought|started|quit|finished|graduated|adopted|married|broke|lost)(?= (?!there\b|it\b|that\b|this\b)[\w'\"“(]))",
    re.IGNORECASE,
)
_ENGLISH_ACTION = re.compile(
    r"(?:(?:also|just|already|briefly|politely|gently|then) )?(?:"
    r"told|recommended|explained|helped|sent|answered|promised|suggested|reminded|gave|asked|discussed|talked|chatted|shared|wished|thanked"
    r"|apologi[sz]ed|offered|agreed|declined|refused|congratulated|encouraged|comforted|corrected|translated|summari[sz]ed|looked|searched|found"
    r"|played|wrote|drew|noted|confirmed|greeted|introduced|invited|joked|taught|showed|scheduled|praised|warned)(?= [\w'\"“(])",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"(?:也|还|都|很|特别|非常|超级?|比较|从小就?|一直|平时|经常|常常|总是|老是|有时|偶尔|已经|从来?不|刚刚?|正在|最近)*"
    r"(?:最?(?:爱|喜欢|讨厌|害怕)|打算|忘了?[吃带买做写]|戒[了掉]|[买卖换养吃喝搬辞学看写丢订]了|会(?=[弹说唱画编开])|不[吃喝抽爱]"
    r"|想[要去学买考]|一个人(?:在[^，。]{1,8})?[住过吃睡]|没(?:抢到|买到|赶上|睡好|考上|考过)|对[^，。]{1,12}过敏(?!原)"
    r"|要(?=开黑|加班|出差|考试|搬家|上班|上课|开会|面试|体检|复查|回家|请假)"
    r"|[坐吃喝开睡看打骑听][一-鿿]{1,3}?(?:喜欢|讨厌|最?爱|只[吃喝看坐打听]|怕))"
)
_ACT = re.compile(
    r"(?:用[^，。户]{1,12})?(?:说明|讲解|介绍|解释|整理|推荐|提醒|安慰|建议|回答|总结|告知)(?:了|[^，。！？的书会]{2})"
)
_ENGLISH_START = re.compile(
    r"(?:(?:also|still|really|usually|often|always|never|currently|recently|probably|just) )*"
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
    r"(?P<is>(?:(?:also|still|now|currently|severely|mildly) )?(?:allergic to|lactose intolerant|vegan|vegetarian|diabetic|"
    r"pregnant|unemployed|left-handed|colou?r-?blind|dyslexic|retired|divorced|widowed|struggling)\b)"
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
_SHOUTED = re.compile(r"[A-Z]{2}")


def with_subject(text: str, names: Names, item: Literal["action", "fact"], language: Language, subject: str = "") -> str:
    """Return `text` with the name of its subject in front if it begins with a predicate; otherwise `text` itself.

    The subject is `subject`, or by default the bot in an action and the user in a fact.
    Times and references must be resolved already. The function is idempotent.
    """
    name = subject or (names.bot(language) if item == "action" else names.user(language))
    if language == "zh":
        pattern = _CHINESE_ACTION if item == "action" else _CHINESE_FACT
        return f"{name}{text}" if pattern.match(text) else text
    state = _STATE.match(text) if item == "fact" else None
    if state is not None:
        verb = "is" if state["is"] else "has an" if text[0] in "aeiouAEIOU" else "has a"
        return f"{name[0].upper()}{name[1:]} {verb} {text[0].lower()}{text[1:]}"
    pattern = _ENGLISH_ACTION if item == "action" else _ENGLISH_FACT
    if not pattern.match(text) or text.rstrip().endswith("?"):
        return text
    rest = text if _SHOUTED.match(text) else text[0].lower() + text[1:]
    return f"{name[0].upper()}{name[1:]} {rest}"


def _after_time(text: str) -> int:
    """Return where a text goes on after the time that it begins with: 今年, 2025年, 2026-02-20 20:00."""
    dated = _BEGINS_WITH_DATE.match(text)
    end = dated.end() if dated is not None else 0
    relative = find_relative(text)
    return relative[0][1] if relative and relative[0][0] == 0 else end


def predicate_of(text: str, names: Names) -> Literal["state", "act", ""]:
    """Return what a text begins with that has no subject and names nobody of the conversation; "" for other texts.

    A state or habit (戒了奶茶, "Likes tea"), or an act of help or speech (讲解了…, "Outlined …"), which may be the bot's too.
    """
    people = (names.bot_name, names.user_name, names.group_name, *names.others)
    if any(name and name.casefold() in text.casefold() for name in people) or text.rstrip().endswith(("?", "？")):
        return ""
    if detect_language(text) == "zh":
        return "act" if _ACT.match(text) else "state" if _HABIT.match(text, _after_time(text)) else ""
    if _STATE.match(text):
        return "state"
    found = _ENGLISH_START.match(text)
    verb = found["verb"].lower().replace("’", "'") if found is not None else ""
    if verb in _ACTS:
        return "act"
    base = verb.removesuffix("s")
    known = verb in _VERBS or (base != verb and (is_common_verb(base) or is_common_verb(base.removesuffix("e"))))
    return "state" if known or (verb.endswith("ing") and is_common_verb(verb.removesuffix("ing"))) else ""
