"""`historian search` and `historian context`: search the memory."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Argument, Option

from ....service.inspection.json_data import hit_data
from ...texts import shown
from .. import scopes
from ..console import Cell, minute, short
from ..invocation import command
from ..language import later, say
from ..shell import Shell, WrongUse

if TYPE_CHECKING:
    from ....schema.hit import Hit
    from ....schema.scope import Scope
    from ....schema.settings import Settings
    from ....service.cognitive import CognitiveService
    from ....text.speakers.shown_names import ShownNames

WARM_UP_SECONDS = 20.0
"""Maximum number of seconds for loading models into this process. Afterwards the search runs with
what is loaded."""

NOTHING = later("no memories of that were found here")

QueryArgument = Annotated[str, Argument(metavar="QUERY", help="What to look for.")]
TopKOption = Annotated[
    int | None, Option("--top-k", "-k", min=1, max=500, help="Maximum number of results.")
]


@command("search", more=scopes.NARROWING)
async def search(
    shell: Shell,
    query: QueryArgument,
    group: scopes.GroupOption = None,
    user: scopes.UserOption = None,
    every: scopes.AllOption = False,
    notes: scopes.NotesOption = False,
    top_k: TopKOption = None,
    neighbours: Annotated[
        int,
        Option(
            "--neighbours",
            min=0,
            max=20,
            help="Number of messages to show before and after each message found.",
        ),
    ] = 0,
    explain: Annotated[bool, Option("--explain", help="Explain the rank of each hit.")] = False,
    **narrowing: Any,
) -> None:
    """Search the messages and events of one conversation, best first."""
    from ....service.cognitive import CognitiveService

    scope = scopes.search_scope(group, user, every=every, notes=notes)
    if scope is None and neighbours:
        raise WrongUse(
            "--neighbours needs one conversation: give --group ID or --user ID instead of --all"
        )
    narrowed = scopes.conditions(group, user, narrowing)
    shell.end_without_data()
    _note_if_off(shell)
    async with CognitiveService.open(shell.settings, worker=False) as memory:
        await loaded(memory, scope)
        if scope is None:
            hits = await memory.search_everywhere(query, top_k=top_k, **narrowed)
        else:
            hits = await memory.search_events(
                query, scope, top_k=top_k, neighbours=neighbours, **narrowed
            )
        names = await memory.shown_names(scope, query, memory.language_of(scope, query))

    cells = partial(_cells, names=names.beside(hit.event.text for hit in hits))
    shell.rows(
        hits,
        partial(hit_data, explain=explain),
        "score|time|scope|text|event",
        cells,
        wide=3,
        empty=NOTHING,
    )
    if explain and not shell.json:
        for hit in hits:
            shell.out.print(Text(f"\n{hit.event.event_id}\n{hit.explain()}"), soft_wrap=True)


@command("context")
async def context(
    shell: Shell,
    query: QueryArgument,
    group: scopes.GroupOption = None,
    user: scopes.AskerOption = None,
    top_k: TopKOption = None,
) -> None:
    """Print what a bot would get for its prompt before it replies to QUERY."""
    from ....service.cognitive import CognitiveService

    scope = scopes.asked_scope(group, user)
    text = ""
    if shell.needs_data():
        _note_if_off(shell)
        async with CognitiveService.open(shell.settings, worker=False) as memory:
            await loaded(memory, scope)
            text = await memory.build_context(query, scope, top_k=top_k)
    if shell.json:
        shell.emit(context=text)
    else:
        shell.out.print(Text(text) if text else Text(say(NOTHING), style="dim"), soft_wrap=True)


def _note_if_off(shell: Shell) -> None:
    if not shell.settings.cognitive.enabled:
        shell.note(
            "memory is switched off (cognitive.enabled = false): there are only the last plain summaries"
        )


async def loaded(memory: CognitiveService, scope: Scope | None) -> None:
    """Load local models and the data of `scope` into this process, for at most WARM_UP_SECONDS.

    Without this, loading would count against the time limit of the recall. Model servers are not
    waited for.
    """
    from ....service.recall.warming import load

    opened = memory.lifecycle.opened
    with suppress(TimeoutError):
        async with asyncio.timeout(WARM_UP_SECONDS):
            if opened is not None:
                await load(opened.recall, scope)


def patient(settings: Settings, seconds: float) -> Settings:
    """Return the settings with `seconds` as the time limit of a recall."""
    query = settings.query.model_copy(update={"recall_timeout_seconds": seconds})
    return settings.model_copy(
        update={"cognitive": settings.cognitive.model_copy(update={"query": query})}
    )


def _cells(hit: Hit, names: ShownNames) -> tuple[Cell, ...]:
    event = hit.event
    pending = say("  (not filed yet)") if hit.pending else ""
    before = [(f"{short(shown(one, names))}\n", "dim") for one in hit.before]
    after = [(f"\n{short(shown(one, names))}", "dim") for one in hit.after]
    text = Text.assemble(*before, short(shown(event, names)), (pending, "yellow"), *after)
    return f"{hit.score:.2f}", minute(event.timestamp_local), event.scope.key, text, event.event_id
