"""Statements that lean on what was said before them: "It was great", "the second one", 不对，是下周三来, 那个挺好吃的.

Only the beginning of a statement is looked at: what stands before a word in the same statement may be what it means. "It" that
means nothing ("it rains", "it takes two hours to get there", "it is important that …") leans on nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...schema.names import Names
from ..word_lists import word_tables
from .agreement import is_finite_verb, is_past_verb


@dataclass(frozen=True, slots=True)
class Leaning:
    """The wording of a statement that means what was said before it, by its offsets, and why.

    "thing" is a word for something that the statement does not name before (it, that one, 那个), "elliptic" an answer, a
    correction or a comparison without what it is about.
    """

    start: int
    end: int
    why: Literal["thing", "elliptic"]


LONGEST_CLAUSE = 160
"""Characters of a first clause that are looked at."""
LONGEST_STATEMENT = 400
"""Characters up to which "this guide" points out of a statement; a longer text may be the guide itself."""

_TABLES = word_tables("references/elliptic.toml")
_EN = {name: "|".join(words.split()) for name, words in _TABLES["english"].items()}
_ZH = {name: "|".join(words.split()) for name, words in _TABLES["chinese"].items()}

_OPENING = re.compile(
    rf"(?:(?:{_ZH['openings']})[，,。.：:！!\s]*"
    rf"|(?:{_EN['openings']}|turns out|scratch that|i (?:think|mean|meant|guess))\b[,.:;!]*"
    r"(?:\s+that\b(?= (?:it|this|that|he|she|they)\b))?(?:\s+|$)"
    r")*+",
    re.IGNORECASE,
)
_SAYS = re.compile(
    rf"\s*(?:(?:(?:has|have|had) )?(?:{_EN['says']})(?: (?:me|us|him|her|them))?(?: that(?= (?:it|this|that|those|these)\b))?\s+"
    r"|(?:还|也|都)?(?:说|觉得|认为|表示|听说|感觉)[，,：:]?)",
    re.IGNORECASE,
)
"""A person and what they say or think: the statement proper is what follows."""
_BE = r"(?:is|was|are|were|isn['’]t|wasn['’]t|aren['’]t|weren['’]t)"
_AUXILIARY = re.compile(
    rf"(?:['’](?:s|ll|d|re|ve)|\s+(?:{_BE}|has|have|had|do|does|did|will|would|can|could|should|may|might|must|shall|ought|cannot|"
    r"(?:has|have|had|do|does|did|wo|would|ca|could|should|must)n['’]t))(?![\w'’])",
    re.IGNORECASE,
)
_ADVERB = re.compile(rf"\s+(?:{_EN['adverbs']}|[a-z]{{3,}}ly)\b", re.IGNORECASE)
_WORD = re.compile(r"\s+([a-z]+(?:['’]t)?)", re.IGNORECASE)
_SOMEBODY = re.compile(r"(?:I|we|he|she|they)\b|[我他她]们?", re.IGNORECASE)

_POINTER = re.compile(r"(?P<word>it|this|that|these|those)\b(?!-)", re.IGNORECASE)
_ONE = re.compile(
    r"(?:(?:this|that|these|those|the|another|some) (?:[a-z]+ )??(?:ones?|others?)"
    r"(?=\s*$|['’]s\b|[,.;!]|\s(?!day\b|who\b|whose\b|hand\b))(?! of\b)"
    r"|the (?:same|first|second|third|last|latter|former|rest|other) *(?=$|[,.;!])"
    r"|(?:neither|both|either|none|all|same)(?: of (?:them|those|these|it))?"
    r" *(?:$|[.!,;]|(?:is|was|are|were|work|works)\b|here[.!]*$))",
    re.IGNORECASE,
)
"""What chooses among things that were named before: "that one", "the other", "neither"."""
_POINTED = re.compile(
    rf"(?:this|that|these|those) (?!(?:{_EN['times']})\b)(?:(?-i:[a-z]+) )??(?-i:[a-z]+)(?=['’]s\b|\s)", re.IGNORECASE
)
_OWN = re.compile(r"(?:['’]s|\s+(?:is|are|was|were)) (?:(?:my|our|his|her|their)\b|[A-Z][\w-]*(?:['’]s)?(?![\w-]))")
"""What shows something and names it: "This is Ann's cat Momo"."""
_WHAT_FOLLOWS = (
    r"(?:to (?!the\b|an?\b|my\b|his\b|her\b|their\b|our\b|home\b|work\b)(?-i:[a-z]{2,})\b(?!['’])"
    r"|(?:that|how|whether|who|whose|when(?:ever)?|since)\b|for [^,.;]{2,40} to [a-z])"
)
_EXTRAPOSED = re.compile(
    rf"(?:['’](?:s|ll be|d be)|\s+(?:{_BE}|(?:has|have|had|will|would|can|could|must|may|might)(?:n['’]t)?(?: \w+)?? be(?:en)?"
    rf"|turn(?:s|ed) out|(?:looks?|looked|sounds?|feels?|felt) like|{_EN['impersonal']}))"
    rf"(?! (?:supposed|going|used|able|ready|designed|expected|likely|bound|set|meant|made|built|due|scheduled|said) to)"
    r"(?: [^,.;!?]{0,80}?)?? "
    rf"{_WHAT_FOLLOWS}"
    r"|['’]s been [^,.;]{1,30} since\b",
    re.IGNORECASE,
)
_IT_ALONE = re.compile(
    rf"(?: [a-z]+ly)?(?:['’](?:s|ll be)|\s+(?:{_BE}|has been|had been|will be|gets?|got|stayed|turned|keeps?|kept|started))?"
    rf" (?:(?:{_EN['degrees']}) )*(?:{_EN['weather']})\b|['’]s (?:almost |nearly |already )?(?:{_EN['hours']})\b"
    rf"|\s+(?:is|was) (?:almost |nearly |already )?(?:{_EN['hours']})\b"
    r"|(?:['’]s|\s+(?:is|was))(?: [\w'’-]+){1,3} (?:birthday|anniversary|turn|fault|\d+(?:st|nd|rd|th))\b"
    r"|\s+(?:seems?|appears?|looks?) (?:that|as if|as though|like)\b"
    r"|\s+(?:rain|snow|hail|freez|pour|thunder|drizzl)[a-z]*\b|\s+depends\b",
    re.IGNORECASE,
)
"""What "it" says of the weather and the hour."""
_OBJECT = re.compile(
    r"(?:['’](?:s|ll|d|ve|re))?"
    r"(?:\s+(?:is|was|has|have|had|do|does|did|will|would|can|could|never|already|finally|just|also|still|always"
    rf"|[a-z]+n['’]t|[a-z]{{3,}}ly)(?![\w'’]))*+\s+(?!(?:{_EN['made_so']})\b)"
    r"(?!(?:love|like|hate|enjoy)[sd]? it (?:in|at|here|there)\b)"
    r"(?:[a-z]+ (?:about|for|at|of|with|to|from|into|through)|[a-z]{2,}) (?<! on )(?P<word>it|this|that|those|these"
    r"|(?:the|this|that|another|those|these) (?:[a-z]+ )??(?:ones?|others?)(?! (?:who|that|which|with|from)\b)"
    r"|the (?:first|second|third|other|same))"
    r"(?=\s*$|[,.;!]|\s+(?:on|in|at|too|yesterday|today|again|now|as|a lot|so much|very much|and|but|because|around)\b"
    r"(?! (?:was|is)\b))",
    re.IGNORECASE,
)
"""What a person does to "it", of which nothing was said before: "Ann loved it"."""
_DID = re.compile(
    r"\s+(?:do|does|did|am|is|are|was|were|has|have|had|can|could|will|would|should)(?:n['’]t| not)?"
    r"(?: (?:too|as well|either|neither|now|already|so))*[.!]*$"
    r"|\s+(?:(?:thinks?|hopes?|guess(?:es)?) (?:so|not)|too|neither|either|as well)[.!]*$",
    re.IGNORECASE,
)
_UNDONE = re.compile(
    rf"(?:\s+(?:has|have|had|already|just|never|still|finally|only|[a-z]+n['’]t))*\s+(?:{_EN['transitive']})"
    r"(?: (?:already|yesterday|today|yet|some|any|both|one|two|three|four|\d+))?[.!]*$",
    re.IGNORECASE,
)
_ZH_UNDONE = re.compile(
    rf"(?:也|都|就|已经|刚|刚刚|终于|又|还|没|没有|全)*+(?:帮忙)?[{_ZH['transitive']}](?:完|好|到|过|掉|光|走|来)?[了过]?[。！]?$"
)
"""What somebody does with something that is not named: "Ann has already ordered", 林悦还没看完."""
_COMPARED = re.compile(
    r"(?:(?:way|much|far|even|slightly|a (?:bit|lot|little)|so much|no|not) )*"
    r"(?:(?:more|less|fewer|better|worse)(?: [a-z]+)?|[a-z]{3,}er(?= than\b)|(?:almost |nearly |just |not )?as(?= [a-z]+ as\b)"
    r"|twice|double|half)(?P<rest>\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""A comparison of nothing: "way smaller than expected", "less salty next time"."""
