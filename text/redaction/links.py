"""What may stand between the name of a secret and its value, and what it says of the two."""

import re
from dataclasses import dataclass
from typing import Literal

from .characters import HAN

Link = Literal["assigned", "paired", "said", "option", "beside"]

_QUOTE = r"[\"'`]"
_ESCAPED_QUOTE = r"\\{0,4}[\"']"
# `password_2`, `token prod`, and what closes the name: a quotation mark, asterisks, a bracket.
_REST = (
    r"(?:[ _-]?(?:\d{1,2}|prod|production|dev|test|staging|new|old|value|string|plain|text|base64|b64|base)(?![a-z0-9]))?"
    r"(?P<close>\\{0,4}[\"'`]|\*{1,2}|[\]】」』）]|\[\])?\]?\??"
)
# `密码（测试）：`, `secret (staging) = `, `Password for ann@host: `
_NOTE = (
    r"(?:(?:[ ][(\[]|[（【])[^()（）\[\]【】\n]{1,24}[)）\]】](?=[ ]?[:：=])"
    rf"|[ ]?[(（\[【](?=[^()（）\n]{{0,24}}[{HAN}])[^()（）\[\]【】\n]{{1,24}}[)）\]】](?=[ ]?[!-~:：])"
    r"|[ ]for[ ](?:the[ ])?(?:key[ ]|user[ ]|account[ ])?(?:[\"'][^\"'\n]{1,80}[\"']|[^\s:：]{1,60}|"
    r"(?:[a-z0-9'’-]{1,16}[ ]){1,6}[a-z0-9'’-]{1,16})(?=[:：]|[ ]is[ ][\"']))?"
)
# `define('DB_PASSWORD', '…')`, `page.fill("#password", "…")`, `process.env.SECRET || "…"`
_PAIRED = (
    rf"(?:(?<=[\"'`\]])\]?[\"'`]?[ \t]?(?:,[ \t]{{0,8}}|[ ](?:with|to)[ ]|"
    r"\){1,2}\.(?:send_?keys|type|fill|set_?(?:value|text)|val|input)\([ ]?)|[)\]]?[ ](?:\|\||\?\?|or)[ ])"
    rf"(?=[rbfun@]{{0,2}}\\{{0,4}}{_QUOTE})"
)
# `"name": "DB_PASSWORD", "value": `, `<input name="password" value=`, `variable "password" {\n  default = `
_ELSEWHERE = (
    r"(?:(?:[ \t]?[:=])?[ \t]?\{\s{0,8}(?:\w{1,16}[ \t]{0,16}=[ \t]?[\w\"]{1,40}\s{1,16}){0,3}|[ \t]?,\s{0,8}|"
    r"\s{1,16}(?:[\w-]{1,20}[ ]{0,8}=[ ]?[\"'][^\"'\n]{0,40}[\"']\s{1,8}){0,3})"
    rf"(?:{_ESCAPED_QUOTE})?(?:value|default)(?:{_ESCAPED_QUOTE})?[ \t]{{0,12}}[:=][ \t]?"
)
_SIGN = (
    # `Password:</b> <code>…`
    r"[ ]?[:：]?[ ]?(?:</\w{1,8}>[:：]?|<br ?/?>)\s{0,8}(?:<\w{1,8}(?:[ ][^<>\n]{0,80})?>[ ]?){0,3}(?=[!-;=?-~]{0,40}\d)|"
    r";s:\d{1,4}:|"  # as PHP serializes
    r"[ ]?\*/[ ]?(?=[\"'`])|"  # `/* password */ "…"`
    r"[ \t]{0,8}(?:=>|:=|->|→|={1,2}|[:：＝]{1,2}|\|(?!\|))"
    r"[ \t]{0,8}(?:\*{2}[ \t]{0,2}|!!(?:str|binary)[ ])?(?:(?:[|>][+-]?|\\)?\r?\n[ \t]{0,16})?"
)
_TAG = r"(?:[ \t][\w:-]{1,20}=[\"'][^\"'\n]{0,120}[\"']){0,3}>"
_OPTION = r"[ \t]{1,3}(?:(?:value|content)[ \t]?=[ \t]?|--(?:value|body|data|secret)[ =])"
_CHINESE = (
    r"[ \t]{0,3}(?:应该|现在|还|就|都|一直|默认|初始|已经?|被|我|给|重新|统一){0,3}"
    r"(?:是|为|叫|改成了?|改为了?|换成了?|设成了?|设置为|设置成了?|设为|变成了?|重置为|用的是|给你|发你了?|发给你|填写?成?|"
    r"写成了?|设的是|用的)[ \t:：]{0,3}"
)
_ENGLISH = (
    r"[ \t]{1,3}(?:(?:is|was|are|will|should|has|been|be|equals|set|changed|reset|updated|now|still|just|to)(?:[ \t]{1,3}|"
    r"(?=[:：]))){1,5}"
    r"[:： \t]{0,3}(?:(?:->|→|=>)[ ])?"
)
_NOTHING = r"[ \t]{0,3}\r?\n|[ \t]{0,2}[(（《<]|[ \t]{1,24}|"

LINK = re.compile(
    rf"{_REST}{_NOTE}(?:(?P<assigned>{_ELSEWHERE}|{_SIGN}|{_TAG}|{_OPTION})|(?P<paired>{_PAIRED})"
    rf"|(?P<said>{_CHINESE}|{_ENGLISH})|(?P<beside>{_NOTHING}))"
)


@dataclass(frozen=True, slots=True)
class Value:
    """What stands behind a link, `start` to `end` (exclusive) of the text, without its quotation marks."""

    text: str
    start: int
    end: int
    quoted: bool


def kind_of_link(linked: re.Match[str]) -> Link:
    if linked["paired"] is not None:
        return "paired"
    return "assigned" if linked["assigned"] is not None else "said" if linked["said"] is not None else "beside"
