"""`historian chapters`: the assistant's articles about people, and their revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from ..console import plain, short, table
from ..invocation import CommandFailed, Shell, command, group
from ..language import both, either
from ..opening import opened_stores
from ..owner_commands import send_command
from ..revision_diff import NewerOption, OlderOption, RevisionArgument, print_diff, unified
from ..root import app

if TYPE_CHECKING:
    from ....schema.summary import ArticleKey, StoredArticle

chapters = group(
    app,
    "chapters",
    both("机器人自己对人的理解（篇章），以及它们的版本。", "The assistant's own articles about people, and their revisions."),
)

PersonArgument = Annotated[
    str,
    typer.Argument(metavar="USER", help=both("篇章写的是谁（平台的 id）。", "Whom the article is about (a platform id).")),
]
GroupOption = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="ID",
        help=both("这个群里的篇章，而不是私聊的。", "The article of this group, instead of the private chat's."),
        show_default=False,
    ),
]


@command(chapters, "show", zh="查看一个人的篇章。")
def show_article(shell: Shell, user: PersonArgument, in_group: GroupOption = None) -> None:
    """Show an article."""
    stored, _ = _read(shell, user, in_group)
    if shell.json:
        shell.emit(**article_data(stored))
        return
    title = Text(plain(stored.key.user_id), style="bold")
    revision = either(f"，版本 {stored.revision}，", f", revision {stored.revision}, ")
    title.append(f"  {plain(stored.key.scope.key)}{revision}{plain(stored.updated_at)}", style="dim")
    shell.out.print(title)
    for line in _as_lines(stored):
        shell.out.print(Text(plain(line), style="cyan" if line.startswith("<") else "default"), soft_wrap=True)


@command(chapters, "history", zh="列出留着的版本，最新的在前。")
def article_history(shell: Shell, user: PersonArgument, in_group: GroupOption = None) -> None:
    """List the revisions that are kept, newest first."""
    current, earlier = _read(shell, user, in_group)
    if shell.json:
        for one in (current, *earlier):
            shell.emit(**article_data(one))
        return
    rows = [
        (
            str(one.revision) + (either("（当前）", " (current)") if one is current else ""),
            one.updated_at[:19].replace("T", " "),
            str(len(one.sources)),
            short(" ".join(_statements(one)), 120),
        )
        for one in (current, *earlier)
    ]
    columns = either("版本 写于 来源 篇章", "revision written sources article").split()
    shell.out.print(table(columns, rows, wide=columns[-1]))


@command(chapters, "diff", zh="看改了什么：最近两个版本之间，或指定的两个之间。")
def article_diff(
    shell: Shell,
    user: PersonArgument,
    old: OlderOption = None,
    new: NewerOption = None,
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


@command(chapters, "rollback", zh="退回到以前的一个版本；退回也是一个新版本。")
def roll_back(
    shell: Shell,
    user: PersonArgument,
    revision: RevisionArgument,
    in_group: GroupOption = None,
) -> None:
    """Bring an earlier revision back, as a new one."""
    current, earlier = _read(shell, user, in_group)
    _revision({one.revision: one for one in earlier}, revision, current.key)
    payload = {"user_id": current.key.user_id, "group_id": current.key.group_id, "revision": revision}
    new = current.revision + 1
    done = either(
        f"{current.key} 的篇章：已退回到版本 {revision}，成为版本 {new}",
        f"article of {current.key}: revision {revision} is back, as revision {new}",
    )
    send_command(shell, "rollback_article", payload, done=done)


def person_key(user: str, in_group: str | None) -> ArticleKey:
    """Whose memory the command line names. Raises InvalidInput."""
    from ....schema.summary import ArticleKey

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
    where = either(f"在群 {in_group!r} 里", f" in group {in_group!r}") if in_group else ""
    raise CommandFailed(
        either(
            f"{user!r} {where}还没有篇章；摘要攒够了就并成一篇",
            f"there is no article about {user!r}{where}; summaries become one when there are enough of them",
        )
    )


def _revision(kept: dict[int, StoredArticle], number: int, key: ArticleKey) -> StoredArticle:
    if number not in kept:
        known = ", ".join(map(str, sorted(kept)))
        raise CommandFailed(
            either(
                f"{key} 的篇章没有留着版本 {number}；留着的有：{known or '无'}",
                f"revision {number} of the article of {key} is not kept; kept are: {known or 'none'}",
            )
        )
    return kept[number]


def _as_lines(stored: StoredArticle) -> list[str]:
    from ....text.articles.markup import format_article

    return format_article(stored.article).splitlines()


def _statements(stored: StoredArticle) -> list[str]:
    return [line for line in _as_lines(stored) if line.strip() and not line.startswith("<")]
