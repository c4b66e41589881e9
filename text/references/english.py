"""Finding deictic words in English text, and excluding words of the same spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..borders import BEGINS, ENDS, LOWER, UPPER
from ..piecewise import matches
from ..protected import overlaps
from ..word_lists import compiled_patterns, word_list, word_tables
from .agreement import is_common_verb, is_finite_verb
from .types import Gender, Person, Reference

_TABLES = word_tables("references/english.toml")
_RE = compiled_patterns({**_TABLES, "words": _TABLES["finding"]})
WORDS = {name: word_list(words) for name, words in _TABLES["finding"].items()}
_PRONOUNS: dict[str, tuple[Person, bool, Gender, str]] = {
    word.replace("_", " "): (
        person,  # type: ignore[misc]
        "plural" in rest,
        next((gender for gender in ("male", "female") if gender in rest), ""),
        rest[-1],
    )
    for person, *rest, words in map(str.split, _TABLES["pronouns"]["rows"].split(";"))
    for word in words.split("|")
}
_SPELT = "|".join(
    sorted((word for word in _PRONOUNS if word.isalpha()), key=lambda word: (-len(word), word))
)
_DEICTIC = re.compile(
    rf"{BEGINS}(?:(?P<place>{_RE.place.pattern})"
    rf"|(?P<pronoun>let['’]s|y['’]all|you(?=\s+(?:guys|all)\b)(?:\s+(?:guys|all))|{_SPELT})"
    rf"|(?P<stand_in>{_RE.stand_in.pattern})|(?P<loose>user)){ENDS}",
    re.IGNORECASE,
)
_ANY_LOWER = re.compile(r"[a-z]")
_SPELT_WORD = rf"([{UPPER}{LOWER}][{UPPER}{LOWER}'’]*)"
_PREVIOUS_WORD = re.compile(rf"{_SPELT_WORD}[^\S\n]+$")
_NEXT_WORD = re.compile(rf"[^\S\n]+{_SPELT_WORD}")
_SENTENCE_END = frozenset(".!?:;…\n\"“”'‘’(（[*。！？：；，—-~>|•")
_LATIN_RUN = re.compile(r"[A-Za-z][A-Za-z0-9'’,;:\- ]*")


def english_references(text: str, *, whole: bool = True) -> Iterator[Reference]:
    """Yield the English deictic words of `text`, left to right, also those in protected spans.

    With `whole=False` (a text in another language), words are found only in runs of at least three
    Latin words.
    """
    found = list(_words(text, whole))
    phrases = [match.span() for match in matches(_RE.phrase, text)] if found else []
    yield from (one for one in found if not overlaps(phrases, one.start, one.end))


def _words(text: str, whole: bool) -> Iterator[Reference]:
    """Yield candidates for deictic words, left to right; some are parts of longer phrases."""
    shouted = not _ANY_LOWER.search(text)
    runs = (
        None
        if whole
        else [one.span() for one in _LATIN_RUN.finditer(text) if len(one.group().split()) >= 3]
    )
    for match in matches(_DEICTIC, text):
        start, end = match.span()
        word, kind = match.group(), match.lastgroup
        outside = (
            runs is not None
            and kind != "loose"
            and not any(low <= start < high for low, high in runs)
        )
        if outside or _is_part(text, start, end, word):
            continue
        lower = " ".join(word.lower().split())
        if kind == "stand_in":
            yield Reference(
                "reference",
                word,
                start,
                end,
                "third",
                form="user" if lower.endswith("user") else "stand_in",
            )
        elif kind == "loose":
            if _is_one_user(text, start, end):
                yield Reference("reference", word, start, end, "third", form="loose_user")
        elif (
            word != "I"
            and not shouted
            and (word.isupper() or (word[0].isupper() and not _starts_sentence(text, start)))
        ):
            continue
        elif kind == "place":
            if _is_place(text, lower, start, end):
                last = lower.split()[-1]
                form = (
                    last
                    if last in ("here", "there")
                    else "group"
                    if last in WORDS["groups"]
                    else "this_place"
                )
                yield Reference("place", word, start, end, form=form)
        elif lower in _PRONOUNS and _is_pronoun(text, word, start, end):  # İ is not "I"
            yield Reference("pronoun", word, start, end, *_PRONOUNS[lower])


def _is_part(text: str, start: int, end: int, word: str) -> bool:
    """Return True for a part of a compound, address or abbreviation: I-95, do-it-yourself, @me."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if (after[:1] == "-" and after[1:].isalnum()) or (before[-1:] == "-" and before[:-1].isalnum()):
        return True
    slashed = (before[-1:] == "/" or after[:1] == "/") and word.lower() in ("i", "u")
    return slashed or (before != "" and before[-1] in "'’@#_&")


