"""Secrets in sentences: `我的密码我设成了 …`, `the wifi password at home is …`, `验证码 4829…`, seed phrases."""

import re
from collections.abc import Iterable, Iterator

from .plausible import is_placeholder, is_strong
from .rules import Rules, compiled
from .spans import Redaction

_TRAILING = ".,!?;:)]}'\"~"
_SAYING = "是为叫成的个用这输填到回认一：:=就"
_WARNING = (
    "别再用|别用|不要|不能|不得|必须|至少|错误|不对|规则|强度|长度|位数|格式|过期|加密|哈希|忘|重置|找回|接口|字段|参数|函数"
)
# After a number: `6 位`, `10 minutes`
_UNIT = (
    r"(?i)[ ]{0,2}(?:位|个|次|天|分|小时|年|月|号|块|元|人|字|条|秒|度|楼|点|路|%|ms\b|毫秒|minutes?|seconds?|digits?|"
    r"characters?|times|days?|at checkout|,? ?(?:msg|message|error))"
)


def _trimmed(value: str) -> str:
    while value and value[-1] in _TRAILING and not (value[-1] == ")" and "(" in value):
        value = value[:-1]
    return value


def _ends_sentence(match: re.Match[str]) -> bool:
    after = match.string[match.end("value") : match.end("value") + 2].strip()
    return not after or after[0] in "，。！？；、,.!?;)）」”\"'"


def _is_told_in_chinese(match: re.Match[str]) -> bool:
    """Return True if the first Latin run after the name is a password: a strong one, or one that the words before announce."""
    words, value = match["words"], _trimmed(match["value"])
    after = match.string[match.start("value") + len(value) : match.end("value") + 12]
    if compiled(_WARNING).search(words) or is_placeholder(value) or re.match(r"[\w.-]+[=(]|https?:", value):
        return False
    if value.strip("#*").isdecimal():
        told = words.rstrip(" \"'“‘「（(")[-1:] in set(_SAYING) or (len(words) <= 1 and _ends_sentence(match))
        return told and len(words) < 20 and 4 <= len(value) <= 12 and not compiled(_UNIT).match(after)
    announced = (
        words.rstrip(" \"'“‘「（(")[-1:] in set(_SAYING + "，,") or match.string[match.start("value") - 1] in "「『“\"'‘`（("
    )
    return (announced or len(words) <= 1 or _ends_sentence(match)) and is_strong(value, after)


def _is_told_in_english(match: re.Match[str]) -> bool:
    value = _trimmed(match["value"])
    after = match.string[match.start("value") + len(value) : match.end("value") + 12]
    if is_placeholder(value) or re.match(r"[\w.-]+[=(]|https?:", value) or re.fullmatch(r".*\.[a-z]{2,4}", value):
        return False
    if value.isdecimal():
        return len(value) >= 4 and not compiled(_UNIT).match(after) and not re.match(r" [a-z]+s\b", after)
    return is_strong(value, after)


def _is_given_before(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not set("=:") & set(match["value"])


def _is_code(match: re.Match[str]) -> bool:
    after = match.string[match.end("value") : match.end("value") + 12]
    invoice = match.string.rfind("发票", max(0, match.start() - 48), match.start()) >= 0
    return any(map(str.isdigit, match["value"])) and not invoice and not compiled(_UNIT).match(after)


def _is_line(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not re.search(r"(?i):$|^gpio|[=(,|]", match["value"])


def _is_changed(match: re.Match[str]) -> bool:
    """Return True if one of the two values, or the only one, is seen to be a password or a number."""
    values = [_trimmed(value) for name in ("value", "other") if (value := match.groupdict().get(name))]
    return any(is_strong(value) or (value.isdecimal() and 4 <= len(value) <= 12) for value in values)


_ANOTHER = (
    r"[\"'”’」』`)）]{0,2}(?:[ ](?:and|or|then|&|->|→|to)[ ]|[ ]?[,、，/][ ]?(?:and |or )?|"
    r"[ ]?(?:和|与|跟|或者?|及|以及|还有|→|(?:现在|后来|又|再)?(?:改|换|变|更新|设)(?:成|为|到)了?)[ ]?)"
    r"[\"'“‘「『`(（]{0,2}(?P<value>[!-~]{4,96})"
)
"""What stands between a password and another one: `hunter2 and …`, `、…`, `改成了 …`."""


def _is_another(match: re.Match[str]) -> bool:
    value = _trimmed(match["value"])
    after = match.string[match.start("value") + len(value) : match.end("value") + 12]
    if is_placeholder(value) or re.match(r"[\w.-]+[=(]|https?:", value) or "@" in value[1:-1]:
        return False
    if value.isdecimal():
        is_listed = set(",，/").isdisjoint(match.string[match.start() : match.start("value")])
        return is_listed and 4 <= len(value) <= 12 and not compiled(_UNIT).match(after) and not re.match(r" [a-z]+s\b", after)
    return is_strong(value, after)


_SENTENCE = r"(?i)\b(?:is|was|must|should|the|your|you|and|for|are|not|words?)\b"
_RULES = Rules(
    "spoken.toml",
    {
        "changed": _is_changed,
        "told in Chinese": _is_told_in_chinese,
        "told in English": _is_told_in_english,
        "given before": _is_given_before,
        "line": _is_line,
        "no sentence": lambda match: not compiled(_SENTENCE).search(match["value"]),
        "code": _is_code,
        "seed": lambda match: not re.search(r"\b(?:the|and|you|for|that|with|are|not)\b", match["value"]),
    },
)


def with_others(text: str, found: Iterable[Redaction]) -> Iterator[Redaction]:
    """Yield what was found, and the passwords that are listed behind one, or took its place: `… and …`, `…、…`, `… 改成 …`."""
    seen: set[int] = set()
    for span in found:
        yield span
        while span.label == "PASSWORD" and span.end not in seen:
            seen.add(span.end)
            match = compiled(_ANOTHER).match(text, span.end)
            if match is None or not _is_another(match):
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
