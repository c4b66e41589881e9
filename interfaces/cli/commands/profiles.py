"""`historian profile`: the profiles of people and groups, and their revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.text import Text

from ....schema.errors import InvalidInput
from ..console import plain, short, table
from ..invocation import CommandFailed, Shell, command, group
from ..language import both, either
from ..opening import opened_stores
from ..owner_commands import send_command
from ..revision_diff import NewerOption, OlderOption, RevisionArgument, print_diff, unified
from ..root import app

if TYPE_CHECKING:
    from ....schema.profile import Profile, ProfileKey
    from ....schema.protocols import ProfileStorage
    from ....schema.scope import EntityType

profile = group(app, "profile", both("人和群的画像，以及它们的版本。", "Profiles of people and groups, and their revisions."))

PUBLIC = "public"
"""How the layer "" is called on the command line."""

EntityArgument = Annotated[
    str,
    typer.Argument(metavar="user:ID|group:ID", help=both("谁的画像，如 user:42。", "Whose profile, such as user:42.")),
]
LayerOption = Annotated[
    str | None,
    typer.Option(
        "--layer",
        metavar="LAYER",
        help=both(
            "画像有几层时说明哪一层：public、private 或 g:ID。",
            "public, private, or g:ID, where a profile has several layers.",
        ),
        show_default=False,
    ),
]


@command(profile, "list", zh="列出所有画像。")
def list_profiles(shell: Shell) -> None:
    """List all profiles."""
    if not shell.needs_data():
        return
    with opened_stores(shell) as parts:
        found = [one for key in parts.profiles.keys() if (one := parts.profiles.read(key)) is not None]  # noqa: SIM118
    if shell.json:
        for one in found:
            shell.emit(**profile_data(one))
        return
    if not found:
        shell.say(either("还没有画像", "no profiles yet"))
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
    columns = either("画像 层 名字 版本 更新 内容", "profile layer name revision updated summary").split()
    shell.out.print(table(columns, rows, wide=columns[-1]))


@command(profile, "show", zh="查看一幅画像：所有层，或其中一层。")
def show_profile(shell: Shell, entity: EntityArgument, layer: LayerOption = None) -> None:
    """Show a profile: all of its layers, or one."""
    for one in _read(shell, entity, layer):
        if shell.json:
            shell.emit(**profile_data(one))
        else:
            print_profile(shell, one)


@command(profile, "history", zh="列出留着的版本，最新的在前。")
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
            str(one.revision) + (either("（当前）", " (current)") if one is current else ""),
            one.updated_at[:19].replace("T", " "),
            one.source_event_id,
            _in_short(one),
        )
        for one in revisions
    ]
    columns = (either("版本", "revision"), either("写于", "written"), either("起因", "because of"), either("内容", "summary"))
    shell.out.print(table(columns, rows, wide=columns[-1]))


@command(profile, "diff", zh="看改了什么：最近两个版本之间，或指定的两个之间。")
def profile_diff(
    shell: Shell,
    entity: EntityArgument,
    old: OlderOption = None,
    new: NewerOption = None,
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


@command(profile, "rollback", zh="退回到以前的一个版本；退回也是一个新版本。")
def roll_back(
    shell: Shell,
    entity: EntityArgument,
    revision: RevisionArgument,
    layer: LayerOption = None,
) -> None:
    """Bring an earlier revision back, as a new one."""
    current = _one_layer(_read(shell, entity, layer), entity)
    with opened_stores(shell) as parts:
        _revision({one.revision: one for one in parts.profiles.history(current.key)}, revision, entity)
    key = current.key
    payload = {"entity_type": key.entity_type, "entity_id": key.entity_id, "layer": key.layer, "revision": revision}
    new = current.revision + 1
    done = either(f"{key}：已退回到版本 {revision}，成为版本 {new}", f"{key}: revision {revision} is back, as revision {new}")
    send_command(shell, "rollback", payload, done=done)


def parse_entity(entity: str) -> tuple[EntityType, str]:
    """`user:42` or `group:7` in its parts. Raises InvalidInput."""
    from ....schema.ids import validate_id

    entity_type, colon, entity_id = entity.partition(":")
    if not colon or entity_type not in ("user", "group"):
        is_bare = entity.isalnum() and len(entity) <= 40
        such = f"user:{entity}{either(' 或 ', ' or ')}group:{entity}" if is_bare else "user:42"
        raise InvalidInput(
            either(
                f"{entity!r} 不是画像的写法；请写 user:ID 或 group:ID，如 {such}",
                f"{entity!r} names no profile; write user:ID or group:ID, such as {such}",
            )
        )
    return cast("EntityType", entity_type), validate_id(entity_id, entity_type)


def profile_data(one: Profile) -> dict[str, Any]:
    """A profile as JSON data."""
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
    """A profile for people."""
    title = Text(plain(one.name or one.key.entity_id), style="bold")
    layer = one.key.layer or PUBLIC
    place = either(f"，{layer} 层，版本 {one.revision}", f", layer {layer}, revision {one.revision}")
    title.append(f"  {plain(one.key.entity)}{place}", style="dim")
    shell.out.print(title)
    if one.tags:
        shell.out.print(Text(plain(", ".join(one.tags)), style="cyan"))
    shell.out.print(plain(one.summary), soft_wrap=True)
    shell.out.print()


def _in_short(one: Profile) -> str:
    from ....text.profiles.cleaning import in_one_line

    return short(in_one_line(one.summary), 120)


def _read(shell: Shell, entity: str, layer: str | None) -> list[Profile]:
    entity_type, entity_id = parse_entity(entity)
    found: list[Profile] = []
    if shell.needs_data():
        with opened_stores(shell) as parts:
            found = [one for key in _keys(parts.profiles, entity_type, entity_id, layer) if (one := parts.profiles.read(key))]
    if not found:
        which = either(f" 的 {layer!r} 层", f"layer {layer!r} of ") if layer is not None else ""
        raise CommandFailed(
            either(
                f"没有画像 {entity!r}{which}；`historian profile list` 列出已有的",
                f"there is no {which}profile {entity!r}; `historian profile list` shows those that exist",
            )
        )
    return found


def _keys(profiles: ProfileStorage, entity_type: EntityType, entity_id: str, layer: str | None) -> list[ProfileKey]:
    from ....schema.profile import ProfileKey

    layers = profiles.layers(entity_type, entity_id) if layer is None else ["" if layer == PUBLIC else layer]
    return [ProfileKey(entity_type, entity_id, one) for one in layers]


def _one_layer(found: list[Profile], entity: str) -> Profile:
    if len(found) > 1:
        layers = ", ".join(one.key.layer or PUBLIC for one in found)
        raise InvalidInput(
            either(
                f"画像 {entity!r} 有几层；请用 --layer 说明哪一层：{layers}",
                f"profile {entity!r} has several layers; say which with --layer: {layers}",
            )
        )
    return found[0]


def _revision(kept: dict[int, Profile], number: int, entity: str) -> Profile:
    if number not in kept:
        known = ", ".join(map(str, sorted(kept)))
        raise CommandFailed(
            either(
                f"{entity!r} 的版本 {number} 没有留着；留着的有：{known or '无'}",
                f"revision {number} of {entity!r} is not kept; kept are: {known or 'none'}",
            )
        )
    return kept[number]


def _as_lines(one: Profile) -> list[str]:
    return [f"name: {one.name}", f"tags: {', '.join(one.tags)}", "", *one.summary.splitlines()]
