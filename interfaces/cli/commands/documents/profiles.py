"""`historian profile`: the profiles of people and groups, and their revisions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from rich.text import Text
from typer import Argument, Option

from .....service.inspection.json_data import profile_data, profile_lines
from ....revisions import PUBLIC, profile_layers
from ...console import minute, plain, short
from ...invocation import CommandFailed, Shell, WrongUse, command, group
from ...language import later, say
from ...opening import opened_stores
from ...revisions import RevisionCommands

if TYPE_CHECKING:
    from .....schema.entity import Entity
    from .....schema.profile import Profile, ProfileLine
    from .....schema.scope import EntityType

profile = group("profile", "Profiles of people and groups, and their revisions.")

EntityArgument = Annotated[str, Argument(metavar="user:ID|group:ID", help="Whose profile, such as user:42.")]
LayerOption = Annotated[
    str | None, Option("--layer", metavar="LAYER", help="public, private, or g:ID, where a profile has several layers.")
]


@command("list", profile)
def list_profiles(shell: Shell) -> None:
    """List all profiles."""
    shell.end_without_data()
    with opened_stores(shell) as parts:
        found = [one for key in parts.profiles.keys() if (one := parts.profiles.read(key)) is not None]  # noqa: SIM118 - no dict
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
    for one in _read(shell, entity, layer):
        if shell.json:
            shell.emit(**profile_data(one))
            continue
        place = say("{entity}, layer {layer}, revision {n}", entity=one.key.entity, layer=one.key.layer or PUBLIC, n=one.revision)
        shell.out.print(Text.assemble((plain(one.name or one.key.entity_id), "bold"), (f"  {plain(place)}", "dim")))
        if one.tags:
            shell.out.print(Text(plain(", ".join(one.tags)), style="cyan"))
        shell.table(LINE_COLUMNS, map(line_cells, one.lines))
        shell.out.print()


LINE_COLUMNS = later("line|kind|day|told|rests on|text (★ pinned, × over)")


def line_cells(line: ProfileLine) -> tuple[str, ...]:
    """Return a line of a profile as a row for people."""
    marks = f"{'★ ' if line.pinned else ''}{'× ' if line.until else ''}"
    until = f" ({say('until {day}', day=minute(line.until))})" if line.until else ""
    counts = str(line.told), str(len(line.evidence))
    return line.line_id, line.kind, line.last_day, *counts, f"{marks}{plain(line.text)}{until}"


@command("export", profile)
def export_profiles(
    shell: Shell, folder: Annotated[Path, Argument(metavar="FOLDER", help="A new folder, or an empty one.")]
) -> None:
    """Write all profiles into a folder, as Markdown files to be read.

    One file a profile and layer, as a memory in files keeps them: users/1001.md, users/1001@private.md, groups/7001.md.
    """
    from .....stores.tables.documents import write_view

    written = 0
    if shell.needs_data():
        with opened_stores(shell) as parts:
            written = write_view(parts.profiles, folder)
    shell.result({"profiles": written}, "{n} {n:profile|profiles} written into {folder}", n=written, folder=str(folder))


def _revisions(shell: Shell, whose: Mapping[str, Any]) -> list[Profile]:
    current, *more = _read(shell, **whose)
    if more:
        layers = ", ".join(one.key.layer or PUBLIC for one in (current, *more))
        raise WrongUse(
            "profile {entity!r} has several layers; say which with --layer: {layers}", entity=whose["entity"], layers=layers
        )
    with opened_stores(shell) as parts:
        return [current, *parts.profiles.history(current.key)]


def _named(entity: str) -> Entity:
    """Return the user or the group of `user:42` or `group:7`. Raises InvalidInput."""
    from .....schema.entity import Entity

    entity_type, colon, entity_id = entity.partition(":")
    if not colon or entity_type not in ("user", "group"):
        is_bare = entity.isalnum() and len(entity) <= 40
        such = say("user:{id} or group:{id}", id=entity) if is_bare else "user:42"
        raise WrongUse("{entity!r} names no profile; write user:ID or group:ID, such as {such}", entity=entity, such=such)
    return Entity(cast("EntityType", entity_type), entity_id)


def _in_short(one: Profile) -> str:
    return "; ".join(line.dated_text for line in one.lines)


def _read(shell: Shell, entity: str, layer: str | None) -> list[Profile]:
    """Return the layers of a profile, or one of them. Raises CommandFailed for none."""
    whose = _named(entity)
    if shell.needs_data():
        with opened_stores(shell) as parts:
            if found := profile_layers(parts, whose, layer):
                return found
    if layer is None:
        raise CommandFailed("there is no profile {entity!r}; `historian profile list` shows those that exist", entity=entity)
    raise CommandFailed(
        "there is no layer {layer!r} of profile {entity!r}; `historian profile list` shows those that exist",
        layer=layer,
        entity=entity,
    )


RevisionCommands["Profile"](
    whose={"entity": EntityArgument, "layer": LayerOption},
    reason=later("revision|written|because of|content"),
    rollback="rollback",
    read=_revisions,
    name=lambda one: repr(one.key.entity),
    identity=lambda one: {"entity": one.key.entity, "layer": one.key.layer},
    payload=lambda one: {"entity_type": one.key.entity_type, "entity_id": one.key.entity_id, "layer": one.key.layer},
    data=profile_data,
    lines=profile_lines,
    source=lambda one: one.source_event_id,
    summary=_in_short,
).register(profile)
