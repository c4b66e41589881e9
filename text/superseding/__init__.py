"""Which former statement is over because of a new one."""

from .changes import MOST_ENDED, could_end, is_of_matter, links_of, may_concern, same_whose
from .statement import Statement, terms_of

__all__ = [
    "MOST_ENDED",
    "Statement",
    "could_end",
    "is_of_matter",
    "links_of",
    "may_concern",
    "same_whose",
    "terms_of",
]
