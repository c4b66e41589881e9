"""`--group`, `--user` and the other conditions that searches and listings share."""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING, Annotated, Any, Literal
from zoneinfo import ZoneInfo

import typer

from ...schema.errors import InvalidInput
from .language import both, either

if TYPE_CHECKING:
    from ...schema.scope import Scope
    from ...schema.settings import Settings

GroupOption = Annotated[
    str | None,
    typer.Option("--group", metavar="ID", help=both("这个群的会话。", "The conversation of this group."), show_default=False),
]
UserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="ID",
        help=both(
            "和这个用户的私聊；与 --group 同用：那个群里的这个用户。",
            "The private chat with this user; with --group: of that group, this user.",
        ),
        show_default=False,
    ),
]
AllOption = Annotated[
    bool, typer.Option("--all", help=both("所有会话（给运维用）。", "Every conversation (for the operator)."), show_default=False)
]
NotesOption = Annotated[
    bool,
    typer.Option(
        "--notes", help=both("共享笔记，哪个会话都看不见。", "The shared notes, which no conversation sees."), show_default=False
    ),
]
FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="TIME",
        help=both("不早于：2026-02-21，也可带时刻。", "Not before: 2026-02-21, or with a time."),
        show_default=False,
    ),
]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="TIME",
        help=both("不晚于；只写日期就算到那天结束。", "Not after; a day counts to its end."),
        show_default=False,
    ),
]
KindOption = Annotated[
    Literal["action", "fact"] | None,
    typer.Option(
        "--kind",
        help=both("只要机器人做了的（action），或得知的（fact）。", "Only what the bot did (action), or what it learnt (fact)."),
        show_default=False,
    ),
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
        raise InvalidInput(
            either("--all 不能与 --group 或 --user 同用：只说一个", "--all together with --group or --user: say one of them")
        )
    if not every and scope is None:
        raise InvalidInput(
            either(
                "哪个会话？请加 --group ID 或 --user ID（或用 --all 搜所有会话）",
                "which conversation? Add --group ID or --user ID (or --all, for every conversation)",
            )
        )
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
    from ...service.timezones import told_timezone

    return told_timezone(settings.cognitive.timezone, timestamp)


def moment(value: str | None, settings: Settings, option: str, *, end: bool) -> float | None:
    """Seconds since the epoch of a day or time; without an offset it is in the configured time zone."""
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        raise InvalidInput(
            either(
                f"{option}：{value!r} 不是时间；请写成 2026-02-21 或 2026-02-21T17:30+08:00",
                f"{option}: {value!r} is no time; write 2026-02-21, or 2026-02-21T17:30+08:00",
            )
        ) from None
    if len(value) <= 10 and end:
        parsed = datetime.combine(parsed.date(), time.max)
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=ZoneInfo(time_zone(settings)))
    return parsed.timestamp()
