"""Who may ask the pages and the API for what, and what is refused before anything is carried out."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute
from historian.interfaces.web.access import LINK_SECONDS, Access
from historian.interfaces.web.guard import PUBLIC_PATHS
from historian.interfaces.web.login import router as login
from historian.interfaces.web.pages import router as pages_router
from historian.interfaces.web.server import check_host
from historian.schema.errors import SettingsError
from historian.schema.settings import WebSettings
from historian.schema.settings.source import parse_settings
from support.servers.web import GROUP_100, HOST, OPERATOR, ORIGIN, USER_7, Web, opened_web

STATS = "/api/v1/stats"


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Web]:
    async with opened_web(tmp_path) as web:
        yield web


def is_problem(answer, status: int) -> bool:
    data = answer.json()
    kind = answer.headers["content-type"] == "application/problem+json"
    return (
        kind
        and answer.status_code == data["status"] == status
        and bool(data["title"] and data["detail"])
    )


async def test_a_request_without_a_token_is_refused_and_told_nothing(web: Web) -> None:
    answer = await web.client.get(STATS)
    assert is_problem(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "data" not in answer.json()


def addresses(web: Web) -> list[tuple[str, str]]:
    """Every (method, path) of the application that is not open to all, with something in the place of parameters."""
    described = [
        (path, method.upper())
        for path, item in web.app.openapi()["paths"].items()
        for method in item
    ]
    pages = [
        (route.path, method)
        for router in (login, pages_router)
        for route in routes_of(router)
        for method in route.methods
    ]
    found = [
        (path, method)
        for path, method in [*described, *pages]
        if path not in PUBLIC_PATHS and method != "HEAD"
    ]
    return [(method, re.sub(r"\{\w+\}", "x-0", path)) for path, method in found]


def routes_of(router: APIRouter) -> Iterator[APIRoute]:
    for route in router.routes:
        if isinstance(route, APIRoute):
            yield route
        else:
            yield from routes_of(route.original_router)


async def test_no_address_answers_without_a_token(web: Web) -> None:
    found = addresses(web)
    assert len(found) > 50
    for method, path in found:
        assert is_problem(
            await web.client.request(method, path, headers={"Origin": ORIGIN}), 401
        ), path
        assert is_problem(
            await web.client.request(method, path, headers={"Origin": "http://evil.example"}), 403
        ), path


async def test_no_page_answers_the_token_of_a_conversation(web: Web) -> None:
    for method, path in addresses(web):
        if not path.startswith("/api/") and path not in ("/logout", "/language"):
            assert (await web.ask(method, path, GROUP_100)).status_code in (403, 422), path


@pytest.mark.parametrize(
    "sent", ["", "wrong", OPERATOR[:-1], f"{OPERATOR} ", GROUP_100.upper(), "ключ", "\x00"]
)
async def test_a_wrong_token_is_refused(web: Web, sent: str) -> None:
    headers = {"Authorization": b"Bearer " + sent.encode() + b"x"}
    assert is_problem(await web.client.get(STATS, headers=headers), 401)


async def test_two_tokens_in_one_request_are_none(web: Web) -> None:
    headers = [("Authorization", f"Bearer {OPERATOR}"), ("Authorization", f"Bearer {OPERATOR}")]
    assert is_problem(await web.client.get(STATS, headers=headers), 401)


async def test_the_operator_is_answered(web: Web) -> None:
    assert (await web.json("GET", STATS))["queue"]["pending"] == 0


@pytest.mark.parametrize("token", [GROUP_100, USER_7])
async def test_the_token_of_a_conversation_does_not_open_what_is_the_operators(
    web: Web, token: str
) -> None:
    assert is_problem(await web.ask("GET", STATS, token), 403)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{8765}",
        "127.0.0.1.evil.example",
        "a@127.0.0.1",
        "",
        "127.0.0.1/x",
    ],
)
async def test_a_foreign_host_is_refused_even_with_the_token(web: Web, host: str) -> None:
    answer = await web.client.get(
        STATS, headers={"Authorization": f"Bearer {OPERATOR}", "Host": host}
    )
    assert is_problem(answer, 421)


async def test_a_host_of_the_settings_is_taken(tmp_path: Path) -> None:
    async with opened_web(tmp_path, hosts=["Memory.example"]) as web:
        headers = {
            "Authorization": f"Bearer {OPERATOR}",
            "Host": "memory.example",
            "Origin": "https://memory.example",
        }
        assert (await web.client.get(STATS, headers=headers)).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:9999",
        "https://[",
        f"http://{HOST}.evil.example",
    ],
)
async def test_a_foreign_origin_is_refused_even_with_the_token(web: Web, origin: str) -> None:
    answer = await web.client.get(
        STATS, headers={"Authorization": f"Bearer {OPERATOR}", "Origin": origin}
    )
    assert is_problem(answer, 403)


async def signed_in(web: Web) -> str:
    answer = await web.client.get("/login", params={"token": web.app.state.access.link_token()})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return answer.headers["set-cookie"]


async def test_the_printed_address_signs_one_browser_in_with_a_cookie_that_scripts_and_other_sites_cannot_use(
    web: Web,
) -> None:
    cookie = (await signed_in(web)).lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "secure" not in cookie
    assert (await web.client.get(STATS)).status_code == 200


async def test_the_printed_address_works_once(web: Web) -> None:
    token = web.app.state.access.link_token()
    assert (await web.client.get("/login", params={"token": token})).status_code == 303
    assert is_problem(await web.client.get("/login", params={"token": token}), 401)


def test_the_printed_address_expires() -> None:
    now = 0.0
    access = Access(WebSettings(), lambda: now)
    token = access.link_token()
    now = LINK_SECONDS
    assert access.begin_session(token) is None


def test_a_session_expires() -> None:
    now = 0.0
    access = Access(WebSettings(), lambda: now)
    session = access.begin_session(access.token)
    assert session is not None and access.caller_of_session(session) is not None
    now = 1e9
    assert access.caller_of_session(session) is None


async def test_a_cookie_alone_changes_nothing_unless_the_browser_says_that_a_page_of_ours_sent_it(
    web: Web,
) -> None:
    await signed_in(web)
    assert is_problem(await web.client.post("/logout"), 403)
    assert is_problem(
        await web.client.post("/logout", headers={"Sec-Fetch-Site": "cross-site"}), 403
    )
    assert (await web.client.get(STATS)).status_code == 200
    assert (await web.client.post("/logout", headers={"Origin": ORIGIN})).status_code == 303
    assert is_problem(await web.client.get(STATS), 401)


async def test_a_token_that_is_typed_in_signs_in_for_what_it_opens(web: Web) -> None:
    sent = {"token": GROUP_100, "then": "/jobs"}
    answer = await web.client.post("/login", data=sent, headers={"Origin": ORIGIN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/jobs")
    assert is_problem(await web.client.get(STATS), 403)


@pytest.mark.parametrize(
    "then",
    [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "/a\r\nX: y",
        "",
    ],
)
async def test_signing_in_never_leads_to_another_server(web: Web, then: str) -> None:
    sent = {"token": OPERATOR, "then": then}
    answer = await web.client.post("/login", data=sent, headers={"Origin": ORIGIN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


async def test_the_page_that_asks_for_a_token_writes_nothing_as_markup(web: Web) -> None:
    answer = await web.client.get("/login", params={"then": '/"><script>alert(1)</script>'})
    assert "<script>alert" not in answer.text


async def test_a_browser_without_a_session_is_sent_to_the_page_that_asks_for_a_token(
    web: Web,
) -> None:
    answer = await web.client.get("/jobs", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?then=/jobs")


async def test_every_answer_forbids_other_hosts_and_frames(web: Web) -> None:
    for path in (STATS, "/login", "/health", "/static/icon.svg", "/nothing"):
        headers = (await web.client.get(path)).headers
        assert (
            headers["content-security-policy"].startswith("default-src 'none'")
            and "http" not in headers["content-security-policy"]
        )
        assert (
            headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
        )


async def test_health_is_told_to_everybody_and_holds_nothing(web: Web) -> None:
    answer = await web.client.get("/health", headers={"Host": "container-7"})
    assert answer.json() == {"status": "ok"}


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/",
    ],
)
async def test_no_path_leads_out_of_the_static_files(web: Web, path: str) -> None:
    answer = await web.ask("GET", path)
    assert answer.status_code == 404 and "make_app" not in answer.text


async def test_a_body_of_ten_megabytes_is_refused_before_it_is_read(web: Web) -> None:
    read = 0

    async def parts() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(160):
            read += 1
            yield b"x" * 65_536

    whole = await web.ask("POST", "/login", content=b"x" * 10_000_000)
    assert is_problem(whole, 413)
    kind = {
        "Authorization": f"Bearer {OPERATOR}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    assert is_problem(await web.client.post("/login", content=parts(), headers=kind), 413)
    assert read <= 20


@pytest.mark.parametrize("length", ["-1", "1e9", "٣", "99999999999999999999"])
async def test_a_length_that_is_no_number_or_too_large_is_refused(web: Web, length: str) -> None:
    headers = {"Authorization": f"Bearer {OPERATOR}", "Content-Length": length.encode()}
    assert is_problem(await web.client.get(STATS, headers=headers), 413)


async def test_too_many_requests_are_refused_until_time_has_passed_and_others_are_served(
    tmp_path: Path,
) -> None:
    async with opened_web(tmp_path, requests_per_second=1.0) as web:
        answers = [(await web.ask("GET", STATS)).status_code for _ in range(4)]
        assert answers[:2] == [200, 200] and answers[3] == 429
        refused = await web.ask("GET", STATS)
        assert is_problem(refused, 429) and int(refused.headers["retry-after"]) >= 1
        assert (await web.ask("GET", STATS, GROUP_100)).status_code == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "memory.example", ""])
def test_an_address_that_others_reach_needs_a_configured_token(host: str) -> None:
    with pytest.raises(SettingsError, match=r"web\.token"):
        check_host(WebSettings(host=host))
    check_host(WebSettings(host=host, token=OPERATOR))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "::1"])
def test_loopback_needs_no_token(host: str) -> None:
    check_host(WebSettings(host=host))


@pytest.mark.parametrize(
    "web",
    [
        {"token": "short"},
        {"token": "with blanks in it, and more"},
        {"token": "密码密码密码密码密码密码密码密码"},
        {"scope_tokens": {"group:7": "short"}},
        {"scope_tokens": {"": OPERATOR}},
        {"scope_tokens": {"nobody": OPERATOR}},
        {"token": OPERATOR, "scope_tokens": {"group:7": OPERATOR}},
    ],
)
def test_tokens_that_are_weak_or_ambiguous_are_refused_without_being_told(
    web: dict[str, object],
) -> None:
    with pytest.raises(SettingsError) as refused:
        parse_settings({"web": web}, environ={}, base=Path("/"))
    assert "short" not in str(refused.value) and OPERATOR not in str(refused.value)


async def test_sessions_are_bounded(web: Web) -> None:
    access = web.app.state.access
    first = access.begin_session(OPERATOR)
    await asyncio.to_thread(lambda: [access.begin_session(OPERATOR) for _ in range(1_000)])
    assert access.caller_of_session(first) is None
