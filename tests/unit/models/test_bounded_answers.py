"""What a model's server sends is bounded at the stream, whatever its headers say."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from historian.models.bounded_answers import AnswerNotRead, BoundedStream

TEXT = b'{"text": "' + b"ten pears " * 50_000 + b'"}'


class Sent:
    """Bytes in chunks of `size`."""

    def __init__(self, data: bytes, size: int = 1_000) -> None:
        self.data = data
        self.size = size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.data), self.size):
            yield self.data[start : start + self.size]

    async def aclose(self) -> None:
        return None


async def read(data: bytes, encoding: str, most: int, size: int = 1_000) -> bytes:
    return b"".join([piece async for piece in BoundedStream(Sent(data, size), encoding, most)])


@pytest.mark.parametrize("size", [7, 1_000, 1_000_000])
@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
    ],
)
async def test_an_answer_within_the_bound_is_read_whole_in_any_encoding(
    encoding: str, packed: bytes, size: int
) -> None:
    assert await read(packed, encoding, len(TEXT), size) == TEXT


@pytest.mark.parametrize(("encoding", "packed"), [("", TEXT), ("gzip", gzip.compress(TEXT))])
async def test_one_byte_more_is_too_much(encoding: str, packed: bytes) -> None:
    with pytest.raises(AnswerNotRead, match=r"an answer of more than 0\.5 MB"):
        await read(packed, encoding, len(TEXT) - 1)


async def test_what_is_sent_counts_before_it_is_decompressed() -> None:
    after_the_end = gzip.compress(b"x") + b"\x00" * 5_000
    assert await read(after_the_end, "gzip", 10_000) == b"x"
    with pytest.raises(AnswerNotRead):
        await read(gzip.compress(b"x", 0) * 100, "gzip", 1_000)


async def test_what_is_no_gzip_is_told() -> None:
    with pytest.raises(AnswerNotRead, match="cannot be decompressed"):
        await read(TEXT, "gzip", 2 * len(TEXT))


async def test_a_bomb_takes_no_more_memory_than_the_bound() -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    tracemalloc.start()
    try:
        with pytest.raises(AnswerNotRead):
            await read(bomb, "gzip", 1024 * 1024, size=len(bomb))
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * 1024
    finally:
        tracemalloc.stop()
