"""`historian export` and `historian import`: the data of a person or a group in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from .....schema.errors import ForgottenHere
from ...invocation import command
from ...opening import opened_stores
from ...shell import CommandFailed, Shell
from .forget import IdArgument, KindArgument


@command("export")
def export(
    shell: Shell,
    kind: KindArgument,
    entity_id: IdArgument,
    file: Annotated[Path, Argument(metavar="FILE.zip", help="The archive to write.")],
    force: Annotated[bool, Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Write everything of a person or a group into one archive: events, profiles with history, jobs, summaries, articles.

    A zip of JSON lines and Markdown, without vectors. For a person: what they said in every
    conversation; for a group: what everybody said in it.
    """
    from ..... import __version__
    from .....schema.entity import Entity
    from .....service.entity_data.transfer import export as write

    entity = Entity(kind, entity_id)
    with opened_stores(shell) as parts:
        manifest = write(parts, entity, file, version=__version__, replace=force)
    counts = {
        **manifest["counts"],
        "profiles": _each(manifest["profiles"]),
        "articles": _each(manifest["articles"]),
    }
    shell.report({"file": str(file), "entity": entity.key, **counts})


@command("import")
def import_file(
    shell: Shell,
    file: Annotated[Path, Argument(metavar="FILE.zip", help="An archive of `historian export`.")],
    even_forgotten: Annotated[
        bool,
        Option(
            "--even-forgotten",
            help="Also import data of a person or group that was forgotten here.",
        ),
    ] = False,
    most_mib: Annotated[
        int,
        Option(
            "--max-mib",
            metavar="MIB",
            min=1,
            help="Refuse an archive that is larger than this when unpacked.",
        ),
    ] = 64,
) -> None:
    """Import an archive. Importing it again changes nothing; existing data is never overwritten.

    From an archive of one person or group only their data is imported; data of others in it is left out and reported.

    Events are found by keyword at once, and by meaning as soon as the worker has embedded them.
    """
    from .....service.entity_data.transfer import import_archive

    with opened_stores(shell, create=True) as parts:
        try:
            report = import_archive(parts, file, even_forgotten=even_forgotten, most_mib=most_mib)
        except ForgottenHere as error:
            raise CommandFailed(str(error)) from None
    shell.report({"file": str(file), **report})


def _each(entries: list[dict[str, Any]]) -> int:
    """Return the number of profiles or articles in a manifest, which has one entry per revision."""
    return len(
        {
            tuple(value for key, value in entry.items() if key not in ("member", "revision"))
            for entry in entries
        }
    )
