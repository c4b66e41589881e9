import pytest
from historian.text.tokens import estimate_tokens
from hypothesis import given
from hypothesis import strategies as st

# What the tokenizer of Qwen 2.5 counts.
COUNTED = [
    (
        "He moved the bot's long-term memory to a new server, and recall was faster the next morning.",
        21,
    ),
    ("他把机器人的长期记忆移到了新的服务器上，第二天一早就发现召回变快了。", 21),
    ("周末我们去西湖边散步，小李带了他新买的相机，拍了很多照片，晚上又一起吃了火锅。", 26),
    (
        'def add(first: int, second: int) -> int:\n    """Add two numbers."""\n    return first + second\n',
        25,
    ),
    ("| name | age |\n| --- | --- |\n| Ann | 42 |\n| Bob | 7 |\n", 23),
    (
        "用户在 2026-02-20 17:05 升级到了 langgraph 1.2.22，之后 worker 的延迟从 120 ms 降到 35 ms。",
        50,
    ),
    ('{"user_id": "1234567", "text": "明天下午三点开会", "is_absolute": false}', 28),
]


@pytest.mark.parametrize(("text", "tokens"), COUNTED)
def test_the_estimate_is_near_the_count_of_a_real_tokenizer(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == pytest.approx(tokens, rel=0.25)


def test_chinese_is_not_counted_as_a_quarter_of_its_characters() -> None:
    text = "他把机器人的长期记忆移到了新的服务器上，第二天一早就发现召回变快了。"
    assert estimate_tokens(text) > len(text) / 2


def test_only_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1


@given(st.text(), st.text())
def test_two_texts_cost_about_what_they_cost_together(one: str, other: str) -> None:
    apart = estimate_tokens(one) + estimate_tokens(other)
    assert abs(estimate_tokens(one + other) - apart) <= 4


def test_a_single_space_costs_nothing_and_more_of_them_do() -> None:
    assert estimate_tokens("one two 三 4 ") == estimate_tokens("one two三4")
    assert estimate_tokens("one  two   three    four") > estimate_tokens("one two three four")
