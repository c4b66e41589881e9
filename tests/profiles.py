"""Profiles for tests, from the Markdown list that people read."""

from __future__ import annotations

from typing import Any

from historian.schema.profile import Profile, ProfileKey
from historian.text.profiles.lines import read_lines


def profile_of(key: ProfileKey, markdown: str = "", **fields: Any) -> Profile:
    """Return a profile whose lines are those of a Markdown text, such as `- lives in Leeds (2026-03-02)`.

    A day in brackets at the end of a line is the day on which it was told.
    """
    return Profile(key, lines=read_lines(markdown), **fields)
