"""Decorated nicknames (☀️小王☀️, xX_Leo_Xx, 【摸鱼】老郑) where a text writes them bare."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..borders import BEGINS, DENSE, ENDS
from ..references.people import BEFORE_A_NAME
from ..remembered import remembered

_TAG = re.compile(r"【[^【】]*】|\[[^\[\]]*\]|（[^（）]*）|\([^()]*\)|「[^「」]*」")
_SHOWN = re.compile(r" \([^\s()]*\d[^\s()]*\)$")
"""The id behind a name that is not its bearer's alone (`shown_names.py`), which is no decoration."""
_PART = re.compile(r"[^\W_]+")
_HAN = re.compile(f"[{DENSE}]")
_FRAME = re.compile(r"[xX]+")
SHORTEST_CORE = {"zh": 2, "en": 3}
"""The least characters of a bare name, Chinese or other: what is shorter is often a word."""


def core_of(name: str) -> str:
    """Return the one word that a nickname is without its decoration; "" if it has none, or more words than one.

    >>> core_of("☀️小王☀️"), core_of("xX_Leo_Xx"), core_of("【摸鱼】老郑"), core_of("Ann Lee"), core_of("小林")
    ('小王', 'Leo', '老郑', '', '')
    """
    parts = [part for part in _PART.findall(_TAG.sub(" ", name)) if not _FRAME.fullmatch(part)]
    core = parts[0] if len(parts) == 1 else ""
    shortest = SHORTEST_CORE["zh" if _HAN.search(core) else "en"]
    return core if core != name and len(core) >= shortest and not core.isdecimal() and not core.islower() else ""


@remembered(256)
def _bare_names(names: Names) -> tuple[tuple[str, str], ...]:
    """Return the bare names of a conversation that no other of its names holds, each with its nickname."""
    people = tuple(dict.fromkeys(names.everybody))
    cores = ((core_of(name), name) for name in people if not _SHOWN.search(name) and not name.endswith(f" ({names.user_id})"))
    every = (*people, names.group_name)
    return tuple(
        (core, name)
        for core, name in cores
        if core and not any(core.casefold() in other.casefold() for other in every if other != name)
    )


def with_nicknames(text: str, names: Names) -> str:
    """Return `text` with the nicknames of the conversation where it writes them without their decoration.

    A Chinese one is read as a name only where a name may stand: 小鹿 in 看到一只小鹿 is a deer.
    """
    for core, name in _bare_names(names):
        if core in text:
            spaced = _HAN.search(core) is None
            after = ENDS if spaced else "(?![们子儿])"
            before = rf"(?<!@){BEGINS}" if spaced else rf"(?:^|(?<=[{re.escape(BEFORE_A_NAME)}]))"
            written = name.replace("\\", r"\\")
            text = re.sub(f"{re.escape(name)}|{before}{re.escape(core)}{after}", written, text)
    return text
