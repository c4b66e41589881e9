"""The time zones of this machine and of timestamps."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

log = logging.getLogger(__name__)

_HOUR = timedelta(hours=1)


def local_timezone() -> str:
    """Return the machine's IANA time zone. If it has no named zone, log a warning and return
    UTC."""
    import tzlocal  # not needed if a zone is configured

    try:
        name = tzlocal.get_localzone_name()
        ZoneInfo(name)
    except (LookupError, ValueError, OSError, TypeError) as error:
        # A container without /etc/localtime, or an unnamed zone.
        warn_of_no_zone(f"{type(error).__name__}: {error}")
        return "UTC"
    return name


@cache
def warn_of_no_zone(reason: str) -> None:
    log.warning(
        "this machine's time zone is not known (%s), UTC is assumed; set cognitive.timezone", reason
    )


def configured_timezone(configured: str) -> str:
    """Return the IANA time zone for the setting `cognitive.timezone`: for "local", that of this
    machine."""
    return local_timezone() if configured == "local" else configured


def iso_of(moment: float) -> str:
    """Return a moment (seconds since the epoch) as ISO 8601 in UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


def told_timezone(configured: str, timestamp: object) -> str:
    """Return the IANA time zone of `timestamp` under the setting `configured` ("local" or a name).

    A name is returned unchanged. With "local", the offset of the timestamp takes precedence over
    this machine's zone, because a bot in Shanghai may run in a container on UTC: +08:00 becomes
    Etc/GMT-8. An offset of zero is ignored, because many programs write UTC. Offsets of parts of an
    hour are ignored too, and so are invalid timestamps, which are reported where they are parsed.
    """
    if configured != "local":
        return configured
    here = local_timezone()
    try:
        moment = (
            timestamp if isinstance(timestamp, datetime) else datetime.fromisoformat(str(timestamp))
        )
        offset = moment.utcoffset()
        if not offset or offset == moment.astimezone(ZoneInfo(here)).utcoffset() or offset % _HOUR:
            return here
        name = f"Etc/GMT{-(offset // _HOUR):+d}"
        ZoneInfo(name)
    except (ValueError, OverflowError, ZoneInfoNotFoundError) as error:
        # Not a time, a time before the year 1, or an offset without a zone, such as +15:00.
        log.debug(
            "the time zone of a timestamp is not known, %s is assumed: %s",
            here,
            type(error).__name__,
        )
        return here
    return name
