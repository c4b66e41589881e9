"""Everyday sentences with expressions of time: right, whole and reported, damaged, or passed unresolved.

    python -m benchmarks.quality.time_sentences [FILE.jsonl …] [--show]

Without a FILE the frozen set `benchmarks/data/time_sentences.jsonl` is read.

A line holds text, said_at, timezone, cat (its kind), expressions (words, from, to: first and last
day or minute), vague (people would not agree on the days) and none (its words look like a time but
mean none). The labels were made by people who did not know the rules. Weeks run from Monday to
Sunday; a part of a day is labelled with its day.

- right: each expression is resolved to its days, is rendered as an amount before or after the day
  of saying ("a few days before 2026-02-21"), or is unchanged because it names its year. A rendering
  as the day of saying ("now") is never wrong. For a deadline the last day counts ("until the end of
  November 2025"), for a vague line any common day. A line that means no time is right if no rule
  changed it. A name is left beside its day if another expression that touches it is resolved to the
  same day ("Cup Day on 2026-11-03").
- whole: the words of the expression are unchanged and the event is not absolute.
- damaged: the expression is resolved to other days, or a part of it is replaced.
- passed: the words are unchanged, and the gate takes the text for absolute.

`--show` prints the lines that are neither right nor whole. Do not use it for a set that must stay
unread.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from historian.text.checks.relative_words import find_relative_words
from historian.text.time_expressions import TimeExpression, resolve_times

_DATA = Path(__file__).parents[1] / "data"
_HAS_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_AMOUNT = re.compile(
    r"(?:days?|weeks?|months?|years?) (?:before|after) \d{4}|之[前后]的?(?:几|一段)|some time (?:before|after)|的.{1,4}[前后]$"
)
_TOUCHES = re.compile(r"[,，、(（]? ?(?:(?:is|was|it's|that's|falls|就?是|正好是?|的) ?)?(?:on )?")
_ORDER = ("right", "whole", "passed", "damaged")


def judged(line: dict[str, Any]) -> tuple[str, str]:
    """Return the class of a line, and its text after resolution."""
    text = line["text"]
    resolved, found = resolve_times(text, datetime.fromisoformat(line["said_at"]), line["timezone"])
    reported = any(finding.kind == "time" for finding in find_relative_words(resolved).violations)
    local = (
        datetime.fromisoformat(line["said_at"]).astimezone(ZoneInfo(line["timezone"])).isoformat()
    )
    classes = []
    left = [one for one in found if not one.vague]
    for gold in line["expressions"]:
        at = text.find(gold["words"])
        overlapping = [one for one in found if one.start < at + len(gold["words"]) and one.end > at]
        left = [one for one in left if one not in overlapping]
        beside = not overlapping and any(_names_its_day(gold, at, text, one) for one in found)
        kept = beside and gold["words"].casefold() in resolved.casefold()
        classes.append(
            "right" if kept else _class(gold, overlapping, line, resolved, reported=reported)
        )
    if any(one.value != local[:10] for one in left):
        classes.append("damaged")
    return max(classes, key=_ORDER.index, default="right"), resolved


def _names_its_day(gold: dict[str, str], at: int, text: str, one: TimeExpression) -> bool:
    """Return True if `one` touches the words of `gold` and is resolved to the same days."""
    gap = text[one.end : at] if one.end <= at else text[at + len(gold["words"]) : one.start]
    return (one.value, one.until) == (gold["from"], gold["to"]) and _TOUCHES.fullmatch(
        gap
    ) is not None


def _class(
    gold: dict[str, str],
    found: list[TimeExpression],
    line: dict[str, Any],
    resolved: str,
    *,
    reported: bool,
) -> str:
    if not found:
        if _HAS_YEAR.search(gold["words"]) and gold["words"] in resolved:
            return "right"
        return "damaged" if gold["words"] not in resolved else "whole" if reported else "passed"
    if any(
        one.vague and one.rendered.strip() not in ("", one.value) and _AMOUNT.search(one.rendered)
        for one in found
    ):
        return "right"
    size = len(gold["from"])
    first = min((one.value or "")[:size] for one in found)
    last = max((one.until or "")[:size] for one in found)
    if (first, last) == (gold["from"], gold["to"]) or (
        line["cat"] == "deadline" and last == gold["to"]
    ):
        return "right"
    if line["vague"] and first[:10] <= gold["to"][:10] and last[:10] >= gold["from"][:10]:
        return "right"
    return "damaged"


def report(path: Path, *, show: bool) -> None:
    """Print the shares of a set, in total and by kind of line."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kinds: dict[str, Counter[str]] = {}
    for line in lines:
        name, resolved = judged(line)
        kinds.setdefault(line["cat"], Counter())[name] += 1
        if show and name in ("damaged", "passed"):
            wanted = ", ".join(
                f"{one['words']} = {one['from']}..{one['to']}" for one in line["expressions"]
            )
            print(
                f"  {name}: {line['text']!r} ({line['said_at'][:16]}) -> {resolved!r}; expected {wanted or 'nothing'}"
            )
    total = sum(kinds.values(), Counter[str]())
    good = total["right"] + total["whole"]
    print(
        f"{path.name}: n = {len(lines)}, right or whole {good} = {100 * good / len(lines):.1f} %, {_counts(total)}"
    )
    for kind, counts in sorted(kinds.items(), key=lambda one: -one[1].total()):
        print(f"  {kind:<24} {_counts(counts)}")


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in _ORDER)


def main() -> int:
    """Run the benchmark. Return 0 when it has run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="labelled sentences, one JSON object a line",
    )
    parser.add_argument(
        "--show", action="store_true", help="print the lines that are neither right nor whole"
    )
    options = parser.parse_args()
    for path in options.paths or [_DATA / "time_sentences.jsonl"]:
        report(path, show=options.show)
    return 0


if __name__ == "__main__":
    sys.exit(main())
