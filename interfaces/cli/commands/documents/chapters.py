"""`historian chapters` and `historian summaries`.

The first shows the assistant's articles about people and their revisions, the second the dated
summaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from rich.text import Text
from typer import Argument, Option

from .....service.inspection.article_list import Told, listed_articles, listed_data
from .....service.inspection.json_data import article_data, summary_data
from ....revisions import KeptRevisions, article_lines, article_revisions
from ...console import minute, plain, short
from ...invocation import command, group
from ...language import later, say
from ...opening import opened_stores
from ...revisions import add_revision_commands
from ...shell import Shell

if TYPE_CHECKING:
    from .....schema.summary import Article, ArticleKey, Summary

chapters = group("chapters", "The assistant's own articles about people, and their revisions.")

summaries = group("summaries", "Dated summaries of conversations: short-term memory.")

PersonArgument = Annotated[
    str, Argument(metavar="USER", help="The person whom the article is about (a platform id).")
]
InGroupOption = Annotated[
    str | None,
    Option(
        "--group", metavar="ID", help="The article of this group, instead of the private chat's."
    ),
]


@command("list", chapters)
def list_articles(shell: Shell) -> None:
    """List the people about whom there is an article, or material for one: summaries, or conversation to be summarised."""
    shell.end_without_data()
    with opened_stores(shell) as parts:
        found = listed_articles(parts.article_stores)
    shell.rows(
        found,
        listed_data,
        "user|conversation|revision|updated|summaries|tokens waiting|article",
        _cells,
        empty="no articles yet, and nothing that may become one",
    )


def _cells(one: Told) -> tuple[str, ...]:
    written, updated, begin = "", "", ""
    if (article := one.article) is not None:
        written, updated, begin = (
            str(article.revision),
            minute(article.updated_at),
            short(_in_short(article), 120),
        )
    return (
        one.key.user_id,
        one.key.scope.key,
        written,
        updated,
        str(len(one.summaries)),
        str(one.waiting),
        begin,
    )


@command("show", chapters)
def show_article(shell: Shell, user: PersonArgument, in_group: InGroupOption = None) -> None:
    """Show an article."""
    stored = _revisions(shell, user, in_group).kept[0]
    if shell.json:
        shell.emit(**article_data(stored))
        return
    place = say(
        "{scope}, revision {n}, {time}",
        scope=stored.key.scope.key,
        n=stored.revision,
        time=stored.updated_at,
    )
    shell.out.print(
        Text.assemble((plain(stored.key.user_id), "bold"), (f"  {plain(place)}", "dim"))
    )
    for line in article_lines(stored):
        shell.out.print(
            Text(plain(line), style="cyan" if line.startswith("#") else "default"), soft_wrap=True
        )


def _revisions(shell: Shell, user: str, in_group: str | None) -> KeptRevisions[Article]:
    with opened_stores(shell) as parts:
        return article_revisions(parts, article_key(user, in_group))


def _in_short(one: Article) -> str:
    return " ".join(
        line for line in article_lines(one) if line.strip() and not line.startswith("#")
    )


def _place_of(one: Summary) -> str:
    if one.is_short_term:
        return say("short-term")
    return say("revision {n}", n=one.promoted_into) if one.promoted_into else say("earlier")


def article_key(user: str, in_group: str | None) -> ArticleKey:
    """Return the key of the article about `user`, in a group or the private chat.

    Raises InvalidInput for an invalid id.
    """
    from .....schema.summary import ArticleKey

    return ArticleKey(user, in_group or "")


@command("list", summaries)
def list_summaries(shell: Shell, user: PersonArgument, in_group: InGroupOption = None) -> None:
    """List all summaries of a person, oldest first, and how much waits to be summarised."""
    key = article_key(user, in_group)
    shell.end_without_data()
    with opened_stores(shell) as parts:
        found = parts.article_stores.summaries.read(key)
        waiting = parts.article_stores.buffer.tokens(key)
    shell.rows(
        found,
        summary_data,
        "from|until|tokens|by|where|summary",
        lambda one: (
            minute(one.since),
            minute(one.until),
            str(one.tokens),
            one.written_by,
            _place_of(one),
            short(" / ".join(one.text.splitlines()), 200),
        ),
        empty="no summaries yet",
    )
    shell.tell("{n} {n:token|tokens} of conversation {n:waits|wait} to be summarised", n=waiting)


add_revision_commands(
    chapters,
    {"user": PersonArgument, "in_group": InGroupOption},
    _revisions,
    article_data,
    later("revision|written|sources|article"),
    lambda one: (str(len(one.sources)), _in_short(one)),
)
