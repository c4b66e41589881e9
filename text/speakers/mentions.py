"""Replacement of mentions (@阿明, [CQ:at,qq=123], <@123>) and of words for the group by names."""

from __future__ import annotations

import re

from ...schema.job import Job
from ...schema.names import Names
from ..borders import begins_with
from ..edits import Edit, edited
from ..message_parts import BY_ID
from ..protected import overlaps, protected_spans

_AT = re.compile(r"(?<![\w.@/])@(?=[\w·.\-])")
EVERYBODY = frozenset(("all", "everyone", "here", "全体成员", "所有人"))


def with_mentions(text: str, job: Job, names: Names) -> tuple[str, list[str]]:
    """Return `text` with names instead of mentions of the job's people, and the unknown mentions.

    Unknown mentions are those by an id that no person of the job has. Mentions by an unknown name
    (@somebody) and mentions in code are unchanged.
    """
    if "@" not in text and "[CQ:" not in text:
        return text, []
    people = {
        message.sender_id: message.sender_name
        for message in job.recent_messages
        if message.sender_id
    }
    people |= {job.user_id: names.user_name} | ({job.bot_id: names.bot_name} if job.bot_id else {})
    known = sorted(
        {name for name in (names.user_name, names.bot_name, *people.values()) if name},
        key=len,
        reverse=True,
    )
    code = [span for span in protected_spans(text) if text[span[0]] == "`"]
    edits: list[Edit] = []
    unknown: list[str] = []
    ids = [match.span() for match in BY_ID.finditer(text)]
    for match in BY_ID.finditer(text):
        one = match["cq"] or match["discord"]
        if not overlaps(code, *match.span()) and one not in EVERYBODY:
            if people.get(one):
                edits.append((*match.span(), people[one]))
            else:
                unknown.append(match.group())
    for at in _AT.finditer(text):
        heads = ((name, text[at.end() : at.end() + len(name)]) for name in known)
        name = next(
            (
                name
                for name, head in heads
                if head.casefold() == name.casefold() and begins_with(text, head, at.end())
            ),
            "",
        )
        if name and not overlaps(code, *at.span()) and not overlaps(ids, *at.span()):
            edits.append((at.start(), at.end() + len(name), name))
    return edited(text, sorted(edits)).strip(), unknown


_OF_GROUP = re.compile(
    r"(?P<before>^|[，。！？；,.!?;\n]|[在把被给和跟是从到])群(?P<what>里(?!程)|内|规|主|公告|友|员|管理员|成员)(?!题|要|张|义|动)"
)
_THE_GROUP = re.compile(
    r"\b[Tt]he group(?: chat)?(?=\s+(?!of\b|that\b|which\b|who\b)[a-z]|['’]s\b|[.,;!?]|$)"
)
_GROUP_RULE = re.compile(
    r"(?P<before>^|[.;!?]\s+)(?:the )?(?:group|server|channel|chat)(?:['’]s)? (?P<what>rules?|admins?|owner|topic)\b",
    re.I,
)
_EVERYBODY_THERE = re.compile(
    r"^(?P<zh>大家|群友们?|全体成员|所有人|成员们?)(?![庭都]?[好早安知]|别|一起来)"
    r"|^(?P<en>everyone|everybody|all (?:the )?members|the members)\b",
    re.I,
)
_A_GROUP = re.compile(r"\ba (?:[a-z]+ ){0,2}group\b", re.I)


def means_everybody(name: str) -> bool:
    """Return True if a nickname is a word for all members of a group (大家, everyone, @all)."""
    bare = name.strip(" @").casefold()
    return bare in EVERYBODY or _EVERYBODY_THERE.fullmatch(bare) is not None


def with_group(text: str, names: Names) -> str:
    """Return `text` with the group's name added to words for things of the group.

    Such words are 群规, 大家, "the group" and "group rule".
    """
    if not names.group():
        return text
    everybody = _EVERYBODY_THERE.match(text)
    if everybody is not None:
        who = everybody.group()
        return (
            f"{names.group('zh')}的{text}"
            if everybody["zh"]
            else f"{who} in {names.group('en')}{text[len(who) :]}"
        )
    if "群" in text:
        group = names.group("zh")
        return _OF_GROUP.sub(lambda one: one["before"] + group + _in_group(one["what"]), text)
    if "group" not in text and "rule" not in text and "admin" not in text:
        return text
    group = names.group("en")
    text = _GROUP_RULE.sub(lambda one: f"{one['before']}{group}'s {one['what']}", text)
    return text if _A_GROUP.search(text) else _THE_GROUP.sub(lambda _: group, text)


def _in_group(what: str) -> str:
    return what if what in ("里", "内") else f"的群{what}"
