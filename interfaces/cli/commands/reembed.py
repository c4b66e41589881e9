"""`historian reembed`: change the embedding model."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ..invocation import CommandFailed, Shell, WrongUse, command
from ..language import later, say
from ..opening import opened_parts, without_models
from .stats import VECTORS

if TYPE_CHECKING:
    from ....schema.protocols import Fingerprint
    from ....service.components import Parts
    from ....service.upkeep.reembedding import Built
    from ....stores.tables.events.shadow_vectors import VectorSets


@command("reembed")
async def reembed(
    shell: Shell,
    rollback: Annotated[bool, Option("--rollback", help="Go back to the kept vectors of the former model.")] = False,
    drop_old: Annotated[bool, Option("--drop-old", help="Delete the kept vectors of the former model.")] = False,
    status: Annotated[bool, Option("--status", help="Only tell whose vectors there are.")] = False,
) -> None:
    """Embed everything anew with the configured model, then change over at once.

    Memory is read on meanwhile, with the former vectors or by keywords. Run it again after an interruption: nothing is
    embedded twice. Where another process owns the data directory, the vectors are made beside it; it has to be stopped for
    the change itself. The former vectors are kept until --drop-old.
    """
    if rollback + drop_old + status > 1:
        raise WrongUse("--rollback, --drop-old and --status: say one of them")
    shell.end_without_data()
    from ....service.upkeep.reembedding import ReembeddingStopped, drop_former, go_back

    async with opened_parts(without_models(shell.settings)) as parts:
        try:
            if status:
                _print_sets(shell, parts.backend.shadow.sets())
            elif drop_old:
                count = drop_former(parts)
                shell.result({"dropped": count}, "{n} {n:vector|vectors} of a former model deleted", n=count)
            elif rollback:
                former = asdict(go_back(parts))
                shell.result(
                    former,
                    "searches read the vectors of {model} ({dimension} dimensions) again; {lacking} newer "
                    "{lacking:event|events} to be embedded. Configure that model in [models.embedding] before you start the bot",
                    **former,
                )
            else:
                await _change(shell, parts)
        except ReembeddingStopped as error:
            raise CommandFailed(error.template, **error.values) from None


async def _change(shell: Shell, parts: Parts) -> None:
    from ....models.embeddings.factory import make_embedder
    from ....service.upkeep.reembedding import change_model

    embedder = make_embedder(shell.settings.models.embedder)
    if embedder is None:
        raise WrongUse("no embedding model is configured; name it in [models.embedding], then run this again")
    try:
        with shell.progress("embedding events") as update:
            change = await change_model(parts, embedder, on_progress=update)
    finally:
        await embedder.aclose()
    if change.built is not None:
        _report(shell, change.built, change.seconds)
    elif change.outcome == "kept":
        kept = later("the vectors of this model were kept: searches read them again, newer events are embedded")
        shell.result({"changed": True}, kept)
    else:
        values = {"model": change.fingerprint[0], "dimension": change.fingerprint[1]}
        same = later("nothing to do: the stored vectors were made by {model} with {dimension} dimensions already")
        shell.result({"changed": False}, same, **values)


def _print_sets(shell: Shell, sets: VectorSets) -> None:
    made = say(": {done} of {total} events", done=sets.next_done, total=sets.events) if sets.next else ""
    kept = say(": {n}", n=sets.kept_count) if sets.kept else ""
    shell.answer(
        asdict(sets), {"in use": _named(sets.used), "being made": _named(sets.next) + made, "kept": _named(sets.kept) + kept}
    )


def _named(fingerprint: Fingerprint | None) -> str:
    if fingerprint is None:
        return say("none")
    return say(VECTORS, model=fingerprint[0] or say("unnamed"), dimension=fingerprint[1])


def _report(shell: Shell, built: Built, seconds: float) -> None:
    model, dimension = built.fingerprint
    counts = asdict(built)
    again = say(", {n} found made", n=built.found) if built.found else ""
    skipped = say("; {n} {n:event|events} found by keywords only", n=built.skipped) if built.skipped else ""
    shell.result(
        {"changed": True, "seconds": round(seconds, 3), **counts},
        "searches read the vectors of {model} ({dimension} dimensions): {made} made{again}, {profiles} "
        "{profiles:profile|profiles}, {seconds:.1f} s{skipped}. The former ones are kept: `--rollback` goes back, "
        "`--drop-old` deletes them",
        **{**counts, "model": model, "dimension": dimension, "again": again, "seconds": seconds, "skipped": skipped},
    )