_WHERE_OR_WHEN = re.compile(
    rf"(?:(?:{_EN['where_or_when']}|next to|in front of|across from|not|just)(?=\s|$|[.,;!])"
    rf"|(?:\d[\d:., -]*(?:[ap]m|st|nd|rd|th)?|{_EN['numbers']})"
    rf"(?: (?:of (?:them|those)|or so|{_EN['counted']}))?[.!]*$)"
    r"(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""A time, a place, a number or half an answer and nothing else: "around the back", "by 2026-03-02", "not really"."""

_ZH_POINTER = re.compile(
    rf"(?:(?![这那](?:就|才)?是[^，。]{{1,12}}的)(?:[\d :-]+|{_ZH['places']}|[一-鿿]{{1,3}}的)??"
    rf"(?P<word>[这那](?!{_ZH['times']})[一两几]?(?:{_ZH['measures']})?|[它牠]们?)"
    rf"|(?P<noun>[这那](?!{_ZH['times']})[一两几]?(?:{_ZH['measures']})(?![人位])[一-鿿]{{1,4}}?))(?={_ZH['predicates']})"
)
_ZH_CHOOSES = re.compile(
    rf"(?:另外?[一几两]?(?:{_ZH['measures']})|(?:上次|之前|刚才|前面|后面|上面|下面|原来|左边|右边|剩下)(?:那|的)?(?:{_ZH['measures']})?"
    rf"|第[一二三两几](?:{_ZH['measures']})|后者|前者|其他的?|其它的?|剩下的|(?:{_ZH['qualities']})的)(?=$|[，,。！]|(?:{_ZH['predicates']}))"
)
_ZH_OBJECT = re.compile(
    r"(?:其实|也|都|还|就|最|很|挺|特别|非常|真的|已经|刚|没|不|想|要|会)*+[一-鿿]{1,2}(?:了|过|到)?"
    r"(?P<word>[它这那](?:个|些|种|家|款|件|本|部|次|一个)?|另一?[个家种]|第[一二两三][个家种本款])(?=$|[，,。！]|了[，,。！]?$)"
)
_ZH_USUAL = re.compile("老地方|老样子|老时间|老规矩")
_ZH_HEADLESS = re.compile(
    rf"是(?!{_ZH['not_is']})|比(?!{_ZH['not_than']})[一-鿿\d，,-]{{1,12}}|还是(?!喜欢|想|要|会|爱|决定|没|不)|不是(?!否|很|特别|太)|不如(?!意)"
    rf"|(?:{_ZH['moves']})|(?:{_ZH['happens']})(?=$|[，,。！])|(?:更|越来越)[一-鿿]{{1,4}}了?[。！]?$"
    r"|[跟和与同](?![我你他她])[^，。]{1,8}?(?:一样|差不多|没区别)(?:$|[，,。！])"
    r"|没有?(?!人|什么)[^，。]{1,8}?(?:这么|那么)?[好贵大小多快慢难远][吃看用]?(?:$|[，,。！])"
    rf"|(?:{_ZH['qualities']}|多|少|涨|降|重|轻|高|低|快|慢)(?:了|多了|得多|一点|很多)(?:[一二两三四五六七八九十百千万半\d]|$|[，,。！])"
    r"|(?:大概|大约|差不多|就|才|一共)?[一二两三四五六七八九十百千万半\d:.]+(?:[个点块元斤岁米次杯份本张号楼月天年人件双条只]|分钟?|小时|公里|毛钱|块钱)?"
    r"[一二三四五六七八九十半\d]*(?:左右|吧)?[。！]?$|[一-鿿]{1,3}色?的[。！]?$"
    rf"|在[^，。！？]{{1,12}}(?:边|楼|层|里|上|下|旁|号|室|口|侧|面)[。！]?$"
)
"""What says something of nothing: 是下周三来, 比去年少了一半, 改到下午了, 在三楼左手边."""
_ZH_ANSWER = re.compile(
    r"(?:[我咱]们?)?[都也全还就]?(?:不[是行要会能用]?|没有?|是|行|可以|好|对|有|会|能|要|去|想|随便|同意|一样|觉得|这样|这么觉得)"
    r"[的了啊吧呢呀]?[。！]?$"
)
_ALSO = re.compile(r"(?:也|都|还)(?:是|会|有|去|想|要|没有|没|不是|不行|不会|不要|可以|觉得|一样|这么觉得|这样)[的了啊]?[。！]?$")
_REPORTED = re.compile(r"that (?!(?:is|was|has|had|will|would|can|could)\b)", re.IGNORECASE)
"""A conjunction: "Ann believes that moments like these …", not "Ann thinks that was fun"."""
_CLAUSE_END = re.compile(r"[,.;:!?—]|\b(?:who|which|that|because|when|if|than|as)\b", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]+(?:['’]t)?", re.IGNORECASE)
_CAPITAL = re.compile(r"[A-Z][a-z]|[一-鿿]")
_SHORT = re.compile(r"['’](?:s|re|ll|d|ve)\b")


def leans_on_what_was_said(text: str, names: Names) -> Leaning | None:
    """Return what in a statement means something that was said before it; None if nothing does."""
    opening = _OPENING.match(text)
    start = opening.end() if opening is not None else 0
    who = _somebody(text, start, names)
    if who:
        clause = _SAYS.match(text, start + who)
        if clause is None:
            return _after_a_person(text, start, start + who)
        start = clause.end()
    return None if who and _REPORTED.match(text, start) else _at_beginning(text, start, names)


def _somebody(text: str, start: int, names: Names) -> int:
    """Return the length of the name or pronoun of a person at `start`, 0 for none."""
    for name in names.everybody:
        if text.startswith(name, start):
            return len(name)
    pronoun = _SOMEBODY.match(text, start)
    return len(pronoun.group()) if pronoun is not None else 0


def _after_a_person(text: str, start: int, end: int) -> Leaning | None:
    """Return what is open in what somebody is, has or did: "Ann did too", "Ann loved it", 林悦也是."""
    if any(pattern.match(text, end) for pattern in (_DID, _ALSO, _UNDONE, _ZH_UNDONE)):
        return Leaning(start, len(text), "elliptic")
    found = (_OBJECT.match(text, end) or _ZH_OBJECT.match(text, end)) if not _LIKES_THAT.match(text, end) else None
    return Leaning(*found.span("word"), "thing") if found is not None else None


_LIKES_THAT = re.compile(
    r"(?:['’]d)? (?:loves?|appreciates?|likes?|needs?|knows?|gets?) (?:it|that|this)[.!]+\s+\S.{15}", re.IGNORECASE
)


def _at_beginning(text: str, start: int, names: Names) -> Leaning | None:
    """Return what is open in a statement, without the words that lead to it, that begins with nobody."""
    clause = text[start : start + LONGEST_CLAUSE]
    chosen = _ONE.match(clause) or _ZH_CHOOSES.match(clause) or _ZH_USUAL.search(clause)
    if chosen is not None:
        return Leaning(start + chosen.start(), start + chosen.end(), "thing")
    pointer = _POINTER.match(clause)
    if pointer is not None and not _is_somebody(clause, pointer.end(), names):
        end = _english_pointer(clause, pointer, len(text) <= LONGEST_STATEMENT)
        return Leaning(start, start + end, "thing") if end else None
    if pointer is not None:
        return None
    pointer = _ZH_POINTER.match(clause)
    if pointer is not None and (pointer["word"] or len(text) <= LONGEST_STATEMENT):
        return Leaning(start, start + pointer.end(), "thing")
    named = any(name in clause for name in names.everybody)
    if (_ZH_HEADLESS.match(clause) and not named) or _ZH_ANSWER.match(clause):
        return Leaning(start, len(text), "elliptic")
    if start and not clause.strip():
        return Leaning(0, len(text), "elliptic")
    bare = _COMPARED.match(clause) or _WHERE_OR_WHEN.match(clause)
    nothing = bare is not None and not _has_verb(bare["rest"]) and not _CAPITAL.search(bare["rest"])
    return Leaning(start, len(text), "elliptic") if nothing or _SENSED.match(text, start) else None


_REACTION = re.compile(
    r"(?:that|this)(?:['’]s|['’]d be| is| sounds| looks| must be)(?: [\w'’-]+){1,4}?(?:, [A-Z][\w'’-]*)?[.!]+\s+\S[^?]{15}",
    re.IGNORECASE,
)
"""A reaction before what is told: "That's great! I met …"."""
_SENSED = re.compile(
    r"(?:sounds?|looks?|seems?|tastes?|smells?) (?!after|for|forward|up|to\b|at\b|into)[^.!?]*[.!?]*\s*$", re.IGNORECASE
)
"""How something is that is not named: "Sounds great"."""
_IS = re.compile(r"(?:['’]s| is| was) (?P<who>me|us|you)?", re.IGNORECASE)


def _is_somebody(clause: str, end: int, names: Names) -> bool:
    """Return True if a pronoun is only said to be somebody: "that's me"."""
    shown = _IS.match(clause, end)
    return shown is not None and (shown["who"] is not None or _somebody(clause, shown.end(), names) > 0)


def _english_pointer(clause: str, pointer: re.Match[str], is_short: bool) -> int:
    """Return where a pronoun ends that is the subject of a clause and means something, with the noun after it; 0 if it is not."""
    word, end = pointer["word"].lower(), pointer.end()
    if _REACTION.match(clause):
        return 0
    if word == "it":
        return 0 if _IT_ALONE.match(clause, end) or _EXTRAPOSED.match(clause, end) else end
    position = end
    while (adverb := _ADVERB.match(clause, position)) is not None:
        position = adverb.end()
    following = _WORD.match(clause, position)
    if following is not None and following[1].lower() == "said":
        return 0
    if _AUXILIARY.match(clause, position) or (following is not None and is_finite_verb(following[1])):
        shown = (
            _OWN.match(clause, end) if word in ("this", "these") else _EXTRAPOSED.match(clause, end) if word == "that" else None
        )
        return end if shown is None else 0
    pointed = _POINTED.match(clause) if is_short else None
    return pointed.end() if pointed is not None and _has_verb(clause[pointed.end() :]) else 0


def _has_verb(clause: str) -> bool:
    """Return True if a clause goes on with a finite verb before it ends."""
    head = _CLAUSE_END.split(clause, maxsplit=1)[0]
    words = _WORDS.findall(head)
    return any(is_finite_verb(word) or is_past_verb(word) for word in words) or _SHORT.search(head) is not None
