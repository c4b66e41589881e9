"""`historian profile`: the portraits of people and groups, and their revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.text import Text

from ...schema.errors import InvalidInput
from .console import plain, short, table
from .invocation import CommandFailed, Shell, command, group
from .opening import opened_stores
from .orders import give_order
from .revision_diff import print_diff, unified
from .root import app

if TYPE_CHECKING:
    from ...schema.profile import Profile, ProfileKey
    from ...schema.protocols import ProfileStorage
    from ...schema.scope import EntityType

profile = group(app, "profile", "Portraits of people and groups, and their revisions.")

PUBLIC = "public"
"""How the layer "" is called on the command line."""

EntityArgument = Annotated[str, typer.Argument(metavar="user:ID|group:ID", help="Whose portrait, such as user:42.")]
LayerOption = Annotated[
    str | None,
    typer.Option(
        "--layer", metavar="LAYER", help="public, private, or g:ID, where a portrait has several layers.", show_default=False
    ),
]


@command(profile, "list")
def list_profiles(shell: Shell) -> None:
    """List all portraits."""
    if not shell.needs_data():
        return
    with opened_stores(shell) as parts:
        found = [one for key in parts.profiles.keys() if (one := parts.profiles.read(key)) is not None]  # noqa: SIM118
    if shell.json:
        for one in found:
            shell.emit(**profile_data(one))
        return
    if not found:
        shell.say("no portraits yet")
        return
    rows = [
        (
            one.key.entity,
            one.key.layer or PUBLIC,
            one.name,
            str(one.revision),
            one.updated_at[:16].replace("T", " "),
            _in_short(one),
        )
        for one in found
    ]
    shell.out.print(table(("portrait", "layer", "name", "revision", "updated", "summary"), rows, wide="summary"))


@command(profile, "show")
def show_profile(shell: Shell, entity: EntityArgument, layer: LayerOption = None) -> None:
    """Show a portrait: all of its layers, or one."""
    for one in _read(shell, entity, layer):
        if shell.json:
            shell.emit(**profile_data(one))
        else:
            print_profile(shell, one)


@command(profile, "history")
def profile_history(shell: Shell, entity: EntityArgument, layer: LayerOption = None) -> None:
    """List the revisions that are kept, newest first."""
    current = _one_layer(_read(shell, entity, layer), entity)
    with opened_stores(shell) as parts:
        revisions = [current, *parts.profiles.history(current.key)]
    if shell.json:
        for one in revisions:
            shell.emit(**profile_data(one))
        return
    rows = [
        (
            str(one.revision) + (" (current)" if one is current else ""),
            one.updated_at[:19].replace("T", " "),
            one.source_event_id,
            _in_short(one),
        )
        for one in revisions
    ]
    shell.out.print(table(("revision", "written", "because of", "summary"), rows, wide="summary"))


@command(profile, "diff")
def profile_diff(
    shell: Shell,
    entity: EntityArgument,
    old: Annotated[int | None, typer.Option("--from", metavar="N", help="The older revision.", show_default=False)] = None,
    new: Annotated[int | None, typer.Option("--to", metavar="N", help="The newer one.", show_default=False)] = None,
    layer: LayerOption = None,
) -> None:
    """Show what changed: between the last two revisions, or those given."""
    current = _one_layer(_read(shell, entity, layer), entity)
    with opened_stores(shell) as parts:
        kept = {one.revision: one for one in (current, *parts.profiles.history(current.key))}
    newer = _revision(kept, new if new is not None else current.revision, entity)
    older_number = old if old is not None else max((n for n in kept if n < newer.revision), default=newer.revision)
    older = _revision(kept, older_number, entity)
    lines = unified(_as_lines(older), _as_lines(newer), older.revision, newer.revision)
    if shell.json:
        shell.emit(entity=entity, layer=current.key.layer, old=older.revision, new=newer.revision, diff="\n".join(lines))
        return
    print_diff(shell, lines, older.revision, newer.revision)


@command(profile, "rollback")
def roll_back(
    shell: Shell,
    entity: EntityArgument,
    revision: Annotated[int, typer.Argument(metavar="REVISION", min=1, help="The revision to bring back.")],
    layer: LayerOption = None,
) -> None:
    """Bring an earlier revision back, as a new one."""
    current = _one_layer(_read(shell, entity, layer), entity)
    with opened_stores(shell) as parts:
        _revision({one.revision: one for one in parts.profiles.history(current.key)}, revision, entity)
    key = current.key
    payload = {"entity_type": key.entity_type, "entity_id": key.entity_id, "layer": key.layer, "revision": revision}
    give_order(shell, "rollback", payload, done=f"{key}: revision {revision} is back, as revision {current.revision + 1}")


def parse_entity(entity: str) -> tuple[EntityType, str]:
    """`user:42` or `group:7` in its parts. Raises InvalidInput."""
    from ...schema.ids import validate_id

    entity_type, colon, entity_id = entity.partition(":")
    if not colon or entity_type not in ("user", "group"):
        such = f"user:{entity} or group:{entity}" if entity.isalnum() and len(entity) <= 40 else "user:42"
        raise InvalidInput(f"{entity!r} names no portrait; write user:ID or group:ID, such as {such}")
    return cast("EntityType", entity_type), validate_id(entity_id, entity_type)


def profile_data(one: Profile) -> dict[str, Any]:
    """A portrait as JSON data."""
    return {
        "entity_type": one.key.entity_type,
        "entity_id": one.key.entity_id,
        "layer": one.key.layer,
        "name": one.name,
        "tags": list(one.tags),
        "summary": one.summary,
        "revision": one.revision,
        "updated_at": one.updated_at,
        "source_event_id": one.source_event_id,
    }


def print_profile(shell: Shell, one: Profile) -> None:
    """A portrait for people."""
    title = Text(plain(one.name or one.key.entity_id), style="bold")
    title.append(f"  {plain(one.key.entity)}, layer {one.key.layer or PUBLIC}, revision {one.revision}", style="dim")
    shell.out.print(title)
    if one.tags:
        shell.out.print(Text(plain(", ".join(one.tags)), style="cyan"))
    shell.out.print(plain(one.summary), soft_wrap=True)
    shell.out.print()


def _in_short(one: Profile) -> str:
    from ...text.portrait import in_one_line

    return short(in_one_line(one.summary), 120)


def _read(shell: Shell, entity: str, layer: str | None) -> list[Profile]:
    entity_type, entity_id = parse_entity(entity)
    found: list[Profile] = []
    if shell.needs_data():
        with opened_stores(shell) as parts:
            found = [one for key in _keys(parts.profiles, entity_type, entity_id, layer) if (one := parts.profiles.read(key))]
    if not found:
        which = f"layer {layer!r} of " if layer is not None else ""
        raise CommandFailed(f"there is no {which}portrait {entity!r}; `historian profile list` shows those that exist")
    return found


def _keys(profiles: ProfileStorage, entity_type: EntityType, entity_id: str, layer: str | None) -> list[ProfileKey]:
    from ...schema.profile import ProfileKey

    layers = profiles.layers(entity_type, entity_id) if layer is None else ["" if layer == PUBLIC else layer]
    return [ProfileKey(entity_type, entity_id, one) for one in layers]


def _one_layer(found: list[Profile], entity: str) -> Profile:
    if len(found) > 1:
        layers = ", ".join(one.key.layer or PUBLIC for one in found)
        raise InvalidInput(f"portrait {entity!r} has several layers; say which with --layer: {layers}")
    return found[0]


def _revision(kept: dict[int, Profile], number: int, entity: str) -> Profile:
    if number not in kept:
        known = ", ".join(map(str, sorted(kept))) or "none"
        raise CommandFailed(f"revision {number} of {entity!r} is not kept; kept are: {known}")
    return kept[number]


def _as_lines(one: Profile) -> list[str]:
    return [f"name: {one.name}", f"tags: {', '.join(one.tags)}", "", *one.summary.splitlines()]
