"""What a model has cost, counted by purpose."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace

from ...schema.protocols import Usage


class UsageMeter:
    """Counts calls, tokens and seconds by purpose. Safe to use from several threads."""

    def __init__(self) -> None:
        self._by_purpose: dict[str, Usage] = {}
        self._lock = threading.Lock()

    def answered(self, purpose: str, *, seconds: float, prompt_tokens: int = 0, completion_tokens: int = 0) -> None:
        """Count a request that was answered; tokens are 0 where the server does not tell them."""
        with self._lock:
            so_far = self._by_purpose.get(purpose, Usage())
            self._by_purpose[purpose] = replace(
                so_far,
                calls=so_far.calls + 1,
                prompt_tokens=so_far.prompt_tokens + prompt_tokens,
                completion_tokens=so_far.completion_tokens + completion_tokens,
                seconds=so_far.seconds + seconds,
            )

    def failed(self, purpose: str, *, seconds: float) -> None:
        """Count a request that got no answer: refused, broken off, timed out or cancelled."""
        with self._lock:
            so_far = self._by_purpose.get(purpose, Usage())
            self._by_purpose[purpose] = replace(so_far, failed_calls=so_far.failed_calls + 1, seconds=so_far.seconds + seconds)

    def by_purpose(self) -> Mapping[str, Usage]:
        with self._lock:
            return dict(self._by_purpose)
