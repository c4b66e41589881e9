"""Checks of a model's text: which statements have no support in its sources, and what it lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from ...schema.names import Names
from ..borders import places_of
from ..content_words import (
    Terms,
    has_ended,
    negation_in,
    share,
    stem,
    terms_in,
    weight,
    without_people,
    words_only,
)
from ..language import Language
from ..questions import ends_asking
from ..quotations import comparable, quotations
from ..references.people import ROLE_NOUNS, find_people
from ..remembered import remembered
from ..statements import split_instructions
from ..time_expressions.english.lexicon import MONTHS
from ..time_expressions.numerals import SIMPLE_CARDINALS, SIMPLE_ORDINALS, chinese_integer
from ..word_lists import compiled_patterns, word_list, word_tables

SUPPORT, SUPPORT_OF_TALK, SUPPORT_OF_PAIRS = 0.6, 0.34, 0.4
"""Smallest shares of a text's content words that its sources must have.

SUPPORT_OF_TALK applies if the sources are talk, since a rewrite completes short replies.
SUPPORT_OF_PAIRS applies if pairs of Chinese characters count as well, since a pair often joins
parts of two words.
"""
KEPT = 0.6
"""Smallest share of a source's content words that a rewrite must keep."""
_TABLES = word_tables("checks/supported.toml")
_RE = compiled_patterns(_TABLES)
_PERSONS = {"first": _RE.first, "second": _RE.second, "third": _RE.third}
_NUMERALS = "零〇一二两兩三四五六七八九十百千万萬亿億廿卅俩仨"
_HAN = re.compile(r"[㐀-鿿豈-﫿]")
_LATIN = re.compile(r"[^\W\d_㐀-鿿豈-﫿][^\W_㐀-鿿豈-﫿]*")
_SCALES = {"hundred": 100, "thousand": 1000, "k": 1000, "w": 10_000, "million": 10**6}
_NUMBER_WORDS = SIMPLE_CARDINALS | SIMPLE_ORDINALS | MONTHS | {"once": 1, "twice": 2, "dozen": 12}
_BY_LENGTH = sorted((*_NUMBER_WORDS, "hundred", "thousand", "million"), key=len, reverse=True)
_WORD = rf"\b(?:{'|'.join(_BY_LENGTH)})\b"
_FIGURE = re.compile(
    r"(?P<digits>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*)"
    r"(?P<scale> ?[百千万萬亿億]+|[kKwW](?![a-zA-Z0-9])|(?i: ?(?:hundred|thousand|million))\b)?"
    rf"|(?P<chinese>[{_NUMERALS}]+)|(?P<words>(?i:{_WORD}(?:(?:-| and | ){_WORD})*))"
)
_UNCERTAIN_WORDS = word_list("may mar second")
_FREE = frozenset(
    map(stem, word_list(_TABLES["words"]["free"]) | _NUMBER_WORDS.keys() - {"mar"} | {*_NUMERALS})
)
_NO_NAMES = frozenset(map(stem, word_list(_TABLES["words"]["no_names"])))
_UNCERTAIN_VALUES = frozenset(("0", "1"))
"""Values of words that are often no numbers (一个, "once"): they may confirm a number, and are never
reported as missing."""
_QUOTED = 60
ROOT = 6
"""Latin names of more letters count as the same if these first letters agree: Austrian, Austria."""
MOST_NAMED, NEAR = 6, 8
"""MOST_NAMED: maximum number of people of a clause who are compared.

NEAR: characters after a passive in which its verb is looked for (被阿强骂了), or after a negation in
which the denied word is looked for (从不对花生过敏).
"""

Kind = Literal["number", "title", "name", "words", "polarity", "role", "lost"]


@dataclass(frozen=True, slots=True)
class Unsupported:
    """An unsupported or lost part of a text: the `wording` and the ids of its sources (`where`)."""

    kind: Kind
    wording: str
    where: str

    def reason(self, language: Language) -> str:
        """Return a sentence for the model that names the wording and the sources."""
        long = len(self.wording) > _QUOTED
        shown = self.wording[: _QUOTED - 1] + "…" if long else self.wording
        sentence: str = _TABLES["reasons"][language][self.kind]
        return sentence.replace("{where}", self.where).replace("{text}", shown)


