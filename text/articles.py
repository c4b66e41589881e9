"""The Markdown form of articles (three headings, with a bullet per line), and the substitute for a
missing article."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from ..schema.errors import InvalidInput
from ..schema.job import without_list_mark
from ..schema.profile import ProfileLine, line_id_of
from ..schema.summary import CHAPTER_NAMES, Article, ArticleKey, ChapterName, Summary
from .profiles.lines import distinct
from .statements import stamped

_NAME = rf"({'|'.join(CHAPTER_NAMES)})"
_HEADING = re.compile(
    rf"^[ \t]*#+[ \t]*(?:\*\*)?{_NAME}[:：]?(?:\*\*)?[:：]?(?:[ \t]+#+)?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(rf"<(/?)\s*{_NAME}\s*>", re.IGNORECASE)
_ESCAPED_TAG = re.compile(rf"&(?:lt;|amp;((?:amp;)*lt;))(?=/?\s*{_NAME}\s*>)", re.IGNORECASE)


def format_article(article: Article) -> str:
    """Return the article as Markdown: `## Bedrock`, `## Evolutionary` and `## Dynamic`."""
    chapters = (
        (f"## {name}", *(f"- {line.dated_text}" for line in lines))
        for name, lines in article.chapters.items()
    )
    return "\n\n".join(map("\n".join, chapters)) + "\n"


def split_chapters(text: str) -> dict[ChapterName, str]:
    """Return the Markdown below each of the three headings.

    Earlier versions wrote tags instead (`<Bedrock>…</Bedrock>`), and escaped tags in lines. Raises
    InvalidInput for a heading that is missing or repeated, and for text above the headings.
    """
    if not _HEADING.search(text):
        text = _TAG.sub(lambda tag: "\n" if tag[1] else f"\n## {tag[2]}\n", text)
        text = _ESCAPED_TAG.sub(lambda found: f"&{found[1]}" if found[1] else "<", text)
    above, *found = _HEADING.split(text)
    names = [name.capitalize() for name in found[::2]]
    if above.strip() or sorted(names) != sorted(CHAPTER_NAMES):
        headings = ", ".join(f"`## {name}`" for name in CHAPTER_NAMES)
        raise InvalidInput(
            f"The article is malformed; give each of {headings} once, all text below."
        )
    return cast(dict[ChapterName, str], dict(zip(names, found[1::2], strict=True)))


def stored_lines(stored: object) -> tuple[ProfileLine, ...]:
    """Return the lines of a chapter from JSON data: line objects, or Markdown of earlier versions."""
    if isinstance(stored, str):
        texts = filter(None, (without_list_mark(one.strip()) for one in stored.splitlines()))
        return distinct(ProfileLine(line_id_of(text, ""), text) for text in texts)
    return tuple(map(ProfileLine.of_json, cast(list[dict[str, object]], stored)))


def dated_summaries(key: ArticleKey, summaries: Sequence[Summary]) -> Article | None:
    """Return the substitute for an article that no model has written, or None without summaries.

    It is an article of revision 0. Its chapter Dynamic has the lines of the short-term summaries,
    each with its day, in the order of the summaries.
    """
    shown = [one for one in summaries if one.is_short_term]
    lines: list[ProfileLine] = []
    for one in shown:
        day = one.since[:10]
        for own, said in map(stamped, one.text.splitlines()):
            day = own or day
            text = f"{day} {said}"
            lines.append(ProfileLine(line_id_of(text, one.id), text, evidence=(one.id,)))
    sources = tuple(one.id for one in shown)
    if not lines:
        return None
    written = Article(key, updated_at=shown[-1].created_at, sources=sources)
    return written.with_chapters({"Dynamic": lines})
