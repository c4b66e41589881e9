"""The names that the people of one conversation bear and have borne, by id, and the places of names in a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from ...schema.event import BorneName, Event, NamedPerson
from ...schema.ids import LONGEST_NAME, id_mark
from ...schema.job import Job
from ..borders import begins_with, places_of
from ..message_parts import BY_ID
from ..protected import overlaps
from ..references.finding import is_deictic_name
from ..remembered import remembered
from ..time_expressions import find_relative
from .mentions import EVERYBODY, means_everybody

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


_BEFORE = " \t“\"'@"
"""What may stand before the name with which a text begins."""


class NamedPeople:
    """The people whom texts of one conversation may name: by `names`, or `ids` as in "user 1001" and "@1001".

    `others` are names of somebody whose id is not known, of the group, and of a bot without an id.
    """

    def __init__(self, names: BorneNames, ids: Collection[str] = (), others: Iterable[str] = ()) -> None:
        self._names = names
        self._ids = frozenset(ids) - {""}
        self._others = frozenset(others) - {""}
        self._shared = frozenset(map(folded, self._others))

    @classmethod
    def of_job(cls, job: Job) -> NamedPeople:
        """Return the people of a job and of its recent messages."""
        senders = [(one.sender_id, one.sender_name) for one in job.recent_messages]
        known = ((job.user_id, job.user_name), (job.bot_id, job.bot_name), *senders)
        borne = BorneNames(BorneName(who, name, 0.0, 0.0) for who, name in known if who)
        # A message without an id may be of one of those who have one and bear the name.
        others = {name for who, name in senders if not who} - {name for who, name in known if who}
        bot = "" if job.bot_id else job.bot_name
        return cls(borne, {who for who, _ in known}, (job.group_name, bot, *others))

    def named(self, text: str, teller: str = "") -> list[NamedPerson]:
        """Return where a text names somebody, in order; the id is "" where nobody can tell whose name it is.

        A name is read as it is written, as a whole word, the longest first; in whatever case where the text begins with it. One
        that two people bear is that of `teller`, if they bear it, else nobody's, unless the id stands behind it: "Sam (1001)".
        So is one of the `others`. A word of the language is no name, and a word of time (May) only at the beginning.

        >>> people = NamedPeople(BorneNames([BorneName("1001", "Ann", 0, 0), BorneName("1002", "Ann Lee", 0, 0)]))
        >>> [(one.start, one.end, one.user_id) for one in people.named("Ann Lee met Ann, Anna and Zoë")]
        [(0, 7, '1002'), (12, 15, '1001')]
        """
        by_mention = ((match.span(), match["cq"] or match["discord"]) for match in BY_ID.finditer(text))
        found = [NamedPerson(*span, who) for span, who in by_mention if who not in EVERYBODY]
        known = (*(one[:LONGEST_NAME] for one in self._names.written), *self._others)
        places = places_of(text, known)
        head = len(text) - len(text.lstrip(_BEFORE))
        if not any(start <= head for start, _ in places):
            folds = (one for one in known if begins_with(text[head : head + len(one) + 1].casefold(), one.casefold()))
            first = max(map(len, folds), default=0)
            places = [*([(head, head + first)] if first else []), *(one for one in places if one[0] >= head + first)]
        taken = [(one.start, one.end) for one in found]
        for start, end in places:
            name = text[start:end]
            if overlaps(taken, start, end):
                continue
            bearers = self._bearers(name)
            marked = next((who for who in bearers if text.startswith(id_mark(who), end)), "")
            if marked:
                found.append(NamedPerson(start, end + len(id_mark(marked)), marked))
            elif not (is_a_word(name) or is_a_letter(name)) and (start <= head or not is_a_time(name)):
                sure = bearers if len(bearers) == 1 else (teller,) if teller in bearers else ("",)
                found.append(NamedPerson(start, end, "" if folded(name) in self._shared else sure[0]))
        return sorted([*found, *self._by_id(text, sorted((one.start, one.end) for one in found))])

    def subject(self, text: str) -> str | None:
        """Return the id of the person with whose name a text begins ("" if it is not known whose name it is); else None."""
        head = len(text) - len(text.lstrip(_BEFORE))
        return next((one.user_id for one in self.named(text) if one.start <= head), None)

    def _bearers(self, name: str) -> tuple[str, ...]:
        """Return the ids of the bearers of a name; of one that was cut to LONGEST_NAME characters those of the whole name."""
        if len(name) < LONGEST_NAME:
            return self._names.bearers(name)
        whole = (one for one in self._names.written if one.startswith(name))
        return tuple(dict.fromkeys(who for one in whole for who in self._names.bearers(one)))

    def _by_id(self, text: str, taken: Sequence[tuple[int, int]]) -> list[NamedPerson]:
        held = [one for one in self._ids if one in text]
        forms = {f"{head}{one}": one for one in held for head in ("user ", "User ", "用户 ", "用户", "@")}
        found = places_of(text, forms)
        return [NamedPerson(*one, forms[text[slice(*one)]]) for one in found if not overlaps(taken, *one)]


def with_people(job: Job, events: Sequence[Event]) -> list[Event]:
    """Return the events of a job with the people whom their texts name by name or id."""
    people = NamedPeople.of_job(job)
    return [replace(event, people=tuple(one.written for one in people.named(event.text) if one.user_id)) for event in events]


@remembered(4096)
def is_a_time(name: str) -> bool:
    """Return True if a nickname is a word of time (May, Monday)."""
    return bool(find_relative(f"in {name}"))
