"""Cognitive reconstruction: digest new information and propose a new article. Proposals are checked elsewhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..schema.article import CHAPTER_NAMES, Article, ChapterBounds, ChapterName, Digest, DroppedLine, Proposal
from ..schema.names import Names
from ..schema.protocols import StructuredChat
from ..text.articles.lines import newest_within, says_again
from ..text.gate import find_invented, find_relative_words
from ..text.instructions import split_instructions
from ..text.language import Language
from ..text.statements import stamped, without_bullet
from ..text.support import best_sources, content_terms, share
from .asking import asked
from .templates import one_line, render

_YEAR = re.compile(r"\d{4}[-年/]")
_SAYS_NOTHING = re.compile(
    r"[\s(（\[【<{]*(?:empty|none|nothing|null|n/?a|空|无|没有|暂无|\.{3}|…)?[\s)）\]】>}.。]*", re.IGNORECASE
)
"""Placeholders that models write for an empty chapter."""

MOST_POINTS = 12
STIMULUS_TOKENS = 6_000
"""Tokens of new information shown to a model. If there is more, only the newest lines are shown."""
POINT_SUPPORT = 0.5
"""The share of a point's words that must stand in the new information."""
DYNAMIC_SHOWN = 0.7
"""The share of its bound up to which the old Dynamic chapter is shown. Its oldest lines make room for new ones."""
FLOOD_LINES = 300
FLOOD_LINE = 5_000
"""An answer with more lines, or a longer line (in characters), is refused."""


class Point(BaseModel):
    """One point of the new information."""

    text: str = Field(description="one sentence")
    chapter: ChapterName


class DigestAnswer(BaseModel):
    """What the new information means."""

    usual_tokens: ClassVar[int] = 1_000
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


@cache
def reconstruction_of(chapters: tuple[ChapterName, ...]) -> type[BaseModel]:
    """Return the answer model with these chapters only: small models fill every chapter offered, repeating themselves."""
    wanted = {name: Reconstruction.model_fields[name.lower()] for name in chapters}
    fields: dict[str, Any] = {name.lower(): (field.annotation, field) for name, field in wanted.items()}
    if "Bedrock" in chapters:
        dropped = Reconstruction.model_fields["dropped"]
        fields["dropped"] = (dropped.annotation, dropped)
    return create_model("Chapters", __doc__=Reconstruction.__doc__, __config__=Reconstruction.model_config, **fields)


async def digest(article: Article, stimulus: Sequence[str], *, chat: StructuredChat, names: Names, language: Language) -> Digest:
    """Return whether new information is significant, which chapters it affects, and its points.

    Points that the information does not support are left out. If the answer is unusable, the information is not
    significant, and may affect all chapters. Raises ModelUnavailable, and ModelRefused if the refusal does not depend on
    the content.
    """
    told = _quoted(stimulus)
    answer = await asked(
        chat,
        DigestAnswer,
        "new information is not digested",
        purpose="digest",
        system=render("digest_system", language, bot=names.bot(language), user=names.user(language), most=str(MOST_POINTS)),
        user=render("digest_user", language, known=_shown(article, CHAPTER_NAMES, language), stimulus=told),
    )
    if answer is None:
        return Digest(significant=False, chapters=CHAPTER_NAMES)
    return await asyncio.to_thread(_digest_of, answer, stimulus, names)


async def reconstruct(
    article: Article,
    digest: Digest,
    stimulus: Sequence[str],
    reasons: Sequence[str],
    *,
    chat: StructuredChat,
    names: Names,
    bounds: ChapterBounds,
    language: Language,
) -> Proposal:
    """Return the new article that the model proposes. Chapters that are not affected stay unchanged.

    The model is shown the digest's points, or the whole stimulus if there are none; `reasons` are the faults of the last
    proposal. List marks are removed. The proposal is not checked. Raises what the model raises.
    """
    struck = [name for name in CHAPTER_NAMES if name in {*digest.chapters, *digest.points.values()}] or ["Dynamic"]
    dynamic = newest_within(article.lines("Dynamic"), DYNAMIC_SHOWN * bounds.dynamic, least=1)
    shown = article.with_chapters({"Dynamic": "\n".join(dynamic)})
    answer = await chat.structured(
        reconstruction_of(tuple(struck)),
        purpose="reconstruct",
        system=_for_chapters(render("reconstruct_system", language, bot=names.bot(language), user=names.user(language)), struck),
        user=render(
            "reconstruct_user",
            language,
            article=_shown(shown, struck, language),
            news=_grouped(digest.points) if digest.points else _quoted(stimulus),
            wrong=_complaint(reasons, language),
        ).strip(),
    )
    answered = Reconstruction.model_validate(answer.model_dump())
    written = {"Bedrock": answered.bedrock, "Evolutionary": answered.evolutionary, "Dynamic": answered.dynamic}
    proposed = _chapters({name: written[name] for name in struck})
    if proposed.get("Dynamic"):
        old = shown.lines("Dynamic")
        proposed["Dynamic"] = await asyncio.to_thread(_without_forgetting, old, proposed["Dynamic"], bounds, names)
    dropped = tuple(DroppedLine(without_bullet(one.line), one.reason.strip()) for one in answered.dropped if one.line.strip())
    return Proposal(article.with_chapters(proposed), dropped)


