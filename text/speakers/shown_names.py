"""Names that do not tell who is meant, because the bot, the group, everybody or another member is called so.

Whoever bears one is shown with their id, "Clio (1003)", so that no text about them reads as one about somebody else.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence

from ...schema.ids import LONGEST_NAME, id_mark
from ...schema.job import Job
from ...schema.names import Names
from ..protected import whole_name_pattern
from ..remembered import remembered
from .mentions import means_everybody, with_group

_LOOKS_SHOWN = re.compile(r"[(（][^()（）]*\d[^()（）]*[)）]$|^(?:user|group|用户|群) ?\S*\d\S*$|^(?:the )?bot$|^机器人$")
"""A nickname like the names that texts get here: "Ann (1001)", "user 1001", "the bot"."""


def with_ids(job: Job) -> Job:
    """Return the job with the id behind every name of a person that does not tell who is meant. Idempotent."""
    messages = job.recent_messages
    people = [(job.user_id, job.user_name), *((one.sender_id, one.sender_name) for one in messages)]
    bearers: dict[str, set[str]] = defaultdict(set)
    for who, name in people:
        if who and name and not _is_bot(job, who, name):
            bearers[_folded(name)].add(who)

    def shown(who: str, name: str) -> str:
        several = len(bearers[_folded(name)]) > 1
        is_bot = _is_bot(job, who, name)
        return name if is_bot else shown_name(who, name, job.bot_name, job.group_name, several=several)

    names = [shown(who, name) for who, name in people]
    if names == [name for _, name in people]:
        return job
    changed = [one.model_copy(update={"sender_name": name}) for one, name in zip(messages, names[1:], strict=True)]
    return job.model_copy(update={"user_name": names[0], "recent_messages": changed})


def shown_name(who: str, name: str, bot_name: str, group_name: str = "", *, several: bool = False) -> str:
    """Return the name of a person, with the id `who` behind it if it does not tell who is meant or `several` bear it."""
    mark = id_mark(who)
    if not who or not name or name.endswith(mark) or not (several or _is_shared(name, bot_name, group_name)):
        return name
    return name[: LONGEST_NAME - len(mark)] + mark


def shared_names(job: Job) -> tuple[str, ...]:
    """Return the names, without ids, of the people whom `with_ids` shows with theirs."""
    people = ((job.user_id, job.user_name), *((one.sender_id, one.sender_name) for one in job.recent_messages))
    return tuple(dict.fromkeys(bare_name(who, name) for who, name in people if who and name.endswith(id_mark(who))))


def bare_name(who: str, name: str) -> str:
    """Return the name of a person without the id that `shown_name` put behind it."""
    return name.removesuffix(id_mark(who))


def namesakes(job: Job) -> set[str]:
    """Return the ids of those who spoke before the job under its user's name; that of the user too, if they spoke."""
    name = bare_name(job.user_id, job.user_name)
    return {one.sender_id for one in job.recent_messages if name and bare_name(one.sender_id, one.sender_name) == name}


def shared_name_in(text: str, shared: Sequence[str]) -> str:
    """Return the first of the shared names that stands in a text without an id, or "": nobody can tell who is meant."""
    names = whole_name_pattern(tuple(shared))
    for match in names.finditer(text) if names else ():
        if not text.startswith(" (", match.end()):
            return match.group()
    return text.split(maxsplit=1)[0] if any(map(means_everybody, shared)) and with_group(text, _GROUP) != text else ""


_GROUP = Names(group_name="\0", group_id="\0")


@remembered(1024)
def _is_shared(name: str, bot_name: str, group_name: str) -> bool:
    """Return True if a nickname begins with the name of the bot or group, means everybody, or reads like a shown name."""
    folded = _folded(name)
    others = [one for one in map(_folded, (bot_name, group_name)) if one]
    begins = any(folded.startswith(one) and not (one[-1:].isascii() and folded[len(one) :][:1].isalnum()) for one in others)
    return begins or means_everybody(folded) or _LOOKS_SHOWN.search(folded) is not None or with_group(name, _GROUP) != name


def _is_bot(job: Job, who: str, name: str) -> bool:
    """Return True for the bot: by its id, or by its name where its id is not known."""
    return who == job.bot_id if job.bot_id else who != job.user_id and name == job.bot_name


def _folded(name: str) -> str:
    """Return a name as it looks: without case, width, blanks at its ends, "@" and invisible characters."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(one for one in plain if unicodedata.category(one) != "Cf").strip(" @")
