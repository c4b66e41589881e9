"""What changed between two revisions of a profile, as people read it."""

from __future__ import annotations

import difflib

from ...schema.profile import Profile


def profile_diff(old: Profile, new: Profile) -> str:
    """A unified diff of name, tags and summary; empty where nothing changed.

    The head lines name profile, revision and time of both sides.
    """
    lines = difflib.unified_diff(
        _lines(old),
        _lines(new),
        fromfile=f"{old.key} revision {old.revision}",
        tofile=f"{new.key} revision {new.revision}",
        fromfiledate=old.updated_at,
        tofiledate=new.updated_at,
        lineterm="",
    )
    return "\n".join(lines)


def _lines(profile: Profile) -> list[str]:
    head = [f"name: {profile.name}", f"tags: {', '.join(profile.tags)}", ""]
    return head + profile.summary.splitlines()
