"""`historian export` and `historian import`: the memory of a person or a group as one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from .....schema.errors import ForgottenHere
from ....texts import NAMES
from ...invocation import CommandFailed, Shell, command
from ...language import listed, say
from ...opening import opened_stores
from .forget import IdArgument, KindArgument

PARTS: Mapping[str, str] = NAMES["command_line"]["archive"]
"""The parts of an archive, by their names for people."""


@command("export")
def export(
    shell: Shell,
    kind: KindArgument,
    entity_id: IdArgument,
    file: Annotated[Path, Argument(metavar="FILE.zip", help="The archive to write.")],
    force: Annotated[bool, Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Write everything of a person or a group into one archive: events, profiles with history, jobs, summaries, articles.

    A zip of JSON lines and Markdown, without vectors. Of a person: what they said in every conversation; of a group: what
    everybody said there.
    """
    from ..... import __version__
    from .....schema.entity import Entity
    from .....service.entity_data.transfer import export as write

    entity = Entity(kind, entity_id)
    with opened_stores(shell) as parts:
        manifest = write(parts, entity, file, version=__version__, replace=force)
    counts = {**manifest["counts"], "profiles": _each(manifest["profiles"]), "articles": _each(manifest["articles"])}
    shown = {name: counts[key] for key, name in PARTS.items()}
    shell.answer({"file": str(file), "entity": entity.key, **counts}, {"written": file, "of": entity.key, **shown})


@command("import")
def import_file(
    shell: Shell,
    file: Annotated[Path, Argument(metavar="FILE.zip", help="An archive of `historian export`.")],
    even_forgotten: Annotated[bool, Option("--even-forgotten", help="Bring back who was forgotten here, too.")] = False,
    most_mib: Annotated[
        int, Option("--max-mib", metavar="MIB", min=1, help="Refuse an archive that is larger than this when unpacked.")
    ] = 64,
) -> None:
    """Bring back what an archive holds. The same archive again changes nothing; what is there is never overwritten.

    An archive of one person or group writes what is theirs; what it holds of others is left out and named.

    Events are found by keyword at once, and by meaning as soon as the worker has embedded them.
    """
    from .....service.entity_data.transfer import import_archive

    with opened_stores(shell, create=True) as parts:
        try:
            report = asdict(import_archive(parts, file, even_forgotten=even_forgotten, most_mib=most_mib))
        except ForgottenHere as error:
            raise CommandFailed(str(error)) from None
    if shell.json:
        shell.emit(file=str(file), **report)
        return
    shown = {"jobs": say("{n} put into the queue", n=report["jobs"]), "summaries": say("{n} added", n=report["summaries"])}
    for what in ("events", "profiles", "articles", "dated_summaries", "buffered_states"):
        different = report[f"different_{what}"]
        shown[what] = say("{new} added, {known} known", new=report[what], known=report[f"known_{what}"])
        if different:
            n = different if isinstance(different, int) else len(different)
            shown[what] += say(", {n} {n:differs and stays as it is|differ and stay as they are}", n=n)
    refused = listed([f"{n} {what}" for what, n in report["refused"].items()])
    shell.fields(
        {
            "of": report["entity"],
            **{name: shown[key] for key, name in PARTS.items() if key in shown},
            **({"left out": refused} if refused else {}),
        }
    )


def _each(entries: list[dict[str, Any]]) -> int:
    """Return how many profiles or articles the entries of a manifest are: each revision has one."""
    return len({tuple(value for key, value in entry.items() if key not in ("member", "revision")) for entry in entries})
