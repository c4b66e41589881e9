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
    ],
)
def test_a_line_stays_that_says_more_or_is_about_somebody_or_something_else(line: str, fact: str) -> None:
    assert without_over(f"- {line}", [], NAMES, [fact]) == f"- {line}"


def test_prose_stays() -> None:
    assert without_over("Ann likes coffee", [], NAMES, ["Ann no longer likes coffee"]) == "Ann likes coffee"


def test_what_was_linked_leaves_whole_and_its_opposite_stays() -> None:
    summary = "- Ann drinks coffee at work\n- Ann never drinks coffee at work"
    assert without_over(summary, ["Ann drinks coffee at work"], NAMES) == "- Ann never drinks coffee at work"
