"""`historian reembed`: change the embedding model."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ...schema.errors import InvalidInput, ModelError
from .console import counted, fields
from .invocation import CommandFailed, Shell, command
from .root import app

if TYPE_CHECKING:
    from pathlib import Path

    from ...schema.protocols import Embedder
    from ...service.parts import Parts
    from ...service.reembedding import Built, Reembedding
    from ...stores.shadow_vectors import VectorSets

BUILD_LOCK = "reembed.lock"


@command(app, "reembed")
async def reembed(
    shell: Shell,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Go back to the kept vectors of the former model.", show_default=False)
    ] = False,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Delete the kept vectors of the former model.", show_default=False)
    ] = False,
    status: Annotated[bool, typer.Option("--status", help="Only tell whose vectors there are.", show_default=False)] = False,
) -> None:
    """Embed everything anew with the configured model, then change over at once.

    Memory is read on meanwhile, with the former vectors or by keywords. Run it again after an interruption: nothing is
    embedded twice. Where another process owns the data directory, the vectors are made beside it; it has to be stopped for
    the change itself. The former vectors are kept until --drop-old.
    """
    if rollback + drop_old + status > 1:
        raise InvalidInput("--rollback, --drop-old and --status: say one of them")
    if not shell.needs_data():
        return
    from ...models.embeddings import make_embedder
    from .opening import without_models

    embedder = None if status or drop_old or rollback else make_embedder(shell.settings.models.embedding)
    parts = _parts(without_models(shell.settings))
    try:
        if status:
            _print_sets(shell, parts.shadow.sets())
        elif drop_old:
            with _owned(parts, shell.directory, "dropping the former vectors"):
                dropped = parts.shadow.drop_old()
            _say(shell, f"{counted(dropped, 'vector')} of a former model deleted", dropped=dropped)
        elif rollback:
            with _owned(parts, shell.directory, "going back"):
                model, dimension = parts.shadow.roll_back()
                _rebuild(shell, parts)
            lacking = parts.events.count() - parts.events.embedded_count()
            _say(
                shell,
                f"searches read the vectors of {model} ({dimension} dimensions) again; {counted(lacking, 'newer record')} to be "
                "embedded. Configure that model in [models.embedding] before you start the bot",
                model=model,
                dimension=dimension,
                lacking=lacking,
            )
        else:
            await _change(shell, parts, embedder)
    finally:
        await parts.aclose()
        if embedder is not None:
            await embedder.aclose()


async def _change(shell: Shell, parts: Parts, made: Embedder | None) -> None:
    """Build, beside an owner if there is one; change over as the owner."""
    from ...schema.errors import OwnerLockHeld
    from ...service.reembedding import KeptModel, Reembedding, SameModel, new_embedder
    from ...stores.owner_lock import OwnerLock

    embedder = new_embedder(made)
    lock = OwnerLock(shell.directory)
    work = Reembedding(parts.shadow, parts.events, parts.profiles, embedder)
    with ExitStack() as stack:
        stack.enter_context(_alone(shell.directory))
        try:
            lock.acquire(time.time())
            stack.enter_context(lock)
        except OwnerLockHeld as error:
            shell.err.print(f"the vectors are made beside the owner, which is not disturbed: {error}", soft_wrap=True)
        started = time.monotonic()
        try:
            built = await _build(shell, work)
        except SameModel as error:
            _say(shell, f"nothing to do: {error}", changed=False)
            return
        except KeptModel as error:
            if not lock.is_held:
                raise CommandFailed(f"{error}; that is for the owner alone, stop it first") from None
            parts.shadow.roll_back()
            await work.complete()
            _rebuild(shell, parts)
            _say(shell, "the vectors of this model were kept: searches read them again, newer records are embedded", changed=True)
            return
        except ModelError as error:
            sets = parts.shadow.sets()
            raise CommandFailed(
                f"{error} {sets.next_done} of {sets.events} are done and kept; run this again to go on, nothing is paid twice"
            ) from None
        if not lock.is_held:
            _try_again(lock, stack, built)
        parts.shadow.change_over()
        await work.complete()
        _rebuild(shell, parts)
    _report(shell, built, time.monotonic() - started)


async def _build(shell: Shell, work: Reembedding) -> Built:
    progress = Progress(
        TextColumn("embedding"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=shell.err,
        transient=True,
        disable=shell.json or not shell.err.is_terminal,
    )
    with progress:
        task = progress.add_task("", total=None)
        return await work.build(on_progress=lambda done, total: progress.update(task, completed=done, total=total))


def _try_again(lock: Any, stack: ExitStack, built: Built) -> None:
    """The owner may have ended while the vectors were made."""
    from ...schema.errors import OwnerLockHeld

    try:
        lock.acquire(time.time())
    except OwnerLockHeld as error:
        raise CommandFailed(
            f"all {built.found + built.made} vectors are made and kept, but only the owner may change over: {error}. Stop it "
            "and run this again: nothing is embedded twice, the change takes a moment"
        ) from None
    stack.enter_context(lock)


def _alone(directory: Path) -> Any:
    """Two processes must not pay for the same vectors."""
    from filelock import FileLock, Timeout

    lock = FileLock(directory / BUILD_LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise CommandFailed("another `historian reembed` is at work on this directory; wait for it, or stop it") from None
    except OSError as error:
        raise CommandFailed(f"{directory / BUILD_LOCK} cannot be locked ({error}); let this user write there") from None
    return _released(lock)


def _released(lock: Any) -> ExitStack:
    stack = ExitStack()
    stack.callback(lock.release)
    return stack


def _owned(parts: Parts, directory: Path, doing: str) -> Any:
    from ...schema.errors import OwnerLockHeld
    from ...stores.owner_lock import OwnerLock

    lock = OwnerLock(directory)
    try:
        lock.acquire(time.time())
    except OwnerLockHeld as error:
        raise CommandFailed(f"{doing} is for the owner alone: {error}") from None
    return lock


def _rebuild(shell: Shell, parts: Parts) -> None:
    """Chroma from the truth. What goes wrong here the next worker mends."""
    from ...schema.errors import StorageError
    from ...service.parts import open_vector_indexes
    from ...stores.index_repair import repair, repair_portraits

    indexes = open_vector_indexes(shell.directory)
    try:
        indexes.events.reset()
        indexes.portraits.reset()
        repair(parts.events, indexes.events)
        repair_portraits(parts.profile_index, indexes.portraits)
    except StorageError as error:
        shell.err.print(f"the derived index is rebuilt by the next worker: {error}", soft_wrap=True)
    finally:
        indexes.close()


def _parts(settings: Any) -> Parts:
    from ...service.parts import open_parts, open_queue

    return open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)


def _print_sets(shell: Shell, sets: VectorSets) -> None:
    if shell.json:
        shell.emit(**asdict(sets))
        return

    def named(fingerprint: tuple[str, int] | None) -> str:
        return "none" if fingerprint is None else f"{fingerprint[0] or 'unnamed'}, {fingerprint[1]} dimensions"

    shell.out.print(
        fields(
            {
                "in use": named(sets.used),
                "being made": f"{named(sets.next)}" + (f": {sets.next_done} of {sets.events}" if sets.next else ""),
                "kept": f"{named(sets.kept)}" + (f": {sets.kept_count}" if sets.kept else ""),
            }
        )
    )


def _report(shell: Shell, built: Built, seconds: float) -> None:
    model, dimension = built.fingerprint
    again = f", {built.found} found made" if built.found else ""
    skipped = f"; {counted(built.skipped, 'record')} found by keywords only" if built.skipped else ""
    _say(
        shell,
        f"searches read the vectors of {model} ({dimension} dimensions): {built.made} made{again}, "
        f"{counted(built.portraits, 'portrait')}, {seconds:.1f} s{skipped}. The former ones are kept: `--rollback` goes back, "
        "`--drop-old` deletes them",
        changed=True,
        seconds=round(seconds, 3),
        **asdict(built),
    )


def _say(shell: Shell, text: str, **values: Any) -> None:
    if shell.json:
        shell.emit(**values)
    shell.say(text)
