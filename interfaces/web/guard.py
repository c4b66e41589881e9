"""The checks of every request (host, origin, rate, token, size), and headers of every response."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from ...schema.settings import WebSettings
from ..http_serving import MOST_HEAD_BYTES, bearer_token
from .access import Access, Caller
from .pages.rendering import COOKIE as LANGUAGE_COOKIE
from .problems import Refused, problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = frozenset(("127.0.0.1", "localhost", "::1"))
WILDCARDS = frozenset(("", "0.0.0.0", "::"))
HEALTH = "/health"
PUBLIC_PATHS = frozenset((HEALTH, "/login", "/language", "/favicon.ico"))
STATIC = "/static/"
SAFE_METHODS = frozenset(("GET", "HEAD"))
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/@?#\\\[\]]+)(?::\d{1,5})?")
MOST_COUNTED = 1_024
"""Maximum number of callers and addresses whose requests are counted. Above it, the one whose last
request is the oldest is dropped."""
MOST_HEADERS = 100
MOST_BYTES_UNKNOWN = 8 * 1024
"""Maximum size of the body of a request without a valid token, such as the form for signing in or
for the language."""

SECURITY_HEADERS = {
    # `data:` allows the small images of a style sheet. Nothing is loaded from, sent to or framed by
    # another host.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # With `no-referrer` browsers would send forms with the Origin "null", which is refused.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Rates:
    """A rate limit per caller, as token buckets.

    A bucket holds the requests of two seconds and is refilled at the rate.
    """

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def seconds_until_allowed(self, key: str, now: float) -> float:
        """Count a request of the caller `key`.

        Return 0.0 if the request is allowed, else the seconds until the next one is.
        """
        left, since = self._left.pop(key, (2 * self._per_second, now))
        left = min(2 * self._per_second, left + (now - since) * self._per_second)
        self._left[key] = (left - 1 if left >= 1 else left), now
        if len(self._left) > MOST_COUNTED:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) / self._per_second


class Guard:
    """ASGI middleware that checks requests and sets `request.state.caller`.

    The caller may be None on the paths that need no token.
    """

    def __init__(self, app: ASGIApp, *, access: Access, settings: WebSettings, cookie: str) -> None:
        self._app = app
        self._access = access
        self._cookie = cookie
        own = set() if settings.host in WILDCARDS else {settings.host}
        self._hosts = LOOPBACK_NAMES | own | {name.lower() for name in settings.hosts}
        self._most_bytes = settings.body_max_kib * 1024
        self._rates = Rates(settings.requests_per_second)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no WebSocket is served: the server closes the connection
        headers = Headers(scope=scope)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(scope=message)
                given.update(SECURITY_HEADERS)
                if not scope["path"].startswith(STATIC):
                    given["Cache-Control"] = "no-store"
            await send(message)

        state = scope.setdefault("state", {})
        try:
            self._check_headers(scope)
            cookies = read_cookies(headers.getlist("cookie"), (self._cookie, LANGUAGE_COOKIE))
            session = cookies.get(self._cookie, "")
            caller = self._caller(headers, session)
            self._check_rate(scope, caller)
            if scope["path"] != HEALTH:  # health checks use any host name; the response has no data
                self._check_host(headers)
            self._check_origin(headers)
            if (
                caller is None
                and scope["path"] not in PUBLIC_PATHS
                and not scope["path"].startswith(STATIC)
            ):
                raise self._unauthorized(scope, headers)
            self._check_proof_of_origin(scope, headers)
            most = (
                self._most_bytes
                if caller is not None
                else min(self._most_bytes, MOST_BYTES_UNKNOWN)
            )
            self._check_length(headers, most)
        except Refused as refusal:
            await problem(refusal.status, str(refusal), refusal.headers)(scope, receive, answer)
            return
        state["caller"], state["cookies"] = caller, cookies
        state["is_let_in"] = lambda: (
            caller is not None and self._caller(headers, session) is not None
        )
        # The application gets no Cookie header: http.cookies would parse it, in a time that is
        # quadratic in the size of an attacker's header.
        inside = {**scope, "headers": [one for one in scope["headers"] if one[0] != b"cookie"]}
        await self._app(inside, _bounded(receive, most), answer)

    def _check_headers(self, scope: Scope) -> None:
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size > MOST_HEAD_BYTES or len(scope["headers"]) > MOST_HEADERS:
            detail = f"more than {MOST_HEADERS} headers, or {MOST_HEAD_BYTES // 1024} KiB of them"
            raise Refused(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail, headers={"Connection": "close"}
            )

    def _check_host(self, headers: Headers) -> None:
        """Refuse a request with a foreign `Host` header (DNS rebinding).

        A page of another site can let its host name point to this machine, but the browser still
        sends that name.
        """
        given = headers.getlist("host")
        if len(given) != 1 or _name_of(given[0]) not in self._hosts:
            detail = "this host name is not allowed; add it to web.hosts in the settings"
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, detail)

    def _caller(self, headers: Headers, session: str) -> Caller | None:
        if len(headers.getlist("authorization")) > 1:
            return None
        token = bearer_token(headers)
        if token is not None:
            return self._access.caller_of_token(token)
        return self._access.caller_of_session(session)

    def _check_rate(self, scope: Scope, caller: Caller | None) -> None:
        client = scope.get("client") or ("",)
        wait = self._rates.seconds_until_allowed(
            caller.key if caller is not None else f"at {client[0]}", time.monotonic()
        )
        if wait:
            detail = "too many requests; wait, or raise web.requests_per_second in the settings"
            raise Refused(
                HTTPStatus.TOO_MANY_REQUESTS, detail, headers={"Retry-After": str(int(wait) + 1)}
            )

    def _check_origin(self, headers: Headers) -> None:
        """Refuse a request of a page of another origin."""
        if any(
            one.partition("://")[2].lower() != headers.get("host", "").lower()
            for one in headers.getlist("origin")
        ):
            raise Refused(HTTPStatus.FORBIDDEN, "this request comes from a page of another origin")

    def _check_proof_of_origin(self, scope: Scope, headers: Headers) -> None:
        """Refuse a request that changes data, if it has only a cookie and no proof of its origin.

        The proof is the header Origin, which is checked before, or Sec-Fetch-Site.
        """
        if (
            scope["method"] in SAFE_METHODS
            or headers.getlist("origin")
            or bearer_token(headers) is not None
        ):
            return
        if headers.get("sec-fetch-site", "cross-site") != "same-origin":
            raise Refused(
                HTTPStatus.FORBIDDEN,
                "send an Origin, or the token as `Authorization: Bearer TOKEN`",
            )

    def _unauthorized(self, scope: Scope, headers: Headers) -> Refused:
        """Return the answer to a caller without a token: a redirect of a page to the login, else 401."""
        if (
            scope["method"] in SAFE_METHODS
            and "text/html" in headers.get("accept", "")
            and not scope["path"].startswith("/api/")
        ):
            query = scope["query_string"].decode("latin-1")
            then = quote(f"{scope['path']}?{query}" if query else scope["path"], safe="/")
            return Refused(
                HTTPStatus.SEE_OTHER, "sign in first", headers={"Location": f"/login?then={then}"}
            )
        detail = (
            "send the token as `Authorization: Bearer TOKEN`; it is the setting web.token, or "
            "printed by `historian serve` if that is empty"
        )
        return Refused(HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": "Bearer"})

    def _check_length(self, headers: Headers, most: int) -> None:
        length = headers.get("content-length", "0")
        if len(length) > 20 or not length.isdecimal() or int(length) > most:
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                _too_large(most),
                headers={"Connection": "close"},
            )


def read_cookies(given: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """Return the undecoded values of the cookies with these names.

    If a name is repeated, the last value counts. The running time is linear in the length of the
    headers.
    """
    found: dict[str, str] = {}
    for header in given:
        for pair in header.split(";"):
            name, equals, value = pair.partition("=")
            if equals and (name := name.strip()) in names:
                found[name] = value.strip()
    return found


def _too_large(most: int) -> str:
    return (
        f"the body has more than {most // 1024} KiB; send smaller requests, send a token (which "
        "allows more), or raise web.body_max_kib"
    )


def _bounded(receive: Receive, most: int) -> Receive:
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(most))
        return message

    return bounded


def _name_of(host: str) -> str:
    """Return the lower-case name of a Host header without its port; "" if it is malformed."""
    found = _HOST.fullmatch(host)
    return found[1].strip("[]").lower() if found else ""
