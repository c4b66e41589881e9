"""Passwords as people tell them to each other: some words behind their name, beside an account, without any sign.

`named_values` knows what configuration files and programs write. In a chat the words in between are the sentence's own
(`门禁密码改了，现在是…`, `the root password on the pi is …`), so here the value itself must look like a password: letters
and figures, or a lone number where a code is spoken of.
"""

import re
from collections.abc import Iterator
from itertools import chain

from .characters import HAN
from .lock_codes import LOCK_WORDS, find_lock_codes
from .placeholders import is_placeholder
from .secret_names import folded_case
from .spans import Redaction
from .stretches import stretches
from .told_accounts import LOGIN_WORDS, NETWORK_WORDS, find_told_accounts
from .told_beside_names import find_around_names
from .told_phrases import find_told_phrases
from .told_values import (
    NAME,
    TRAILING,
    TWO_WORDS,
    VALUE,
    WARNINGS,
    ends_sentence,
    is_strong,
    is_told_password,
    password_spans,
    span_of_value,
)

_CUES = (
    "pass", "pw", "pin", "code", "comb", "phrase", "key pad", "keypad", "dial", "unlock", "opens with", "enter ", "punch ",
    *LOGIN_WORDS, "account", "cred", "user", *NETWORK_WORDS, "auth", "redis", "mm", "root", "admin", "postgres", "ubuntu",
    "console", "sa/", "sa:", "sa,", "sa ", "pi/", "pi:", "pi,", "pi ",
    "密", "口令", "暗号", "码", *LOCK_WORDS, "短语", "号", "账户", "登", "账密", "网络", "无线", "热点",
    "路由", "控制台", "后台", " p:", " p=", " p =",
)  # fmt: skip
_LINES_AROUND = 3


def find_told_passwords(text: str) -> Iterator[Redaction]:
    folded = folded_case(text)
    for start, end in stretches(text, folded, _CUES, above=_LINES_AROUND, below=_LINES_AROUND):
        for found in _told(text[start:end], folded[start:end]):
            yield Redaction(start + found.start, start + found.end, found.label)


