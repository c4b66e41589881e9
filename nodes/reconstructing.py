"""Cognitive reconstruction: what new information means for an article, and the whole new article. Nothing is checked here."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..prompts import Language, render
from ..schema.article import CHAPTER_NAMES, Article, ChapterBounds, ChapterName, Digest, DroppedLine, Proposal
from ..schema.errors import ModelAnswerUnusable, ModelRefused
from ..schema.names import Names
from ..schema.protocols import ChatModel
from ..text.article_rules import is_significant, notable
from ..text.declared import declared_topics
from ..text.gate import find_invented, find_relative_words
from ..text.naming import with_names
from ..text.orders import split_orders
from ..text.statements import spoken_by, stamped, without_bullet
from ..text.support import best_sources, content_terms, share
from ..text.tokens import estimate_tokens
from .rewrite import one_line

_YEAR = re.compile(r"\d{4}[-年/]")

log = logging.getLogger(__name__)

MOST_POINTS = 12
STIMULUS_TOKENS = 6_000
"""Tokens of new information that a model is shown; of more, the statements that say most."""
POINT_SUPPORT = 0.5
"""The share of a point's words that must stand in the new information."""
DYNAMIC_SHOWN = 0.7
"""The share of its bound up to which old Dynamic is shown: its oldest lines are due to go, and the new ones need room."""


class Point(BaseModel):
    """One point."""

    text: str = Field(description="one sentence")
    chapter: ChapterName


class DigestAnswer(BaseModel):
    """What the new information means."""

    model_config = ConfigDict(title="digest")

    significant: bool
    points: list[Point] = Field(default_factory=list)


class Dropped(BaseModel):
    """An old bedrock line that is left out."""

    line: str
    reason: str


class Reconstruction(BaseModel):
    """The complete new chapters."""

    model_config = ConfigDict(title="reconstruct")

    bedrock: list[str] = Field(default_factory=list)
    evolutionary: list[str] = Field(default_factory=list)
    dynamic: list[str] = Field(default_factory=list)
    dropped: list[Dropped] = Field(default_factory=list, description="old bedrock lines that are no longer true")


async def digest(
    article: Article, stimulus: Sequence[str], *, chat: ChatModel | None, names: Names, language: Language
) -> Digest:
    """Whether new information matters, which chapters it strikes, and its points.

    Points of the model that the information does not support are left out; what the person says of who they are is a
    point always, and strikes Bedrock. Without a model, or where it gives nothing usable, the rules decide. Raises
    ModelUnavailable, and ModelRefused where no content could change it.
    """
    by_rules = await asyncio.to_thread(_digest_by_rules, stimulus, names)
    if chat is None or not any(text.strip() for text in stimulus):
        return by_rules
    try:
        answer = await chat.structured(
            DigestAnswer,
            purpose="digest",
            system=render("digest_system", language, bot=names.bot(language), user=names.user(language), most=str(MOST_POINTS)),
            user=render(
                "digest_user",
                language,
                known=_shown(article, CHAPTER_NAMES, language),
                stimulus=await asyncio.to_thread(_quoted, stimulus, names),
            ),
        )
    except (ModelAnswerUnusable, ModelRefused) as error:
        if isinstance(error, ModelRefused) and not error.about_content:
            raise
        log.warning("new information is digested by rules: %s", error)
        return by_rules
    return await asyncio.to_thread(_digest_of, answer, by_rules, stimulus, names)


async def reconstruct(
    article: Article,
    digest: Digest,
    stimulus: Sequence[str],
    reasons: Sequence[str],
    *,
    chat: ChatModel,
    names: Names,
    bounds: ChapterBounds,
    language: Language,
) -> Proposal:
    """The whole new article as the model proposes it: the chapters that were struck anew, the others as they are.

    `reasons` are what was wrong with the last proposal. Lines are cleaned of list marks and "the user" and "he" become the
    name where that can mean nobody else; nothing is judged here. Raises what the model raises.
    """
    struck = [name for name in CHAPTER_NAMES if name in digest.chapters] or ["Dynamic"]
    news = digest.points or (await asyncio.to_thread(_digest_by_rules, stimulus, names)).points
    shown = article.with_chapters({"Dynamic": _newest_of(article, bounds)})
    answer = await chat.structured(
        Reconstruction,
        purpose="reconstruct",
        system=render("reconstruct_system", language, bot=names.bot(language), user=names.user(language)),
        user=render(
            "reconstruct_user",
            language,
            article=_shown(shown, struck, language),
            news="\n".join(f"- {one_line(point)}" for point in news),
            wrong=_complaint(reasons, language),
        ).strip(),
    )
    written = {"Bedrock": answer.bedrock, "Evolutionary": answer.evolutionary, "Dynamic": answer.dynamic}
    proposed: dict[ChapterName, str] = {name: _chapter(written[name], names) for name in struck}
    dropped = tuple(DroppedLine(without_bullet(one.line), one.reason.strip()) for one in answer.dropped if one.line.strip())
    return Proposal(article.with_chapters(proposed), dropped)


