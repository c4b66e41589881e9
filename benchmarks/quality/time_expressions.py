"""Time expressions against the Recognizers-Text specifications, beside JioNLP and dateparser where they are installed.

    python -m benchmarks.quality.time_expressions recognizers-datetime-zh.json recognizers-datetime-en.json [--own FILE.jsonl]

Each PATH is a specification of Microsoft's Recognizers-Text
(Specs/DateTime/{Chinese,English}/DateTimeModel.json, UTF-8 with BOM). The benchmark counts the gold
results whose value depends on the reference: of type date, daterange, datetime or datetimerange,
resolved, with no open part (no X) in the timex, and with no year, century or full numeric date in
their text. They are searched in the running sentence. A result is right if an expression that
overlaps it has the same first and last day as one of the gold values. Ends of ranges in the
specification are exclusive; if the text itself names both ends ("from the 4th to the 23rd"), the
named last day is accepted too. A result that has only a beginning or only an end (since, before) is
compared by that day. Vague expressions (最近, 马上) are counted separately, because their gold values
are arbitrary days. Results that are open in the gold (Friday, 3月5号: one value before and one after
the reference) have a separate line.

`--own` takes a file with one JSON object per line: text, reference, timezone, language, expected
[{text, value, until} or {text, vague}]. It counts the sentences in which nothing is missed and
nothing wrong is found.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import platform
import re
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from historian.text.time_expressions import TimeExpression, find_time_expressions

_TYPES = ("date", "daterange", "datetime", "datetimerange")
_ABSOLUTE = re.compile(
    r"(?<!\d)\d{4}(?!\d)|\d{4}[-/年]|[零〇一二三四五六七八九]{4}年|\b(?:nineteen|seventeen|two thousand)\b|century|世纪"
    r"|0\d ?年|\d{8}|康熙|雍正|民国|神龙|零八年|\d+/\d+/\d+|\d+-\d+-\d+|of 87|[cs]y\d|\d0s|\d\d年\d"
)
_VAGUE = frozenset({"最近", "马上", "recently", "lately"})
_NAMES_BOTH_ENDS = re.compile(r"到|至|和|-|–|\bto\b|\band\b|until|till|through")
_Days = tuple[date | None, date | None]


@dataclass(frozen=True)
class Gold:
    """One relative result of a specification."""

    sentence: str
    reference: datetime
    text: str
    start: int
    end: int
    days: frozenset[_Days]
    open: bool


_IS_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")


def _day(text: str) -> date:
    return date.fromisoformat(text[:10])


def _values(result: dict[str, Any]) -> frozenset[_Days]:
    days: set[_Days] = set()
    for value in (result.get("Resolution") or {}).get("values", []):
        said = [value[key] for key in ("value", "start", "end") if key in value]
        if not all(_IS_DAY.match(text) for text in said):
            continue  # "not resolved", or an invalid day (the 31st of a month of 30 days)
        if "value" in value:
            days.add((_day(value["value"]), _day(value["value"])))
            continue
        first, last = value.get("start"), value.get("end")
        if first and last:
            exclusive = len(last) == 10 or last.endswith("00:00:00")
            if not exclusive or _day(first) == _day(last):
                days.add((_day(first), _day(last)))
            else:
                days.add((_day(first), _day(last) - timedelta(days=1)))
                if _NAMES_BOTH_ENDS.search(result["Text"]):
                    days.add((_day(first), _day(last)))
        elif first or last:
            if last and "end" in value.get("Mod", ""):
                days.add(
                    (None, _day(last) - timedelta(days=1))
                )  # "before the end of": the end is exclusive too
            days.add((_day(first) if first else None, _day(last) if last else None))
    return frozenset(days)


def read_gold(path: Path) -> list[Gold]:
    """Return the relative and open results of a specification file, without duplicates."""
    gold: dict[Gold, None] = {}
    for case in json.loads(path.read_text(encoding="utf-8-sig")):
        reference = (case.get("Context") or {}).get("ReferenceDateTime")
        for result in case.get("Results", []) if reference else []:
            values = (result.get("Resolution") or {}).get("values", [])
            days = _values(result)
            if (
                result.get("TypeName", "").split(".")[-1] not in _TYPES
                or not days
                or _ABSOLUTE.search(result["Text"])
            ):
                continue
            is_open = any("X" in value.get("timex", "X") for value in values)
            one = Gold(
                case["Input"],
                datetime.fromisoformat(reference).replace(tzinfo=UTC),
                result["Text"],
                result["Start"],
                result["End"] + 1,
                days,
                is_open,
            )
            gold[one] = None
    return list(gold)


def agrees(first: date, last: date, days: Iterable[_Days]) -> bool:
    """Return True if first and last day equal one of the gold values."""
    for begin, end in days:
        if begin is None or end is None:
            if first == begin or last == end or (begin is None and first == end):
                return True
        elif (first, last) == (begin, end):
            return True
    return False


def ours(gold: Gold) -> list[tuple[date, date]]:
    """Return the results of this package at the place of the gold result."""
    found = find_time_expressions(gold.sentence, gold.reference, "UTC", protected=())
    return [_days(item) for item in found if item.start < gold.end and item.end > gold.start]


def _days(item: TimeExpression) -> tuple[date, date]:
    return _day(item.value or "0001-01-01"), _day(item.until or "0001-01-01")


def jionlp_peer(module: Any) -> Callable[[Gold], list[tuple[date, date]]]:
    """Return a peer that runs the extractor of JioNLP over the sentence."""

    def run(gold: Gold) -> list[tuple[date, date]]:
        answers: list[tuple[date, date]] = []
        for found in module.ner.extract_time(gold.sentence, time_base=gold.reference.timestamp()):
            begin, end = found["offset"]
            times = found["detail"].get("time")
            if begin < gold.end and end > gold.start and isinstance(times, list):
                answers.append((_day(times[0]), _day(times[1])))
        return answers

    return run


def dateparser_peer(module: Any) -> Callable[[Gold], list[tuple[date, date]]]:
    """Return a peer that runs the search of dateparser over the sentence."""
    search = importlib.import_module("dateparser.search").search_dates

    def run(gold: Gold) -> list[tuple[date, date]]:
        language = "zh" if re.search("[一-鿿]", gold.sentence) else "en"
        settings = {
            "RELATIVE_BASE": gold.reference.replace(tzinfo=None),
            "RETURN_AS_TIMEZONE_AWARE": False,
        }
        found = search(gold.sentence, languages=[language], settings=settings) or []
        return [
            (moment.date(), moment.date())
            for words, moment in found
            if words in gold.text or gold.text in words
        ]

    return run


def report(
    name: str, gold: list[Gold], answer: Callable[[Gold], list[tuple[date, date]]], *, show: bool
) -> None:
    """Print a row, and with `show` the results that are not right."""
    rows = {
        "relative": [g for g in gold if not g.open and g.text.lower() not in _VAGUE],
        "open": [g for g in gold if g.open],
    }
    cells = []
    for kind, items in rows.items():
        right = 0
        for item in items:
            try:
                answers = answer(item)
            except (
                ValueError,
                TypeError,
                KeyError,
                IndexError,
                OverflowError,
                AttributeError,
            ) as error:
                answers = []
                if show:
                    print(f"    {type(error).__name__} in {item.sentence!r}")
            if any(agrees(first, last, item.days) for first, last in answers):
                right += 1
            elif show:
                expected = " or ".join(sorted(f"{a}..{b}" for a, b in item.days))
                got = ", ".join(f"{a}..{b}" for a, b in answers) or "nothing"
                where = (
                    f"{item.text!r} in {item.sentence[:70]!r} at {item.reference:%Y-%m-%dT%H:%M}"
                )
                print(f"    {kind}: {where}: {expected}; got {got}")
        cells.append(f"{kind} {right}/{len(items)} = {100 * right / max(1, len(items)):.1f} %")
    vague = sum(not g.open and g.text.lower() in _VAGUE for g in gold)
    print(f"  {name:<28} {'   '.join(cells)}   (vague, apart: {vague})")


def report_own(path: Path) -> None:
    """Print the number of sentences of an own file in which exactly the expected expressions were
    found.
    """
    counts: dict[str, list[int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        found = find_time_expressions(
            case["text"], datetime.fromisoformat(case["reference"]), case["timezone"]
        )
        got = [
            (item.text, "vague") if item.vague else (item.text, f"{item.value}..{item.until}")
            for item in found
        ]
        want = [
            (e["text"], "vague" if e.get("vague") else f"{e['value']}..{e['until']}")
            for e in case["expected"]
        ]
        tally = counts.setdefault(case["language"], [0, 0, 0])
        tally[0] += 1
        tally[1] += [value for _, value in got] == [value for _, value in want]
        tally[2] += got == want
        if [value for _, value in got] != [value for _, value in want]:
            print(f"    {case['text']!r}: expected {want}, got {got}")
    for language, (total, right, exact) in counts.items():
        print(
            f"  {language}: {right}/{total} sentences right = {100 * right / total:.1f} %, spans exact too: {exact}"
        )


def speed(sentences: list[str], reference: datetime) -> float:
    """Measure the sentences per second on one core, as the median of five passes."""
    passes = []
    for _ in range(5):
        begin = time.perf_counter()
        for sentence in sentences:
            find_time_expressions(sentence, reference, "Asia/Shanghai")
        passes.append(len(sentences) / (time.perf_counter() - begin))
    return sorted(passes)[2]


def main() -> int:
    """Run the benchmark. Return 0 when it has run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="Recognizers-Text specification (JSON)"
    )
    parser.add_argument("--own", type=Path, help="own labelled sentences, one JSON object a line")
    parser.add_argument("--no-peers", action="store_true", help="leave JioNLP and dateparser out")
    options = parser.parse_args()
    print(
        f"{platform.machine()}, {platform.processor() or 'cpu'}, Python {platform.python_version()}, {platform.system()}"
    )
    peers: dict[str, Callable[[Gold], list[tuple[date, date]]]] = {}
    for package, build in (("jionlp", jionlp_peer), ("dateparser", dateparser_peer)):
        if options.no_peers:
            break
        try:
            module = importlib.import_module(package)
        except ImportError:
            print(f"{package}: not installed, left out")
            continue
        peers[f"{package} {importlib.metadata.version(package)}"] = build(module)
    for path in options.paths:
        gold = read_gold(path)
        print(
            f"{path.name}: n = {sum(not g.open for g in gold)} relative, {sum(g.open for g in gold)} open"
        )
        report("historian", gold, ours, show=True)
        for name, answer in peers.items():
            if not name.startswith("jionlp") or any(re.search("[一-鿿]", g.sentence) for g in gold):
                report(name, gold, answer, show=False)
        sentences = sorted({g.sentence for g in gold})
        print(
            f"  speed: {speed(sentences, gold[0].reference):,.0f} sentences a second, one core, n = {len(sentences)}"
        )
    if options.own is not None:
        print(f"{options.own.name}:")
        report_own(options.own)
    return 0


if __name__ == "__main__":
    sys.exit(main())
