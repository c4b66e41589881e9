"""What counts as a password in talk, where no sign links it to a name: the value itself must look like one."""

import re
from collections.abc import Iterator

from .placeholders import is_placeholder
from .plausible_passwords import is_password_in_talk
from .spans import Redaction

VALUE = r"(?P<value>[!-~]{4,64})(?![!-~])"
NAME = r"(?:密码|密碼|口令|password|passcode|passphrase|passwd|(?<![a-z])(?:pwd|pass|pin|pw)(?![a-z]))"
TWO_WORDS = r"[A-Za-z]{3,16}[@#$!%^&*+]{1,3}[A-Za-z]{3,16}"
"""Two words with a sign between them: `Walrus+Pastry`."""
WARNINGS = "别用|不要|不能|不许|禁止|避免|比如|例如"
"""Before a password that is spoken of and not told."""
# A password that is spoken of and not told: what to avoid, what somebody else tried.
SPOKEN_OF = re.compile(
    WARNINGS + r"|别再(?!问|忘|说|发)|类似|弱|错误|(?<![a-z])(?:like|better than|"
    r"rather than|instead of|such as|e\.g\.|avoid|never|weak|regex|hash)",
    re.I,
)
# Signs of code and of sentences.
NOT_IN_PASSWORDS = frozenset("=\"'`<>(){}[]\\|,;:/")
TRAILING = ".,;:!?…。，"
# `2024-05`, `v1.2`
_DATE = re.compile(r"(?:19|20)\d{2}[-./年]|v?\d+\.\d")


def is_told_password(value: str, after: str) -> bool:
    """Whether a word of a sentence is a password; `after` is what follows it."""
    value = value.rstrip(TRAILING)
    plain = (
        not set(value) & set("=`\"'/\\")
        and "://" not in value
        and not _DATE.match(value)
        and not value.startswith(("-", "#", "@"))
    )
    return plain and not is_placeholder(value) and is_password_in_talk(value, after)


def is_strong(value: str) -> bool:
    """Whether a value without any word that links it can be nothing else: long, with figures and more than one kind besides."""
    kinds = (any(c.islower() for c in value), any(c.isupper() for c in value), any(not c.isalnum() for c in value))
    return len(value) >= 8 and sum(c.isdigit() for c in value) >= 2 and sum(kinds) >= 2


def ends_sentence(value: str, after: str) -> bool:
    """Whether the last word of a sentence is letters with three figures or more: `老样子 lily1990`."""
    figures = sum(c.isdigit() for c in value)
    return len(value) >= 7 and figures >= 3 and len(value) - figures >= 2 and not after[:1].strip("，。,.!！~～;；\n")


def is_plain_name(value: str) -> bool:
    """Whether what stands beside an account may be a folder, a page or a version: `index2`, `project2024`, `app.py`, `1200ms`."""
    return "/" in value or bool(re.fullmatch(r"[a-z]+[-_]?\d{1,4}|v?\d+[.\d]*[a-z]{0,4}|.*\.[a-z]{1,5}", value))


def span_of_value(found: re.Match[str]) -> Redaction:
    return Redaction(*found.span("value"), "PASSWORD")


def spans_of(pattern: re.Pattern[str], text: str) -> Iterator[Redaction]:
    """Give whatever the pattern finds."""
    for found in pattern.finditer(text):
        yield span_of_value(found)


def password_spans(pattern: re.Pattern[str], text: str) -> Iterator[Redaction]:
    """Give of what the pattern finds the words that look like passwords."""
    for found in pattern.finditer(text):
        if is_told_password(found["value"], ""):
            yield span_of_value(found)
