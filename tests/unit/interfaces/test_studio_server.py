"""Who may ask Studio's server: this machine, and the page of Studio."""

import httpx
import pytest
from historian.interfaces.studio.server import STUDIO_ORIGIN, LocalOnly
from starlette.types import Receive, Scope, Send

OWN = {"host": "127.0.0.1:2024"}


class Server:
    """An ASGI application that counts the requests it carries out."""

    def __init__(self) -> None:
        self.carried_out = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.carried_out += 1
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"memory"})
        else:
            await send({"type": "websocket.accept"})


async def status(
    headers: dict[str, str], method: str = "POST", **transport: str
) -> tuple[int, int]:
    """The status of an answer, and how many requests were carried out."""
    server = Server()
    guarded = LocalOnly(server, [STUDIO_ORIGIN, "https://studio.example.org/ ", ""])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(guarded, **transport)) as client:  # type: ignore[arg-type]
        answer = await client.request(method, "http://127.0.0.1:2024/runs/wait", headers=headers)
    return answer.status_code, server.carried_out


@pytest.mark.parametrize(
    "host", ["127.0.0.1:2024", "localhost:2024", "LOCALHOST", "[::1]:2024", "127.0.1.1"]
)
async def test_programs_of_this_machine_are_answered(host: str) -> None:
    assert await status({"host": host}) == (200, 1)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:2024",
        "127.0.0.1.evil.example",
        "localhost.evil.example:2024",
        "",
        "a@127.0.0.1",
        "10.0.0.7:2024",
    ],
)
async def test_a_host_that_is_not_this_machine_is_refused_before_anything_is_done(
    host: str,
) -> None:
    assert await status({"host": host}) == (403, 0)


@pytest.mark.parametrize(
    "origin",
    [
        STUDIO_ORIGIN,
        "http://localhost:3000",
        "https://127.0.0.1:2024",
        "https://studio.example.org",
    ],
)
async def test_pages_of_studio_and_of_this_machine_are_answered(origin: str) -> None:
    assert await status({**OWN, "origin": origin}) == (200, 1)
    assert await status({**OWN, "origin": origin}, "OPTIONS") == (200, 1)


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://smith.langchain.com",
        STUDIO_ORIGIN + ".evil.example",
        "https://localhost@evil.example",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
async def test_pages_of_others_are_refused_before_anything_is_done(
    origin: str, method: str
) -> None:
    assert await status({**OWN, "origin": origin}, method) == (403, 0)


async def test_what_a_foreign_page_embeds_is_refused_and_a_link_is_followed() -> None:
    crossing = {**OWN, "sec-fetch-site": "cross-site"}
    assert await status({**crossing, "sec-fetch-mode": "no-cors"}, "GET") == (403, 0)
    assert await status({**crossing, "sec-fetch-mode": "navigate"}, "GET") == (200, 1)


async def test_the_servers_own_requests_in_the_process_pass() -> None:
    assert await status({"host": "api"}, root_path="/noauth") == (200, 1)
    assert await status({"host": "api"}) == (403, 0)


@pytest.mark.parametrize(("origin", "opened"), [(STUDIO_ORIGIN, 1), ("https://evil.example", 0)])
async def test_a_web_socket_of_a_foreign_page_is_not_opened(origin: str, opened: int) -> None:
    server, sent = Server(), []

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: object) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:2024"), (b"origin", origin.encode())]
    await LocalOnly(server, [STUDIO_ORIGIN])(
        {"type": "websocket", "headers": headers}, receive, send
    )
    assert server.carried_out == opened
    assert [one["type"] for one in sent] == ["websocket.accept" if opened else "websocket.close"]
