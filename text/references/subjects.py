"""Subjects and owners that a text leaves out: "Likes tea", 喜欢吃辣, "Recommended Dune to Ann", 老公又出差了.

The missing subject of a new fact is the user, that of an action summary the bot. The name is added only if a text clearly
begins with a predicate; other texts stay unchanged.
"""

from __future__ import annotations

import re
from typing import Literal

from ..borders import begins_with, names_one
from ..sentence import Sentence
from ..word_lists import alternatives, compiled_patterns, word_list, word_tables
from .agreement import is_common_verb, is_finite_verb, is_past_verb, third_person
from .english_rewriting import capital
from .people import KIN, ROLE_NOUNS
from .types import Item, Reference

_TABLES = word_tables("references/subjects.toml")
_LISTS = alternatives(_TABLES["words"])
_LISTS |= {f"kin_{name}": "|".join(sorted(words, key=len, reverse=True)) for name, words in KIN.items()}
_RE = compiled_patterns({**_TABLES, "words": {}, "pieces": {**_LISTS, **_TABLES["pieces"]}})
_VERBS, _ACTS = word_list(_TABLES["words"]["verbs"]), word_list(_TABLES["words"]["acts"])
_BEGINNING = 2_000
"""Characters of a text that are looked at to tell whose it is. What is longer is a document."""
_LONGEST_NOTE = 120
_PARTICIPLE = re.compile(r"[A-Za-z]+ing\b")
_SHOUTED = re.compile(r"[A-Z]{2}")
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?", re.IGNORECASE)
_HEAD = re.compile(r"(?<=[，,。！？；\n])")


def with_subject(sentence: Sentence, item: Item, subject: str = "", said: Sentence | None = None) -> Sentence:
    """Return a sentence with the name of its subject in front if it begins with a predicate; otherwise the sentence itself.

    `subject` is by default the bot of an action, the user of a fact; `said` is the text before its times and references were
    resolved. The function is idempotent.
    """
    text, names = sentence.text, sentence.names
    name = subject or (names.bot(sentence.language) if item == "action" else names.user(sentence.language))
    lacks = _is_deed(sentence) if item == "action" else lacks_subject(said or sentence) == "state"
    if not lacks or _begins_with_a_name(sentence) or (_PARTICIPLE.match(text) and names_one(text, (name,))):
        return sentence  # "Starting in May Ann will teach" has its subject
    return sentence.beside(_told_of(name, text, is_chinese=sentence.language == "zh", is_deed=item == "action"))


def lacks_subject(sentence: Sentence) -> Literal["state", "other", ""]:
    """Return "state" for a text that begins with what a person is, has or does, and leaves out who.

    "other" is one whose subject may be somebody or something else: an act of help or speech (讲解了…, "Outlined …"), what was
    done to the speaker (欠我两百块), a note that may be of a thing (更贵了, "rehab in Leeds"). "" is a text with its subject.
    """
    text, names = sentence.text[:_BEGINNING], sentence.names
    if sentence.text.rstrip().endswith(("?", "？")) or _begins_with_a_name(sentence):
        return ""
    named = names_one(text, (*names.everybody, names.group_name), folded=True)
    return (_lacks_chinese if sentence.language == "zh" else _lacks_english)(sentence, text, named)


def _lacks_chinese(sentence: Sentence, text: str, named: bool) -> Literal["state", "other", ""]:
    start, user = after_time(sentence, text.startswith("于")), sentence.names.user_name
    if _RE.done_to_me.match(text, start) or (not named and _RE.zh_act.match(text, start)):
        return "other"
    if _RE.zh_relative.match(text):
        return ""
    if _RE.zh_state.match(text, start) or _RE.zh_clear.match(text, start):
        return "other" if user and user in text else "state"
    is_short = not named and len(text) <= _LONGEST_NOTE and "我" not in text
    return "other" if is_short and _RE.zh_other.match(text, start) else ""


def _lacks_english(sentence: Sentence, text: str, named: bool) -> Literal["state", "other", ""]:
    if not named and (_RE.done_to_me.match(text) or _RE.event.match(text)):
        return "other"
    state = _RE.state.match(text)
    if state or _RE.elliptic.match(text):
        return "" if named and not state else "state"
    verb, position = _first_verb(text)
    if verb in _ACTS:
        return "" if named else "other"
    if verb != "got" and _is_noun_before_verb(text, position):
        return ""
    base = verb.removesuffix("s")
    known = verb in _VERBS or (base != verb and (is_common_verb(base) or is_common_verb(base.removesuffix("e"))))
    goes_on = _RE.function.match(text, position) is not None
    by_form = goes_on and (is_past_verb(verb) or (text[0].islower() and _RE.by_ending.match(verb) is not None))
    if known or by_form or (verb.endswith("ing") and is_common_verb(verb.removesuffix("ing"))):
        return "" if verb.endswith("ing") and not names_no_deed(text[position:]) else "state"
    bare = not named and len(text) <= _LONGEST_NOTE and _RE.noun_first.match(text) is not None and not sentence.people
    return "other" if bare and names_no_deed(text) and not any(map(is_common_verb, _WORD.findall(text))) else ""


def _begins_with_a_name(sentence: Sentence) -> bool:
    """Return True if a text begins with a name of the conversation, or has one after its date: a nickname may be 不吃香菜."""
    text, names = sentence.text, sentence.names
    at = after_time(sentence)
    at += len(text[at:]) - len(text[at:].lstrip())
    return any(begins_with(text, name, start) for name in (*names.everybody, names.group_name) if name for start in (0, at))


