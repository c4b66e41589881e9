"""The rule-based rewriter, which replaces the references of a text by names without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...schema.language import LanguageChoice
from ...schema.names import Names
from ..borders import in_word
from ..edits import Edit, edited
from ..references.finding import is_deictic_name
from ..references.types import Cast, Item, Reference
from ..sentence import Sentence, as_sentence
from .choosing import Choice, choose, sender_name
from .first_person import cast_of_bot, cast_of_fact
from .wording import (
    english_group,
    english_person,
    followed_by_institution,
    rewrite_group,
    rewrite_person,
)


@dataclass(frozen=True, slots=True)
class Replacement:
    """One change: character offsets in the input text, the old wording and the new wording."""

    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A text rewritten by rules.

    `replaced` are the changes in text order, with offsets in the input text. `undecided` are the
    references that no rule resolves (also with offsets in the input text). A third-person pronoun
    with a clear antecedent in the text ("Wang said he …") is neither replaced nor undecided.
    """

    text: str
    replaced: tuple[Replacement, ...] = ()
    undecided: tuple[Reference, ...] = ()


def draft(
    text: str | Sentence,
    names: Names,
    item: Item,
    *,
    recent_speakers: Sequence[str] = (),
    language: LanguageChoice = "auto",
    cast: Cast | None = None,
) -> Draft:
    """Replace the references of a text with resolved times by the names of the conversation.

    `cast` has the referents of the first and second person. By default they are the bot and the
    user in an action, and those of `cast_of_fact` in a fact: "I" is the user, unless it helps the
    user in the third person. "He" or "she" is the user, unless the text names another matching
    person before it (then the pronoun is not replaced) or the user is excluded. The user is
    excluded if the pronoun is the object of the user's own verb, the user's name follows in the
    text, the text also says "you", or another gender was used for the user. "They" is never the
    user. `recent_speakers` are the names of the last speakers. If the user is not among them, the
    third person is the only recent speaker; if there are several, it is undecided. In an action,
    我们/we is the bot and the user. 本群, 这里, "this group" and "here" are the group, if there is one.

    `item` is "action" (what the bot did) or "fact" (what it learnt about the user). A 用户 or "user"
    without number or attribute is the user. Quotations, code, addresses and the names themselves
    are not changed.
    """
    sentence = as_sentence(text, names, language)
    if not sentence.references:
        return Draft(sentence.text)
    text, spoken = sentence.text, sentence.language
    if cast is None:
        cast = cast_of_bot(names, spoken) if item == "action" else cast_of_fact(sentence)
    sender = sender_name(names, recent_speakers)
    bot, user, group = (
        _written(names.bot(spoken)),
        _written(names.user(spoken)),
        _written(names.group(spoken)),
    )
    called = {
        Choice.GROUP: group,
        Choice.BOT_AND_USER: f"{bot}{'和' if spoken == 'zh' else ' and '}{user}",
        Choice.SENDER: _written(sender) if names.user_name and sender != names.user_name else user,
        Choice.FIRST: _written(cast.first),
        Choice.OF_FIRST: _written(cast.first),
        Choice.SECOND: _written(cast.second),
        Choice.NOBODY: "",
    }
    edits: list[Edit] = []
    undecided: list[Reference] = []
    for reference, choice in zip(
        sentence.references, choose(sentence, recent_speakers, item, cast), strict=True
    ):
        if choice is not Choice.STANDS:
            name = called[choice]
            made = _edits(text, reference, choice, name, is_bot=name == bot)
            undecided += [reference] if made is None else []
            edits += made or []
    return _apply(text, edits, undecided)


def _edits(
    text: str, reference: Reference, choice: Choice, name: str, *, is_bot: bool
) -> list[Edit] | None:
    """Return the edits for a reference, or None if it cannot be replaced."""
    han = not reference.text.isascii() or reference.form in ("singular", "plural")
    of_theirs = han and followed_by_institution(text, reference.end)
    if choice is Choice.NOBODY or (choice is Choice.BOT_AND_USER and of_theirs):
        return None
    if choice is Choice.GROUP:
        return rewrite_group(reference, name) if han else english_group(text, reference, name)
    if choice is Choice.BOT_AND_USER and han:
        return [(reference.start, reference.end, name)]
    if choice is Choice.OF_FIRST and not (
        of_theirs or reference.form in ("possessive", "possessive_alone")
    ):
        return None
    if han:
        return rewrite_person(text, reference, name)
    return english_person(
        text, reference, name, plural=choice is Choice.BOT_AND_USER, is_bot=is_bot
    )


def _written(name: str) -> str:
    """Return a name on one line; a name that is a pronoun (我, Here) is put in quotation marks."""
    name = " ".join(name.split())
    return f"“{name}”" if name and is_deictic_name(name) else name


def _apply(text: str, edits: Sequence[Edit], undecided: Sequence[Reference]) -> Draft:
    """Apply the edits, with a space where two Latin words or digits would touch.

    A space also separates a Latin name from a straight quotation mark or an @, which would be read
    as an apostrophe, an inch mark or part of an address.
    """
    replaced: list[Replacement] = []
    position = 0
    for start, end, new in sorted(edits):
        if start < position:
            continue
        old, after = text[start:end], text[end : end + 1]
        before = (
            replaced[-1].new[-1:] if replaced and start == position else text[start - 1 : start]
        )
        if new:
            measure = new[-1].isdigit() and (after == '"' or "㐀" <= after <= "鿿")
            new = f"{' ' * _touch(before, new[0], old[:1])}{new}{' ' * (measure or _touch(after, new[-1], old[-1:]))}"
        replaced.append(Replacement(start, end, old, new))
        position = end
    return Draft(
        edited(text, ((one.start, one.end, one.new) for one in replaced)),
        tuple(replaced),
        tuple(undecided),
    )


def _touch(beside: str, edge: str, old: str) -> bool:
    return in_word(edge) and (
        in_word(beside) or (beside != "" and beside in "\"'’＂@" and not in_word(old))
    )
