"""The options `--group` and `--user`, and the filters that searches and lists share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from .shell import WrongUse

if TYPE_CHECKING:
    from ...schema.scope import Scope

GroupOption = Annotated[
    str | None, Option("--group", metavar="ID", help="The conversation of this group.")
]
UserOption = Annotated[
    str | None,
    Option(
        "--user",
        metavar="ID",
        help="The private chat with this user; with --group: of that group, this user.",
    ),
]
AskerOption = Annotated[
    str | None,
    Option(
        "--user",
        metavar="ID",
        help="The private chat with this user; with --group: the one who asks.",
    ),
]
AllOption = Annotated[bool, Option("--all", help="Every conversation (for the operator).")]
NotesOption = Annotated[
    bool, Option("--notes", help="The shared notes, which belong to no conversation.")
]
NARROWING = {
    "time_from": Annotated[
        str | None,
        Option("--from", metavar="TIME", help="Earliest time: 2026-02-21, or with a time of day."),
    ],
    "time_to": Annotated[
        str | None, Option("--to", metavar="TIME", help="Latest time; a day counts to its end.")
    ],
    "occurs_from": Annotated[
        str | None,
        Option(
            "--occurs-from",
            metavar="TIME",
            help="About this day or a later one (--from: said then or later).",
        ),
    ],
    "occurs_to": Annotated[
        str | None, Option("--occurs-to", metavar="TIME", help="About this day or an earlier one.")
    ],
    "kind": Annotated[
        Literal["message", "action", "fact"] | None,
        Option(
            "--kind",
            help="Only what was said (message), what the bot did (action), or what it learnt (fact).",
        ),
    ],
    "tags": Annotated[
        list[str] | None,
        Option(
            "--tag",
            metavar="TAG",
            help="Only records with this tag; if repeated, with all of them.",
        ),
    ],
    "metadata": Annotated[
        list[str] | None,
        Option(
            "--metadata",
            metavar="KEY=VALUE",
            help="Only records with this value in their metadata, JSON or text.",
        ),
    ],
}
"""The filter parameters of commands, for `command(…, more=NARROWING)`; `conditions` reads them."""


def scope_of(group: str | None, user: str | None) -> Scope | None:
    """Return the scope that the options name; None if they name none.

    Raises InvalidInput for an invalid id.
    """
    from ...schema.scope import Scope

    if group is not None:
        return Scope.group(group, user or "")
    return Scope.private(user) if user is not None else None


def asked_scope(group: str | None, user: str | None) -> Scope:
    """Return the scope that the options name. Raises InvalidInput if they name none."""
    scope = scope_of(group, user)
    if scope is None:
        raise WrongUse(
            "which conversation? Add --group ID (with --user ID for the one who asks), or --user ID alone"
        )
    return scope


def search_scope(group: str | None, user: str | None, *, every: bool, notes: bool) -> Scope | None:
    """Return the scope of a search; None for all conversations.

    Raises InvalidInput unless exactly one of a scope, `every` (--all) and `notes` is given.
    """
    from ...schema.scope import SHARED_NOTES

    scope = scope_of(group, user)
    if notes:
        if scope is not None or every:
            raise WrongUse(
                "--notes searches the shared notes only; for the notes of a conversation give "
                "--group or --user alone"
            )
        return SHARED_NOTES
    if every and scope is not None:
        raise WrongUse("--all cannot be combined with --group or --user; give only one of them")
    if not every and scope is None:
        raise WrongUse(
            "which conversation? Add --group ID or --user ID (or --all, for every conversation)"
        )
    return scope


def conditions(group: str | None, user: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filters of a search besides its scope. `given` are the values of NARROWING."""
    users = (user,) if group is not None and user is not None else ()
    metadata = dict(map(_pair, given["metadata"] or ()))
    return {**given, "tags": given["tags"] or (), "metadata": metadata, "user_ids": users}


def _pair(text: str) -> tuple[str, Any]:
    """Return the key and the value of `KEY=VALUE`. A value that is not JSON is returned as text."""
    key, equals, value = text.partition("=")
    if not equals:
        message = "--metadata: {text!r} has no value; write KEY=VALUE, such as thread=7"
        raise WrongUse(message, text=text)
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
