"""The prompt that asks a model for the new profiles, and the limits of its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from ..schema.graph_states.historian import FormerFact, ItemState
from ..schema.job import Job
from ..schema.names import Names
from ..schema.profile import Profile, ProfileKey
from ..text.absolutize import absolutize
from ..text.language import Language
from ..text.profiles.carried import carried, carried_tags
from ..text.profiles.cleaning import clean_profile
from ..text.profiles.lines import read_lines
from ..text.superseding import MOST_ENDED
from .rewriting import recent_lines
from .templates import one_line, render

_CONTROL = 1
"""The number of what is shown before the former facts and never over: a model that names it names whatever it is shown.
The example of the prompt names it too, for those that copy it."""
_ENDED = re.compile(r"(?<![A-Z0-9])F(\d{1,3})(?!\d)(?:(?:(?!\bF\d)\D)*?\bN(\d{1,3})(?!\d))?", re.IGNORECASE)


class ProfileAnswer(BaseModel):
    """A whole profile."""

    model_config = ConfigDict(title="profile")

    name: str = Field(default="", description="display name")
    tags: list[str] = Field(default_factory=list)
    summary: str = Field(description="Markdown")


class UpdateProfiles(BaseModel):
    """The complete new profiles; null where nothing changes."""

    model_config = ConfigDict(title="update_profiles")

    user: ProfileAnswer | None = None
    group: ProfileAnswer | None = None
    no_longer_true: list[str] = Field(default_factory=list, description='former facts that are over, and what ends them: "F1 N1"')


def merge_prompt(
    facts: Sequence[ItemState],
    old: Mapping[ProfileKey, Profile],
    job: Job,
    names: Names,
    language: Language,
    former: Sequence[str] = (),
) -> str:
    """Return the user message: time, names, old profiles, the new facts as bullets, the nearest former ones by short ids.

    Where one of several new facts may end a former one, they have short ids too. Only the profiles that the facts concern are
    shown, and earlier messages if a fact is open.
    """
    nothing = "（无）" if language == "zh" else "(none)"
    control = f"{names.bot(language)}是聊天机器人" if language == "zh" else f"{names.bot(language)} is a chat bot"
    shown = [control, *former] if former else []
    numbered = len(facts) > 1 and bool(former)
    profiles = {key.entity_type: _profile_text(profile) or nothing for key, profile in old.items()}
    heads = {"user": "旧的用户画像：", "group": "旧的群画像："}
    if language == "en":
        heads = {"user": "Old profile of the user:", "group": "Old profile of the group:"}
    return render(
        "merge_user",
        language,
        time=f"{job.moment:%Y-%m-%d}",
        user=one_line(names.user(language)),
        group=one_line(names.group(language)) or nothing,
        profiles="".join(f"{heads[of]}\n{text}\n\n" for of, text in profiles.items()),
        recent=recent_lines(job, language) if any(item["undecided"] and not item["passed"] for item in facts) else "",
        facts="\n".join(f"{f'N{n}:' if numbered else '-'} {one_line(item['candidate'])}" for n, item in enumerate(facts, 1)),
        former="\n".join(f"F{n}: {one_line(text)}" for n, text in enumerate(shown, _CONTROL)) or nothing,
    )


def said_to_be_over(answer: UpdateProfiles, former: Sequence[FormerFact], new: Sequence[str]) -> list[tuple[str, str]]:
    """Return which of the former facts the answer ends, and by which of the `new` events: pairs of event ids.

    Both are in the order of `merge_prompt`; where the answer does not say what ends a fact, or names what may not, it is the most
    alike. Nothing is over by an answer that names more than MOST_ENDED, or the control: it says so of nothing in particular.
    """
    said = {int(one): int(by or 0) for text in answer.no_longer_true for one, by in _ENDED.findall(text)}
    named = {n: one for n, one in enumerate(former, _CONTROL + 1) if n in said}
    if len(named) > MOST_ENDED or _CONTROL in said:
        return []
    by = {n: new[said[n] - 1] if 0 < said[n] <= len(new) else "" for n in named}
    return [(one["event_id"], by[n] if by[n] in one.get("by_any", new) else one["by"]) for n, one in named.items()]


def _profile_text(profile: Profile) -> str:
    tags = f"[{', '.join(profile.tags)}]\n" if profile.tags else ""
    return f"{tags}{profile.summary}" if profile.lines else ""


def merged_by_model(answer: UpdateProfiles, facts: Sequence[ItemState], old: Profile, job: Job, names: Names) -> Profile | None:
    """Return the model's profile, cleaned, without what neither `old` nor `facts` carry; `old` if the model gives none.

    None if the answer must be refused: nothing of it stands, or it would erase most of what is known.
    """
    is_user = old.key.entity_type == "user"
    given = answer.user if is_user else answer.group
    if given is None or not given.summary.strip():
        return old
    known_name = job.user_name if is_user else job.group_name
    learnt = [item["candidate"] for item in facts]
    told = "\n".join([old.summary, *learnt])
    name = given.name if given.name.strip().casefold() in told.casefold() else ""
    cleaned = clean_profile(name, given.tags, given.summary, old=old, known_name=known_name)
    if cleaned is None:
        return None
    # A profile is read for years: what the model left relative is resolved at the job's time, by rules.
    summary = absolutize(cleaned.summary, job.moment, job.timezone, names, "fact").text
    stands = carried(summary, old.summary, learnt, names, of_group=not is_user, also=f"{job.moment:%Y-%m-%d}")
    if stands is None:
        return None
    tags = carried_tags(cleaned.tags, old.tags, f"{told}\n{stands}", names)
    return replace(old, name=cleaned.name, tags=tags, lines=read_lines(stands, old.lines, day=f"{job.moment:%Y-%m-%d}"))
