"""The dominant language of a text."""

import pytest
from historian.text.language import detect_language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我用 docker compose up 跑", "zh"),
        ("I met 王小明 at the station", "en"),
        ("Tom 和 Jerry", "zh"),
        ("看 https://example.com/this/is/a/long/path 吧", "zh"),
        ("OK", "en"),
        ("", "en"),
        ("😀", "en"),
        ("今天好累", "zh"),
        ("told 小明 about the plan", "en"),
        ("@some_english_name 收到", "zh"),
    ],
)
def test_function_words_decide_and_names_and_addresses_do_not_count(
    text: str, expected: str
) -> None:
    assert detect_language(text) == expected


def test_ignored_spans_do_not_count() -> None:
    assert detect_language("我的世界 is fun", ignore=[(0, 4)]) == "en"
