"""Whether a text that a model wrote says only what its sources say."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..schema.names import Names
from .gate.quotations import comparable, quotations
from .instructions import split_instructions
from .language import Language
from .protected import whole_name_pattern
from .references.people import ROLE_NOUNS, find_people
from .support import Terms, content_terms, has_ended, is_negative, share, stem, weight, words_only
from .time_expressions.english.lexicon import MONTHS
from .time_expressions.numerals import SIMPLE_CARDINALS, SIMPLE_ORDINALS, chinese_integer
from .word_lists import compiled_patterns, word_list, word_tables

SUPPORT, SUPPORT_OF_PAIRS = 0.6, 0.4
"""The least share of a text's content words that its sources hold; the same where pairs of Chinese
characters count as well, which often straddle two words."""
_TABLES = word_tables("supported.toml")
_RE = compiled_patterns(_TABLES)
_NUMERALS = "零〇一二两兩三四五六七八九十百千万萬亿億廿卅俩仨"
_HAN = re.compile(r"[㐀-鿿豈-﫿]")
_LATIN = re.compile(r"[^\W\d_㐀-鿿豈-﫿][^\W_㐀-鿿豈-﫿]*")
_FIGURE = re.compile(
    r"(?P<digits>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*)(?P<scale> ?[百千万萬亿億]+|[kKwW](?![a-zA-Z0-9]))?"
    rf"|(?P<chinese>[{_NUMERALS}]+)|(?P<word>[a-zA-Z]+)"
)
_SCALES = {"k": 1000, "w": 10_000}
_NUMBER_WORDS = {**SIMPLE_CARDINALS, **SIMPLE_ORDINALS, **MONTHS, "once": 1, "twice": 2, "dozen": 12}
_FREE: Terms = frozenset(map(stem, (*word_list(_TABLES["words"]["free"]), *_NUMBER_WORDS, *_NUMERALS)))
_UNCERTAIN_WORDS = word_list("may mar second")
_UNCERTAIN_VALUES = frozenset(("0", "1"))
"""What is often no number (一个, "may"): it confirms a number and is never missing."""
_QUOTED = 60

Kind = Literal["number", "title", "name", "words", "polarity"]


@dataclass(frozen=True, slots=True)
class Unsupported:
    """What a text says and its sources do not: the `wording`, and the ids of the sources (`where`)."""

    kind: Kind
    wording: str
    where: str

    def reason(self, language: Language) -> str:
        """Return a sentence for the model: what is missing, and where it was looked for."""
        long = len(self.wording) > _QUOTED
        shown = self.wording[: _QUOTED - 1] + "…" if long else self.wording
        sentence: str = _TABLES["reasons"][language][self.kind]
        return sentence.replace("{where}", self.where).replace("{text}", shown)


def unsupported(text: str, sources: Mapping[str, str], names: Names, *, also: Sequence[str] = ()) -> list[Unsupported]:
    """Return what `text` says and its sources do not; nothing if they carry it.

    `sources` are texts by the ids that a model knows them by ("N1"); `also` are texts that need no
    source, such as the day. Every number, date, title and Latin name has to stand in the sources,
    and most content words; a clause is affirmed or denied as they do. A source, or text, that
    begins with the name of another person than the user of `names` carries, or is carried by, only
    what names that person too. Instructions to a model are no source. Linear in the length.

    >>> ann = Names(user_name="Ann")
    >>> [one.wording for one in unsupported("has 3 cats", {"N1": "Ann has two cats"}, ann)]
    ['3']
    """
    where = ", ".join(sources)
    subject = _other_subject(text, names)
    clauses = [one for source in sources.values() for one in _clauses_of(source, text, names)]
    clauses = [one for one in clauses if subject in one.text]
    given = "\n".join(one.text for one in clauses)
    own = (*also, names.bot_name, *names.user_names, names.group("zh"), names.group("en"))
    told = re.sub("|".join(map(re.escape, filter(None, own))) or "(?!)", " ", text, flags=re.IGNORECASE)
    pattern = whole_name_pattern(names.others)
    others = pattern.findall(told) if pattern else []
    told = without_people(told, names)
    known = figures(without_people(given, names), uncertain=True)
    found = [Unsupported("number", said, where) for n, said in figures(told).items() if n not in known]
    found += [Unsupported("title", said, where) for said in _titles(text, "\n".join((given, *own)))]
    missing = [name for name in others if name not in given]
    found += [Unsupported("name", said, where) for said in (*missing, *_names(told, given))]
    if found:
        return found
    held: Terms = frozenset().union(*(one.terms for one in clauses))
    wanted = _terms(told, names)
    if not _is_held(wanted, held) or not (wanted or others or figures(told)):
        gone = sorted(wanted - held, key=lambda term: (len(term) == 1, term)) or [text]
        return [Unsupported("words", ", ".join(gone[:8]), where)]
    parts = [part for part in _split(told) if not _agrees(part, clauses, names)]
    return [Unsupported("polarity", part.strip(), where) for part in parts]


def share_told(text: str, source: str, names: Names) -> float:
    """Return the share of the content words of `text` that a source has, from 0 to 1; 1 if it has none.

    >>> share_told("likes tea", "Ann drinks no tea", Names(user_name="Ann"))
    1.0
    """
    return share(_terms(text, names), _terms(source, names))


def without_people(text: str, names: Names) -> str:
    """Return a text without the names of its conversation: no digit, negation or other word in them counts (学不进去)."""
    pattern = whole_name_pattern((names.group_name, *names.everybody))
    return pattern.sub(" ", text) if pattern else text


def figures(text: str, *, uncertain: bool = False) -> dict[str, str]:
    """Return the numbers of a text by value with their wording; parts of dates and times are numbers.

    With `uncertain` also words that may be none ("may", the 一 of 一个).

    >>> figures("2026年2月20日, 2.3万"), figures("two cats, 20 March")
    ({'2026': '2026', '2': '2', '20': '20', '23000': '2.3万'}, {'2': 'two', '20': '20', '3': 'March'})
    """
    found: dict[str, str] = {}
    for match in _FIGURE.finditer(unicodedata.normalize("NFKC", text)):
        if uncertain or match.group().casefold() not in _UNCERTAIN_WORDS:
            found.update(dict.fromkeys(_values(match), match.group().strip()))
    return found if uncertain else {n: said for n, said in found.items() if n not in _UNCERTAIN_VALUES}


def _values(match: re.Match[str]) -> Iterable[str]:
    if match["digits"]:
        whole, _, rest = match["digits"].replace(",", "").partition(".")
        if "." in rest or len(whole) > 15:  # a date, a version, an id
            return [part.lstrip("0") or "0" for part in (whole, *rest.split(".")) if part]
        scale = (match["scale"] or "").strip().casefold()
        number = float(f"{whole}.{rest or 0}") * (_SCALES.get(scale) or chinese_integer(scale or "一") or 1)
        return (f"{number:.10g}",)
    if match["chinese"]:
        return (str(chinese_integer(match["chinese"][:40]) or 0),)
    value = _NUMBER_WORDS.get(match["word"].casefold())
    return () if value is None else (str(value),)


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    terms: Terms
    affirms: bool
    denies: bool


def _clauses_of(source: str, text: str, names: Names) -> Iterator[_Clause]:
    """Yield the clauses of a source that may carry the text."""
    people = whole_name_pattern((names.bot_name, *names.others))
    for told in split_instructions(source)[0]:
        other = people.match(_RE.opening.sub("", told)) if people else None
        if other and other.group().casefold() not in text.casefold():
            continue
        either = _RE.either.search(told) is not None
        for part in _split(without_people(told, names)):
            denies = is_negative(part)
            yield _Clause(told, _terms(part, names), either or not denies, either or denies)


def _other_subject(text: str, names: Names) -> str:
    """Return the name of another person with which a text begins; "" if there is none."""
    named = find_people(text, names.everybody)[:1]
    first = named[0].name if named and named[0].start == 0 else ""
    return "" if first in names.user_names or first.lower() in ROLE_NOUNS else first


def _split(text: str) -> list[str]:
    return [part for part in _RE.clause.split(text) if part and part.strip()]


def _terms(text: str, names: Names) -> Terms:
    """Return the content words that need a source; numbers are looked up by themselves."""
    found = content_terms(_RE.free.sub(" ", without_people(text, names)), names, dates=False) - _FREE
    return frozenset(term for term in found if not term[0].isdigit())


def _is_held(wanted: Terms, held: Terms) -> bool:
    words = share(words_only(wanted), held)
    return words >= SUPPORT and share(wanted, held) >= SUPPORT_OF_PAIRS


def _agrees(part: str, clauses: Sequence[_Clause], names: Names) -> bool:
    """Return True if the sources affirm what a clause affirms, and deny what it denies."""
    terms, denies = _terms(part, names), is_negative(part)
    holding = [one for one in clauses if terms & one.terms]
    if not holding or (not denies and (has_ended(part) or _RE.either.search(part))):
        return True
    agreeing = [one for one in holding if (one.denies if denies else one.affirms)]
    shared: Terms = terms & frozenset().union(*(one.terms for one in holding))
    return weight(terms & frozenset().union(*(one.terms for one in agreeing))) * 2 > weight(shared)


def _titles(text: str, given: str) -> Iterator[str]:
    held = comparable(given)
    return (text[one.start : one.end] for one in quotations(text) if one.key not in held)


def _names(text: str, given: str) -> Iterator[str]:
    """Yield the Latin names that are not given: every Latin word in Chinese, words with a capital in
    English. The first word of a sentence is a name if a predicate follows it ("Mallory likes")."""
    held = {stem(word.casefold()) for word in _LATIN.findall(given)}
    is_chinese = _HAN.search(text) is not None
    for word in _LATIN.finditer(text):
        opens = _RE.opens.search(text, max(0, word.start() - 8), word.start()) is not None
        capital = word[0][0].isupper() and (not opens or _RE.predicate.match(text, word.end()))
        is_name = is_chinese or capital or any(letter.isupper() for letter in word[0][1:])
        folded = word[0].casefold()
        if is_name and folded not in _NUMBER_WORDS and stem(folded) not in held:
            yield word[0]
