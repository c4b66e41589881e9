"""Codes that open an account once, told in a sentence: `my authenticator says 771 204`."""

import re
from collections.abc import Iterator

from .spans import Redaction
from .stretches import matches_around

# `验证码给你，是 771204`, `the login code, got it, is 771 204`
_CODE_ASKED = re.compile(
    r"(?:验证码|校验码|动态码|(?:verification|2fa|otp|sms|login|auth\w*|security|one[- ]time)[ ]code)[^\d。]{1,48}?"
    r"(?:it['’]s|it is|it says|is|是|[:：—→-])[ ]{0,2}(?P<value>\d{3}[ -]?\d{3})(?![\w%]|[.:/-]\d|[ ]?(?:位|个|次|分|秒|"
    r"小时|条|元|ms\b))",
    re.I,
)
_KINDS = ("verification", "2fa", "otp", "sms", "login", "auth", "authentication", "authenticator", "security", "time")
_CODE_CUES = ("验码", "验证码", "动态码", *(kind + " code" for kind in _KINDS))
# What an authenticator shows, a text message says: `my authenticator says 771 204`, `enter this code to sign in: 640182`.
_CODE_SHOWN = re.compile(
    r"(?:authenticator|google auth|authy|(?<![a-z])(?:otp|totp|2fa)[ ](?:app|shows)|code to[ ]|(?:got|sent|"
    r"came)[^\d\n.]{0,16}(?:text|sms))"
    r"[^\d\n.]{0,40}?(?:says|shows|reads|is|it['’]s|:)[ ](?P<value>\d{3}[ -]?\d{3})(?![\w%]|[.:/-]\d)",
    re.I,
)
_SHOWN_CUES = ("authenticator", "google auth", "authy", "otp", "2fa", "code to", "text", "sms")


def find_told_codes(text: str, folded: str) -> Iterator[Redaction]:
    for pattern, cues in ((_CODE_ASKED, _CODE_CUES), (_CODE_SHOWN, _SHOWN_CUES)):
        for found in matches_around(pattern, text, folded, cues):
            yield Redaction(*found.span("value"), "TOKEN")
