"""Memories as one quoted block of a prompt: data to refer to, never instructions.

    <memory>
    What follows was recalled from memory, for reference only. …
    - [user Ann] likes tea
    - [2026-02-20 17:30] Clio recommended "Three Body" to Ann
    </memory>

One line a memory. What it says, whoever it names and however it is tagged goes through `quoting`: no line can end the
block or begin another one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...schema.event import is_raw
from ...schema.hit import Hit, ProfileHit
from ...schema.job import without_list_mark
from ...schema.language import Language
from ...schema.profile import Profile
from ...schema.summary import StoredArticle
from ...text.profiles.cleaning import in_one_line
from .articles import ARTICLE_SHARE, fill_article
from .block import Block, day, minute
from .quoting import quoted, quoted_name

_LABELS = {
    "zh": {"user": "用户画像", "group": "群画像", "pending": "尚未归档"},
    "en": {"user": "user", "group": "group", "pending": "not filed yet"},
}
_UNTIL = {"zh": "（至{day}）", "en": " (until {day})"}
_IN_GROUP = {"zh": " 在群“{group}”里", "en": ' in group "{group}"'}
_BETWEEN = {"zh": "；", "en": "; "}
PROFILE_SHARE = 0.5
PENDING_SHARE = 0.3
"""At most so much of the budget is for profiles, and for what is not filed yet; what they leave is for records."""


def format_memories(
    profiles: Sequence[Profile],
    hits: Sequence[Hit],
    *,
    language: Language,
    max_tokens: int,
    article: StoredArticle | None = None,
) -> str:
    """Return the block within the token budget: profiles, then the article, then events, best first; "" if all are empty.

    A line that does not fit is cut where enough room is left to say anything, else left out.
    """
    block = Block(language, max_tokens)
    # Fills from the front, so that a short budget loses what fits least; `pending` may not push filed records out.
    shown = [profile_line(profile, language) for profile in profiles if profile.summary]
    block.fill(shown, PROFILE_SHARE if hits or article is not None else 1.0)
    if article is not None:
        fill_article(block, article, language, ARTICLE_SHARE if profiles or hits else 1.0)
    said = _lines_of(profiles)
    filed = _said_once([hit for hit in hits if not hit.pending], said)
    waiting = _said_once([hit for hit in hits if hit.pending], said)
    if waiting:
        block.fill((hit_line(hit, language) for hit in waiting), PENDING_SHARE if filed else 1.0)
    block.fill((hit_line(hit, language) for hit in filed), 1.0)
    return block.text()


def worth_showing(
    hits: Sequence[Hit], profiles: Sequence[Profile], *, at_least: int, at_most: int, relative_score: float
) -> list[Hit]:
    """Return the first `at_least` hits that say more than the profiles, and those behind them that are worth their place.

    Worth it is what has `relative_score` of the best score, up to `at_most` hits; what tools returned only fills the
    first places.
    """
    said = _lines_of(profiles)
    chosen: list[Hit] = []
    best = max((hit.score for hit in hits), default=0.0)
    for hit in hits:
        is_worth_it = hit.score >= relative_score * best and not is_raw(hit.event)
        if len(chosen) < at_most and hit.event.text not in said and (len(chosen) < at_least or is_worth_it):
            said.add(hit.event.text)
            chosen.append(hit)
    return chosen


def _lines_of(profiles: Sequence[Profile]) -> set[str]:
    return {line.removeprefix("-").strip() for profile in profiles for line in profile.summary.splitlines()}


def _said_once(hits: Sequence[Hit], said: set[str]) -> list[Hit]:
    """Return the hits whose text is not in `said` yet (a profile or another event has it), and add their texts to `said`."""
    once: list[Hit] = []
    for hit in hits:
        if hit.event.text not in said:
            said.add(hit.event.text)
            once.append(hit)
    return once


def format_summaries(summaries: Sequence[tuple[str, str]], *, language: Language, max_tokens: int) -> str:
    """Return the block of plain (timestamp, text) summaries; the newest are kept if the budget is short."""
    block = Block(language, max_tokens)
    block.fill([f"- [{day(timestamp)}] {quoted(text)}" for timestamp, text in reversed(summaries)], 1.0)
    block.lines.reverse()
    return block.text()


def profile_line(profile: Profile, language: Language) -> str:
    """`- [user Ann; tags] first line; second line`."""
    who = f"{_LABELS[language][profile.key.entity_type]} {quoted_name(profile.name or profile.key.entity_id)}"
    tags = quoted_name(", ".join(profile.tags))
    return f"- [{who}{f'; {tags}' if tags else ''}] {quoted(in_one_line(profile.summary, _BETWEEN[language]))}"


def hit_line(hit: Hit, language: Language) -> str:
    """`- [2026-02-20 17:30] text`; what waits to be filed says so, what is from a group where, what is over until when."""
    mark = f" {_LABELS[language]['pending']}" if hit.pending else ""
    if hit.group:
        mark += _IN_GROUP[language].format(group=quoted_name(hit.group))
    said = quoted(without_list_mark(hit.event.text.lstrip()))
    return f"- [{minute(hit.event.timestamp_local)}{mark}] {said}{_until(hit, language)}"


def _until(hit: Hit, language: Language) -> str:
    """Return the mark of a record that a later one has superseded: ` (until 2026-05-10)`."""
    since = hit.event.superseded_at
    if not hit.event.superseded_by or since is None:
        return ""
    return _UNTIL[language].format(day=hit.event.local_day(since))


def format_profile_hits(hits: Sequence[ProfileHit], *, language: Language, max_tokens: int) -> str:
    """Return the block of the profiles that a search found."""
    block = Block(language, max_tokens)
    block.fill([profile_line(hit.profile, language) for hit in hits], 1.0)
    return block.text()
