"""What a message tells that is worth remembering, by rules; and the check of statements that a model took from messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...schema.language import Language
from ...schema.names import Names
from ..gate import find_invented
from ..language import detect_language
from ..message_parts import without_media
from ..profiles.rules import is_about
from ..questions.asking import asking_sentences
from ..references.finding import deictic_words
from ..references.rewriting import draft
from ..references.subjects import predicate_of, with_subject
from ..references.types import Cast
from ..statements import LONGEST_STATEMENT, statements
from ..support import content_terms, share
from ..telling import compact, is_concrete, telling
from .claims import as_said
from .no_facts import why_no_fact

MOST_STATEMENTS = 8
"""The most statements of one message. A longer message is a document, not talk."""
LONGEST_MESSAGE = 8_000
"""Characters of a message that statements are taken from."""
LEAST_OF_A_DEED = 2
"""The least content words of what a bot did: "I found it" tells nothing."""
CARRIED, OWN = 0.7, 0.25
"""The least shares of a statement's content words that the talk must hold, and its message itself."""

TELLS = 0.9
"""The least score of a statement that is taken out of talk, more than in a summary (`telling.TELLS`): the message itself stays
searchable. Of 1,833 messages of Chinese chats 27 % are taken, and 60 % of those that answer one of 259 questions about them."""
SHORTEST = {"zh": 6, "en": 4}
"""Chinese characters or English words of a statement without "I": "到家了" means nothing a day later."""

_CHAT = re.compile(
    r"^(?:哈{2,}|嗯+|哦+|好[的吧呀啊]?|谢谢|晚安|早安?|拜拜|在吗|收到"
    r"|ok(?:ay)?|lol|thanks?(?: you)?|hi|hello|bye|good (?:night|morning))\b",
    re.I,
)
_GREETING = re.compile(
    r"^(?:(?:(?:哈[喽啰]|嗨)[，, ]?)?(?:大家|各位|你们?|您|早上|[上中下]午|晚上)好[啊呀]?|哈[喽啰]|嗨|早安?|好[的吧]"
    r"|谢谢(?:大家|各位|你们?)?|(?:hi|hello|hey|good (?:morning|evening|afternoon)|thanks)"
    r"(?: (?:all|everyone|everybody|guys|folks|there|again))?)"
    r"[，,！!。.~～]+\s*(?=我|I\b|my\b|we\b)",
    re.I,
)
"""A greeting, a thanks or an "okay" before what somebody tells of themself."""
_COMMAND = re.compile(r"^\s*(?:[/!#.]\w|https?://\S+\s*$)")

_REPLY = re.compile(r"^\s*\[(?:回复|引用|reply\b)[^\]\n]*\]\s*", re.I)
_CALLED = re.compile(r"^\s*(?:@\S{1,40}\s+|\[CQ:at,[^\[\]]*\][,，:：]?\s*)+")
"""Whom a message is said to. "You" in it is they; else they are not in what it tells."""
_CALLED_TO_TELL = re.compile(_CALLED.pattern + r"(?=[我俺咱]|I\b|[Mm]y\b|[Ww]e\b|[Oo]ur\b)")
_FORWARDED = re.compile(r"^\s*[\[【(（]?(?:转发|fwd\b|forwarded\b)", re.I)
_OWN = re.compile(r"[我咱俺]|(?<![\w'’])(?:I|me|my|mine|we|our|us)(?![\w])", re.I)
_OURS = re.compile(r"[我俺]们|咱|(?<![\w'’])(?:we|us|our|ours)(?![\w])", re.I)
_YOURS = re.compile(r"[你您妳]|(?<![\w'’])(?:you|your|yours|u)(?![\w])", re.I)
_WORD = {"zh": re.compile(r"[一-鿿]"), "en": re.compile(r"[^\W_]+")}

