"""Stored names of note files: unchanged, or a redacted name with a digest if the name holds a secret."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from ...text.redaction import Level, redact

_DIGEST_CHARACTERS = 16
_SEGMENTS_KEPT = 65_536


class NoteNames:
    """Names for one level of redaction. Each segment of a path is looked through once.

    >>> NoteNames("secrets").stored("work/password=Hunter2xQ9zz.md")
    'work/password=[PASSWORD]~d94213688898d974'

    A folder has the same name in the path of every file below it, so that a stored path lies below a stored folder
    exactly where the files do. Two names that are redacted alike are told apart by the digest.
    """

    def __init__(self, level: Level) -> None:
        self._level = level
        self._segment = lru_cache(_SEGMENTS_KEPT)(self._redacted)

    def stored(self, path: str) -> str:
        """Return the stored name of a file or folder, `/` between its segments."""
        return "/".join(map(self._segment, path.split("/")))

    def _redacted(self, segment: str) -> str:
        shown = redact(segment, self._level) if segment else segment
        if shown == segment:
            return segment
        return f"{shown}~{hashlib.sha256(segment.encode('utf-8', 'replace')).hexdigest()[:_DIGEST_CHARACTERS]}"
