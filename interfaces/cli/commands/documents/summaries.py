"""`historian summaries`: the dated summaries of a person, short-term and promoted."""

from __future__ import annotations

from .....service.inspection.json_data import summary_data
from ...console import minute, short
from ...invocation import Shell, command, group
from ...language import say
from ...opening import opened_stores
from .chapters import InGroupOption, PersonArgument, article_key

summaries = group("summaries", "Dated summaries of conversations: short-term memory.")


@command("list", summaries)
def list_summaries(shell: Shell, user: PersonArgument, in_group: InGroupOption = None) -> None:
    """List all summaries of a person, oldest first, and how much waits to be summarised."""
    key = article_key(user, in_group)
    if not shell.needs_data():
        return
    with opened_stores(shell) as parts:
        found = parts.article_stores.summaries.read(key)
        waiting = parts.article_stores.buffer.tokens(key)
    shell.rows(
        found,
        summary_data,
        "from|until|tokens|by|where|summary",
        lambda one: (
            minute(one.since),
            minute(one.until),
            str(one.tokens),
            one.written_by,
            say("short-term") if one.is_short_term else say("revision {n}", n=one.promoted_into or 0),
            short(" / ".join(one.text.splitlines()), 200),
        ),
        empty="no summaries yet",
    )
    shell.tell("{n} {n:token|tokens} of conversation {n:waits|wait} to be summarised", n=waiting)
