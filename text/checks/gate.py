"""The gate: checks that a text can be understood out of context.

    >>> from historian.schema.names import Names
    >>> [(one.kind, one.text) for one in find_relative_words("小王昨天把吉他还给我了").violations]
    [('time', '昨天'), ('pronoun', '我')]
    >>> result = check("He passed the exam", source="He passed the exam", names=Names(), item="fact")
    >>> [(one.kind, one.why) for one in result.violations]
    [('pronoun', 'orphan')]

It prefers precision to recall. Quotations, code, titles and proper nouns are never read as prose.
`text/checks/supported.py` checks whether a model's text is supported by its sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...schema.language import Language, LanguageChoice
from ...schema.names import Names
from ..borders import begins_with, names_one
from ..protected import overlaps
from ..references.people import KIN, ROLE_NOUNS
from ..references.types import Reference
from ..rewriting.absolutize import LONGEST_TEXT
from ..rewriting.subjects import after_time
from ..sentence import NOBODY, Sentence, as_sentence
from ..word_lists import compiled_patterns, word_tables

Kind = Literal["pronoun", "reference", "time", "place", "language", "empty", "length", "claim"]
"""The first four are relative words; "claim" is a text that states no fact (a supposition)."""

RELATIVE_KINDS: frozenset[str] = frozenset({"pronoun", "reference", "time", "place"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of the gate.

    `text` is the exact wording. If it occurs in the judged text, `start` and `end` are its
    character offsets there (end exclusive). If it is *missing* from the judged text, both offsets
    are the length of the text. `why` is a key of the sentences in `reasons` ("relative", "orphan"
    and so on).
    """

    kind: Kind
    text: str
    start: int
    end: int
    why: str


@dataclass(frozen=True, slots=True)
class GateResult:
    """The gate's judgement of one text. Violations fail it, notes do not."""

    violations: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """True if there are no violations."""
        return not self.violations


_TABLES = word_tables("checks/gate.toml")
_QUOTED = 60
"""Maximum characters of a quoted wording; the rest is replaced by an ellipsis."""


def reasons(result: GateResult, language: Language) -> list[str]:
    """Return one sentence for each violation, in text order, without duplicates.

    Each sentence quotes the exact wording, names the error and the correction. The sentences are
    passed to the model verbatim and stored with an event that did not pass the gate.
    """
    return list(dict.fromkeys(reason(finding, language) for finding in result.violations))


def reason(finding: Finding, language: Language) -> str:
    """Return the sentence for one finding."""
    sentences: dict[str, str] = _TABLES["reasons"][language][finding.kind]
    sentence = sentences.get(finding.why) or sentences[""]
    text = " ".join(finding.text.split())
    if len(text) > _QUOTED:
        text = text[: _QUOTED - 1] + "…"
    return sentence.replace("{text}", text)


Pronouns = Literal["orphan", "all"]


def find_relative_words(
    text: str | Sentence,
    *,
    names: Names | None = None,
    pronouns: Pronouns = "orphan",
    language: LanguageChoice = "auto",
) -> GateResult:
    """Return the relative words of `text`, which only participants understand.

    Violations and notes are in text order. Kinds: "pronoun" (我, you, and "he" if no person is
    named before it), "reference" (对方, the user), "time" (昨天, next Friday), "place" (这里, this
    group). Quotations, code, addresses and proper nouns are never read as prose.

    A third-person pronoun passes if exactly one person is named before it. It is a violation if no
    person is named, or if several are named and the pronoun opens a main clause ("Tom met Bob and
    he paid"). It is a note if several are named and it is elsewhere in the clause, and if the
    person is named right after an opening phrase ("After his exam, Tom …"). The bot is never an
    antecedent, and the subject of a clause is not an antecedent of its own object.
    `pronouns="all"` makes every third-person pronoun a violation. `names` are the names of the
    conversation: its people count as persons, and its names are never read as relative words. For
    a `Sentence`, the names of the sentence are used instead.
    """
    sentence = as_sentence(text, names or NOBODY, language)
    violations = [_of_time(sentence.text[one.start : one.end], one.start) for one in sentence.times]
    notes: list[Finding] = []
    times = [(one.start, one.end) for one in sentence.times]
    for reference in sentence.references:
        if overlaps(times, reference.start, reference.end):
            continue
        finding = _finding(reference)
        if finding.kind != "pronoun" or reference.person != "third" or pronouns == "all":
            violations.append(finding)
        elif reference.anchored or len(reference.antecedents) == 1:
            continue
        elif _announces(sentence, reference) or (
            reference.antecedents and not _opens_clause(sentence.text, reference)
        ):
            notes.append(finding)
        else:
            violations.append(finding)
    return GateResult(tuple(sorted(violations, key=_place)), tuple(sorted(notes, key=_place)))


