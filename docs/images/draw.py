"""Draw the pictures of the README: what `historian demo` shows, in both languages, and the badges.

    python docs/images/draw.py [FOLDER]        # default: the folder of this script

The texts are what the demo prints with `--json`; nothing in the pictures is written by hand but the headings.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html import escape as escaped
from pathlib import Path
from typing import Any

from historian import __version__
from historian.interfaces.cli.console import changes
from rich.text import Text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH = 720
LINE = 26
FONTS = 'system-ui, "Segoe UI", "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif'
STYLE = f"""
  text {{ font: 14px {FONTS}; fill: #1f2328 }} .head {{ font-weight: 600 }} .dim {{ fill: #59636e; font-weight: 400 }}
  .card {{ fill: #f6f8fa; stroke: #d1d9e0 }} .arrow {{ fill: none; stroke: #59636e; stroke-width: 1.5 }}
  .went {{ fill: #cf222e }} .came {{ fill: #1a7f37; font-weight: 600 }}
  @media (prefers-color-scheme: dark) {{
    text {{ fill: #f0f6fc }} .card {{ fill: #151b23; stroke: #3d444d }} .dim {{ fill: #9198a1 }} .arrow {{ stroke: #9198a1 }}
    .went {{ fill: #f85149 }} .came {{ fill: #3fb950 }}
  }}
"""
WORDS = {
    "en": {
        "job": "demo-en-group",
        "name": "overview.svg",
        "given": "What a bot hands over",
        "filed": "What is filed: true a year later, out of context",
        "asked": "Before a reply",
        "elsewhere": "the same question in another group",
        "nothing": "nothing",
    },
    "zh": {
        "job": "demo-zh-group",
        "name": "overview.zh-CN.svg",
        "given": "机器人交来的",
        "filed": "归档的：离开上下文，一年后仍然看得懂",
        "asked": "回复之前",
        "elsewhere": "同一个问题，在另一个群里",
        "nothing": "什么也没有",
    },
}
BADGES = {
    "version": ("historian", __version__),
    "python": ("python", "3.11 – 3.13"),
    "license": ("license", "MIT"),
    "typed": ("types", "mypy --strict"),
}


def escape(text: str) -> str:
    """Return the text for SVG."""
    return escaped(text, quote=False)


def coloured(text: Text) -> str:
    """Return the text as SVG, with removed parts in red and added ones in green."""
    shown, at = "", 0
    for span in text.spans:
        kind = "went" if "red" in str(span.style) else "came"
        shown += (
            escape(text.plain[at : span.start])
            + f'<tspan class="{kind}">{escape(text.plain[span.start : span.end])}</tspan>'
        )
        at = span.end
    return shown + escape(text.plain[at:])


def card(top: int, head: str, dim: str, lines: list[str]) -> str:
    """Return a box with a heading and lines of SVG text."""
    dimmed = f' <tspan class="dim" dx="6">{escape(dim)}</tspan>' if dim else ""
    rows = [f'<text x="20" y="{top + 30}" class="head">{escape(head)}{dimmed}</text>']
    rows += [
        f'<text x="20" y="{top + 32 + LINE * number}">{line}</text>'
        for number, line in enumerate(lines, 1)
    ]
    return (
        f'<rect class="card" x="0.5" y="{top + 0.5}" width="{WIDTH - 1}" height="{height(lines)}" rx="8"/>'
        + "".join(rows)
    )


def height(lines: list[str]) -> int:
    return 48 + LINE * len(lines)


def overview(records: list[dict[str, Any]], words: dict[str, str]) -> str:
    """Return the picture of one language: a turn of the demo, what it became, and a question about it."""
    demo = tomllib.loads((ROOT / "interfaces/cli/demo.toml").read_text(encoding="utf-8"))
    turn = next(turn for turn in demo["turns"] if turn["request_id"] == words["job"])
    place = demo["places"][turn["place"]]
    where = (
        f"{place['group_name']} · {turn['user_name']} · {turn['timestamp'][:16].replace('T', ' ')}"
    )
    job = next(
        record
        for record in records
        if record["step"] == "job" and record["job_id"].startswith(words["job"])
    )
    pairs = [changes(item["source"], item["candidate"]) for item in job["items"]]
    asked = [record for record in records if record["step"] == "recall"]
    here = next(record for record in asked if record["scope"] == f"g:{place['group_id']}")
    elsewhere = next(
        record for record in asked if record["query"] == here["query"] and not record["hits"]
    )
    hits = [f'<tspan class="came">{escape(hit["text"])}</tspan>' for hit in here["hits"][:1]]
    assert hits and not elsewhere["hits"]
    cards = [
        (words["given"], where, [coloured(before) for before, _ in pairs]),
        (
            words["filed"],
            "",
            [f'<tspan class="came">✓</tspan> {coloured(after)}' for _, after in pairs],
        ),
        (
            words["asked"],
            place["group_name"],
            [
                f"{escape(here['query'])} → {hits[0]}",
                f'<tspan class="dim">{words["elsewhere"]} → {words["nothing"]}</tspan>',
            ],
        ),
    ]
    drawn, top = "", 0
    for number, (head, dim, lines) in enumerate(cards):
        if number:
            drawn += f'<path class="arrow" d="M{WIDTH / 2} {top - 20} v12 m-5 -5 l5 5 l5 -5"/>'
        drawn += card(top, head, dim, lines)
        top += height(lines) + 28
    return svg(WIDTH, top - 27, words["given"], f"<style>{STYLE}</style>{drawn}")


def badge(left: str, right: str) -> str:
    """Return a small two-part label."""
    a, b = (12 + round(6.6 * len(part)) for part in (left, right))
    style = "font: 11px Verdana, DejaVu Sans, sans-serif; fill: #fff; text-anchor: middle"
    right_half = (
        f'<path d="M{a} 0h{b - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{b - 3}z" fill="#2b6cb0"/>'
    )
    texts = "".join(
        f'<text x="{x}" y="14" style="{style}">{escape(part)}</text>'
        for x, part in ((a / 2, left), (a + b / 2, right))
    )
    return svg(
        a + b,
        20,
        f"{left}: {right}",
        f'<rect width="{a + b}" height="20" rx="3" fill="#555"/>' + right_half + texts,
    )


def svg(width: int, height: int, title: str, inside: str) -> str:
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(title)}</title>{inside}</svg>\n'


def pictures() -> Iterator[tuple[str, str]]:
    """Yield every picture: its file name and the SVG."""
    shown = subprocess.run(
        [sys.executable, "-m", "historian", "demo", "--json"], capture_output=True, check=True
    )
    records = [json.loads(line) for line in shown.stdout.decode().splitlines()]
    for words in WORDS.values():
        yield words["name"], overview(records, words)
    for name, (left, right) in BADGES.items():
        yield f"badge-{name}.svg", badge(left, right)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for name, drawn in pictures():
        (folder / name).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
