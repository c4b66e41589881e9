"""One line of a profile, as a model wrote it or as it is shown."""

from __future__ import annotations

import re

from ...schema.job import clean_text, without_list_mark

LINE_CHARACTERS = 300
"""Most characters of a line that a model may write: a longer one holds several statements."""
_UNSEEN = re.compile("[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069`]+")


def clean_line(text: str) -> str:
    """Return a line without its list mark, code marks, invisible characters and line breaks.

    >>> clean_line("- `likes\\n tea`")
    'likes tea'
    """
    return " ".join(without_list_mark(clean_text(_UNSEEN.sub("", text))).split())
