"""The tools of deep recall: `recall_deeply` searches, `propose_recall` offers a search to the user.

`propose_recall` returns a question for the user and stores the subject of the search. If the user
agrees, the model calls `recall_deeply(confirmed=true)`.
"""

from __future__ import annotations

import weakref

from ...retrieval.prompt_block.formatting import format_memories
from ...schema.language import Language
from ...schema.scope import Scope
from ...service.bounded import Bounded
from ...service.recall.reading import Reading
from .texts import TEXTS, Texts
from .tool_arguments import KnownArguments

PROPOSALS_KEPT = 1_000
"""Maximum number of stored proposals; beyond it the oldest is dropped."""
QUERY_CHARACTERS = 200

_ANSWERS: Texts = TEXTS["answers"]


class RecallDeeplyArguments(KnownArguments):
    """The arguments of `recall_deeply`."""

    about: str | None = None
    confirmed: bool = False


class ProposeRecallArguments(KnownArguments):
    """The arguments of `propose_recall`."""

    about: str


_PROPOSALS: weakref.WeakKeyDictionary[object, Bounded[tuple[str, str], str]] = (
    weakref.WeakKeyDictionary()
)
"""The subject of the last proposal, by memory and by (scope key, user id)."""


async def recall_deeply(
    memory: Reading, scope: Scope, asked: RecallDeeplyArguments, language: Language
) -> str:
    """Return the results of the deep search in this conversation.

    If the scope names the current speaker, memories about the speaker are included.
    """
    about = asked.about or ""
    if asked.confirmed:
        about = _proposals(memory).pop((scope.key, scope.user_id), "") or about
    if not about.strip():
        return _ANSWERS["about_what"][language]
    if not scope.user_id:
        hits = await memory.search_events(about, scope)
        names, budget = (
            await memory.shown_names(scope, about, language),
            memory.settings.query.relevant_max_tokens,
        )
        found = format_memories([], hits, language=language, max_tokens=budget, names=names)
        return found or _ANSWERS["nothing_comes_back"][language]
    found = await memory.get_relevant_memories(
        about, scope.user_id, scope, deep=True, language=language
    )
    return found or _ANSWERS["nothing_comes_back"][language]


async def propose_recall(
    memory: Reading, scope: Scope, asked: ProposeRecallArguments, language: Language
) -> str:
    """Return the question for the user."""
    about = " ".join(asked.about.split())[:QUERY_CHARACTERS]
    if not about:
        return _ANSWERS["about_what"][language]
    _proposals(memory).set((scope.key, scope.user_id), about)
    return _ANSWERS["question"][language].format(about=about)


def _proposals(memory: object) -> Bounded[tuple[str, str], str]:
    """Return the stored proposals of a memory. They are dropped together with the memory object."""
    return _PROPOSALS.setdefault(memory, Bounded(PROPOSALS_KEPT))
