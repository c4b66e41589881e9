import pytest
from historian.text.questions import asks_about_now, asks_about_past


@pytest.mark.parametrize(
    "question",
    [
        *(
            "小林以前住在哪里？",
            "小林原来住哪",
            "之前用哪款手机？",
            "涨价前停车费是多少？",
            "小林升职前是什么岗位？",
            "小林养过的仓鼠叫什么？",
        ),
        *("Where did she live before?", "Where did Ann use to live?", "What was the previous code?", "Who was it originally?"),
    ],
)
def test_it_asks_about_the_past(question: str) -> None:
    assert asks_about_past(question)


@pytest.mark.parametrize(
    "question",
    [
        "小林住哪儿？",
        "小林目前住哪里？",
        "小林现在用什么手机",
        "会议提前了吗",
        "Where does Ann live now?",
        "What is the code?",
        "Is Ann married?",
    ],
)
def test_it_asks_about_the_present(question: str) -> None:
    assert not asks_about_past(question)


@pytest.mark.parametrize("question", ["小林现在住哪", "小林还养猫吗", "Does Ann still smoke?", "where is Ann working rn"])
def test_it_says_that_it_is_about_now(question: str) -> None:
    assert asks_about_now(question)


@pytest.mark.parametrize("question", ["小林住哪儿？", "小林还有几只猫", "Where does Ann live?", "Does Ann know the answer?"])
def test_it_does_not_say_that_it_is_about_now(question: str) -> None:
    assert not asks_about_now(question)