def _digest_by_rules(stimulus: Sequence[str], names: Names) -> Digest:
    points = list(dict.fromkeys(_with_day(point, text, names) for text in stimulus for point in notable(text, names)))
    chapters: tuple[ChapterName, ...] = ("Bedrock", "Dynamic") if any(_declares(one, names) for one in points) else ("Dynamic",)
    return Digest(is_significant(stimulus, names), chapters if points else (), tuple(points))


def _digest_of(answer: DigestAnswer, by_rules: Digest, stimulus: Sequence[str], names: Names) -> Digest:
    dated = [(statement, stamped(text.strip())[0]) for text in stimulus for statement in split_orders(text)[0]]
    told = [statement for statement, _ in dated]
    terms = [content_terms(statement, names, dates=False) for statement in told]
    points: list[str] = []
    chapters: set[ChapterName] = set()
    for point in answer.points[:MOST_POINTS]:
        text = with_names(" ".join(point.text.split()), names)
        wanted = content_terms(text, names, dates=False)
        sources = best_sources(wanted, terms, 3)
        held = frozenset().union(*(terms[n] for n in sources))
        if not wanted or share(wanted, held) < POINT_SUPPORT or find_relative_words(text, names=names).violations:
            continue
        if find_invented(text, "\n".join(told), names):
            continue
        day = dated[sources[0]][1]
        points.append(f"{day} {text}" if point.chapter == "Dynamic" and day and not _YEAR.search(text) else text)
        chapters.add(point.chapter)
    for declared in by_rules.points:
        if _declares(declared, names) and not _holds(points, declared, names):
            points.append(declared)
            chapters.add("Bedrock")
    if not points:
        return by_rules if answer.points else Digest(significant=False)
    ordered = tuple(name for name in CHAPTER_NAMES if name in chapters)
    return Digest(answer.significant or bool(chapters & {"Bedrock"}), ordered, tuple(dict.fromkeys(points)))


def _with_day(point: str, text: str, names: Names) -> str:
    """A statement of `text` with the day that the text opens with, where it passes and says no day itself."""
    own, rest = stamped(point)
    day = own or stamped(text.strip())[0]
    return rest if not day or _declares(rest, names) or _YEAR.search(rest) else f"{day} {rest}"


def _declares(point: str, names: Names) -> bool:
    speaker, said = spoken_by(stamped(point)[1])
    return bool(declared_topics(said, names, by_user=speaker in ("", names.user_name)))


def _holds(points: Sequence[str], declared: str, names: Names) -> bool:
    wanted = content_terms(declared, names, dates=False)
    return any(share(wanted, content_terms(point, names, dates=False)) >= POINT_SUPPORT for point in points)


def _quoted(stimulus: Sequence[str], names: Names) -> str:
    """The new information as list items, each on one line, so that none can pose as a part of the prompt."""
    texts = [line for text in stimulus for line in text.splitlines() if line.strip()]
    if estimate_tokens("\n".join(texts)) > STIMULUS_TOKENS:
        texts = [point for text in stimulus for point in notable(text, names, MOST_POINTS)]
        while len(texts) > 1 and estimate_tokens("\n".join(texts)) > STIMULUS_TOKENS:
            texts.pop(0)
    return "\n".join(f"- {one_line(without_bullet(text))}" for text in texts)


def _shown(article: Article, chapters: Sequence[ChapterName], language: Language) -> str:
    nothing = "（空）" if language == "zh" else "(empty)"
    return "\n".join(f"{name.lower()}:\n{article.chapter(name).strip() or nothing}" for name in chapters)


def _newest_of(article: Article, bounds: ChapterBounds) -> str:
    lines = list(article.lines("Dynamic"))
    while len(lines) > 1 and estimate_tokens("\n".join(lines)) > DYNAMIC_SHOWN * bounds.dynamic:
        lines.pop(0)
    return "\n".join(lines)


def _chapter(written: Sequence[str], names: Names) -> str:
    lines = [without_bullet(line) for text in written for line in text.splitlines()]
    return "\n".join(f"- {with_names(line, names)}" for line in dict.fromkeys(lines) if line)


def _complaint(reasons: Sequence[str], language: Language) -> str:
    if not reasons:
        return ""
    head = "上一次的问题，请改正：" if language == "zh" else "What was wrong last time, mend it:"
    return "\n".join(["", head, *(f"- {one_line(reason)}" for reason in reasons)])
