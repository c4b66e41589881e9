"""What people declare of themselves in plain sentences, quoted as said, and what kind of line a statement is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..schema.profile import LineKind
from .instructions import gives_orders
from .message_parts import BY_ID, without_media
from .questions.asking import ends_asking
from .word_lists import Patterns, in_pieces, word_list, word_tables

LONGEST_MESSAGE = 1_000
"""Characters of a message that is looked at: what is longer is a document that somebody pasted."""
LONGEST_QUOTED = 160
"""Characters of a quoted sentence; of a longer one the clause that declares something is quoted alone."""
LONGEST_LINE = 500
"""Characters of a line or statement that tell its kind."""
KINDS: tuple[LineKind, ...] = (
    "health",
    "boundary",
    "identity",
    "home",
    "work",
    "relation",
    "habit",
    "taste",
    "plan",
)
"""In this order kinds are looked for: what must never be lost comes first."""
DECLARED: tuple[LineKind, ...] = KINDS[:6]
"""Kinds of which a declaration in a message becomes a line."""
_HAN = re.compile("[㐀-鿿]")
_SENTENCE = re.compile(r"(?:[^。！？!?\n.]|\.(?!\s|$))+[。！？!?.]*")
_CLAUSE = re.compile(
    r"[,，;；、…]\s*|\.+(?=\s|$)\s*|\s+[-–—]+\s+|[—(（]\s*|[~～]+\s*|(?<=[^\x00-\x7f])\s+|\s+(?=[㐀-鿿])"
    r"|\s+(?=(?:and|but|because|cos|cuz|since|so|plus|though) (?:i['’]?(?:m|ve)?|my|if|you|it|he|she|they|we) )",
    re.IGNORECASE,
)
_TYPED = {
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "cant": "can't",
    "doesnt": "doesn't",
    "isnt": "isn't",
}
_BARE_FORM = re.compile(rf"\b(?:{'|'.join(_TYPED)})\b", re.IGNORECASE)
_FIRST_CLAUSE = re.compile("[，,。；;]")
_HEAD, _TAIL = " \t\"'“‘", " \t,，;；、:：-–—"


def declared(message: str) -> list[tuple[str, LineKind]]:
    """Return the sentences of a message in which its sender declares something of themselves, each with its kind.

    Questions, suppositions, wishes, plans, former times, reports, quotations, jokes, games and what is said for today declare
    nothing. What says something of others is theirs.

    >>> declared("hi all! I'm allergic to peanuts, sadly. How are you?")
    [("I'm allergic to peanuts, sadly", 'health')]
    >>> declared("我对花生过敏。你呢？"), declared("I'm allergic to Mondays"), declared("if I lived in Rome")
    ([('我对花生过敏', 'health')], [], [])
    """
    if len(message) > LONGEST_MESSAGE or not may_declare(message):
        return []
    text = without_media(message)
    text = text[addressed.end() :] if (addressed := _ADDRESSED.match(text)) else text
    found = [one for sentence in _SENTENCE.findall(text) if (one := _declaration(sentence)) and not gives_orders(sentence)]
    frame = _tables().frame
    return [] if found and (frame.not_said.search(text) or frame.game.search(text)) else found


_ADDRESSED = re.compile(rf"\s*(?:(?:{BY_ID.pattern}|@[^\s@，,：:]{{1,32}}(?=[\s，,：:]))[\s，,：:]*)+")
"""Mentions before the first word: to whom a message is said, in a group often the bot."""
_MAY = re.compile(r"我|俺|咱|本人|\b(?:i|my|me)(?:['’]?(?:m|ve|d))?\b", re.IGNORECASE)


def may_declare(message: str) -> bool:
    """Return False for a message without a word for its sender, which costs a thousandth of the time of reading it."""
    return _MAY.search(message) is not None


def _declaration(sentence: str) -> tuple[str, LineKind] | None:
    """Return the words that declare something, and the kind; the first clause that does, and what follows it."""
    frame = _tables().frame
    for start, end in _clauses(sentence):
        clause = sentence[start:end]
        match = (frame.fill_zh if _HAN.search(clause) else frame.fill).match(clause)
        begins = start + (match.end() if match else 0)
        said = sentence[begins:end]
        kind = _kind_of_declaration(said)
        if kind is None or frame.told.search(sentence[:begins]):
            continue
        if frame.unreal.search(sentence[:end]) or any(mark in sentence[:end] for mark in '“”"「」『』《》'):
            continue
        if kind != "health" and frame.joke.search(sentence):
            continue
        if kind != "identity" and frame.today.search(said):
            continue
        whole = sentence[begins:].strip(_TAIL + ".。!！~～")
        if frame.asks.search(said) or (ends_asking(sentence) and end == len(sentence)):
            continue
        if len(whole) > LONGEST_QUOTED or ends_asking(whole):
            whole = said.strip(_TAIL + ".。!！~～")
        return whole, kind
    return None


def _clauses(sentence: str) -> Iterator[tuple[int, int]]:
    begun = 0
    for border in _CLAUSE.finditer(sentence):
        if border.start() > begun:
            yield begun, border.start()
        begun = border.end()
    if begun < len(sentence):
        yield begun, len(sentence)


def _kind_of_declaration(said: str) -> LineKind | None:
    """Return the kind of what a clause declares that begins with its speaker; None if it declares nothing."""
    tables = _tables()
    if not said.isascii() and (first := tables.frame.first_zh.match(said)):
        return _predicate(said[first.end() :], "zh")
    typed = _BARE_FORM.sub(lambda found: _TYPED[found.group().lower()], said.replace("’", "'"))
    if tables.frame.ask.match(typed) or tables.frame.ask_zh.match(said):
        return "identity" if tables.frame.names_self.search(typed) else "boundary"
    first = tables.frame.first.match(typed)
    if first is None:
        return None
    rest = typed[first.end() :].lstrip()
    if first.group().lower() == "my":
        found = tables.frame.my.match(rest)
        if found is None:
            return None
        kind = line_kind(f"my {rest[: found.end()]}")
        return kind if kind in ("home", "work", "relation") else "identity"
    return _predicate(tables.frame.sure.sub("", rest, count=1), "en")


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message says of one before it: that it was a joke, or other words for it. `was` are the words that were wrong
    ("" if it names none)."""

    takes_back: bool = False
    was: str = ""


