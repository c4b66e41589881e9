"""Subjects for texts without one: "喜欢吃辣", "Likes tea", "Recommended Dune to Ann".

The missing subject of a new fact is the user, that of an action summary the bot. The name is added only if a text clearly
begins with a predicate; other texts stay unchanged.
"""

from __future__ import annotations

import re
from typing import Literal

from ...schema.language import Language
from ...schema.names import Names
from ..borders import begins_with, names_one
from ..language import detect_language
from ..time_expressions import find_relative
from ..word_lists import compiled_patterns, word_list, word_tables
from .agreement import is_common_verb, is_finite_verb, is_past_verb, third_person
from .chinese_rewriting import followed_by_institution
from .english_rewriting import capital
from .fragments import chinese_form, english_form
from .people import ROLE_NOUNS, find_people
from .types import Reference

_TABLES = word_tables("references/subjects.toml")
_RE = compiled_patterns(_TABLES)
_WORDS = {name: word_list(words) for name, words in _TABLES["words"].items()}
_SOMEBODY = re.compile(r"大家|有人|全群|群|用户|对方|成员|管理员|[我你您他她它咱这那]|今天|话题|天气")
_HAN = re.compile(r"[一-鿿]")
_RELATIVE = re.compile(r"[^，,。！？]{0,14}的(?:是|人|那)")
"""What looks like a predicate and tells of which thing or person: 做饭的是我老公."""
_BEGINNING = 2_000
"""Characters of a text that are looked at to tell whose it is. What is longer is a document."""
_THAT = re.compile(r"\s+(?:it|that|this|there)\b", re.IGNORECASE)
_SHOUTED = re.compile(r"[A-Z]{2}")


_PARTICIPLE = re.compile(r"[A-Za-z]+ing\b")


def with_subject(
    text: str, names: Names, item: Literal["action", "fact"], language: Language, subject: str = "", said: str = ""
) -> str:
    """Return `text` with the name of its subject in front if it begins with a predicate; otherwise `text` itself.

    Where the text is known to tell of `subject`, whatever begins like a predicate gets that name, even an act; `said` is the text
    before its times and references were resolved. Otherwise (in talk) only what clearly begins with a predicate gets the bot's
    name in an action, the user's in a fact. The function is idempotent.
    """
    begins = predicate_of(said or text, names) if subject else ""
    lacks = begins == "act" or (_is_deed(text, names) if item == "action" else begins == "state" or _is_clear(text, names))
    name = subject or (names.bot(language) if item == "action" else names.user(language))
    if _PARTICIPLE.match(text) and names_one(text, (name,)):
        return text  # "Starting in May Ann will teach" has its subject
    return _told_of(name, text, language, is_deed=item == "action") if lacks else text


def _is_clear(text: str, names: Names) -> bool:
    """Return True if a text tells of a person's state or habits and clearly leaves out whose."""
    if _begins_with_a_name(text, names) or text.rstrip().endswith("?"):  # a nickname may read as a predicate: 不吃香菜的猫
        return False
    verb, position = _first_verb(text)
    return bool(
        _RE.chinese_fact.match(text) or _RE.state.match(text) or (verb in _WORDS["clear"] and not _THAT.match(text, position))
    )


def _begins_with_a_name(text: str, names: Names) -> bool:
    dated, known = _RE.begins_with_date.match(text), tuple(filter(None, (*names.everybody, names.group_name)))
    rest = text[dated.end() :].lstrip() if dated is not None else ""
    return any(begins_with(text, name) or begins_with(rest, name) for name in known)


def _is_named(text: str, names: Names) -> bool:
    """Return True if a text names somebody of the conversation, or its group."""
    return names_one(text, (*names.everybody, names.group_name), folded=True)


def _is_deed(text: str, names: Names) -> bool:
    """Return True if what a bot did is told without saying who did it: it begins with nobody's name, in English with a verb."""
    asks, text = text.rstrip().endswith("?"), text[:_BEGINNING]
    # Of a bot without a name what stands first may be its name.
    nameless = not names.bot_name or _begins_with_a_name(text, names)
    if detect_language(text) == "zh":
        deed = text[after_time(text) :].lstrip(" ，,")
        somebody = _SOMEBODY.match(deed) or any(one.start == 0 for one in find_people(deed)) or _begins_with_a_name(deed, names)
        return not nameless and _HAN.match(deed) is not None and not somebody and _RE.thing_done.match(deed) is None
    verb, position = _first_verb(text)
    if asks or verb in _WORDS["deeds"]:
        return not asks
    if nameless or any(one.start == 0 for one in find_people(text)):
        return False
    if not is_past_verb(verb) or _is_noun_before_verb(text, position):
        return False
    by_next = text[position:].lstrip()[:1].isupper() or _RE.function.match(text, position) is not None
    return by_next or english_form(text[0].lower() + text[1:]) == "verb"


