"""What a question about the present asks for."""

import pytest
from historian.text.questions.asked import asks_for, asks_what_may_change, asks_who, gives


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("小林几点下班", "time"),
        ("例会周几开", "time"),
        ("小林什么时候上课", "time"),
        ("When does the club meet?", "time"),
        ("Which night do the bins go out?", "time"),
        ("停车费多少钱", "number"),
        ("小林穿几码的鞋", "number"),
        ("How old is Ann's son?", "number"),
        ("What dose does Ann take?", "number"),
        ("小林住哪儿", ""),
        ("Where does Ann live?", ""),
    ],
)
def test_it_asks_for_a_time_a_number_or_neither(question: str, value: str) -> None:
    assert asks_for(question) == value


@pytest.mark.parametrize("text", ["停车费每月200元", "小林试了29的棉靴", "Ann takes 10 mg", "Ann has two sons"])
def test_a_statement_gives_a_number(text: str) -> None:
    assert gives("number", text)


@pytest.mark.parametrize("text", ["2026-02-03 小林搬家了", "小林2026年2月搬家了", "Ann moved on 2026-02-03", "Ann likes tea"])
def test_the_date_of_a_statement_is_no_number_that_it_gives(text: str) -> None:
    assert not gives("number", text)


@pytest.mark.parametrize(
    "text", ["打球改到周四", "铺子开到十点", "Practice is at 7 pm", "They meet on Fridays", "2026-02-03 聚餐"]
)
def test_a_statement_gives_a_time(text: str) -> None:
    assert gives("time", text) and not gives("", text)


@pytest.mark.parametrize(
    "question",
    [
        "小林住哪儿",
        "小林在哪上班",
        "群主是谁",
        "几点开会",
        "小林还单身吗",
        "Where does Ann live?",
        "Is Ann single?",
        "Which phone does Ann have?",
    ],
)
def test_it_asks_for_what_may_change(question: str) -> None:
    assert asks_what_may_change(question)


@pytest.mark.parametrize(
    "question",
    [
        "小林喜欢哪些书",
        "小林为什么搬家",
        "小林去过哪几个城市",
        "What books does Ann read?",
        "What does the tattoo stand for?",
        "Would Ann move?",
        "Why is Ann sad?",
    ],
)
def test_lists_opinions_and_reasons_are_not_taken_for_what_changes(question: str) -> None:
    assert not asks_what_may_change(question)


def test_it_asks_who() -> None:
    assert asks_who("钥匙谁管") and asks_who("Whose room is it?") and not asks_who("小林住哪儿")
