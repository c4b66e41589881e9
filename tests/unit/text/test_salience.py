"""The lines that say most."""

from __future__ import annotations

from historian.text.salience import salient_lines

TALK = [
    "在吗",
    "我想去云南旅行，大概玩七天",
    "云南七天可以走昆明、大理、丽江",
    "大理和丽江我都想去，预算五千",
    "好的",
    "预算五千去大理丽江够了，酒店订古城边上",
    "哈哈",
    "嗯",
]


def test_what_was_talked_about_is_chosen_and_greetings_are_not() -> None:
    chosen = salient_lines(TALK, 3)
    assert len(chosen) == 3
    assert chosen == sorted(chosen)
    assert not {0, 4, 6, 7} & set(chosen)


def test_what_repeats_a_chosen_line_comes_last() -> None:
    lines = ["the deploy failed on the database migration"] * 4 + ["the database migration lacks an index on orders", "lunch?"]
    assert 4 in salient_lines(lines, 2)


def test_nothing_gives_nothing_and_no_more_lines_than_there_are() -> None:
    assert salient_lines([], 3) == []
    assert salient_lines(["", "…"], 3) == []
    assert salient_lines(["one line about tea"], 3) == [0]
