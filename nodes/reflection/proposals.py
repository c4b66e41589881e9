"""Proposals of an article, as they pass through the state. Shared by the nodes."""

from __future__ import annotations

from dataclasses import asdict
from typing import cast

from ...schema.article import CHAPTER_NAMES, Article, ChapterName, DroppedLine, Proposal
from ...schema.graph_states.reflection import DroppedState, ProposalState


def proposal_state(proposal: Proposal | None, base_revision: int) -> ProposalState:
    """Return a proposal as JSON data; without chapters for None (the model's answer was unusable)."""
    if proposal is None:
        return ProposalState(chapters={}, dropped=[], base_revision=base_revision)
    return ProposalState(
        chapters={name: proposal.article.chapter(name) for name in CHAPTER_NAMES},
        dropped=[cast(DroppedState, asdict(one)) for one in proposal.dropped],
        base_revision=base_revision,
    )


def proposed(state: ProposalState) -> Proposal:
    """Return the proposal that a state holds."""
    article = Article().with_chapters(cast(dict[ChapterName, str], state["chapters"]))
    return Proposal(article, tuple(DroppedLine(**one) for one in state["dropped"]))
