"""The text form of articles (three tagged chapters), and the substitute for a missing article."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..schema.errors import InvalidInput
from ..schema.summary import CHAPTER_NAMES, Article, ArticleKey, ChapterName, StoredArticle, Summary
from .statements import stamped

_NAMES = "|".join(CHAPTER_NAMES)
_TAG = re.compile(rf"<(?P<end>/?)\s*(?P<name>{_NAMES})\s*>", re.IGNORECASE)
_REST_OF_TAG = rf"(?=/?\s*(?:{_NAMES})\s*>)"
_QUOTED = 40


def format_article(article: Article) -> str:
    """Return the article as text: `<Bedrock>`, `<Evolutionary>` and `<Dynamic>`.

    Each tag is on its own line. A chapter's tag inside the content of a chapter is escaped
    (`&lt;Bedrock>`), so that it does not end the chapter.
    """
    chapters = ((name, _escaped(article.chapter(name).strip())) for name in CHAPTER_NAMES)
    written = ("\n".join(filter(None, (f"<{n}>", text, f"</{n}>"))) for n, text in chapters)
    return "\n\n".join(written) + "\n"


def parse_article(text: str) -> Article:
    """Return the article in `text`, without white space around its chapters.

    Tags are case-insensitive. Raises InvalidInput for a chapter that is missing, repeated, not
    closed, inside another one, or closed without being open, and for text outside the chapters.
    """
    found: dict[ChapterName, str] = {}
    opened: ChapterName | None = None
    at = 0
    for tag in _TAG.finditer(text):
        name = next(one for one in CHAPTER_NAMES if one.casefold() == tag["name"].casefold())
        within, at = text[at : tag.start()].strip(), tag.end()
        if tag["end"] and opened == name:
            found[name], opened = _unescaped(within), None
        elif tag["end"]:
            raise _malformed(f"</{name}> closes what is not open", f"open <{name}> before it")
        elif opened is not None:
            raise _malformed(f"<{name}> opens inside <{opened}>", f"close <{opened}> first")
        elif name in found:
            raise _malformed(f"<{name}> is there twice", "keep one of them")
        else:
            _refuse_stray(within)
            opened = name
    if opened is not None:
        raise _malformed(f"<{opened}> is never closed", f"end it with </{opened}>")
    _refuse_stray(text[at:])
    for name in CHAPTER_NAMES:
        if name not in found:
            raise _malformed(f"<{name}> is missing", "all three are needed, an empty one too")
    return Article().with_chapters(found)


def dated_summaries(key: ArticleKey, summaries: Sequence[Summary]) -> StoredArticle | None:
    """Return the substitute for an article that no model has written, or None without summaries.

    It is an article of revision 0. Its chapter Dynamic has the lines of the short-term summaries,
    each with its day, in the order of the summaries.
    """
    shown = [one for one in summaries if one.is_short_term]
    lines = []
    for one in shown:
        day = one.since[:10]
        for own, said in map(stamped, one.text.splitlines()):
            day = own or day
            lines.append(f"- {day} {said}")
    sources = tuple(one.id for one in shown)
    article = Article(dynamic="\n".join(lines))
    return StoredArticle(key, article, 0, shown[-1].created_at, sources) if lines else None


# Each level of escaping adds one `amp;`, so that a round trip preserves tags and escaped tags.
def _escaped(content: str) -> str:
    content = re.sub(rf"&(?=(?:amp;)*lt;{_REST_OF_TAG})", "&amp;", content, flags=re.IGNORECASE)
    return re.sub(rf"<{_REST_OF_TAG}", "&lt;", content, flags=re.IGNORECASE)


def _unescaped(content: str) -> str:
    content = re.sub(rf"&lt;{_REST_OF_TAG}", "<", content, flags=re.IGNORECASE)
    return re.sub(rf"&amp;(?=(?:amp;)*lt;{_REST_OF_TAG})", "&", content, flags=re.IGNORECASE)


def _refuse_stray(between: str) -> None:
    if stray := " ".join(between.split()):
        raise _malformed(f"{stray[:_QUOTED]!r} stands outside the chapters", "move it into one")


def _malformed(what: str, remedy: str) -> InvalidInput:
    return InvalidInput(f"The article is malformed: {what}; {remedy}.")
