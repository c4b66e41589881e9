"""`historian summaries`: what short-term memory holds of a person, and what has become long-term."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..console import counted, short, table
from ..invocation import Shell, command, group
from ..language import both, either
from ..opening import opened_stores
from ..root import app
from .chapters import GroupOption, PersonArgument, person_key

if TYPE_CHECKING:
    from ....schema.summary import Summary

summaries = group(
    app, "summaries", both("对话的带日期的摘要：短期记忆。", "Dated summaries of conversations: short-term memory.")
)


@command(summaries, "list", zh="列出一个人的所有摘要，最早的在前，以及还有多少等着摘要。")
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
                either("短期", "short-term")
                if one.is_short_term
                else either(f"版本 {one.promoted_into}", f"revision {one.promoted_into}"),
                short(" / ".join(one.text.splitlines()), 200),
            )
            for one in found
        ]
        columns = either("起 止 token 作者 在哪里 摘要", "from until tokens by where summary").split()
        shell.out.print(table(columns, rows, wide=columns[-1]))
    else:
        shell.say(either("还没有摘要", "no summaries yet"))
    shell.say(
        either(
            f"还有 {waiting} token 的对话等着摘要",
            f"{counted(waiting, 'token')} of conversation {'waits' if waiting == 1 else 'wait'} to be summarised",
        )
    )


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
