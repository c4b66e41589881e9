"""Which former facts a model's answer ends."""

from typing import Literal

import pytest
from historian.prompts.merging import UpdateProfiles, said_to_be_over
from historian.schema.graph_states.historian import FormerFact


def former(n: int, bearing: Literal["topic", "alike", "control"]) -> FormerFact:
    return FormerFact(event_id=f"e{n}", text=f"fact {n}", ended=False, by="new", bearing=bearing)


FORMER = [former(1, "control"), former(2, "topic"), former(3, "alike"), former(4, "alike")]


@pytest.mark.parametrize(
    ("named", "over"),
    [
        (["F2"], ["e2"]),
        (["[f3]", "#F2"], ["e2", "e3"]),
        (["F7", "fact 2"], []),
        ([], []),
        (["F1"], []),
        (["F1", "F3"], []),
        (["F1", "F2"], ["e2"]),
        (["F2", "F3", "F4"], ["e2"]),
    ],
)
def test_it_ends_what_it_names_but_only_what_is_on_the_same_topic_if_it_names_many_or_anything(
    named: list[str], over: list[str]
) -> None:
    answer = UpdateProfiles(no_longer_true=named)
    assert [one["event_id"] for one in said_to_be_over(answer, FORMER)] == over


def test_what_a_release_before_left_in_a_checkpoint_counts_as_on_the_topic() -> None:
    old = [{key: value for key, value in one.items() if key != "bearing"} for one in FORMER]
    answer = UpdateProfiles(no_longer_true=["F2", "F3", "F4"])
    assert len(said_to_be_over(answer, old)) == 3  # type: ignore[arg-type]
