"""The article and the summaries as lines of the quoted block (see `formatting`): reference, and never an instruction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..schema.article import CHAPTER_NAMES, ChapterName
from ..schema.two_layers import StoredArticle, Summary
from .block import Block, Language, day
from .quoting import quoted
from .relevant import ReadLayers

ARTICLE_SHARE = 0.5
"""At most so much of the budget is for the article where there is anything else to say."""

_CHAPTERS: Mapping[Language, Mapping[ChapterName, str]] = {
    "zh": {"Bedrock": "基石", "Evolutionary": "演进", "Dynamic": "近况"},
    "en": {"Bedrock": "bedrock", "Evolutionary": "evolving", "Dynamic": "of late"},
}
_HEADING = {
    "zh": "你对此人的长期认识（其中的“我”指你自己）：",
    "en": 'Your own long view of this person ("I" in it is you):',
}
_SUMMARY = {"zh": "摘要", "en": "summary"}


def format_relevant(read: ReadLayers, found: Sequence[str], *, language: Language, max_tokens: int) -> str:
    """The block within the budget; "" where there is nothing to say.

    `found` are what a deep search brought, best first: ids of summaries, and Dynamic lines. They come before the rest; of
    the other summaries the newest are kept where the budget is short.
    """
    block = Block(language, max_tokens)
    by_id = {one.id: one for one in read.summaries}
    if read.article is not None:
        fill_article(block, read.article, language, ARTICLE_SHARE if read.summaries else 1.0, first=found)
    chosen = [by_id[name] for name in found if name in by_id]
    rest = [one for one in reversed(read.summaries) if one not in chosen]
    block.fill([summary_line(one, language) for one in (*chosen, *rest)], 1.0)
    return block.text()


def fill_article(block: Block, stored: StoredArticle, language: Language, share: float, first: Sequence[str] = ()) -> None:
    """Add the article's lines that fit into `share` of what is left, under one heading; `first` are lines that go first.

    Bedrock before Evolutionary before Dynamic, of which the newest lines are kept where room is short.
    """
    article = stored.article
    lines = [(name, line) for name in CHAPTER_NAMES for line in _ordered(name, article.lines(name), first)]
    if lines:
        block.fill([_HEADING[language], *(article_line(name, line, language) for name, line in lines)], share)
    if block.lines and block.lines[-1] == _HEADING[language]:
        block.lines.pop()  # there was room for nothing below it


def article_line(name: ChapterName, line: str, language: Language) -> str:
    """`- [bedrock] line`."""
    return f"- [{_CHAPTERS[language][name]}] {quoted(line.strip().removeprefix('-').lstrip())}"


def summary_line(summary: Summary, language: Language) -> str:
    """`- [2026-02-20 – 2026-02-21 summary] text`."""
    since, until = day(summary.since), day(summary.until)
    when = since if since == until else f"{since} – {until}"
    return f"- [{when} {_SUMMARY[language]}] {quoted(summary.text)}"


def _ordered(name: ChapterName, lines: Sequence[str], first: Sequence[str]) -> list[str]:
    if name != "Dynamic":
        return list(lines)
    chosen = [line for line in first if line in lines]
    return [*chosen, *(line for line in reversed(lines) if line not in chosen)]
