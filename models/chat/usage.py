"""Calls, tokens and seconds of a model, by purpose."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict

from ...schema.protocols import Usage


class UsageMeter:
    """Counts calls, tokens and seconds by purpose. Safe to use from several threads."""

    def __init__(self) -> None:
        self._by_purpose: dict[str, Usage] = {}
        self._lock = threading.Lock()

    def count(self, purpose: str, **more: float) -> None:
        """Add to the fields of `Usage` for a purpose. A failed call is one without an answer; tokens are the server's count."""
        with self._lock:
            so_far = asdict(self._by_purpose.get(purpose, Usage()))
            self._by_purpose[purpose] = Usage(**{name: value + more.get(name, 0) for name, value in so_far.items()})

    def by_purpose(self) -> Mapping[str, Usage]:
        with self._lock:
            return dict(self._by_purpose)
