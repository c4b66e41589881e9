"""write_profile: write each proposed profile once, if its revision has not changed meanwhile."""

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
from ...schema.graph_states.historian import HistorianState, HistorianUpdate, ProposedProfile
from ...schema.job import Job
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...stores.historian_context import HistorianContext
from ...text.facts.learnt import people_of
from ...text.profiles.lines import without_evidence

log = logging.getLogger(__name__)


async def write_profile(
    state: HistorianState, runtime: Runtime[HistorianContext]
) -> HistorianUpdate:
    """Write each profile by compare and swap.

    A profile that changed meanwhile is merged again; profiles that were already written are kept.
    """
    context = runtime.context
    job = Job.model_validate(state["job"])
    now = datetime.fromtimestamp(context.clock(), ZoneInfo(job.timezone)).isoformat(
        timespec="seconds"
    )
    written, merged = list(state.get("written", [])), list(state.get("merged", []))
    proposals, based_on = state.get("proposed_profiles", []), state.get("based_on", [])
    used = {name for one in proposals for name in one.get("jobs", [])}
    jobs = [
        one for part in people_of(state) if (one := Job.model_validate(part["job"])).job_id in used
    ]
    again = HistorianUpdate(written=written, conflict=True)
    if "merged" not in state or len(used) > len(jobs):
        return again  # a checkpoint of an older version
    for one in jobs:
        about = one.job_id, one.entities, one.moment.timestamp()
        if await asyncio.to_thread(context.events.is_forgotten, *about):
            return again  # the next merge leaves out the forgotten person's facts
    if len(await asyncio.to_thread(context.events.get, based_on)) < len(based_on):
        return again  # an event was withdrawn or deleted
    if state.get("links"):
        links = [EventLink(old, new) for old, new in state["links"]]
        await asyncio.to_thread(context.events.supersede, links)
    conflict = False
    for proposed in proposals:
        cause = proposed["cause"].rpartition(":")[0]
        also = [name for name in proposed["jobs"] if name != cause]
        write = partial(context.profiles.write, job_id=cause, also=also, now=now)
        try:
            stored = await asyncio.to_thread(
                write, _profile(proposed), expected_revision=proposed["base_revision"]
            )
        except RevisionConflict as error:
            log.info("job %s: %s; it is merged again", job.job_id, error)
            conflict = True
            continue
        held = await asyncio.to_thread(context.events.get, based_on)
        if gone := set(based_on) - {
            one.event_id for one in held
        }:  # while the profile was being written
            change = partial(_without, gone)
            revised = await asyncio.to_thread(
                context.profiles.revise, stored.key, change, now=now, cause="correction"
            )
            stored = revised or stored
        written.append(f"{stored.key}#{stored.revision}")
        merged.append(stored.key.index_id)
        if context.profile_index is not None:
            # This makes the profile searchable by words at once. The idle loop adds the vector, and
            # repairs the index if this fails.
            try:
                await asyncio.to_thread(context.profile_index.put, stored, None)
            except StorageError as error:
                log.warning(
                    "profile %s is not searchable until the next repair: %s", stored.key, error
                )
    return {
        "written": written,
        "merged": merged,
        "merges": state.get("merges", 0) + conflict,
        "conflict": conflict or state.get("more", False),
    }


def _without(gone: set[str], profile: Profile) -> Profile:
    """Return a profile without the evidence `gone` and without lines that had no other evidence."""
    lines = (without_evidence(line, gone) for line in profile.lines)
    return replace(profile, lines=tuple(line for line in lines if line is not None))


def _profile(proposed: ProposedProfile) -> Profile:
    return Profile(
        key=ProfileKey(proposed["entity_type"], proposed["entity_id"], proposed["layer"]),
        name=proposed["name"],
        tags=tuple(proposed["tags"]),
        lines=tuple(map(ProfileLine.of_json, proposed["lines"])),
        source_event_id=proposed["cause"],
    )