def unsupported(
    text: str,
    sources: Mapping[str, str],
    names: Names,
    *,
    also: Sequence[str] = (),
    beside: str = "",
    speakers: Mapping[str, str] | None = None,
    listener: str = "",
    subjects: bool = False,
) -> list[Unsupported]:
    """Return the parts of `text` that its sources do not support.

    `sources` are texts by the ids that the model was shown ("N1"). `also` are texts that need no
    source, such as the day. `beside` is the other text that the model was shown. Every number,
    date, title and Latin name must be in one of them, and most content words in the sources.
    Negations, and who did something to whom, must agree with the sources. For a date in a year
    before, of or after a day of `also`, only the day is looked up; for such a month only the month.
    A source that begins with the name of another person than the user of `names` supports only
    texts that name this person too. A text that begins with such a name is supported only by
    sources with this name.

    With `speakers` (names by the ids of sources) the sources are talk: "I" is the speaker, "you"
    the `listener`, and a text about a person needs only one source that this person said or that
    names this person. With `subjects` each clause must also have the same person as subject as the
    clause of a source with the same words. Instructions to a model are no source. The time is
    linear in the length of the texts.

    >>> ann = Names(user_name="Ann")
    >>> [one.wording for one in unsupported("has 3 cats", {"N1": "Ann has two cats"}, ann)]
    ['3']
    """
    where, subject = ", ".join(sources), _other_subject(text, names)
    told = [one for source in sources.values() for one in _statements(source, text, names)]
    told_by = (*(speakers or {}).values(), listener)
    if not any(subject in one for one in (*also, *told_by, beside, *told)):
        return [Unsupported("name", subject, where)]
    told = told if speakers is not None else [one for one in told if subject in one]
    given = "\n".join((*told, *told_by))
    own = (*also, names.bot_name, *names.user_names, names.group("zh"), names.group("en"))
    any_own = "|".join(map(re.escape, filter(None, own))) or "(?!)"
    bare = re.sub(any_own, " ", text, flags=re.IGNORECASE)
    others = _others_in(bare, names)
    bare = without_people(bare, names)
    years = {str(int(day[:4]) + step) for day in also if _RE.date.match(day) for step in (-1, 0, 1)}
    known = _known(without_people(given, names)) | _known(beside) | years
    numbers = figures(_near_dates(bare, years))
    wrong: list[tuple[Kind, str]] = []
    wrong += [("number", said) for n, said in numbers.items() if n not in known]
    wrong += [("title", said) for said in _titles(text, "\n".join((given, beside, *own)))]
    people = (one.name for one in find_people(bare) if _HAN.match(one.name))
    named = (*others, *(name for name in people if name not in ROLE_NOUNS))
    wrong += [("name", one) for one in named if one not in given and one not in beside]
    wrong += [("name", said) for said in _names(bare, f"{given}\n{beside}")]
    found = [Unsupported(kind, said, where) for kind, said in wrong]
    found += islice(_turned(text, sources, names, speakers, listener, subjects), 1)
    if found:
        return found
    clauses, wanted = _clauses(told, names), _wanted(bare, names)
    held: Terms = frozenset().union(*(one.affirmed | one.denied for one in clauses))
    is_held = _is_held(wanted, held, SUPPORT if speakers is None else SUPPORT_OF_TALK)
    if not is_held or not (wanted or others or figures(bare)):
        return [Unsupported("words", _listed(wanted - held) or text, where)]
    held |= _terms_beside(beside, names)
    strange = [part.strip() for part in _parts(text, names) if _is_strange(part, names, held)]
    turned = () if strange else _turned_round(text, clauses, names, is_talk=speakers is not None)
    kind: Kind = "words" if strange else "polarity"
    return [Unsupported(kind, part, where) for part in (*strange, *turned)]


