"""`historian events`: what was filed."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from ....schema.errors import InvalidInput
from ..console import counted, fields, short, table
from ..invocation import CommandFailed, Shell, command, group
from ..language import both, either
from ..opening import opened_stores
from ..owner_commands import send_command
from ..root import app
from ..scopes import FromOption, GroupOption, KindOption, ToOption, UserOption, conditions, scope_of

if TYPE_CHECKING:
    from ....schema.event import Event

events = group(app, "events", both("记录：列出、查看、更正、删除。", "Records: list, show, correct, remove."))

EventArgument = Annotated[
    str,
    typer.Argument(metavar="EVENT", help=both("记录的 id，见 `events list`。", "The record's id, as `events list` shows it.")),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help=both("不再询问。", "Do not ask."), show_default=False)]


@command(events, "list", zh="列出记录，最新的在前；不用 --group 或 --user 指定会话，就列出所有会话的。")
def list_events(
    shell: Shell,
    group: GroupOption = None,
    user: UserOption = None,
    time_from: FromOption = None,
    time_to: ToOption = None,
    kind: KindOption = None,
    job: Annotated[
        str | None,
        typer.Option("--job", metavar="ID", help=both("只要这个任务的。", "Only those of this job."), show_default=False),
    ] = None,
    relative: Annotated[
        bool,
        typer.Option(
            "--relative",
            help=both("只要还有相对说法的。", "Only those that did not become absolute."),
            show_default=False,
        ),
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help=both("最多多少条。", "At most so many."))] = 50,
) -> None:
    """List records, newest first; of all conversations unless --group or --user names one."""
    from ....schema.event import EventFilter

    scope = scope_of(group, user)
    narrowed = conditions(shell.settings, group=group, user=user, time_from=time_from, time_to=time_to, kind=kind)
    where = EventFilter(scope.key if scope else None, is_absolute=False if relative else None, **narrowed)
    if not shell.needs_data():
        return
    with opened_stores(shell) as parts:
        if job is None:
            found = parts.events.find(where, limit=limit)
        else:
            found = parts.events.get([f"{job}:{n}" for n in range(1000)])[:limit]
    if shell.json:
        for event in found:
            shell.emit(**event_data(event))
        return
    if not found:
        shell.say(either("没有记录", "no records"))
        return
    shell.out.print(event_table(found))


@command(events, "show", zh="查看一条记录的全部内容。")
def show_event(shell: Shell, event_id: EventArgument) -> None:
    """Show one record with all that is known of it."""
    event = _existing(shell, [event_id])[0]
    data = event_data(event)
    if shell.json:
        shell.emit(**data)
        return
    reasons = "\n".join(event.gate_reasons)
    shown = {key: value for key, value in data.items() if value not in ("", []) and key != "gate_reasons"}
    shell.out.print(fields({**shown, **({"gate_reasons": reasons} if reasons else {})}))


@command(events, "edit", zh="改写一条记录的文字。")
def edit_event(
    shell: Shell,
    event_id: EventArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help=both("记录的新文字。", "The new text of the record."))],
) -> None:
    """Replace the text of a record."""
    from ....text.redaction import redact

    if not text.strip():
        raise InvalidInput(
            either("TEXT 是空的；删除记录用 `historian events delete`", "TEXT: empty; `historian events delete` removes a record")
        )
    before = _existing(shell, [event_id])[0]
    text = redact(text, shell.settings.historian.redact_jobs)
    send_command(shell, "edit", {"event_id": event_id, "text": text}, done=f"{event_id}: {short(before.text)} → {short(text)}")


@command(events, "delete", zh="永久删除记录。")
def delete_events(
    shell: Shell,
    event_ids: Annotated[
        list[str],
        typer.Argument(metavar="EVENT...", help=both("要删除的记录的 id。", "The ids of the records to remove.")),
    ],
    yes: YesOption = False,
) -> None:
    """Remove records for good."""
    found = _existing(shell, event_ids)
    if not yes and not shell.json and sys.stdin.isatty():
        shell.out.print(event_table(found))
        typer.confirm(either("永久删除？", "Remove for good?"), abort=True)
    done = either(f"已删除 {len(found)} 条记录", f"{counted(len(found), 'record')} removed")
    send_command(shell, "forget", {"event_ids": event_ids}, done=done)


def _existing(shell: Shell, event_ids: list[str]) -> list[Event]:
    found: list[Event] = []
    if shell.needs_data():
        with opened_stores(shell) as parts:
            found = parts.events.get(event_ids)
    missing = sorted(set(event_ids) - {event.event_id for event in found})
    if missing:
        named = ", ".join(map(repr, missing))
        raise CommandFailed(
            either(
                f"没有记录 {named}；`historian events list` 列出已有的",
                f"no record {named}; `historian events list` shows those that exist",
            )
        )
    return found


def event_data(event: Event) -> dict[str, Any]:
    """A record as JSON data."""
    data = dataclasses.asdict(event)
    return {**data, "gate_reasons": list(event.gate_reasons)}


def event_table(found: list[Event]) -> Any:
    """Records as a table for people; those that are not absolute are marked."""
    rows = [
        (
            event.event_id,
            event.timestamp_local[:16].replace("T", " "),
            event.scope.key,
            event.kind,
            Text.assemble(("" if event.is_absolute else "≈ ", "yellow"), short(event.text)),
        )
        for event in found
    ]
    text = either("内容（≈ 还有相对说法）", "text (≈ not absolute)")
    return table((*either("记录 时间 会话 种类", "record time scope kind").split(), text), rows, wide=text)
