"""One line of a profile, as a model wrote it or as it is shown."""

from __future__ import annotations

import re

from ...schema.job import clean_text, without_list_mark

LINE_CHARACTERS = 300
"""Most characters of a line that a model may write: a longer one holds several statements."""
_UNSEEN = re.compile("[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069`]+")
_LINE_MARKS = re.compile(r"\A(?:(?:[-*•‣·]|#{1,6})\s+)+")
_ENDS = tuple(".。!！?？:：;；,，…")


def clean_line(text: str) -> str:
    """Return a line without its list mark, code marks, invisible characters and line breaks.

    >>> clean_line("- `likes\\n tea`")
    'likes tea'
    """
    return " ".join(without_list_mark(clean_text(_UNSEEN.sub("", text))).split())


def in_one_line(summary: str, between: str = "; ") -> str:
    """Return the lines of a profile joined into one, without list and heading markers.

    >>> in_one_line("# 喜好\\n- 喜欢茶。\\n- 会弹吉他\\n- 住在杭州", "；")
    '喜好；喜欢茶。 会弹吉他；住在杭州'
    """
    joined = ""
    for line in filter(None, (_LINE_MARKS.sub("", one.strip()) for one in summary.splitlines())):
        joined += ("" if not joined else " " if joined.endswith(_ENDS) else between) + line
    return joined