def _is_deed(sentence: Sentence) -> bool:
    """Return True if what a bot did is told without saying who did it: it begins with nobody's name, in English with a verb."""
    text, has_name = sentence.text[:_BEGINNING], bool(sentence.names.bot_name)
    if sentence.language == "zh":
        at = after_time(sentence)
        at += len(text[at:]) - len(text[at:].lstrip(" ，,"))
        return has_name and _RE.no_deed.match(text, at) is None and not any(one.start == at for one in sentence.people)
    verb, position = _first_verb(text)
    if verb in _ACTS or sentence.text.rstrip().endswith("?"):
        return verb in _ACTS and not sentence.text.rstrip().endswith("?")
    past = has_name and is_past_verb(verb) and not _is_noun_before_verb(text, position)
    return past and (names_no_deed(text[position:]) or _RE.function.match(text, position) is not None)


def _first_verb(text: str) -> tuple[str, int]:
    """Return the word with which an English clause without a subject may begin, in lower case, and its end; "" for others."""
    found = _RE.english_start.match(text)
    return (found["verb"].lower().replace("’", "'"), found.end("verb")) if found is not None else ("", 0)


def _is_noun_before_verb(text: str, position: int) -> bool:
    """Return True if another past verb follows the first word: "Lost luggage arrived", "Meeting moved to Friday"."""
    following = _RE.english_start.match(text[position:].lstrip())
    return following is not None and is_past_verb(following["verb"])


def after_time(sentence: Sentence, at: int = 0) -> int:
    """Return where a text goes on after the time that it has from `at` on: 今年, 2025年, 2026-02-20 20:00."""
    dated = _RE.date.match(sentence.text, at)
    relative = sentence.times[0] if sentence.times else None
    return relative.end if relative is not None and relative.start == at else dated.end() if dated and dated.end() > at else 0


def is_of_other_party(sentence: Sentence, reference: Reference) -> bool:
    """Return True if 对方 in a fact is the one whom the bot talks with: its subject as a whole, or the one who is helped.

    Beside another subject (跟对方吵了一架), or before a noun (对方司机), it is a party that only the talk knows.
    """
    text, start = sentence.text, reference.start
    if _RE.served.search(text, max(0, start - 60), start):
        return True
    rest = text[reference.end : reference.end + 60]
    if (text[:start].strip() and start != after_time(sentence)) or _RE.of_other_party.match(rest):
        return False
    return _RE.is_or_has.match(rest) is not None or lacks_subject(sentence.beside(rest)) == "state"


def _told_of(subject: str, text: str, *, is_chinese: bool, is_deed: bool) -> str:
    """Return a text that begins with its predicate with its subject in front: "Love hiking" → "Ann loves hiking"."""
    if is_chinese:
        return f"{subject} {text}" if subject[-1].isdigit() else f"{subject}{text}"
    subject = capital(text, 0, subject)
    rest = text if _SHOUTED.match(text) else text[0].lower() + text[1:]
    state, elliptic = _RE.state.match(text), _RE.elliptic.match(text)
    if is_deed:
        return f"{subject} {rest}"
    if state is not None:
        return f"{subject} {'is' if state['is'] else 'has an' if rest[0] in 'aeiou' else 'has a'} {rest}"
    if elliptic is not None:
        verb = elliptic["verb"].strip().lower().replace("’", "'")
        return f"{subject} {rest[: elliptic.start('verb')]}{third_person(verb)}{text[elliptic.start('verb') + len(verb) :]}"
    first, *others = rest.split(maxsplit=2)
    is_going = first.endswith("ing") or (first == "not" and bool(others) and others[0].endswith("ing"))
    return f"{subject} {'has ' if first == 'been' else 'is ' if is_going else ''}{rest}"


def owned(text: str) -> bool:
    """Return True if a text says "my" of what a bot has not: relatives, body, home, work, papers."""
    return _RE.owned.search(text) is not None


def _unowned(sentence: Sentence) -> list[tuple[int, int, bool]]:
    """Return where a text begins a clause with somebody's relative or thing without saying whose, and whether it is a thing.

    Behind somebody's name the relative may be theirs.
    """
    text, chinese = sentence.text, sentence.language == "zh"
    pattern = _RE.zh_alone if chinese else _RE.english_alone
    if len(text) > _BEGINNING or not pattern.search(text):
        return []
    first = min((one.start for one in sentence.people if one.name.lower() not in ROLE_NOUNS), default=len(text))
    begin = after_time(sentence) if chinese else 0
    heads = sorted({begin, *(head.start() for head in _HEAD.finditer(text))})
    found = (pattern.match(text, at) for at in heads) if chinese else pattern.finditer(text, 0, first)
    return [
        (*one.span(), one["thing"] is not None)
        for one in found
        if one is not None and one.start() < first and not (chinese and one["thing"] and one.start() > begin)
    ]


def without_owner(sentence: Sentence) -> str:
    """Return the relative or thing of which a text does not say whose it is, "" if there is none."""
    return next((sentence.text[start:end] for start, end, _ in _unowned(sentence)), "")


def with_owner(sentence: Sentence, owner: str) -> Sentence:
    """Return what somebody tells with their name before relatives and things without one: 老公又出差了 → 林悦的老公又出差了.

    In a group a thing may be everybody's (预算 of a trip), and stays.
    """
    text = sentence.text
    for start, end, is_thing in reversed(_unowned(sentence) if owner else []):
        if not (is_thing and sentence.names.group_id):
            word = text[start:end]
            owned_by = f"{owner}'s {word.lower().removeprefix('the ')}" if word.isascii() else f"{owner}的{word}"
            text = f"{text[:start]}{owned_by}{text[end:]}"
    return sentence.beside(text)


def names_no_deed(text: str) -> bool:
    """Return True if an English text has no verb that tells what somebody did: "small talk"."""
    words = _WORD.findall(text[:_LONGEST_NOTE])
    return bool(words) and not any(is_finite_verb(word) or is_past_verb(word) for word in words)
