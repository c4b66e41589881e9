"""What people declare of themselves in plain sentences, and which statements last."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from historian.text.declared import correction_in, declared, lasting_kind, line_kind, said_words

SENTENCES = Path(__file__).parents[2] / "data" / "declared.tsv"
with SENTENCES.open(encoding="utf-8", newline="") as file:
    ROWS = [tuple(row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]


@pytest.mark.parametrize(("kind", "text", "line"), ROWS)
def test_a_declaration_is_quoted_as_said_and_nothing_else_is(kind: str, text: str, line: str) -> None:
    assert declared(text) == ([(line, kind)] if kind else [])


def test_a_message_declares_as_much_as_its_sentences_do() -> None:
    found = declared("I'm vegan. I live in Porto! And you?\n我对花生过敏")
    assert [kind for _, kind in found] == ["boundary", "home", "health"]
    assert declared("I'm vegan. " + "x" * 1_000) == [], "a document declares nothing"
    assert declared("") == declared("🐟") == []


@pytest.mark.parametrize(
    ("said", "dated", "kind"),
    [
        ("is allergic to dust", False, "health"),
        ("was diagnosed with asthma", True, "health"),
        ("said she has gout", False, "health"),
        ("takes 50 mg of sertraline", False, "health"),
        ("asked never to be called before noon", False, "boundary"),
        ("does not eat beef", False, "boundary"),
        ("'s birthday is 3 May", False, "identity"),
        ("lives in Turin", True, "home"),
        ("works as a welder", False, "work"),
        ("'s brother Ivo is a baker", False, "relation"),
        ("has a parrot called Kiko", False, "relation"),
        ("collects stamps", False, "habit"),
        ("runs every morning", False, "habit"),
        ("loves jazz", False, "taste"),
        ("对青霉素过敏", True, "health"),
        ("不吃羊肉", False, "boundary"),
        ("希望晚上不要给她打电话", False, "boundary"),
        ("的生日是五月三号", False, "identity"),
        ("住在绵阳", False, "home"),
        ("在一家电台上班", False, "work"),
        ("的弟弟是厨师", False, "relation"),
        ("每周打两次球", False, "habit"),
        ("喜欢爬山", False, "taste"),
        ("is hungry", False, None),
        ("no longer likes coffee", False, "taste"),
        ("is no longer vegetarian", False, "boundary"),
        ("moved from Oslo to Lyon", False, "home"),
        ("'s sister moved to Lyon", False, "relation"),
        ("不再喜欢咖啡", False, "taste"),
        ("的姐姐搬到了上海", False, "relation"),
        ("'s sister moved the table", False, None),
        ("moved from tea to coffee", False, None),
        ("bought milk", False, None),
        ("is at the airport", False, None),
        ("feels tired", False, None),
        ("wants to sleep", False, None),
        ("asked whether cats are allergic to milk", False, None),
        ("said the shop closes on Sundays", False, None),
        ("'s train is late", False, None),
        ("loves the new cake", True, None),
        ("饿了", False, None),
        ("买了牛奶", False, None),
        ("在机场", False, None),
        ("问附近有没有药店", False, None),
        ("说今天很冷", False, None),
        ("心情不好", False, None),
    ],
)
def test_what_lasts_is_told_from_what_passes(said: str, dated: bool, kind: str | None) -> None:
    for before in ("", " "):
        assert lasting_kind(f"{before}{said}" if said.isascii() else said, dated=dated) == kind


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Allergies: penicillin", "health"),
        ("wears a hearing aid at work", "health"),
        ("每天吃一片降压药", "health"),
        ("doesn't want to be tagged at night", "boundary"),
        ("忌口：香菜、羊肉", "boundary"),
        ("born on 2001-05-03", "identity"),
        ("母语是粤语", "identity"),
        ("rents a flat in Turin", "home"),
        ("老家在绵阳", "home"),
        ("Occupation: welder", "work"),
        ("her sister studies law", "relation"),
        ("养了一只猫", "relation"),
        ("favourite band: Nightwish", "taste"),
        ("周末经常钓鱼", "habit"),
        ("plans to open a bakery", "plan"),
        ("", "other"),
        ("?", "other"),
    ],
)
def test_the_kind_of_any_line_is_told_by_its_words(line: str, kind: str) -> None:
    assert line_kind(line) == kind


SAME = [
    [("Ann works as a nurse", "Ann is a nurse"), True],
    [("her job is nurse", "Ann is a nurse"), True],
    [("Ann lives in Leeds", "“I live in Leeds”"), True],
    [("她是护士", "她的工作是护士"), True],
    [("她住在苏州", "她住苏州"), True],
    [("Ann is a nurse", "Ann is not a nurse"), False],
    [("Ann is a nurse", "Ann was a nurse"), False],
    [("Ann has a cat", "Ann wants a cat"), False],
    [("Ann prefers tea to coffee", "Ann prefers coffee to tea"), False],
    [("Ann takes 50 mg", "Ann takes 100 mg"), False],
    [("她从北京搬到上海", "她从上海搬到北京"), False],
    [("她养猫", "她想养猫"), False],
]


@pytest.mark.parametrize(("pair", "same"), SAME)
def test_lines_say_the_same_where_their_words_do(pair: tuple[str, str], same: bool) -> None:
    one, other = (said_words(text, "Ann") for text in pair)
    assert (one == other) is same


@pytest.mark.parametrize(
    ("message", "correction"),
    [
        ("sorry, it's hazelnuts, not peanuts", ""),
        ("no, I meant Leeds", "corrected"),
        ("correction: the 4th", "corrected"),
        ("不是花生，是榛子", ""),
        ("说错了，是榛子", "corrected"),
        ("jk", "taken back"),
        ("骗你们的", "taken back"),
        ("I mean, who cares", ""),
        ("it's not hot", ""),
        ("did I mean that?", ""),
        ("我没说错", ""),
        ("他说错了", ""),
    ],
)
def test_only_words_that_say_so_correct_a_message(message: str, correction: str) -> None:
    assert correction_in(message) == correction
