"""The time zone of this machine."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import tzlocal


def local_timezone() -> str:
    """The machine's IANA time zone; UTC where it has none that has a name."""
    try:
        name = tzlocal.get_localzone_name()
        ZoneInfo(name)
    except Exception:
        # A container without /etc/localtime, or a zone written by hand: there is nothing to look it up by.
        return "UTC"
    return name
