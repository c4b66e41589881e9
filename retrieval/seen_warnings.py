"""Log levels of reasons: each kind of reason is logged as a warning once, so that an outage does
not fill the log.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

MOST_KINDS = 100


class SeenWarnings:
    """The kinds of reasons that were logged as warnings. The kind is the text before the second
    colon; the rest may vary.
    """

    def __init__(self) -> None:
        self._kinds: set[str] = set()

    def level(self, reasons: Sequence[str]) -> int:
        """Return the level at which to log `reasons`: WARNING if one of their kinds is new, else
        DEBUG. After MOST_KINDS kinds it is always DEBUG.
        """
        kinds = {":".join(reason.split(":")[:2]) for reason in reasons}
        if kinds <= self._kinds or len(self._kinds) >= MOST_KINDS:
            return logging.DEBUG
        self._kinds |= kinds
        return logging.WARNING
