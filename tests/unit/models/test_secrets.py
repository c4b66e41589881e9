"""No message and no log record holds a secret of an endpoint, however a server or a client library writes it."""

import base64
import html
import io
import json
import logging
import time
from collections.abc import Callable
from urllib.parse import quote

import httpx
import pytest
from historian.models.endpoint import Endpoint, checked_endpoint
from historian.models.secrets import mask_known
from historian.schema.errors import SettingsError

KEY = "sk-Ab/9+cd=_Q&z<7>Lm"
PASSWORD = "p%C3%A4ss:word"
ENDPOINT = checked_endpoint(
    "models.chat",
    f"http://ann:{PASSWORD}@127.0.0.1:9/v1?key=qu3ry-s3cret",
    "m",
    KEY,
    {"safety": {"token": ["body-s3cret"]}},
)


def base64_of(text: str, before: str = "") -> str:
    return base64.b64encode((before + text).encode()).decode()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper case": str.upper,
    "url": lambda key: quote(key, safe=""),
    "url twice": lambda key: quote(quote(key, safe=""), safe=""),
    "url in lower case": lambda key: "".join(f"%{ord(one):02x}" for one in key),
    "json": lambda key: json.dumps({"key": key}),
    "json with slashes": lambda key: json.dumps(key).replace("/", "\\/"),
    "json in unicode escapes": lambda key: "".join(f"\\u{ord(one):04x}" for one in key),
    "json in json": lambda key: json.dumps(json.dumps([key.replace("/", "\\u002f")])),
    "html": html.escape,
    "html numbers": lambda key: "".join(f"&#{ord(one)};" for one in key),
    "base64": base64_of,
    "base64 without padding": lambda key: base64_of(key).rstrip("="),
    "base64 for urls": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "base64 of a header": lambda key: base64_of(key, "Bearer "),
    "base64 of basic authorization": lambda key: "Basic " + base64_of(key, "a:"),
    "base64 beside other words": lambda key: f"authorization={base64_of(key, 'user:')}",
    "base64 in an url": lambda key: quote(base64_of(key), safe=""),
    "hex": lambda key: key.encode().hex(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_servers_echo_of_the_key_is_masked_in_every_encoding(encoding: str) -> None:
    echo = ENCODINGS[encoding](KEY)
    message = str(ENDPOINT.error_of_status(401, f"you sent «{echo}» to us"))
    assert "you sent" in message and "to us" in message and "***" in message
    assert echo not in message and KEY not in message


@pytest.mark.parametrize("secret", ["p%C3%A4ss:word", "päss:word", "qu3ry-s3cret", "body-s3cret"])
def test_what_the_address_and_the_body_hold_is_masked_too(secret: str) -> None:
    for echo in (secret, base64_of(secret), quote(secret, safe="")):
        assert echo not in ENDPOINT.hide(f"rejected: {echo}!")
    assert secret not in repr(ENDPOINT) and secret not in ENDPOINT.name


def test_a_key_that_the_server_cut_off_is_masked() -> None:
    assert ENDPOINT.hide(f"wrong key {KEY[:14]}") == "wrong key ***"
    long_page = "x" * 290 + " " + KEY
    assert KEY[:4] not in ENDPOINT.hide(long_page)[280:]


def test_passwords_and_queries_of_any_address_are_masked() -> None:
    said = ENDPOINT.hide(
        "see https://bob:abc@proxy.example/path?key=abc&x=1 and http://docs.example/page"
    )
    assert said == "see https://***@proxy.example/path?*** and http://docs.example/page"


def test_ordinary_words_stay() -> None:
    said = "The model `gpt-4o-mini` does not exist; see https://docs.example/errors#missing, 100% sure: a+b=c, \\o/ & &amp;"
    assert ENDPOINT.hide(said) == said


def test_masking_takes_little_time_for_hostile_texts() -> None:
    started = time.thread_time()
    for part in ("http://", "://", "%25", "\\u005c", "&amp;", "QUJD", "a@", "sk-", "?", "=+"):
        ENDPOINT.hide(part * 100_000)
    assert time.thread_time() - started < 5


@pytest.mark.parametrize(
    "address", ["ann:s3cret@host/v1", "http://[s3cret", "ftp://ann:s3cret@host/v1?key=s3cret"]
)
def test_an_address_that_is_none_is_not_repeated(address: str) -> None:
    with pytest.raises(SettingsError, match=r"models\.chat\.base_url") as caught:
        checked_endpoint("models.chat", address, "m", "")
    assert "s3cret" not in str(caught.value)


async def test_the_clients_log_no_secret_at_any_level() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        transport = httpx.MockTransport(lambda request: httpx.Response(401, text=KEY))
        async with httpx.AsyncClient(transport=transport) as client:
            answer = await client.post(
                ENDPOINT.base_url, headers={"Authorization": f"Bearer {KEY}"}
            )
        logger = logging.getLogger("openai._base_client")
        logger.debug(
            "Request options: %s",
            {"json_data": {"safety": {"token": ["body-s3cret"]}}, "headers": {"x": KEY}},
        )
        try:
            answer.raise_for_status()
        except httpx.HTTPStatusError:
            logger.debug("Encountered httpx.HTTPStatusError", exc_info=True)
        logging.getLogger("httpcore.http11").debug("return_value=(b'HTTP/1.1', %r)", base64_of(KEY))
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    logged = stream.getvalue()
    assert "HTTP Request: POST http://***@127.0.0.1:9/v1?***" in logged
    assert "HTTPStatusError" in logged and "Request options" in logged and "return_value" in logged
    for secret in (KEY, PASSWORD, "päss", "qu3ry-s3cret", "body-s3cret", base64_of(KEY)):
        assert secret not in logged


def test_what_is_known_of_all_endpoints_is_masked_in_a_reason() -> None:
    assert mask_known(f"RuntimeError: {KEY}") == "RuntimeError: ***"
    assert (
        Endpoint("models.chat", "http://h/v1", "m").hide("no key, nothing to mask")
        == "no key, nothing to mask"
    )
