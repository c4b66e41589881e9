"""`--group`, `--user` and the other conditions that searches and listings share."""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING, Annotated, Any, Literal
from zoneinfo import ZoneInfo

import typer

from ...schema.errors import InvalidInput

if TYPE_CHECKING:
    from ...schema.scope import Scope
    from ...schema.settings import Settings

GroupOption = Annotated[
    str | None, typer.Option("--group", metavar="ID", help="The conversation of this group.", show_default=False)
]
UserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="ID",
        help="The private chat with this user; with --group: of that group, this user.",
        show_default=False,
    ),
]
AllOption = Annotated[bool, typer.Option("--all", help="Every conversation (for the operator).", show_default=False)]
NotesOption = Annotated[bool, typer.Option("--notes", help="The shared notes, which no conversation sees.", show_default=False)]
FromOption = Annotated[
    str | None, typer.Option("--from", metavar="TIME", help="Not before: 2026-02-21, or with a time.", show_default=False)
]
ToOption = Annotated[
    str | None, typer.Option("--to", metavar="TIME", help="Not after; a day counts to its end.", show_default=False)
]
KindOption = Annotated[
    Literal["action", "fact"] | None,
    typer.Option("--kind", help="Only what the bot did (action), or what it learnt (fact).", show_default=False),
]


def scope_of(group: str | None, user: str | None) -> Scope | None:
    """The scope that the options name; None for none. Raises InvalidInput for an id that is none."""
    from ...schema.scope import Scope

    if group is not None:
        return Scope.group(group, user or "")
    return Scope.private(user) if user is not None else None


def required_scope(group: str | None, user: str | None, every: bool) -> Scope | None:
    """The scope of a search: given, or None with `--all`. Raises InvalidInput where it is neither or both."""
    scope = scope_of(group, user)
    if every and scope is not None:
        raise InvalidInput("--all together with --group or --user: say one of them")
    if not every and scope is None:
        raise InvalidInput("which conversation? Add --group ID or --user ID (or --all, for every conversation)")
    return scope


def conditions(
    settings: Settings, *, group: str | None, user: str | None, time_from: str | None, time_to: str | None, kind: str | None
) -> dict[str, Any]:
    """What narrows a search besides its scope, as `EventFilter` takes it."""
    return {
        "user_ids": (user,) if group is not None and user is not None else (),
        "kinds": (kind,) if kind else (),
        "time_from": moment(time_from, settings, "--from", end=False),
        "time_to": moment(time_to, settings, "--to", end=True),
    }


def time_zone(settings: Settings, timestamp: str = "") -> str:
    """The configured time zone, or this machine's; with "local", that of a timestamp which has another."""
    from ...service.local_time import told_timezone

    return told_timezone(settings.cognitive.timezone, timestamp)


def moment(value: str | None, settings: Settings, option: str, *, end: bool) -> float | None:
    """Seconds since the epoch of a day or time; without an offset it is in the configured time zone."""
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        raise InvalidInput(f"{option}: {value!r} is no time; write 2026-02-21, or 2026-02-21T17:30+08:00") from None
    if len(value) <= 10 and end:
        parsed = datetime.combine(parsed.date(), time.max)
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=ZoneInfo(time_zone(settings)))
    return parsed.timestamp()