def correction_in(message: str) -> Correction | None:
    """Return the correction of the sender's last message that a short message holds; None for any other message.

    >>> correction_in("sorry, it's hazelnuts, not peanuts"), correction_in("开玩笑的"), correction_in("我说错了，是榛子").was
    (Correction(takes_back=False, was='peanuts'), Correction(takes_back=True, was=''), '')
    >>> correction_in("I mean, who cares")
    """
    if len(message) > LONGEST_QUOTED or ends_asking(message):
        return None
    frame = _tables().frame
    if frame.takes_back.match(message):
        return Correction(takes_back=True)
    if found := frame.instead.match(message):
        return Correction(was=(found["was"] or found["zh_was"]).strip())
    return Correction() if frame.corrects.match(message) else None


def lasting_kind(said: str, *, dated: bool = False) -> LineKind | None:
    """Return the kind of a statement about its subject if it lasts, None if it passes. `said` is what follows the subject.

    It passes if it names a day (`dated`), or if its verb tells of one time: the past, a progressive or completed aspect, a
    feeling or wish of the moment. What declares something (`declared`) lasts in any case.

    >>> lasting_kind("is allergic to penicillin"), lasting_kind("collects stamps"), lasting_kind("is hungry")
    ('health', 'habit', None)
    >>> lasting_kind("bought milk"), lasting_kind("有一台望远镜"), lasting_kind("在地铁上")
    (None, 'other', None)
    """
    frame = _tables().frame
    said = said[:LONGEST_LINE].replace("’", "'").strip()
    if reported := frame.reports.match(said):
        said = said[reported.end() :].strip()
    if (undated := without_date(said)) != said:
        said, dated = undated.strip(), True
    if frame.always_health.match(said):
        return "health"
    if frame.always_boundary.match(said):
        return "boundary"
    if frame.tells.match(said):
        return None
    language = "en" if said.isascii() or not _HAN.search(said) else "zh"
    if language == "en" and said.startswith("'s "):
        of_its = line_kind(said)
        is_sure = frame.kin.match(said) or frame.my.match(said[3:])
        return of_its if is_sure or (of_its in DECLARED and not dated and not frame.was.search(said)) else None
    if language == "zh" and frame.my_zh.match(said):
        return "relation"
    bare = frame.sure.sub("", said, count=1) if language == "en" else said
    kind = _predicate(bare, language)
    if kind is not None or dated or frame.today.search(said):
        return kind
    kind = line_kind(said)
    if kind == "health":
        return kind
    if language == "en":
        return None if frame.passes.match(bare) else kind
    is_there = kind == "other" and said.lstrip("还也又现正")[:1] == "在"  # where somebody is now
    return None if reported or is_there or frame.passes_zh.search(_FIRST_CLAUSE.split(said, maxsplit=1)[0]) else kind


