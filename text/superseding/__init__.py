"""Which former statement is over because of a new one."""

from .changes import change_by, could_end, could_replace, links_of, same_subject, tells_of_change
from .statement import Statement, names_in

__all__ = ["Statement", "change_by", "could_end", "could_replace", "links_of", "names_in", "same_subject", "tells_of_change"]
