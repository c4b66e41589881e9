"""The names that the people of one conversation bear and have borne, by id."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice

from ...schema.event import BorneName
from ...schema.ids import id_mark
from ..borders import places_of
from ..references.finding import is_deictic_name
from ..remembered import remembered
from .mentions import means_everybody

_MOST_NAMES = 2_000
"""Names of one conversation that are looked for in a text, those seen last: each costs a search in it."""
_LONG_ID = 5
"""Shorter ids are found in a text by themselves no more than any other number."""


class BorneNames:
    """Who bears which name in one conversation, made of what its events and messages say. Never changed.

    >>> sam, sammy = BorneName("1001", "Sam", 0, 10), BorneName("1001", "Sammy", 11, 20)
    >>> names = BorneNames([sam, sammy, BorneName("1002", "Sam", 15, 15)])
    >>> names.today("1001"), names.bearers("Sam")
    ('Sammy', ('1002', '1001'))

    Names that differ in case, width, blanks or invisible characters alone are one name. Events of former versions hold some
    names with their ids ("Sam (1001)"), which are read without them.
    """

    def __init__(self, borne: Iterable[BorneName] = ()) -> None:
        self._names: dict[str, list[str]] = {}
        self._bearers: dict[str, list[str]] = {}
        for one in sorted(borne, key=lambda one: one.last)[::-1]:
            called = bare_name(one.user_id, one.name)
            if not one.user_id or not called.strip():
                continue
            if called not in (mine := self._names.setdefault(one.user_id, [])):
                mine.append(called)
            if one.user_id not in (bearers := self._bearers.setdefault(folded(called), [])):
                bearers.append(one.user_id)
        for name, bearers in self._bearers.items():
            if len(bearers) > 1:
                bearers.sort(key=lambda who: folded(self.today(who)) != name)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, user_id: object) -> bool:
        """Return True for the id of somebody who bears a name."""
        return user_id in self._names

    def today(self, user_id: str) -> str:
        """Return the name that a person was seen with last, "" if none is known."""
        return next(iter(self._names.get(user_id, ())), "")

    def bearers(self, name: str) -> tuple[str, ...]:
        """Return the ids of those who bear or bore a name: first those who bear it today, then those seen with it last."""
        return tuple(self._bearers.get(folded(name), ()))

    def bearers_today(self, name: str) -> tuple[str, ...]:
        """Return the ids of those who bear a name today."""
        wanted = folded(name)
        return tuple(who for who in self._bearers.get(wanted, ()) if folded(self.today(who)) == wanted)

    @property
    def written(self) -> Iterator[str]:
        """The names in every way of writing that was seen."""
        return iter(dict.fromkeys(name for names in self._names.values() for name in names))

    def named_in(self, text: str) -> set[str]:
        """Return the ids of the people whom a text names, in whatever case: by a name of today or before, or by a long id.

        A name within a longer one ("Ann" in "Ann Lee"), one letter, and a name that is a word (我, "everyone") name nobody.
        """
        whole = fold(text)
        names = (one for one in islice(self._bearers, _MOST_NAMES) if not is_a_letter(one))
        ids = (one for one in islice(self._names, _MOST_NAMES) if len(one) >= _LONG_ID)
        found = {whole[start:end] for start, end in places_of(whole, (*names, *ids))}
        people = {who for name in found if not is_a_word(name) for who in self._bearers.get(name, ())}
        return people | (found & self._names.keys())


def bare_name(who: str, name: str) -> str:
    """Return the name of a person without the id that `shown_names.shown_name` puts behind it."""
    return name.removesuffix(id_mark(who)) if who else name


@remembered(4096)
def folded(name: str) -> str:
    """Return `fold` of a name, and remember it."""
    return fold(name)


def fold(name: str) -> str:
    """Return a name as it looks: without case, width, "@" at its ends and invisible characters, its blanks as single spaces."""
    plain = name.casefold()
    if not name.isascii():
        plain = unicodedata.normalize("NFKC", name).casefold()
        plain = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    return " ".join(plain.split()).strip(" @")


@remembered(4096)
def is_a_word(name: str) -> bool:
    """Return True if a name is a pronoun, or a word of place, or means everybody, so that in a text it is nobody's."""
    return is_deictic_name(name) or means_everybody(name)


def is_a_letter(name: str) -> bool:
    """Return True for a name of one letter or figure, which no text names anybody by."""
    return len(name) < 2 and name.isalnum()
