"""Finding of deictic references: pronouns, stand-ins for persons, and places."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...schema.language import LanguageChoice
from ..language import detect_language, is_other_language
from ..protected import Span, overlaps, protected_spans
from ..remembered import remembered
from ..word_lists import compiled_patterns, word_tables
from .chinese import chinese_references
from .english import english_references, is_object_her, plural_noun_before
from .people import Mention, find_people
from .types import Gender, Kind, Person, Reference

__all__ = ["Gender", "Kind", "Person", "Reference", "antecedents", "find_references", "is_deictic_name"]

_RE = compiled_patterns(word_tables("references/finding.toml"))
_HAN = re.compile(r"[㐀-鿿]")
_LATIN_SENTENCE = re.compile(
    r"[A-Za-z][A-Za-z'’]* +[A-Za-z'’]+,? +[A-Za-z]"
    r"|(?<![A-Za-z])(?:I|[Hh]e|[Ss]he|[Yy]ou|[Ww]e)(?:['’][a-z]+)? [a-z]{2,} *(?=[㐀-鿿《])"
)
"""Three Latin words in a row, or a pronoun and its verb before a Chinese object: "I like 火锅"."""


def find_references(
    text: str,
    *,
    glossary: Iterable[str] = (),
    protected: Sequence[Span] | None = None,
    language: LanguageChoice = "auto",
    people: Sequence[str] = (),
    bot: str = "",
) -> list[Reference]:
    """Return the deictic references of `text`, sorted and never overlapping.

    Found are pronouns (我 你 他 TA 本人, I you he they with their forms, chat spellings like u and ur), stand-ins for a
    person (对方, 该用户, 那个人, the user, that guy) and places (这里, 本群, 我这边, here, over there, this group). Excluded
    are longer words (吉他, 其他, 自我, 本地部署, I/O, "there are"), everything in `protected` (by default
    `protected_spans(text)` with `glossary`, `people` and `bot`), reflexives (自己, himself), it/its, 那里 and "there" after
    a place named in the same text, and 公司那边 (the noun names the place).

    Third-person words carry their `antecedents`: the matching persons named before them in the same text (`people` are
    names known to be persons; others are recognised). The bot is never an antecedent, nor is the subject of a clause for
    the object of that clause. `language` is the language of the text; in a Chinese text, English is searched only in
    runs of three Latin words.
    """
    words = tuple(word for word in (*glossary, *people, bot) if word and not is_deictic_name(word))
    spans = protected_spans(text, words) if protected is None else protected
    found = deictic_words(text, spans, language)
    if not any(reference.person == "third" for reference in found):
        return found
    mentions = find_people(text, tuple(name for name in people if not is_deictic_name(name)), spans)
    ends = {mention.end for mention in mentions}
    return [
        antecedents(text, reference, mentions, bot) if reference.person == "third" else reference
        for reference in found
        if not (reference.form == "that_one" and reference.start in ends)  # 小王这个人: the name stands beside it
    ]


def deictic_words(text: str, protected: Sequence[Span], language: LanguageChoice = "auto") -> list[Reference]:
    """Return the references of `find_references` without their antecedents; none of a text in another language."""
    found: list[Reference] = []
    if language == "auto" and is_other_language(text, ignore=protected):
        return found
    han = not text.isascii() and _HAN.search(text) is not None
    if han:
        found.extend(chinese_references(text))
    if not han or language == "en" or _LATIN_SENTENCE.search(text):
        spoken = language if language != "auto" else (detect_language(text, ignore=protected) if han else "en")
        found.extend(english_references(text, whole=spoken == "en"))
    if protected:
        found = [reference for reference in found if not overlaps(protected, reference.start, reference.end)]
    found.sort(key=lambda reference: reference.start)
    return found


@remembered(1024)
def is_deictic_name(name: str) -> bool:
    """Return True if a nickname is itself a deictic word (我, Here), so that the two cannot be distinguished in a text."""
    bare = name.strip()
    references = [*chinese_references(bare), *english_references(bare)]
    return any(reference.start == 0 and reference.end == len(bare) for reference in references)


_NEAREST = 12  # persons considered before a pronoun; only none, one or several matters
LOOK_BACK = 400
"""Maximum distance in characters between an antecedent and its pronoun. It also keeps the work linear."""


def mentions_before(mentions: Sequence[Mention], position: int) -> list[Mention]:
    """Return the mentions that end before `position`, at most `LOOK_BACK` characters away, in text order."""
    last = bisect_right(mentions, position, key=lambda mention: mention.end)
    first = bisect_left(mentions, position - LOOK_BACK, lo=0, hi=last, key=lambda mention: mention.start)
    return list(mentions[max(first, last - _NEAREST) : last])


def antecedents(text: str, reference: Reference, mentions: Sequence[Mention], bot: str = "") -> Reference:
    """Return `reference` with its `antecedents` and `anchored` set."""
    mentions = mentions_before(mentions, reference.start)
    before = [mention for mention in mentions if mention.name != bot]
    if reference.gender == "thing":
        return replace(reference, anchored=len(_HAN.findall(text[max(0, reference.start - 200) : reference.start])) >= 2)
    if reference.plural and reference.form != "pair":
        anchored = _plural_before(text, reference.start) or len({mention.name for mention in before}) >= 2
        if _HAN.match(reference.text):
            return replace(reference, anchored=anchored)
        reference = replace(reference, anchored=anchored)
    elif reference.form == "pair":
        return replace(reference, anchored=len({mention.name for mention in before}) == 2)
    fitting: dict[str, None] = {}
    likely: dict[str, None] = {}
    for mention in before:
        if mention.gender and reference.gender and mention.gender != reference.gender:
            continue
        if mention.name not in fitting and _is_own_object(text, mention, reference, mentions):
            continue
        fitting[mention.name] = None
        if not reference.gender or mention.likely_gender in ("", reference.gender):
            likely[mention.name] = None
    return replace(reference, antecedents=tuple(likely or fitting))


def _plural_before(text: str, start: int) -> bool:
    head = text[max(0, start - 160) : start]
    return _RE.chinese_plural.search(head) is not None or plural_noun_before(text, start)


_GOES_ON = re.compile(r"[，,](?=(?:[还也就又再会要想去来能]|可以|打算|准备|经常|每天)+[一-鿿]{1,2}$)")
"""A comma before a clause that goes on with the same subject: 阿明有车，会去接她."""


def _same_clause(text: str, mention: Mention, between: str) -> str:
    """Return what stands between a mention and a pronoun without the comma after which the mention is still the subject."""
    is_subject = text[: mention.start].rstrip()[-1:] in ("", "，", ",", "。", "！", "；")
    return _GOES_ON.sub("", between) if is_subject else between


_RELATIVE_AHEAD = re.compile(r"[^，。！？；,.!?;\n]{1,10}的")
_CHINESE_DATIVE = re.compile(r"(?:[给給教送问問让讓叫陪帮幫]|告诉|告訴)[了过過]?$")
_PIVOT = re.compile(r"(?:让|讓|请|請|叫|要求|要|找|拜托|劝|求|问|問|托|催|派)\s*$")


def _is_pivot(mention: Mention, reference: Reference, mentions: Sequence[Mention], text: str) -> bool:
    """Return True if somebody was asked to act: in 阿强让小夜提醒他 小夜 is the agent, so 他 can be 阿强."""
    return any(
        mention.end < other.start and other.end <= reference.start and _PIVOT.search(text[mention.end : other.start])
        for other in mentions
        if other.start < reference.start
    )


_LAST_WORD = re.compile(r"[A-Za-z]+\s+$")  # "Lisa knows him": a verb directly before the pronoun does not open a clause
_AND = re.compile(r"\b(?:and|or)\b")


_OWNERS = frozenset(("his", "her", "their", "hers", "theirs"))
_HANDED_OVER = re.compile(r"[把将將]$")
_CHINESE_IS = re.compile(r"[^的，。！？；,说說想觉得以为]{0,6}(?:是|成了|当了|像)")


def _is_predicate(text: str, between: str, reference: Reference) -> bool:
    """Return True if the clause states the mention's relation to the referent: 小林是他同事, "Ann is his sister"."""
    if _HAN.match(reference.text):
        if not _CHINESE_IS.fullmatch(between):
            return False
        return _WHAT_TO_THEM.match(text, reference.end) is not None
    return (
        reference.form in ("his", "her", "possessive")
        and _RE.english_is.fullmatch(between) is not None
        and _RE.person_noun.match(text, reference.end) is not None
        and not text.startswith(" own ", reference.end)
    )


