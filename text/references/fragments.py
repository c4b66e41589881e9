"""Notes without a subject, known by their form: "panics before exams", "into jazz", "terrible with names", 挺能吃辣, 更贵了.

English tells a verb by its ending and by whether the clause has another one: "marks essays on Sundays" has none, "exams start on
Monday" has. Chinese has no endings, but what always follows its subject (很, 也, 没) shows at the beginning that there is none.
"""

from __future__ import annotations

import re
from typing import Literal

from ..word_lists import word_list, word_tables
from .agreement import is_common_verb, is_finite_verb, is_past_verb

Form = Literal["verb", "is", "is a", "is an", "was", "has", ""]
"""What a name needs between itself and the note; "verb" is nothing, "" is no note of a person."""

_TABLES = word_tables("references/fragments.toml")
_EN = {name: "|".join(words.split()) for name, words in _TABLES["english"].items()}
_ZH = {name: "|".join(words.split()) for name, words in _TABLES["chinese"].items()}
_NOUNS, _NO_VERB_FORMS = word_list(_TABLES["english"]["nouns"]), word_list(_TABLES["english"]["no_verbs"])

_ADVERBS = rf"(?:(?:{_EN['adverbs']}) )*"
_END = r"(?=\s*(?:$|[,.;(!]))"
_CLAUSE_END = re.compile(
    r"[,.;:!?(—]|\b(?:who|which|that|because|when|while|if|than|as|and|but|since|until|before|after|so|how|what|where|why|whether)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.;:!?]|\b(?:because|when|while|if|since|until|who|which)\b", re.IGNORECASE)
