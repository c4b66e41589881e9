"""`historian reembed`: changes the embedding model."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ..invocation import command
from ..language import later
from ..opening import opened_parts, without_models
from ..shell import CommandFailed, Shell, WrongUse

if TYPE_CHECKING:
    from ....service.components import Parts
    from ....service.upkeep.reembedding import Built


@command("reembed")
async def reembed(
    shell: Shell,
    rollback: Annotated[
        bool, Option("--rollback", help="Switch back to the vectors of the former model.")
    ] = False,
    drop_old: Annotated[
        bool, Option("--drop-old", help="Delete the vectors of the former model.")
    ] = False,
    status: Annotated[
        bool, Option("--status", help="Only list the models whose vectors are stored.")
    ] = False,
) -> None:
    """Embed all texts with the configured model, then switch to the new vectors in one step.

    Meanwhile memory is searched with the former vectors or by keywords. After an interruption run
    it again: nothing is embedded twice. If another process owns the data directory, the vectors
    are computed while it runs; it must be stopped only for the switch. The former vectors are kept
    until --drop-old.
    """
    if rollback + drop_old + status > 1:
        raise WrongUse("give only one of --rollback, --drop-old and --status")
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
                    "searches use the vectors of {model} ({dimension} dimensions) again; {lacking} "
                    "newer {lacking:event|events} will be embedded. Configure that model in "
                    "[models.embedding] before you start the bot",
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
            "no embedding model is configured; set it in [models.embedding], then run this again"
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
            "the vectors of this model were still stored: searches use them again, and newer "
            "events were embedded"
        )
        shell.result({"changed": True}, kept)
    else:
        values = {"model": change.fingerprint[0], "dimension": change.fingerprint[1]}
        same = later(
            "nothing to do: the stored vectors are already from {model} ({dimension} dimensions)"
        )
        shell.result({"changed": False}, same, **values)


def _report(shell: Shell, built: Built, seconds: float) -> None:
    shell.report({"changed": True, "seconds": round(seconds, 3), **asdict(built)})
    shell.tell(
        "The former vectors are kept: `--rollback` switches back to them, `--drop-old` deletes them"
    )
