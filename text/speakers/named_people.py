"""Places in a text where people are named, each with the id of the person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ...schema.event import BorneName, Event, NamedPerson
from ...schema.ids import LONGEST_NAME, id_mark
from ...schema.job import Job
from ..borders import begins_with, places_of
from ..message_parts import BY_ID
from ..protected import overlaps
from ..remembered import remembered
from ..time_expressions import find_relative
from .borne_names import BorneNames, folded, is_a_letter, is_a_word
from .mentions import EVERYBODY

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
