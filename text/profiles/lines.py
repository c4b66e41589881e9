"""Profile lines: their subjects, reading and merging, and lines from messages and corrections."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import chain, count

from ...schema.event import Event
from ...schema.job import clean_text, without_list_mark
from ...schema.labels import last_expiry
from ...schema.names import Names
from ...schema.profile import LineKind, ProfileLine, bounded_evidence, line_id_of
from ..borders import begins_with
from ..quotations import comparable
from .asked_to_keep import asked_to_keep, quoted_line
from .declared import correction_in, declared, line_kind, said_words

_BEFORE = " \t“\"'@"
"""Characters that may precede the name at the beginning of a fact."""


def subject_of(fact: str, names: Names) -> str:
    """Return the longest name of the conversation with which a fact begins, or "".

    If a person and the group have the same name, the name counts as the person's.
    """
    known = (*names.people, names.bot_name, names.group("zh"), names.group("en"))
    begins = fact.lstrip(_BEFORE).casefold()
    return max(
        (name for name in known if begins_with(begins, name.lstrip(_BEFORE).casefold())),
        key=len,
        default="",
    )


_EVERYBODY = re.compile(
    r"(?:大家|全体|所有人|群友们?|成员们?)|(?:everyone|everybody|all (?:the )?members|(?:the )?members)\b",
    re.I,
)


def everybody_in(fact: str) -> str:
    """Return the word for all members with which a fact begins (大家, "everyone"), or ""."""
    found = _EVERYBODY.match(fact.lstrip())
    return found.group() if found else ""


def is_about_group(fact: str, names: Names) -> bool:
    """Return True if the subject of a fact is the group or all its members (大家, "everyone").

    A person with such a name has precedence.
    """
    subject = subject_of(fact, names)
    if subject:
        return subject not in names.people and subject in (names.group("zh"), names.group("en"))
    return bool(names.group() and everybody_in(fact))


_HEADING = re.compile(r"#{1,6}\s(?P<words>.*)", re.DOTALL)
_BOLD = re.compile(r"\*\*(?P<words>[^*]+)\*\*[:：]?")
_DAY = re.compile(r"\s*\((?P<day>\d{4}-\d\d-\d\d)\)\s*$", re.ASCII)
MOST_LINES = 200
"""Maximum number of lines of a profile. If there are more, some are removed (`bounded`)."""
MOST_KEPT = 1_000
"""Maximum number of lines of the kinds that are never removed; further ones are not added."""
_LEAVES: dict[LineKind, int] = {"other": 0, "home": 2, "work": 2, "relation": 2}
_LEAVES |= dict.fromkeys(("plan", "taste", "habit"), 1)
"""The kinds of lines that may be removed, lowest number first. Other kinds are never removed."""
_FENCE = re.compile(r"\s*(?:```|~~~|---\s*$|<!--.*-->\s*$)")
_UNSEEN = re.compile("[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069`]+")
LINE_CHARACTERS = 300
"""Maximum characters of a line that a model writes. A longer one has several statements."""
LONGEST_COMPARED = 4_000
"""Maximum characters of a statement that is compared by its words."""


def clean_line(text: str) -> str:
    """Return a line without its list mark, code marks, invisible characters and line breaks.

    >>> clean_line("- `likes\\n tea`")
    'likes tea'
    """
    return " ".join(without_list_mark(clean_text(_UNSEEN.sub("", text))).split())


def read_lines(
    markdown: str, known: Sequence[ProfileLine] = (), *, day: str = "", whole: bool = False
) -> tuple[ProfileLine, ...]:
    """Return the profile lines in a text that a person edited.

    Each bullet or line of prose is one line; it is prefixed with the heading above it. A line that
    is unchanged from `known` has the same id, kind, evidence and days. A line that was changed in
    its place has the same id and no evidence. New and changed lines without a day get `day`. With
    `whole` no words are lost: bold text is a line, and so is a heading that stands before no line.

    >>> [line.dated_text for line in read_lines("# Food\\n- likes tea (2026-02-20)\\n- no onions", day="2026-03-02")]
    ['Food: likes tea (2026-02-20)', 'Food: no onions (2026-03-02)']
    """
    told = list(_texts(markdown, known, whole))
    texts = [one.text for one in known], [text for text, _ in told]
    compared = SequenceMatcher(None, *texts, autojunk=False)
    lines: list[ProfileLine] = []
    for how, start, end, first, last in compared.get_opcodes():
        for n, (text, own_day) in enumerate(told[first:last], start):
            when = own_day or day
            moved = next((one for one in known if one.text == text and one not in lines), None)
            former = known[n] if how in ("equal", "replace") and n < end else moved
            if former is None:
                former = ProfileLine(line_id_of(text, when), text, line_kind(text), 1, when, when)
            elif former.text != text:
                former = replace(
                    former, text=text, told=1, first_day=when, last_day=when, evidence=()
                )
            elif how == "equal":
                former = replace(former, last_day=own_day or former.last_day)
            lines.append(former)
    return distinct(lines)


def _texts(markdown: str, known: Sequence[ProfileLine], whole: bool) -> Iterable[tuple[str, str]]:
    """Yield the statements of a text, each with the day at its end or "".

    A bullet that is equal to a `known` line is this line, also below a heading, and even if its
    text looks like markup ("-", or a day in brackets at its end).
    """
    untouched: dict[str, list[ProfileLine]] = {}
    for line in known:
        untouched.setdefault(f"- {line.dated_text}", []).append(line)
    heading = unused = ""
    for written in clean_text(markdown).splitlines():
        if same := untouched.get(written.strip()):
            if unused:
                yield unused, ""
            line, unused = same.pop(0), ""
            yield line.text, line.last_day
            continue
        if not written.strip() or _FENCE.match(written):
            continue
        found = _heading_of(written)
        if found is not None and not (whole and _BOLD.fullmatch(written.strip())):
            if unused:
                yield unused, ""
            heading, unused = found, found if whole else ""
            continue
        text = " ".join(without_list_mark(written.strip()).split())
        day = _DAY.search(text)
        text = text[: day.start()] if day else text
        if text:
            unused = ""
            yield f"{heading}: {text}" if heading else text, day["day"] if day else ""
    if unused:
        yield unused, ""


def _heading_of(written: str) -> str | None:
    """Return the words of a heading: "# Food", "## Food: ##", "**Food**"; None for other lines."""
    if hashes := _HEADING.match(written.lstrip()):
        words = hashes["words"].strip().rstrip("#")
    elif bold := _BOLD.fullmatch(written.strip()):
        words = bold["words"]
    else:
        return None
    return words.strip().rstrip(":：")


def distinct(lines: Iterable[ProfileLine]) -> tuple[ProfileLine, ...]:
    """Return lines with unique ids: a line gets a new id if an earlier line has the same."""
    found: dict[str, ProfileLine] = {}
    for line in lines:
        others = (line_id_of(line.text, line.line_id, str(n)) for n in count(1))
        line_id = next(one for one in chain([line.line_id], others) if one not in found)
        found[line_id] = replace(line, line_id=line_id)
    return tuple(found.values())


def with_lines(
    lines: Sequence[ProfileLine], new: Sequence[ProfileLine], name: str = ""
) -> tuple[ProfileLine, ...]:
    """Return `lines` followed by the `new` ones.

    A new line that says the same as a known one is merged with it: the merged line has the evidence
    of both, and the new words unless the known line is pinned or newer. Two lines say the same if
    their words are the same without function words ("is a nurse", "works as a nurse") and without
    `name`, the person's name. The same event is not counted twice. If there are more than
    MOST_LINES lines, some are removed (`bounded`).
    """
    result = [(_same(one, name), one) for one in lines]
    for line in new:
        key = _same(line, name)
        known = next((one for one in result if one[0] == key and not one[1].until), None)
        stay = [one for _, one in result if one.kind not in _LEAVES]
        if known is not None:
            result.remove(known)
            line = _told_again(known[1], line)
        elif line.kind not in _LEAVES and len(stay) >= MOST_KEPT:
            continue
        result.append((key, line))
    return bounded(distinct(one for _, one in result))


def with_expiry(
    lines: Sequence[ProfileLine], expiry: Mapping[str, float | None]
) -> tuple[ProfileLine, ...]:
    """Return the lines, each with the expiry of its last event as end.

    `expiry` has the expiry times of events by id (seconds since the epoch; None: never). A line
    with evidence that is not in `expiry` or does not expire gets no end. An existing end is
    unchanged.
    """

    ends = [ProfileLine.until_moment(last_expiry(map(expiry.get, line.evidence))) for line in lines]
    return tuple(replace(one, until=one.until or end) for one, end in zip(lines, ends, strict=True))


def _told_again(known: ProfileLine, line: ProfileLine) -> ProfileLine:
    if set(line.evidence) <= set(known.evidence):
        return known
    days = sorted(filter(None, (known.first_day, known.last_day, line.first_day, line.last_day)))
    return replace(
        known,
        text=line.text if line.last_day >= known.last_day and not known.pinned else known.text,
        kind=line.kind if known.kind == "other" else known.kind,
        told=known.told + line.told,
        first_day=days[0] if days else "",
        last_day=days[-1] if days else "",
        evidence=bounded_evidence((*known.evidence, *line.evidence)),
    )


def bounded(lines: Sequence[ProfileLine], most: int = MOST_LINES) -> tuple[ProfileLine, ...]:
    """Return at most `most` of the lines, if enough of them may be removed.

    Lines of kind `other` are removed first, then plans, tastes and habits, then home, work and
    relations; among these, lines with the oldest last day first. Pinned lines and lines of health,
    boundaries and identity are never removed.
    """
    may_go = (n for n, one in enumerate(lines) if one.kind in _LEAVES and not one.pinned)
    first = sorted(may_go, key=lambda n: (_LEAVES[lines[n].kind], lines[n].last_day, n))
    gone = set(first[: max(0, len(lines) - most)])
    return tuple(one for n, one in enumerate(lines) if n not in gone)


def _same(line: ProfileLine, name: str) -> tuple[object, ...]:
    """Return a key that is equal for two lines that say the same."""
    words = said_words(line.text, name)
    return (line.kind, line.said_by, *words) if words else (plain_words(line.text),)


def plain_words(text: str) -> str:
    """Return a statement in the form in which it is compared with others.

    A text of more than LONGEST_COMPARED characters is unchanged.
    """
    return text if len(text) > LONGEST_COMPARED else comparable(text) or text


def without_evidence(line: ProfileLine, gone: Collection[str]) -> ProfileLine | None:
    """Return a line without the evidence `gone` (ids of events), or None if no evidence is left.

    A line that has none of this evidence is unchanged.
    """
    rest = tuple(one for one in line.evidence if one not in gone)
    lost = len(line.evidence) - len(rest)
    if not lost:
        return line
    return replace(line, evidence=rest, told=max(1, line.told - lost)) if rest else None


CERTAIN: frozenset[LineKind] = frozenset(("health", "boundary"))
"""Kinds of declarations that become lines even if a model also reads the talk.