def is_unread(text: str | Sentence, names: Names = NOBODY) -> bool:
    """Return True if a text is neither English nor Chinese, apart from the `names` in it."""
    return as_sentence(text, names).is_other_language


def _of_time(wording: str, start: int) -> Finding:
    bare = wording.removesuffix("'s").removesuffix("’s")
    return Finding("time", bare, start, start + len(bare), "relative")


_FRONTED = re.compile(
    r"(?:^|[.!?\n]\s*)(?:After|Before|During|In|With|Despite|Since|While|When|Although|Though|Because|As|On|Without|For|Through|If|Once|"
    r"Until|At|Like|From|By|To)\b[^,.;:!?\n]{0,120}$"
)
_MAIN_CLAUSE = re.compile(r"[^,.;:!?\n]{0,160},\s+")


def _announces(sentence: Sentence, reference: Reference) -> bool:
    """Return True if a person is named right after an opening phrase that has the pronoun.

    Example: "During her exam, Maria fainted".
    """
    text = sentence.text
    if not reference.text.isascii() or not _FRONTED.search(
        text, max(0, reference.start - 160), reference.start
    ):
        return False
    main = _MAIN_CLAUSE.match(text, reference.end)
    at = main.end() if main is not None else -1
    return any(one.start == at and one.name != sentence.names.bot_name for one in sentence.people)


_OPENS_CLAUSE = re.compile(r"[，。！？；、,.!?;\n]\s*$|[,;\s](?:and|but|so|then)\s+$")


def _opens_clause(text: str, reference: Reference) -> bool:
    """Return True for the subject of a main clause: "Tom met Bob and he paid", 小梁带对象，他有大箱子."""
    is_subject = reference.text.casefold() in ("he", "she", "他", "她")
    return (
        is_subject
        and _OPENS_CLAUSE.search(text, max(0, reference.start - 8), reference.start) is not None
    )


_OURS = re.compile(r"(?:我|咱|俺)[们們]?|our\b", re.IGNORECASE)


def _finding(reference: Reference) -> Finding:
    """Return the finding for a reference; for 我们群 and "our server" it covers the pronoun only."""
    ours = _OURS.match(reference.text) if reference.kind == "place" else None
    if ours is not None:
        return Finding(
            "pronoun", ours.group(), reference.start, reference.start + ours.end(), "first"
        )
    return Finding(reference.kind, reference.text, reference.start, reference.end, _why(reference))


def _place(finding: Finding) -> tuple[int, int]:
    return finding.start, finding.end


def _why(reference: Reference) -> str:
    if reference.kind != "pronoun":
        return "relative"
    if reference.person != "third":
        return reference.person
    return "ambiguous" if len(reference.antecedents) > 1 else "orphan"


_RE = compiled_patterns(_TABLES)
_SPOKEN = re.compile(r"\s*[:：]\s*")
_RELATIVES = frozenset((*KIN["zh"], *KIN["en"]))
SUBJECT = 4
"""Characters before a name that may belong to the subject of a Chinese text: 楼下那个阿姨, 上海交通大学."""


def unsaid(sentence: Sentence, item: Literal["action", "fact"] = "fact") -> Iterator[Finding]:
    """Yield findings for information that a text lacks.

    A fact may lack its subject or owner ("ex is in Perth": whose?) or a complement ("Ann said yes":
    to what? 阿明去不了: where?). An action may lack a deed or an object.
    """
    names = sentence.names
    people = sorted(filter(None, (*names.everybody, names.group_name)), key=len, reverse=True)
    return _of_action(sentence, people) if item == "action" else _of_fact(sentence, people)


def _of_action(sentence: Sentence, people: Sequence[str]) -> Iterator[Finding]:
    text, bot = sentence.text, sentence.names.bot_name
    begin = _behind_speaker(text, len(bot) if begins_with(text, bot) else 0)
    if _RE.no_deed.fullmatch(text, begin) is not None:
        yield Finding("claim", text, 0, len(text), "no_deed")
    if _RE.the_one.fullmatch(text, begin) is not None and not names_one(text[begin:], people):
        yield Finding("reference", text[begin:].strip(), begin, len(text), "thing")