def lost(text: str, source: str, names: Names, where: str = "") -> list[Unsupported]:
    """Return the parts of its source that a rewrite `text` lost.

    These are numbers, dates, titles, Latin names, people of the conversation, negations, and
    content words if the text has less than the share KEPT of them.

    >>> [one.wording for one in lost("Ann has a cat", "Ann has 3 cats", Names(user_name="Ann"))]
    ['3']
    """
    bare, plain = without_people(source, names), without_people(text, names)
    known = _known(plain)
    gone = [said for n, said in figures(bare).items() if n not in known]
    gone += _titles(source, text)
    gone += [said for said in _names(bare, plain) if any(map(str.isupper, said))]
    gone += [name for name in _others_in(source, names) if name not in text]
    users = [name for name in names.user_names if name]
    if any(one in source for one in users) and not any(one in text for one in users):
        gone.append(users[0])
    clauses = _clauses(_statements(text, text, names), names)
    gone = gone or list(_turned_round(source, clauses, names))
    wanted, held = _wanted(bare, names), _terms(plain, names)
    if not gone and share(words_only(wanted), held) < KEPT:
        gone = [_listed(wanted - held)]
    return [Unsupported("lost", said, where) for said in dict.fromkeys(gone)]


def persons_in(text: str) -> set[str]:
    """Return the grammatical persons of a text's pronouns: "first" (I, 我), "second", "third" (she).

    用户 counts as "third".

    >>> sorted(persons_in("I told her")), persons_in("my sister")
    (['first', 'third'], set())
    """
    return {person for person, words in _PERSONS.items() if words.search(text)}


def share_told(text: str, source: str, names: Names) -> float:
    """Return the share of the content words of `text` that `source` has, from 0 to 1.

    The share is 1 if `text` has no content words.

    >>> share_told("likes tea", "Ann drinks no tea", Names(user_name="Ann"))
    1.0
    """
    return share(_terms(text, names), _terms(source, names))


def turns_round(old: str, new: str, names: Names) -> bool:
    """Return True if `new`, which has the words of `old`, says the opposite.

    Then a negation was removed or added, or only `new` says that something has ended.
    """
    before, after = _clauses([old], names), _clauses([new], names)
    if any(one.denied for one in before):
        return not any(one.denied for one in after)
    affirmed: Terms = frozenset().union(*(one.affirmed for one in before))
    return (has_ended(new) and not has_ended(old)) or any(affirmed & one.denied for one in after)


def figures(text: str, *, uncertain: bool = False) -> dict[str, str]:
    """Return the numbers of a text as {value: wording}; the parts of dates and times are numbers.

    With `uncertain`, words that may be no numbers ("may", the 一 of 一个) are included.

    >>> figures("2026年2月20日, 2.3万"), figures("two cats, 20 March")
    ({'2026': '2026', '2': '2', '20': '20', '23000': '2.3万'}, {'2': 'two', '20': '20', '3': 'March'})
    """
    found: dict[str, str] = {}
    for match in _FIGURE.finditer(unicodedata.normalize("NFKC", text.replace("百分之", " "))):
        if uncertain or match.group().casefold() not in _UNCERTAIN_WORDS:
            found.update(dict.fromkeys(_values(match, uncertain), match.group().strip()))
    for n in () if uncertain else _UNCERTAIN_VALUES:
        found.pop(n, None)
    return found


@remembered(32)
def _known(text: str) -> set[str]:
    """Return the values that a text confirms.

    These are its numbers, its hours in the 12- and the 24-hour clock, and halves and quarters of
    hours in minutes.
    """
    plain = unicodedata.normalize("NFKC", text)
    hours = [hour.group().casefold() for hour in _RE.hour.finditer(plain)]
    values = {int(n) for hour in hours for n in figures(hour, uncertain=True) if n.isdecimal()}
    known = {str((n + 12) % 24 or 24) for n in values if n <= 24}
    minutes, all_hours = _TABLES["minutes"].items(), "\n".join(hours)
    known |= {n for n, word in minutes if re.search(word, all_hours)}
    return known | figures(text, uncertain=True).keys()


