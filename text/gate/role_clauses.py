"""Shallow semantic roles per clause (who does what to whom), for comparing a rewrite with its draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ..word_lists import word_list

Function = Literal["agent", "patient", "owner", "unclear"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A person named in a text or referred to by a pronoun. `person` is an index into the persons of the job."""

    person: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """The text between two punctuation marks or connectives.

    `functions` pairs each mention with its function; `content` is the wording without names as a set of word stems and
    Han characters; `turns` are words that reverse the roles (received, from, 得到, 从): if they differ between two
    clauses, the subjects of the clauses cannot be compared.
    """

    start: int
    end: int
    text: str
    functions: tuple[tuple[Mention, Function], ...]
    slots: tuple[tuple[str, str], ...]
    content: frozenset[str]
    turns: frozenset[str]
    inherited: frozenset[int] = frozenset()

    @property
    def agents(self) -> frozenset[int]:
        """Persons who act in the clause, by name or as the subject of the previous clause."""
        return self.persons("agent") or self.inherited

    def persons(self, function: Function) -> frozenset[int]:
        """Return the persons that have `function` in the clause."""
        return frozenset(mention.person for mention, held in self.functions if held == function)

    @property
    def everyone(self) -> frozenset[int]:
        """All persons mentioned in the clause."""
        return frozenset(mention.person for mention, _ in self.functions)

    def overlap(self, other: Clause) -> float:
        """Return the share of the smaller content found in both clauses; 0 if only one of several items matches."""
        smaller = min(len(self.content), len(other.content))
        shared = len(self.content & other.content)
        return shared / smaller if smaller and (shared >= 2 or shared == smaller) else 0.0


_ZH_BREAK = re.compile(r"[，,。！？!?；;：:\n…]+(?!\d)")
_EN_VERB = (
    r"(?:\w+ed|told|gave|taught|sent|showed|made|beat|paid|lent|sold|brought|bought|wrote|hit|saw|met|left|kept|led|fed|"
    r"lost|won|found|said|got|took|went|came|had|has|was|is|did|does|can|will|would|could|should|may|might|let|read|sang|"
    r"ate|drank|drove|ran|thinks|likes|loves|wants|knows|knew|thought|felt|forgave|chose|threw|hugged|spoke|asks|tells|"
    r"gives|sends|helps|calls|invites|teaches|pays|owes|plays|works|lives)"
)
_EN_BREAK = re.compile(
    r"(?:[;!?:\n…]|[.,](?=\s|$)(?!\s\d{4}\b))+|\b(?:that|because|since|so|but|while|whereas|when|if|whether|who|which|where|until|"
    r"and then|after|before|although|though)\b(?!['’-])"
    rf"|\band\b(?=\s+(?:then\s+|also\s+|later\s+|even\s+)?{_EN_VERB}\b)",
    re.IGNORECASE,
)
_EN_AND = re.compile(r"\band\s+$", re.IGNORECASE)
_EN_VERB_AHEAD = re.compile(rf"\s+(?:(?:then|also|later|even|never|once|always|just|gladly)\s+)?{_EN_VERB}\b", re.IGNORECASE)
_EN_CLEFT = re.compile(r"\bit (?:was|is) $", re.IGNORECASE)
_EN_VERB_BEHIND = re.compile(rf"\b{_EN_VERB}\s+(?:the\s+)?(?:user\s+)?$", re.IGNORECASE)

# Words that may precede the subject of a Chinese clause, and verbs directly followed by their object.
_ZH_LEAD = re.compile(
    r"(?:因为|因為|由于|所以|但是?|而且?|并且?|然后|后来|隨後|随后|之后|以后|此前|于是|同时|此外|另外|其中|其间|期间|结果|不过|虽然|尽管|如果|"
    r"其实|最后|最终|当时|当天|次日|用户|用戶|群友|[年月日号號点點分时時上中下午早晚凌晨前后後约約左右]|[\d\s:\-/.~至]|[在于於][^，]{0,24}?(?=$)|[在于於])*$"
)
_ZH_VERB_BEHIND = re.compile(
    r"(?:了|过|著|着|答应|告诉|提醒|送给?|还给?|交给|发给|借给|请|帮|教会?|陪|推荐|邀请|夸奖?|称赞|骂|安慰|催|祝|感谢|鼓励|批评|拒绝|建议|"
    r"通知|回复|询问|问|喜欢|讨厌|认识|介绍|赠送给?|转告|劝|让|叫|求|骗|爱|恨|追|打|拉黑|禁言|踢|欺负|支持|指导|协助|帮助)$"
)

