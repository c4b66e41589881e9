"""Lines of profiles: whose a fact is, which lines it and a message bring, and which former line a message corrects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import chain, count

from ..schema.event import Event
from ..schema.job import clean_text, without_list_mark
from ..schema.labels import last_expiry
from ..schema.names import Names
from ..schema.profile import LineKind, ProfileLine, bounded_evidence, line_id_of
from .asked_to_keep import asked_to_keep, quoted_line
from .borders import begins_with
from .declared import correction_in, declared, line_kind, said_words
from .quotations import comparable

_BEFORE = " \t“\"'@"
"""What may stand before the name with which a fact begins."""


def subject_of(fact: str, names: Names) -> str:
    """Return the longest name of the conversation that a fact begins with, "" for none; a person before a group of that name."""
    known = (*names.people, names.bot_name, names.group("zh"), names.group("en"))
    begins = fact.lstrip(_BEFORE).casefold()
    return max((name for name in known if begins_with(begins, name.lstrip(_BEFORE).casefold())), key=len, default="")


_EVERYBODY = re.compile(
    r"(?:大家|全体|所有人|群友们?|成员们?)|(?:everyone|everybody|all (?:the )?members|(?:the )?members)\b", re.I
)


def everybody_in(fact: str) -> str:
    """Return the word for all members of a group with which a fact begins (大家, "everyone"), "" for none."""
    found = _EVERYBODY.match(fact.lstrip())
    return found.group() if found else ""


def is_about_group(fact: str, names: Names) -> bool:
    """Return True if the subject of a fact is the group, or everybody in it (大家, "everyone"), and nobody called so."""
    subject = subject_of(fact, names)
    if subject:
        return subject not in names.people and subject in (names.group("zh"), names.group("en"))
    return bool(names.group() and everybody_in(fact))


_HEADING = re.compile(r"\s*(?:#{1,6}\s+(?P<hash>.*?)\s*#*|\*\*(?P<bold>[^*]+)\*\*[:：]?)\s*")
_DAY = re.compile(r"\s*\((?P<day>\d{4}-\d\d-\d\d)\)\s*$", re.ASCII)
MOST_LINES = 200
"""Lines of a profile from which on the least lasting leave, see `bounded`."""
MOST_KEPT = 1_000
"""Lines of the kinds that stay from which on no further one is taken in: nobody tells so much of themselves."""
_LEAVES: dict[LineKind, int] = {"other": 0, "home": 2, "work": 2, "relation": 2}
_LEAVES |= dict.fromkeys(("plan", "taste", "habit"), 1)
"""The kinds that leave, those of the lowest number first; the others stay."""
_FENCE = re.compile(r"\s*(?:```|~~~|---\s*$|<!--.*-->\s*$)")
_UNSEEN = re.compile("[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069`]+")
LINE_CHARACTERS = 300
"""Most characters of a line that a model may write: a longer one holds several statements."""
LONGEST_COMPARED = 4_000
"""Characters of a statement that is compared by its words."""


def clean_line(text: str) -> str:
    """Return a line, as a model wrote it or as it is shown, without its list mark, code marks, invisible characters and breaks.

    >>> clean_line("- `likes\\n tea`")
    'likes tea'
    """
    return " ".join(without_list_mark(clean_text(_UNSEEN.sub("", text))).split())


def read_lines(markdown: str, known: Sequence[ProfileLine] = (), *, day: str = "") -> tuple[ProfileLine, ...]:
    """Return the lines of a text that people write: one a bullet or line of prose, each after the heading above it.

    What stands there as it is `known` keeps its id, kind, evidence and days; a line that was changed in its place keeps its id,
    and rests on nothing but the hand that wrote it. `day` is noted for new lines that name none themselves.

    >>> [line.dated_text for line in read_lines("# Food\\n- likes tea (2026-02-20)\\n- no onions", day="2026-03-02")]
    ['Food: likes tea (2026-02-20)', 'Food: no onions (2026-03-02)']
    """
    told = list(_texts(markdown, known))
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
                former = replace(former, text=text, told=1, first_day=when, last_day=when, evidence=())
            elif how == "equal":
                former = replace(former, last_day=own_day or former.last_day)
            lines.append(former)
    return distinct(lines)


def _texts(markdown: str, known: Sequence[ProfileLine]) -> Iterable[tuple[str, str]]:
    """Return the statements of a text and the day at the end of each, "" for none.

    A bullet as a `known` line is written is that line, whatever its text looks like ("-", a day in brackets at its end).
    """
    untouched: dict[str, list[ProfileLine]] = {}
    for line in known:
        untouched.setdefault(f"- {line.dated_text}", []).append(line)
    heading = ""
    for written in clean_text(markdown).splitlines():
        if not heading and (same := untouched.get(written.strip())):
            line = same.pop(0)
            yield line.text, line.last_day
            continue
        if not written.strip() or _FENCE.match(written):
            continue
        if found := _HEADING.fullmatch(written):
            heading = (found["hash"] or found["bold"] or "").strip().rstrip(":：")
            continue
        text = " ".join(without_list_mark(written.strip()).split())
        day = _DAY.search(text)
        text = text[: day.start()] if day else text
        if text:
            yield f"{heading}: {text}" if heading else text, day["day"] if day else ""


def distinct(lines: Iterable[ProfileLine]) -> tuple[ProfileLine, ...]:
    """Return lines with ids that no two share: a line whose id is taken gets another one."""
    found: dict[str, ProfileLine] = {}
    for line in lines:
        others = (line_id_of(line.text, line.line_id, str(n)) for n in count(1))
        line_id = next(one for one in chain([line.line_id], others) if one not in found)
        found[line_id] = replace(line, line_id=line_id)
    return tuple(found.values())


def with_lines(lines: Sequence[ProfileLine], new: Sequence[ProfileLine], name: str = "") -> tuple[ProfileLine, ...]:
    """Return `lines` with `new` ones behind them; what says the same as a known line is that line, told again, in the new words.

    Two lines say the same if their words are the same without those that only arrange them ("is a nurse", "works as a nurse"),
    and without `name`, the person's. Told again by the same event it is not counted twice. Where there are more than
    MOST_LINES some leave (`bounded`).
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