def _values(match: re.Match[str], uncertain: bool) -> Iterable[str]:
    if match["digits"]:
        whole, _, rest = match["digits"].replace(",", "").partition(".")
        if "." in rest and len(whole) < 4:  # a version
            return (f"{whole}.{rest}",)
        if "." in rest or len(whole) > 15:  # a date, an id
            return [part.lstrip("0") or "0" for part in (whole, *rest.split(".")) if part]
        scale, number = (match["scale"] or "").strip().casefold(), float(f"{whole}.{rest or 0}")
        scaled = number * (_SCALES.get(scale) or chinese_integer(scale or "一") or 1)
        return tuple(f"{one:.10g}" for one in ((scaled, number) if uncertain else (scaled,)))
    if match["chinese"]:
        run = match["chinese"][:40]
        is_range = len(run) == 2 and chinese_integer(run[1]) == (chinese_integer(run[0]) or 0) + 1
        return [str(chinese_integer(one) or 0) for one in (run if is_range else [run])]  # 三四个
    total = current = 0
    words = re.findall(r"[a-z]+", match["words"].casefold())[:40]
    for word in words:
        scale = _SCALES.get(word, 0)
        if scale > 100:
            total, current = total + (current or 1) * scale, 0
        else:
            current = (current or 1) * scale if scale else current + _NUMBER_WORDS.get(word, 0)
    each_word = (str(_NUMBER_WORDS[one]) for one in words if one in _NUMBER_WORDS)
    return (str(total + current), *(each_word if uncertain else ()))


def _statements(source: str, text: str, names: Names) -> Iterator[str]:
    """Yield the statements of a source that may support the text.

    Instructions are left out, and statements that begin with the name of a person whom the text
    does not name.
    """
    for told in split_instructions(source)[0]:
        bare = _RE.opening.sub("", told)
        places = places_of(bare, (names.bot_name, *names.others))
        other = next((bare[:end] for start, end in places if start == 0), "")
        if other.casefold() in text.casefold():
            yield told


class _Clause(NamedTuple):
    """A clause with its affirmed content words and its denied ones, which are all after a negation.

    If `asks` is True, the clause is part of a question and affirms nothing. If `either` is True, a
    rewrite may repeat the clause with or without negation.
    """

    text: str
    affirmed: Terms
    denied: Terms
    negation: re.Match[str] | None
    asks: bool
    either: bool


def _clauses(statements: Iterable[str], names: Names) -> list[_Clause]:
    found: list[_Clause] = []
    for one in statements:
        asks = ends_asking(one)
        for part in _parts(one, names):
            said, either = negation_in(part), _RE.either.search(part) is not None
            border = said.start() if said else len(part)
            poles = _terms(part[:border], names), _terms(part[border:], names)
            found.append(_Clause(part, *poles, said, asks, either))
    return found


def _turned_round(
    text: str, told: Sequence[_Clause], names: Names, *, is_talk: bool = False
) -> Iterator[str]:
    """Yield the clauses of a text that contradict the clauses `told` in their negation.

    A clause contradicts them if at least half of its shared words are affirmed here and only denied
    there, or the reverse. In talk people also deny without a negation ("count me out"). Therefore,
    with `is_talk`, any negation supports a denied clause, unless a clause affirms all its words.
    """
    none: Terms = frozenset()
    affirmed = none.union(*(one.affirmed for one in told))
    denied = none.union(*(one.denied for one in told))
    either = none.union(*(one.affirmed | one.denied for one in told if one.either))
    claims = [one.affirmed for one in told if not one.asks]
    is_denied = is_talk and any(one.negation for one in told)
    for one in _clauses([text], names):
        is_claimed = len(one.denied) > 1 and any(one.denied <= claim for claim in claims)
        if one.denied and is_denied and not is_claimed:
            continue
        if not one.denied and (one.either or has_ended(one.text)):
            continue
        held = (one.affirmed | one.denied) & (affirmed | denied)
        agreeing = (one.affirmed & affirmed) | (one.denied & denied)
        behind = one.negation.end() if one.negation else 0
        if one.negation is None or not _RE.either.search(one.text, behind, behind + NEAR):
            agreeing |= held & either
        if held and weight(agreeing) * 2 <= weight(held):
            yield one.text.strip()