def _is_pronoun(text: str, word: str, start: int, end: int) -> bool:
    """Return True if a word is a pronoun, and not a variable, an initial, U.S., im.de or a mine."""
    lower, before, after = (
        word.lower(),
        text[start - 1 : start] if start else "",
        text[end : end + 1],
    )
    dotted = after == "." and text[end + 1 : end + 2].isalnum()
    if lower == "i" and after not in ("'", "’"):
        is_initial = after == "." and (not text[:start].strip() or before == "\n")
        if (
            dotted
            or is_initial
            or (after and after in "/&=+*_#]}")
            or (before and before in "./_[{=")
        ):
            return False
        return word == "I" or not (
            next_word(text, end) == "in" or text[end : end + 2] in (" =", " <", " >", " +")
        )
    if lower in ("u", "ur", "im", "ive", "hes", "shes"):
        return not (word[0].isupper() or dotted)
    return lower != "mine" or _RE.mine.search(text[max(0, start - 12) : end + 8]) is not None


def _is_one_user(text: str, start: int, end: int) -> bool:
    """Return True if a "user" without article means the user, as models write.

    Examples: "User quit smoking", "helped user with taxes".
    """
    if not _RE.before_user.search(text[max(0, start - 14) : start]) or not _RE.after_user.match(
        text, end
    ):
        return False
    following = next_word(text, end)
    return (
        not following
        or following in WORDS["behind_user"]
        or is_finite_verb(following)
        or not following.islower()
    )


def _is_place(text: str, lower: str, start: int, end: int) -> bool:
    """Return True if here, there or "this group" is a place that only participants know."""
    if not lower.endswith(("here", "there")):
        said = lower.startswith("that ") and (
            previous_word(text, start) in WORDS["saying"] or lower.endswith(("p", "e", "y"))
        )
        return not said and next_word(text, end) not in ("of", "size")
    return (
        lower.endswith(" here")
        or lower == "here"
        or not _RE.place_before_there.search(text[max(0, start - 160) : start])
    )


def _starts_sentence(text: str, start: int) -> bool:
    """Return True if a sentence begins at `start`, where a capital letter has no meaning."""
    before = text[max(0, start - 200) : start].rstrip(" \t\u3000")[-1:]
    return not before or before in _SENTENCE_END or not (before.isalnum() or before in ",)]}%&")


def previous_word(text: str, start: int) -> str:
    """Return the word before `start` in lower case, or "" if there is none before a space."""
    match = _PREVIOUS_WORD.search(text[max(0, start - 40) : start])
    return match.group(1).lower().replace("’", "'") if match else ""


def next_word(text: str, end: int) -> str:
    """Return the word after `end` in lower case, or "" if there is none after a space."""
    match = _NEXT_WORD.match(text, end)
    return match.group(1).lower().replace("’", "'") if match else ""


def plural_noun_before(head: str) -> bool:
    """Return True if a text has a plural noun to which a later "they" can refer."""
    return _RE.plural_before.search(head) is not None


def is_object_her(text: str, start: int, end: int) -> bool:
    """Return True if "her" is an object ("told her that") and not a possessive ("her dog")."""
    before = text[max(0, start - 14) : start]
    if _RE.gives.search(before) and _RE.given.match(text, end):
        return True
    match = _RE.word_behind.match(text[end : end + 30])
    if match is None:
        return True
    following = match.group(1).lower()
    if following[0].isdigit() or following in WORDS["after_object"]:
        return True
    return is_common_verb(following) and _RE.helps.search(before) is not None
