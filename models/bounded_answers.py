"""Limits the size of a server's answers, in bytes, before and after decompression.

A few hundred kilobytes of gzip can hold gigabytes, and httpx decompresses whole answers. So the
limit is applied to the stream of the response, before httpx reads it, also for redirects and
errors. Works with httpx and with `httpx2`, the copy of it that newer OpenAI clients use and that
has its own classes.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any, Protocol

MEGABYTE = 1024 * 1024
ANSWER_BYTES = 8 * MEGABYTE
"""Maximum size of a chat completion or a ranking; long ones have a few hundred kilobytes."""
VECTOR_BYTES = 256 * 1024
"""Maximum size of one vector as JSON: 8,192 numbers of 32 characters."""

ENCODINGS = {"Accept-Encoding": "gzip"}
"""Request headers that ask for an encoding that `bounded` can read."""

_PIECE = 256 * 1024


class AnswerNotRead(Exception):
    """The answer is too large, cannot be decompressed, or has an encoding that was not requested.

    The message completes "the server sent …".
    """


class ByteStream(AsyncIterable[bytes], Protocol):
    """`AsyncByteStream` of httpx or httpx2."""

    async def aclose(self) -> None: ...


class Response(Protocol):
    """The used attributes of `Response` of httpx or httpx2."""

    headers: Any
    stream: Any


def bounded(most_bytes: int) -> dict[str, list[Callable[[Any], Awaitable[None]]]]:
    """Return the `event_hooks` of an httpx client that reads answers of at most `most_bytes`.

    If an answer is larger, before or after decompression, the request raises AnswerNotRead.
    """

    async def bound(response: Response) -> None:
        encoding = response.headers.pop("content-encoding", "").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise AnswerNotRead(f"an answer encoded as {encoding[:40]!r}, which was not requested")
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length) > most_bytes:
            raise _too_large(most_bytes)
        response.stream = _of_its_kind(response.stream)(response.stream, encoding, most_bytes)

    return {"response": [bound]}


class BoundedStream:
    """The decompressed bytes of `stream`, whose `encoding` is "", "identity", "gzip" or "x-gzip".

    Raises AnswerNotRead after `most_bytes` compressed or decompressed bytes, or if decompression
    fails.
    """

    def __init__(self, stream: ByteStream, encoding: str, most_bytes: int) -> None:
        self._stream = stream
        self._unpacked = (
            partial(_inflated, zlib.decompressobj(zlib.MAX_WBITS | 16))
            if "gzip" in encoding
            else _as_it_is
        )
        self._most = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = given = 0
        async for chunk in self._stream:
            received += len(chunk)
            for piece in self._unpacked(chunk):
                given += len(piece)
                if max(received, given) > self._most:
                    raise _too_large(self._most)
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def _inflated(gzip: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    """Yield the decompressed bytes of a chunk, at most `_PIECE` at a time."""
    piece = b""
    while chunk or len(piece) == _PIECE:
        try:
            piece = gzip.decompress(chunk, _PIECE)
        except zlib.error as error:
            raise AnswerNotRead(f"an answer that cannot be decompressed ({error})") from None
        chunk = gzip.unconsumed_tail
        yield piece


def _of_its_kind(stream: object) -> type[BoundedStream]:
    """Return a subclass of BoundedStream and the library's AsyncByteStream, which it requires."""
    (base,) = [kind for kind in type(stream).__mro__ if kind.__name__ == "AsyncByteStream"]
    return type("BoundedStream", (BoundedStream, base), {})


def _as_it_is(chunk: bytes) -> Iterator[bytes]:
    yield chunk


def _too_large(most_bytes: int) -> AnswerNotRead:
    return AnswerNotRead(
        f"an answer of more than {most_bytes / MEGABYTE:.1f} MB, which is too large for the answer "
        "of a model"
    )
