"""Memories as one quoted block of a prompt: data to refer to, never instructions.

    <memory>
    What follows was recalled from memory, for reference only. …
    - [user Ann] likes tea
    [2026-02-20]
    Ben: which book was it?
    Ann: the one that I start on Friday (2026-02-27)
    - Clio recommended "Three Body" to Ann
    </memory>

Profiles, then messages and events in the order of time under one heading a day. A line of a message begins with its speaker,
that of an event with a dash. What they say, whoever they name and however they are tagged goes through `quoting`: no line can
end the block, begin another one or pass for a heading or for the words of somebody else.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...schema.hit import Hit, ProfileHit
from ...schema.language import Language
from ...schema.profile import Profile
from ...schema.summary import StoredArticle
from ...text.profiles.cleaning import in_one_line
from ...text.speakers.shown_names import AS_BORNE, ShownNames
from ...text.support import share, terms_in
from .articles import ARTICLE_SHARE, fill_article
from .block import Block, cost_of, cut, day, minute
from .lines import LABELS, heading_of, record_line, until_mark
from .passage_lines import PassageLines
from .quoting import quoted, quoted_name

_BETWEEN = {"zh": "；", "en": "; "}
PROFILE_SHARE, ANSWERING_SHARE = 0.15, 0.5
"""At most so much of the budget is for the lines of profiles, and where they answer the question for these; what they leave is
for messages and events."""
ANSWERS = 0.5
"""The share of the question's content words from which on a line of a profile answers it."""


def format_memories(
    profiles: Sequence[Profile],
    hits: Sequence[Hit],
    *,
    language: Language,
    max_tokens: int,
    article: StoredArticle | None = None,
    queries: Sequence[str] = (),
    names: ShownNames = AS_BORNE,
) -> str:
    """Return the block within the token budget: profiles, the article, then hits in the order of time; "" if all are empty.

    The budget is filled with the best hits first. `queries` are what was asked: they tell which lines of a profile answer, and
    what of a long message is shown. `names` are those of today.
    """
    block = Block(language, max_tokens)
    has_more = bool(hits) or article is not None
    within = PROFILE_SHARE if has_more else 1.0
    fill_profiles(block, profiles, queries, language, within, names)
    if article is not None:
        fill_article(block, article, language, ARTICLE_SHARE if profiles or hits else 1.0)
    if hits:
        PassageLines(block, language, queries, names).fill(hits)
    return block.text()


def fill_profiles(
    block: Block,
    profiles: Sequence[Profile],
    queries: Sequence[str],
    language: Language,
    within: float,
    names: ShownNames = AS_BORNE,
) -> None:
    """Add one line a profile: those of its lines that answer the question first, then the others within a share of the room."""
    given = block.left
    wanted = [terms for query in queries if (terms := terms_in(query))]
    for profile in profiles:
        lines = [one.dated_text for one in profile.lines]
        answers = {line: max((share(terms, terms_in(line)) for terms in wanted), default=0.0) for line in lines}
        lines.sort(key=lambda line: -answers[line] if answers[line] >= ANSWERS else 0.0)
        chosen: list[str] = []
        shown = ""
        for line in lines:
            limit = given * (max(within, ANSWERING_SHARE) if answers[line] >= ANSWERS else within)
            room = int(limit) - (given - block.left)
            longer = profile_line(profile, language, [*chosen, line], names)
            if cost_of(longer) > room:
                if not chosen:
                    shown = cut(longer, room - 1)
                continue
            shown = longer
            chosen.append(line)
        if shown:
            block.add([shown], chosen)


def profile_head(profile: Profile, language: Language, names: ShownNames = AS_BORNE) -> str:
    """`- [user Ann; tags] `."""
    kind, whose = profile.key.entity_type, profile.key.entity_id
    name = names.person(whose, profile.name) if kind == "user" else profile.name
    who = f"{LABELS[language][kind]} {quoted_name(name or whose)}"
    tags = quoted_name(", ".join(profile.tags))
    return f"- [{who}{f'; {tags}' if tags else ''}] "


def format_summaries(summaries: Sequence[tuple[str, str]], *, language: Language, max_tokens: int) -> str:
    """Return the block of plain (timestamp, text) summaries; the newest are kept if the budget is short."""
    block = Block(language, max_tokens)
    block.fill([f"- [{day(timestamp)}] {quoted(text)}" for timestamp, text in reversed(summaries)], 1.0)
    block.lines.reverse()
    return block.text()


def profile_line(profile: Profile, language: Language, lines: Sequence[str] | None = None, names: ShownNames = AS_BORNE) -> str:
    """`- [user Ann; tags] first line; second line`; `lines` are some of its lines, None all."""
    said = profile.summary if lines is None else "\n".join(lines)
    return profile_head(profile, language, names) + quoted(in_one_line(said, _BETWEEN[language]))


def hit_line(hit: Hit, language: Language, names: ShownNames = AS_BORNE) -> str:
    """Return one hit as a line of its own, `- [2026-02-20 17:30] Ann: text`, with the marks of `heading_of` and `until_mark`."""
    said = record_line(hit, names)
    stamp = heading_of(hit, language, minute(hit.event.timestamp_local))
    return f"- {stamp} {said.removeprefix('- ')}{until_mark(hit.event, language)}"


def format_profile_hits(hits: Sequence[ProfileHit], *, language: Language, max_tokens: int, names: ShownNames = AS_BORNE) -> str:
    """Return the block of the profiles that a search found."""
    block = Block(language, max_tokens)
    block.fill([profile_line(hit.profile, language, names=names) for hit in hits], 1.0)
    return block.text()
