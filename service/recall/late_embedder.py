"""What to do where recalls miss their time limit because of the embedder, told once."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Sequence

log = logging.getLogger(__name__)

RECENT, TOO_MANY = 20, 5
"""The warning is given once so many of the most recent recalls went without vectors because the embedder was late."""
LATE = frozenset({"embedder: out of time", "embedder: busy with other queries"})

SPINNING = "OMP_WAIT_POLICY is active: the threads of the embedder spin while they wait; unset it, or set it to passive"
SLOW = (
    "the processors are busy or too slow for it: give more time (query.recall_timeout_seconds), embed at an endpoint "
    '(models.embedding.base_url), or search by keywords (models.embedding.provider = "none")'
)
SLOW_ENDPOINT = (
    "its endpoint answers too slowly: give more time (query.recall_timeout_seconds), or take the local model "
    '(models.embedding.provider = "local")'
)


def help_for(*, is_remote: bool) -> str:
    """Return what helps against an embedder that is too slow for recalls."""
    if is_remote:
        return SLOW_ENDPOINT
    return SPINNING if os.environ.get("OMP_WAIT_POLICY", "").strip().lower() == "active" else SLOW


class LateEmbedder:
    """Looks at the reasons of recalls and warns once in its life."""

    def __init__(self, *, is_remote: bool) -> None:
        self._is_remote = is_remote
        self._recent: deque[bool] = deque(maxlen=RECENT)
        self.count = 0
        """The number of recalls without vectors since the start because the embedder was late."""
        self._has_warned = False

    def note(self, reasons: Sequence[str]) -> None:
        """Note why a recall found less than it could have."""
        is_late = any(reason in LATE for reason in reasons)
        self.count += is_late
        self._recent.append(is_late)
        late = sum(self._recent)
        if late >= TOO_MANY and not self._has_warned:
            self._has_warned = True
            log.warning(
                "%d of the last %d recalls went without vectors, since the embedder was late; %s. `historian doctor` measures it",
                late,
                len(self._recent),
                help_for(is_remote=self._is_remote),
            )
