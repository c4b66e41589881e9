"""How many secrets redaction finds, what it takes by mistake, and how fast it is, beside detect-secrets where installed.

    python -m benchmarks.quality.redaction [--lines FILE.jsonl ...] [--code DIR] [--code-megabytes 5] [--missed]

*Lines*: the project's labelled lines (read while the rules were made) and the held-out ones (never read), and any file of
one JSON object a line: text, secrets [the exact substrings, empty where nothing is to be hidden], level (`secrets` or
`all`). A line counts as found when no five neighbouring characters of its secrets are left; a harmless line that is
changed at all is a false alarm.

*Code*: source files that hold no secrets but in their tests: all that is redacted in them is counted and, with `--missed`,
shown. The default is what is installed beside this project.

*Speed*: microseconds a kilobyte for ordinary talk in Chinese and English (at both levels), for the labelled harmless lines and
for code, and for ten times as much (linear time), as medians.

detect-secrets (Yelp) is asked per line with all its plugins, with and without those that go by entropy alone; it gives a
line or not, so what counts as found there is the line.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from historian.text.redaction import find_secrets, redact

from ..machine import machine_line
from .redaction_lines import HELD_OUT, LABELLED, Line, is_left, read_lines


def detect_secrets_peer(*, entropy: bool) -> Callable[[str], bool] | None:
    """Return a function that returns True if detect-secrets finds anything in a text; None if
    detect-secrets is not installed.
    """
    try:
        scan: Any = importlib.import_module("detect_secrets.core.scan")
        settings: Any = importlib.import_module("detect_secrets.settings")
        known: Any = importlib.import_module("detect_secrets.core.plugins.util")
    except ImportError:
        return None
    names = [plugin.__name__ for plugin in known.get_mapping_from_secret_type_to_class().values()]
    plugins = [{"name": name} for name in names if entropy or "Entropy" not in name]

    def finds(text: str) -> bool:
        with settings.transient_settings({"plugins_used": plugins}):
            return any(list(scan.scan_line(line)) for line in text.splitlines())

    return finds


def report_lines(
    name: str, lines: list[Line], peers: dict[str, Callable[[str], bool]], *, show: bool
) -> None:
    secret = [line for line in lines if line.secrets]
    harmless = [line for line in lines if not line.secrets]
    missed = [line for line in secret if is_left(line, redact(line.text, line.level))]
    touched = [line for line in harmless if redact(line.text, "all") != line.text]
    print(name)
    print(
        _figures("historian", len(secret) - len(missed), len(secret), len(touched), len(harmless))
    )
    for peer, finds in peers.items():
        keys = [line for line in secret if line.level == "secrets"]
        found = sum(finds(line.text) for line in keys)
        alarms = sum(finds(line.text) for line in harmless)
        print(
            _figures(f"{peer} (lines; no personal data)", found, len(keys), alarms, len(harmless))
        )
    for kind, some in (("missed", missed), ("taken", touched)):
        for line in some if show else ():
            print(f"    {kind}: {line.text!r}")


def _figures(name: str, found: int, secrets: int, alarms: int, harmless: int) -> str:
    recall = 100 * found / max(secrets, 1)
    false = 100 * alarms / max(harmless, 1)
    told = f"found {found:>5} of {secrets:<5} {recall:6.2f} %   false alarms {alarms:>4} of {harmless:<5} {false:5.2f} %"
    return f"  {name:<58} {told}"


def sources(folder: Path, megabytes: float) -> list[str]:
    files = sorted(folder.rglob("*.py"))
    random.Random(5).shuffle(files)
    texts: list[str] = []
    size = 0.0
    for file in files:
        try:
            text = file.read_text("utf-8")[:60_000]
        except (OSError, UnicodeDecodeError):
            continue
        texts.append(text)
        size += len(text) / 1e6
        if size > megabytes:
            break
    return texts


def report_code(texts: list[str], *, show: bool) -> None:
    lines = sum(text.count("\n") for text in texts)
    size = sum(map(len, texts)) / 1e6
    spans = [(text, span) for text in texts for span in find_secrets(text, "all")]
    addresses = sum(span.label == "EMAIL" for _, span in spans)
    print(
        f"code: {size:.1f} MB, {lines} lines: {len(spans) - addresses} places redacted, and {addresses} e-mail addresses"
    )
    for text, span in spans if show else ():
        print(
            f"    {span.label}: {text[max(0, span.start - 40) : span.start]!r} ⟦{text[span.start : span.end]}⟧"
        )


TALK = {
    "talk (zh)": "今天下班路上买了点菜，晚上准备做番茄炒蛋。她说周末想去爬山，我说看天气再定，如果下雨就在家看电影。\n"
    "昨天开会讨论了新版本的计划：先把搜索做好，再改登录页面，老王建议推到 3 月 15 日之后，大概 200 块钱。\n",
    "talk (en)": "I went to the market today and bought tomatoes, eggs and a bit of fish; dinner will be at 7:30 (about $40).\n"
    "Yesterday we talked about the plan for the new version: search first, then the login page. Tom thinks it is too tight.\n",
}


def report_speed(chat: str, code: str) -> None:
    for name, text in TALK.items():
        piece = (text * 20)[:2_000]
        for level in ("secrets", "all"):
            times = []
            for _ in range(200):
                began = time.perf_counter()
                redact(piece, level)
                times.append(time.perf_counter() - began)
            print(
                f"  {name} of   2 KB: {statistics.median(times) * 1e6 / 2:8.0f} µs a KB at level {level} (n={len(times)})"
            )
    for name, text in (("labelled lines", chat), ("code", code)):
        for kilobytes in (2, 20, 200):
            piece = (text * (1 + kilobytes * 1_000 // len(text)))[: kilobytes * 1_000]
            times = []
            for _ in range(max(3, 400 // kilobytes)):
                began = time.perf_counter()
                redact(piece, "all")
                times.append(time.perf_counter() - began)
            print(
                f"  {name} of {kilobytes:>3} KB: {statistics.median(times) * 1e6 / kilobytes:8.0f} µs a KB (n={len(times)})"
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=Path, nargs="*", default=[], help="more labelled lines")
    parser.add_argument(
        "--code",
        type=Path,
        default=Path(str(importlib.import_module("langchain_core").__path__[0])).parent,
    )
    parser.add_argument("--code-megabytes", type=float, default=5.0)
    parser.add_argument(
        "--missed",
        action="store_true",
        help="show what was missed and taken (never of the held-out lines)",
    )
    options = parser.parse_args()
    print(machine_line("langgraph-historian", "detect-secrets"))
    peers: dict[str, Callable[[str], bool]] = {}
    for name, entropy in (
        ("detect-secrets, without entropy", False),
        ("detect-secrets, all plugins", True),
    ):
        finds = detect_secrets_peer(entropy=entropy)
        if finds is not None:
            peers[name] = finds
    for path in (LABELLED, HELD_OUT, *options.lines):
        report_lines(
            path.name, list(read_lines(path)), peers, show=options.missed and path != HELD_OUT
        )
    texts = sources(options.code, options.code_megabytes)
    report_code(texts, show=options.missed)
    chat = "\n".join(
        line.text for line in read_lines(LABELLED) if not line.secrets and len(line.text) < 120
    )
    report_speed(chat, "\n".join(texts[:20]) or Path(__file__).read_text("utf-8"))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
