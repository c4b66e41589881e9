"""For how long every public call keeps the event loop from its other tasks, by adversarial texts of three sizes.

    python benchmarks/event_loop.py [--sizes 1 100 1000] [--calls WORD ...] [--families NAME ...] [--all FILE.csv]

Each call is made with a text of so many kilobytes (in UTF-8) of every family in `tests/support/adversarial.py`, over a
directory that holds 200 events, a profile, an article and summaries. All families of a call share a directory; the
worker runs where the call waits for it. Taken is the longest gap between two ticks of the loop in milliseconds: what all
threads of the process computed meanwhile (a thread that keeps the interpreter's lock keeps the loop waiting) and, in
brackets, what the loop's own thread computed. Neither counts what other processes take. A gap of more than 20 ms is taken
again twice, with other texts of the family, and the least of the three counts: what blocks the loop by itself does so each
time. Printed are the worst family of each call and size, how many pairs of call and family stay under a bound, and the worst.
"With the worker" goes on until the job is filed; what was filed is then recalled.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import logging
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import NamedTuple, TextIO

from machine import machine_line

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from historian.service.cognitive import CognitiveService
from support.adversarial import FAMILIES
from support.public_calls import CALLS, FILED, TOLD, Call, filled_memory, gap_of, text_of, told

RUNS = 3
ENOUGH_MS = 20.0
BOUNDS_MS = (10, 20, 50)
WORST = 10


class Taken(NamedTuple):
    """The gap of one call with one family in ms: of all threads, of the loop's own thread, and by
    the clock. It is the smallest of `runs`.
    """

    call: str
    family: str
    kilobytes: int
    held: float
    busy: float
    wall: float
    runs: int


async def taken(call: str, memory: CognitiveService, family: str, kilobytes: int) -> list[Taken]:
    """Return the gap of a call. With the worker, also return the gap of a recall of the filed
    text.
    """
    calls: dict[str, Call] = {call: CALLS[call]} | ({TOLD: told} if call == FILED else {})
    best: dict[str, Taken] = {}
    for run in range(RUNS):
        text = text_of(FAMILIES[family], 1000 * kilobytes, run + 1)
        for name, made in calls.items():
            gap = await gap_of(made, memory, text)
            one = Taken(
                name, family, kilobytes, 1000 * gap.held, 1000 * gap.busy, 1000 * gap.wall, run + 1
            )
            best[name] = min(best.get(name, one), one, key=lambda taken: taken.held)._replace(
                runs=run + 1
            )
        if all(one.held <= ENOUGH_MS for one in best.values()):
            break
    return list(best.values())


async def measured(
    calls: Sequence[str], families: Iterable[str], sizes: Sequence[int]
) -> AsyncIterator[Taken]:
    for call in calls:
        began = time.monotonic()
        for at_once in [[size] for size in sizes] if call == FILED else [sizes]:
            with tempfile.TemporaryDirectory() as folder:
                async with filled_memory(Path(folder), worker=call == FILED) as memory:
                    for kilobytes, family in product(at_once, families):
                        for one in await taken(call, memory, family, kilobytes):
                            yield one
        print(f"{call}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


def worst(found: Iterable[Taken]) -> list[Taken]:
    return sorted(found, key=lambda one: one.held, reverse=True)


def table(found: Sequence[Taken], sizes: Sequence[int]) -> str:
    """Return the worst family of every call and size as Markdown."""
    heads = [f"{size} KB" if size < 1000 else f"{size // 1000} MB" for size in sizes]
    lines = [f"| call | {' | '.join(heads)} | most by |", f"| --- |{' ---: |' * len(sizes)} --- |"]
    for call in dict.fromkeys(one.call for one in found):
        cells = [
            worst(one for one in found if (one.call, one.kilobytes) == (call, size))[0]
            for size in sizes
        ]
        figures = " | ".join(f"{one.held:.1f} ({one.busy:.1f})" for one in cells)
        lines.append(f"| `{call}` | {figures} | `{worst(cells)[0].family}` |")
    return "\n".join(lines)


def summary(found: Sequence[Taken], sizes: Sequence[int]) -> str:
    """Return, for every size, how many pairs of call and family stay under each bound, and the
    worst pairs.
    """
    lines = []
    for size in sizes:
        held = worst(one for one in found if one.kilobytes == size)
        under = ", ".join(
            f"{sum(one.held < bound for one in held)} under {bound} ms" for bound in BOUNDS_MS
        )
        lines.append(f"{size} KB: of {len(held)} pairs {under}")
        lines += [
            f"  {one.held:6.1f} ({one.busy:.1f})  {one.call}  {one.family}" for one in held[:WORST]
        ]
    return "\n".join(lines)


async def report(
    calls: Sequence[str], families: Sequence[str], sizes: Sequence[int], file: TextIO | None
) -> None:
    rows = csv.writer(file) if file else None
    found: list[Taken] = []
    if rows:
        rows.writerow(Taken._fields)
    async for one in measured(calls, families, sizes):
        found.append(one)
        if rows:
            rows.writerow(round(value, 2) if isinstance(value, float) else value for value in one)
    print(table(found, sizes), summary(found, sizes), sep="\n\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", nargs="*", type=int, default=[1, 100, 1000], help="kilobytes")
    parser.add_argument("--calls", nargs="*", default=[""], help="parts of the names of calls")
    parser.add_argument("--families", nargs="*", default=list(FAMILIES))
    parser.add_argument("--all", type=Path, help="a CSV file for every pair")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    print(machine_line(), flush=True)
    calls = [name for name in CALLS if name != TOLD and any(word in name for word in options.calls)]
    with (
        options.all.open("w", buffering=1, newline="", encoding="utf-8")
        if options.all
        else nullcontext() as file
    ):
        asyncio.run(report(calls, options.families, options.sizes, file))


if __name__ == "__main__":
    main()
