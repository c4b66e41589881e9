"""Lines of other profiles go with the person who told them, by their evidence."""

from __future__ import annotations

import pytest
from historian.schema.entity import Entity
from historian.schema.profile import ProfileLine
from historian.service.entity_data.documents import line_without
from historian.service.entity_data.kinds import Traces

Evidence = tuple[str, ...]
TRACES = Traces(Entity("user", "7"), job_ids={"a-0", "m-1"})


@pytest.mark.parametrize(
    ("evidence", "said_by", "left"),
    [
        (("a-0:0",), "", None),
        (("a-0:0", "m-1:3"), "", None),
        (("a-0:0", "b-0:0"), "", ("b-0:0",)),
        (("a-0:0", "b-0:0"), "7", ("b-0:0",)),
        (("b-0:0",), "", ("b-0:0",)),
        (("b-0:0",), "8", ("b-0:0",)),
        (("a-00:0",), "", ("a-00:0",)),
        ((), "7", None),
        (("gone-0:0",), "7", None),
        ((), "8", ()),
        ((), "", ()),
    ],
)
def test_a_line_goes_if_it_rests_on_one_person_alone(
    evidence: tuple[str, ...], said_by: str, left: tuple[str, ...] | None
) -> None:
    found = line_without(
        ProfileLine("x", "the club meets on Fridays", evidence=evidence, said_by=said_by), TRACES
    )
    assert (None if found is None else found.evidence) == left
    assert found is None or found.said_by != "7"