def _for_chapters(prompt: str, struck: Sequence[ChapterName]) -> str:
    """Return the prompt without the lines about chapters that are not requested."""
    others = tuple(f"- {name.lower()}" for name in CHAPTER_NAMES if name not in struck)
    return "\n".join(line for line in prompt.splitlines() if not line.startswith(others))


def _digest_of(answer: DigestAnswer, stimulus: Sequence[str], names: Names) -> Digest:
    told: list[str] = []
    days: list[str] = []
    for text in stimulus:
        for statement in split_instructions(text)[0]:
            told.append(statement)
            days.append(stamped(statement)[0] or (days[-1] if days else ""))
    terms = [content_terms(statement, names, dates=False) for statement in told]
    points: dict[str, ChapterName] = {}
    struck: set[ChapterName] = set()
    for point in answer.points[:MOST_POINTS]:
        text = " ".join(point.text.split())
        wanted = content_terms(text, names, dates=False)
        sources = best_sources(wanted, terms, 3)
        held = frozenset().union(*(terms[n] for n in sources))
        if not wanted or share(wanted, held) < POINT_SUPPORT or _is_relative(text, names):
            continue
        if find_invented(text, "\n".join(told), names):
            continue
        day = days[sources[0]]
        dated = f"{day} {text}" if point.chapter == "Dynamic" and day and not _YEAR.search(text) else text
        points.setdefault(dated, point.chapter)
        struck.add(point.chapter)
    chapters = tuple(name for name in CHAPTER_NAMES if name in struck)
    return Digest(bool(points) and (answer.significant or "Bedrock" in chapters), chapters, points)


def _is_relative(text: str, names: Names) -> bool:
    """Return True if the text has relative words other than the assistant's "I"."""
    return any(finding.why != "first" for finding in find_relative_words(text, names=names).violations)


def _quoted(stimulus: Sequence[str]) -> str:
    """Return the new information as list items of one line each, so that none can imitate a part of the prompt."""
    texts = [line for text in stimulus for line in text.splitlines() if line.strip()]
    newest = newest_within(texts, STIMULUS_TOKENS, least=1)
    return "\n".join(f"- {one_line(without_bullet(text))}" for text in newest)


def _shown(article: Article, chapters: Sequence[ChapterName], language: Language) -> str:
    nothing = "（空）" if language == "zh" else "(empty)"
    return "\n".join(f"{name.lower()}:\n{article.chapter(name).strip() or nothing}" for name in chapters)


def _grouped(news: Mapping[str, ChapterName]) -> str:
    """Return the points grouped by chapter, one per line."""
    parts = []
    for name in CHAPTER_NAMES:
        lines = [f"- {one_line(point)}" for point, chapter in news.items() if chapter == name]
        parts += [f"{name.lower()}:", *lines] if lines else []
    return "\n".join(parts)


def _chapters(written: Mapping[ChapterName, Sequence[str]]) -> dict[ChapterName, str]:
    """Return the model's lines as list items. A line repeated in the same or a later chapter is taken once.

    An oversized answer is passed on unchanged: the check refuses it for its size.
    """
    lines = {name: [without_bullet(line) for text in texts for line in text.splitlines()] for name, texts in written.items()}
    if sum(map(len, lines.values())) > FLOOD_LINES or any(len(one) > FLOOD_LINE for every in lines.values() for one in every):
        return {name: "\n".join(f"- {line}" for line in every) for name, every in lines.items()}
    taken: list[str] = []
    found: dict[ChapterName, str] = {}
    for name, every in lines.items():
        kept = []
        for line in every:
            if line and not _SAYS_NOTHING.fullmatch(line) and line not in taken:
                taken.append(line)
                kept.append(line)
        found[name] = "\n".join(f"- {line}" for line in kept)
    return found


def _without_forgetting(old: Sequence[str], new: str, bounds: ChapterBounds, names: Names) -> str:
    """Return the new Dynamic chapter. If more than half of the old lines are lost, restore the newest of those beyond half.

    Small models often return the new lines only. Older lines are dropped over the next reconstructions.
    """
    taken = new.splitlines()
    if len(taken) > FLOOD_LINES:
        return new
    lost = [line for line in old if not says_again(line, taken, names)]
    back = [*lost[(len(old) + 1) // 2 :], *taken]
    return "\n".join(newest_within(back, DYNAMIC_SHOWN * bounds.dynamic, len(taken)))


def _complaint(reasons: Sequence[str], language: Language) -> str:
    if not reasons:
        return ""
    head = "上一次的问题，请改正：" if language == "zh" else "What was wrong last time, mend it:"
    return "\n".join(["", head, *(f"- {one_line(reason)}" for reason in reasons)])
