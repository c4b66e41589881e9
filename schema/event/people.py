"""People in events: their ids, the names that they had, and the places of names in texts."""

from __future__ import annotations

from typing import NamedTuple


class KnownPerson(NamedTuple):
    """A person who has events: their id, their last known name ("" if unknown), and the number of
    their events.
    """

    user_id: str
    name: str
    events: int


class NamedPerson(NamedTuple):
    """The place of a person's name in a text, in characters, and the id of the person."""

    start: int
    end: int
    user_id: str

    @classmethod
    def read(cls, written: str) -> NamedPerson:
        """Return the place in `written` ("0:3:1001"). For any other form return an empty place with
        an empty id.
        """
        start, _, rest = written.partition(":")
        end, _, user_id = rest.partition(":")
        fits = all(one.isascii() and one.isdecimal() and len(one) < 10 for one in (start, end))
        return cls(int(start), int(end), user_id) if fits else cls(0, 0, "")

    @property
    def written(self) -> str:
        return f"{self.start}:{self.end}:{self.user_id}"


class BorneName(NamedTuple):
    """A name that a person had in a scope, and when the person was first and last seen with it
    (seconds since the epoch).
    """

    user_id: str
    name: str
    first: float
    last: float
