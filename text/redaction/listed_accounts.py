"""Passwords in lists of accounts: `.pgpass`, `.netrc`, the users of a pool, `login ann:…`."""

import re
from collections.abc import Iterator

from .placeholders import is_placeholder
from .plausible_passwords import is_password_in_talk
from .spans import Redaction
from .told_values import NOT_IN_PASSWORDS, span_of_value

# Each behind what stands in every text that holds one: `login ann` above `password …`, `db.test:5432:shop:ann:…`, `"ann" "…"`.
_LISTED = (
    (
        ("\npassword ", "\npasswd "),
        re.compile(
            r"^[ \t]*(?:user(?:name)?|login|account)[ ]\S{1,64}\r?\n[ \t]*(?:password|passwd)[ ](?P<value>[!-~]{4,128})[ \t]*$",
            re.M,
        ),
    ),
    (
        (":*:", ":5", ":3", ":6", ":1"),
        re.compile(r"^[\w.*-]{1,80}:(?:\d{4,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?P<value>[!-~]{4,128})$", re.M),
    ),
    (
        ("userlist", "auth_file", "chap-secrets", "users.txt", "credentials"),
        re.compile(
            r"(?:userlist|auth_file|chap-secrets|users\.txt|"
            r"credentials)[^\n]{0,80}\n(?:[\"'][^\"'\n]{1,64}[\"'][ \t]+[\"'][^\"'\n]{1,128}[\"']\n){0,8}?"
            r"[\"'][^\"'\n]{1,64}[\"'][ \t]+[\"'](?P<value>[^\"'\n]{4,128})[\"']",
            re.I,
        ),
    ),
)
# `login ann:maple77otter`, `账号 ann:maple77otter`
_ACCOUNT = re.compile(
    r"(?:auth|login|creds?|basic auth|账号|帐号|登录|用户)[ ]?[:：]?[ ]?(?<![\w:])[\w.-]{2,32}:(?P<value>[!-~]{8,64})(?![!-~])"
)
_ACCOUNT_WORDS = ("auth", "login", "cred", "号", "登录", "用户")


def find_in_lists(text: str, folded: str) -> Iterator[Redaction]:
    for words, pattern in _LISTED:
        if any(word in folded for word in words):
            for found in pattern.finditer(text):
                if not is_placeholder(found["value"]):
                    yield span_of_value(found)
    if not any(word in folded for word in _ACCOUNT_WORDS):
        return
    for found in _ACCOUNT.finditer(folded):
        value = text[found.start("value") : found.end("value")]
        if is_password_in_talk(value, "") and not NOT_IN_PASSWORDS & set(value):
            yield span_of_value(found)
