"""Secrets in sentences: `我的密码我设成了 …`, `the wifi password at home is …`, `验证码 4829…`, seed phrases."""

import re
from collections.abc import Iterable, Iterator

from .plausible import is_placeholder, is_strong
from .rules import Rules, compiled
from .spans import Redaction

_TRAILING = ".,!?;:)]}'\"~"
_WARNING = "别再用|别用|不要|不能|必须|至少|错误|不对|规则|强度|长度|位数|格式|过期|加密|忘|重置|找回|接口|字段|参数"
# After a number: `6 位`, `10 minutes`
_UNIT = (
    r"(?i)[ ]{0,2}(?:位|个|次|天|分|小时|年|月|号|块|元|人|字|条|秒|度|楼|点|路|%|ms\b|minutes?|seconds?|digits?|characters?|"
    r"times|days?|[a-z]{4,}s\b)"
)
_ANOTHER = (
    r"[\"'”’」』`)）]{0,2}(?:[ ](?:and|or|then|&|->|→|to)[ ]|[ ]?[,、，/][ ]?(?:and |or )?|"
    r"[ ]?(?:和|与|跟|或者?|及|以及|还有|→|(?:现在|后来|又|再)?(?:改|换|变|更新|设)(?:成|为|到)了?)[ ]?)"
    r"[\"'“‘「『`(（]{0,2}(?P<value>[!-~]{4,96})"
)
"""What stands between a password and another one: `hunter2 and …`, `、…`, `改成了 …`."""


def _trimmed(value: str) -> str:
    while value and value[-1] in _TRAILING and not (value[-1] == ")" and "(" in value):
        value = value[:-1]
    return value


def _is_told(match: re.Match[str]) -> bool:
    """Return True if what stands behind the name is a password: a strong one, or a number."""
    words, value = match.groupdict().get("words") or "", _trimmed(match["value"])
    after = match.string[match.start("value") + len(value) : match.end("value") + 12]
    if compiled(_WARNING).search(words) or is_placeholder(value) or re.match(r"[\w.-]+[=(]|https?:|.*\.[a-z]{2,4}$", value):
        return False
    if value.strip("#*").isdecimal():
        is_listed = set(",，/").isdisjoint(match.string[match.start() : match.start("value")])
        return is_listed and 4 <= len(value) <= 12 and not compiled(_UNIT).match(after)
    return is_strong(value, after)


def _is_given(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not re.search(r"(?i)^gpio|[=:(,|]", match["value"])


def _is_code(match: re.Match[str]) -> bool:
    after = match.string[match.end("value") : match.end("value") + 12]
    return any(map(str.isdigit, match["value"])) and not compiled(_UNIT).match(after)


_RULES = Rules("spoken.toml", {"told": _is_told, "given": _is_given, "line": _is_given, "code": _is_code})


def with_others(text: str, found: Iterable[Redaction]) -> Iterator[Redaction]:
    """Yield what was found, and the passwords that are listed behind one, or took its place: `… and …`, `…、…`, `… 改成 …`."""
    seen: set[int] = set()
    for span in found:
        yield span
        while span.label == "PASSWORD" and span.end not in seen:
            seen.add(span.end)
            match = compiled(_ANOTHER).match(text, span.end)
            if match is None or not _is_told(match):
                break
            start = match.start("value")
            span = Redaction(start, start + len(_trimmed(match["value"])), "PASSWORD")
            yield span


def find_spoken(text: str, folded: str) -> Iterator[Redaction]:
    """Find passwords and codes in sentences; `folded` is the text in lower case."""
    for span in _RULES.find(text, folded):
        kept = _trimmed(text[span.start : span.end])
        if kept:
            yield Redaction(span.start, span.start + len(kept), span.label)
