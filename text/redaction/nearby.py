"""Passwords and keys some way off their name: in the answer to a question, at the end of the line, in the line below."""

import re
from collections.abc import Iterator

from .characters import HAN
from .dialogues import find_in_dialogues
from .far_values import find_far_values
from .listed_accounts import find_in_lists
from .placeholders import is_placeholder
from .plausible_passwords import is_password_in_talk
from .randomness import has_letter_and_digit
from .secret_names import folded_case
from .spans import Redaction
from .stretches import matches_around
from .told_codes import find_told_codes
from .told_values import NOT_IN_PASSWORDS, SPOKEN_OF, span_of_value
from .unmistakable import find_behind_names, find_behind_resets

# What stands in every text that names a password, and the English names themselves.
_PASSWORD_CUES = ("密", "口令", "pass", "pwd", "pw")
_ENGLISH_NAMES = r"password|passcode|passphrase|(?<![a-z])(?:pwd|pass|pw)(?![a-z])"


def find_nearby(text: str) -> Iterator[Redaction]:
    folded = folded_case(text)
    if any(word in folded for word in _PASSWORD_CUES):
        yield from find_behind_names(text, folded)
    yield from find_behind_resets(text, folded)
    yield from _answered(text, folded)
    yield from _pointed_at(text, folded)
    yield from _later_in_the_line(text, folded)
    yield from _announced(text, folded)
    yield from find_told_codes(text, folded)
    yield from find_far_values(text, folded)
    yield from find_in_dialogues(text, folded)
    yield from find_in_lists(text, folded)


# `wifi 密码多少？lily1990x`, `what's the password? it's maple77otter`
_ASKED = re.compile(
    rf"(?:密码|密碼|口令|password|passcode|(?<![a-z])(?:pwd|pass|pw)(?![a-z]))(?:[^\n?？]{{0,24}}[?？]|(?:是|要)?(?:多少|是啥|啥|"
    rf"什么)[呀啊呢来着]{{0,2}}(?=\n))[^\S\n]{{0,2}}\n?(?:[^\n:：]{{1,24}}[:：]|[{HAN}，,：:\s—-]{{0,12}}|"
    r"[^\n\d]{0,16}?(?:it['’]s|try|is))[ ]?(?P<value>[!-~]{6,40})(?=[ ]*(?:$|[\n，。,.!！~～]|iirc|afaik|i think|吧|"
    r"好像|没换|没改|别))",
    re.I,
)


def _answered(text: str, folded: str) -> Iterator[Redaction]:
    """Find the answer to a question, in its line or the one below."""
    if any(mark in text for mark in ("? ", "?\n", "？", "多少", "啥", "什么")):
        for found in matches_around(_ASKED, text, folded, _PASSWORD_CUES):
            if _is_answer(found["value"]):
                yield span_of_value(found)


# `local key for the heater plug -> Hx7#kq93LmPz`: behind an arrow or a colon, what nobody would write as a word.
_POINTED = re.compile(
    r"(?<![a-z])(?:key|token|secret|密钥|令牌)(?![a-z])[^\n]{0,40}?(?:->|→|=>|[:：])[ ]?"
    r"(?P<value>(?=[!-~]*\d)(?=[!-~]*[a-z])(?=[!-~]*[A-Z])"
    r"(?=[!-~]*[!@#$%^&*+?~])[A-Za-z0-9!@#$%^&*+?~_-]{12,64})(?![!-~])"
)


def _pointed_at(text: str, folded: str) -> Iterator[Redaction]:
    for found in matches_around(_POINTED, text, folded, ("key", "token", "secret", "密钥", "令牌")):
        if not is_placeholder(found["value"]):
            yield Redaction(*found.span("value"), "TOKEN")


# `grandpa's password, in case he rings: Walnut1948`: the end of a line, and a word nobody would write.
_AT_THE_END = re.compile(
    rf"(?:{_ENGLISH_NAMES}|密码|口令)"
    r"[^\n:：=]{1,60}[:：][ ]?"
    r"(?P<value>(?=[A-Za-z]*[A-Z])(?=[A-Z]*[a-z])[A-Za-z]{3,24}\d{2,8}[A-Za-z]{0,12}[!?.]?)[ \t]*(?=\n|$)",
    re.I,
)
# `my rcon pass its cr33per_no_boom`, `It's Bumblebee_Orbit4 now`: words with figures for letters or at the end.
_ITS = re.compile(
    rf"(?:{_ENGLISH_NAMES})"
    r"[^\n]{0,60}?(?<![a-z])(?:it['’]?s|is)[ ]"
    r"(?P<value>(?=[A-Za-z_-]{1,24}\d)[A-Za-z0-9]{3,16}(?:[_-][A-Za-z0-9]{2,16}){1,4}|(?-i:(?=[A-Za-z]*[a-z][A-Z]|[A-Z])[A-Za-z]{5,24}\d{2,6})"
    r"|(?-i:(?=[!-~]*\d)(?=[!-~]*[a-z])(?=[!-~]*[A-Z])[A-Za-z0-9]{3,20}[!@#$%^&*][A-Za-z0-9]{2,16}))"
    r"(?=[ ]*(?:$|[\n,.;!]|now|thx|thanks|again|still|for|on|and|same))",
    re.I,
)


def _later_in_the_line(text: str, folded: str) -> Iterator[Redaction]:
    for pattern in (_AT_THE_END, _ITS):
        for found in matches_around(pattern, text, folded, _PASSWORD_CUES):
            if not SPOKEN_OF.search(text, found.start(), found.start("value")) and not is_placeholder(found["value"]):
                yield span_of_value(found)


# `I send you the password here: maple77otter`
_HERE = re.compile(
    r"(?:password|passcode|passphrase|pwd)[^\n:=]{1,60}?(?:here|here it is|here you go|as follows|"
    r"below)[:：][ ](?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
# `… use the following password:`, and in the next line nothing but it: `maple77otter`.
_BELOW = re.compile(
    r"(?:密码|口令|令牌|密钥|password|passcode|passphrase|token|secret|(?<!public )key)(?![^\n]*(?:finger|public|"
    r"公钥))[^\n:：]{0,60}[:：][^\S\n]*\n\s{0,8}"
    r"(?P<value>[!-~]{8,256})[ \t]*(?=\n|$)",
    re.I,
)


def _announced(text: str, folded: str) -> Iterator[Redaction]:
    """Find what a sentence announces to come, behind its colon or alone in the next line."""
    if "here" in folded or "below" in folded or "follows" in folded:
        for found in _HERE.finditer(text):
            if _is_answer(found["value"].rstrip(".,;")) and not re.search(r"\.[a-z]{2,4}$", found["value"]):
                yield span_of_value(found)
    for found in matches_around(_BELOW, text, folded, (":\n", "：\n", ": \n")):
        if _stands_alone(found["value"]):
            yield span_of_value(found)


def _is_answer(written: str) -> bool:
    figures = sum(c.isdigit() for c in written)
    return not NOT_IN_PASSWORDS & set(written) and is_password_in_talk(written, "") and figures >= 2


def _stands_alone(written: str) -> bool:
    code = (NOT_IN_PASSWORDS - set("=/")) & set(written)
    return (
        not code
        and has_letter_and_digit(written)
        and not is_placeholder(written)
        and not re.match(r"[-*/.#@]|[A-Za-z_][\w.-]*=(?!=?$)", written)
    )
