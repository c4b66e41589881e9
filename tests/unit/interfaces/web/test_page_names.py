"""What the pages have names for is what there is."""

from typing import get_args

from historian.graph.historian import compile_historian
from historian.interfaces.web.pages.jobs import KINDS, NODES
from historian.interfaces.web.pages.rendering import SOURCES, STATES, WRITERS
from historian.interfaces.web.pages.timeline import CHOICES
from historian.schema import event
from historian.schema.event import RewrittenBy
from historian.schema.finding import State
from historian.schema.job import JobKind


def test_the_live_view_shows_the_nodes_of_the_graph() -> None:
    assert list(NODES) == [
        name for name in compile_historian().get_graph().nodes if not name.startswith("__")
    ]


def test_every_kind_source_writer_and_state_has_a_name() -> None:
    assert KINDS.keys() == set(get_args(JobKind))
    assert CHOICES["source"].keys() == event.SOURCES == {"job", event.MESSAGE, *SOURCES}
    assert WRITERS.keys() == set(get_args(RewrittenBy))
    assert STATES.keys() == set(get_args(State))