def without_date(text: str) -> str:
    """Return a statement without the day with which it begins.

    >>> without_date("On 2026-02-20 Ann moved to Leeds"), without_date("2026-02-20阿明搬家了")
    ('Ann moved to Leeds', '阿明搬家了')
    """
    led = _tables().frame.dates.match(text)
    return text[led.end() :] if led else text


def is_of_kin(text: str) -> bool:
    """Return True for a statement about somebody's relative, partner or pet.

    >>> is_of_kin("Ann's brother Bob is vegetarian"), is_of_kin("小明的妈妈住在杭州"), is_of_kin("Ann is vegetarian")
    (True, True, False)
    """
    frame, text = _tables().frame, text[:LONGEST_LINE]
    return bool(frame.own.search(text) or frame.my_zh.search(text))


def line_kind(text: str) -> LineKind:
    """Return what a line of a profile is about, by its words: the kind that is kept best where it is about several.

    >>> line_kind("takes 50 mg of sertraline"), line_kind("不吃香菜"), line_kind("lives in Leeds"), line_kind("hello")
    ('health', 'boundary', 'home', 'other')
    """
    tables, text = _tables(), text[:LONGEST_LINE]
    order = [
        *KINDS[:2],
        *(("relation",) if is_of_kin(text) else ()),
        *KINDS[2:],
    ]
    return next((kind for kind in order if tables.about[kind].search(text)), "other")


_TOKEN = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+")


def said_words(text: str, name: str = "") -> tuple[str, ...]:
    """Return the words of a line in order, without `name` and those that only arrange it; () where none is left.

    Chinese ones are characters. Two lines of one kind with the same words say the same.

    >>> said_words("Ann works as a nurse", "Ann"), said_words("her job is nurse"), said_words("Ann wants a cat", "Ann")
    (('nurse',), ('nurse',), ('want', 'cat'))
    """
    folded = text.casefold().replace("’", "'")
    if name:
        folded = folded.replace(name.casefold(), " ")
    tables = _tables()
    words = _TOKEN.findall(tables.light_zh.sub("", folded))
    return tuple(
        word.removesuffix("s") if len(word) > 3 and word.isascii() and not word.endswith("ss") else word
        for word in words
        if word not in tables.light
    )


def _predicate(rest: str, language: str) -> LineKind | None:
    """Return the kind of which `rest`, what is said of a subject, says something that lasts."""
    patterns = _tables().says[language]
    return next((kind for kind in DECLARED if patterns[kind].match(rest)), None)


class _Tables:
    """The patterns of declared.toml: `says` by language and kind, `about` by kind, `frame`."""

    def __init__(self) -> None:
        tables = word_tables("declared.toml")
        words = {name: f"(?:{'|'.join(block.split())})".replace("_", " ") for name, block in tables["words"].items()}
        pieces = in_pieces(tables["pieces"], words)
        frame = in_pieces(tables["frame"], pieces)
        self.frame = Patterns({name: frame[name] for name in tables["frame"]})
        light = tables["light"]
        self.light = word_list(light["en"])
        self.light_zh = re.compile("|".join(light["zh"].split()))
        sure = {"en": "", "zh": frame["sure_zh"]}
        self.says: dict[str, dict[LineKind, re.Pattern[str]]] = {"en": {}, "zh": {}}
        self.about: dict[LineKind, re.Pattern[str]] = {}
        for kind in KINDS:
            whole = in_pieces(tables["kinds"][kind], pieces)
            for language, patterns in self.says.items() if kind in DECLARED else ():
                patterns[kind] = re.compile(f"(?i){sure[language]}(?:{whole[language]})")
            self.about[kind] = re.compile(whole["about"])


@cache
def _tables() -> _Tables:
    return _Tables()
