"""What `make` runs tells what it is doing while it does it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from support.command import NO_MODELS

ROOT = Path(__file__).parents[3]
WITH_NAME = [sys.executable, str(ROOT / "tests" / "support" / "with_name.py")]


def test_lines_come_as_they_are_printed_behind_a_name_and_the_status_is_the_commands() -> None:
    waits = "print('first'); input(); print('second'); raise SystemExit(3)"
    command = [*WITH_NAME, "units", sys.executable, "-c", waits]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdin is not None and run.stdout is not None
        assert run.stdout.readline() == "   units | first\n", "before the command goes on"
        run.stdin.write("\n")
        run.stdin.close()
        assert run.stdout.readline() == "   units | second\n"
    assert run.returncode == 3


def test_while_a_line_is_not_finished_its_beginning_and_the_time_are_shown() -> None:
    command = [
        *WITH_NAME,
        "units",
        sys.executable,
        "-c",
        "print('...', end=''); input(); print('.')",
    ]
    environment = {**os.environ, "EVERY_SECONDS": "0.05"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as run:
        assert run.stdin is not None and run.stdout is not None
        shown = iter(run.stdout.readline, "")
        assert next(line for line in shown if line.endswith("s: ...\n")).startswith(
            "   units | after "
        )
        run.stdin.write("\n")
        run.stdin.close()
        assert "   units | ....\n" in shown
    assert run.returncode == 0


def test_a_reader_that_has_seen_enough_ends_the_command_without_a_traceback() -> None:
    command = [*WITH_NAME, "units", sys.executable, "-c", "while True: print('dots')"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None and run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.wait(60) != 0
        assert run.stderr.read() == ""


def test_a_demo_of_which_only_the_beginning_is_read_ends_without_a_traceback(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "historian", "demo"]
    told: list[str] = []
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=NO_MODELS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as run:
        assert run.stdout is not None and run.stderr is not None
        reading = threading.Thread(target=lambda: told.append(run.stderr.read()))  # type: ignore[union-attr]  # it is piped
        reading.start()
        assert run.stdout.readline()
        run.stdout.close()
        run.wait(120)
        reading.join(60)
    assert len(told) == 1 and "Traceback" not in told[0]


def test_the_makefile_holds_back_no_output() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--output-sync" not in makefile
    setup = re.search(r"^\$\(READY\):.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert setup is not None and "pip install" in setup[1] and " -q" not in setup[1]
