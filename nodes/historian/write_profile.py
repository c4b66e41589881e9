"""write_profile: write each proposed profile once, if nobody changed it meanwhile."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from langgraph.runtime import Runtime

from ...schema.errors import RevisionConflict, StorageError
from ...schema.event import EventLink
from ...schema.graph_states.historian import HistorianContext, HistorianState, HistorianUpdate, ProposedProfile
from ...schema.job import Job
from ...schema.profile import Profile, ProfileKey, ProfileLine

log = logging.getLogger(__name__)


async def write_profile(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Compare and swap each profile. A profile that changed meanwhile is merged again; those already written stay written."""
    context = runtime.context
    job = Job.model_validate(state["job"])
    first_fact = next((n for n, item in enumerate(state["items"]) if item["kind"] == "fact"), 0)
    now = datetime.fromtimestamp(context.clock(), ZoneInfo(job.timezone)).isoformat(timespec="seconds")
    written: list[str] = []
    conflict = False
    if await asyncio.to_thread(context.events.is_forgotten, job.job_id, job.entities, job.moment.timestamp()):
        return {"written": [], "conflict": False}
    based_on = state.get("based_on", [])
    if len(await asyncio.to_thread(context.events.get, based_on)) < len(based_on):
        return {"written": state.get("written", []), "conflict": True}  # an event was withdrawn or deleted: it is merged again
    if any("lines" not in proposed for proposed in state.get("proposed_profiles", [])):
        return {"written": state.get("written", []), "conflict": True}  # a checkpoint of a former version: merged again
    if state.get("links"):
        await asyncio.to_thread(context.events.supersede, [EventLink(old, new) for old, new in state["links"]])
    for proposed in state.get("proposed_profiles", []):
        profile, revision = _profile(proposed, f"{job.job_id}:{first_fact}"), proposed["base_revision"]
        try:
            stored = await asyncio.to_thread(
                context.profiles.write, profile, expected_revision=revision, job_id=job.job_id, now=now
            )
        except RevisionConflict as error:
            log.info("job %s: %s; it is merged again", job.job_id, error)
            conflict = True
            continue
        held = await asyncio.to_thread(context.events.get, based_on)
        if gone := set(based_on) - {one.event_id for one in held}:  # at this moment
            change = partial(_without, gone)
            revised = await asyncio.to_thread(context.profiles.revise, stored.key, change, now=now, cause="correction")
            stored = revised or stored
        written.append(f"{stored.key}#{stored.revision}")
        if context.profile_index is not None:
            # Searchable by its words at once. The vector, and what fails here, is left to the idle loop.
            try:
                await asyncio.to_thread(context.profile_index.put, stored, None)
            except StorageError as error:
                log.warning("profile %s is not searchable until the next repair: %s", stored.key, error)
    return {"written": [*state.get("written", []), *written], "conflict": conflict}


def _without(gone: set[str], profile: Profile) -> Profile:
    """Return a profile without the lines that rest on nothing but events that are gone."""
    lines = [line for line in profile.lines if not line.evidence or not gone.issuperset(line.evidence)]
    return replace(profile, lines=tuple(lines))


def _profile(proposed: ProposedProfile, source_event_id: str) -> Profile:
    return Profile(
        key=ProfileKey(proposed["entity_type"], proposed["entity_id"], proposed["layer"]),
        name=proposed["name"],
        tags=tuple(proposed["tags"]),
        lines=tuple(map(ProfileLine.of_json, proposed["lines"])),
        source_event_id=source_event_id,
    )