# Prepositions and verbs of giving directly before a name: the name is not a subject.
_ZH_OBLIQUE = re.compile(r"(?:(?<!因)[为為]|[给給向对對替帮幫把将將跟找从從陪离離比像据據按])了?$")
_ZH_PASSIVE = re.compile(r"(?:被|由|遭到?|给給?被)$")
_ZH_JOINED = re.compile(r"^\s*(?:和|与|與|跟|同|及|以及|、|&|/)\s*$")
_ZH_DIRECTED = re.compile(
    r"^[^，。；]{0,10}?(?:说|說|讲|講|道歉|表白|借|要了|请教|打听|告状|抱怨|解释|介绍|分享|汇报|提[到起议醒]|透露|坦白|推荐|求婚|保证)"
)
_ZH_TURNS = re.compile(
    r"得到|获得|收到|受到?|听[说取从]?|听(?!写|歌)|从|找|让|請|请|叫|托|拜托|要求|应|經|经|来自|帮助下|协助下|指导下|陪同下|借给|卖给|租给|"
    r"借|卖|租|学到?|得知|接到|被|由|遭"
)
_EN_OBLIQUE = re.compile(
    r"\b(?:to|for|with|of|from|about|at|on|than|after|before|between|against|behind|like|without|toward|towards)\s+"
    r"(?:the\s+)?(?:user\s+)?$",
    re.IGNORECASE,
)
_EN_BY = re.compile(r"\bby\s+(?:the\s+)?(?:user\s+)?$", re.IGNORECASE)
_EN_JOINED = re.compile(r"^\s*(?:,|and|&|or|, and)\s*$", re.IGNORECASE)
_EN_PASSIVE = re.compile(
    r"^\s*(?:\([^)]{0,40}\)\s*)?(?:(?:has|have|had|will|can|could|would|should|must|may|might|also|then|later|not|was|is)\s+){0,3}"
    r"(?:was|were|is|are|been|being|be|got|gets|get)\s+(?:\w+ly\s+|also\s+|then\s+|not\s+|never\s+|being\s+)?"
    r"(?:\w+ed|told|given|taught|sent|shown|asked|made|beaten|beat|paid|lent|sold|brought|bought|written|hit|seen|met|"
    r"called|left|kept|led|fed|lost|won|found|told|understood|hurt|shot|sung|read|chosen|driven|forgiven|thrown)\b",
    re.IGNORECASE,
)
_EN_TURNS = re.compile(
    r"\b(?:received?|receives|gets?|got|from|thanks to|heard|hears?|learn(?:s|ed|t)?|let|lets|makes?|made|had|has|lent|lend|"
    r"borrow(?:s|ed)?|sold|sells?|bought|buys?|rent(?:s|ed)?|by|at|upon|under|with|was|were|been|being)\b",
    re.IGNORECASE,
)

_HAN = re.compile(r"[㐀-鿿]")
_ZH_EMPTY = frozenset(
    "的了在是给給和与與跟对對向为為把被由于於也都还還就又很将將会會要有个個着著过過因所以之其此这那并且而到上下里中"
)
_EN_WORD = re.compile(r"[A-Za-zÀ-ɏ]+|\d+")
_EN_EMPTY = word_list(
    "a an the of to in on at for with by and or is are was were be been being has have had do does did will would can "
    "could should may might that this these those it its as from not he she his her him they them their who which so s t "
    "user about into than then there"
)


def read_clauses(text: str, mentions: Sequence[Mention], language: str, writer: frozenset[int] = frozenset()) -> list[Clause]:
    """Split `text` into clauses and return the function of each mention in its clause. `mentions` must be sorted.

    A clause that begins with its verb inherits the subject of the previous clause; the first clause that of `writer`.
    """
    clauses: list[Clause] = []
    index = 0
    for start, end in _bounds(text, mentions, language):
        inside: list[Mention] = []
        while index < len(mentions) and mentions[index].end <= end:
            inside.append(mentions[index])
            index += 1
        if inside:
            before = clauses[-1].agents if clauses else writer
            clauses.append(_clause(text, start, end, inside, language, before))
    return clauses


def _bounds(text: str, mentions: Sequence[Mention], language: str) -> list[tuple[int, int]]:
    """Return the bounds of the clauses: punctuation and connectives outside names separate them."""
    breaks = _ZH_BREAK if language == "zh" else _EN_BREAK
    edges = [match.span() for match in breaks.finditer(text)]
    if language != "zh":
        for earlier, mention in pairwise(mentions):
            # "… to Lisa and Lisa invited Nova": "and" introduces a new subject; "Lisa and Tom" does not open a clause.
            match = _EN_AND.search(text, max(0, mention.start - 5), mention.start)
            if match is None or not _EN_VERB_AHEAD.match(text, mention.end):
                continue
            if earlier is not mentions[0] or text[earlier.end : match.start()].strip():
                edges.append((match.start(), match.start() + 3))
        edges.sort()
    bounds: list[tuple[int, int]] = []
    position = index = 0
    for start, end in edges:
        while index < len(mentions) and mentions[index].end <= start:
            index += 1
        if start < position or (index < len(mentions) and mentions[index].start < end):
            continue
        bounds.append((position, start))
        position = end
    bounds.append((position, len(text)))
    return bounds


