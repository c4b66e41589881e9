"""Settings as operators see them."""

import json
from pathlib import Path

import pytest
from historian.schema.settings import Settings, walk
from historian.schema.settings.source import parse_settings
from historian.service.inspection.settings_report import settings_report

SECRETS = (
    "sk-of-the-chat-model",
    "hunter2",
    "secret-in-the-body",
    "a-token-of-sixteen",
    "another-token-of-it",
)


def test_every_key_is_told_with_what_it_means() -> None:
    told = settings_report(Settings())
    assert [one.key for one in told] == [key for key, _ in walk()]
    assert all(one.meaning["zh"] and one.meaning["en"] and one.value == one.default for one in told)


@pytest.mark.parametrize(
    "address",
    ["http://ann:hunter2@host:1/v1", "https://host/v1?key=hunter2", "http://host/?a=b?c=hunter2"],
)
def test_no_secret_of_a_configuration_is_told(address: str) -> None:
    given = {
        "models": {
            "chat": {
                "base_url": address,
                "api_key": SECRETS[0],
                "model": "m",
                "extra_body": {"safe": {"key": SECRETS[2]}},
            },
            "rerank": {"api_key": SECRETS[0]},
        },
        "stores": {
            "url": "postgresql://ann:hunter2@db/x",
            "direct_url": "postgresql://db/x?password=hunter2",
        },
        "web": {"token": SECRETS[3], "scope_tokens": {"group:7": SECRETS[4]}},
    }
    told = settings_report(parse_settings(given, environ={}, base=Path("/")))
    text = json.dumps([one.value for one in told])
    assert not any(secret in text for secret in SECRETS)
    values = {one.key: one.value for one in told}
    assert (
        values["models.chat.extra_body"] == {"safe": "***"} and values["models.chat.model"] == "m"
    )
    assert "host" in values["models.chat.base_url"] and values["stores.url"].endswith("@db/x")
    assert values["models.embedding.api_key"] == ""
