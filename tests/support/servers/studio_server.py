"""`langgraph dev` in a process of its own, on a copy of the sources, watched for calls to the outside."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
from support.servers.ports import free_port
from support.waiting import eventually_now

ROOT = Path(__file__).parents[3]

# Runs at the start of every interpreter that finds it on PYTHONPATH. Audit hooks see each connection and each lookup of a name.
WATCH = """
import sys

with open({log!r}, "a") as file:
    file.write("watching\\n")

def note(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
        if not isinstance(address, tuple) or address[0] in ("127.0.0.1", "::1", "localhost", "0.0.0.0"):
            return
        where = address[0]
    elif event == "socket.getaddrinfo":
        where = arguments[0]
        if where in (None, "", "127.0.0.1", "::1", "localhost", "0.0.0.0"):
            return
    else:
        return
    with open({log!r}, "a") as file:
        file.write(f"{{event}} {{where}}\\n")

sys.addaudithook(note)
"""


@dataclass(frozen=True)
class Studio:
    """A running server: its URL, the clone it runs in, what it prints, and what the watch wrote down."""

    url: str
    sources: Path
    output: Path
    calls: Path

    @property
    def printed(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    @property
    def noted(self) -> set[str]:
        """`watching`, and one line for each name looked up or address connected to that is not this machine's own."""
        return set(self.calls.read_text(encoding="utf-8").splitlines())


def clone(target: Path) -> Path:
    """The packages and `langgraph.json`, in a folder named as nobody's package is."""
    target.mkdir(parents=True)
    for name in ("langgraph.json", "pyproject.toml", "__init__.py", "__main__.py", "py.typed"):
        shutil.copy2(ROOT / name, target / name)
    for room in ROOT.iterdir():
        if (room / "__init__.py").is_file():
            shutil.copytree(room, target / room.name, ignore=shutil.ignore_patterns("__pycache__"))
    return target


@contextmanager
def studio_server(
    folder: Path,
    *,
    environ: Mapping[str, str] | None = None,
    start_seconds: float = 120.0,
    ended_by: signal.Signals = signal.SIGTERM,
) -> Iterator[Studio]:
    """The server on a free port of loopback, over a clone in `folder`; ended by its process id. Raises TimeoutError."""
    sources = clone(folder / "somebody's clone")
    watch = folder / "watch"
    watch.mkdir()
    (watch / "historian").symlink_to(
        sources, target_is_directory=True
    )  # before the editable install of this repository
    calls, output = folder / "calls.txt", folder / "output.txt"
    (watch / "sitecustomize.py").write_text(WATCH.format(log=str(calls)), encoding="utf-8")
    port = free_port()
    # As `make studio` starts it; nobody's key, configuration or tracing of the machine that tests.
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HISTORIAN", "LANGSMITH", "LANGCHAIN", "OPENAI"))
    }
    kept["PYTHONDONTWRITEBYTECODE"] = (
        ""  # what is compiled beside the sources shows which ones were run
    )
    environment = {
        **kept,
        "PYTHONPATH": str(watch),
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        **(environ or {}),
    }
    with output.open("wb") as printed:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "langgraph_cli",
                "dev",
                "--no-browser",
                "--no-reload",
                "--port",
                str(port),
            ],
            cwd=sources,
            env=environment,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
    studio = Studio(f"http://127.0.0.1:{port}", sources, output, calls)
    try:
        wait_until_ready(studio, process, start_seconds)
        yield studio
    finally:
        process.send_signal(ended_by)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_ready(studio: Studio, process: subprocess.Popen[bytes], seconds: float) -> None:
    """Until it answers `/ok`."""

    def ended_or_ready() -> bool:
        with suppress(httpx.HTTPError):
            return (
                process.poll() is not None
                or httpx.get(f"{studio.url}/ok", timeout=2).status_code == 200
            )
        return False

    with suppress(TimeoutError):
        eventually_now(ended_or_ready, seconds=seconds, every=0.2)
        if process.poll() is None:
            return
    raise TimeoutError(f"the server did not come up:\n{studio.printed[-4000:]}")
