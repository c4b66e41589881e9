"""The settings of `historian serve`: the table `[web]`."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from ..scope import notes_scope
from .section import Section

SHORTEST_TOKEN = 16
"""Minimum number of characters of a token of the pages and the HTTP API."""


class WebSettings(Section):
    host: str = "127.0.0.1"
    """`historian serve` 在哪个地址上监听；不是本机回环地址就必须设 token
    the address that `historian serve` listens on; one that is not loopback needs a token"""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8765
    """端口；0 任选空闲的
    the port; 0: any free one"""
    hosts: list[str] = Field(default_factory=list)
    """除本机名和 host 外，浏览器可用哪些主机名访问（如反向代理的域名）
    further host names by which browsers may reach the server (such as the name of a reverse proxy)"""
    token: str = ""
    """操作者的令牌，至少 16 个 ASCII 字符；留空则每次启动新生成一个
    the operator's token, at least 16 characters of ASCII; empty: a new one at each start"""
    scope_tokens: dict[str, str] = Field(default_factory=dict)
    """只能用一个会话的令牌：{ "group:群号" = "令牌", "user:用户号" = "令牌" }
    tokens for one conversation alone: { "group:ID" = "token", "user:ID" = "token" }"""
    body_max_kib: Annotated[int, Field(ge=1, le=65_536)] = 1024
    """请求体最多多少 KiB
    maximum size of a request body in KiB"""
    requests_per_second: Annotated[float, Field(gt=0, le=100_000)] = 50.0
    """每个令牌每秒最多多少个请求，短时可以翻倍
    maximum requests per second per token; twice as many for a short time"""

    @field_validator("token")
    @classmethod
    def _token(cls, value: str) -> str:
        return checked_token(value) if value else value

    @field_validator("scope_tokens")
    @classmethod
    def _scope_tokens(cls, value: dict[str, str]) -> dict[str, str]:
        for named, token in value.items():
            if not named:
                raise ValueError("the name of a conversation is empty; write group:ID or user:ID")
            notes_scope(named)
            checked_token(token)
        return value

    @model_validator(mode="after")
    def _different_tokens(self) -> Self:
        given = [*self.scope_tokens.values(), *([self.token] if self.token else [])]
        if len(set(given)) != len(given):
            raise ValueError(
                "two tokens are the same; give each conversation, and the operator, one of their own"
            )
        return self


def checked_token(token: str) -> str:
    """Return a token, or raise ValueError without repeating it."""
    if (
        len(token) < SHORTEST_TOKEN
        or not token.isascii()
        or not token.isprintable()
        or " " in token
    ):
        raise ValueError(
            f"a token needs at least {SHORTEST_TOKEN} letters, digits and signs of ASCII without blanks"
        )
    return token
