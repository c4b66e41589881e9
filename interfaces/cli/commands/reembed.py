"""`historian reembed`: changes the embedding model."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ..invocation import CommandFailed, Shell, WrongUse, command
from ..language import later
from ..opening import opened_parts, without_models

if TYPE_CHECKING:
    from ....service.components import Parts
    from ....service.upkeep.reembedding import Built


@command("reembed")
async def reembed(
    shell: Shell,
    rollback: Annotated[
        bool, Option("--rollback", help="Go back to the kept vectors of the former model.")
    ] = False,
    drop_old: Annotated[
        bool, Option("--drop-old", help="Delete the kept vectors of the former model.")
    ] = False,
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
                shell.report(asdict(parts.backend.shadow.sets()))
            elif drop_old:
                count = drop_former(parts)
                shell.result(
                    {"dropped": count}, "{n} {n:vector|vectors} of a former model deleted", n=count
                )
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
        raise WrongUse(
            "no embedding model is configured; name it in [models.embedding], then run this again"
        )
    try:
        with shell.progress("embedding events") as update:
            change = await change_model(parts, embedder, on_progress=update)
    finally:
        await embedder.aclose()
    if change.built is not None:
        _report(shell, change.built, change.seconds)
    elif change.outcome == "kept":
        kept = later(
            "the vectors of this model were kept: searches read them again, newer events are embedded"
        )
        shell.result({"changed": True}, kept)
    else:
        values = {"model": change.fingerprint[0], "dimension": change.fingerprint[1]}
        same = later(
            "nothing to do: the stored vectors were made by {model} with {dimension} dimensions already"
        )
        shell.result({"changed": False}, same, **values)


def _report(shell: Shell, built: Built, seconds: float) -> None:
    shell.report({"changed": True, "seconds": round(seconds, 3), **asdict(built)})
    shell.tell("The former vectors are kept: `--rollback` goes back, `--drop-old` deletes them")
