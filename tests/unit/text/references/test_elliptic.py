"""Statements that mean what was said before them are not understood alone."""

from __future__ import annotations

import pytest
from historian.schema.names import Names
from historian.text.gate import find_relative_words, reasons
from historian.text.references.elliptic import leans_on_what_was_said

NAMES = Names(user_name="Ann", bot_name="Nova", others=("Tom", "林悦"))


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("It was great", "It"),
        ("Actually it's on Thursday", "it"),
        ("Ann said it's fine now", "it"),
        ("Those were delicious", "Those"),
        ("that one's better than the last", "that one"),
        ("That movie was boring", "That movie"),
        ("Ann didn't like it", "it"),
        ("Ann picked the second one", "the second one"),
        ("那个挺好吃的", "那个"),
        ("这家店的菜太咸了", "这家店的菜"),
        ("林悦觉得那个太贵了", "那个"),
        ("林悦买了那个", "那个"),
        ("大的刚上一年级", "大的"),
        ("晚上八点，老地方", "老地方"),
    ],
)
def test_a_word_for_a_thing_that_is_not_named_before_it_is_found(text: str, wording: str) -> None:
    found = leans_on_what_was_said(text, NAMES)
    assert found is not None and (text[found.start : found.end], found.why) == (wording, "thing")


@pytest.mark.parametrize(
    "text",
    [
        "不对，是下周三来",
        "改到2026-03-04了",
        "比2025年少了一半",
        "在三楼左手边",
        "都不是",
        "林悦也是",
        "林悦还没看完",
        "大概三十块",
        "no, two of them",
        "less salty next time",
        "way smaller than expected",
        "not really",
        "around the back",
        "Ann did too",
        "Ann has already ordered",
        "Sounds great",
    ],
)
def test_an_answer_a_correction_or_a_comparison_of_nothing_is_found(text: str) -> None:
    found = leans_on_what_was_said(text, NAMES)
    assert found is not None and found.why == "elliptic"


@pytest.mark.parametrize(
    "text",
    [
        "It rains a lot in Bergen",
        "It's getting dark early in Oslo",
        "It is important that Ann sleeps",
        "It takes two hours to get to work",
        "It was nice to see Tom",
        "It's Ann's birthday on 2026-03-04",
        "This is Ann's cat Momo",
        "That's great! Ann met the mayor of Oslo on 2026-03-04",
        "that's Tom",
        "Ann loves it in Oslo",
        "Ann finds it hard to sleep",
        "Ann believes that moments like these bring peace",
        "Ann bought a lamp and likes it",
        "The lamp broke. It was old",
        "This year Ann moved to Oslo",
        "That said, Ann likes tea",
        "Ann thinks that loved ones give strength",
        "Better sleep helps Ann",
        "2026-03-04 dentist appointment",
        "The one who calls Ann every day is Tom",
        "下雨了",
        "这个月林悦去了三次杭州",
        "那天林悦没去上班",
        "林悦比Tom大两岁",
        "林悦喜欢那家叫小满的咖啡馆",
        "比亚迪的车林悦开了三年",
        "林悦买了一本书",
    ],
)
def test_what_is_understood_alone_passes(text: str) -> None:
    assert leans_on_what_was_said(text, NAMES) is None


def test_the_gate_says_so_in_both_languages() -> None:
    assert find_relative_words("《它》挺吓人的").passed
    for text, language, said in (
        ("It was great", "en", '"It" stands for something'),
        ("那个挺好吃的", "zh", "“那个”前面没有说过是什么"),
        ("Ann did too", "en", "goes on from other words"),
        ("不对，是下周三来", "zh", "是接着别的话说的"),
    ):
        assert any(said in reason for reason in reasons(find_relative_words(text, names=NAMES), language)), text  # type: ignore[arg-type]