def _others_in(text: str, names: Names) -> list[str]:
    return [text[start:end] for start, end in places_of(text, names.others)]


def _other_subject(text: str, names: Names) -> str:
    """Return the name of a person other than the user with which a text begins, or ""."""
    named = find_people(text, names.everybody)[:1]
    first = named[0].name if named and named[0].start == 0 else ""
    return "" if first in names.user_names or first.lower() in ROLE_NOUNS else first


def _parts(text: str, names: Names) -> list[str]:
    """Return the clauses of a text, without the names of its conversation."""
    return _split(without_people(text, names, "\0"))


def _split(text: str) -> list[str]:
    """Return the clauses of a text.

    A day in brackets after a word does not end a clause. Nor does a NUL, which becomes a space.
    """
    parts = _RE.clause.split(_RE.dated.sub("\0\\1\0", text))
    return [part.replace("\0", " ") for part in parts if part and part.strip(" \0")]


def _is_strange(part: str, names: Names, held: Terms) -> bool:
    """Return True if a clause has content words and none of them is in `held`.

    In a clause with a number, a single word is not enough.
    """
    terms = _terms(part, names)
    return len(words_only(terms)) > bool(figures(part)) and not terms & held


def _near_dates(text: str, years: Collection[str]) -> str:
    """Return a text in which each date of these `years` is reduced to its day, or to its month."""
    return _RE.date.sub(
        lambda date: f" {date['day'] or date['month']} " if date["year"] in years else date[0], text
    )


def _terms(text: str, names: Names) -> Terms:
    """Return the content words that need a source. Numbers are left out: they are checked apart."""
    found = terms_in(_RE.free.sub(" ", without_people(text, names)), dates=False) - _FREE
    return frozenset(term for term in found if not term[0].isdigit())


def _wanted(text: str, names: Names) -> Terms:
    """Return `_terms` without counted units and words for hours."""
    return _terms(_RE.counted.sub(" ", _RE.hour.sub(" ", text)), names)


def _listed(terms: Terms) -> str:
    """Return at most eight of the words, for a reason; single characters come last."""
    return ", ".join(sorted(terms, key=lambda term: (len(term) == 1, term))[:8])


@remembered(32)
def _terms_beside(beside: str, names: Names) -> Terms:
    """Return the content words of `beside`, cached because each text of an answer needs them."""
    return _terms(beside, names)


