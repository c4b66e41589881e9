"""Declarations of people about themselves, quoted from messages, and the kinds of statements."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Literal

from ...schema.profile import LineKind
from ..message_parts import BY_ID, without_media
from ..questions import ends_asking
from ..statements import gives_orders
from ..word_lists import Patterns, alternatives, in_full, in_pieces, word_tables

LONGEST_MESSAGE = 1_000
"""Maximum characters of a message that is read. A longer one is a pasted document."""
LONGEST_QUOTED = 160
"""Maximum characters of a quoted sentence. Of a longer one only the declaring clause is quoted."""
LONGEST_LINE = 500
"""Maximum characters of a line or statement that are read to find its kind."""
DECLARED: tuple[LineKind, ...] = ("health", "boundary", "identity", "home", "work", "relation")
"""Kinds of declarations in messages that become lines of a profile."""
KINDS: tuple[LineKind, ...] = (*DECLARED, "habit", "taste", "plan")
"""Kinds in the order in which they are tried: lines that must never be lost come first."""
_HAN = re.compile("[㐀-鿿]")
_SENTENCE = re.compile(r"(?:[^。！？!?\n.]|\.(?!\s|$))+[。！？!?.]*")
_CLAUSE = re.compile(
    r"[,，;；、…]\s*|\.+(?=\s|$)\s*|\s+[-–—]+\s+|[—(（]\s*|[~～]+\s*|(?<=[^\x00-\x7f])\s+|\s+(?=[㐀-鿿])"
    r"|\s+(?=(?:and|but|because|cos|cuz|since|so|plus|though) (?:i['’]?(?:m|ve)?|my|if|you|it|he|she|they|we) )",
    re.IGNORECASE,
)
_NO_APOSTROPHE = re.compile(r"\b(i(?=m\b|ve\b)|(?:do|ca|does|is)n(?=t\b))", re.IGNORECASE)
_FIRST_CLAUSE = re.compile("[，,。；;]")
_ENDS = " \t,，;；、:：-–—.。!！~～"


def declared(message: str) -> list[tuple[str, LineKind]]:
    """Return the sentences in which the sender of a message makes a declaration about themselves.

    Each comes with its kind. Questions, suppositions, wishes, plans, reports, quotations, jokes,
    games, and sentences about the past, about today or about other people are no declarations.

    >>> declared("hi all! I'm allergic to peanuts, sadly. How are you?")
    [("I'm allergic to peanuts, sadly", 'health')]
    >>> declared("我对花生过敏。你呢？"), declared("I'm allergic to Mondays"), declared("if I lived in Rome")
    ([('我对花生过敏', 'health')], [], [])
    """
    if len(message) > LONGEST_MESSAGE or not _MAY.search(message):
        return []
    text = without_media(message)
    text = text[addressed.end() :] if (addressed := _ADDRESSED.match(text)) else text
    said = (sentence for sentence in _SENTENCE.findall(text) if not gives_orders(sentence))
    found = [one for one in map(_declaration, said) if one]
    return [] if found and _patterns().not_meant.search(text) else found


_ADDRESSED = re.compile(
    rf"\s*(?:(?:{BY_ID.pattern}|@[^\s@，,：:]{{1,32}}(?=[\s，,：:]))[\s，,：:]*)+"
)
"""Mentions before the first word, which name the addressee of a message, often the bot."""
_MAY = re.compile(r"我|俺|咱|本人|\b(?:i|my|me)(?:['’]?(?:m|ve|d))?\b", re.IGNORECASE)

"""Words for the sender. A message without one has no declaration."""


def _declaration(sentence: str) -> tuple[str, LineKind] | None:
    """Return the first declaration in a sentence and its kind, or None.

    The words are the declaring clause and the rest of the sentence. If the rest is too long or ends
    with a question, only the clause is returned.
    """
    frame, last = _patterns(), len(sentence)
    borders = [(0, 0), *(one.span() for one in _CLAUSE.finditer(sentence)), (last, last)]
    for (_, start), (end, _) in pairwise(borders):
        clause = sentence[start:end]
        filled = (frame.fill_zh if _HAN.search(clause) else frame.fill).match(clause)
        begins = start + (filled.end() if filled else 0)
        said, before = sentence[begins:end], sentence[:end]
        kind = _kind_of_declaration(said)
        if kind is None or frame.told.search(sentence[:begins]) or frame.unreal.search(before):
            continue
        if kind != "health" and frame.joke.search(sentence):
            continue
        if kind != "identity" and frame.today.search(said):
            continue
        if frame.asks.search(said) or (ends_asking(sentence) and end == last):
            continue
        whole = sentence[begins:]
        is_long = len(whole.strip(_ENDS)) > LONGEST_QUOTED or ends_asking(whole)
        return (said if is_long else whole).strip(_ENDS), kind
    return None


def _kind_of_declaration(said: str) -> LineKind | None:
    """Return the kind of a declaring clause that begins with "I" or "my", or None for others."""
    frame = _patterns()
    if not said.isascii() and (first := frame.first_zh.match(said)):
        return _predicate(said[first.end() :], "zh")
    typed = _NO_APOSTROPHE.sub(r"\1'", said.replace("’", "'"))
    if frame.ask.match(typed) or frame.ask_zh.match(said):
        return "identity" if frame.names_self.search(typed) else "boundary"
    first = frame.first.match(typed)
    if first is None:
        return None
    rest = typed[first.end() :].lstrip()
    if first.group().lower() != "my":
        return _predicate(frame.sure.sub("", rest, count=1), "en")
    if (found := frame.my.match(rest)) is None:
        return None
    kind = line_kind(f"my {found.group()}")
    return kind if kind in ("home", "work", "relation") else "identity"


def correction_in(message: str) -> Literal["taken back", "corrected", ""]:
    """Return how a short message changes the sender's last one; "" for any other message.

    >>> correction_in("no, I meant hazelnuts"), correction_in("开玩笑的"), correction_in("I mean, who cares")
    ('corrected', 'taken back', '')
    """
    if len(message) > LONGEST_QUOTED or ends_asking(message):
        return ""
    if _patterns().takes_back.match(message):
        return "taken back"
    return "corrected" if _patterns().corrects.match(message) else ""


def lasting_kind(said: str, *, dated: bool = False) -> LineKind | None:
    """Return the kind of a statement if it is lasting, or None if it is temporary.

    `said` are the words after the subject. A statement is temporary if it names a day (`dated`), or
    if its verb is about one time: the past, a progressive or completed aspect, a feeling or wish of
    the moment. A declaration (`declared`) is always lasting.

    >>> lasting_kind("is allergic to penicillin"), lasting_kind("collects stamps"), lasting_kind("is hungry")
    ('health', 'habit', None)
    >>> lasting_kind("bought milk"), lasting_kind("有一台望远镜"), lasting_kind("在地铁上")
    (None, 'other', None)
    """
    frame = _patterns()
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
    language = "zh" if _HAN.search(said) else "en"
    if language == "en" and said.startswith("'s "):
        kind = line_kind(said)
        lasts = kind in DECLARED and not dated and not frame.was.search(said)
        return kind if lasts or frame.kin.match(said) else None
    if language == "zh" and frame.my_zh.match(said):
        return "relation"
    bare = frame.sure.sub("", said, count=1) if language == "en" else said
    known = _predicate(bare, language)
    if known is not None or dated or frame.today.search(said):
        return known
    kind = line_kind(said)
    if language == "en":
        is_over = bool(frame.passes.match(bare))
    else:
        is_there = kind == "other" and frame.is_there.match(said)
        first = _FIRST_CLAUSE.split(said, maxsplit=1)[0]
        is_over = bool(reported or is_there or frame.passes_zh.search(first))
    return None if is_over and kind != "health" else kind


def without_date(text: str) -> str:
    """Return a statement without a date at its beginning.

    >>> without_date("On 2026-02-20 Ann moved to Leeds"), without_date("2026-02-20阿明搬家了")
    ('Ann moved to Leeds', '阿明搬家了')
    """
    led = _patterns().dates.match(text)
    return text[led.end() :] if led else text


def is_of_kin(text: str) -> bool:
    """Return True if a statement is about somebody's relative, partner or pet.

    >>> is_of_kin("Ann's brother Bob is vegetarian"), is_of_kin("小明的妈妈住在杭州"), is_of_kin("Ann is vegetarian")
    (True, True, False)
    """
    text = text[:LONGEST_LINE]
    return bool(_patterns().own.search(text) or _patterns().my_zh.search(text))


def line_kind(text: str) -> LineKind:
    """Return the kind of a profile line by its words; of several kinds, the most protected one.

    >>> line_kind("takes 50 mg of sertraline"), line_kind("不吃香菜"), line_kind("lives in Leeds"), line_kind("hello")
    ('health', 'boundary', 'home', 'other')
    """
    kin: tuple[LineKind, ...] = ("relation",) if is_of_kin(text) else ()
    order, text = (*KINDS[:2], *kin, *KINDS[2:]), text[:LONGEST_LINE]
    return next((kind for kind in order if _patterns()[f"{kind}_about"].search(text)), "other")


_PLURAL = re.compile(r"(?<=[!-~]{2}[!-rt-~])s$")
_TOKEN = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+")


def said_words(text: str, name: str = "") -> tuple[str, ...]:
    """Return the words of a line in order, without `name` and function words.

    The result is () if no word is left. Chinese words are single characters. Two lines of one kind
    with the same words say the same.

    >>> said_words("Ann works as a nurse", "Ann"), said_words("her job is nurse"), said_words("Ann wants a cat", "Ann")
    (('nurse',), ('nurse',), ('want', 'cat'))
    """
    folded = text.casefold().replace("’", "'").replace(name.casefold() or "\0", " ")
    words = _TOKEN.findall(_patterns().light.sub(" ", folded))
    return tuple(_PLURAL.sub("", word) for word in words)


def _predicate(rest: str, language: str) -> LineKind | None:
    """Return the kind of a lasting predicate; `rest` are the words after the subject."""
    return next((kind for kind in DECLARED if _patterns()[f"{kind}_{language}"].match(rest)), None)


@cache
def _patterns() -> Patterns:
    """Return the patterns of declared.toml.

    These are the patterns of its frame, and for each kind `health_en`, `health_zh`, `health_about`.
    """
    tables = word_tables("profiles/declared.toml")
    words = alternatives(tables["words"]).items()
    pieces = in_pieces(
        tables["pieces"], {name: f"(?:{one})".replace("_", " ") for name, one in words}
    )
    whole = in_pieces(tables["frame"], pieces)
    patterns = {name: whole[name] for name in tables["frame"]}
    for kind, table in tables["kinds"].items():
        for which, pattern in table.items():
            ahead = whole["sure_zh"] if which == "zh" else ""
            patterns[f"{kind}_{which}"] = f"(?i){ahead}(?:{in_full(pattern.splitlines(), pieces)})"
    return Patterns(patterns)
