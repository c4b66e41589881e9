"""For how long every public call keeps the event loop from its other tasks, by adversarial texts of three sizes.

    python benchmarks/event_loop.py [--runs 3] [--families NAME ...] [--megabyte]

Each call is made with texts of 1 KB and 100 KB (with `--megabyte` of 1 MB too) of every family in
`tests/support/adversarial.py`, over a directory that holds 200 events, a profile, an article and summaries, with the worker
running. Printed is the longest gap between two ticks of the loop in milliseconds, of the best of `--runs` runs, and the
family that took it: what all threads of the process computed meanwhile (a thread that keeps the interpreter's lock keeps
the loop waiting) and, in brackets, what the loop's own thread computed. Neither counts what other processes take.
"With the worker" goes on until the job is filed.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from pathlib import Path

from machine import machine_line

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.adversarial import FAMILIES, Family
from support.public_calls import CALLS, Call, filled_memory, gap_of

KILOBYTES = (1, 100, 1000)


async def longest(call: Call, families: dict[str, Family], kilobytes: int, runs: int) -> tuple[float, float, str]:
    """Return the longest gap in all threads and in the loop's own (ms), and the family that took it."""
    worst = (0.0, 0.0, "")
    for name, family in families.items():
        with tempfile.TemporaryDirectory() as folder:
            async with filled_memory(Path(folder)) as memory:
                gaps = [await gap_of(call, memory, family, 1_000 * kilobytes, run) for run in range(runs)]
        best = min(gaps, key=lambda gap: gap.held)
        worst = max(worst, (1000 * best.held, 1000 * best.busy, name))
    return worst


async def report(families: dict[str, Family], sizes: tuple[int, ...], runs: int) -> None:
    print("| call | " + " | ".join(f"{size} KB" if size < 1000 else "1 MB" for size in sizes) + " | most by |")
    print("| --- |" + " ---: |" * len(sizes) + " --- |")
    for name, call in CALLS.items():
        cells, by = [], ""
        for size in sizes:
            wall, busy, by = await longest(call, families, size, runs)
            cells.append(f"{wall:.1f} ({busy:.1f})")
        print(f"| `{name}` | {' | '.join(cells)} | `{by}` |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--families", nargs="*", default=[])
    parser.add_argument("--megabyte", action="store_true")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    print(machine_line())
    families = {name: family for name, family in FAMILIES.items() if not options.families or name in options.families}
    asyncio.run(report(families, KILOBYTES if options.megabyte else KILOBYTES[:2], options.runs))


if __name__ == "__main__":
    main()
