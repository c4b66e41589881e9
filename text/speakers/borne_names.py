"""Current and former names of the people of one conversation, and finding of names in texts."""

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
"""Maximum number of names of a conversation that are searched in a text: those seen last."""
_LONG_ID = 5
"""Shorter ids are not searched in texts: they may be any number."""


class BorneNames:
    """The names of the people of one conversation, from its events and messages. Immutable.

    >>> sam, sammy = BorneName("1001", "Sam", 0, 10), BorneName("1001", "Sammy", 11, 20)
    >>> names = BorneNames([sam, sammy, BorneName("1002", "Sam", 15, 15)])
    >>> names.today("1001"), names.bearers("Sam")
    ('Sammy', ('1002', '1001'))

    Names that differ only in case, width, spaces or invisible characters count as one name. Events
    of earlier versions have some names with ids ("Sam (1001)"), which are removed.
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
        """Return True for the id of a person with a known name."""
        return user_id in self._names

    def today(self, user_id: str) -> str:
        """Return the latest name of a person, or "" if none is known."""
        return next(iter(self._names.get(user_id, ())), "")

    def bearers(self, name: str) -> tuple[str, ...]:
        """Return the ids of all people who have or had a name.

        People who have it today are first, then those who were seen with it last.
        """
        return tuple(self._bearers.get(folded(name), ()))

    def bearers_today(self, name: str) -> tuple[str, ...]:
        """Return the ids of the people who have a name today."""
        wanted = folded(name)
        return tuple(
            who for who in self._bearers.get(wanted, ()) if folded(self.today(who)) == wanted
        )

    @property
    def written(self) -> Iterator[str]:
        """All names, in every spelling that was seen."""
        return iter(dict.fromkeys(name for names in self._names.values() for name in names))

    def named_in(self, text: str) -> set[str]:
        """Return the ids of the people whom a text names by a current or former name or a long id.

        Case is ignored. A name within a longer one ("Ann" in "Ann Lee"), a name of one letter, and
        a name that is a word (我, "everyone") do not count.
        """
        whole = fold(text)
        names = (one for one in islice(self._bearers, _MOST_NAMES) if not is_a_letter(one))
        ids = (one for one in islice(self._names, _MOST_NAMES) if len(one) >= _LONG_ID)
        found = {whole[start:end] for start, end in places_of(whole, (*names, *ids))}
        people = {
            who for name in found if not is_a_word(name) for who in self._bearers.get(name, ())
        }
        return people | (found & self._names.keys())


def bare_name(who: str, name: str) -> str:
    """Return the name of a person without the id that `shown_names.shown_name` appends to it."""
    return name.removesuffix(id_mark(who)) if who else name


@remembered(4096)
def folded(name: str) -> str:
    """Return `fold` of a name from a cache."""
    return fold(name)


def fold(name: str) -> str:
    """Return a name in the form in which names are compared.

    It has no differences of case and width, no "@" at its ends, no invisible characters, and single
    spaces.
    """
    plain = name.casefold()
    if not name.isascii():
        plain = unicodedata.normalize("NFKC", name).casefold()
        plain = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    return " ".join(plain.split()).strip(" @")


@remembered(4096)
def is_a_word(name: str) -> bool:
    """Return True if a name is a pronoun or a word for a place or for everybody.

    In a text such a word is no name.
    """
    return is_deictic_name(name) or means_everybody(name)


def is_a_letter(name: str) -> bool:
    """Return True for a name of one letter or digit, which is no name in a text."""
    return len(name) < 2 and name.isalnum()


_BEFORE = " \t“\"'@"
"""Characters that may precede the name at the beginning of a text."""


class NamedPeople:
    """The people whom texts of one conversation may name.

    They are named by `names`, or by `ids` as in "user 1001" and "@1001". `others` are names of
    people without a known id, of the group, and of a bot without an id.
    """

    def __init__(
        self, names: BorneNames, ids: Collection[str] = (), others: Iterable[str] = ()
    ) -> None:
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
        # A message without an id may be from a person of the same name with a known id.
        others = {name for who, name in senders if not who} - {name for who, name in known if who}
        bot = "" if job.bot_id else job.bot_name
        return cls(borne, {who for who, _ in known}, (job.group_name, bot, *others))

    def named(self, text: str, teller: str = "") -> list[NamedPerson]:
        """Return the places where a text names a person, in order, each with an id or "".

        A name matches with its case as a whole word, the longest name first; at the beginning of
        the text case is ignored. A name that is followed by an id ("Sam (1001)") is the name of
        this person. Otherwise a name that two people have is the name of `teller` if they have it,
        else its id is unknown. The id of a name in `others` is unknown. A word of the language is
        no name, and a word for a time (May) is a name only at the beginning.

        >>> people = NamedPeople(BorneNames([BorneName("1001", "Ann", 0, 0), BorneName("1002", "Ann Lee", 0, 0)]))
        >>> [(one.start, one.end, one.user_id) for one in people.named("Ann Lee met Ann, Anna and Zoë")]
        [(0, 7, '1002'), (12, 15, '1001')]
        """
        by_mention = (
            (match.span(), match["cq"] or match["discord"]) for match in BY_ID.finditer(text)
        )
        found = [NamedPerson(*span, who) for span, who in by_mention if who not in EVERYBODY]
        known = (*(one[:LONGEST_NAME] for one in self._names.written), *self._others)
        places = places_of(text, known)
        head = len(text) - len(text.lstrip(_BEFORE))
        if not any(start <= head for start, _ in places):
            folds = (
                one
                for one in known
                if begins_with(text[head : head + len(one) + 1].casefold(), one.casefold())
            )
            first = max(map(len, folds), default=0)
            places = [
                *([(head, head + first)] if first else []),
                *(one for one in places if one[0] >= head + first),
            ]
        taken = [(one.start, one.end) for one in found]
        for start, end in places:
            name = text[start:end]
            if overlaps(taken, start, end):
                continue
            bearers = self._bearers(name)
            marked = next((who for who in bearers if text.startswith(id_mark(who), end)), "")
            if marked:
                found.append(NamedPerson(start, end + len(id_mark(marked)), marked))
            elif not (is_a_word(name) or is_a_letter(name)) and (
                start <= head or not is_a_time(name)
            ):
                sure = bearers if len(bearers) == 1 else (teller,) if teller in bearers else ("",)
                found.append(
                    NamedPerson(start, end, "" if folded(name) in self._shared else sure[0])
                )
        return sorted([*found, *self._by_id(text, sorted((one.start, one.end) for one in found))])

    def subject(self, text: str) -> str | None:
        """Return the id of the person with whose name a text begins.

        Return "" if the id is unknown, and None if the text does not begin with a name.
        """
        head = len(text) - len(text.lstrip(_BEFORE))
        return next((one.user_id for one in self.named(text) if one.start <= head), None)

    def _bearers(self, name: str) -> tuple[str, ...]:
        """Return the ids of the people with a name.

        A name that was cut to LONGEST_NAME characters stands for all names that begin with it.
        """
        if len(name) < LONGEST_NAME:
            return self._names.bearers(name)
        whole = (one for one in self._names.written if one.startswith(name))
        return tuple(dict.fromkeys(who for one in whole for who in self._names.bearers(one)))

    def _by_id(self, text: str, taken: Sequence[tuple[int, int]]) -> list[NamedPerson]:
        held = [one for one in self._ids if one in text]
        forms = {
            f"{head}{one}": one for one in held for head in ("user ", "User ", "用户 ", "用户", "@")
        }
        found = places_of(text, forms)
        return [
            NamedPerson(*one, forms[text[slice(*one)]])
            for one in found
            if not overlaps(taken, *one)
        ]


def with_people(job: Job, events: Sequence[Event]) -> list[Event]:
    """Return the events of a job with `people` set: the people whom their texts name, with ids."""
    people = NamedPeople.of_job(job)
    return [
        replace(event, people=tuple(one.written for one in people.named(event.text) if one.user_id))
        for event in events
    ]


@remembered(4096)
def is_a_time(name: str) -> bool:
    """Return True if a nickname is a word for a time (May, Monday)."""
    return bool(find_relative(f"in {name}"))
