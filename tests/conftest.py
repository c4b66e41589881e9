"""What all tests share."""

import os
from collections.abc import Iterator

import pytest
from support.openai_server import OpenAIServer

os.environ["HISTORIAN_LANGUAGE"] = "en"  # whoever runs the tests, and whatever their language: tests say so where it is another


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model's endpoint on loopback."""
    with OpenAIServer() as server:
        yield server
