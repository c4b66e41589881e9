"""Which former statement is over because of a new one."""

from .changes import (
    MOST_ENDED,
    change_by,
    could_end,
    is_of_matter,
    links_of,
    may_concern,
    same_subject,
    same_whose,
)
from .matters import matters_of
from .statement import Statement, named_first, names_in, says_something, terms_of, without_names

__all__ = [
    "MOST_ENDED",
    "Statement",
    "change_by",
    "could_end",
    "is_of_matter",
    "links_of",
    "matters_of",
    "may_concern",
    "named_first",
    "names_in",
    "same_subject",
    "same_whose",
    "says_something",
    "terms_of",
    "without_names",
]
