from pathlib import Path
from types import SimpleNamespace
from typing import Any

from historian.nodes.historian.write_profile import write_profile
from historian.service.intake import make_job
from historian.text.job_verdicts import by_rules
from langgraph.runtime import Runtime
from support.memory import group_fields, settings_for


async def test_what_a_former_version_proposed_is_written_by_no_one_and_merged_again() -> None:
    """A checkpoint of it, between the two nodes, holds the text of a profile instead of its lines."""
    settings = settings_for(Path("/nowhere"))
    job = make_job(group_fields(new_info=["我喜欢茶"]), settings, lambda: 0.0)
    events = SimpleNamespace(is_forgotten=lambda *_: False, get=lambda ids: list(ids))
    context: Any = SimpleNamespace(settings=settings, events=events, clock=lambda: 0.0)
    former = {
        "entity_type": "user",
        "entity_id": "42",
        "layer": "",
        "base_revision": 1,
        "name": "阿明",
        "tags": [],
        "summary": "- 阿明喜欢茶",
    }
    state: Any = {
        "job": job.model_dump(),
        "items": by_rules(job, settings),
        "proposed_profiles": [former],
        "links": [("old", "new")],
        "written": ["earlier#1"],
    }
    assert await write_profile(state, Runtime(context=context)) == {
        "written": ["earlier#1"],
        "conflict": True,
    }
