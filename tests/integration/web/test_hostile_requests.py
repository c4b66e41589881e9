"""Requests of somebody who has no token: none of them freezes or fills the process, or keeps others out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest
from historian.interfaces import http_connections
from historian.interfaces.http_connections import MOST_AT_ONCE
from historian.interfaces.http_serving import MOST_HEAD_BYTES
from historian.interfaces.web.guard import MOST_BYTES_UNKNOWN, MOST_HEADERS, read_cookies
from support.loop_watchdog import assert_loop_stays_free
from support.servers.web import HOST, OPERATOR, ORIGIN, Web, listening, opened_web

STATS = "/api/v1/stats"
TOKEN = {"Authorization": f"Bearer {OPERATOR}"}
JSON = {"Content-Type": "application/json"}
SECONDS = 20.0
LONGEST = 14 * 1024
"""A header that is just let through."""
COOKIES = {
    "escaped": 'a="' + "\\1" * (LONGEST // 2) + '"',
    "escaped, under our name": 'historian_8765="' + "\\1" * (LONGEST // 2) + '"',
    "quoted": 'a="' + '\\"' * (LONGEST // 2),
    "many": "a=b;" * (LONGEST // 4),
    "semicolons": ";" * LONGEST,
    "equals": "=" * LONGEST,
    "blanks": "a=" + " " * LONGEST + "b",
}


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Web]:
    async with opened_web(tmp_path) as web:
        yield web


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def sent(port: int, data: bytes, times: int = 1) -> tuple[bytes, int]:
    """Send the same bytes again and again on one connection; return the answer, and how many of them were taken."""
    taken = 0
    async with asyncio.timeout(SECONDS), connected(port) as (reader, writer):
        with suppress(OSError):
            for _ in range(times):
                writer.write(data)
                await writer.drain()
                taken += len(data)
        answer = b""
        with suppress(OSError):
            answer = await reader.read(100)
    return answer, taken


async def is_answered(port: int) -> bool:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS) as client:
        return (await client.get(STATS, headers=TOKEN)).status_code == 200


@pytest.mark.parametrize("headers", [{}, TOKEN], ids=["no token", "with a token"])
@pytest.mark.parametrize("cookie", COOKIES)
async def test_no_cookie_holds_the_loop(web: Web, cookie: str, headers: dict[str, str]) -> None:
    async def ask() -> None:
        for path in ("/health", "/login", STATS):
            answer = await web.client.get(path, headers={**headers, "Cookie": COOKIES[cookie]})
            assert answer.status_code in (200, 401)

    await ask()
    await assert_loop_stays_free(ask, seconds=0.040)


def test_the_one_cookie_is_read_as_it_stands_among_others() -> None:
    given = ['a="x;y"; historian_1=abc ;historian_1x=no', "b; =; historian_1=def"]
    assert read_cookies(given, ("historian_1",)) == {"historian_1": "def"}
    assert read_cookies([*given, "=historian_1"], ("none",)) == {}


async def test_headers_that_are_too_large_are_refused_whatever_server_has_read_them(
    web: Web,
) -> None:
    answer = await web.client.get("/health", headers={"X": "y" * 17_000})
    assert (answer.status_code, answer.headers["content-type"]) == (431, "application/problem+json")


@pytest.mark.parametrize(
    ("first", "more"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\nCookie: a=", b"\\1" * 5_000),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", b"X-Y: z\r\n" * 1_000),
        (b"GET /", b"a" * 10_000),
        (b"", b"\r\n" * 5_000),
        (b"\0", b"\xff" * 10_000),
    ],
    ids=["one header", "many headers", "path", "line ends", "no text"],
)
async def test_sixty_megabytes_of_head_are_refused_after_some_kilobytes(
    web: Web, first: bytes, more: bytes
) -> None:
    async with listening(web.app) as port, connected(port) as (reader, writer):
        writer.write(first)
        taken = 0
        with suppress(OSError):
            for _ in range(6_000):
                writer.write(more)
                taken += len(more)
                await asyncio.wait_for(writer.drain(), SECONDS)
        answer = b""
        with suppress(OSError):
            answer = await asyncio.wait_for(reader.read(100), SECONDS)
        assert answer[:12] in (
            b"HTTP/1.1 431",
            b"HTTP/1.1 400",
            b"",
        )  # a reset may come before the answer is read
        assert taken < 20_000_000  # what the system holds between both ends
        assert await is_answered(port)


@pytest.mark.parametrize(
    "head",
    [b"X: " + b"y" * MOST_HEAD_BYTES + b"\r\n", b"a:b\r\n" * (MOST_HEADERS + 1)],
    ids=["long", "many"],
)
async def test_a_head_in_one_piece_is_bounded(web: Web, head: bytes) -> None:
    async with listening(web.app) as port:
        answer, _ = await sent(
            port, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + head + b"\r\n"
        )
        assert answer.startswith(b"HTTP/1.1 431")


async def test_as_many_headers_as_are_allowed_and_a_body_of_many_lines_are_taken(web: Web) -> None:
    async with (
        listening(web.app) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        many = {f"X-{n}": "y" * 100 for n in range(80)}
        lines = b'{"scope": "group:100",\n"query": "x"' + b"\n" * 900_000 + b"}"
        for _ in range(2):
            answer = await client.post(
                "/api/v1/context", headers={**TOKEN, **many, **JSON}, content=lines
            )
            assert answer.status_code == 200


async def test_a_connection_that_stays_open_takes_as_many_requests_as_come(web: Web) -> None:
    async with listening(web.app) as port, connected(port) as (reader, writer):
        for _ in range(40):
            writer.write(
                b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 1_000 + b"\r\n\r\n"
            )
            assert (await asyncio.wait_for(reader.readuntil(b"}"), SECONDS)).startswith(
                b"HTTP/1.1 200"
            )


async def test_requests_without_end_behind_one_are_not_kept(web: Web) -> None:
    async with listening(web.app) as port:
        behind = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 200_000
        answer, taken = await sent(
            port, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + behind, 300
        )
        assert answer[:12] in (b"HTTP/1.1 200", b"") and taken < 20_000_000
        assert await is_answered(port)


HALVES = {
    "nothing": b"",
    "half a head": b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    "half a body": f"POST /login HTTP/1.1\r\nHost: {HOST}\r\nOrigin: {ORIGIN}\r\nContent-Length: 90\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken=".encode(),
    "half a body that is refused": b"POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900000\r\n\r\n{",
}


@pytest.mark.parametrize("half", HALVES)
async def test_silent_connections_keep_nobody_out(web: Web, half: str) -> None:
    async with listening(web.app) as port, AsyncExitStack() as stack:
        for _ in range(MOST_AT_ONCE + 20):
            _, writer = await stack.enter_async_context(connected(port))
            writer.write(HALVES[half])
        await asyncio.sleep(0.2)
        assert await is_answered(port)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            assert (await client.get("/login")).status_code == 200


async def test_a_stream_of_the_operator_keeps_its_place(web: Web) -> None:
    async with listening(web.app) as port, connected(port) as (reader, writer):
        asked = f"GET /api/v1/steps HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {OPERATOR}\r\n\r\n"
        writer.write(asked.encode())
        await asyncio.wait_for(reader.readuntil(b"event: state"), SECONDS)
        async with AsyncExitStack() as stack:
            for _ in range(MOST_AT_ONCE + 20):
                await stack.enter_async_context(connected(port))
            await asyncio.sleep(0.2)
            step = web.memory.lifecycle.steps
            assert len(step) == 1


@pytest.mark.parametrize("half", HALVES)
async def test_half_a_request_is_not_waited_for(
    web: Web, half: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connections, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(http_connections, "BODY_SECONDS", 0.2)
    async with listening(web.app) as port, connected(port) as (reader, writer):
        writer.write(HALVES[half])
        answer = b""
        with suppress(ConnectionError):
            answer = await asyncio.wait_for(reader.read(), SECONDS)  # to the end: the server closes
        assert answer[:12] in (b"", b"HTTP/1.1 408", b"HTTP/1.1 401")


async def test_a_head_that_comes_byte_by_byte_has_the_same_time(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connections, "HEAD_SECONDS", 0.3)
    async with listening(web.app) as port, connected(port) as (reader, writer):

        async def drip() -> None:
            with suppress(OSError):
                for _ in range(10_000):
                    writer.write(b"a")
                    await writer.drain()
                    await asyncio.sleep(0.01)

        dripping = asyncio.create_task(drip())
        answer = b""
        with suppress(ConnectionError):  # what is written behind the end is answered with a reset
            answer = await asyncio.wait_for(reader.read(100), SECONDS)
        assert answer[:12] in (b"HTTP/1.1 408", b"")
        await dripping


async def test_a_form_without_a_token_is_bounded_before_it_is_read(web: Web) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": ORIGIN}
    for path in ("/login", "/language"):
        answer = await web.client.post(path, content=b"&a" * MOST_BYTES_UNKNOWN, headers=form)
        assert answer.status_code == 413


async def test_every_request_is_counted_before_anything_else_is_looked_at(tmp_path: Path) -> None:
    async with opened_web(tmp_path, requests_per_second=1.0) as web:
        answers = [
            (
                await web.client.get("/health" if n % 2 else STATS, headers={"Host": "evil"})
            ).status_code
            for n in range(4)
        ]
        assert answers == [421, 200, 429, 429]


async def test_what_comes_without_a_token_is_told_so_whatever_it_wants(web: Web) -> None:
    assert (await web.client.post("/api/v1/jobs", json={})).status_code == 401
    assert (await web.client.delete("/api/v1/events/x")).status_code == 401
    assert (await web.client.post("/logout")).status_code == 401


async def test_a_stream_ends_when_its_browser_signs_out(web: Web) -> None:
    begun = await web.client.get("/login", params={"token": web.app.state.access.link_token()})
    cookie = {"Cookie": begun.headers["set-cookie"].partition(";")[0], "Host": HOST}
    async with (
        listening(web.app) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS) as client,
        client.stream("GET", "/api/v1/steps", headers=cookie) as stream,
    ):
        lines = stream.aiter_lines()
        assert await anext(lines) == "event: state"
        out = await client.post("/logout", headers={**cookie, "Origin": ORIGIN})
        assert out.status_code == 303
        async with asyncio.timeout(SECONDS):
            assert [line async for line in lines if line.startswith("event:")] == []