def _is_held(wanted: Terms, held: Terms, least: float) -> bool:
    words = share(words_only(wanted), held)
    return words >= least and share(wanted, held) >= min(least, SUPPORT_OF_PAIRS)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two people of a clause and the words between them.

    If `second` is "", the pair is the subject of the clause and the words after it. The name "?"
    stands for he or she. `turns` is True in the passive; then the verb may be in `near`.
    """

    first: str
    second: str
    words: Terms
    near: Terms
    turns: bool

    def speaks_for(self, told: _Pair, speaker: str) -> bool | None:
        """Compare this pair of a source with `told`, a pair of a text with similar words.

        Return True if the people have the same roles, False if they have other roles, and None if
        the pairs cannot be compared.
        """
        least = min if self.second else max
        is_passive = self.turns or told.turns
        own, other = (self.near, told.near) if is_passive else (self.words, told.words)
        is_unlike = len(own & other) * 2 < (least(len(own), len(other)) or 1)
        if is_unlike or (self.second == "") != (told.second == ""):
            return None
        if not self.second:
            is_so = told.first != speaker if self.first == "?" else told.first == self.first
            return None if is_passive else is_so
        if self.first in (told.first, "?") and self.second in (told.second, "?"):
            return self.turns == told.turns
        is_turned = self.first in (told.second, "?") and self.second in (told.first, "?")
        return False if is_turned and self.turns == told.turns else None


def _turned(
    text: str,
    sources: Mapping[str, str],
    names: Names,
    speakers: Mapping[str, str] | None,
    listener: str,
    subjects: bool,
) -> Iterator[Unsupported]:
    """Yield the people whose roles differ between the text and the same words of a source.

    For the source "Ann lent Ben a bike" this is true of "Ben lent Ann a bike", and not of "Ben
    borrowed a bike from Ann".
    """
    own = [one for one in _pairs(text, names, {}) if subjects or one.second]
    persons = {} if speakers is None else {"second": listener, "third": "?"}
    told_by = speakers or {}
    given = [
        (name, one)
        for name, source in (sources.items() if own else ())
        for one in _pairs(source, names, {**persons, "first": told_by.get(name, "")})
    ]
    for pair in own:
        said = [(name, one.speaks_for(pair, told_by.get(name, ""))) for name, one in given]
        against = [name for name, is_so in said if is_so is False]
        if against and not any(is_so for _, is_so in said):
            both = f"{pair.first} … {pair.second}".removesuffix(" … ")
            yield Unsupported("role", both, against[0])


def _pairs(text: str, names: Names, persons: Mapping[str, str]) -> Iterator[_Pair]:
    """Yield the pairs of people in the clauses of a text.

    `persons` maps "first", "second" and "third" to the names that such pronouns stand for.
    """
    user = names.user_names
    for clause in _split(text):
        places = places_of(clause, names.everybody)
        named = [(start, end, clause[start:end]) for start, end in places]
        found = [(start, end, user[0] if who in user else who) for start, end, who in named]
        for kind, who in persons.items():
            found += [(*one.span(), who) for one in _PERSONS[kind].finditer(clause) if who]
        found = [one for one in sorted(found) if not _RE.owns.match(clause, one[1])][:MOST_NAMED]
        for n, (begin, end, first) in enumerate(found):
            after = found[n + 1 :]
            rest = clause[end : after[0][0] if after else len(clause)]
            turns = _RE.turns.search(clause, end) is not None
            if n == 0 and not terms_in(clause[:begin], dates=False):
                yield _Pair(first, "", _words(rest), frozenset(), turns)
            for start, close, second in after:
                turns = _RE.turns.search(clause, end, start) is not None
                if first != second and (start == after[0][0] or not turns):
                    near = _words(f"{clause[end:start]} {clause[close : close + NEAR]}")
                    yield _Pair(first, second, _words(clause[end:start]), near, turns)


def _words(text: str) -> Terms:
    return frozenset((*terms_in(text, dates=False), *_RE.between.findall(text)))


def _titles(text: str, given: str) -> Iterator[str]:
    quoted = quotations(text)
    held = comparable(given) if quoted else ""
    return (text[one.start : one.end] for one in quoted if one.key not in held)


def _names(text: str, given: str) -> Iterator[str]:
    """Yield the Latin names of `text` that are not in `given`.

    In Chinese every Latin word is a name; in English a capitalised word is. The first word of a
    sentence is a name if a predicate follows it ("Mallory likes").
    """
    held = {stem(word.casefold()) for word in _LATIN.findall(given)}
    is_chinese = _HAN.search(text) is not None
    for word in _LATIN.finditer(text):
        opens = _RE.opens.search(text, max(0, word.start() - 8), word.start()) is not None
        capital = word[0][0].isupper() and (not opens or _RE.predicate.match(text, word.end()))
        is_name = is_chinese or capital or any(letter.isupper() for letter in word[0][1:])
        folded = word[0].casefold()
        free = folded in _NUMBER_WORDS or folded in _SCALES or stem(folded) in _NO_NAMES
        root = folded[:ROOT] if len(folded) > ROOT else " "
        is_given = stem(folded) in held or any(one.startswith(root) for one in held)
        if is_name and not free and not is_given:
            yield word[0]
