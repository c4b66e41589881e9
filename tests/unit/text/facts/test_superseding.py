"""What a new statement ends of a former one, and what it must not end."""

import time

import pytest
from historian.text.facts.superseding import (
    Statement,
    change_by,
    could_end,
    links_of,
    may_concern,
    terms_of,
)
from support.tables import cases

PEOPLE = ("Ann", "Tom", "Clio", "小林", "小李", "阿明", "李明", "李敏", "小史")


def change(old: str, new: str) -> str:
    return change_by(Statement(new, PEOPLE), Statement(old, PEOPLE))


@pytest.mark.parametrize("case", cases("text/superseding"))
def test_a_fact_ends_or_corrects_a_former_one_as_its_line_says(case: dict[str, str]) -> None:
    assert change(case["former"], case["new"]) == case["made"]


def test_a_correction_takes_back_what_it_shares_most_words_with() -> None:
    before = [
        Statement(text, PEOPLE)
        for text in ("Ann quilts by hand", "Ann's quilt took second prize at the fair")
    ]
    new = Statement("Ann got it wrong: her quilt took the first prize at the fair", PEOPLE)
    assert links_of(new, before) == [(1, "corrected")]


def test_what_had_happened_is_ended_by_another_value_alone() -> None:
    over = (
        Statement("Ann no longer takes pottery classes", PEOPLE),
        Statement("Ann takes pottery classes", PEOPLE),
    )
    assert change_by(*over) == "superseded"
    assert change_by(*over, values_only=True) == ""
    moved = (
        Statement("Ann moved to Vienna", PEOPLE),
        Statement("Ann moved to Lisbon on 2026-02-01", PEOPLE),
    )
    assert change_by(*moved, values_only=True) == "superseded"


def test_a_change_ends_few_former_facts() -> None:
    before = [Statement(f"Ann lives in {place}", PEOPLE) for place in ("Lisbon", "Porto", "Faro")]
    assert len(links_of(Statement("Ann moved to Vienna", PEOPLE), before)) == 2


def test_a_model_may_end_only_what_is_about_the_same_subject_and_topic() -> None:
    old = Statement("Ann lives in Lisbon", PEOPLE)
    assert could_end(Statement("Ann has settled in Vienna", PEOPLE), old)
    assert not could_end(Statement("Tom has settled in Vienna", PEOPLE), old)
    assert not could_end(Statement("Ann likes tea", PEOPLE), old)
    assert could_end(Statement("Ann likes tea", PEOPLE), old, 0.6)
    assert not could_end(Statement("Tom likes tea", PEOPLE), old, 0.6)


@pytest.mark.parametrize(
    ("new", "may"),
    [
        ("Ann gave her keys back to the landlord", True),
        ("The landlord has let the flat to somebody else", True),
        ("Tom gave his keys back to the landlord", False),
        ("Ann might give her keys back", False),
        ("Ann lives in Lisbon", False),
    ],
)
def test_a_model_is_asked_unless_it_is_about_somebody_else_or_not_so(new: str, may: bool) -> None:
    assert may_concern(Statement(new, PEOPLE), Statement("Ann lives in Lisbon", PEOPLE)) is may


def test_a_place_with_the_character_of_a_relative_in_its_name_is_none() -> None:
    assert Statement("小林在温哥华学粤语", PEOPLE).relative == ""
    assert Statement("小林的表哥在温哥华", PEOPLE).relative == "表哥"


def test_names_that_do_not_occur_cost_next_to_nothing() -> None:
    people = [f"Member{n:04d}" for n in range(600)]  # more than `re` keeps patterns

    def seconds() -> float:
        begun = time.thread_time()
        assert terms_of("member0007's house in Lisbon is near MEMBER0512", people) == terms_of(
            "house in Lisbon is near", ()
        )
        return time.thread_time() - begun

    assert min(seconds() for _ in range(5)) < 0.01
