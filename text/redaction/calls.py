"""Secrets among the arguments of calls that log in: `smtp.login("bot", "…")`, `auth=("bot", "…")`."""

import re
from collections.abc import Iterator

from .placeholders import is_placeholder
from .randomness import is_hash, looks_random
from .spans import Redaction

_VALUE = r"[rbu]?(?P<mark>\\{0,2}[\"'`])(?P<value>(?:(?!(?P=mark))[^\n]){3,128})(?P=mark)"
# The account may be a variable, the password has to be written out.
_CALL = re.compile(
    r"(?:(?<!\w)(?:login|log_in|log_?on|sign_?in|authenticate|auth|set_?basic_?auth|basic_?auth|with_?basic_?auth)|"
    r"Basic(?:_?Auth(?:entication)?|Credentials?)?|HTTP(?:Basic|Digest)Auth|Credentials?|PasswordAuthentication)"
    r"\(\s{0,8}(?:[\w.]{1,40}|\\{0,2}[\"'][^\"'\n]{1,80}[\"'])\s{0,4},\s{0,8}" + _VALUE + r"\s{0,8}[,)]",
    re.I,
)
_PAIR = re.compile(
    r"(?<![a-z])(?:basic_?|http_?|proxy_?)?auth\w{0,12}[\"']?[ ]?[:=][ ]?[\[(][ ]?(?:[\w.]{1,40}|"
    r"\\{0,2}[\"'][^\"'\n]{1,80}[\"']),[ ]?" + _VALUE + r"[ ]?,?[ ]?[\])]",
    re.I,
)
# `WiFi.begin("ssid", "…")`, `jwt.encode(payload, "…")`, `hmac.new(b"…", …)`.
_SIGNED = re.compile(
    r"(?:hmac\.new\([ ]?|(?:jwt\.(?:encode|decode|sign|verify)|createHmac|WiFi\.begin)\([^()\n]{1,120}?,[ ]{0,2})"
    + _VALUE
    + r"[ ]?[,)]"
)
_DRIVER = re.compile(
    r"connect\([ ]?[\"'](?:dbi|mysql|pgsql|jdbc|odbc|oci):[^\"'\n]{1,160}[\"'],[ ]{0,2}[\"'][^\"'\n]{1,80}[\"'],[ ]{0,2}"
    + _VALUE,
    re.I,
)
_ENTRY = re.compile(
    r"DirectoryEntry\(\s{0,8}[\"'][^\"'\n]{1,160}[\"']\s{0,4},\s{0,16}[\"'][^\"'\n]{1,80}[\"']\s{0,4},\s{0,16}" + _VALUE
)
_CONNECTION = re.compile(
    r"(?:getConnection|createConnection|mysqli?_connect|mysqli|PDO|"
    r"pg_connect)\([^()\n]{1,200}?,[ ]{0,2}\\{0,2}[\"'][^\"'\n]{1,80}[\"'],[ ]{0,2}" + _VALUE + r"[ ]?[,)]"
)
# `set_token("…")`, `tokens = ["…", "…"]`
_SET = re.compile(r"\w*(?:token|api_?key|secret|auth_?key)\([ ]?[\"'](?P<value>[A-Za-z0-9+/_=-]{20,256})[\"'][ ]?\)", re.I)
_LIST = re.compile(r"(?<![a-z])(?:tokens|api_?keys|secrets|密钥)[\"']?[ ]?[:=]?[ ]?[\[({](?P<values>[^\])}]{16,4000})", re.I)
_LISTED = re.compile(r"[\"'](?P<value>[A-Za-z0-9+/_=.-]{16,256})[\"']")
_MAPPED = re.compile(
    r"(?<![a-z])(?:tokens|api_?keys|secrets):[ ]*\n(?P<values>(?:[ ]{2,}[\w-]{1,40}:[ ]?\S{16,256}[ ]*(?:\n|$)){1,32})", re.I
)
_MAPPING = re.compile(r":[ ]?[\"']?(?P<value>[A-Za-z0-9+/_=.-]{16,256})[\"']?[ ]*(?:\n|$)")
_COOKIE = re.compile(r"cookies?\.(?:set|put|add|append)\([ ]?[\"'][^\"'\n]{1,40}[\"'],[ ]?" + _VALUE, re.I)
# What stands in a text in which a pattern can be found.
_CALLS = (
    (("auth(", "login(", "log_in(", "logon(", "log_on(", "signin(", "sign_in(", "authentic", "credential"), _CALL),
    (("auth",), _PAIR),
    (("directoryentry(",), _ENTRY),
    (("connect(",), _DRIVER),
    (("connection(", "_connect(", "mysqli(", "pdo("), _CONNECTION),
    (("jwt.", "hmac", "wifi.begin"), _SIGNED),
)


def find_in_calls(text: str) -> Iterator[Redaction]:
    folded = text.lower()
    for literals, pattern in _CALLS:
        if any(literal in folded for literal in literals):
            for found in pattern.finditer(text):
                if _is_password(found["value"]):
                    yield Redaction(*found.span("value"), "PASSWORD")
    for found in _SET.finditer(text) if "(" in text else ():
        if is_hash(found["value"]) or looks_random(found["value"], 20):
            yield Redaction(*found.span("value"), "TOKEN")
    if any(word in folded for word in ("tokens", "keys", "secrets", "密钥")):
        for several, one in ((_LIST, _LISTED), (_MAPPED, _MAPPING)):
            for group in several.finditer(text):
                for found in one.finditer(text, *group.span("values")):
                    if is_hash(found["value"]) or looks_random(found["value"], 16):
                        yield Redaction(*found.span("value"), "TOKEN")
    if "cookie" in folded:
        for found in _COOKIE.finditer(text):
            if is_hash(found["value"]) or looks_random(found["value"], 10):
                yield Redaction(*found.span("value"), "COOKIE")


def _is_password(written: str) -> bool:
    plain = re.fullmatch(r"[a-z]+(?: [a-z]+)*[.!?]?|https?://.*", written, re.I)
    return not is_placeholder(written) and (not plain or bool(re.fullmatch(r"[a-z]{16}|(?:[a-z]{4} ){3}[a-z]{4}", written)))