_WHAT_TO_THEM = re.compile(rf"[^，。！？；,给告让说问把被叫在了]{{0,5}}?{_RE.of_the_subject.pattern}")
_SPEAKERS = re.compile(r"[我你您咱]")
_JOINED = re.compile(r"\s*(?:和|与|與|跟|、|及|或)\s*$")


def _another_subject(mention: Mention, reference: Reference, mentions: Sequence[Mention], text: str) -> bool:
    """Return True if another person stands between the two and is not coordinated with the first (小王和小李骂了他)."""
    return any(
        mention.end < other.start and other.end <= reference.start and not _JOINED.search(text[mention.end : other.start])
        for other in mentions
    )


def _is_own_object(text: str, mention: Mention, reference: Reference, mentions: Sequence[Mention]) -> bool:
    """Return True if the mention is the subject of the clause and the reference its object: "Tom told him" (not Tom)."""
    between = text[mention.end : reference.start]
    if len(between) > 80:
        return False
    if text[mention.start : mention.end].lower() in _OWNERS:
        return False  # "his mother told him": the mother is the subject
    if _is_predicate(text, between, reference):
        return True
    after = text[reference.end : reference.end + 2]
    if _HAN.match(reference.text):
        if _RE.chinese_object_before.search(between) is None:
            return False
        named = text[mention.start] not in "他她Tt" or mention.end - mention.start > 2
        if named and _HANDED_OVER.search(text, max(0, mention.start - 3), mention.start) and _RE.recipient.fullmatch(between):
            return True
        if (
            _RE.of_the_subject.match(between)
            and not mention.name.isascii()
            and "的" not in between[:1]
            and len(mention.name) == 1
        ):
            return False  # 他妈妈告诉他
        if after.startswith("的") or between.startswith("的") or _RE.chinese_clause.search(_same_clause(text, mention, between)):
            return False
        if _RE.of_the_subject.match(text, reference.end) or _is_pivot(mention, reference, mentions, text):
            return False
        if any(other.start == mention.end for other in mentions):
            return False  # the mention is a possessor: in 小明女朋友叫他 the subject is 女朋友
        if _SPEAKERS.search(between) or _another_subject(mention, reference, mentions, text):
            return False
        # 看到了他喜欢的大象: the pronoun is the subject of a relative clause.
        return not (_RELATIVE_AHEAD.match(text, reference.end) and not _CHINESE_DATIVE.search(between))
    if reference.form not in ("object", "her") or text[mention.end : mention.end + 2] in ("'s", "’s"):
        return False
    if reference.form == "her" and not is_object_her(text, reference.start, reference.end):
        return False
    if (
        _RE.english_clause.search(_LAST_WORD.sub("", between))
        or len(between.split()) > 5
        or _RE.not_of_the_subject.search(between)
    ):
        return False
    if text[mention.start : mention.end][:1].isupper() and re.fullmatch(r"\s+(?:to|with)\s+", between):
        return True  # "introduced Ann to him"
    conjunction = _AND.search(between)
    if conjunction is None:
        return True
    joined = mention.end + conjunction.end() + 1
    return any(other.start == joined for other in mentions)
