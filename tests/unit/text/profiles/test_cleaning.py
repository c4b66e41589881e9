from __future__ import annotations

import pytest
from historian.text.profiles.cleaning import clean_line, in_one_line


def test_a_profile_in_one_line_has_no_marks_of_its_list_and_no_mark_twice() -> None:
    assert in_one_line("# 喜好\n- 喜欢茶。\n\n- 会弹吉他\n* - 住在杭州", "；") == "喜好；喜欢茶。 会弹吉他；住在杭州"
    assert in_one_line("prose - with a dash\n-5 °C is cold") == "prose - with a dash; -5 °C is cold"
    assert in_one_line("\n \n") == ""


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
