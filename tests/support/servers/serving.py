"""`historian serve` as a process of its own, for clients that speak HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.command import NO_MODELS

TOKEN = "token-of-the-operator"


@contextmanager
def serving(directory: Path) -> Iterator[str]:
    """Yield the address of a server over a memory in `directory`; clients send TOKEN."""
    settings = {
        "HISTORIAN__WEB__TOKEN": TOKEN,
        "HISTORIAN__COGNITIVE__DATA_DIR": str(directory),
        "HISTORIAN__COGNITIVE__BOT_NAME": "小史",
        "HISTORIAN__COGNITIVE__QUERY__RECALL_TIMEOUT_SECONDS": "10",
        "HISTORIAN__COGNITIVE__TALK__SILENCE_SECONDS": "0.2",
    }
    command = [sys.executable, "-m", "historian", "serve", "--port", "0", "--json"]
    environ = {**os.environ, **NO_MODELS, **settings}
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()
            process.wait(30)
