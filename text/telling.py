"""Score how informative a statement is: facts, plans and events with names, figures and dates score high; praise, thanks and
questions score low."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..schema.names import Names
from .declared import declared_in
from .gate.faithfulness import whole_name_pattern
from .language import detect_language
from .statements import LONGEST_STATEMENT, spoken_by, stamped, statements
from .support import content_terms, stem, weight, words_only
from .word_lists import word_list

TELLS = 0.6
"""Minimum score of a sentence that is kept."""

_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?|\d{4}年(?:\d{1,2}月)?|\b(?:19|20)\d\d\b")
# "Around 2023-08-17", "as of 2023-08-17": resolved from "lately" and "now", not the date of an event.
_VAGUE_DAY = re.compile(
    r"\b(?:around|as of|soon after|in the (?:few |couple of )?\w+ (?:after|before)) \d{4}-\d{2}(?:-\d{2})?,?"
    r"|\d{4}-\d{2}-\d{2}(?:前后|时|以来)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\d-])\d+(?:[.,:]\d+)*(?![\d-])")
_SPELT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|first|second|third)\b"
    r"|(?<![两二三四五六七八九十百千万])[两二三四五六七八九十百千万]++(?=[个位只条次天周月年岁本块元公里斤件张部场站点名])",
    re.IGNORECASE,
)
_TITLE = re.compile(r"《[^《》]+》|“[^“”]+”|「[^「」]+」|\"[^\"]+\"")
_NAME = re.compile(r"(?<![.!?。！？:：“\"] )(?<!^)(?<![A-Za-z'’])(?:[A-Z][a-zà-ÿ]+|[A-Z]{2,}[A-Za-z0-9]*)(?:['’]s)?(?![A-Za-z])")
_NO_NAME = word_list(
    """
    I I'm I've I'll OK Okay Oh Wow Yeah Yes No Mom Dad God Hey Hi Thanks Thank So And But Also It This That The A My Your
    We You They He She What How When Where Why Who Can't Don't Let's Here's There's January February March April May June July
    August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    """
)
_DONE = re.compile(
    r"\b(?:went|bought|got|made|built|started|began|joined|signed|adopted|visited|won|lost|met|moved|finished"
    r"|completed|launched|opened|closed"
    r"|took|tried|wrote|read|watched|saw|attended|hosted|ran|organi[sz]ed|booked|applied|received|found|learned"
    r"|learnt|discovered"
    r"|painted|drew|baked|cooked|played|hiked|camped|travel+ed|flew|drove|volunteered|donated|raised|graduated"
    r"|quit|broke|hurt|injured"
    r"|died|passed|born|married|engaged|divorced|diagnosed|hired|fired|promoted|performed|recorded|published"
    r"|planted|grew|taught"
    r"|has been (?!a\b)\w+ing|works?|lives?|owns?|collects?|studies|plays|teaches|named|called|from|favou?rite|since)\b"
    r"|[一-鿿](?:了|过)(?![吗呢吧，,。！!?？])|(?:买|卖|去|搬|换|考|学|做|写|读|看|参加|加入|报名|开始|完成|拿|赢|输|养|生|认识)(?:了|过|到|完|好)"
    r"|最(?:喜欢|爱|讨厌|怕)|正在|从\d{4}",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"喜欢|讨厌|爱[吃喝看玩听唱]|习惯|打算|计划|决定|准备|目标|考试|面试|录取|住院|手术|怀孕|辞职|升职|毕业|报名|答应|约定|坚持|每(?:天|周|晚|早|年|个?月)"
    r"|\b(?:plans?|planning|planned|decided|goals?|exams?|interviews?|hospital|surgery|pregnant|going to|gonna"
    r"|hopes? to|wants? to|dreams?"
    r"|promised|agreed|loves? (?!(?:that|it|how|the|having)\b)|likes?|hates?|prefers?|enjoys?|every (?:day|week"
    r"|morning|evening|year|\w+day)"
    r"|usually|allergic|working on|looking (?:for|into)|learning|training|researching|preparing)\b",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"^(?:(?:wow|whoa|oh|aw+|yeah|yes|yep|no|haha\w*|hey|hi|hello|okay|ok|sure|absolutely|definitely|totally"
    r"|exactly|man|so|and|but|well)\b[,!. ]*)*"
    r"(?:(?:that|this|it|those|these|they|there)(?:['’]s|['’]re|['’]ll|['’]d)?\b|thanks?\b|thank you|congrat\w*"
    r"|great\b|awesome|amazing|nice\b|cool\b"
    r"|good\b|glad|happy (?:for|to)|sounds?\b|looks?\b|keep\b|can['’]t wait|looking forward|sorry|hope\b"
    r"|hopefully|let\b|let['’]s|just (?:remember|keep|let)"
    r"|love (?:that|it|how|the|all)|so (?:glad|happy|proud|true|cool)|what an?\b|way to|good luck|take care"
    r"|talk (?:to|soon)|see\b|bye|appreciate"
    r"|remember\b|never\b|don['’]t\b|always\b|yours?\b|here['’]s|means\b|it means|no (?:problem|worries)"
    r"|of course|for sure|my pleasure|always here)"
    r"|^(?:好|嗯|哈|哇|恭喜|加油|谢谢|多谢|辛苦|没事|没关系|真的?[好棒厉]|太[好棒厉]|不错|厉害|祝|希望|听起来|那[就真太很]|这[就真太很]|别担心|放心|记得|注意|慢慢来"
    r"|(?:\d{4}-\d{2}-\d{2})?天气)",
    re.IGNORECASE,
)
_TO_SOMEBODY = re.compile(
    r"(?:words|support|friendship|help|encouragement|kindness|advice|input|thoughts)\b.{0,12}\bmeans?\b"
    r"|\b(?:proud of|rooting for|here for|got this|let \w+ know"
    r"|good luck|count on|thanks? for|thankful|grateful|appreciates?)\b|为.{1,4}(?:高兴|骄傲|开心)|支持|相信.{1,4}(?:可以|能|会)",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？]\s*$|[吗呢]$")
_WEIGHTLESS = frozenset(
    stem(word)
    for word in word_list(
        """
        rewarding unbelievable enlightening fulfilling satisfying blast amazing awesome great cool nice
        wonderful incredible inspiring inspire inspiration lovely beautiful proud glad happy excited exciting
        fun super support supportive means mean lot lots thing things way make makes making made feel feels
        feeling feelings keep going good best better love loves loved like likes bit much many get gets got
        getting go goes thanks thank wow hey yeah yes oh sure hope hopes always ever see sees seeing look
        looks looking sound sounds know knows think thinks try trying tries day days life world people others
        everyone someone something anything everything nothing kind moment moments journey passion passionate
        special true truly totally definitely absolutely super pretty hard work worth important matter matters
        difference help helps helped helpful positive strong strength courage brave share sharing enjoy
        enjoying wait photo photography picture pic image well done right even take takes taking come comes
        coming back around own part give gives giving need needs stay remember happen happens happening step
        steps forward believe dream dreams
        """
    )
)


_SAYS_SOMETHING = 1.0
_CAPTION = re.compile(r"(?:^|[.!?…]\s+)an? (?:photo|photograph|photography|close[- ]up|screenshot) of [^.!?]*+[.!?]?+\s*$")
_WEEK = re.compile(r"(?<=week of )(?P<first>\d{4}-\d{2}-\d{2}) to \d{4}-\d{2}-\d{2}")
_BRACKETS = re.compile(r"\(\s*\)|（\s*）")
_DASH = re.compile(r"(?<!\s)\s+[-–—]{1,2}\s+|(?<!\s)\s*[—]{2}\s*")
_REMARK = re.compile(
    r"(?:,| and|[!.])\s+(?:and\s+|but\s+|so\s+)?(?:it|which|that|they|those|can['’]t wait|so)\b[^,.;!?]*+[.!?]*$"
    r"|[，,！!](?:真的?|太|好|超级?)(?:好|棒|美|赞|爽|不错|厉害)[了啊呀！!]*$|[，,]?哈{2,}[！!。]*$",
    re.IGNORECASE,
)
_INTERJECTION = re.compile(
    r"^(?:(?:wow|woah|whoa|oh|aw+|yeah|yes|yep|hey|hi|man|so|well|anyway|actually|unfortunately|luckily|also|and"
    r"|but|haha\w*|thanks?|cool|great|awesome)"
    r"(?: [A-Z]\w+)?[,!.]\s+)+|^(?:哇|哈哈+|哎|唉|嗯+|对了|其实|那个|是吧|是呀|是啊|对呀|对啊|没错)[，,！!]?\s*",
    re.IGNORECASE,
)


def undated(line: str, day: str) -> str:
    """Return a line that will be dated with `day` without vague mentions of that day and without the day at its beginning."""
    bare = _VAGUE_DAY.sub(lambda found: "" if day in found.group() else found.group(), line)
    bare = re.sub(
        rf"^((?:[^\s:：]{{1,40}}[:：]\s*)?)(?:On )?{re.escape(day)}(?![\d至])(?! to )[,，]?\s*", r"\1", _BRACKETS.sub("", bare)
    )
    return " ".join(bare.split())


def compact(sentence: str, names: Names) -> str:
    """Return a sentence without interjections, picture captions and remarks without content ("- it was awesome!").

    A week is given by its first day. A sentence of more than LONGEST_STATEMENT characters is only stripped.
    """
    if len(sentence) > LONGEST_STATEMENT:
        return sentence.strip()
    bare = _WEEK.sub(r"\g<first>", _CAPTION.sub("", sentence).strip())
    pieces = _DASH.split(bare)
    kept = [piece for piece in pieces if _substance(piece, names) >= _SAYS_SOMETHING]
    bare = " - ".join(kept) if kept else bare
    tail = _REMARK.search(bare)
    if tail is not None and _substance(tail.group(), names) < _SAYS_SOMETHING and tail.start() > len(bare) // 3:
        bare = bare[: tail.start()]
    opening = _INTERJECTION.match(bare)
    bare = " ".join(bare[opening.end() if opening else 0 :].split()).strip(" ,，-–—!！")
    return bare[:1].upper() + bare[1:]


def _substance(text: str, names: Names) -> float:
    return weight(words_only(content_terms(text, names)) - _WEIGHTLESS)


def telling(statement: str, names: Names) -> float:
    """Return a score of the lasting information in a statement: 0 is none, about 1 is worth a line, 3 is high."""
    _, said = spoken_by(stamped(statement[:LONGEST_STATEMENT])[1])
    terms = words_only(content_terms(said, names, dates=False)) - _WEIGHTLESS
    substance = weight(terms)
    if not substance:
        return 0.0
    dateless = _DAY.sub(" ", _VAGUE_DAY.sub(" ", said))
    score = 1.6 * substance / (substance + 4.0)
    score += 0.8 * bool(_DAY.search(_VAGUE_DAY.sub(" ", said)))
    score += 0.4 * bool(_NUMBER.search(dateless) or _SPELT.search(dateless))
    score += 0.5 * min(2, len(_proper_names(dateless, names)) + len(_TITLE.findall(dateless)))
    score += 0.4 * bool(_DONE.search(dateless)) + 0.5 * bool(_PLANS.search(dateless))
    score += 2.0 * bool(declared_in(statement, names))
    for found, factor in ((_TALK.match(said), 0.6), (_TO_SOMEBODY.search(said), 0.6), (_QUESTION.search(said), 0.4)):
        score *= factor if found else 1.0
    return score


def is_concrete(statement: str, names: Names) -> bool:
    """Return True if a statement tells of something done or planned, a figure, a date, a name or a title, and answers nobody."""
    if _TALK.match(statement) or _TO_SOMEBODY.search(statement):
        return False
    marks = (_DAY, _NUMBER, _SPELT, _TITLE, _DONE, _PLANS)
    return any(mark.search(statement) for mark in marks) or bool(_proper_names(statement, names))


def _proper_names(text: str, names: Names) -> set[str]:
    people = whole_name_pattern(tuple(name for name in (names.bot_name, names.user_name, names.user_id) if name))
    bare = people.sub(" ", text) if people else text
    return {found for found in _NAME.findall(bare) if found.removesuffix("'s").removesuffix("’s") not in _NO_NAME}


def told_in(line: str, names: Names) -> tuple[str, float]:
    """Return a line "name: text" without its uninformative sentences, and the score of the rest; ("", 0) if none is left."""
    speaker, said = spoken_by(line)
    head = f"{speaker}: " if speaker else ""
    short = [one for one in (compact(one, names) for one in statements(said)) if one]
    kept = [(one, worth) for one, worth in ((one, telling(head + one, names)) for one in short) if worth >= TELLS]
    text = _joined([one for one, _ in kept])
    return (head + text, math.hypot(*(worth for _, worth in kept))) if kept else ("", 0.0)


def _joined(sentences: Sequence[str]) -> str:
    parts = []
    for n, one in enumerate(sentences):
        chinese = detect_language(one) == "zh"
        last = n == len(sentences) - 1
        end = "" if last or one[-1] in ".!?…。！？" else "。" if chinese else "."
        parts.append(one + end + ("" if last or chinese else " "))
    return "".join(parts)
