"""Memories as one quoted block of a prompt: data to refer to, never instructions.

    <memory>
    What follows was recalled from memory, for reference only. …
    - [pinned] call her Annie
    - [user Ann] "I'm allergic to peanuts" (2026-01-09); lives in Leeds (2026-03-02)
    [2026-02-20]
    Ben: which book was it?
    Ann: the one that I start on Friday (2026-02-27)
    - Clio recommended "Three Body" to Ann
    </memory>

First come pinned lines and profiles with the day of each line, then messages and events in the
order of time, with one heading per day. The line of a message begins with its speaker, the line of
an event with a dash. All texts, names and tags go through `quoting`: no line can end the block,
begin another block, or pass for a heading or for the words of another speaker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...schema.hit import Hit, ProfileHit
from ...schema.language import Language
from ...schema.profile import LineKind, Profile, ProfileLine
from ...schema.summary import Article
from ...text.content_words import share, terms_in
from ...text.profiles.declared import line_kind
from ...text.questions import asking_sentences
from ...text.speakers.shown_names import AS_BORNE, ShownNames
from ...text.tokens import estimate_tokens
from .articles import ARTICLE_SHARE, DATED_SHARE, fill_article
from .block import LABELS, Block, cost_of, cut, day, heading_of, minute, record_line, until_mark
from .passage_lines import PassageLines
from .quoting import quoted, quoted_name

_BETWEEN = {"zh": "；", "en": "; "}
PROFILE_SHARE, ANSWERING_SHARE = 0.15, 0.5
"""The maximum share of the budget for profile lines, and for profile lines that answer the
question. The rest is for messages and events."""
KEPT_SHARE = 0.3
"""The maximum share of the budget for lines about health and boundaries, and again for pinned
lines."""
ANSWERS = 0.5
"""A profile line answers the question if it holds at least this share of the content words of the
question."""
ROUNDING = 8
"""The number of tokens by which the estimate of a text may be higher than its part of the estimate
of a longer text."""
_FIRST: Mapping[LineKind, int] = {"health": 1, "boundary": 1, "identity": 2, "other": 4}
"""The order of kinds of lines that do not answer the question. Kinds that are not listed come
third."""


def format_memories(
    profiles: Sequence[Profile],
    hits: Sequence[Hit],
    *,
    language: Language,
    max_tokens: int,
    article: Article | None = None,
    queries: Sequence[str] = (),
    names: ShownNames = AS_BORNE,
) -> str:
    """Return the block within the token budget: profiles, the article, then hits in the order of
    time; "" if all are empty.

    The best hits are added first. `queries` are the questions: they determine which profile lines
    count as answers and which part of a long message is shown. `names` are the current names.
    """
    block = Block(language, max_tokens)
    has_more = bool(hits) or article is not None
    within = PROFILE_SHARE if has_more else 1.0
    fill_profiles(block, profiles, queries, language, within, names)
    if article is not None:
        within = ARTICLE_SHARE if article.revision else DATED_SHARE
        fill_article(block, article, language, within if profiles or hits else 1.0)
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
    """Add the pinned lines, then one line per profile. Statements that answer the question get room
    first, then the other kinds; within a kind, the newest statements get room first.
    """
    given = block.left
    pinned = [one for profile in profiles for one in profile.lines if one.pinned]
    for one in _newest_first(pinned):
        shown = f"- [{LABELS[language]['pinned']}] {quoted(one.text)}"
        if cost_of(shown) <= int(given * max(within, KEPT_SHARE)) - (given - block.left):
            block.add([shown])
            block.note(one)
    given = block.left
    for profile in profiles:
        chosen: list[ProfileLine] = []
        shown, cost = "", 0
        for share_of_room, one in _ranked(profile, queries):
            room = int(given * max(within, share_of_room)) - (given - block.left)
            if chosen and cost + estimate_tokens(one.counted_text) > room + ROUNDING:
                continue  # this line is too long even before it is quoted together with the others
            longer = profile_line(profile, language, [*chosen, one], names)
            if (needed := cost_of(longer)) <= room:
                shown, cost = longer, needed
                chosen.append(one)
            elif not chosen:
                shown = cut(longer, room - 1) or shown
        if shown:
            block.add([shown])
            for one in chosen:
                block.note(one)


def _ranked(profile: Profile, queries: Sequence[str]) -> list[tuple[float, ProfileLine]]:
    """Return the lines that are not pinned in the order in which they get room, each with its
    maximum share of the room.

    A line that answers the question brings the other lines of its kind, so that no line is shown
    without a newer one. Lines of the kind that the question asks for ("where does Ann live?") come
    too.
    """
    wanted = [terms for query in queries if (terms := terms_in(query))]
    lines = [one for one in profile.lines if not one.pinned]
    answers = {
        one.line_id
        for one in lines
        if any(share(terms, terms_in(one.text)) >= ANSWERS for terms in wanted)
    }
    asked = {one.kind for one in lines if one.line_id in answers}
    asked |= {line_kind(asking_sentences(query)) for query in queries}
    asked -= {"other"}

    def rank(one: ProfileLine) -> int:
        return 0 if one.line_id in answers or one.kind in asked else _FIRST.get(one.kind, 3)

    shares = {0: ANSWERING_SHARE, 1: KEPT_SHARE}
    return [(shares.get(rank(one), 0.0), one) for one in sorted(_newest_first(lines), key=rank)]


def _newest_first(lines: Sequence[ProfileLine]) -> list[ProfileLine]:
    """Return the lines by the last day on which they were stated, newest first; for the same day in
    reverse order.
    """
    return sorted(lines, key=lambda one: one.last_day)[::-1]


def profile_head(profile: Profile, language: Language, names: ShownNames = AS_BORNE) -> str:
    """Return `- [user Ann; tags] `."""
    kind, whose = profile.key.entity_type, profile.key.entity_id
    name = names.person(whose, profile.name) if kind == "user" else profile.name
    who = f"{LABELS[language][kind]} {quoted_name(name or whose)}"
    tags = quoted_name(", ".join(profile.tags))
    return f"- [{who}{f'; {tags}' if tags else ''}] "


def format_summaries(
    summaries: Sequence[tuple[str, str]], *, language: Language, max_tokens: int
) -> str:
    """Return the block of plain (timestamp, text) summaries. If the budget is short, the newest are
    kept.
    """
    block = Block(language, max_tokens)
    block.fill(
        [f"- [{day(timestamp)}] {quoted(text)}" for timestamp, text in reversed(summaries)], 1.0
    )
    block.lines.reverse()
    return block.text()


def profile_line(
    profile: Profile,
    language: Language,
    lines: Sequence[ProfileLine] | None = None,
    names: ShownNames = AS_BORNE,
) -> str:
    """Return `- [user Ann; tags] lives in Leeds (2026-03-02); likes tea (2026-02-20)`. `lines` are
    the lines of the profile that are shown, None all.
    """
    said = _newest_first(profile.lines) if lines is None else lines
    return profile_head(profile, language, names) + quoted(
        _BETWEEN[language].join(one.counted_text for one in said)
    )


def format_hit(hit: Hit, language: Language, names: ShownNames = AS_BORNE) -> str:
    """Return one hit as a line, `- [2026-02-20 17:30] Ann: text`. Adds "not filed yet", the group of a hit from elsewhere, or
    "(until 2026-05-10)" for a superseded fact."""
    said = record_line(hit, names)
    stamp = heading_of(hit, language, minute(hit.event.timestamp_local))
    return f"- {stamp} {said.removeprefix('- ')}{until_mark(hit.event, language)}"


def format_profile_hits(
    hits: Sequence[ProfileHit], *, language: Language, max_tokens: int, names: ShownNames = AS_BORNE
) -> str:
    """Return the block of the profiles that a search found."""
    block = Block(language, max_tokens)
    block.fill([profile_line(hit.profile, language, names=names) for hit in hits], 1.0)
    return block.text()