def _first_verb(text: str) -> tuple[str, int]:
    """Return the word with which an English clause without a subject may begin, in lower case, and its end; "" for others."""
    found = _RE.english_start.match(text)
    return (found["verb"].lower().replace("’", "'"), found.end("verb")) if found is not None else ("", 0)


def _is_noun_before_verb(text: str, position: int) -> bool:
    """Return True if another past verb follows the first word: "Lost luggage arrived", "Meeting moved to Friday"."""
    following = _RE.english_start.match(text[position:].lstrip())
    return following is not None and is_past_verb(following["verb"])


def after_time(text: str, at: int = 0) -> int:
    """Return where a text goes on after the time that it has from `at` on: 今年, 2025年, 2026-02-20 20:00."""
    dated = _RE.begins_with_date.match(text, at)
    end = dated.end() if dated is not None and dated.end() > at else 0
    relative = find_relative(text)
    return relative[0][1] if relative and relative[0][0] == at else end


def predicate_of(text: str, names: Names) -> Literal["state", "act", "other", ""]:
    """Return what a text begins with that has no subject; "" for other texts.

    A state or habit (戒了奶茶, "Likes tea"), an act of help or speech (讲解了…, "Outlined …"), which may be the bot's too,
    or what another one did to the speaker ("other": 欠我两百块).
    """
    asks, text = text.rstrip().endswith(("?", "？")), text[:_BEGINNING]
    named = _is_named(text, names)
    chinese = detect_language(text) == "zh"
    if asks:
        return ""
    start = after_time(text, text.startswith("于")) if chinese else 0
    if _RE.done_to_me.match(text, start):
        return "other"
    if chinese:
        if not named and (_RE.act.match(text) or _RE.for_user.match(text, start)):
            return "act"
        told = _RE.predicate.match(text, start) or _RE.chinese_fact.match(text, start)
        told = told or (None if named else _RE.habit.match(text, start))
        if _RELATIVE.match(text) or _begins_with_a_name(text, names):
            return ""
        if told is None:
            return "" if named or "我" in text or text[start : start + 1] in "你您他她" else chinese_form(text[start:])
        return "other" if names.user_name and names.user_name in text else "state"
    if named:
        return "state" if _is_clear(text, names) else ""
    if _RE.event.match(text):
        return "other"
    if _RE.for_user.match(text):
        return "act"
    if _RE.state.match(text) or _RE.elliptic.match(text):
        return "state"
    verb, position = _first_verb(text)
    form = english_form(text)
    if verb in _WORDS["acts"] and not (form and verb in ("moved", "took", "set")):
        return "act"
    if form:
        return "state"
    if verb != "got" and _is_noun_before_verb(text, position):
        return ""
    base = verb.removesuffix("s")
    known = verb in _WORDS["verbs"] or (base != verb and (is_common_verb(base) or is_common_verb(base.removesuffix("e"))))
    past = is_past_verb(verb) and _RE.function.match(text, position) is not None
    return "state" if known or past or (verb.endswith("ing") and is_common_verb(verb.removesuffix("ing"))) else ""


_SERVED = re.compile(r"(?:帮|替|陪|提醒|告诉|安慰|建议|鼓励)了?$|\b(?:told|reminded|helped|advised) $", re.IGNORECASE)
NEAR = 60
"""Characters about 对方 that tell whom it means."""
_THEIRS = re.compile(r"[的车]|父母|律师|保险")


