"""Finding deictic words in English text, and excluding words of the same spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..borders import BEGINS, ENDS, LOWER, UPPER
from ..piecewise import matches
from ..word_lists import compiled_patterns, word_list, word_tables
from .agreement import is_finite_verb
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
    rf"|(?P<stand_in>{_RE.stand_in.pattern})|(?P<loose>user)){ENDS}",
    re.IGNORECASE,
)
_ANY_LOWER = re.compile(r"[a-z]")
_SPELT_WORD = rf"([{UPPER}{LOWER}][{UPPER}{LOWER}'’]*)"
_PREVIOUS_WORD = re.compile(rf"{_SPELT_WORD}[^\S\n]+$")
_PREVIOUS_TWO = re.compile(rf"{_SPELT_WORD}[^\S\n]+{_SPELT_WORD}[^\S\n]+$")
_NEXT_WORD = re.compile(rf"[^\S\n]+{_SPELT_WORD}")
_SENTENCE_END = frozenset(".!?:;…\n\"“”'‘’(（[*。！？：；，—-~>|•")
_LATIN_RUN = re.compile(r"[A-Za-z][A-Za-z0-9'’,;:\- ]*")


def english_references(text: str, *, whole: bool = True) -> Iterator[Reference]:
    """Yield the English deictic words of `text`, left to right, including those in protected spans.

    With `whole=False` (a text in another language), only words in runs of at least three Latin words are found.
    """
    shouted = not _ANY_LOWER.search(text)
    runs = None if whole else [one.span() for one in _LATIN_RUN.finditer(text) if len(one.group().split()) >= 3]
    for match in matches(_DEICTIC, text):
        start, end = match.span()
        word, kind = match.group(), match.lastgroup
        outside = runs is not None and kind != "loose" and not any(low <= start < high for low, high in runs)
        if outside or _hyphenated(text, start, end):
            continue
        if kind == "pronoun":
            if (reference := _pronoun(text, word, start, end, shouted)) is not None:
                yield reference
        elif kind == "place":
            if _is_place(text, word, start, end, shouted):
                last = word.lower().split()[-1]
                form = last if last in ("here", "there") else "group" if last in _WORDS["groups"] else "this_place"
                yield Reference("place", word, start, end, form=form)
        elif kind == "stand_in":
            yield Reference("reference", word, start, end, "third", form="user" if word.lower().endswith("user") else "stand_in")
        elif _is_one_user(text, start, end):
            yield Reference("reference", word, start, end, "third", form="loose_user")


def _pronoun(text: str, word: str, start: int, end: int, shouted: bool) -> Reference | None:
    """Return the pronoun at `start`, or None if the letters are not a pronoun (I/O, US, im.de)."""
    lower = " ".join(word.lower().split())
    known = _PRONOUNS.get(lower)
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if known is None or (before and before in "'’@#/_&" and not (before == "/" and lower != "i")):
        return None  # Unicode case folding: İ matches i but is not "I"
    person, plural, gender, form = known
    if len(word) > 1 and word.isupper() and not shouted:
        return None
    if (after == "/" or before == "/") and (lower in ("i", "u") or _RE.pronoun_pair.search(text[max(0, start - 8) : end + 8])):
        return None
    if lower == "i":
        if not _is_first_person(text, word, start, end):
            return None
    elif word[0].isupper() and not shouted and not _starts_sentence(text, start):
        return None
    is_short = form == "chat" or lower in ("u", "ur")  # U.S., im.de
    if is_short and (word[0].isupper() or (after == "." and text[end + 1 : end + 2].isalpha())):
        return None
    following, previous = next_word(text, end), previous_word(text, start)
    if lower == "ur" and following in _WORDS["after_ur"]:
        form = "chat"
    if _is_set_phrase(text, lower, start, previous, following):
        return None
    if lower in ("he", "she") and word[0].isupper() and _RE.surname.match(text, end):
        return None
    return Reference("pronoun", word, start, end, person, plural, gender, form)


def _is_set_phrase(text: str, lower: str, start: int, previous: str, following: str) -> bool:
    """Return True if a word that may be a pronoun belongs to a phrase: "the gold mine", "thank you note", "oh my"."""
    if lower == "mine":
        opens = previous in _WORDS["joins"] or (text[start] == "M" and _starts_sentence(text, start))
        return previous not in _WORDS["before_mine"] and not (opens and following in _WORDS["after_mine"])
    if lower == "you" and previous == "thank":
        two = _PREVIOUS_TWO.search(text[max(0, start - 60) : start])
        return following in _WORDS["after_thank_you"] or (two is not None and two.group(1).lower() in _WORDS["before_thank_you"])
    if lower == "my":
        return following in _WORDS["after_oh_my"] or previous == "oh"
    return (lower == "let's" and following == "encrypt") or (
        lower == "us" and "The Last of Us".startswith(text[max(0, start - 12) : start]) and previous == "of"
    )


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
    if (after and after in "/&=+*_#]}") or (start and text[start - 1] in "./_[{="):
        return False
    previous, following = previous_word(text, start), next_word(text, end)
    if word == "i":
        return not (following == "in" or text[end : end + 2] in (" =", " <", " >", " +"))
    if following in _WORDS["auxiliary"]:
        return True
    if previous in _WORDS["numbered"]:
        return bool(following) and following not in _WORDS["after_numeral"] and previous == "part"
    raw = _PREVIOUS_WORD.search(text[max(0, start - 40) : start])
    is_numeral = raw is not None and raw.group(1)[0].isupper() and following in ("and", "or", "on", "in", "") and after != ","
    two = _PREVIOUS_TWO.search(text[max(0, start - 60) : start])
    return not is_numeral and not (two is not None and two.group(1).lower() in _WORDS["regnal"] and two.group(2)[0].isupper())


def _is_one_user(text: str, start: int, end: int) -> bool:
    """Return True if a bare "user" is one user, as models write it: "User quit smoking", "helped user with taxes"."""
    if not _RE.before_user.search(text[max(0, start - 14) : start]) or not _RE.after_user.match(text, end):
        return False
    following = next_word(text, end)
    return not following or following in _WORDS["behind_user"] or is_finite_verb(following) or not following.islower()


def _is_place(text: str, word: str, start: int, end: int, shouted: bool) -> bool:
    """Return True if here, there or "this group" is a place known only to participants."""
    lower = " ".join(word.lower().split())
    following, previous = next_word(text, end), previous_word(text, start)
    if start and text[start - 1] in "'’@#/_":
        return False
    if lower not in ("here", "there", "over here", "over there"):
        if lower.startswith("that ") and (previous in _WORDS["saying"] or lower.endswith(("group", "place", "country"))):
            return False
        return following not in ("of", "size")
    if previous in _WORDS["being"] and _RE.support.match(text, end):
        return False  # "I am here for you"
    if (word[0].isupper() and not shouted and not _starts_sentence(text, start)) or (word.isupper() and not shouted):
        return False
    opens = _opens_clause(text, start, previous)
    if lower == "here":
        if _RE.after_here.match(text, end) or (following in ("is", "are", "comes", "goes", "was", "were") and opens):
            return False
        return not (word[0].isupper() and re.match(r" [A-Z][a-z]", text[end : end + 3]))
    if lower == "there":
        if _RE.says_where.match(text, end) or _RE.before_there.search(text[max(0, start - 40) : start]):
            return False
        if _RE.after_there.match(text, end) or (following in _WORDS["existential_after"] and opens):
            return False
        if previous in _WORDS["be"] and following in _WORDS["inverted_after"]:
            return False
    return not (lower.endswith("there") and _RE.place_before_there.search(text[max(0, start - 160) : start]))


def _opens_clause(text: str, start: int, previous: str) -> bool:
    """Return True if nothing or only a conjunction precedes in the clause."""
    head = text[max(0, start - 200) : start].rstrip()
    return not head or not (head[-1].isalnum() or head[-1] in "'’)") or previous in _WORDS["existential_before"]


def _starts_sentence(text: str, start: int) -> bool:
    """Return True if a sentence begins at `start`, so that a capital there is not significant."""
    before = text[:start].rstrip(" \t\u3000")[-1:] if start < 200 else text[start - 200 : start].rstrip(" \t\u3000")[-1:]
    return not before or before in _SENTENCE_END or not (before.isalnum() or before in ",)]}%&")


def previous_word(text: str, start: int) -> str:
    """Return the word before `start` in lower case; "" if no word separated by spaces precedes."""
    match = _PREVIOUS_WORD.search(text[max(0, start - 40) : start])
    return match.group(1).lower().replace("’", "'") if match else ""


def next_word(text: str, end: int) -> str:
    """Return the word after `end` in lower case; "" if no word separated by spaces follows."""
    match = _NEXT_WORD.match(text, end)
    return match.group(1).lower().replace("’", "'") if match else ""


def plural_noun_before(head: str) -> bool:
    """Return True if a text holds a plural noun that a later "they" can refer to."""
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
    if following[0].isdigit() or following in _WORDS["after_object"]:
        return True
    if following.endswith("ing"):
        return _RE.watches.search(before) is not None
    return following in _WORDS["bare_infinitives"] and _RE.helps.search(before) is not None