_DEED = re.compile(
    r"^(?:(?:okay|ok|sure|done|all right|alright|great|yes|no problem|of course|and|so|also|then)[,!.: ]+)*+"
    r"I(?:['’]ve| have)?\s(?:just |already |also |now |then )*+"
    r"(?:reminded|recommended|suggested|booked|ordered|reserved|(?:re)?scheduled|cancel+ed|set|added|removed|deleted|sent|e-?mailed"
    r"|messaged|called|texted|posted|created|wrote|written|drafted|translated|summari[sz]ed|promised|arranged|registered|signed"
    r"|bought|paid|moved|changed|updated|saved|uploaded|taught|showed|shown|explained|played|drew|drawn|designed|fixed|looked up"
    r"|found|calculated|told)\b"
    r"|^(?:(?:okay|ok|sure|all right|alright|great|yes|no problem|of course)[,!.: ]+)*+I(?:['’]ll| will|['’]m going to)\s"
    r"(?:remind|send|book|order|call|message|schedule|prepare|write|draft|arrange|wake)\b"
    r"|^(?:(?:好[的吧]?|没问题|行|嗯|可以|放心|当然|搞定)[，,！!。 ]*)*+我(?![们不没])[^，。！？!?不没别]{0,24}?(?:"
    r"(?:推荐|答应|保证|承诺)[^，。]"
    r"|(?:提醒|建议|预订|预定|预约|订|安排|取消|设置|设定|设|添加|加入|加进|加|删除|删|发送|发|转发|通知|创建|新建|建|写|起草|翻译"
    r"|总结|整理|报名|登记|买|下单|付|改|更新|保存|上传|教|讲解|讲|解释|画|播放|放|查|算|找)[^，。！？!?]{0,12}?[了过]"
    r"|(?:会|就|再|点|时候?)[^，。！？!?]{0,6}(?:提醒|发给?|叫|通知|联系|准备)[你您他她它大]"
    r"|(?<![昨前]天)(?<!可以)(?:明[天早晚]|后天|下周|周[一二三四五六日末]|今[晚天]|[早晚]上|[上中下]午|[待等一]会|等下|稍后|晚点|到时|回头|马上)"
    r"[^，。！？!?不没别了过]{0,14}?(?:提醒|发给?|叫醒?|通知|联系|准备|告诉|给|帮|陪|教)[你您他她它大](?![^，。！？!?]{0,12}[了过]))",
    re.IGNORECASE,
)
"""What a bot says of its own deeds and promises."""
_AGREED = re.compile(r"^.*?(?=\bI\b|我)", re.DOTALL)
"""What stands before a deed: "Sure, ", 好的，."""
_NO_DEED = re.compile(
    r"\b(?:mistake|sorry|apologi[sz]e|told you so|note|noted|memory)\b|抱歉|对不起|说错|弄错|记[住下]了|(?:明白|知道|了解)了",
    re.IGNORECASE,
)
_TOLD = re.compile(r"^(?P<name>\S.{0,40}?)(?:说：| said: )(?P<body>.+)$", re.DOTALL)
_POINTS = re.compile(
    r"(?<![\w'’])(?:it|its(?= (?:an?|the|been|not|just|so|too) )|this|that|these|those|them)(?![\w])"
    r"(?!\s+(?:is why|way|time|week|month|year|morning|evening))"
    r"|(?<![我咱们])那(?!么|里|边|时|天|就|样|个时|种(?:$|[\s，。]))|[它牠]|这(?!么|里|边|样|会|就|才|次|[个两几一]?[天周月年季学])",
    re.I,
)
NAMED_BEFORE = 3
"""So many content words before "it" may be what it means; what 那药 means stands elsewhere in the talk."""

_CLAUSES = re.compile(r"(?<=[。！？!?.\n])")

_REDACTED = re.compile(r"\[[A-Z][A-Z_]+\]")
"""A secret's placeholder: what is said about it is not worth remembering."""


def statements_by_rules(message: str, names: Names) -> list[str]:
    """Return the statements of a person's message that tell something lasting, in its own words; of small talk none.

    A statement that does not speak of its sender, or in a group of "us", is told as what the sender says ("阿凯说：房东同意了").
    Left out are questions, what is said to somebody ("you") without a word of oneself, forwarded texts, what is very short.
    """
    if _COMMAND.match(message) or _FORWARDED.match(message):
        return []
    found: list[str] = []
    for one in map(without_greeting, statements(without_media(_REPLY.sub("", message)[:LONGEST_MESSAGE]))):
        short = compact(one if _YOURS.search(one) else _CALLED.sub("", one), names)
        if (
            not short
            or len(short) > LONGEST_STATEMENT
            or _CHAT.match(short)
            or _REDACTED.search(short)
            or why_no_fact(one, names)
        ):
            continue
        language = detect_language(short)
        own = _OWN.search(short) is not None
        long = own or len(_WORD[language].findall(short)) >= SHORTEST[language]
        if not long or (language == "zh" and asking_sentences(short)):
            continue
        heard = own or (not _YOURS.search(short) and is_concrete(short, names))
        if heard and _worth(short, names) >= TELLS:
            ours = bool(names.group_id) and _OURS.search(short) is not None
            found.append(short if own and not ours else _with_speaker(short, names, language))
    return found[:MOST_STATEMENTS]