def with_expiry(lines: Sequence[ProfileLine], expiry: Mapping[str, float | None]) -> tuple[ProfileLine, ...]:
    """Return the lines, each ending with the last of the events on which it rests.

    `expiry` is when events expire (seconds since the epoch; None: never), by id. A line that rests
    on any other event, or on one that does not expire, stays open.
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
    """Return lines without those that are too many: of kind `other` first, then plans, tastes and habits, then home, work and
    relations, each the one first whose last day is the oldest. Pinned lines and those of health, boundaries and identity stay.
    """
    may_go = (n for n, one in enumerate(lines) if one.kind in _LEAVES and not one.pinned)
    first = sorted(may_go, key=lambda n: (_LEAVES[lines[n].kind], lines[n].last_day, n))
    gone = set(first[: max(0, len(lines) - most)])
    return tuple(one for n, one in enumerate(lines) if n not in gone)


def _same(line: ProfileLine, name: str) -> tuple[object, ...]:
    """Return what two lines have in common that say the same."""
    words = said_words(line.text, name)
    return (line.kind, line.said_by, *words) if words else (plain_words(line.text),)


def plain_words(text: str) -> str:
    """Return a statement for comparison: two lines say the same if these are equal. A longer text stays as it is."""
    return text if len(text) > LONGEST_COMPARED else comparable(text) or text


def without_evidence(line: ProfileLine, gone: Collection[str]) -> ProfileLine | None:
    """Return a line without evidence that is `gone`, by ids of events; None if it rested on that alone."""
    rest = tuple(one for one in line.evidence if one not in gone)
    lost = len(line.evidence) - len(rest)
    if not lost:
        return line
    return replace(line, evidence=rest, told=max(1, line.told - lost)) if rest else None


CERTAIN: frozenset[LineKind] = frozenset(("health", "boundary"))
"""Declarations that become lines where a model reads the talk too: what must not depend on a model."""
BETWEEN_QUOTES = " → "
"""What stands between the words of a line and those that correct them without saying the whole anew."""


def said_lines(message: Event, *, certain: bool = False) -> list[ProfileLine]:
    """Return what a message asks to have remembered and what its sender declares of themselves, quoted as said.

    With `certain` declarations of the kinds in CERTAIN alone.
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
    lines: Sequence[ProfileLine], corrected: Sequence[str], message: Event, new: Sequence[ProfileLine]
) -> tuple[ProfileLine, ...]:
    """Return `lines` without the line that `message` takes back or says anew. `corrected` are the ids of the parts of the message
    to which it answers.

    It is the one line that rests on nothing else. If `message` takes it back, or says it anew (one of `new` is of its kind), it
    goes; if it is only said to be wrong it gets the words of `message` behind its own, so that a reader sees both. Where several
    lines could be meant nothing changes.
    """
    how = correction_in(message.text)
    meant = [one for one in lines if one.evidence and not one.pinned and set(one.evidence) <= set(corrected)]
    if not how or len(meant) != 1:
        return tuple(lines)
    (wrong,) = meant
    if how == "taken back" or any(one.kind == wrong.kind for one in new):
        return tuple(one for one in lines if one is not wrong)
    text = f"{wrong.text}{BETWEEN_QUOTES}{quoted_line(message.text)}"
    evidence = bounded_evidence((*wrong.evidence, message.event_id))
    mended = wrong if new else replace(wrong, text=text, last_day=message.day, evidence=evidence)
    return tuple(mended if one is wrong else one for one in lines)
