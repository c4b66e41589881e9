"""Passwords and codes in dialogues: somebody asks for one, the next line is nothing but the answer."""

import re
from collections.abc import Iterator

from .placeholders import is_placeholder
from .plausible_passwords import is_password_in_talk
from .randomness import has_letter_and_digit
from .spans import Redaction
from .stretches import stretches

_ASKED_FOR = re.compile(
    r"(?P<code>验证码|校验码|动态码|动态密码|动态口令|激活码|登录码|安全码|提取码|取件码|邀请口令|令牌|"
    r"(?<![a-z])(?:codes?|otp|2fa|mfa)(?![a-z]))"
    r"|(?P<password>密码|密碼|口令|暗号|password|passwd|passcode|passphrase|(?<![a-z])(?:pwd|pw|pin)(?![a-z]))"
)
_OTHER_CODE = re.compile(
    r"(?:error|status|exit|zip|post|postal|area|country|source|qr|promo|discount|coupon|product|response|return)[ ]$"
)
_REQUEST = re.compile(
    r"[?？]|请|输入|输一下|填|提供|发|给|告诉|多少|是啥|什么|要|求|来个|报一下|"
    r"(?<![a-z])(?:enter|type|provide|send|give|gimme|need|tell|what|share|supply|input|got|have|drop|paste|insert)(?![a-z])"
)
# Who speaks: `> `, `Bob: `, `[user] `, `12:03 小李：`.
_SPEAKER = (
    r"(?:[>＞|-]{1,3}[ ]?)?(?:[\[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?[ ]?)?"
    r"(?:[\[<【(][^\n:：\]】>)]{1,24}(?:\d:\d{2}(?::\d{2})?)?[\]>】)][ ]?[:：]?[ ]?|[^\n:：>]{1,32}[:：][ ]?)?"
)
_ANSWER = re.compile(
    rf"[^\S\n]*\n{{1,2}}{_SPEAKER}(?:(?:it['’]s|try|use|是|应该是|好像是|还是|就是|哦|喏|给)[ ，,：:]{{0,2}})?"
    rf"[「『“\"'‘`【|]{{0,2}}"
    r"(?P<value>\d{3}[ -]\d{3}|(?:(?![」』”\"'’`】|])[!-~]){4,64})[」』”\"'’`】|]{0,2}"
    r"(?:[ ](?:没换|没变|没改过?|吧|iirc|i think))?[。.!！~～ ]{0,3}(?=\n|$)",
    re.I,
)
# `should be Dragonfruit_1988 unless …`
_ANSWERED = re.compile(
    rf"[^\S\n]*\n{{1,2}}{_SPEAKER}(?:it['’]s|it was|should be|might be|try|use|是|应该是|好像是|还是|就是)[ ]?[「『“\"'‘`]?"
    r"(?P<value>(?=[!-~]*\d\d)(?=[!-~]*[A-Za-z])[A-Za-z0-9@#$%^&*_!+-]{8,40})(?=[」』”\"'’`]?(?:[ ,，。;；]|$|\n))",
    re.I,
)
_CODE = re.compile(r"\d{4,8}|\d{3}[ -]\d{3}|(?=[A-Z]{0,7}\d)(?=\d{0,7}[A-Z])[A-Z0-9]{5,8}")
_ABOUT = re.compile("policy|rule|length|require|规则|规范|要求|几位|多少位|长度|强度|红包")
_WORDS = ("码", "碼", "口令", "令牌", "暗号", "code", "otp", "2fa", "mfa", "pass", "pw", "pin")
_LONGEST_QUESTION = 120


def find_in_dialogues(text: str, folded: str) -> Iterator[Redaction]:
    if "\n" not in text:
        return
    done = 0
    for asked in (
        one for start, end in stretches(text, folded, _WORDS, above=0, below=0) for one in _ASKED_FOR.finditer(folded, start, end)
    ):
        if asked.start() < done:
            continue
        start = max(text.rfind("\n", 0, asked.start()) + 1, asked.start() - _LONGEST_QUESTION)
        end = text.find("\n", asked.end(), asked.end() + _LONGEST_QUESTION)
        done = end
        if end < 0 or not _REQUEST.search(folded, start, end):
            done = asked.end()
            continue
        answer = _ANSWER.match(text, end) or (_ANSWERED.match(text, end) if asked["password"] else None)
        if answer is None:
            continue
        value = answer["value"].rstrip(".!~")
        if _ABOUT.search(folded, start, end) or _OTHER_CODE.search(folded[max(0, asked.start() - 10) : asked.start()]):
            continue
        if asked.group() == "pin" and not value.isdecimal():
            continue
        if _CODE.fullmatch(value) if asked["code"] else _is_password(value):
            label = "TOKEN" if asked["code"] else "PASSWORD"
            yield Redaction(answer.start("value"), answer.start("value") + len(value), label)  # type: ignore[arg-type]


def _is_password(value: str) -> bool:
    if value.isdecimal():
        return 4 <= len(value) <= 12
    figures = sum(c.isdigit() for c in value)
    words = re.fullmatch(r"[a-z]{3,9}(?:-[a-z0-9]{2,9}){2,7}", value)
    plain = not value.startswith(("/", "-", "#", "@", "http")) and not set(value) & set("=()<>[]{}\\;\"'")
    return (
        plain
        and not is_placeholder(value)
        and (bool(words) or (has_letter_and_digit(value) and figures >= 2 and is_password_in_talk(value, "")))
    )
