from __future__ import annotations

import pytest
from historian.text.profiles.cleaning import clean_line


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("- 喜欢茶", "喜欢茶"),
        ("• * likes tea ", "likes tea"),
        ("```\nlikes tea\n```", "likes tea"),
        ("likes\n- tea\x00\x1b", "likes - tea"),
        ("likes \u202etea\u200b", "likes tea"),
        ("👨\u200d👩\u200d👧 family of three", "👨\u200d👩\u200d👧 family of three"),
        (" \n```\n", ""),
    ],
)
def test_a_line_has_no_marks_breaks_or_invisible_characters(written: str, line: str) -> None:
    assert clean_line(written) == line
