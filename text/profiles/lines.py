"""Lines of a profile: read from Markdown, told once or again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from ...schema.job import clean_text, without_list_mark
from ...schema.profile import ProfileLine, bounded_evidence, line_id_of
from ..gate.quotations import comparable

_HEADING = re.compile(r"\s*(?:#{1,6}\s+(?P<hash>.*?)\s*#*|\*\*(?P<bold>[^*]+)\*\*[:：]?)\s*")
_DAY = re.compile(r"\s*\((?P<day>\d{4}-\d\d-\d\d)\)\s*$", re.ASCII)
_FENCE = re.compile(r"\s*(?:```|~~~|---\s*$|<!--.*-->\s*$)")


def read_lines(markdown: str, known: Sequence[ProfileLine] = (), *, day: str = "") -> tuple[ProfileLine, ...]:
    """Return the lines of a text that people write: one a bullet or line of prose, each after the heading above it.

    What stands there as it is `known` keeps its id, kind, evidence and days; a line that was changed in its place keeps its id,
    and rests on nothing but the hand that wrote it. `day` is noted for new lines that name none themselves.

    >>> [line.dated_text for line in read_lines("# Food\\n- likes tea (2026-02-20)\\n- no onions", day="2026-03-02")]
    ['Food: likes tea (2026-02-20)', 'Food: no onions (2026-03-02)']
    """
    shown = {" ".join(line.dated_text.split()): line.text for line in known}
    told = list(_texts(markdown, shown))
    before = [line.text for line in known]
    lines: list[ProfileLine] = []
    for how, start, end, first, last in SequenceMatcher(None, before, [text for text, _ in told], autojunk=False).get_opcodes():
        for n, (text, own_day) in enumerate(told[first:last]):
            former = known[start + n] if how in ("equal", "replace") and start + n < end else None
            when = own_day or day
            if former is not None and former.text == text:
                lines.append(former if own_day in ("", former.last_day) else replace(former, last_day=own_day))
            elif former is not None:
                lines.append(replace(former, text=text, told=1, first_day=when, last_day=when, evidence=()))
            else:
                moved = next((line for line in known if line.text == text and line not in lines), None)
                lines.append(moved or ProfileLine(line_id_of(text, when), text, first_day=when, last_day=when))
    return distinct(lines)


def _texts(markdown: str, shown: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Return the statements of a text and the day at the end of each, "" for none. `shown` are texts by how they are shown."""
    heading = ""
    for written in clean_text(markdown).splitlines():
        if not written.strip() or _FENCE.match(written):
            continue
        if found := _HEADING.fullmatch(written):
            heading = (found["hash"] or found["bold"] or "").strip().rstrip(":：")
            continue
        text = " ".join(without_list_mark(written.strip()).split())
        if not heading and text in shown:
            yield shown[text], ""
            continue
        day = _DAY.search(text)
        text = text[: day.start()] if day else text
        if text:
            yield f"{heading}: {text}" if heading else text, day["day"] if day else ""


def distinct(lines: Iterable[ProfileLine]) -> tuple[ProfileLine, ...]:
    """Return lines with ids that no two share: a line whose id is taken gets another one."""
    found: dict[str, ProfileLine] = {}
    for line in lines:
        n = 0
        while (line_id := line.line_id if n == 0 else line_id_of(line.text, line.line_id, str(n))) in found:
            n += 1
        found[line_id] = line if n == 0 else replace(line, line_id=line_id)
    return tuple(found.values())


def with_lines(lines: Sequence[ProfileLine], new: Sequence[ProfileLine]) -> tuple[ProfileLine, ...]:
    """Return `lines` with `new` ones behind them; what says the same as a known line is that line, told again.

    Told again by the same event it is not counted twice.
    """
    result = list(lines)
    for line in new:
        words = plain_words(line.text)
        same = next((n for n, one in enumerate(result) if not one.until and plain_words(one.text) == words), None)
        if same is None:
            result.append(line)
            continue
        known = result.pop(same)
        if not set(line.evidence) <= set(known.evidence):
            days = sorted(filter(None, (known.first_day, known.last_day, line.first_day, line.last_day)))
            known = replace(
                known,
                told=known.told + line.told,
                first_day=days[0] if days else "",
                last_day=days[-1] if days else "",
                evidence=bounded_evidence((*known.evidence, *line.evidence)),
            )
        result.append(known)
    return distinct(result)


def plain_words(text: str) -> str:
    """Return a statement for comparison: two lines say the same if these are equal."""
    return comparable(text) or text
