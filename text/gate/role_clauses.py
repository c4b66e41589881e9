"""Shallow semantic roles per clause (who does what to whom), for comparing a rewrite with its draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ..borders import LOWER, UPPER
from ..word_lists import compiled_patterns, word_list, word_tables

_TABLES = word_tables("gate/role_clauses.toml")
_RE = compiled_patterns(_TABLES)
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
_EN_AND = re.compile(r"\band\s+$", re.IGNORECASE)
_EN_CLEFT = re.compile(r"\bit (?:was|is) $", re.IGNORECASE)


# Prepositions and verbs of giving directly before a name: the name is not a subject.
_ZH_OBLIQUE = re.compile(r"(?:(?<!因)[为為]|[给給向对對替帮幫把将將跟找从從陪离離比像据據按])了?$")
_ZH_PASSIVE = re.compile(r"(?:被|由|遭到?|给給?被)$")
_ZH_JOINED = re.compile(r"^\s*(?:和|与|與|跟|同|及|以及|、|&|/)\s*$")
_EN_BY = re.compile(r"\bby\s+(?:the\s+)?(?:user\s+)?$", re.IGNORECASE)
_EN_JOINED = re.compile(r"^\s*(?:,|and|&|or|, and)\s*$", re.IGNORECASE)

_HAN = re.compile(r"[㐀-鿿]")
_ZH_EMPTY = frozenset(
    "的了在是给給和与與跟对對向为為把被由于於也都还還就又很将將会會要有个個着著过過因所以之其此这那并且而到上下里中"
)
_EN_WORD = re.compile(rf"[{UPPER}{LOWER}]+|\d+")
_EN_EMPTY = word_list(_TABLES["words"]["en_empty"])


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
    breaks = _ZH_BREAK if language == "zh" else _RE.en_break
    edges = [match.span() for match in breaks.finditer(text)]
    if language != "zh":
        for earlier, mention in pairwise(mentions):
            # "… to Lisa and Lisa invited Nova": "and" introduces a new subject; "Lisa and Tom" does not open a clause.
            match = _EN_AND.search(text, max(0, mention.start - 5), mention.start)
            if match is None or not _RE.en_verb_ahead.match(text, mention.end):
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


def _clause(text: str, start: int, end: int, mentions: Sequence[Mention], language: str, subject: frozenset[int]) -> Clause:
    functions = (_chinese if language == "zh" else _english)(text, start, end, mentions)
    bare: list[str] = []
    slots: list[tuple[str, str]] = []
    position = start
    for mention in mentions:
        bare.append(text[position : mention.start])
        before, after = text[max(start, mention.start - 24) : mention.start], text[mention.end : min(end, mention.end + 24)]
        slots.append((_word_at(-1, before, language), _word_at(0, after, language)))
        position = mention.end
    bare.append(text[position:end])
    rest = "\0".join(bare)
    turns = frozenset(map(str.casefold, (_RE.zh_turns if language == "zh" else _RE.en_turns).findall(rest)))
    inherited: frozenset[int] = frozenset()
    if functions[0][1] == "patient" and not any(held in ("agent", "unclear") for _, held in functions):
        inherited = subject if len(subject) == 1 else inherited
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


def _word_at(place: int, text: str, language: str) -> str:
    """Return the first word (`place` 0) or the last one (-1) of a text, of a Chinese one the character."""
    bare = text.strip()
    if language == "zh" and bare and _HAN.match(bare[place]):
        return bare[place]
    words = _EN_WORD.findall(bare)
    return words[place].casefold() if words else ""


def _chinese(text: str, start: int, end: int, mentions: Sequence[Mention]) -> list[tuple[Mention, Function]]:
    functions: list[tuple[Mention, Function]] = []
    agent_seen = False
    previous: Mention | None = None
    for mention in mentions:
        before = text[max(start, mention.start - 6) : mention.start].rstrip()
        after = text[mention.end : min(end, mention.end + 16)].lstrip()
        joined = previous is not None and _ZH_JOINED.match(text[previous.end : mention.start])
        function: Function
        if joined and not _RE.zh_directed.match(after):
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
        elif previous is not None or _RE.zh_lead.match(text[start : mention.start].strip()):
            function, agent_seen = "agent", True
        elif _RE.zh_verb_behind.search(before):
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
        elif _RE.en_oblique.search(before) or agent_seen or (previous is None and _RE.en_verb_behind.search(before)):
            function = "patient"
        else:
            function = "patient" if _RE.en_passive.match(after) else "agent"
            agent_seen = True
        functions.append((mention, function))
        previous = mention
    return functions
