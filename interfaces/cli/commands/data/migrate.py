"""`historian migrate`: turns a bot's old summaries into events, or moves the whole memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from ...invocation import command
from ...language import later, say
from ...opening import opened_parts, without_models
from ...scopes import GroupOption, UserOption, scope_of
from ...shell import FAILED, Shell, WrongUse

if TYPE_CHECKING:
    from .....schema.settings import Settings
    from .....service.entity_data.migration import MigrationReport
    from .....service.entity_data.moving import MoveReport

VectorKind = Literal["float32", "half"]


@command("migrate")
async def migrate(
    shell: Shell,
    file: Annotated[
        Path | None,
        Argument(metavar="[FILE.json]", help="Old summaries, such as end_summaries.json."),
    ] = None,
    group: GroupOption = None,
    user: UserOption = None,
    place: Annotated[
        list[str] | None,
        Option(
            "--place",
            metavar="NAME=ID",
            help="The id of a group or person that entries name; repeatable.",
        ),
    ] = None,
    places: Annotated[
        Path | None,
        Option("--places", metavar="FILE.json", help='The same as a file: {"NAME": "ID"}.'),
    ] = None,
    rewrite: Annotated[
        bool,
        Option("--rewrite", help="Rewrite the summaries in the background, as jobs in the queue."),
    ] = False,
    to: Annotated[
        str | None,
        Option(
            "--to",
            metavar="URL|FOLDER",
            help="Move the whole memory to this PostgreSQL database, or folder.",
        ),
    ] = None,
    schema: Annotated[
        str | None, Option("--schema", metavar="NAME", help="The schema in that database.")
    ] = None,
    vectors: Annotated[
        VectorKind | None,
        Option(
            "--vectors",
            help="The type of the vectors there (default: stores.vectors); half needs half the space.",
        ),
    ] = None,
) -> None:
    """Turn summaries that a bot stored before into events.

    A list of {summary or text, timestamp, user_id, group_id, ...}, lists by conversation ({"g:7001": [...]}), texts, or JSON
    lines. --group or --user gives the conversation of entries without one. For entries that name a place, {"location":
    {"type": "group", "name": "..."}}, --place gives the id (if a group and a person have the same
    name: --place group:NAME=ID, private:NAME=ID). In a terminal each missing id is asked for once;
    entries without an id are left out and counted by place. Rules file the entries at once; with
    --rewrite they become jobs, which `historian worker` files. Importing the same file again, also
    after a crash, changes nothing. Invalid entries are reported with their number, and the exit
    status is 1.

    With --to instead of a file, the whole memory is moved: rows with their numbers and vectors,
    profiles and articles with their history, waiting jobs. Stop workers and bots first. After an
    interruption the same command continues; at the end counts and a sample of recalls are
    compared. The memory here is not changed: set the new place in the settings afterwards
    (stores.url, or data_dir). To move jobs that arrived meanwhile, run the same command again.
    """
    from .....service.entity_data.migration import Migration
    from .....service.entity_data.old_summaries import read_places

    if (file is None) == (to is None):
        raise WrongUse("give a file of old summaries, or --to with the new place of the memory")
    shell.needs_memory()
    if to is not None:
        await _move(shell, to, schema, vectors)
        return
    assert file is not None
    settings = without_models(shell.settings)
    started = time.monotonic()
    known = read_places(place or (), places)
    async with opened_parts(settings) as parts:
        if shell.can_ask:
            missing = await Migration(
                parts, settings, scope=scope_of(group, user), places=known
            ).unplaced(file)
            known |= _asked_for(shell, missing)
        with shell.progress("importing") as update:
            migration = Migration(
                parts, settings, rewrite=rewrite, scope=scope_of(group, user), places=known
            )
            report = await migration.run(file, on_progress=update)
    _print(shell, file, report, time.monotonic() - started, rewrite=rewrite)
    if report.bad or report.unplaced:
        raise typer.Exit(FAILED)


async def _move(shell: Shell, to: str, schema: str | None, vectors: VectorKind | None) -> None:
    """Move the configured memory to a PostgreSQL address or a folder, and print a report."""
    from .....service.entity_data.moving import move
    from .....stores.opening import open_backend, open_queue

    here = without_models(shell.settings)
    started = time.monotonic()

    def moved() -> MoveReport:
        with ExitStack() as stack, shell.progress("moving rows") as update:
            there = _settings_of(
                here,
                to,
                schema,
                vectors,
                stack.enter_context(TemporaryDirectory(prefix="historian-")),
            )
            queues = [
                stack.enter_context(closing(open_queue(one, time.time))) for one in (here, there)
            ]
            opened = [
                stack.enter_context(closing(open_backend(*each)))
                for each in zip((here, there), queues, strict=True)
            ]
            return move(opened[0], opened[1], time.time(), update)

    report = await asyncio.to_thread(moved)
    seconds = time.monotonic() - started
    shell.result(
        {**asdict(report), "seconds": round(seconds, 3)},
        "{events} {events:event|events}, {profiles} {profiles:profile|profiles}, {articles} {articles:article|articles} and "
        "{jobs} waiting {jobs:job|jobs} moved in {seconds:.1f} s; {same} of {recalls} compared "
        "recalls gave the same result. The memory here was not changed: set the new place in the "
        "settings of every bot and worker, then start them",
        events=report.rows["events"],
        profiles=report.documents["profiles"],
        articles=report.documents["articles"],
        jobs=report.jobs,
        seconds=seconds,
        recalls=report.recalls,
        same=report.recalls - report.differing,
    )


def _settings_of(
    here: Settings, to: str, schema: str | None, vectors: VectorKind | None, scratch: str
) -> Settings:
    """Return the settings for the memory at its new place.

    For a server, the data directory is `scratch`, so that the present one is not used.
    """
    is_server = to.startswith(("postgresql://", "postgres://"))
    address: dict[str, Any] = {"url": to if is_server else "", "direct_url": "", "spool": False}
    address |= {
        "schema_name": schema or here.stores.schema_name,
        "vectors": vectors or here.stores.vectors,
    }
    folder = {"data_dir": scratch if is_server else str(Path(to).resolve())}
    changed = {
        "stores": here.stores.model_copy(update=address),
        "cognitive": here.cognitive.model_copy(update=folder),
    }
    return here.model_copy(update=changed)


def _asked_for(shell: Shell, missing: Mapping[str, int]) -> dict[str, str]:
    """Ask for the ids of places on the terminal. Return the ids by place, without empty answers."""
    from .....schema.ids import validate_id

    given: dict[str, str] = {}
    for place, count in missing.items():
        answer = shell.ask(
            "the id of {place} ({n} {n:entry|entries}; empty: leave out)", place=place, n=count
        ).strip()
        if answer:
            given[place] = validate_id(answer, place)
    return given


def _print(
    shell: Shell, file: Path, report: MigrationReport, seconds: float, *, rewrite: bool
) -> None:
    left_out = later(
        "{n} {n:entry|entries} of {place} left out: its id is not known; give it with --place"
    )
    wrong = [
        ({"where": bad.where, "error": bad.error}, f"{bad.where}: {bad.error}")
        for bad in report.bad
    ]
    for place, n in report.unplaced.items():
        unknown: dict[str, Any] = {"place": place, "entries": n, "error": "its id is not known"}
        wrong.append((unknown, say(left_out, n=n, place=place)))
    for data, what in wrong:
        if shell.json:
            shell.emit(**data)
        else:
            shell.err.print(f"{file}: {what}", soft_wrap=True, style="red", markup=False)
    numbers = {
        "taken": report.taken,
        "known": report.known,
        "forgotten": report.forgotten,
        "bad": len(report.bad),
    }
    numbers["unplaced"] = report.unplaced.total()
    shell.report({"file": str(file), "seconds": round(seconds, 3), **numbers})
    if rewrite and report.taken:
        shell.tell("They wait in the queue; a running bot or `historian worker --drain` files them")