# `pwdmaple77`
_GLUED = re.compile(r"(?<![A-Za-z0-9_])(?:pwd|psw)(?P<value>[a-z]{2,}\d[a-z0-9]{4,32})(?![!-~])")
# `the password is still maple77otter`
_STILL = re.compile(
    r"(?:password|passcode|pwd)[^\n.!?:=]{0,30}[ ](?:still|again|remains|says|reads|it's|"
    r"its)[: ][ ]?(?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
# `the password for the list, I changed it to runnerbeans-2023-shed because …`, `the password I set was "…"`
_CHANGED = re.compile(
    r"(?:password|passcode|passphrase|(?<![a-z])pwd)[^\n.!?]{0,80}?"
    r"(?<![a-z])(?:changed|set|reset|switched|updated)[ ](?:it[ ])?to[ ]"
    r"[\"'“]?(?P<value>[A-Za-z][A-Za-z0-9]{2,16}(?:[-_.!@#$%^&*+][A-Za-z0-9]{2,16}){1,4}[!?]?)(?=[\"'”]?(?:[ ,;.!?)]|$|\n))",
    re.I,
)
# `the password on the pi was "maple_77"`
_QUOTED = re.compile(
    r"(?:password|passcode|passphrase|(?<![a-z])pwd)(?:[ ][a-z'’]{1,12}){0,5}[ ](?:is|was|to)[ ]?:?[ ]"
    r"[\"“'](?P<value>[^\s\"”']{5,64})[\"”']",
    re.I,
)


def _told(text: str, folded: str) -> Iterator[Redaction]:
    if "密" in text or "口令" in text or "暗号" in text:
        yield from _chinese(text)
    if any(word in folded for word in ("pass", "pw", "pin", "code", "combination")):
        yield from _english(text, folded)
        yield from password_spans(_GLUED, text)
        if any(word in folded for word in ("still", "again", "remains", "it's", "its ", "says", "reads")):
            yield from password_spans(_STILL, text)
    if "pass" in folded or "pwd" in folded:
        for pattern in (_CHANGED, _QUOTED):
            for found in pattern.finditer(text):
                if any(c.isdigit() for c in found["value"]) and not is_placeholder(found["value"]):
                    yield span_of_value(found)
    yield from find_around_names(text, folded)
    yield from find_lock_codes(text, folded)
    yield from find_told_phrases(text, folded)
    yield from find_told_accounts(text, folded)


_OPENING = r"[「『“\"'‘`（(]?"
# `门禁密码改了，现在是 maple77otter`
_CHINESE = re.compile(
    rf"(?:密码|密碼|口令|暗号)(?!管理|保护|强度|算法|学|本|错误|不对|长度)(?P<words>[{HAN}，,？? ]{{0,16}}?)"
    rf"(?P<link>[:：][ ]?|(?<=[是为叫成的个用这输填到回认一])[ ]?|[，, ]|){_OPENING}(?P<value>[!-~]{{4,64}}?)(?=[」』”’）]|"
    rf"[^!-~]|$)"
)
_WARNING = re.compile(rf"{WARNINGS}|别再|勿")
# `密码先用 maple77otter，备用是 otter88maple`
_SECOND = re.compile(
    rf"{NAME}[^\n]{{1,40}}?[，,;；、][ ]?(?:新|旧|老|现在|后来|备用|另一个)的?(?:密码)?(?:是|为|[:：])?[ ]?"
    r"(?P<value>[!-~]{4,64})",
    re.I,
)
_NUMBER = re.compile(r"\d{4,10}#?")
# Behind a number: `6 位`
_COUNTED = re.compile(r"[ ]{0,2}(?:位|个|次|天|分|小时|年|月|号|块|元|人|字|条|秒|度|楼|点|路)")


def _chinese(text: str) -> Iterator[Redaction]:
    for found in _CHINESE.finditer(text):
        value = found["value"]
        if _WARNING.search(found["words"]):
            continue
        after = text[found.end("value") : found.end("value") + 6]
        linked = bool(found["link"].strip(" ，,")) or (found["words"] or " ")[-1] in "是为叫成的个用这输填到回认一"
        quoted = text[found.start("value") - 1] in "「『“\"'‘`（("
        if _NUMBER.fullmatch(value):
            # Behind a comma alone a number is a code only in the usual six figures, or as the last word.
            usual = len(value.rstrip("#")) == 6 if found["words"] else bool(found["link"].strip()) and after.strip(TRAILING) == ""
            if ((linked and found["words"]) or usual) and not _COUNTED.match(after):
                yield span_of_value(found)
        elif (linked or quoted or is_strong(value) or ends_sentence(value, after)) and is_told_password(value, after):
            yield span_of_value(found)
    for found in _SECOND.finditer(text) if any(word in text for word in "新旧老现后备另") else ():
        if is_told_password(found["value"], "") or _NUMBER.fullmatch(found["value"]):
            yield span_of_value(found)


# `garage code`, `code for the back gate`
_CODE_NAMES = (
    r"(?:(?:door|lobby|hallway|laundry|gym|stairwell|reception|mailroom|bike lock|gate|alarm|burglar alarm|entrance|"
    r"front door|back door|key safe|parking|shed|entry|access|safe|lock|"
    r"garage|lock ?box|key ?pad|key|building|apartment|lift|elevator|pool|bike|"
    r"padlock|"
    r"locker|unlock|screen|phone|disarm|dumpster|bin store|storage|unit|mailbox)[ ]code|key ?pad|code to (?:get in|enter|"
    r"open|unlock)|"
    r"(?<!zip )(?<!post )(?<!postal )(?<!area )(?<!dress )(?<!country )code (?:for|to|on|of) (?:the|our|"
    r"my) [a-z ]{0,20}(?:lobby|hallway|gym|dumpster|stairwell|entry|bike|gate|door|"
    r"lock|garage|alarm|building|safe|pool|box|entrance|lobby|shed|flat|house|unit|locker))"
)
# `the root password on the pi is maple77otter`, `the garage code is 4471`
_ENGLISH, _ENGLISH_CODE = (
    re.compile(
        rf"(?<![a-z])(?P<name>{names})"
        r"(?:(?P<own>['’]s[ ])|(?P<comma>,[ ])|(?P<colon>(?:[ ][a-z0-9.'+&-]{1,16}){1,6}[ ]?:[ ])|"
        r"(?P<words>(?:[ ][a-z0-9.'-]{1,16}){0,6}[ ](?:is|was|be|"
        r"(?:changed|set|reset|updated|switched)[ ]to)[ :]{1,2}))"
        rf"(?P<open>[\"'“‘`]?){VALUE}",
    )
    for names in ("password|passcode|passphrase|pwd|pw|pass|pin", rf"{_CODE_NAMES}|combination")
)
# `use maple77otter as the password`, `enter 4471 for the pin`
_ENTERED = re.compile(
    r"(?<![a-z])(?:enter|use|type|try|press|punch in|with)[ ](?P<value>[!-~]{4,64})[ ](?:as|for)[ ](?:the[ ]|your[ ]|my[ ])?"
    r"(?P<name>pin|password|passcode|code)(?=[ ]*(?:[.,!?;)]|$)|[ ](?:on|at|to|when|and)\b)",
    re.I,
)
_TWO_WORDS = re.compile(TWO_WORDS + "[!?~]?")


def _english(text: str, folded: str) -> Iterator[Redaction]:
    codes = any(word in folded for word in (" code", "code to", "keypad", "key pad", "combination"))
    for found in chain(_ENGLISH.finditer(folded), _ENGLISH_CODE.finditer(folded) if codes else ()):
        written = text[found.start("value") : found.end("value")]
        value = written.rstrip(TRAILING)
        after = text[found.end("value") : found.end("value") + 12]
        number = _NUMBER.fullmatch(value) and found["comma"] is None
        # A pin that "is connected to GPIO17" is no number.
        word = found["name"].lower() not in ("pin", "combination") and is_told_password(value, after)
        word = word and not (found["colon"] and re.fullmatch(r".*\.[a-z]{2,4}", value))
        counted = _COUNTED.match(after) or (value == written and re.match(r" [a-z]+s\b", after))
        if word or (number and not counted):
            yield Redaction(found.start("value"), found.start("value") + len(value), "PASSWORD")
    for found in _ENTERED.finditer(text) if " as " in folded or " for " in folded else ():
        word = found["name"].lower().startswith("pass") and (
            is_told_password(found["value"], "") or bool(_TWO_WORDS.fullmatch(found["value"]))
        )
        if word or _NUMBER.fullmatch(found["value"]):
            yield span_of_value(found)
