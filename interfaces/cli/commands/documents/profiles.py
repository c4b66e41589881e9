"""`historian profile`: lists, shows and exports profiles, and manages their revisions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text
from typer import Argument, Option

from .....service.inspection.json_data import profile_data
from ....lookups import PUBLIC, named_profile
from ....revisions import KeptRevisions, profile_revisions
from ...console import minute, plain, short
from ...invocation import command, group
from ...language import later, say
from ...opening import opened_stores
from ...revisions import add_revision_commands
from ...shell import Shell

if TYPE_CHECKING:
    from .....schema.profile import Profile, ProfileLine

profile = group("profile", "Profiles of people and groups, and their revisions.")

EntityArgument = Annotated[
    str, Argument(metavar="user:ID|group:ID", help="Whose profile, such as user:42.")
]
LayerOption = Annotated[
    str | None,
    Option(
        "--layer",
        metavar="LAYER",
        help="The layer, if a profile has several: public, private, or g:ID.",
    ),
]


@command("list", profile)
def list_profiles(shell: Shell) -> None:
    """List all profiles."""
    shell.end_without_data()
    with opened_stores(shell) as parts:
        found = [
            one
            for key in parts.profiles.keys()  # noqa: SIM118 - no dict
            if (one := parts.profiles.read(key)) is not None
        ]
    shell.rows(
        found,
        profile_data,
        "profile|layer|name|revision|updated|content",
        lambda one: (
            one.key.entity,
            one.key.layer or PUBLIC,
            one.name,
            str(one.revision),
            minute(one.updated_at),
            short(_in_short(one), 120),
        ),
        empty="no profiles yet",
    )


@command("show", profile)
def show_profile(shell: Shell, entity: EntityArgument, layer: LayerOption = None) -> None:
    """Show a profile, line by line: all of its layers, or one."""
    with opened_stores(shell) as parts:
        found = named_profile(parts, entity, layer)
    for one in found:
        if shell.json:
            shell.emit(**profile_data(one))
            continue
        place = say(
            "{entity}, layer {layer}, revision {n}",
            entity=one.key.entity,
            layer=one.key.layer or PUBLIC,
            n=one.revision,
        )
        shell.out.print(
            Text.assemble(
                (plain(one.name or one.key.entity_id), "bold"), (f"  {plain(place)}", "dim")
            )
        )
        if one.tags:
            shell.out.print(Text(plain(", ".join(one.tags)), style="cyan"))
        shell.table(LINE_COLUMNS, map(line_cells, one.lines))
        shell.out.print()


LINE_COLUMNS = later("line|kind|day|mentions|evidence|text (★ pinned, × ended)")


def line_cells(line: ProfileLine) -> tuple[str, ...]:
    """Return a profile line as a table row."""
    marks = f"{'★ ' if line.pinned else ''}{'× ' if line.until else ''}"
    until = f" ({say('until {day}', day=minute(line.until))})" if line.until else ""
    counts = str(line.told), str(len(line.evidence))
    return line.line_id, line.kind, line.last_day, *counts, f"{marks}{plain(line.text)}{until}"


@command("export", profile)
def export_profiles(
    shell: Shell,
    folder: Annotated[Path, Argument(metavar="FOLDER", help="A new folder, or an empty one.")],
) -> None:
    """Write all profiles into a folder, as Markdown files for reading.

    One file per profile and layer, named as in a data directory: users/1001.md, users/1001@private.md, groups/7001.md.
    """
    from .....stores.tables.profiles import write_view

    with opened_stores(shell) as parts:
        written = write_view(parts.profiles, folder)
    shell.result(
        {"profiles": written},
        "{n} {n:profile|profiles} written into {folder}",
        n=written,
        folder=str(folder),
    )


def _in_short(one: Profile) -> str:
    return "; ".join(line.dated_text for line in one.lines)


def _revisions(shell: Shell, entity: str, layer: str | None) -> KeptRevisions[Profile]:
    with opened_stores(shell) as parts:
        return profile_revisions(parts, entity, layer)


add_revision_commands(
    profile,
    {"entity": EntityArgument, "layer": LayerOption},
    _revisions,
    profile_data,
    later("revision|written|cause|content"),
    lambda one: (one.source_event_id, _in_short(one)),
)
