"""Lines told again, and the bound of a profile."""

from __future__ import annotations

import pytest
from historian.schema.profile import LineKind, ProfileLine
from historian.text.profiles.lines import (
    MOST_KEPT,
    MOST_LINES,
    bounded,
    clean_line,
    read_lines,
    with_lines,
    without_evidence,
)


def line(
    text: str, kind: LineKind = "work", day: str = "2026-03-01", *evidence: str, **fields: object
) -> ProfileLine:
    return ProfileLine(text, text, kind, 1, day, day, evidence=evidence, **fields)


def test_four_wordings_of_one_job_are_one_line_in_the_newest_words() -> None:
    lines: tuple[ProfileLine, ...] = ()
    for n, text in enumerate(
        ["Ann is a nurse", "Ann works as a nurse", "her job is nurse", "Ann is now a nurse"], 1
    ):
        lines = with_lines(lines, [line(text, "work", f"2026-03-0{n}", f"e{n}")], "Ann")
    (one,) = lines
    assert one.text == "Ann is now a nurse" and one.told == 4 and one.line_id == "Ann is a nurse"
    assert (one.first_day, one.last_day, one.evidence) == (
        "2026-03-01",
        "2026-03-04",
        ("e1", "e2", "e3", "e4"),
    )


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Ann is a nurse", "Ann is not a nurse"),
        ("Ann takes 50 mg of sertraline", "Ann takes 100 mg of sertraline"),
        ("Ann lives in Leeds", "Ann lives in York"),
    ],
)
def test_a_later_line_on_one_matter_stands_behind_the_older_which_is_kept(
    first: str, then: str
) -> None:
    lines = with_lines(
        [line(first, "work", "2026-03-01", "e1")], [line(then, "work", "2026-04-01", "e2")], "Ann"
    )
    assert [(one.text, one.last_day) for one in lines] == [
        (first, "2026-03-01"),
        (then, "2026-04-01"),
    ]


def test_told_again_by_the_same_event_nothing_changes() -> None:
    known = line("Ann is a nurse", "work", "2026-03-01", "e1")
    assert with_lines([known], [known]) == (known,)
    ended = line("Ann is a nurse", "work", "2026-03-01", "e1", until="2026-03-02")
    assert with_lines([ended], [line("Ann is a nurse", "work", "2026-04-01", "e2")])[0] == ended


def test_a_pinned_line_keeps_its_words() -> None:
    known = line("Ann is a nurse", "work", "2026-03-01", "e1", pinned=True)
    (one,) = with_lines([known], [line("Ann works as a nurse", "work", "2026-04-01", "e2")], "Ann")
    assert one.text == "Ann is a nurse" and one.pinned and one.told == 2


def test_the_least_lasting_lines_leave_a_long_profile_first_and_the_oldest_of_them() -> None:
    kinds: list[LineKind] = [
        "health",
        "boundary",
        "identity",
        "home",
        "work",
        "relation",
        "taste",
        "habit",
        "plan",
        "other",
    ]
    lines = [line(f"{kind} {n}", kind, f"2026-01-{n + 10}") for n in range(10) for kind in kinds]
    kept = bounded([*lines, line("pinned", "other", "2020-01-01", pinned=True)], 65)
    left = {
        kind: [one.last_day for one in kept if one.kind == kind and not one.pinned]
        for kind in kinds
    }
    assert not left["other"] and any(one.pinned for one in kept) and len(kept) == 65
    assert all(
        len(left[kind]) == 10
        for kind in ("health", "boundary", "identity", "home", "work", "relation")
    )
    assert (
        left["taste"] == left["plan"] == ["2026-01-19"]
        or len(left["taste"] + left["habit"] + left["plan"]) == 4
    )
    assert {one.kind for one in bounded(lines, 5)} == {"health", "boundary", "identity"}, (
        "these never leave"
    )


def test_a_flood_of_what_stays_pushes_nothing_out_and_comes_to_an_end() -> None:
    flood = [
        line(f"allergic to {n}", "health", "2026-04-01", f"e{n}") for n in range(MOST_KEPT + 50)
    ]
    lines = with_lines([line("allergic to penicillin", "health")], flood)
    assert lines[0].text == "allergic to penicillin" and len(lines) == MOST_KEPT
    assert MOST_LINES < MOST_KEPT


def test_a_line_loses_evidence_that_is_gone_and_goes_with_the_last() -> None:
    one = line("Ann is a nurse", "work", "2026-03-01", "e1", "e2")
    left = without_evidence(one, {"e1"})
    assert left is not None and left.evidence == ("e2",) and left.told == 1
    assert without_evidence(one, {"e1", "e2"}) is None
    assert without_evidence(one, {"e3"}) == one and without_evidence(
        line("by hand"), {"e1"}
    ) == line("by hand")


@pytest.mark.parametrize(
    ("written", "prefix"),
    [
        ("# Food", "Food: "),
        ("  ### Food and drink: ## ", "Food and drink: "),
        ("**Food**：", "Food: "),
        ("** Food **", "Food: "),
        ("# Food # #", "Food #: "),
        ("# ", ""),
        ("# ##", ""),
    ],
)
def test_a_heading_stands_before_the_lines_below_it(written: str, prefix: str) -> None:
    (one,) = read_lines(f"{written}\n- likes tea\n- has a cat")[:1]
    assert one.text == f"{prefix}likes tea"


def test_lines_that_people_write_get_their_kind() -> None:
    lines = read_lines("# Health\n- allergic to penicillin\n- 不吃香菜\n\nlives in Leeds\n")
    assert [one.kind for one in lines] == ["health", "boundary", "home"]


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
