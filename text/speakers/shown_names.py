"""Names as they are shown: current names, followed by the id if the name is ambiguous.

A name is ambiguous if the bot, the group, another member or all members are called so, or if it
looks like an id.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial

from ...schema.event import Event
from ...schema.ids import LONGEST_NAME, id_mark
from ...schema.job import Job
from ...schema.language import Language
from ...schema.names import Names
from ..borders import places_of
from ..content_words import terms_in
from ..edits import edited
from ..remembered import remembered
from .borne_names import BorneNames, bare_name, fold, folded, is_a_word
from .mentions import means_everybody, with_group

_LOOKS_SHOWN = re.compile(
    r"[(（][^()（）]*\d[^()（）]*[)）]$|[(（](?:then |now |当时叫|现名)"
    r"|^(?:user|group|用户|群) ?\S*\d\S*$|^(?:the )?bot$|^机器人$|^\d{5,}$|：|:(?:\s|$)|\n"
)
"""Nicknames that look like shown names: "Ann (1001)", "user 1001", "the bot", an id, "Ann: …"."""
_MENTION = re.compile(r"\[CQ:at,|<@|@|[Uu]ser |用户 ?")
_NO_LETTERS = re.compile(r"[\W\d_]+")
_NOBODY = BorneNames()


def _no_names(_: str) -> BorneNames:
    return _NOBODY


_THEN = {"zh": "{now}（当时叫{then}）", "en": "{now} (then {then})"}
_NOW = {"zh": "{then}（现名{now}）", "en": "{then} (now {now})"}


class ShownNames:
    """The names of people in one answer; each event has the names of its own conversation.

    `of(scope_key)` returns the names of a conversation. Without it, people are shown by the names
    that the events contain. `told` are the question and the texts that are shown. `scope_key` and
    `bot_name` belong to the conversation that gets the answer.
    """

    def __init__(
        self,
        of: Callable[[str], BorneNames] | None = None,
        told: Iterable[str] = (),
        language: Language = "en",
        *,
        scope_key: str = "",
        bot_name: str = "",
    ) -> None:
        self._names = _no_names if of is None else cache(of)
        self._texts = tuple(told)
        self._language: Language = language
        self._scope_key = scope_key
        self._bot_name = bot_name
        self._is_told = cache(self._stands)

    def beside(self, texts: Iterable[str]) -> ShownNames:
        """Return a copy for an answer that also shows `texts`."""
        told = (*self._texts, *texts)
        return ShownNames(
            self._names, told, self._language, scope_key=self._scope_key, bot_name=self._bot_name
        )

    def speaker(self, event: Event, *, is_newest: bool = False) -> str:
        """Return the shown name of the sender of a message; "" if the event is no message.

        It is the person's current name. If the shown texts contain the name that the sender had
        then, it follows: "Sammy (then Sam)". For a message that `is_newest`, which is not filed
        yet, the name in the message is the current one. For other roles it is `event.speaker`.
        """
        if not event.is_message:
            return ""
        if event.role != "user":
            return event.speaker
        names, who = self._names(event.scope.key), event.teller
        then = _in_one_line(bare_name(who, event.user_name))
        if is_newest and then:
            return _shown(who, then, names, event.bot_name, event.group_name)
        now = _shown_today(who, event, names) or _in_one_line(event.speaker)
        is_another = then and folded(then) != folded(names.today(who) or then)
        return (
            _THEN[self._language].format(now=now, then=then)
            if is_another and self._is_told(then)
            else now
        )

    def text(self, event: Event) -> str:
        """Return the text of an event as it is shown (`shown_text`)."""
        if not event.people:
            return event.dated_text
        return shown_text(event, self._names(event.scope.key), self._language)

    def person(self, who: str, name: str) -> str:
        """Return the current name of a person in the conversation that gets the answer.

        If none is known, it is `name`.
        """
        names = self._names(self._scope_key)
        return _shown(who, _in_one_line(names.today(who) or name), names, self._bot_name)

    def _stands(self, name: str) -> bool:
        return bool(places_of(self._folded, [folded(name)]))

    @cached_property
    def _folded(self) -> str:
        return fold("\n".join(self._texts))


AS_BORNE = ShownNames()
"""Shows people by the names that the events contain."""


def shown_text(event: Event, names: BorneNames = _NOBODY, language: Language = "en") -> str:
    """Return the text of an event with current names, and with dates in brackets after its times.

    In a message the words are unchanged, and a new name follows the old one in brackets: "Sam (now
    Sammy) moves on Friday (2026-12-04)". In other texts the former name follows the current one:
    "Sammy (then Sam) moved".
    """
    edits = [(end, end, f" ({day})") for end, day in event.time_marks]
    ends = [end for end, _, _ in edits]
    known: set[str] = set()
    for one in event.named:
        written = event.text[one.start : one.end]
        now = _shown_today(one.user_id, event, names)
        if not now or written == now or any(one.start < end < one.end for end in ends):
            continue
        then = written.removesuffix(id_mark(one.user_id))
        if _MENTION.match(written):
            shown = f"@{now}" if written[0] in "[<@" else now
        elif folded(then) == folded(names.today(one.user_id)):
            shown = now
        elif now in known:
            shown = written if event.is_message else now
        else:
            kept = written if event.is_message else then
            shown = (_NOW if event.is_message else _THEN)[language].format(now=now, then=kept)
        known.add(now)
        edits.append((one.start, one.end, shown))
    return edited(event.text, sorted(edits))


def _shown_today(who: str, event: Event, names: BorneNames) -> str:
    """Return the current name of a person in the conversation of an event; "" if it is unknown.

    An ambiguous name is followed by the id.
    """
    own = (
        event.user_name
        if who in (event.said_by, event.user_id) and event.role in ("", "user")
        else ""
    )
    return _shown(
        who, _in_one_line(names.today(who) or own), names, event.bot_name, event.group_name
    )


def _shown(who: str, name: str, names: BorneNames, bot_name: str, group_name: str = "") -> str:
    several = len({who, *names.bearers_today(name)}) > 1 or (
        name != who and (name in names or name.isdigit())
    )
    return shown_name(who, name, bot_name, group_name, several=several)


def _in_one_line(name: str) -> str:
    return " ".join(name.split())


def with_ids(job: Job) -> Job:
    """Return the job with the id appended to each ambiguous name of a person. Idempotent."""
    people, messages = _people(job), job.recent_messages
    bearers: dict[str, set[str]] = defaultdict(set)
    for who, name in people:
        if who and name and not _is_bot(job, who, name):
            for word in {folded(name), *_words_of(who, name)}:
                bearers[word].add(who)
    marked = partial(shown_name, bot_name=job.bot_name, group_name=job.group_name)
    names = [marked(who, name, several=len(bearers[folded(name)]) > 1) for who, name in people]
    names = [
        name if _is_bot(job, who, name) else shown
        for (who, name), shown in zip(people, names, strict=True)
    ]
    if names == [name for _, name in people]:
        return job
    changed = [
        one.model_copy(update={"sender_name": name})
        for one, name in zip(messages, names[1:], strict=True)
    ]
    return job.model_copy(update={"user_name": names[0], "recent_messages": changed})


def shown_name(
    who: str, name: str, bot_name: str, group_name: str = "", *, several: bool = False
) -> str:
    """Return a name, followed by the id `who` if it is ambiguous or `several` people have it."""
    mark = id_mark(who)
    if (
        not who
        or not name
        or name.endswith(mark)
        or not (several or _is_shared(name, bot_name, group_name))
    ):
        return name
    return name[: LONGEST_NAME - len(mark)] + mark


def shared_names(job: Job) -> dict[str, bool]:
    """Return the names of the job's people without ids, each with True if it is ambiguous.

    The names to which `with_ids` appends an id are ambiguous, and so are words that are part of the
    names of two people: "Grace" for Grace L and Grace P.
    """
    known = [(who, name) for who, name in _people(job) if who and name]
    words = defaultdict[str, set[str]](set)
    for who, name in known:
        for word in _words_of(who, name):
            words[word.capitalize()].add(who)
    shared = dict.fromkeys((bare_name(who, name) for who, name in known), False)
    shared |= {word: True for word, bearers in words.items() if len(bearers) > 1 and terms_in(word)}
    return shared | {
        bare_name(who, name): True for who, name in known if name.endswith(id_mark(who))
    }


def _people(job: Job) -> list[tuple[str, str]]:
    """Return the user of a job and the senders of its messages, each as (id, name)."""
    return [
        (job.user_id, job.user_name),
        *((one.sender_id, one.sender_name) for one in job.recent_messages),
    ]


def _words_of(who: str, name: str) -> set[str]:
    """Return the folded words of a name: "wee" and "davie" for wee_davie."""
    return {word for word in _NO_LETTERS.split(folded(bare_name(who, name))) if len(word) > 1}


def namesakes(job: Job) -> set[str]:
    """Return the ids of the senders of recent messages who have the name of the job's user.

    The user's own id is included if they sent one.
    """
    name = bare_name(job.user_id, job.user_name)
    return {
        one.sender_id
        for one in job.recent_messages
        if name and bare_name(one.sender_id, one.sender_name) == name
    }


def shared_name_in(text: str, shared: Mapping[str, bool]) -> str:
    """Return the first ambiguous name in a text that is not followed by an id, or "".

    `shared` is the result of `shared_names`.
    """
    for start, end in places_of(text, shared):
        if shared[text[start:end]] and not text.startswith(" (", end):
            return text[start:end]
    everybody = any(means_everybody(name) for name, is_shared in shared.items() if is_shared)
    return text.split(maxsplit=1)[0] if everybody and with_group(text, _GROUP) != text else ""


_GROUP = Names(group_name="\0", group_id="\0")


@remembered(1024)
def _is_shared(name: str, bot_name: str, group_name: str) -> bool:
    """Return True if a nickname is ambiguous by itself.

    Such a nickname begins with the name of the bot or group, is a word of the language, or looks
    like a shown name.
    """
    whole = folded(name)
    others = [one for one in map(folded, (bot_name, group_name)) if one]
    begins = any(
        whole.startswith(one) and not (one[-1:].isascii() and whole[len(one) :][:1].isalnum())
        for one in others
    )
    return (
        begins
        or is_a_word(whole)
        or _LOOKS_SHOWN.search(whole) is not None
        or with_group(name, _GROUP) != name
    )


def _is_bot(job: Job, who: str, name: str) -> bool:
    """Return True for the bot, by its id, or by its name if its id is unknown."""
    return who == job.bot_id if job.bot_id else who != job.user_id and name == job.bot_name