def is_of_other_party(text: str, reference: Reference, names: Names) -> bool:
    """Return True if 对方 in a fact is the one whom the bot talks with: its subject as a whole, or the one who is helped.

    Beside another subject (跟对方吵了一架), or before a noun (对方司机), it is a party that only the talk knows.
    """
    served = _SERVED.search(text, max(0, reference.start - NEAR), reference.start) is not None
    heads = reference.start == 0 or text[reference.start - 1] in "，。；,.; "
    if not served and not heads and reference.start > NEAR:
        return False
    begin = after_time(text[:NEAR])
    heads = heads or reference.start == begin
    if not served and not (heads and text[begin : begin + NEAR].lstrip().startswith(reference.text)):
        return False
    rest = text[reference.end : reference.end + NEAR]
    if _THEIRS.match(rest) or followed_by_institution(rest, 0) or any(one.start == 0 for one in find_people(rest[:20])):
        return False
    return served or _RE.is_or_has.match(rest) is not None or bool(predicate_of(rest, names))


def helps_the_user(text: str) -> bool:
    """Return True if a text begins with what was done for "the user": 帮用户订了票."""
    found = _RE.for_user.match(text)
    return found is not None and bool(found["user"] or found["them"])


def _told_of(subject: str, text: str, language: Language, *, is_deed: bool) -> str:
    """Return a text that begins with its predicate with its subject in front: "Love hiking" → "Ann loves hiking"."""
    if language == "zh":
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
    first = rest.split(maxsplit=1)[0]
    if first == "been" or first.endswith("ing") or (first == "not" and rest.split(maxsplit=2)[1].endswith("ing")):
        return f"{subject} {'has' if first == 'been' else 'is'} {rest}"
    form = english_form(text)
    return f"{subject} {rest}" if form in ("", "verb") else f"{subject} {form} {rest}"


_HEAD = re.compile(r"(?<=[，,。！？；\n])")


def _unowned(text: str, names: Names) -> list[tuple[int, int, bool]]:
    """Return where a text begins a clause with somebody's relative or thing without saying whose, and whether it is a thing.

    Behind somebody's name the relative may be theirs.
    """
    if len(text) > _BEGINNING:
        return []
    named = [one.start for one in find_people(text, names.everybody) if one.name.lower() not in ROLE_NOUNS]
    first = min(named, default=len(text))
    if detect_language(text) != "zh":
        return [(*one.span(), one["thing"] is not None) for one in _RE.english_alone.finditer(text, 0, first)]
    begin = after_time(text)
    heads = {begin, *(head.start() for head in _HEAD.finditer(text))}
    found = [(*kin.span(), False) for at in sorted(heads) if at < first and (kin := _RE.kin_alone.match(text, at)) is not None]
    thing = _RE.things.match(text, begin) if begin < first else None
    return found if thing is None else [(*thing.span(), True), *found]


def without_owner(text: str, names: Names) -> str:
    """Return the relative or thing of which a text does not say whose it is, "" if there is none."""
    return next((text[start:end] for start, end, _ in _unowned(text, names)), "")


def with_owner(text: str, owner: str, names: Names) -> str:
    """Return what somebody tells with their name before relatives and things without one: 老公又出差了 → 林悦的老公又出差了.

    In a group a thing may be everybody's (预算 of a trip), and stays.
    """
    unowned = _unowned(text, names) if owner else []
    chinese = detect_language(text) == "zh"
    for start, end, is_thing in reversed(unowned):
        if not (is_thing and names.group_id):
            owned = f"的{text[start:end]}" if chinese else f"'s {text[start:end].lower().removeprefix('the ')}"
            text = f"{text[:start]}{owner}{owned}{text[end:]}"
    return text


_PLACE_FIRST = re.compile("在(?![线读逃职意乎])")


def lacks_subject(text: str, names: Names) -> bool:
    """Return True if a note that names nobody begins with its predicate or has none: 离学校40分钟, "rehab in Leeds"."""
    if len(text) > _LONGEST_NOTE or _is_named(text, names):
        return False
    if detect_language(text) == "zh":
        start = after_time(text)
        return (_RE.predicate_first.match(text, start) or (None if start else _PLACE_FIRST.match(text))) is not None
    bare = _RE.noun_first.match(text) is not None and not find_people(text)
    return bare and names_no_deed(text) and not any(map(is_common_verb, _WORD.findall(text)))


def names_no_deed(text: str) -> bool:
    """Return True if an English text has no verb that tells what somebody did: "small talk"."""
    words = _WORD.findall(text[:_LONGEST_NOTE])
    return bool(words) and not any(is_finite_verb(word) or is_past_verb(word) for word in words)


_LONGEST_NOTE = 120
"""Characters of a note that is looked at for its subject. What is longer is a document."""
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?", re.IGNORECASE)
