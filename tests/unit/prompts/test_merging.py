"""The question about lines of profiles, and which former facts an answer ends."""

import pytest
from historian.prompts.merging import UpdateProfiles, said_to_be_over
from historian.schema.graph_states.historian import FormerFact

FORMER = [FormerFact(event_id=f"e{n}", text=f"fact {n}", ended=False, by="new") for n in range(2, 5)]


@pytest.mark.parametrize(
    ("named", "over"),
    [
        (["F2"], [("e2", "new")]),
        (["[f3]", "#F2"], [("e2", "new"), ("e3", "new")]),
        (["F2 N2", "F3: ended by n1"], [("e2", "b"), ("e3", "a")]),
        (["F2 N1, F3"], [("e2", "a"), ("e3", "new")]),
        (["F2 N3"], [("e2", "new")]),
        (["F7", "fact 2"], []),
        (["F2 is out of date since N2"], [("e2", "b")]),
        (["F" + "9" * 5000], []),
        ([], []),
        (["F1 N1"], []),
        (["F1", "F2"], []),
        (["F2", "F3", "F4"], []),
    ],
)
def test_it_ends_what_it_names_but_nothing_if_it_names_the_control_or_many(named: list[str], over: list[tuple[str, str]]) -> None:
    answer = UpdateProfiles(no_longer_true=named)
    assert said_to_be_over(answer, FORMER, ["a", "b"]) == over


def test_what_may_not_end_a_fact_does_not_even_if_it_is_named() -> None:
    former = [FormerFact(event_id="e2", text="fact 2", ended=False, by="a", by_any=["a"])]
    assert said_to_be_over(UpdateProfiles(no_longer_true=["F2 N2"]), former, ["a", "b"]) == [("e2", "a")]