def without_greeting(statement: str) -> str:
    """Return a statement without the greeting that it begins with: 大家好，我对花生过敏."""
    return _GREETING.sub("", statement, count=1)


def without_address(statement: str) -> str:
    """Return a statement that begins with "I" after a mention without that mention: whom it is said to. "You" needs it."""
    return statement if _YOURS.search(statement) else _CALLED_TO_TELL.sub("", statement)


def _with_speaker(statement: str, names: Names, language: Language) -> str:
    name = names.user(language)
    is_theirs = predicate_of(statement, names) or with_subject(statement, names, "fact", language) != statement
    if is_about(statement, name) or (is_theirs and not _OURS.search(statement)):
        return statement
    return as_said(statement, name, language)


def deeds_by_rules(message: str, names: Names) -> list[str]:
    """Return what a bot's message tells of what it did or promised to do, in its own words."""
    found: list[str] = []
    for one in statements(without_media(message[:LONGEST_MESSAGE])):
        bare = one.strip()
        if (
            len(bare) <= LONGEST_STATEMENT
            and _DEED.match(bare)
            and not _NO_DEED.search(bare)
            and not _REDACTED.search(bare)
            and not why_no_fact(bare, names)
            and len(content_terms(bare, names)) >= LEAST_OF_A_DEED
        ):
            found.append(_AGREED.sub("", bare))
    return found[:MOST_STATEMENTS]


def leans_on_talk(statement: str, names: Names) -> bool:
    """Return True if a statement out of talk may need the messages around it to be understood.

    It is told as its speaker's words and begins with nobody's name, or it points ("it", 那药) at what it does not name before.
    """
    told = _TOLD.match(statement)
    if told is not None and not any(name and told["body"].startswith(name) for name in (names.user_name, *names.others)):
        return True
    points = _POINTS.search(statement)
    if points is None or not points.group().isascii():
        return points is not None
    return len(content_terms(statement[: points.start()], names)) < NAMED_BEFORE


_COMING = re.compile(
    r"(?<!上)(?:下+个?)?(?:周|星期|礼拜)[一二三四五六日天末]|(?:大?后|明)[天早晚年]|下个?(?:周|星期|礼拜|月|学期|半年)|[月年]底"
    r"|\b(?:tomorrow|(?:next|this|on) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|weekend|month))\b",
    re.IGNORECASE,
)
"""A day to come, which counts as much as its date does when it is filed."""


def _worth(statement: str, names: Names) -> float:
    """Return how much a statement tells as it will be filed: told of its sender, with the verb that goes with them."""
    named = names if names.user_name else replace(names, user_name="X")  # "user 42" would count as words and a number
    told = draft(_COMING.sub(" 2000-01-01 ", statement), named, "fact", cast=Cast(first=named.user_name, third=False))
    return telling(told.text, named)


def why_not_told(statement: str, message: str, names: Names, talk: str = "", others: Sequence[str] = ()) -> str:
    """Return why a statement is not what a message says: "empty", "question", "invented" or "not said"; "" if it is.

    The names of the conversation may stand for its pronouns; any other number, date, title or Latin name must be in the message
    or the `talk` around it, and so must most of the statement's words. It has some words of the message, or most of a short one,
    and is not what one of the `others` told, a message of somebody else. Their questions tell nothing.
    """
    bare = statement.strip()
    if not bare or len(bare) > LONGEST_STATEMENT:
        return "empty"
    if why_no_fact(bare, names) or _REDACTED.search(bare):
        return "question"
    if find_invented(bare, f"{message}\n{talk}", names):
        return "invented"
    wanted, own = content_terms(bare, names), content_terms(message, names)
    if wanted and share(wanted, own | content_terms(talk, names)) < CARRIED:
        return "not said"
    mine = share(wanted, own)
    if wanted and (not own or max(mine, share(own, wanted)) < OWN):  # "yes, on Sunday" says all that it says
        return "not said"
    for other in others if mine < CARRIED else ():
        told = " ".join(part for part in _CLAUSES.split(other) if not asking_sentences(part))
        if share(wanted, content_terms(told, names)) >= CARRIED:
            return "not said"
    if not wanted and not deictic_words(bare, ()):
        return "not said"
    return ""
