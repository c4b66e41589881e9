"""Checks which events of a model's answer are supported by the messages of a talk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, time
from functools import cached_property
from typing import NamedTuple

from ..schema.graph_states.historian import ItemState
from ..schema.ids import id_mark
from ..schema.job import Job
from ..schema.names import Names
from ..schema.settings import Settings
from ..text.checks.findings import Finding, SourceTexts
from ..text.checks.gate import check
from ..text.checks.roles import persons_in
from ..text.content_words import best_sources, content_terms, share
from ..text.facts.superseding import MOST_ENDED
from ..text.job_verdicts import names_of
from ..text.messages.records import message_name, said_by_people
from ..text.questions import asking_sentences, time_told
from ..text.speakers.borne_names import bare_name, folded
from ..text.time_expressions import is_counted_from_today
from .asking import CONTROL, named_day, numbers_of
from .extracting import TalkQuestion, ToldEvent, text_of

MOST_BEFORE, MOST_EARLIER = 6, 16
"""Maximum number of messages before an event's source messages, and of earlier messages of its
claimant, that may also support it: a question, for instance, names the topic of its answer."""
MOST_EVENTS = 8
"""Maximum number of events per message. A message with more events is a document, not talk."""
LONGEST_EVENT = 1_000
"""Maximum number of characters of an event; a longer text is a retelling of the talk."""
CARRIED = 0.7
"""A message of another person counts as the origin of an event if it has more than this share of
the event's content words, and more than the claimant's messages."""
_CLAUSES = re.compile(r"(?<=[。！？!?.\n])")
_OF_ONESELF = re.compile(r"\b(?:i|my|me)\b|[我俺]", re.IGNORECASE)
_REDACTED = re.compile(r"\[[A-Z][A-Z_]+\]")
"""The placeholder of a secret. Statements about secrets are not remembered."""

_WHY = {
    "zh": {
        "messages": "messages 里没有一条是人发的消息的编号",
        "speaker": "speaker 不是这些消息的发送者（{}）",
        "secret": "含有密码一类的占位符",
        "many": "这条消息记得太多了",
    },
    "en": {
        "messages": "messages holds no number of a message that a person sent",
        "speaker": "the speaker is no sender of these messages ({})",
        "secret": "holds the placeholder of a secret",
        "many": "too many events of this message",
    },
}


class _Source(NamedTuple):
    """A message that may support an event: its text, its name, and the id and name of its sender.

    The id is "" for the bot and for tools.
    """

    words: str
    message: str
    said_by: str
    speaker: str


class EventChecks:
    """Accepts the supported events of an answer. Events whose text is in `known` are skipped.

    `taken` are the accepted events as (index of the message, item).
    """

    def __init__(
        self, question: TalkQuestion, settings: Settings, known: Iterable[str] = ()
    ) -> None:
        self._question = question
        self._settings = settings
        self._known = set(known)
        self.taken: list[tuple[int, ItemState]] = []

    def take(self, told: Sequence[ToldEvent]) -> list[tuple[ToldEvent, str]]:
        """Accept the events that their sources support. Return the others with reasons."""
        at_random = any(
            CONTROL in numbers_of("F", (*one.ends, *one.corrects), CONTROL) for one in told
        )
        refused: list[tuple[ToldEvent, str]] = []
        for one in told:
            place, item, why = self._checked(one, may_end=not at_random)
            if item is not None and item["candidate"] in self._known:
                continue
            if item is not None and sum(place == other for other, _ in self.taken) >= MOST_EVENTS:
                item, why = None, _WHY[self._question.language]["many"]
            if item is None:
                refused.append((one, why))
            else:
                self._known.add(item["candidate"])
                self.taken.append((place, item))
        return refused

    def _checked(self, one: ToldEvent, *, may_end: bool) -> tuple[int, ItemState | None, str]:
        """Return (index, item, reason) for an event.

        The index is that of its last source message from a person. If the event is refused, the
        item is None and the reason is not empty.
        """
        asked, why = self._question, _WHY[self._question.language]
        text = one.text.strip()
        places = sorted({n - 1 for n in one.messages if 0 < n <= len(asked.jobs)})
        by_people = [n for n in places if said_by_people(asked.jobs[n])]
        if not by_people:
            return 0, None, why["messages"]
        if _REDACTED.search(text):
            return 0, None, why["secret"]
        senders = dict.fromkeys(asked.jobs[n].user_id for n in by_people)
        claimants = (
            self._called(one.speaker) & senders.keys() if one.speaker.strip() else set(senders)
        )
        if len(claimants) != 1:
            listed = ", ".join(asked.people.get(who, who) for who in senders)
            return 0, None, why["speaker"].format(listed)
        (claimant,) = claimants
        said = [n for n in by_people if asked.jobs[n].user_id == claimant]
        ended, corrected = (
            self._former(named) if may_end else [] for named in (one.ends, one.corrects)
        )
        if one.kind == "wish":
            ended = []
        sources = self._sources(places, said, claimant)
        shown = asked.shown["former"]
        carrying = {key: one.words for key, one in sources.items()}
        carrying |= {
            f"F{n + CONTROL + 1}": f"{shown[n]['text']} ({shown[n]['day']})"
            for n in (*ended, *corrected)
        }
        reasons = self._wrong(text, places, said, sources, carrying)
        if reasons:
            return 0, None, "; ".join(reasons)
        rests_on = self._rests_on(text, places, sources, asked.jobs[said[-1]])
        place = by_people[-1]
        occurs = time_told(text, asked.jobs[place].moment) or ()
        item = ItemState(
            kind="fact",
            source=text_of(asked.jobs[place]),
            resolved=text,
            draft=text,
            candidate=text,
            undecided=[],
            dated=bool(occurs),
            rewritten_by="model",
            passed=True,
            first_pass=True,
            violations=[],
            occurs=[*occurs, *self._until(one, asked.jobs[place], carrying.values())],
            said_by=claimant,
            sources=list(dict.fromkeys(source.message for source in rests_on)),
            speakers=sorted({source.said_by for source in rests_on} - {""}),
            ends=[shown[n]["event_id"] for n in ended],
            corrects=[shown[n]["event_id"] for n in corrected],
            lasting=one.lasting,
        )
        return place, item, ""

    def _wrong(
        self,
        text: str,
        places: Sequence[int],
        said: Sequence[int],
        sources: Mapping[str, _Source],
        carrying: Mapping[str, str],
    ) -> list[str]:
        """Return the reasons why the messages do not support a text; [] if they do.

        `said` are the indexes of the source messages that the claimant sent.
        """
        asked, job = self._question, self._question.jobs[said[-1]]
        names, language = names_of(job, self._settings), asked.language
        answered = [at for n in said if (at := asked.replied(n)) is not None]
        listener = (
            names.bot_name
            if job.scope.request_type == "private"
            else asked.speaker(answered[-1])
            if answered
            else ""
        )
        speakers = {key: one.speaker for key, one in sources.items()}
        also = list(dict.fromkeys(f"{one.moment:%Y-%m-%d}" for one in asked.jobs))
        verdict = check(
            text,
            names,
            sources=SourceTexts(carrying, also, asked.texts, speakers, listener),
            allows=lambda one: one.kind == "time" and not is_counted_from_today(one.text),
            most=LONGEST_EVENT,
            pronouns=self._settings.historian.gate_pronouns,
        )
        return verdict.reasons(language) or self._of_another(text, said, names, places)

    def _of_another(
        self, text: str, said: Sequence[int], names: Names, named: Sequence[int]
    ) -> list[str]:
        """Return the reason if another person is the origin or the subject of a text; else [].

        Either a message of another person says it, or the text begins with another person although
        the claimant's messages are in the first person.
        """
        asked = self._question
        wanted = frozenset(
            term for term in content_terms(text, names) if term != "s"
        )  # "Ann's" without the name
        claimant = asked.jobs[said[-1]].user_id
        name = bare_name(claimant, asked.people.get(claimant, claimant))
        told_by = "\n".join(asked.words[n] for n in said)
        own = share(wanted, content_terms(told_by, names))
        other = next((one for one in names.others if text.startswith(one)), "")
        is_own = (
            not other
            or name.casefold() in text.casefold()
            or other.casefold() in told_by.casefold()
        )
        if not is_own and "first" in persons_in(told_by) and persons_in(told_by) <= {"first"}:
            found = Finding("claim", other, why="whose", where=name)
            return [found.reason(asked.language)]
        for n in range(max(0, said[0] - MOST_BEFORE), max(*said, *named) + 1):
            job, words = asked.jobs[n], asked.words[n]
            is_answered = n in named and not _OF_ONESELF.search(words)
            is_theirs = job.user_id == claimant or name.casefold() in words.casefold()
            if is_answered or is_theirs or not said_by_people(job):
                continue
            told = " ".join(part for part in _CLAUSES.split(words) if not asking_sentences(part))
            if share(wanted, content_terms(told, names)) > max(CARRIED, own):
                found = Finding("claim", asked.speaker(n), why="another", where=str(n + 1))
                return [found.reason(asked.language)]
        return []

    def _sources(
        self, places: Sequence[int], said: Sequence[int], claimant: str
    ) -> dict[str, _Source]:
        """Return the messages that may support an event, by their numbers in the prompt.

        These are the messages that it names, the messages that these reply to, earlier messages of
        its claimant, and the last few messages before. Of the last few messages, those of the bot
        and of tools support an event only by their questions.
        """
        asked = self._question
        replied = [at for n in places if (at := asked.replied(n)) is not None]
        named = {*places, *replied}
        earlier = [
            n
            for n in range(said[-1])
            if asked.jobs[n].user_id == claimant and said_by_people(asked.jobs[n])
        ]
        near = range(max(0, said[0] - MOST_BEFORE), said[0])
        found: dict[str, _Source] = {}
        for n in sorted({*named, *earlier[-MOST_EARLIER:], *near}):
            job = asked.jobs[n]
            is_person = said_by_people(job)
            words = asked.words[n] if n in named or is_person else asking_sentences(asked.words[n])
            found[str(n + 1)] = _Source(
                words, message_name(job), job.user_id if is_person else "", asked.speaker(n)
            )
        beside = {f"re {n + 1}": one for n in places if (one := asked.shown["replied"].get(str(n)))}
        if said[0] < MOST_BEFORE:
            beside |= {f"before {n}": one for n, one in enumerate(asked.shown["before"], 1)}
        for key, one in beside.items():
            found[key] = _Source(one["words"], one["message"], one["said_by"], one["speaker"])
        return {key: one for key, one in found.items() if one.words.strip()}

    def _rests_on(
        self, text: str, places: Sequence[int], sources: Mapping[str, _Source], job: Job
    ) -> list[_Source]:
        """Return the messages that an event names, and other sources with words that these lack."""
        names = names_of(job, self._settings)
        named = [one for n in places if (one := sources.get(str(n + 1)))]
        others = [one for one in sources.values() if one not in named]
        held = content_terms("\n".join(one.words for one in named), names)
        terms = [content_terms(one.words, names) for one in others]
        return [
            *named,
            *(
                others[n]
                for n in best_sources(content_terms(text, names) - held, terms, MOST_BEFORE)
            ),
        ]

    def _former(self, named: Sequence[str]) -> list[int]:
        """Return the indexes of the named former facts; [] if there are more than MOST_ENDED."""
        numbers = numbers_of("F", named, CONTROL + len(self._question.shown["former"]))
        places = [n - CONTROL - 1 for n in numbers if n > CONTROL]
        return places if len(places) <= MOST_ENDED else []

    def _until(self, one: ToldEvent, job: Job, sources: Iterable[str]) -> list[float]:
        """Return the period in which an event holds, if its sources name the last day; else [].

        It begins with the message of `job` and ends with the last day, in seconds since the epoch.
        """
        day = named_day(one.until, "\n".join((one.text, *sources)))
        if day is None:
            return []
        first = job.moment.timestamp()
        last = datetime.combine(day, time.max, job.moment.tzinfo).timestamp()
        return [first, last] if last > first else []

    def _called(self, name: str) -> set[str]:
        """Return the ids of the people whom a name or id may mean; several if it is ambiguous."""
        wanted = folded(name.strip().strip("[]:：@"))
        return self._ids.get(wanted, set())

    @cached_property
    def _ids(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for who, shown in self._question.people.items():
            for name in {
                who,
                shown,
                bare_name(who, shown),
                f"{shown.removesuffix(id_mark(who))}{id_mark(who)}",
            }:
                found.setdefault(folded(name), set()).add(who)
        return found
