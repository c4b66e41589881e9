"""The description of the machine that a benchmark runs on, the summary of a series of times, and
tables in pages.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def machine_line(*packages: str) -> str:
    """Return the number of processors, the version of Python and the versions of `packages` as one
    line.
    """
    versions = []
    for name in ("langgraph", "chromadb", *packages):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"{name} not installed")
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; {', '.join(versions)}"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile; `share` is in 0..1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def row(label: str, seconds: Sequence[float]) -> str:
    """Return n, p50, p95 and p99 in milliseconds as one line."""
    times = [percentile(seconds, share) * 1000 for share in (0.5, 0.95, 0.99)]
    return f"{label:<34} n={len(seconds):<6} p50 {times[0]:8.3f} ms   p95 {times[1]:8.3f} ms   p99 {times[2]:8.3f} ms"


def put_between_marks(page: Path, name: str, text: str) -> None:
    """Replace the text between `<!-- name -->` and `<!-- /name -->`."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    old = page.read_text(encoding="utf-8")
    if begin not in old or end not in old:
        raise SystemExit(f"{page} has no marks {begin} … {end}")
    head, rest = old.split(begin, 1)
    page.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")
