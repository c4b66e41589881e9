"""The vectors of another model in a schema."""

from __future__ import annotations

from ...tables.events.shadow_vectors import ShadowVectorTables


class PostgresShadowVectors(ShadowVectorTables):
    """The `ShadowVectors` of one schema."""

    new_table = "(LIKE event_vectors INCLUDING ALL)"
    empty = "TRUNCATE"
    hold = "FOR SHARE"
    profiles = "profile_index"
