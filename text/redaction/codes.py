"""Codes that open an account once: sent by text message, shown by an authenticator, kept for the day it is lost."""

import re
from collections.abc import Iterator

from .spans import Redaction

_CHINESE_NAME = r"(?:验证码|驗證碼|校验码|动态码|动态密码|动态口令|激活码|登录码|安全码|取件码|确认码|一次性密码)"
_ENGLISH_NAME = (
    r"(?:verification|verify|security|confirmation|authentication|authenticator|auth|login|log-?in|sign-?in|"
    r"one[- ]?time|otp|totp|2fa|mfa|"
    r"two[- ]factor|passcode|activation|sms|recovery|pairing)[ _-]?(?:pass)?(?:codes?|pin|password)|\botp|\btotp|\b2fa|\bmfa"
)
_FIGURES = r"(?P<value>\d{3}[ -]\d{3}|\d{4,8}|[A-Z]-\d{4,8}|(?=[A-Z0-9]{0,7}\d)[A-Z0-9]{6,8})"
_END = r"(?![A-Za-z0-9%]|[.:/-]\d|[ ]?(?:位|个|次|分|秒|小时|天|条|元|块|毫秒|ms\b|minutes?|seconds?|digits?|characters?|times))"
_CHINESE = re.compile(
    rf"{_CHINESE_NAME}(?:[是为：:\s\"'“【「（(,，]|您的|你的|[我他她]|发|给|输入|填|一下|就|刚|收到的?|了){{0,8}}(?<![A-Za-z0-9]){_FIGURES}{_END}"
)
_ENGLISH = re.compile(
    rf"(?<![a-z])(?:{_ENGLISH_NAME})(?:[ ](?:for|to|on|from|of)[ ][\w@.' -]{{1,40}}?)?"
    r"(?:[\"']?[ \t]{0,2}(?:is|was|[:：=]|are)[ \t]{0,2}|[ \t]{1,2})(?:now[ ])?[\"']?"
    rf"(?-i:{_FIGURES}){_END}",
    re.I,
)
# `482913 is your … code`, `482913（登录验证码）`, `enter 482913 to sign in`
_BEFORE = re.compile(
    rf"(?<![A-Za-z0-9.:/-])(?-i:{_FIGURES})(?:[ ](?:is|as)[ ](?:your|the|"
    rf"my)[ ](?:[\w.-]{{1,20}}[ ]){{0,3}}(?:{_ENGLISH_NAME}|code)\b"
    rf"|[ ]?[（(【]?(?:是|为|就是)?(?:您的|你的|我的)?[\w]{{0,6}}{_CHINESE_NAME})",
    re.I,
)
_ENTERED = re.compile(
    rf"(?<![a-z])(?:use|enter|type)[ ](?:the[ ])?(?:code[ ])?(?-i:{_FIGURES})[ ](?:to[ ](?:sign|log|verify|confirm|"
    rf"complete|finish|authenticate|"
    r"reset|activate|pair|unlock)|as[ ]your)\b",
    re.I,
)
_PLAIN = re.compile(
    r"(?:^|[.!?,:，。：\n][ ]?|(?:your|the|my|sms|new)[ ])code(?:[ ]is|:)[ ](?P<value>\d{6})(?![\w%]|[.:/-]\d)", re.I | re.M
)
_KEPT_NAME = r"(?:recovery|backup|scratch|emergency|rescue)[ _-](?:codes?|keys?)|恢复码|恢复代码|备用码|备用验证码|备份码|救援码"
_KEPT = re.compile(
    rf"(?:{_KEPT_NAME})[\"']?[^\S\n]{{0,3}}(?:[:：=]|是|are|is)?\s{{0,4}}"
    r"(?P<value>[\[\"'\d.)\s-]{0,8}(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,7}|\d{6,10}|\d{4}[ ]\d{4}|"
    r"(?=[a-z]*\d)[a-z0-9]{8,16})"
    r"(?:[\"']?[\s,，、;]{1,4}[\"']?(?:\d{1,2}[.)][ ])?(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,7}|\d{6,10}|\d{4}[ ]\d{4}|"
    r"(?=[a-z]*\d)[a-z0-9]{8,16})(?![A-Za-z0-9])){0,31})",
    re.I,
)
# The seed from which an authenticator makes its codes.
_SEED_NAME = (
    r"(?:二步验证|两步验证|双重验证|二次验证|身份验证器|谷歌验证器?|2fa|mfa|totp|otp|authenticator|setup key|google auth)"
)
_SEED = re.compile(
    rf"{_SEED_NAME}[^\n]{{0,24}}?(?-i:(?<![A-Za-z0-9])(?P<value>[A-Z2-7]{{16,64}}|"
    rf"(?:[A-Za-z2-7]{{4}}[ ]){{3,15}}[A-Za-z2-7]{{4}}))(?![A-Za-z0-9])",
    re.I,
)
_NAMES = (
    "code",
    "码",
    "碼",
    "口令",
    "密码",
    "otp",
    "2fa",
    "mfa",
    "验证",
    "authenticator",
    "setup key",
    "google auth",
    "recovery",
    "rescue",
    "pin",
    "verify",
    "sign in",
    "log in",
    "authenticate",
)


def find_codes(text: str) -> Iterator[Redaction]:
    """Find codes of four to eight figures that are called verification codes, recovery codes, authenticator seeds."""
    folded = text.lower()
    if not any(name in folded for name in _NAMES):
        return
    for pattern in (_CHINESE, _ENGLISH, _BEFORE, _ENTERED, _PLAIN):
        for match in pattern.finditer(text):
            if any(character.isdigit() for character in match["value"]):
                yield Redaction(*match.span("value"), "TOKEN")
    for match in _KEPT.finditer(text):
        if any(character.isdigit() for character in match["value"]):
            yield Redaction(*match.span("value"), "TOKEN")
    for match in _SEED.finditer(text):
        yield Redaction(*match.span("value"), "SECRET")
