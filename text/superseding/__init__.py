"""Which former statement is over because of a new one."""

from .changes import (
    MOST_ENDED,
    change_by,
    could_end,
    could_replace,
    links_of,
    may_concern,
    same_subject,
    same_whose,
    says_now,
    tells_of_change,
)
from .matters import ONE_AT_A_TIME, matters_of, stands_for_a_matter
from .statement import Statement, named_first, names_in, says_something, terms_of, without_names

__all__ = [
    "MOST_ENDED",
    "ONE_AT_A_TIME",
    "Statement",
    "change_by",
    "could_end",
    "could_replace",
    "links_of",
    "matters_of",
    "may_concern",
    "named_first",
    "names_in",
    "same_subject",
    "same_whose",
    "says_now",
    "says_something",
    "stands_for_a_matter",
    "tells_of_change",
    "terms_of",
    "without_names",
]