def _clause(text: str, start: int, end: int, mentions: Sequence[Mention], language: str, before: frozenset[int]) -> Clause:
    functions = (_chinese if language == "zh" else _english)(text, start, end, mentions)
    bare: list[str] = []
    slots: list[tuple[str, str]] = []
    position = start
    for mention in mentions:
        bare.append(text[position : mention.start])
        slots.append((_before(text, start, mention, language), _after(text, end, mention, language)))
        position = mention.end
    bare.append(text[position:end])
    rest = "\0".join(bare)
    turns = frozenset(map(str.casefold, (_ZH_TURNS if language == "zh" else _EN_TURNS).findall(rest)))
    inherited: frozenset[int] = frozenset()
    if functions[0][1] == "patient" and not any(held in ("agent", "unclear") for _, held in functions):
        inherited = before if len(before) == 1 else inherited
    return Clause(start, end, text[start:end], tuple(functions), tuple(slots), _content(rest), turns, inherited)


def _content(text: str) -> frozenset[str]:
    content = {character for character in _HAN.findall(text) if character not in _ZH_EMPTY}
    for word in _EN_WORD.findall(text):
        lowered = word.casefold()
        if lowered.isdecimal():
            if len(lowered) != 4:
                content.add(lowered.lstrip("0") or "0")
        elif lowered not in _EN_EMPTY:
            content.add(lowered[:5] if len(lowered) > 5 else lowered)
    return frozenset(content)


def _before(text: str, start: int, mention: Mention, language: str) -> str:
    left = text[max(start, mention.start - 24) : mention.start].rstrip()
    if language == "zh" and left and _HAN.match(left[-1]):
        return left[-1]
    words = _EN_WORD.findall(left)
    return words[-1].casefold() if words else ""


def _after(text: str, end: int, mention: Mention, language: str) -> str:
    right = text[mention.end : min(end, mention.end + 24)].lstrip()
    if language == "zh" and right and _HAN.match(right[0]):
        return right[0]
    words = _EN_WORD.findall(right)
    return words[0].casefold() if words else ""


def _chinese(text: str, start: int, end: int, mentions: Sequence[Mention]) -> list[tuple[Mention, Function]]:
    functions: list[tuple[Mention, Function]] = []
    agent_seen = False
    previous: Mention | None = None
    for mention in mentions:
        before = text[max(start, mention.start - 6) : mention.start].rstrip()
        after = text[mention.end : min(end, mention.end + 16)].lstrip()
        joined = previous is not None and _ZH_JOINED.match(text[previous.end : mention.start])
        function: Function
        if joined and not _ZH_DIRECTED.match(after):
            function = functions[-1][1]
        elif joined:
            function = "patient"
        elif _ZH_PASSIVE.search(before):
            agent_seen, function = True, "agent"
            functions = _suffered(functions)
        elif after.startswith("的"):
            function = "owner"
        elif _ZH_OBLIQUE.search(before) or agent_seen:
            function = "patient"
        elif previous is not None or _ZH_LEAD.match(text[start : mention.start].strip()):
            function, agent_seen = "agent", True
        elif _ZH_VERB_BEHIND.search(before):
            function = "patient"
        else:
            function = "unclear"
        functions.append((mention, function))
        previous = mention
    if functions and re.match(r"\s*(?:被|遭)", text[functions[0][0].end : min(end, functions[0][0].end + 8)]):
        functions = [(functions[0][0], "patient"), *functions[1:]]
    return functions


def _suffered(functions: Sequence[tuple[Mention, Function]]) -> list[tuple[Mention, Function]]:
    """Turn subjects before 被 or "by" into patients: 小明被小红骂了, "Tom was invited by Ann"."""
    return [(earlier, "patient" if held in ("agent", "unclear") else held) for earlier, held in functions]


def _english(text: str, start: int, end: int, mentions: Sequence[Mention]) -> list[tuple[Mention, Function]]:
    functions: list[tuple[Mention, Function]] = []
    agent_seen = False
    previous: Mention | None = None
    for mention in mentions:
        before = text[max(start, mention.start - 24) : mention.start]
        after = text[mention.end : min(end, mention.end + 60)]
        function: Function
        if previous is not None and _EN_JOINED.match(text[previous.end : mention.start]):
            function = functions[-1][1]
        elif after.startswith(("'s", "’s", "' ", "’ ")):
            function = "owner"
        elif _EN_BY.search(before):
            function, agent_seen = "agent", True
            functions = _suffered(functions)
        elif _EN_CLEFT.search(before):
            function, agent_seen = "agent", True
        elif _EN_OBLIQUE.search(before) or agent_seen or (previous is None and _EN_VERB_BEHIND.search(before)):
            function = "patient"
        else:
            function = "patient" if _EN_PASSIVE.match(after) else "agent"
            agent_seen = True
        functions.append((mention, function))
        previous = mention
    return functions