def _of_fact(sentence: Sentence, people: Sequence[str]) -> Iterator[Finding]:
    text = sentence.text
    if _RE.quotation.fullmatch(text) is not None:
        yield Finding("reference", text, 0, len(text), "subject")
        return
    opening = _RE.opening.match(text)
    begin = opening.end() if opening is not None else 0
    who = next((begin + len(name) for name in people if begins_with(text, name, begin)), 0)
    who = who or next(
        (
            one.end
            for one in sentence.people
            if one.start == begin and one.name.lower() not in ROLE_NOUNS
        ),
        0,
    )
    relative = next(
        (one for one in sentence.people if one.start == begin and one.name.lower() in _RELATIVES),
        None,
    )
    if relative is not None:
        yield Finding(
            "reference", text[relative.start : relative.end], relative.start, relative.end, "owner"
        )
    told = _behind_speaker(text, who)
    rest = (_RE.of_somebody if who else _RE.of_nobody).match(text, told or begin)
    goes_on = _RE.goes_on.match(text, told) if told > who else _RE.same_as.search(text)
    open_clause = rest or goes_on
    if open_clause is not None:
        yield Finding(
            "reference", text[: open_clause.end()].strip(), 0, open_clause.end(), "elliptic"
        )
    elif relative is None and not who and not _names_anything(sentence, people):
        yield Finding("reference", text, 0, len(text), "subject")
    yield from _days(sentence)


def _behind_speaker(text: str, end: int) -> int:
    """Return the offset after the colon of "Ann: ", if a name that ends at `end` has one.

    Without a colon the name is a subject; then `end` is returned.
    """
    spoken = _SPOKEN.match(text, end) if end else None
    return spoken.end() if spoken is not None else end


def _days(sentence: Sentence) -> Iterator[Finding]:
    """Yield times that cannot be dated from the text: 那天, 13号, "two more weeks"."""
    text = sentence.text
    for day in (_RE.that_day.search(text), _RE.bare_day.search(text), _RE.length.search(text)):
        if day is None or _RE.dated.search(text, 0, day.start()):
            continue
        after_somebody = any(one.end == day.start() for one in sentence.people)
        if day.start() == 0 or after_somebody or day.re is not _RE.that_day:
            yield Finding("time", day.group(), *day.span(), "relative")


def _names_anything(sentence: Sentence, people: Sequence[str]) -> bool:
    """Return True if the text names a person or thing, or makes a general statement.

    A leading role noun ("the doctor") does not count. In Chinese, where a subject may be left out,
    only names near the beginning count: a later name is an object.
    """
    text = sentence.text
    if names_one(text, people) or _RE.generic.match(text) is not None:
        return True
    named = _RE.proper.search(text)
    last = after_time(sentence) + SUBJECT if sentence.language == "zh" else len(text)
    if named is not None and named.start() <= last:
        return True
    return any(
        1 < one.start <= last or one.name.lower() not in ROLE_NOUNS for one in sentence.people
    )


def check(
    candidate: str | Sentence,
    *,
    source: str | Sentence,
    names: Names = NOBODY,
    item: Literal["action", "fact"],
    pronouns: Pronouns = "orphan",
    language: LanguageChoice = "auto",
) -> GateResult:
    """Return the gate's judgement on storing `candidate` in place of `source`.

    Violations are relative words (`find_relative_words`), missing information (`unsaid`), and an
    empty text. Without being read further, the candidate fails if the source has more than
    LONGEST_TEXT characters, if the candidate has more than twice as many, or if either is in
    another language than English or Chinese. `item` is "action" for the bot's own summary and
    "fact" for one piece of new information.
    """
    said, made = as_sentence(source, names, language), as_sentence(candidate, names, language)
    text = made.text
    if len(said.text) > LONGEST_TEXT or len(text) > 2 * LONGEST_TEXT:
        why = "unread" if len(said.text) > LONGEST_TEXT else "too long"
        return GateResult((Finding("length", "", 0, len(text), why),))
    if not text.strip():
        return GateResult((Finding("empty", "", 0, len(text), "empty"),))
    if said.is_other_language or made.is_other_language:
        return GateResult((Finding("language", text, 0, len(text), "other"),))
    relative = find_relative_words(made, pronouns=pronouns)
    seen = {one.start for one in relative.violations}
    # A relative word other than a time explains a missing subject: "subject" would report it twice.
    told = any(one.kind != "time" for one in relative.violations)
    left = (one for one in unsaid(made, item) if one.start not in seen)
    found = (*relative.violations, *(one for one in left if not (told and one.why == "subject")))
    return GateResult(tuple(sorted(found, key=lambda one: (one.start, one.end))), relative.notes)
