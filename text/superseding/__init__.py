"""Which former statement is over because of a new one."""

from .changes import MOST_ENDED, change_by, could_end, is_of_matter, links_of, may_concern, same_whose
from .matters import matters_of
from .statement import Statement, terms_of

__all__ = [
    "MOST_ENDED",
    "Statement",
    "change_by",
    "could_end",
    "is_of_matter",
    "links_of",
    "matters_of",
    "may_concern",
    "same_whose",
    "terms_of",
]
