"""The text format of an article: three tagged chapters."""

from __future__ import annotations

import re

from ...schema.article import CHAPTER_NAMES, Article, ChapterName
from ...schema.errors import InvalidInput
from ..tokens import estimate_tokens

_NAMES = "|".join(CHAPTER_NAMES)
_TAG = re.compile(rf"<(?P<end>/?)\s*(?P<name>{_NAMES})\s*>", re.IGNORECASE)
# Each level of escaping adds one `&amp;`, so that tags and escaped tags both survive a round trip.
_LOOKS_A_TAG = re.compile(rf"(?:<|&(?:amp;)*lt;)(?=/?\s*(?:{_NAMES})\s*>)", re.IGNORECASE)
_ESCAPED = re.compile(rf"&(?:amp;)*lt;(?=/?\s*(?:{_NAMES})\s*>)", re.IGNORECASE)
_QUOTED = 40


def format_article(article: Article) -> str:
    """Return the article as text: `<Bedrock>`, `<Evolutionary>` and `<Dynamic>`, each tag on its own line.

    A chapter's tag inside a chapter's content is escaped (`&lt;Bedrock>`), so that no content ends its chapter.
    """
    parts = []
    for name in CHAPTER_NAMES:
        content = _LOOKS_A_TAG.sub(_away, article.chapter(name).strip())
        parts.append(f"<{name}>\n{content}\n</{name}>" if content else f"<{name}>\n</{name}>")
    return "\n\n".join(parts) + "\n"


def parse_article(text: str) -> Article:
    """Return the article in `text`, without white space around its chapters; tags are case-insensitive.

    Raises InvalidInput for a chapter that is missing, repeated, never closed, inside another one, or closed without being
    open, and for text outside the chapters.
    """
    found: dict[ChapterName, str] = {}
    opened: tuple[ChapterName, int] | None = None
    outside = 0
    for tag in _TAG.finditer(text):
        name = _chapter(tag["name"])
        if not tag["end"]:
            if opened is not None:
                raise _malformed(f"<{name}> opens inside <{opened[0]}>", f"close <{opened[0]}> first")
            if name in found:
                raise _malformed(f"<{name}> is there twice", "keep one of them")
            _refuse_stray(text[outside : tag.start()])
            opened = name, tag.end()
        elif opened is None or opened[0] != name:
            raise _malformed(f"</{name}> closes what is not open", f"open <{name}> before it")
        else:
            found[name] = _ESCAPED.sub(_nearer, text[opened[1] : tag.start()].strip())
            opened, outside = None, tag.end()
    if opened is not None:
        raise _malformed(f"<{opened[0]}> is never closed", f"end it with </{opened[0]}>")
    _refuse_stray(text[outside:])
    missing = [name for name in CHAPTER_NAMES if name not in found]
    if missing:
        raise _malformed(f"<{missing[0]}> is missing", "all three chapters are needed, an empty one too")
    return Article().with_chapters(found)


def holds_tag(text: str) -> bool:
    """Return True if `text` contains the tag of a chapter."""
    return _TAG.search(text) is not None


def article_tokens(article: Article) -> dict[ChapterName, int]:
    """Return the approximate number of tokens of each chapter."""
    return {name: estimate_tokens(article.chapter(name)) for name in CHAPTER_NAMES}


def _chapter(written: str) -> ChapterName:
    return next(name for name in CHAPTER_NAMES if name.casefold() == written.casefold())


def _away(match: re.Match[str]) -> str:
    return "&lt;" if match.group() == "<" else f"&amp;{match.group()[1:]}"


def _nearer(match: re.Match[str]) -> str:
    return "<" if match.group() == "&lt;" else f"&{match.group().removeprefix('&amp;')}"


def _refuse_stray(between: str) -> None:
    stray = " ".join(between.split())
    if stray:
        raise _malformed(f"{stray[:_QUOTED]!r} stands outside the chapters", "move it into one of them")


def _malformed(what: str, remedy: str) -> InvalidInput:
    return InvalidInput(f"The article is malformed: {what}; {remedy}.")
