"""Detection of messages without content of their own.

👍, 收到, lol and "1" have a meaning only together with the message that they answer.
"""

from __future__ import annotations

import re
import unicodedata

from ..remembered import remembered
from ..word_lists import word_list, word_tables

_TABLE = word_tables("messages/content.toml")
_WORDS = word_list(_TABLE["english"])
_CHINESE = re.compile("|".join(sorted(_TABLE["chinese"].split(), key=lambda one: -len(one))))
_CHARACTERS = re.compile(f"[{''.join(_TABLE['characters'].split())}]")
_PLACEHOLDER = re.compile(r"\[[^\[\]]{1,12}\]|【[^【】]{1,12}】|https?://\S+|@\S+")
_LAUGHTER = re.compile(
    r"b?w?a?(?:ha|he|hi|ja|je){2,}h?|l+o+l+(?:ol)*|lma+o+|rofl|x+d+|w{2,}|e+h*|a+h*|o+h*|u+h*m*|h+m+"
    r"|m+h*m+|ye+s+|no+|so+"
)
_RUN = re.compile(r"[a-z]+(?:['’][a-z]+)*|[^\W\d_a-z]+|\d+(?:[.:,]\d+)*")
LONGEST = 60
"""A text with more characters always has content."""


@remembered(1024)
def has_content(text: str) -> bool:
    """Return False if a text has only words of agreement, thanks, greeting and laughter, or none.

    >>> [has_content(one) for one in ("👍", "哈哈哈哈", "收到，谢谢！", "lol ok", "1", "[图片]")]
    [False, False, False, False, False, False]
    >>> has_content("6号下午三点"), has_content("ok, at eight"), has_content("350")
    (True, True, True)
    """
    if len(text) > LONGEST:
        return True
    folded = _PLACEHOLDER.sub(" ", unicodedata.normalize("NFKC", text).casefold()).replace("’", "'")
    return any(map(_tells, _RUN.findall(folded)))


def _tells(run: str) -> bool:
    """Return True if a run of letters or digits has content: it is no word of the lists.

    A number needs two different digits.
    """
    if run[0].isdecimal():
        return len(run) > 1 and len(set(run)) > 1
    if run.isascii():
        return run not in _WORDS and not _LAUGHTER.fullmatch(run)
    return bool(_CHARACTERS.sub("", _CHINESE.sub("", run)))
