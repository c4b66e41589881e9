"""Finding deictic words in English text, and excluding words of the same spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..borders import BEGINS, ENDS, LOWER, UPPER
from ..piecewise import matches
from ..word_lists import compiled_patterns, word_list, word_tables
from .types import Gender, Person, Reference

_TABLES = word_tables("references/english.toml")
_RE = compiled_patterns(_TABLES)
_WORDS = {name: word_list(words) for name, words in _TABLES["finding"].items()}
_PRONOUNS: dict[str, tuple[Person, bool, Gender, str]] = {
    word: (person, plural, gender, form)
    for person, plural, gender, form, words in _TABLES["pronouns"]["rows"]
    for word in words.split(", ")
}


_SPELT = "|".join(sorted((word for word in _PRONOUNS if word.isalpha()), key=lambda word: (-len(word), word)))
_DEICTIC = re.compile(
    rf"{BEGINS}(?:(?P<place>{_RE.place.pattern})"
    rf"|(?P<pronoun>let['’]s|y['’]all|you(?=\s+(?:guys|all)\b)(?:\s+(?:guys|all))|{_SPELT})"
    rf"|(?P<stand_in>{_RE.stand_in.pattern})){ENDS}",
    re.IGNORECASE,
)
_ANY_LOWER = re.compile(r"[a-z]")
_SPELT = rf"([{UPPER}{LOWER}][{UPPER}{LOWER}'’]*)"
_PREVIOUS_WORD = re.compile(rf"{_SPELT}[^\S\n]+$")
_PREVIOUS_TWO = re.compile(rf"{_SPELT}[^\S\n]+{_SPELT}[^\S\n]+$")
_NEXT_WORD = re.compile(rf"[^\S\n]+{_SPELT}")
_SENTENCE_END = frozenset(".!?:;…\n\"“”'‘’(（[*。！？：；，—-~>|•")


# Idioms of support, not places: "I am here for you", "she was always there to help".
_SUPPORT = re.compile(r"\s+(?:for\s+(?:you|u|me|him|her|them|us|[A-Z]|each|one)|to\s+(?:help|support|listen|chat|talk))\b")
_CHATTY_INTERJECTION = frozenset({"god", "goodness", "gosh", "word", "lord", "days"})
_LATIN_RUN = re.compile(r"[A-Za-z][A-Za-z0-9'’,;:\- ]*")


def english_references(text: str, *, whole: bool = True) -> Iterator[Reference]:
    """Yield the English deictic words of `text`, left to right, including those in protected spans.

    With `whole=False` (a text in another language), only words in runs of at least three Latin words are found.
    """
    shouted = not _ANY_LOWER.search(text)
    runs = None if whole else _sentences_of_latin(text)
    for match in matches(_DEICTIC, text):
        start, end = match.span()
        if runs is not None and not any(low <= start < high for low, high in runs):
            continue
        word = match.group()
        if match.lastgroup == "pronoun":
            reference = _pronoun(text, word, start, end, shouted)
            if reference is not None:
                yield reference
        elif match.lastgroup == "place":
            if _is_place(text, word, start, end, shouted):
                last = word.lower().split()[-1]
                form = last if last in ("here", "there") else ("group" if last in _WORDS["groups"] else "this_place")
                yield Reference("place", word, start, end, form=form)
        elif not _hyphenated(text, start, end):
            yield Reference("reference", word, start, end, "third", form="user" if word.lower().endswith("user") else "stand_in")


def _pronoun(text: str, word: str, start: int, end: int, shouted: bool) -> Reference | None:
    """Return the pronoun at `start`, or None if the letters are not a pronoun (I/O, US, im.de)."""
    if start and text[start - 1] in "'’@#/_&" and not (text[start - 1] == "/" and word.lower() != "i"):
        return None
    if _hyphenated(text, start, end):
        return None
    after = text[end : end + 1]
    lower = " ".join(word.lower().split())
    known = _PRONOUNS.get(lower)
    if known is None:  # Unicode case folding: İ matches i but is not "I"
        return None
    person, plural, gender, form = known
    if len(word) > 1 and word.isupper() and not shouted:
        return None
    if after == "/" or (start and text[start - 1] == "/"):
        if lower == "i" or _RE.pronoun_pair.match(text, _pair_start(text, start)):
            return None
        if after == "/" and lower == "u":
            return None
    if lower == "i":
        if not _is_first_person(text, word, start, end):
            return None
    elif word[0].isupper() and not shouted and not _starts_sentence(text, start):
        return None
    if lower in ("u", "ur", "im", "ive", "hes", "shes") and (
        word[0].isupper() or (after == "." and text[end + 1 : end + 2].isalpha())
    ):
        return None
    if lower == "ur" and next_word(text, end) in ("a", "an", "the", "so", "not", "right", "welcome", "too", "very", "really"):
        form = "chat"
    if lower == "mine" and not _is_possessive_mine(text, word, start, end):
        return None
    if lower == "let's" and next_word(text, end) in ("encrypt", "play"):
        return None
    if lower == "you" and _is_thanks(text, start, end):
        return None
    if lower == "my" and (
        next_word(text, end) in _CHATTY_INTERJECTION or (previous_word(text, start) == "oh" and after in "!,. ")
    ):
        return None
    if lower == "us" and previous_word(text, start) == "of" and "The Last of Us".startswith(text[max(0, start - 12) : start]):
        return None
    if lower in ("he", "she") and word[0].isupper() and _is_surname(text, end):
        return None
    return Reference("pronoun", word, start, end, person, plural, gender, form)


def _pair_start(text: str, start: int) -> int:
    """Return the start of the slash-joined words around `start`, as in she/her (at most 24 characters back)."""
    position = start
    while position and start - position < 24 and (text[position - 1].isalpha() or text[position - 1] == "/"):
        position -= 1
    return position


def _hyphenated(text: str, start: int, end: int) -> bool:
    """Return True for a part of a compound: I-95, me-time, do-it-yourself."""
    if text[end : end + 1] == "-" and text[end + 1 : end + 2].isalnum():
        return True
    return start > 1 and text[start - 1] == "-" and text[start - 2].isalnum()


def _is_first_person(text: str, word: str, start: int, end: int) -> bool:
    """Return True if "I" is a person, not a numeral, an initial, a loop variable or I/O."""
    after = text[end : end + 1]
    if after in ("'", "’"):
        return True
    if after == "." and (text[end + 1 : end + 2].isalnum() or not text[:start].strip() or text[start - 1] == "\n"):
        return False
    if after in "/&=+*_#)]}" and after and not (after == ")" and text.rfind("(", 0, start) >= 0 and text[start - 1] != "("):
        return False
    if start and text[start - 1] in "./_[{=":
        return False
    previous = previous_word(text, start)
    following = next_word(text, end)
    if word == "i":
        return not (following == "in" or text[end : end + 2] in (" =", " <", " >", " +"))
    if previous in _WORDS["roman_always"]:
        return following in _WORDS["auxiliary"] and previous not in ("war", "calculus", "algebra")
    if previous in _WORDS["roman_maybe"]:
        if following in _WORDS["auxiliary"]:
            return True
        raw = _PREVIOUS_WORD.search(text[max(0, start - 40) : start])
        if raw is not None and raw.group(1)[0].isupper() and raw.group(1).lower() != "part":
            return False
        return bool(following) and following not in _WORDS["after_roman"]
    raw = _PREVIOUS_WORD.search(text[max(0, start - 40) : start])
    if raw is not None and raw.group(1)[0].isupper() and (following in ("and", "or", "on", "in", "") and after != ","):
        return False  # Rocky I and Rocky II, Pope John Paul I
    two = _PREVIOUS_TWO.search(text[max(0, start - 60) : start])
    return not (two is not None and two.group(1).lower() in _WORDS["regnal"] and two.group(2)[0].isupper())


def _is_possessive_mine(text: str, word: str, start: int, end: int) -> bool:
    previous = previous_word(text, start)
    if previous in _WORDS["mine_before"]:
        return True
    if previous in ("though", "although", "but", "while", "because", "and", "so") or (
        word == "Mine" and _starts_sentence(text, start)
    ):
        return next_word(text, end) in ("is", "was", "are", "were", "has", "had", "just")
    return False


def _is_thanks(text: str, start: int, end: int) -> bool:
    """Return True for set phrases: "a thank you note", "said thank you"."""
    if previous_word(text, start) != "thank":
        return False
    if next_word(text, end) in ("note", "notes", "card", "cards", "letter", "letters", "gift", "message", "email", "speech"):
        return True
    two = _PREVIOUS_TWO.search(text[max(0, start - 60) : start])
    return two is not None and two.group(1).lower() in ("a", "say", "said", "saying", "says", "big", "simple")


def _is_surname(text: str, end: int) -> bool:
    """Return True if "He" or "She" is a surname before a capitalised name: He Jiong, She Lianghai."""
    match = re.compile(r" ([A-Z][a-z]+)(?: [A-Z])?").match(text, end)
    return match is not None and match.group(1) not in ("I", "Also", "Said", "Then", "Is", "Was")


def _is_place(text: str, word: str, start: int, end: int, shouted: bool) -> bool:
    """Return True if here, there or "this group" is a place known only to participants."""
    if _hyphenated(text, start, end) or (start and text[start - 1] in "'’@#/_"):
        return False
    lower = " ".join(word.lower().split())
    following = next_word(text, end)
    previous = previous_word(text, start)
    if lower == "there" and _RE.says_where.match(text, end):
        return False
    if lower in ("here", "there") and previous in _WORDS["being"] and _SUPPORT.match(text, end):
        return False
    if lower not in ("here", "there", "over here", "over there"):
        if lower.startswith("that ") and previous in ("said", "says", "think", "know", "say", "mentioned"):
            return False
        return following not in ("of", "size") and not (
            lower.startswith("that") and lower.endswith(("group", "place", "country"))
        )
    if (word[0].isupper() and not shouted and not _starts_sentence(text, start)) or (word.isupper() and not shouted):
        return False
    if lower == "here":
        if _RE.after_here.match(text, end):
            return False
        if following in ("is", "are", "comes", "goes", "was", "were") and _opens_clause(text, start, previous):
            return False
        return not (word[0].isupper() and re.match(r" [A-Z][a-z]", text[end : end + 3]))
    if lower == "there":
        if _RE.before_there.search(text, max(0, start - 40), start) or _RE.after_there.match(text, end):
            return False
        if following in _WORDS["existential_after"] and (
            previous in _WORDS["existential_before"] or _opens_clause(text, start, previous)
        ):
            return False
        if previous in _WORDS["be"] and following in _WORDS["inverted_after"]:
            return False
    return not (lower.endswith("there") and _RE.place_before_there.search(text[max(0, start - 160) : start]))


def _opens_clause(text: str, start: int, previous: str) -> bool:
    """Return True if nothing or only a conjunction precedes in the clause."""
    head = text[:start].rstrip() if start < 200 else text[start - 200 : start].rstrip()
    return not head or not (head[-1].isalnum() or head[-1] in "'’)") or previous in _WORDS["existential_before"]


def _starts_sentence(text: str, start: int) -> bool:
    """Return True if a sentence begins at `start`, so that a capital there is not significant."""
    position = start
    while position and text[position - 1] in " \t\u3000":
        position -= 1
    if not position:
        return True
    before = text[position - 1]
    return before in _SENTENCE_END or not (before.isalnum() or before in ",)]}%&")


def previous_word(text: str, start: int) -> str:
    """Return the word before `start` in lower case; "" if no word separated by spaces precedes."""
    match = _PREVIOUS_WORD.search(text[max(0, start - 40) : start])
    return match.group(1).lower().replace("’", "'") if match else ""


def next_word(text: str, end: int) -> str:
    """Return the word after `end` in lower case; "" if no word separated by spaces follows."""
    match = _NEXT_WORD.match(text, end)
    return match.group(1).lower().replace("’", "'") if match else ""


def _sentences_of_latin(text: str) -> list[tuple[int, int]]:
    """Return the spans of runs of at least three Latin words."""
    return [match.span() for match in _LATIN_RUN.finditer(text) if len(match.group().split()) >= 3]


def plural_noun_before(text: str, start: int) -> bool:
    """Return True if a plural noun that "they" can refer to precedes `start` (at most 160 characters back)."""
    return bool(_RE.plural_before.search(text[max(0, start - 160) : start]))


def is_object_her(text: str, start: int, end: int) -> bool:
    """Return True if "her" is an object ("told her that") and not a possessive ("her dog")."""
    if _RE.gives.search(text[max(0, start - 14) : start]) and _RE.given.match(text, end):
        return True
    match = re.match(r"\s+([A-Za-z']+|\d{4}-\d\d)", text[end : end + 30])
    if match is None:
        return True
    following = match.group(1).lower()
    if following[0].isdigit() or following in _WORDS["after_object"]:
        return True
    if following.endswith("ing") and re.search(
        r"\b(?:see|saw|watch|watched|hear|heard|kept?|keep|caught|found)\s+$", text[max(0, start - 12) : start]
    ):
        return True
    return bool(
        re.search(r"\b(?:help|helps|helped|let|lets|make|makes|made|helping|making)\s+$", text[max(0, start - 12) : start])
        and following in _WORDS["bare_infinitives"]
    )
