"""The time zone of this machine, and of who hands something over."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

_HOUR = timedelta(hours=1)


def local_timezone() -> str:
    """The machine's IANA time zone; UTC where it has none that has a name."""
    import tzlocal  # where a zone is configured it is not needed

    try:
        name = tzlocal.get_localzone_name()
        ZoneInfo(name)
    except Exception:
        # A container without /etc/localtime, or a zone written by hand: there is nothing to look it up by.
        return "UTC"
    return name


def configured_timezone(configured: str) -> str:
    """The IANA time zone that the setting `cognitive.timezone` names: this machine's for "local"."""
    return local_timezone() if configured == "local" else configured


def told_timezone(configured: str, timestamp: object) -> str:
    """The IANA time zone in which what was said at `timestamp` is meant, for the setting `configured` ("local" or a name).

    With "local", a timestamp that has another offset than this machine (a bot of Shanghai in a container that runs on
    UTC) tells its own: +08:00 is Etc/GMT-8. An offset of zero tells nothing, since programs like to write UTC.
    """
    if configured != "local":
        return configured
    here = local_timezone()
    try:
        moment = timestamp if isinstance(timestamp, datetime) else datetime.fromisoformat(str(timestamp))
        offset = moment.utcoffset()
        if not offset or offset == moment.astimezone(ZoneInfo(here)).utcoffset() or offset % _HOUR:
            return here
        hours = offset // _HOUR
        name = f"Etc/GMT{-hours:+d}"
        ZoneInfo(name)
    except Exception:
        # no time at all, before the year 1, or +15:00: whoever reads the timestamp says what is wrong with it
        return here
    return name
