"""Checks of a model's text: which parts have no support in its sources, and what it lost."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from ...schema.names import Names
from ..borders import places_of
from ..content_words import Terms, share, stem, without_people, words_only
from ..quotations import comparable, quotations
from ..references.people import ROLE_NOUNS, find_people
from ..remembered import remembered
from ..statements import split_instructions
from ..word_lists import compiled_patterns, word_list, word_tables
from .clauses import bare_clauses, clauses_of, contradicting, sourced_terms
from .figures import NUMBER_WORDS, SCALES, figures, known_values
from .findings import Finding, Kind, SourceTexts
from .roles import reversed_roles

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
_HAN = re.compile(r"[㐀-鿿豈-﫿]")
_LATIN = re.compile(r"[^\W\d_㐀-鿿豈-﫿][^\W_㐀-鿿豈-﫿]*")
_NO_NAMES = frozenset(map(stem, word_list(_TABLES["words"]["no_names"])))
ROOT = 6
"""Latin names of more letters count as the same if these first letters agree: Austrian, Austria."""


def unsupported(text: str, sources: SourceTexts, names: Names) -> list[Finding]:
    """Return the parts of `text` that its sources do not support.

    Every number, date, title and Latin name must be in one of them, in `also` or `beside`, and most
    content words in the sources. Negations, and who did something to whom, must agree with the
    sources. For a date in a year before, of or after a day of `also`, only the day is looked up;
    for such a month only the month. A source that begins with the name of another person than the
    user of `names` supports only texts that name this person too. A text that begins with such a
    name is supported only by sources with this name. If the sources are talk, a text about a person
    needs only one source that this person said or that names this person. Instructions to a model
    are no source. The time is linear in the length of the texts.

    >>> ann = Names(user_name="Ann")
    >>> given = SourceTexts({"N1": "Ann has two cats"})
    >>> [one.text for one in unsupported("has 3 cats", given, ann)]
    ['3']
    """
    where, subject = sources.ids, _other_subject(text, names)
    also, beside, speakers = sources.also, sources.beside, sources.speakers
    told = [one for source in sources.texts.values() for one in _statements(source, text, names)]
    told_by = (*(speakers or {}).values(), sources.listener)
    if not any(subject in one for one in (*also, *told_by, beside, *told)):
        return [Finding("name", subject, where=where)]
    told = told if speakers is not None else [one for one in told if subject in one]
    given = "\n".join((*told, *told_by))
    own = (*also, names.bot_name, *names.user_names, names.group("zh"), names.group("en"))
    any_own = "|".join(map(re.escape, filter(None, own))) or "(?!)"
    bare = re.sub(any_own, " ", text, flags=re.IGNORECASE)
    others = _others_in(bare, names)
    bare = without_people(bare, names)
    years = {str(int(day[:4]) + step) for day in also if _RE.date.match(day) for step in (-1, 0, 1)}
    known = known_values(without_people(given, names)) | known_values(beside) | years
    numbers = figures(_near_dates(bare, years))
    wrong: list[tuple[Kind, str]] = []
    wrong += [("number", said) for n, said in numbers.items() if n not in known]
    wrong += [("title", said) for said in _titles(text, "\n".join((given, beside, *own)))]
    people = (one.name for one in find_people(bare) if _HAN.match(one.name))
    named = (*others, *(name for name in people if name not in ROLE_NOUNS))
    wrong += [("name", one) for one in named if one not in given and one not in beside]
    wrong += [("name", said) for said in _names(bare, f"{given}\n{beside}")]
    found = [Finding(kind, said, where=where) for kind, said in wrong]
    found += islice(reversed_roles(text, sources, names), 1)
    if found:
        return found
    clauses, wanted = clauses_of(told, names), _wanted(bare, names)
    held: Terms = frozenset().union(*(one.affirmed | one.denied for one in clauses))
    is_held = _is_held(wanted, held, SUPPORT if speakers is None else SUPPORT_OF_TALK)
    if not is_held or not (wanted or others or figures(bare)):
        return [Finding("words", _listed(wanted - held) or text, where=where)]
    held |= _terms_beside(beside, names)
    strange = [part.strip() for part in bare_clauses(text, names) if _is_strange(part, names, held)]
    turned = () if strange else contradicting(text, clauses, names, is_talk=speakers is not None)
    kind: Kind = "words" if strange else "polarity"
    return [Finding(kind, part, where=where) for part in (*strange, *turned)]


def lost(text: str, source: str, names: Names, where: str = "") -> list[Finding]:
    """Return the parts of its source that a rewrite `text` lost.

    These are numbers, dates, titles, Latin names, people of the conversation, negations, and
    content words if the text has less than the share KEPT of them.

    >>> [one.text for one in lost("Ann has a cat", "Ann has 3 cats", Names(user_name="Ann"))]
    ['3']
    """
    bare, plain = without_people(source, names), without_people(text, names)
    known = known_values(plain)
    gone = [said for n, said in figures(bare).items() if n not in known]
    gone += _titles(source, text)
    gone += [said for said in _names(bare, plain) if any(map(str.isupper, said))]
    gone += [name for name in _others_in(source, names) if name not in text]
    users = [name for name in names.user_names if name]
    if any(one in source for one in users) and not any(one in text for one in users):
        gone.append(users[0])
    clauses = clauses_of(_statements(text, text, names), names)
    gone = gone or list(contradicting(source, clauses, names))
    wanted, held = _wanted(bare, names), sourced_terms(plain, names)
    if not gone and share(words_only(wanted), held) < KEPT:
        gone = [_listed(wanted - held)]
    return [Finding("lost", said, where=where) for said in dict.fromkeys(gone)]


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


def _others_in(text: str, names: Names) -> list[str]:
    return [text[start:end] for start, end in places_of(text, names.others)]


def _other_subject(text: str, names: Names) -> str:
    """Return the name of a person other than the user with which a text begins, or ""."""
    named = find_people(text, names.everybody)[:1]
    first = named[0].name if named and named[0].start == 0 else ""
    return "" if first in names.user_names or first.lower() in ROLE_NOUNS else first


def _is_strange(part: str, names: Names, held: Terms) -> bool:
    """Return True if a clause has content words and none of them is in `held`.

    In a clause with a number, a single word is not enough.
    """
    terms = sourced_terms(part, names)
    return len(words_only(terms)) > bool(figures(part)) and not terms & held


def _near_dates(text: str, years: Collection[str]) -> str:
    """Return a text in which each date of these `years` is reduced to its day, or to its month."""
    return _RE.date.sub(
        lambda date: f" {date['day'] or date['month']} " if date["year"] in years else date[0], text
    )


def _wanted(text: str, names: Names) -> Terms:
    """Return `_terms` without counted units and words for hours."""
    return sourced_terms(_RE.counted.sub(" ", _RE.hour.sub(" ", text)), names)


def _listed(terms: Terms) -> str:
    """Return at most eight of the words, for a reason; single characters come last."""
    return ", ".join(sorted(terms, key=lambda term: (len(term) == 1, term))[:8])


@remembered(32)
def _terms_beside(beside: str, names: Names) -> Terms:
    """Return the content words of `beside`, cached because each text of an answer needs them."""
    return sourced_terms(beside, names)


def _is_held(wanted: Terms, held: Terms, least: float) -> bool:
    words = share(words_only(wanted), held)
    return words >= least and share(wanted, held) >= min(least, SUPPORT_OF_PAIRS)


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
        free = folded in NUMBER_WORDS or folded in SCALES or stem(folded) in _NO_NAMES
        root = folded[:ROOT] if len(folded) > ROOT else " "
        is_given = stem(folded) in held or any(one.startswith(root) for one in held)
        if is_name and not free and not is_given:
            yield word[0]
