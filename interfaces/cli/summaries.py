"""`historian summaries`: what short-term memory holds of a person, and what has become long-term."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .chapters import GroupOption, PersonArgument, person_key
from .console import counted, short, table
from .invocation import Shell, command, group
from .opening import opened_stores
from .root import app

if TYPE_CHECKING:
    from ...schema.two_layers import Summary

summaries = group(app, "summaries", "Dated summaries of conversations: short-term memory.")


@command(summaries, "list")
def list_summaries(shell: Shell, user: PersonArgument, in_group: GroupOption = None) -> None:
    """List all summaries of a person, oldest first, and how much waits to be summarised."""
    key = person_key(user, in_group)
    if not shell.needs_data():
        return
    with opened_stores(shell) as parts:
        found = parts.layers.summaries.read(key)
        waiting = parts.layers.buffer.tokens(key)
    if shell.json:
        for one in found:
            shell.emit(**summary_data(one))
        return
    if found:
        rows = [
            (
                one.since[:16].replace("T", " "),
                one.until[:16].replace("T", " "),
                str(one.tokens),
                one.written_by,
                "short-term" if one.is_short_term else f"revision {one.promoted_into}",
                short(" / ".join(one.text.splitlines()), 200),
            )
            for one in found
        ]
        shell.out.print(table(("from", "until", "tokens", "by", "where", "summary"), rows, wide="summary"))
    else:
        shell.say("no summaries yet")
    shell.say(f"{counted(waiting, 'token')} of conversation {'waits' if waiting == 1 else 'wait'} to be summarised")


def summary_data(one: Summary) -> dict[str, Any]:
    """A summary as JSON data, as its file has it."""
    return {
        "id": one.id,
        "user_id": one.key.user_id,
        "scope": one.key.scope.key,
        "text": one.text,
        "from": one.since,
        "until": one.until,
        "created_at": one.created_at,
        "tokens": one.tokens,
        "written_by": one.written_by,
        "is_absolute": one.is_absolute,
        "gate_reasons": list(one.gate_reasons),
        "promoted_at": one.promoted_at,
        "promoted_into": one.promoted_into,
    }
