"""What all tests share."""

import os
from collections.abc import Iterator

import pytest
from support.crash_matrix import Host
from support.openai_server import OpenAIServer

os.environ["HISTORIAN_LANGUAGE"] = "en"  # whoever runs the tests, and whatever their language: tests say so where it is another


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model's endpoint on loopback."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A warm process that works on jobs in children, each killed where a test says."""
    host = Host()
    yield host
    host.close()
