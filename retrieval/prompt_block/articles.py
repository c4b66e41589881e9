"""The article and the summaries as lines of the quoted block (see `formatting`): reference, never
instructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...schema.language import Language
from ...schema.summary import Article, ChapterName, Spoken, Summary
from ...text.statements import stamped
from .block import Block, day, minute
from .quoting import quoted, quoted_name

ARTICLE_SHARE, DATED_SHARE = 0.5, 0.15
"""If the block also has other content: the maximum share of the remaining budget for the article,
and for the dated summaries that are shown while there is no article."""
BESIDE_SUMMARIES = 0.35
"""If there are summaries or records: the maximum share of the whole budget for the article. On
LoCoMo 0.35 gave 3 points less at 1,000 tokens and the same at 3,000."""

RECORDS_SHARE = 0.5
"""If there are summaries, the maximum share of the budget left by the article for the other results
of a deep search."""

_CHAPTERS: Mapping[Language, Mapping[ChapterName, str]] = {
    "zh": {"Bedrock": "基石", "Evolutionary": "演进", "Dynamic": "近况"},
    "en": {"Bedrock": "bedrock", "Evolutionary": "evolving", "Dynamic": "of late"},
}
_HEADING = {
    "zh": "你对此人的长期认识（其中的“我”指你自己；“某某: ”之后是其原话）：",
    "en": 'Your own long view of this person ("I" in it is you; after "Name:" come their own words):',
}
_SUMMARY = {"zh": "摘要", "en": "summary"}
_SAID = {"zh": "原话", "en": "said"}


def format_relevant(
    article: Article | None,
    summaries: Sequence[Summary],
    found: Sequence[str],
    *,
    records: Sequence[str] = (),
    language: Language,
    max_tokens: int,
) -> str:
    """Return the block within the budget; "" if there is nothing to show.

    `found` are results of a deep search, best first: ids of summaries, and Dynamic lines. They come
    before the other summaries and the other Dynamic lines. `records` are lines of its other
    results; they come between article and summaries. The other summaries follow if there is room:
    first the short-term ones, then those that have left short-term memory, the newest of each
    first.
    """
    block = Block(language, max_tokens)
    if article is not None:
        share = BESIDE_SUMMARIES if summaries or records else 1.0
        fill_article(block, article, language, share, first=found)
    block.fill(records, RECORDS_SHARE if summaries else 1.0)
    block.fill((summary_line(one, language) for one in _in_order(summaries, found)), 1.0)
    return block.text()


def _in_order(summaries: Sequence[Summary], found: Sequence[str]) -> list[Summary]:
    """Return the summaries that a search found, then the short-term ones, then the others, newest first."""
    by_id = {one.id: one for one in summaries}
    chosen = [by_id[name] for name in found if name in by_id]
    rest = [one for one in reversed(summaries) if one.id not in found]
    return [
        *chosen,
        *(one for one in rest if one.is_short_term),
        *(one for one in rest if not one.is_short_term),
    ]


def fill_article(
    block: Block, article: Article, language: Language, share: float, first: Sequence[str] = ()
) -> None:
    """Add the article's lines that fit into `share` of the remaining budget, under one heading.
    Lines in `first` come first in the chapter Dynamic.

    The chapters come in the order Bedrock, Evolutionary, Dynamic. The newest lines of Dynamic come
    first, so that they are kept if room is short.
    """
    shown = [
        article_line(name, line, language)
        for name, lines in article.chapters.items()
        for line in _ordered(name, [line.dated_text for line in lines], first, language)
    ]
    if shown:
        block.fill([_HEADING[language], *shown], share)
    if block.lines and block.lines[-1] == _HEADING[language]:
        block.lines.pop()  # nothing fits below the heading


def article_line(name: ChapterName, line: str, language: Language) -> str:
    """Return `- [bedrock] line`."""
    return f"- [{_CHAPTERS[language][name]}] {quoted(line)}"


def said_line(spoken: Spoken, language: Language) -> str:
    """Return `- [2026-02-20 17:30 said] Ann: text`."""
    who = f"{quoted_name(spoken.name)}: " if spoken.name else ""
    return f"- [{minute(spoken.at)} {_SAID[language]}] {who}{quoted(spoken.text)}"


def summary_line(summary: Summary, language: Language) -> str:
    """Return `- [2026-02-20 – 2026-02-21 summary] text`."""
    since, until = day(summary.since), day(summary.until)
    when = since if since == until else f"{since} – {until}"
    return f"- [{when} {_SUMMARY[language]}] {quoted(summary.text.removeprefix(f'{since} '))}"


def _ordered(
    name: ChapterName, lines: list[str], first: Sequence[str], language: Language
) -> list[str]:
    if name != "Dynamic":
        return lines
    chosen = [line for line in first if line in lines]
    return [*chosen, *_by_day([line for line in lines if line not in chosen], language)]


def _by_day(lines: Sequence[str], language: Language) -> list[str]:
    """Join the lines of each day into one line that names the day once; newest day first."""
    days: list[tuple[str, list[str]]] = []
    for line in lines:
        day, said = stamped(line)
        if day and days and days[-1][0] == day:
            days[-1][1].append(said)
        else:
            days.append((day, [said]))
    joint = "；" if language == "zh" else "; "
    return [f"{day} {joint.join(said)}".strip() for day, said in reversed(days)]
