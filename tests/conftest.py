"""What all tests share."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from support.cheap_graphs import remember_what_compiling_reads
from support.crashes.matrix import Host
from support.servers.openai_server import OpenAIServer

if TYPE_CHECKING:
    from support.postgres import Schema

os.environ["HISTORIAN_LANGUAGE"] = (
    "en"  # whoever runs the tests, and whatever their language: tests say so where it is another
)

MEMORY = Path("/dev/shm")
ROOM = 2 << 30


def serves_as_disk(folder: Path) -> bool:
    """Return True if tests may work there: files can be made and programs run from them, and what the tests write finds room."""
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        return False
    found = os.statvfs(folder)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize > ROOM


if "TMPDIR" not in os.environ and serves_as_disk(MEMORY):
    # Flushing costs nothing in memory; on a disk, tests of the stores wait for half of their time.
    # What a killed process leaves is the same; no test cuts the power.
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


remember_what_compiling_reads()


def pytest_collection_finish() -> None:
    """Let the garbage collector leave out what is imported and collected: to visit it takes 100 ms each time."""
    gc.collect()
    gc.freeze()


# In CI there are more examples, the same in every run: what is found by chance is found where somebody can look at it.
IN_CI = "CI" in os.environ
hypothesis.settings.register_profile(
    "historian", deadline=None, derandomize=IN_CI, max_examples=100 if IN_CI else 30
)
hypothesis.settings.load_profile("historian")


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model's endpoint on loopback."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """A warm process that works on jobs in children, each killed where a test says. It takes seconds to start: one for all."""
    host = Host()
    yield host
    host.close()


@pytest.fixture(scope="session")
def hosts(host: Host) -> Iterator[list[Host]]:
    """Two of them, which work side by side."""
    other = Host()
    yield [host, other]
    other.close()


@pytest.fixture
def schema() -> Iterator[Schema]:
    """A schema of a PostgreSQL server, which is started when the first test opens one."""
    from support.postgres import Schema

    schema = Schema()
    yield schema
    schema.close()
