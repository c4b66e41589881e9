"""`historian reembed`: change the embedding model."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ....schema.errors import InvalidInput, ModelError
from ..console import counted, fields
from ..invocation import CommandFailed, Shell, command
from ..language import both, either
from ..root import app
from .stats import named_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from ....schema.protocols import Embedder
    from ....service.components import Parts
    from ....service.upkeep.reembedding import Built, Reembedding
    from ....stores.sqlite.shadow_vectors import VectorSets

BUILD_LOCK = "reembed.lock"


@command(
    app,
    "reembed",
    zh="用配好的向量模型把一切重新算过，再一齐换过去。\n\n"
    "其间照常读记忆，用旧向量或关键词。断了就再运行一次：什么都不会算两遍。别的进程占用数据目录时，向量在旁边算好；切换要先停它。"
    "旧向量留到 --drop-old。",
)
async def reembed(
    shell: Shell,
    rollback: Annotated[
        bool,
        typer.Option(
            "--rollback",
            help=both("换回留着的旧向量。", "Go back to the kept vectors of the former model."),
            show_default=False,
        ),
    ] = False,
    drop_old: Annotated[
        bool,
        typer.Option(
            "--drop-old",
            help=both("删掉留着的旧向量。", "Delete the kept vectors of the former model."),
            show_default=False,
        ),
    ] = False,
    status: Annotated[
        bool,
        typer.Option("--status", help=both("只说有哪些模型的向量。", "Only tell whose vectors there are."), show_default=False),
    ] = False,
) -> None:
    """Embed everything anew with the configured model, then change over at once.

    Memory is read on meanwhile, with the former vectors or by keywords. Run it again after an interruption: nothing is
    embedded twice. Where another process owns the data directory, the vectors are made beside it; it has to be stopped for
    the change itself. The former vectors are kept until --drop-old.
    """
    if rollback + drop_old + status > 1:
        raise InvalidInput(
            either("--rollback、--drop-old、--status 只说一个", "--rollback, --drop-old and --status: say one of them")
        )
    if not shell.needs_data():
        return
    from ....models.embeddings.factory import make_embedder
    from ..opening import without_models

    embedder = None if status or drop_old or rollback else make_embedder(shell.settings.models.embedding)
    parts = _parts(without_models(shell.settings))
    try:
        if status:
            _print_sets(shell, parts.shadow.sets())
        elif drop_old:
            with _owned(parts, shell.directory, either("删旧向量", "dropping the former vectors")):
                dropped = parts.shadow.drop_old()
            _say(shell, _dropped(dropped), dropped=dropped)
        elif rollback:
            with _owned(parts, shell.directory, either("换回去", "going back")):
                model, dimension = parts.shadow.roll_back()
                _rebuild(shell, parts)
            lacking = parts.events.count() - parts.events.embedded_count()
            _say(
                shell,
                either(
                    f"搜索又用 {model}（{dimension} 维）的向量了；还有 {lacking} 条新记录要算。启动机器人之前，"
                    "请在 [models.embedding] 里配上那个模型",
                    f"searches read the vectors of {model} ({dimension} dimensions) again; {counted(lacking, 'newer record')} to "
                    "be embedded. Configure that model in [models.embedding] before you start the bot",
                ),
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
    from ....schema.errors import OwnerLockHeld
    from ....service.upkeep.reembedding import KeptModel, Reembedding, SameModel, new_embedder
    from ....stores.files.owner_lock import OwnerLock

    embedder = new_embedder(made)
    lock = OwnerLock(shell.directory)
    work = Reembedding(parts.shadow, parts.events, parts.profiles, embedder)
    with ExitStack() as stack:
        stack.enter_context(_alone(shell.directory))
        try:
            lock.acquire(time.time())
            stack.enter_context(lock)
        except OwnerLockHeld as error:
            shell.err.print(
                either(
                    f"在占用的进程旁边算向量，不打扰它：{error}",
                    f"the vectors are made beside the owner, which is not disturbed: {error}",
                ),
                soft_wrap=True,
            )
        started = time.monotonic()
        try:
            built = await _build(shell, work)
        except SameModel as error:
            _say(shell, either(f"没有要做的：{error}", f"nothing to do: {error}"), changed=False)
            return
        except KeptModel as error:
            if not lock.is_held:
                raise CommandFailed(
                    either(f"{error}；这只有占用的进程能做，请先停掉它", f"{error}; that is for the owner alone, stop it first")
                ) from None
            parts.shadow.roll_back()
            await work.complete()
            _rebuild(shell, parts)
            kept = either(
                "这个模型的向量还留着：搜索又用它们了，新记录也已算好",
                "the vectors of this model were kept: searches read them again, newer records are embedded",
            )
            _say(shell, kept, changed=True)
            return
        except ModelError as error:
            sets = parts.shadow.sets()
            raise CommandFailed(
                either(
                    f"{error} {sets.events} 条里已算好 {sets.next_done} 条并留着；再运行一次就接着算，不会付两次钱",
                    f"{error} {sets.next_done} of {sets.events} are done and kept; run this again to go on, nothing is paid "
                    "twice",
                )
            ) from None
        if not lock.is_held:
            _try_again(lock, stack, built)
        parts.shadow.change_over()
        await work.complete()
        _rebuild(shell, parts)
    _report(shell, built, time.monotonic() - started)


async def _build(shell: Shell, work: Reembedding) -> Built:
    progress = Progress(
        TextColumn(either("算向量", "embedding")),
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
    from ....schema.errors import OwnerLockHeld

    try:
        lock.acquire(time.time())
    except OwnerLockHeld as error:
        raise CommandFailed(
            either(
                f"{built.found + built.made} 个向量都算好并留着，但只有占用的进程能切换：{error}。停掉它再运行一次："
                "什么都不会算两遍，切换只要一会儿",
                f"all {built.found + built.made} vectors are made and kept, but only the owner may change over: {error}. Stop "
                "it and run this again: nothing is embedded twice, the change takes a moment",
            )
        ) from None
    stack.enter_context(lock)


def _alone(directory: Path) -> Any:
    """Two processes must not pay for the same vectors."""
    from filelock import FileLock, Timeout

    lock = FileLock(directory / BUILD_LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise CommandFailed(
            either(
                "另一个 `historian reembed` 正在这个目录上工作；等它做完，或停掉它",
                "another `historian reembed` is at work on this directory; wait for it, or stop it",
            )
        ) from None
    except OSError as error:
        place = directory / BUILD_LOCK
        raise CommandFailed(
            either(
                f"{place} 锁不上（{error}）；请让这个用户能在那里写",
                f"{place} cannot be locked ({error}); let this user write there",
            )
        ) from None
    return _released(lock)


def _released(lock: Any) -> ExitStack:
    stack = ExitStack()
    stack.callback(lock.release)
    return stack


def _owned(parts: Parts, directory: Path, doing: str) -> Any:
    from ....schema.errors import OwnerLockHeld
    from ....stores.files.owner_lock import OwnerLock

    lock = OwnerLock(directory)
    try:
        lock.acquire(time.time())
    except OwnerLockHeld as error:
        raise CommandFailed(either(f"{doing}只有占用的进程能做：{error}", f"{doing} is for the owner alone: {error}")) from None
    return lock


def _rebuild(shell: Shell, parts: Parts) -> None:
    """Chroma from the truth. What goes wrong here the next worker mends."""
    from ....schema.errors import StorageError
    from ....service.components import open_vector_index
    from ....stores.chroma.repair import repair

    index = open_vector_index(shell.directory)
    try:
        index.reset()
        repair(parts.events, index)
    except StorageError as error:
        shell.err.print(
            either(f"派生的索引由下一次后台运行重建：{error}", f"the derived index is rebuilt by the next worker: {error}"),
            soft_wrap=True,
        )
    finally:
        index.close()


def _parts(settings: Any) -> Parts:
    from ....service.components import open_parts, open_queue

    return open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)


def _print_sets(shell: Shell, sets: VectorSets) -> None:
    if shell.json:
        shell.emit(**asdict(sets))
        return

    def named(fingerprint: tuple[str, int] | None) -> str:
        if fingerprint is None:
            return either("没有", "none")
        return named_vectors(fingerprint[0] or either("未命名", "unnamed"), fingerprint[1])

    done = either(f"：{sets.events} 条里的 {sets.next_done} 条", f": {sets.next_done} of {sets.events}")

    shell.out.print(
        fields(
            {
                either("在用", "in use"): named(sets.used),
                either("在算", "being made"): named(sets.next) + (done if sets.next else ""),
                either("留着", "kept"): named(sets.kept) + (f"{either('：', ': ')}{sets.kept_count}" if sets.kept else ""),
            }
        )
    )


def _report(shell: Shell, built: Built, seconds: float) -> None:
    model, dimension = built.fingerprint
    again = either(f"，已有 {built.found} 个", f", {built.found} found made") if built.found else ""
    by_keywords = either(
        f"；{built.skipped} 条记录只能按关键词找", f"; {counted(built.skipped, 'record')} found by keywords only"
    )
    skipped = by_keywords if built.skipped else ""
    _say(
        shell,
        either(
            f"搜索改用 {model}（{dimension} 维）的向量：算了 {built.made} 个{again}，画像 {built.profiles} 幅，{seconds:.1f} 秒"
            f"{skipped}。旧的留着：`--rollback` 换回去，`--drop-old` 删掉",
            f"searches read the vectors of {model} ({dimension} dimensions): {built.made} made{again}, "
            f"{counted(built.profiles, 'profile')}, {seconds:.1f} s{skipped}. The former ones are kept: `--rollback` goes "
            "back, `--drop-old` deletes them",
        ),
        changed=True,
        seconds=round(seconds, 3),
        **asdict(built),
    )


def _dropped(count: int) -> str:
    return either(f"已删掉 {count} 个旧模型的向量", f"{counted(count, 'vector')} of a former model deleted")


def _say(shell: Shell, text: str, **values: Any) -> None:
    if shell.json:
        shell.emit(**values)
    shell.say(text)
