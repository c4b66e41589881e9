"""Names on WeChat: `微信号 lihua_1990x`, `加 vx lihua1990`."""

import re
from collections.abc import Iterator

from .characters import HAN
from .identifiers import is_in_long_run
from .spans import Redaction

_CALLED = ("微信", "wechat", "weixin", "薇信", "威信", "微x", "vx", "wx", "v信", "加v", "加我v", "+v", "+ v")


def find_wechat_names(text: str) -> Iterator[Redaction]:
    folded = text.lower()
    if any(word in folded for word in _CALLED):
        yield from _named(text)
        yield from _told(text)


# 6 to 20 letters, figures, `_`, `-`, the first a letter. Behind a word alone it must not be a plain word: `微信号 lihua_1990x`.
_WECHAT = re.compile(
    r"(?:[微薇威][信x](?P<called>号|id|账号)?(?:搜一?下?|加)?|加我?[vV]信?|[vV]信号?|(?<![a-z0-9])[vw][xX信](?:号|id)?|"
    r"\+[ ]?v|wechat(?:[ _-]?(?P<named>id|account|no))?|weixin(?:号|id)?)"
    r"[\"'”】」』）]{0,2}(?:[ \t]{0,3}(?P<link>[:：=]|是|为|is|(?<=[号Dd])(?=[\"'“「『【（《]))[ \t]{0,3}|"
    r"[ \t]{1,3}|(?=[a-z\"'“「『【]))[\"'“‘「『【（《(]{0,2}"
    r"(?P<value>[a-z][a-z0-9_-]{5,19})(?![A-Za-z0-9_.(/=-])",
    re.I,
)


def _named(text: str) -> Iterator[Redaction]:
    for match in _WECHAT.finditer(text):
        value = match["value"]
        if is_in_long_run(text, *match.span("value")):
            continue
        called = match["called"] or match["named"]
        # `a +vb` adds up; `加+vlihua88` tells a name.
        if re.match(r"\+v[a-z]", match.group(), re.I) and not re.search(
            f"[{HAN}]", text[max(0, match.start() - 12) : match.start()]
        ):
            continue
        if re.match(r"\+[ ]v[a-z]", match.group(), re.I):
            continue
        distinct = _is_distinct(value)
        told = called and match["link"]
        glued = re.fullmatch(r"[vw]x?|\+ ?v", text[match.start() : match.start("value")], re.I)
        if glued and not re.fullmatch(r"[VW]X[a-z][a-z0-9_-]+", match.group()):
            continue  # a word, or the public id of an app
        if re.match(r"[vw]x[ \t]", match.group(), re.I) and not any(c.isdigit() for c in value):
            continue
        if value.lower().startswith("id_") or re.fullmatch(r"wxid_\w{1,9}", value):
            continue  # of `wxid_…`
        # `wx` and sixteen hexadecimal figures is an app's public id, `wxid_` what bots know users by.
        if re.fullmatch(r"wx[0-9a-f]{16}" if told or match["called"] == "号" else r"wx[0-9a-f]{16}|wxid_\w+", value) or not (
            distinct or told
        ):
            continue
        yield Redaction(*match.span("value"), "WECHAT")


# Some words between: `on WeChat, id: …`, `联系方式（微信）：…`, `type=wechat value=…`.
_WECHAT_TOLD = re.compile(
    r"(?:微信|wechat|weixin)(?![^\n:：=]{0,20}(?:公众|小程序|群|商户|版本|app|union|open|bot|import))"
    r"(?:[)）】]|[^\n:：=]{0,20}?(?:(?<![a-z])id|号|handle|account|value|me|add))[ ]?(?:[:：=]|[ ]is[ ])[ ]?"
    r"[\"'“「]?(?P<value>[a-z][a-z0-9_-]{5,19})(?![A-Za-z0-9_.(/=:-])",
    re.I,
)


def _told(text: str) -> Iterator[Redaction]:
    for match in _WECHAT_TOLD.finditer(text):
        value = match["value"]
        distinct = _is_distinct(value)
        if distinct and not re.fullmatch(
            r"wx[0-9a-f]{16}|wxid_\w{1,9}|id_\w+|wechat\w*|[a-z]+_(?:id|app|bot|pay|msg|api|type|"
            r"v\d+)",
            value,
        ):
            yield Redaction(*match.span("value"), "WECHAT")


def _is_distinct(value: str) -> bool:
    """Whether letters stand beside figures or `_`, as in no plain word."""
    return any(c.isdigit() or c == "_" for c in value) and any(c.isalpha() for c in value)
