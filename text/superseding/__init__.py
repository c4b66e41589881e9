"""Which former statement is over because of a new one."""

from .changes import change_by, could_end, links_of
from .statement import Statement

__all__ = ["Statement", "change_by", "could_end", "links_of"]
