"""`historian chapters`: the assistant's articles about people, and their revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from .console import plain, short, table
from .invocation import CommandFailed, Shell, command, group
from .opening import opened_stores
from .orders import give_order
from .revision_diff import print_diff, unified
from .root import app

if TYPE_CHECKING:
    from ...schema.two_layers import ArticleKey, StoredArticle

chapters = group(app, "chapters", "The assistant's own articles about people, and their revisions.")

PersonArgument = Annotated[str, typer.Argument(metavar="USER", help="Whom the article is about (a platform id).")]
GroupOption = Annotated[
    str | None,
    typer.Option("--group", metavar="ID", help="The article of this group, instead of the private chat's.", show_default=False),
]


@command(chapters, "show")
def show_article(shell: Shell, user: PersonArgument, in_group: GroupOption = None) -> None:
    """Show an article."""
    stored, _ = _read(shell, user, in_group)
    if shell.json:
        shell.emit(**article_data(stored))
        return
    title = Text(plain(stored.key.user_id), style="bold")
    title.append(f"  {plain(stored.key.scope.key)}, revision {stored.revision}, {plain(stored.updated_at)}", style="dim")
    shell.out.print(title)
    for line in _as_lines(stored):
        shell.out.print(Text(plain(line), style="cyan" if line.startswith("<") else "default"), soft_wrap=True)


@command(chapters, "history")
def article_history(shell: Shell, user: PersonArgument, in_group: GroupOption = None) -> None:
    """List the revisions that are kept, newest first."""
    current, earlier = _read(shell, user, in_group)
    if shell.json:
        for one in (current, *earlier):
            shell.emit(**article_data(one))
        return
    rows = [
        (
            str(one.revision) + (" (current)" if one is current else ""),
            one.updated_at[:19].replace("T", " "),
            str(len(one.sources)),
            short(" ".join(_statements(one)), 120),
        )
        for one in (current, *earlier)
    ]
    shell.out.print(table(("revision", "written", "sources", "article"), rows, wide="article"))


@command(chapters, "diff")
def article_diff(
    shell: Shell,
    user: PersonArgument,
    old: Annotated[int | None, typer.Option("--from", metavar="N", help="The older revision.", show_default=False)] = None,
    new: Annotated[int | None, typer.Option("--to", metavar="N", help="The newer one.", show_default=False)] = None,
    in_group: GroupOption = None,
) -> None:
    """Show what changed: between the last two revisions, or those given."""
    current, earlier = _read(shell, user, in_group)
    kept = {one.revision: one for one in (current, *earlier)}
    newer = _revision(kept, new if new is not None else current.revision, current.key)
    number = old if old is not None else max((n for n in kept if n < newer.revision), default=newer.revision)
    older = _revision(kept, number, current.key)
    lines = unified(_as_lines(older), _as_lines(newer), older.revision, newer.revision)
    if shell.json:
        shell.emit(**_whose(current.key), old=older.revision, new=newer.revision, diff="\n".join(lines))
        return
    print_diff(shell, lines, older.revision, newer.revision)


@command(chapters, "rollback")
def roll_back(
    shell: Shell,
    user: PersonArgument,
    revision: Annotated[int, typer.Argument(metavar="REVISION", min=1, help="The revision to bring back.")],
    in_group: GroupOption = None,
) -> None:
    """Bring an earlier revision back, as a new one."""
    current, earlier = _read(shell, user, in_group)
    _revision({one.revision: one for one in earlier}, revision, current.key)
    payload = {"user_id": current.key.user_id, "group_id": current.key.group_id, "revision": revision}
    done = f"article of {current.key}: revision {revision} is back, as revision {current.revision + 1}"
    give_order(shell, "rollback_article", payload, done=done)


def person_key(user: str, in_group: str | None) -> ArticleKey:
    """Whose memory the command line names. Raises InvalidInput."""
    from ...schema.two_layers import ArticleKey

    return ArticleKey(user, in_group or "")


def article_data(stored: StoredArticle) -> dict[str, Any]:
    """An article as JSON data."""
    return {
        **_whose(stored.key),
        "revision": stored.revision,
        "updated_at": stored.updated_at,
        "sources": list(stored.sources),
        "bedrock": stored.article.bedrock,
        "evolutionary": stored.article.evolutionary,
        "dynamic": stored.article.dynamic,
    }


def _whose(key: ArticleKey) -> dict[str, str]:
    return {"user_id": key.user_id, "scope": key.scope.key}


def _read(shell: Shell, user: str, in_group: str | None) -> tuple[StoredArticle, list[StoredArticle]]:
    """An article and its earlier revisions."""
    key = person_key(user, in_group)
    if shell.needs_data():
        with opened_stores(shell) as parts:
            stored = parts.layers.articles.read(key)
            earlier = parts.layers.articles.history(key)
        if stored is not None:
            return stored, earlier
    where = f" in group {in_group!r}" if in_group else ""
    raise CommandFailed(f"there is no article about {user!r}{where}; summaries become one when there are enough of them")


def _revision(kept: dict[int, StoredArticle], number: int, key: ArticleKey) -> StoredArticle:
    if number not in kept:
        known = ", ".join(map(str, sorted(kept))) or "none"
        raise CommandFailed(f"revision {number} of the article of {key} is not kept; kept are: {known}")
    return kept[number]


def _as_lines(stored: StoredArticle) -> list[str]:
    from ...text.article import format_article

    return format_article(stored.article).splitlines()


def _statements(stored: StoredArticle) -> list[str]:
    return [line for line in _as_lines(stored) if line.strip() and not line.startswith("<")]