_BEFORE_NOUN = frozenset(("a", "an", "the", "my", "his", "her", "their", "to", "no", "of"))
_IS_SHORT = re.compile(r"^[\w ]{0,12}['’]s\b|['’]s (?:an?|the|not|so|very|really|always|just|hard|good)\b", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]+(?:['’][a-z]+)?", re.IGNORECASE)
_FIRST = re.compile(rf"{_ADVERBS}(?P<word>[a-z]+(?:-[a-z]+)*(?:['’]t)?)(?=\s|$|[.,;!])", re.IGNORECASE)

_IS = re.compile(
    rf"{_ADVERBS}(?:(?:not|no longer) (?=(?:an?|the|much|really|very|into|big|keen|good|in|on|one|[a-z]+ed)\b)"
    r"|(?:into|off|out of|under|against) (?=\S)|between (?:jobs|flats|homes|two)\b|up (?:at|early|late|by|since|all)\b|about to\b"
    r"|away (?:until|for|on|till|from)\b|down with\b|fed up\b|in (?:love|therapy|recovery|debt|pain|hospital|rehab)\b"
    rf"|originally from\b|from (?!(?:{_EN['days']}))(?-i:[A-Z])"
    rf"|an? (?:[a-z-]+ ){{0,3}}?(?:[a-z]+(?:ist|ian|eer|holic)|{_EN['people']})(?:{_END}| (?:at|in|of|by|since|for|from|with)\b)"
    rf"|(?:{_EN['states']}) (?=(?:with|at|to|of|about|by|in|on|from)\b)|(?:allergic|averse|sensitive|immune) to\b"
    rf"|(?!(?:{_EN['of_things']}) )(?:[a-z]{{2,}}(?:ible|able|ful|less|ous|ive|ic|ant|ent)|{_EN['adjectives']})"
    r" (?:with|at|of|about) |(?:fluent|deaf|blind) in |new to |half (?-i:[A-Z])|[a-z]+-[a-z]+ed\b"
    rf"|(?:always|never|often|usually|rarely) [a-z]+$|in an? (?!(?:{_EN['measures']}|minute|week|month|year|day|few)\b)[a-z])",
    re.IGNORECASE,
)
_WAS = re.compile(rf"{_ADVERBS}(?:born|raised) (?=(?:in|on|by|and|to)\b|\d|$)", re.IGNORECASE)
_IS_A = re.compile(
    r"(?:[a-z-]+(?: [a-z-]+){0,2} by (?:trade|profession|training)\b|early (?:riser|bird)|night owl"
    rf"|(?:heavy|light) (?:{_EN['people']})|(?:{_EN['ranks']}) (?:[a-z-]+ )?[a-z]*(?:er|or|ist|ian|fan|nurse|coach|barista))"
    rf"(?:{_END}| (?:at|in|of|by|since|for|from)\b)",
    re.IGNORECASE,
)
_HAS = re.compile(
    rf"(?:no|one|two|three|four|five|six|seven|eight|a couple of|several) (?:[a-z-]+ ){{0,2}}?(?!(?:{_EN['measures']})\b)"
    rf"(?:[a-z]{{2,}}s|children|kids?|cat|dog|siblings?|brother|sister|son|daughter|license|licence){_END}|no [a-z]+ of ",
    re.IGNORECASE,
)
_MODAL = re.compile(
    rf"{_ADVERBS}(?i:will|would|won['’]t|wouldn['’]t|must|should|shouldn['’]t|might|could)"
    r" (?!(?:you|we|they|he|she|it|the|a) )[a-z]{2,} [a-z]"
)
_OWN_DEED = re.compile(
    rf"{_ADVERBS}(?:took up|set up|moved (?:out|in|to|into|from|back|house|home|away|abroad|here|there))\b", re.IGNORECASE
)
_BEFORE_OBJECT = re.compile(rf"(?:{_EN['before_objects']}|\d+)\b|[A-Z]")
_AFTER_VERB = re.compile(rf"(?:before|after|when|while|during|every|too|[a-z]+ly)\b|{_BEFORE_OBJECT.pattern}")


def english_form(note: str) -> Form:
    """Return what a note without a subject is by its form; "" for one that has a subject, or tells of no person.

    >>> english_form("panics before exams"), english_form("exams start on Monday"), english_form("terrible with names")
    ('verb', '', 'is')
    """
    first = _FIRST.match(note)
    if first is None:
        return ""
    found = _fragment(note)
    if found:
        return found if not _goes_on(note[first.end() :]) else ""
    if _OWN_DEED.match(note) or _MODAL.match(note):
        return "verb"
    word, rest = first["word"].lower(), note[first.end() :].strip()
    if word.endswith("ing") and len(word) > 5 and word not in _NOUNS and _BEFORE_OBJECT.match(rest):
        return "" if _goes_on(rest, _SENTENCE_END) else "is"
    if _goes_on(rest) or (rest[:1] in ("", ",", ".", "!", ";") and (note[0].isupper() or _is_past(word))):
        return ""
    if _is_past(word) or _is_third_person(first["word"], rest):
        return "verb"
    return ""


def _fragment(note: str) -> Form:
    """Return the form of a note without a verb: "into jazz", "three cats", "grant writer by trade"."""
    if _WAS.match(note):
        return "was"
    if _IS.match(note):
        return "is"
    if _IS_A.match(note):
        return "is an" if note[0].lower() in "aeiou" else "is a"
    return "has" if _HAS.match(note) else ""


def _goes_on(rest: str, ends: re.Pattern[str] = _CLAUSE_END) -> bool:
    """Return True if a finite verb follows in the clause, so that what stands before it is its subject."""
    clause = ends.split(rest, maxsplit=1)[0]
    words = _WORDS.findall(clause)
    finite = (at for at, word in enumerate(words) if is_finite_verb(word) and not word[0].isupper())
    return any(not at or words[at - 1].lower() not in _BEFORE_NOUN for at in finite) or _IS_SHORT.search(clause) is not None


def _is_past(word: str) -> bool:
    """Return True if a word is the past of a verb rather than an adjective: drew, skipped."""
    return is_past_verb(word) and word not in _NO_VERB_FORMS


def _is_third_person(word: str, rest: str) -> bool:
    """Return True if a word in "-s" at the beginning of a clause is its verb and not a plural noun."""
    is_capital, word = word[0].isupper(), word.lower()
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")) or len(word) < 4 or word in _NOUNS:
        return False
    known = is_common_verb(word[:-1]) or is_common_verb(word.removesuffix("es"))
    if word.endswith(("tions", "sions", "ments", "ships", "ities", "ists", "ians", "tos", "ers", "ors")) and not known:
        return False
    if is_capital and not known and not _AFTER_VERB.match(rest):  # Jonas, Texas
        return False
    following = rest.split(maxsplit=1)[0].lower() if rest else ""
    return known or following not in ("of", "from", "for", "to", "about", "with", "between", "and", "or", "are", "have", "do")


_WHEN = rf"(?:(?:{_ZH['parts_of_day']})(?:就|都|也|总|会|要|得|才|还)?)?"
_ZH_STATE = re.compile(
    rf"{_WHEN}(?:{_ZH['persons']})"
    rf"|(?:{_ZH['parts_of_day']})(?:就|都|也|总|会|要|得|才|还)?(?!打折|停)[{_ZH['deeds']}][一-鿿]"
    r"|[跟和与](?!平|谐|气|睦|其|此|进|踪|随|风|前|后|上|往)[^，。了过]{1,8}?[一-鿿]{1,3}了(?=$|[，,。])"
    rf"|有(?:一|两|俩|三|四|\d)?[个只条对双位](?:{_ZH['own']})|无[一-鿿]不[一-鿿](?=$|[，,。])"
    rf"|(?:{_ZH['attributes']})(?:也|都|一直|还是)?(?:很|挺|太|特别|非常|超|比较|有点|不太?|极)[一-鿿]"
    rf"|(?:是个?)?[一-鿿]{{0,4}}(?:{_ZH['kinds']})(?=$|[，,。])"
)
_ZH_AFTER_SUBJECT = re.compile(
    rf"(?!{_ZH['other_words']})(?:很|挺|太|更|越来越|特别|非常|超级|比较|有点|不太|不怎么|真(?=[好难贵大小多])|也|都|又|没|已经|终于|还没|还在|才)[一-鿿]"
)


def chinese_form(note: str) -> Literal["state", "other", ""]:
    """Return "state" for a note of a person without a subject, "other" for one that may be of a thing (更贵了); "" for others."""
    if _ZH_STATE.match(note):
        return "state"
    return "other" if _ZH_AFTER_SUBJECT.match(note) else ""
