"""The time zone of this machine, and of who hands something over."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

log = logging.getLogger(__name__)

_HOUR = timedelta(hours=1)


def local_timezone() -> str:
    """The machine's IANA time zone; UTC, and a warning, where it has none that has a name."""
    import tzlocal  # where a zone is configured it is not needed

    try:
        name = tzlocal.get_localzone_name()
        ZoneInfo(name)
    except (LookupError, ValueError, OSError, TypeError) as error:
        # A container without /etc/localtime, or a zone written by hand: there is nothing to look it up by.
        warn_of_no_zone(f"{type(error).__name__}: {error}")
        return "UTC"
    return name


@cache
def warn_of_no_zone(reason: str) -> None:
    log.warning("this machine's time zone is not known (%s), UTC is assumed; set cognitive.timezone", reason)


def configured_timezone(configured: str) -> str:
    """The IANA time zone that the setting `cognitive.timezone` names: this machine's for "local"."""
    return local_timezone() if configured == "local" else configured


def told_timezone(configured: str, timestamp: object) -> str:
    """The IANA time zone of what was said at `timestamp`, for the setting `configured` ("local" or a name).

    With "local", a timestamp that has another offset than this machine (a bot of Shanghai in a container that runs on
    UTC) tells its own: +08:00 is Etc/GMT-8. An offset of zero tells nothing, since programs like to write UTC. Neither does
    what is no time: whoever reads the timestamp says what is wrong with it.
    """
    if configured != "local":
        return configured
    here = local_timezone()
    try:
        moment = timestamp if isinstance(timestamp, datetime) else datetime.fromisoformat(str(timestamp))
        offset = moment.utcoffset()
        if not offset or offset == moment.astimezone(ZoneInfo(here)).utcoffset() or offset % _HOUR:
            return here
        name = f"Etc/GMT{-(offset // _HOUR):+d}"
        ZoneInfo(name)
    except (ValueError, OverflowError, ZoneInfoNotFoundError) as error:  # no time, before the year 1, or +15:00
        log.debug("the time zone of a timestamp is not known, %s is assumed: %s", here, type(error).__name__)
        return here
    return name
