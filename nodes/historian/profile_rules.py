"""Profiles without a model: which facts concern a user or group, and the lines made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...prompts.merging import NewFact
from ...schema.names import Names
from ...schema.profile import Profile, ProfileKey, ProfileLine, line_id_of
from ...text.edits import edited
from ...text.language import Language
from ...text.profiles.declared import lasting_kind, line_kind, without_date
from ...text.profiles.lines import CERTAIN, everybody_in, is_about_group, subject_of, with_lines
from ...text.speakers.borne_names import NamedPeople
from ...text.speakers.claims import is_claim, without_speaker


def may_enter_profiles(fact: NewFact, people: NamedPeople, names: Names) -> bool:
    """Return True if a fact may enter the profiles of the user and the group.

    It must name the user or the group; or the user must have told it (or an unknown teller), and no
    person may be its subject.
    """
    text = fact.text
    named = {one.user_id for one in people.named(text)}
    if names.user_id in named or (
        names.group_name and names.group_name.casefold() in text.casefold()
    ):
        return True
    return fact.said_by in ("", names.user_id) and people.subject(text) is None


def concerns(facts: Sequence[NewFact], key: ProfileKey, people: NamedPeople, names: Names) -> bool:
    """Return True if any fact names the entity, or for a group, is about everybody in it.

    For a user, a fact that the gate did not pass counts too: it may mean the user without a name.
    """
    if key.entity_type == "user":
        return any(
            not one.passed or key.entity_id in _named(_told(one.text, names), people)
            for one in facts
        )
    return any(_names_group(one.text, people, names) for one in facts)


def _named(text: str, people: NamedPeople) -> set[str]:
    return {one.user_id for one in people.named(text)}


def _told(fact: str, names: Names) -> str:
    """Return a claim about others without the user's name in front, else the fact itself."""
    body = without_speaker(fact, subject_of(fact, names))
    return body if is_claim(body, names) else fact


def _end_of_subject(fact: str, people: NamedPeople, names: Names) -> int:
    """Return the end of a fact's subject: a person, a group or a word like 大家 at its beginning.

    A group name after the subject is included ("Ann in Book Club").
    """
    bare = fact.lstrip(" \t“\"'@")
    named = next((one.end for one in people.named(fact) if one.start <= len(fact) - len(bare)), 0)
    end = named or len(fact) - len(bare) + len(subject_of(fact, names) or everybody_in(bare))
    of_group = (
        fact.find(names.group_name, end, end + len(names.group_name) + len(" in "))
        if names.group_name
        else -1
    )
    return end if of_group < 0 else of_group + len(names.group_name)


def _names_group(fact: str, people: NamedPeople, names: Names) -> bool:
    """Return True if a fact names the group, or is about everybody in it.

    A nickname that contains the name of the group does not count.
    """
    bare = edited(
        fact, ((one.start, one.end, "") for one in people.named(fact) if one.user_id)
    ).casefold()
    return any(
        names.group(language).casefold() in bare for language in ("zh", "en")
    ) or is_about_group(fact, names)


def merged_by_rules(
    facts: Sequence[NewFact], old: Profile, people: NamedPeople, names: Names, language: Language
) -> Profile:
    """Return the profile with the lasting absolute facts about its entity as lines.

    `lasting_kind` decides which facts are lasting. In a private chat, facts on health and
    boundaries are added too if the gate only doubts whether they are about the user.
    """
    is_user = old.key.entity_type == "user"
    whose = (
        {old.key.entity_id} if names.group() else {old.key.entity_id, None}
    )  # a private chat has one person
    new: list[ProfileLine] = []
    for fact in facts:
        text = fact.text
        is_known = fact.passed or (fact.is_open and not names.group_name)
        if not is_known or _told(text, names) != text:
            continue
        bare = without_date(text)
        if not (people.subject(bare) in whose if is_user else is_about_group(bare, names)):
            continue
        kind = lasting_kind(bare[_end_of_subject(bare, people, names) :], dated=fact.dated)
        group = "" if is_user or fact.dated else subject_of(bare, names)
        if kind is None and group and not everybody_in(bare[len(group) :].lstrip(" 里的中内")):
            kind = line_kind(text)  # a bot's statement that names the group: its rules, its topic
        if kind is not None and (fact.passed or kind in CERTAIN):
            evidence, line_id = (
                (fact.event_id,) if fact.event_id else (),
                line_id_of(text, fact.event_id),
            )
            new.append(ProfileLine(line_id, text, kind, 1, fact.day, fact.day, evidence=evidence))
    name = names.user(language) if is_user else names.group(language)
    lines = with_lines(old.lines, new, name)
    return replace(old, name=name, lines=lines) if new and lines != old.lines else old
