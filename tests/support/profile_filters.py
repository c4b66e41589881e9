"""Filters of profiles as plain Python: what every index of profiles has to agree with."""

from __future__ import annotations

from historian.schema.profile import ProfileFilter, ProfileKey
from historian.schema.scope import PUBLIC_LAYER


def admits(where: ProfileFilter, key: ProfileKey, *, has_spoken: bool = False) -> bool:
    """Return True if a filter admits a key; `has_spoken` says whether its user has spoken in `where.spoken_in`."""
    any_user = has_spoken or where.spoken_in is None or key.layer != PUBLIC_LAYER
    return (
        any_user and key.entity_type == "user" and key.layer in where.user_layers
    ) or key in where.keys
