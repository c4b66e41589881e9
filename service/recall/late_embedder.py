"""Advice for recalls that miss their time limit because of the embedder."""

from __future__ import annotations

import os

LATE = frozenset({"embedder: out of time", "embedder: busy with other queries"})
"""Reasons of recalls that used no vectors because the embedder was late."""

SPINNING = "OMP_WAIT_POLICY is active: the threads of the embedder spin while they wait; unset it, or set it to passive"
SLOW = (
    "the processors are busy or too slow for it: allow more time (query.recall_timeout_seconds), "
    "embed at an endpoint "
    '(models.embedding.base_url), or search by keywords (models.embedding.provider = "none")'
)
SLOW_ENDPOINT = (
    "its endpoint answers too slowly: allow more time (query.recall_timeout_seconds), or use the "
    "local model "
    '(models.embedding.provider = "local")'
)


def help_for(*, is_remote: bool) -> str:
    """Return advice for an embedder that is too slow for recalls."""
    if is_remote:
        return SLOW_ENDPOINT
    return SPINNING if os.environ.get("OMP_WAIT_POLICY", "").strip().lower() == "active" else SLOW
