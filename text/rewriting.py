"""The rule rewriter: a text with the names of those it speaks of, made without any model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..schema.names import Names
from .agreement import Edit
from .antecedent_choice import Choice, choose, sender_name
from .chinese_rewriting import followed_by_institution, loose_users, rewrite_group, rewrite_person
from .english_rewriting import english_group, english_person
from .language import detect_language
from .protected import protected_spans
from .reference_types import Reference
from .references import find_references, is_deictic_name

Item = Literal["action", "fact"]


@dataclass(frozen=True, slots=True)
class Replacement:
    """One change: character offsets in the text that was given, the wording there, and what stands in its place."""

    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A text rewritten by rules.

    `replaced` are the changes, in the order of the text, with offsets in the text that was given. `undecided` are the
    references that stay because no rule says whom or what they mean (offsets in the text that was given as well). A
    third-person pronoun that its own text explains ("Wang said he …") stays and is not undecided.
    """

    text: str
    replaced: tuple[Replacement, ...] = ()
    undecided: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cast:
    """The names as they are written into one text; `sender` is whom an unexplained third person means."""

    bot: str
    user: str
    sender: str
    group: str


def draft(
    text: str,
    names: Names,
    item: Item,
    *,
    recent_speakers: Sequence[str] = (),
    language: Literal["auto", "zh", "en"] = "auto",
) -> Draft:
    """Write the names of a conversation into a text whose times are already resolved.

    Who is meant: the first person is the bot, which writes both items; the second person is the user; a third person is
    the user, unless the text names somebody else before it who fits (then the pronoun stays: the text itself says who),
    or the user can not be meant (it is the object of the user's own verb, the user's name follows in the sentence, the
    text also says "you", or another gender was used for the user). `recent_speakers` are the names of those who spoke
    last; when the user is not among them, the one who is takes the third person, and with several nobody does.
    我们/we is the bot and the user; 本群, 这里, "this group" and "here" are the group, where there is one.

    `item` says what the text is: "action" (what the bot did) or "fact" (what it learnt about the user). Only in a fact
    the bare noun 用户 at the head of a clause is the user. Quotations, code, addresses and the names themselves are
    kept byte for byte; drafting a draft again changes nothing.
    """
    known = conversation_words(names, recent_speakers)
    glossary = tuple(dict.fromkeys((*known, *names.glossary)))
    spans = protected_spans(text, glossary)
    others = tuple(name for name in (*names.others, *recent_speakers) if name and name not in (names.bot_name, names.user_name))
    people = tuple(dict.fromkeys(name for name in (names.user_name, *others) if name))
    references = find_references(text, protected=spans, language=language, people=people, bot=names.bot_name)
    if item == "fact" and "用" in text:
        references = sorted([*references, *loose_users(text, spans)], key=lambda reference: reference.start)
    if not references:
        return Draft(text)
    spoken = language if language != "auto" else detect_language(text, ignore=spans)
    sender = sender_name(names, recent_speakers)
    cast = _Cast(
        bot=_written(names.bot(spoken), spoken),
        user=_written(names.user(spoken), spoken),
        sender=_written(sender if sender and sender != names.user_name and names.user_name else names.user(spoken), spoken),
        group=_written(names.group(spoken), spoken),
    )
    edits: list[Edit] = []
    undecided: list[Reference] = []
    choices = choose(text, references, names, others, recent_speakers, spans, item)
    for reference, choice in zip(references, choices, strict=True):
        if choice is Choice.STANDS:
            continue
        made = _edits(text, reference, choice, cast)
        if made is None:
            undecided.append(reference)
        else:
            edits.extend(made)
    return _apply(text, edits, undecided)


def _edits(text: str, reference: Reference, choice: Choice, cast: _Cast) -> list[Edit] | None:
    """What a decided reference turns into; None where it has to stay."""
    han = not reference.text.isascii() or reference.form in ("singular", "plural")
    if choice is Choice.NOBODY:
        if han and reference.person == "second" and reference.plural and followed_by_institution(text, reference.end):
            return rewrite_person(text, reference, cast.user)
        return None
    if choice is Choice.GROUP:
        if han and reference.person == "second" and followed_by_institution(text, reference.end):
            return rewrite_person(text, reference, cast.user)
        return rewrite_group(reference, cast.group) if han else english_group(text, reference, cast.group)
    if choice is Choice.BOT_AND_USER:
        if not han:
            return english_person(text, reference, f"{cast.bot} and {cast.user}", plural=True)
        if followed_by_institution(text, reference.end):
            return None
        return [(reference.start, reference.end, f"{cast.bot}和{cast.user}")]
    name = {Choice.BOT: cast.bot, Choice.USER: cast.user, Choice.SENDER: cast.sender}[choice]
    return rewrite_person(text, reference, name) if han else english_person(text, reference, name)


def conversation_words(names: Names, recent_speakers: Sequence[str]) -> tuple[str, ...]:
    """The names as they may stand in a text, without those that are nothing but a pronoun."""
    candidates = [names.bot_name, names.user_name, names.group_name, *names.others, *recent_speakers]
    for language in ("zh", "en"):
        candidates.extend((names.user(language), names.group(language)))
    words = (" ".join(name.split()) for name in candidates if name)
    return tuple(dict.fromkeys(name for name in words if name and not is_deictic_name(name)))


def _written(name: str, language: str) -> str:
    """A name on one line; one that is itself a pronoun (我, Here) is put into quotation marks, or it would be read as one."""
    name = " ".join(name.split())
    if name and is_deictic_name(name):
        return f"“{name}”" if language == "zh" else f'"{name}"'
    return name


_LATIN_EDGE = re.compile(r"[A-Za-z0-9_]")


def _apply(text: str, edits: Sequence[Edit], undecided: Sequence[Reference]) -> Draft:
    """Put the edits into the text, with a space where two Latin words or digits would touch."""
    pieces: list[str] = []
    replaced: list[Replacement] = []
    position = 0
    for start, end, new in sorted(edits):
        if start < position:
            continue
        before = text[start - 1] if start else ""
        if start == position and pieces:
            before = pieces[-1][-1:] or before
        after = text[end] if end < len(text) else ""
        if before and new and _LATIN_EDGE.match(before) and _LATIN_EDGE.match(new[0]):
            new = f" {new}"
        if (
            after
            and new
            and ((_LATIN_EDGE.match(after) and _LATIN_EDGE.match(new[-1])) or (new[-1].isdigit() and "㐀" <= after <= "鿿"))
        ):
            new = f"{new} "
        pieces.append(text[position:start])
        pieces.append(new)
        replaced.append(Replacement(start, end, text[start:end], new))
        position = end
    pieces.append(text[position:])
    return Draft("".join(pieces), tuple(replaced), tuple(undecided))