They must not depend on a model.
"""
BETWEEN_QUOTES = " → "
"""Separator between the words of a line and a correction that does not repeat the whole line."""


def said_lines(message: Event, *, certain: bool = False) -> list[ProfileLine]:
    """Return profile lines that quote a message: requests to remember something, and declarations.

    With `certain`, only declarations of the kinds in CERTAIN are included.
    """
    day = message.day
    asked = [(words, line_kind(words)) for words in asked_to_keep(message.text, message.bot_name)]
    declarations = [one for one in declared(message.text) if not certain or one[1] in CERTAIN]
    whole = " ".join(words for words, _ in asked)
    told = [*asked, *(one for one in declarations if one[0] not in whole)]
    until, evidence = ProfileLine.until_moment(message.expires_at), (message.event_id,)
    found: list[ProfileLine] = []
    for words, kind in told:
        text = quoted_line(words)
        of = line_id_of(text, *evidence), text, kind
        found.append(ProfileLine(*of, 1, day, day, until=until, evidence=evidence))
    return found


def corrected_lines(
    lines: Sequence[ProfileLine],
    corrected: Sequence[str],
    message: Event,
    new: Sequence[ProfileLine],
) -> tuple[ProfileLine, ...]:
    """Return `lines` after the correction in `message`.

    `corrected` are the ids of the parts of the message that it corrects. The corrected line is the
    only line that is not pinned and whose evidence is all in `corrected`; if there is no such line
    or several, nothing changes. If `message` takes the line back, or replaces it (one of the lines
    `new` has its kind), the line is removed. If there are no `new` lines, the words of `message`
    are appended to the line, so that a reader sees both.
    """
    how = correction_in(message.text)
    meant = [
        one
        for one in lines
        if one.evidence and not one.pinned and set(one.evidence) <= set(corrected)
    ]
    if not how or len(meant) != 1:
        return tuple(lines)
    (wrong,) = meant
    if how == "taken back" or any(one.kind == wrong.kind for one in new):
        return tuple(one for one in lines if one is not wrong)
    text = f"{wrong.text}{BETWEEN_QUOTES}{quoted_line(message.text)}"
    evidence = bounded_evidence((*wrong.evidence, message.event_id))
    mended = wrong if new else replace(wrong, text=text, last_day=message.day, evidence=evidence)
    return tuple(mended if one is wrong else one for one in lines)
