"""The command line of a real process whose standard streams are closed, full, or in another encoding."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
HISTORIAN = f"{shlex.quote(sys.executable)} -m historian.interfaces.cli"
FULL = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="there is no device that is always full"
)


def shell(line: str, directory: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """How a line of the shell ends, in which `historian` is the command."""
    return subprocess.run(
        ["sh", "-c", line.replace("historian", HISTORIAN, 1)],
        cwd=directory,
        env={"PATH": os.environ["PATH"], "PYTHONUTF8": "1", "HISTORIAN_LANGUAGE": "zh", **environ},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        ("historian search 2>&-", 2, ""),
        ("historian stats >&-", 0, "还没有存下任何东西"),
        ("historian --help >&-", 0, ""),
        ("historian gate <&-", 0, ""),
        ("historian stats <&- >&- 2>&-", 0, ""),
        pytest.param("historian --help >/dev/full", 1, "错误：", marks=FULL),
        pytest.param("historian stats --json >/dev/full", 1, "error: ", marks=FULL),
        pytest.param("historian stats --json >/dev/full 2>/dev/full", 1, "", marks=FULL),
    ],
)
def test_a_stream_that_takes_nothing_ends_no_command_in_a_traceback(
    tmp_path: Path, line: str, status: int, told: str
) -> None:
    ended = shell(line, tmp_path)
    assert ended.returncode == status
    assert (
        told in ended.stderr
        and len(ended.stderr.splitlines()) <= 2
        and "Traceback" not in ended.stderr
    )


def test_an_output_without_chinese_characters_is_written_to_in_english(tmp_path: Path) -> None:
    ended = shell("historian search", tmp_path, PYTHONIOENCODING="ascii")
    assert ended.stderr.startswith("Usage: ") and "?" not in ended.stderr
