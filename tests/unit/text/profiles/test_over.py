"""What leaves a profile because it is over."""

import pytest
from historian.schema.names import Names
from historian.text.profiles.over import without_over

NAMES = Names(user_name="Ann", bot_name="Clio", others=("Tom",))
CHINESE = Names(user_name="阿明", bot_name="小史")


@pytest.mark.parametrize(
    ("line", "fact", "names"),
    [
        ("Ann likes coffee", "Ann no longer likes coffee", NAMES),
        ("Ann likes coffee", "Ann has gone off coffee", NAMES),
        ("Ann no longer likes coffee", "Ann likes coffee again", NAMES),
        ("Ann hates olives", "Ann loves olives", NAMES),
        ("Ann smokes", "Ann quit smoking", NAMES),
        ("Ann is vegetarian", "Ann eats meat again", NAMES),
        ("Ann lives in Oslo", "Ann moved to Lisbon", NAMES),
        ("Ann's sister lives in Oslo", "Ann's sister moved to Lisbon", NAMES),
        ("Ann's birthday is 3 May", "Ann's birthday is 5 June", NAMES),
        ("Ann wants to be called Annie", "Ann wants to be called Captain", NAMES),
        ("阿明住在北京", "阿明2026-02-19搬到了杭州", CHINESE),
        ("阿明在小米工作", "阿明现在在字节上班", CHINESE),
        ("阿明希望被叫做老明", "阿明希望被叫做船长", CHINESE),
        ("阿明喜欢咖啡", "阿明不喝咖啡了", CHINESE),
        ("阿明讨厌香菜", "阿明喜欢上了香菜", CHINESE),
    ],
)
def test_a_line_leaves_that_a_new_fact_ends(line: str, fact: str, names: Names) -> None:
    assert without_over(f"- {line}\n- {names.user()} likes tea", [], names, [fact]) == f"- {names.user()} likes tea"
    assert without_over(f"- {fact}", [], names, [fact]) == f"- {fact}", "told twice it stays"


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("Ann likes coffee and jazz", "Ann no longer likes coffee"),
        ("Ann likes coffee", "Tom no longer likes coffee"),
        ("Ann's dog likes coffee", "Ann no longer likes coffee"),
        ("Ann likes coffee", "Ann might stop drinking coffee"),
        ("Ann likes tea", "Ann no longer likes coffee"),
        ("Ann lives in Oslo", "Ann's sister lives in Lyon"),
        ("Ann lives in Oslo", "Ann went to the hospital in Lyon"),
        ("Ann works at Acme", "Ann works as an engineer"),
        ("Ann lives in Oslo and keeps bees", "Ann moved to Lyon"),
    ],
)
def test_a_line_stays_that_says_more_or_is_about_somebody_or_something_else(line: str, fact: str) -> None:
    assert without_over(f"- {line}", [], NAMES, [fact]) == f"- {line}"


def test_of_a_former_name_the_bullets_are_known() -> None:
    summary = "- Sam lives in Oslo\n- Samantha lives in Leeds\n- Sam likes tea"
    left = without_over(summary, [], NAMES, ["Ann moved to Lyon"], ["Sam"])
    assert left == "- Samantha lives in Leeds\n- Sam likes tea"


@pytest.mark.parametrize(
    ("over", "line"),
    [
        ("Ann's sister lives in Leeds", "Ann lives in Leeds"),
        ("Ann's sister lives in Leeds", "Lives in Leeds"),
        ("Ann likes coffee with milk and jazz", "Ann likes coffee and jazz"),
    ],
)
def test_what_was_linked_takes_no_line_of_another_subject_or_of_several_things_along(over: str, line: str) -> None:
    assert without_over(f"- {line}", [over], NAMES) == f"- {line}"


def test_prose_stays() -> None:
    assert without_over("Ann likes coffee", [], NAMES, ["Ann no longer likes coffee"]) == "Ann likes coffee"


def test_what_was_linked_leaves_whole_and_its_opposite_stays() -> None:
    summary = "- Ann drinks coffee at work\n- Ann never drinks coffee at work"
    assert without_over(summary, ["Ann drinks coffee at work"], NAMES) == "- Ann never drinks coffee at work"
