"""Finding of secrets in sentences, and of seed phrases.

Examples: `我的密码我设成了 …`, `the wifi password at home is …`, `验证码 4829…`.
"""

import re
from collections.abc import Iterable, Iterator

from .plausible import is_placeholder, is_strong
from .rules import Redaction, Rules, compiled

_TRAILING = ".,!?;:)]}'\"~"
_ANOTHER = (
    r"[\"'”’」』`)）]{0,2}(?:[ ](?:and|or|then|&|->|→|to)[ ]|[ ]?[,、，/][ ]?(?:and |or )?|"
    r"[ ]?(?:和|与|跟|或者?|及|以及|还有|→|(?:现在|后来|又|再)?(?:改|换|变|更新|设)(?:成|为|到)了?)[ ]?)"
    r"[\"'“‘「『`(（]{0,2}(?P<value>[!-~]{4,96})"
)
"""A second password after a password, with the words between: `hunter2 and …`, `、…`, `改成了 …`."""


def _trimmed(value: str) -> str:
    while value and value[-1] in _TRAILING and not (value[-1] == ")" and "(" in value):
        value = value[:-1]
    return value


def _is_told(match: re.Match[str]) -> bool:
    """Return True if the value after the name is a password: a strong one, or a number."""
    value = _trimmed(match["value"])
    if is_placeholder(value) or re.match(r"[\w.-]+[=(]|https?:|.*\.[a-z]{2,4}$", value):
        return False
    if value.strip("#*").isdecimal():
        is_listed = set(",，/").isdisjoint(match.string[match.start() : match.start("value")])
        return is_listed and 4 <= len(value) <= 12
    return is_strong(value)


def _is_given(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not re.search(r"(?i)^gpio|[=:(,|]", match["value"])


_RULES = Rules("spoken.toml", {"told": _is_told, "given": _is_given})


def with_others(text: str, found: Iterable[Redaction]) -> Iterator[Redaction]:
    """Yield the spans `found`, and further passwords after each password.

    These are listed after it or replaced it: `… and …`, `…、…`, `… 改成 …`.
    """
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
