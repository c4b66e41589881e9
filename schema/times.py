"""Checks of the times and time zones that are passed in jobs, messages and settings."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .errors import InvalidInput
from .ids import told

MILLISECONDS = 100_000_000_000
"""A number of at least this is a time in milliseconds (a time since 1973); in seconds it would lie
after the year 5138."""

FIRST_YEAR, LAST_YEAR = 1900, 9000
"""Times outside these years could overflow `datetime` when converted to another time zone or moved by years."""


def named_zone(value: str) -> ZoneInfo:
    """Return the IANA time zone of this name, or raise InvalidInput. A path is not accepted as a
    name.
    """
    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        raise InvalidInput(
            f"timezone: {told(value)} is not an IANA time zone; use a name such as Asia/Shanghai or UTC"
        ) from None


def check_timezone(value: str) -> str:
    """Return `value` if it is an IANA time zone, else raise InvalidInput."""
    return named_zone(value).key


def check_timestamp(value: str | float | datetime, what: str = "timestamp") -> str:
    """Return an ISO 8601 time with its offset, or raise InvalidInput that names `what`.

    A number is a time since the epoch: in seconds below MILLISECONDS, else in milliseconds.
    """
    if isinstance(value, datetime):
        moment = value
    elif type(value) in (int, float):
        try:
            moment = datetime.fromtimestamp(
                float(value) / (1000 if float(value) >= MILLISECONDS else 1), UTC
            )
        except (ValueError, OverflowError, OSError):
            raise InvalidInput(
                f"{what}: {value!r:.40} is not a time in seconds or milliseconds since 1970"
            ) from None
    else:
        try:
            moment = datetime.fromisoformat(value)  # type: ignore[arg-type]  # TypeError is caught
        except (ValueError, TypeError):
            raise InvalidInput(
                f"{what}: {told(value)} is not an ISO 8601 time; write it like 2026-02-21T17:30:00+08:00"
            ) from None
    if moment.utcoffset() is None:
        raise InvalidInput(
            f"{what}: {moment.isoformat()} has no UTC offset; write it like "
            "2026-02-21T17:30:00+08:00"
        )
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise InvalidInput(
            f"{what}: {moment.isoformat()} is outside the years {FIRST_YEAR} to {LAST_YEAR}; pass "
            "the correct time"
        )
    return moment.isoformat()


def check_expiry(value: object, timezone: str, what: str = "expires_at") -> float | None:
    """Return the time of expiry in seconds since the epoch; None for None and "".

    A day (`2026-12-31`) lasts to its end in `timezone`; other values are as in `check_timestamp`.
    Raises InvalidInput.
    """
    if value in (None, ""):
        return None
    day = value if isinstance(value, date) and not isinstance(value, datetime) else None
    if isinstance(value, str) and len(value.strip()) <= len("2026-12-31"):
        try:
            day = date.fromisoformat(value.strip())
        except ValueError:
            raise InvalidInput(
                f"{what}: {told(value)} is not a day; write 2026-12-31, or "
                "2026-12-31T17:30:00+08:00"
            ) from None
    if day is None:
        moment = datetime.fromisoformat(check_timestamp(value, what))  # type: ignore[arg-type]
    elif FIRST_YEAR <= day.year <= LAST_YEAR:
        moment = datetime.combine(day + timedelta(days=1), time.min, named_zone(timezone))
    else:
        raise InvalidInput(f"{what}: {day} is outside the years {FIRST_YEAR} to {LAST_YEAR}")
    return moment.timestamp()
