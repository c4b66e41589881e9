"""Whose words a text of a job is, and whom its "I", "you" and "he" mean.

An action is the bot's. Of a fact these are sure:

- A quotation ("Bob: I'm moving") keeps its author, and "I am Ann" is Ann's.
- Words that the messages of one person hold, by far more than those of others, are theirs: what was just said is handed over.
- Who helps or tells the user something is the bot: nobody does that to themself in the third person.
- Otherwise "I" is the user where nobody else spoke: facts are learnt from them.
- A text without a subject has its speaker in front: the sender of the message that holds it, in a private chat the user.
- "He" is the user where neither the job's texts nor the talk tell of anybody else.

What none of them tells stays open: the words stay, and the gate says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...schema.job import Job
from ...schema.names import Names
from ..borders import names_one
from ..language import Language
from ..message_parts import without_media
from ..quotations import comparable
from ..references.people import ROLE_NOUNS, Mention, find_people
from ..references.types import Cast, Item
from ..rewriting.first_person import cast_of_bot, says_i, serves, speaker_of_fact
from ..sentence import Sentence
from ..statements import gives_orders
from ..support import Terms, content_terms, share
from ..word_lists import compiled_patterns, word_tables
from .claims import as_said, is_claim, why_no_fact, without_speaker
from .mentions import with_group, with_mentions
from .shown_names import namesakes, shared_name_in, shared_names
from .utterances import BOT, HEADER, USER, Utterance, utterances

SURE = 0.85
"""The share from which on it is the message's own wording."""
HOLDS = 0.6
"""The share of a statement's content words from which on a message holds it."""
TRACE = 0.25
"""The share below which a message shows nothing of a statement."""
CLEAR = 0.2
"""How much more of it a message must hold than those of others."""

_RE = compiled_patterns(word_tables("speakers/whose.toml"))
_STAGE = re.compile(r"\s*(?:[（(][^）)\n]{1,20}[）)]|\*[^*\n]{2,40}\*|/me\b)")
_CALLED_TO_TELL = re.compile(r"^\s*(?:@\S{1,40}\s+|\[CQ:at,[^\[\]]*\][,，:：]?\s*)+(?=[我俺咱]|(?:I|[Mm]y|[Ww]e|[Oo]ur)\b)")
"""A mention of whom something is said to, before what somebody tells of themself."""
_CLAUSE = re.compile(r"[,.;!，。；！…\n]+")
_SEVERAL = frozenset(("kids", "parents", "爸妈", "父母", "孩子"))
_YOURS = re.compile(r"[你您妳]|(?<![\w'’])(?:you|your|yours|u)(?!\w)", re.IGNORECASE)

Reasons = tuple[tuple[str, str, str], ...]
"""Why a text cannot be absolute: keys of the gate's sentences as (kind, why, wording)."""


@dataclass(frozen=True, slots=True)
class Whose:
    """What is known of one text of a job.

    `sentence` is the text with its mentions as names, `cast` whom its persons mean. `said_by` is the id of who said it ("" if
    unknown), `speaker` the name that stands before a text without a subject ("" for none). `asks` is True for a fact that tells
    of a question.
    """

    sentence: Sentence
    cast: Cast | None
    said_by: str = ""
    speaker: str = ""
    reasons: Reasons = ()
    asks: bool = False


class Talk:
    """The recent messages of a job, read once for all of its texts."""

    def __init__(self, job: Job, names: Names) -> None:
        self.job, self.names = job, names
        self.said: Sequence[Utterance] = tuple(utterances(job, names))
        self.others = {one.who for one in self.said} - {"", BOT, USER}
        self.is_told = bool(self.others) or any(one.who == USER for one in self.said)

    @cached_property
    def texts(self) -> list[Sentence]:
        """The texts of the job as they were handed over, in their order."""
        return [Sentence(text, self.names) for _, text in self.job.texts]

    @cached_property
    def shared_names(self) -> dict[str, bool]:
        """The words by which two people of the job may be called (`shown_names.shared_names`)."""
        return shared_names(self.job)

    @cached_property
    def is_played(self) -> bool:
        """Whether people speak as somebody else in it: only what the bot says that it did, or a message, tells of a game."""
        return any(map(_RE.play.search, (self.job.action_summary, *(one.text for one in self.said))))

    def acts_out(self, text: str) -> bool:
        """Return True if words come from a message with a stage direction: "(draws his sword) I am the king"."""
        staged = [one for one in self.said if _STAGE.match(one.text)]
        wanted = content_terms(text, self.names) if staged else frozenset()
        return bool(wanted) and any(share(wanted, one.terms) >= HOLDS for one in staged)

    @cached_property
    def tells_of_others(self) -> bool:
        """Whether a message speaks of a third person."""
        return any(one.others for one in self.said)

    def held(self, text: str, said: Sequence[Utterance] | None = None) -> dict[str, float]:
        """Return for each speaker the greatest share of a text that one of their messages holds. A question tells nothing."""
        wanted, plain = content_terms(text, self.names), comparable(text)
        clauses = [own for own in self._of_speaker(text) if len(own) > 2]
        held: dict[str, float] = {}
        for one in self.said if said is None else said:
            part = 0.0 if one.asks or not wanted else share(wanted, one.terms)
            if len(plain) > 3 and plain in one.plain:
                part = 1.0
            elif any(own in one.plain for own in clauses) or self._begins(plain, one):
                part = max(part, 0.9)
            held[one.who] = max(held.get(one.who, 0.0), part)
        return held

    def _of_speaker(self, text: str) -> list[str]:
        """Return the letters of the clauses of a text in which its speaker tells of themself."""
        return [comparable(clause) for clause in _CLAUSE.split(text) if says_i(Sentence(clause, self.names))]

    def _begins(self, plain: str, one: Utterance) -> bool:
        """Return True if a statement begins with what a message says of its sender: 我没读过, of 我没读过《百年孤独》."""
        return one.says_i and any(len(own) > 3 and plain.startswith(own) for own in self._of_speaker(one.text))

    def _source(self, wanted: Terms) -> Utterance | None:
        """Return the one message of a person that holds the words of a statement; None for none, or if two persons say it."""
        told = [one for one in self.said if one.who not in ("", BOT) and not one.asks]
        ranked = sorted(((share(wanted, one.terms), n) for n, one in enumerate(told)), reverse=True) if wanted else []
        if not ranked or ranked[0][0] < HOLDS:
            return None
        best = told[ranked[0][1]]
        return None if any(score == ranked[0][0] and told[n].who != best.who for score, n in ranked[1:]) else best

    def sender(self, text: str) -> str:
        """Return who tells a statement without a subject: who wrote the message that holds it, in private the user.

        "" where nobody can tell, or where the message, or what it goes on from, tells of somebody whom the text does not name.
        """
        wanted, folded = content_terms(text, self.names), text.casefold()
        one = self._source(wanted)
        if one is None:
            if self.job.group_id or self.others:
                return ""
            near = [other for other in self.said if wanted and share(wanted, other.terms)]
        else:
            near = [one] if one.says_i else [other for other in self.said if other.who in (one.who, BOT) or other.asks]
        tells = set().union(*(other.others for other in near)) if near else set()
        return (one.who if one else USER) if all(other in folded for other in tells) else ""

    @cached_property
    def persons(self) -> list[tuple[str, Mention]]:
        """The persons besides the user and the bot in the texts of the job, each with its text."""
        known = {*self.names.user_names, self.names.bot_name}
        return [(one.text, person) for one in self.texts for person in one.people if person.name not in known]

    @cached_property
    def speaks_of_user(self) -> bool:
        """Whether no messages are known, and what the bot did tells of the user: by name, or as "him" or "her"."""
        deed = Sentence(self.job.action_summary, self.names)
        calls = any(one.is_he_or_she for one in deed.references)
        return not self.said and (calls or names_one(deed.text, self.names.user_names))

    def may_be_another(self, said: Sentence) -> bool:
        """Return True if "he" or "she" of a text may be somebody besides the user: another text or a message names one."""
        genders = {one.gender for one in said.references if one.is_he_or_she}
        called = any(said.text[: one.start].endswith("是") and one.name.lower() not in ROLE_NOUNS for one in said.people)
        if called or self.others or self.tells_of_others or _RE.somebody.search(said.text):
            return True
        rivals = (one.gender for text, one in self.persons if text != said.text and one.name.lower() not in _SEVERAL)
        return any(not rival or "" in genders or rival in genders for rival in rivals)

    def id_of(self, who: str) -> str:
        """Return the id of a person of the conversation, "" if unknown or the bot."""
        if who == USER or (who and who in self.names.user_names):
            return self.job.user_id
        senders = ((one.sender_id, Names(user_name=one.sender_name, user_id=one.sender_id)) for one in self.job.recent_messages)
        return next((sender_id for sender_id, called in senders if who and who != BOT and who in called.user_names), "")

    def name_of(self, who: str, language: Language) -> str:
        """Return how a speaker is written."""
        return self.names.user(language) if who == USER else self.names.bot(language) if who == BOT else who


def whose(said: Sentence, kind: Item, talk: Talk) -> Whose:
    """Return whose words a text of a job is. One in another language than English and Chinese stays, with its speaker."""
    text, names, job = said.text, talk.names, talk.job
    if kind == "fact" and gives_orders(text):
        return _of_orders(said, talk)
    if said.is_other_language:
        return Whose(said, None, said_by=_of_fact(said, talk).said_by if kind == "fact" else "")
    shared = shared_name_in(text, talk.shared_names)
    if kind == "fact":
        text = without_media(text)
        text = text if _YOURS.search(text) else _CALLED_TO_TELL.sub("", text)
    text, unknown = with_mentions(text, job, names)
    said = said.beside(text if shared else with_group(text, names))
    reasons: Reasons = tuple(("reference", "mention", mention) for mention in unknown)
    reasons = (*reasons, ("reference", "shared", shared)) if shared else reasons
    if kind == "action":
        return Whose(said, None, speaker=names.bot(said.language), reasons=reasons)
    found = _as_claim(_of_fact(said, talk), talk)
    claim = why_no_fact(found.sentence.text, names)
    asks = claim == "asked"
    if claim and not asks:
        reasons = (*reasons, ("claim", claim, found.sentence.text))
    return replace(found, reasons=(*found.reasons, *reasons), asks=asks)


def _of_orders(said: Sentence, talk: Talk) -> Whose:
    """Return a text that gives orders as the quoted words of its speaker: of the recent messages' sender, else of the user."""
    job, user = talk.job, talk.names.user(said.language)
    body = without_speaker(said.text, user)
    plain = comparable(body)
    sent = next((one for one in job.recent_messages if one.sender_id and plain in comparable(one.text)), None)
    is_user = sent is None or sent.sender_id == job.user_id
    speaker, said_by = (user, job.user_id) if sent is None or is_user else (sent.sender_name or sent.sender_id, sent.sender_id)
    told = as_said(body, speaker, said.language)
    return Whose(said.beside(told), Cast(third=False, stand_in=False), said_by, reasons=(("claim", "orders", told),))


def _as_claim(found: Whose, talk: Talk) -> Whose:
    """Return what the user claims about others and themself ("Bob owes Mallory 500 dollars") as their words.

    Whatever else somebody tells of others or of rules stays and is open, and so does what involves the user where another
    member may have said it. What the bot tells of others or of the group alone stays as it is.
    """
    job, names, said_by = talk.job, talk.names, found.said_by
    text, language = found.sentence.text, found.sentence.language
    named = bool(job.group_id) and any(name in text for name in names.user_names if name)
    own = found.cast is not None and found.cast.first == names.user(language)
    involved = named or (own and says_i(found.sentence))
    is_users = involved and (said_by == job.user_id or not (said_by or talk.others))
    speaker = next((one.sender_name for one in job.recent_messages if said_by and one.sender_id == said_by), "")
    speaker = names.user(language) if is_users or said_by == job.user_id else speaker
    if not (speaker or involved) or not is_claim(text, replace(names, user_name=speaker) if speaker else names):
        return found
    if is_users:
        return replace(found, sentence=found.sentence.beside(as_said(text, speaker, language)), speaker="")
    return replace(found, reasons=(*found.reasons, ("reference", "claimant", text)))


def _of_fact(said: Sentence, talk: Talk) -> Whose:
    """Return whose words a fact is. The user's id stands only where no message of another sender holds more of the fact.

    A name is no proof: somebody else may bear it too, whose id then stands there, or quote it.
    """
    found = _of_named(said, talk)
    if found.said_by and found.said_by == talk.job.user_id:
        mine = talk.job.user_id
        heard = [one for one in talk.said if one.who != BOT or one.sender_id == mine]
        senders = {one.sender_id for one in heard}
        if senders <= {mine}:
            return found
        held = {
            sender: max(talk.held(said.text, [one for one in heard if one.sender_id == sender]).values()) for sender in senders
        }
        best = max(held, key=lambda sender: held[sender])
        if held[best] > held.get(mine, 0.0):
            return replace(found, said_by=best if best in namesakes(talk.job) else "")
    return found


def _of_named(said: Sentence, talk: Talk) -> Whose:
    """Return whose words a fact is by the names of the conversation."""
    header = HEADER.match(said.text)
    quoted = _of_quotation(header, said, talk) if header is not None else None
    if quoted is not None:
        return quoted
    held = talk.held(said.text)
    return (_told_by if says_i(said) else _told_of)(said, held, talk)


def _told_by(said: Sentence, held: dict[str, float], talk: Talk) -> Whose:
    """Return whose words a fact in the first person is."""
    names, language = talk.names, said.language
    reasons: Reasons = (("claim", "played", said.text),) if talk.is_played or talk.acts_out(said.text) else ()
    author = _author(said, held, talk)
    if author == BOT:
        return Whose(said, cast_of_bot(names, language), reasons=reasons)
    if not author:
        return Whose(said, Cast(third=False, stand_in=_may_stand_in(held, talk)))
    to_bot = author == USER and not (talk.job.group_id and talk.others)
    name = talk.name_of(author, language)
    stand_in = author != USER and _may_stand_in(held, talk)
    cast = Cast(name, names.bot(language) if to_bot else "", third=False, stand_in=stand_in)
    return Whose(said, cast, talk.id_of(author), name, reasons)


def _author(said: Sentence, held: dict[str, float], talk: Talk) -> str:
    """Return who says "I" in a fact: BOT, USER, a name, or "" where nobody can tell."""
    alone, acts = speaker_of_fact(said), serves(said.text)
    best = max(held, key=lambda who: held[who], default="")
    score, second = held.get(best, 0.0), max((held[who] for who in held if who != best), default=0.0)
    if score >= HOLDS and score >= second + CLEAR and (score >= SURE or not acts):
        return best
    if alone != "user":
        return BOT if alone == "bot" and (acts or not talk.others) else ""
    if not talk.is_told:  # advice, a promise to "you", and, of a bot that says "I" of itself, any act may be the bot's
        advises = _RE.advises.search(said.text) or _YOURS.search(said.text)
        return "" if acts and (advises or says_i(said.beside(talk.job.action_summary))) else USER
    mine, least = held.get(USER, 0.0), TRACE if talk.others else 0.0
    is_theirs = mine >= max(least, held.get(BOT, 0.0)) and not any(held.get(who) for who in talk.others)
    return USER if is_theirs and not acts else ""


def _told_of(said: Sentence, held: dict[str, float], talk: Talk) -> Whose:
    """Return whose words a fact without "I" is, and whom it tells of."""
    text = said.text
    ranked = sorted(((score, who) for who, score in held.items() if score and who != BOT), reverse=True)
    closest = ranked[0][1] if ranked else ""
    said_by = talk.id_of(closest) if held.get(closest, 0.0) >= HOLDS else ""
    sender = talk.sender(text)
    is_closest = closest not in ("", USER) and held[closest] >= max(HOLDS, held.get(USER, 0.0) + CLEAR)
    cast = Cast(
        first=closest if is_closest else talk.names.user(said.language),  # "our drummer"
        third=(sender == USER or talk.speaks_of_user) and not talk.may_be_another(said),
        stand_in=_may_stand_in(held, talk),
    )
    reasons: Reasons = (("claim", "played", text),) if talk.acts_out(text) else ()
    reasons = (("claim", "assistant", text),) if _is_the_bots(said, held) else reasons
    return Whose(said, cast, said_by, talk.name_of(sender, said.language), reasons)


def _may_stand_in(held: dict[str, float], talk: Talk) -> bool:
    """Return True if 对方 and "the user" may be the user: who says so in the talk means neither themself nor the bot."""
    if any(one.who != BOT and _RE.stand_in.search(one.text) for one in talk.said):
        return False
    best = max((held[who] for who in talk.others if who in held), default=0.0)
    return best <= held.get(USER, 0.0) or held.get(USER, 0.0) >= HOLDS


def _of_quotation(header: re.Match[str], said: Sentence, talk: Talk) -> Whose | None:
    """Return whose words "name: text" are; None where the head is no speaker."""
    names, name, text = talk.names, header["name"].strip(), said.text
    author = {one.casefold(): one for one in names.people}.get(name.casefold(), "")
    if not author and not (header["said"] or says_i(said.beside(header["body"]))):
        return None
    chinese = said.language == "zh"
    if not author and name.lower() in ROLE_NOUNS:
        author = f"{names.user(said.language)}{'的' if chinese else chr(39) + 's '}{name}" if not talk.job.group_id else ""
        text = f"{author}{text[header.end('name') :]}" if author else text
    elif not author and find_people(f"{name}说" if chinese else f"{name} said"):
        author = name
    return Whose(said.beside(text), Cast(first=author, third=False, stand_in=False), talk.id_of(author))


def _is_the_bots(said: Sentence, held: dict[str, float]) -> bool:
    """Return True if the bot itself said it, about nobody."""
    names = said.names
    if said.references or said.people or names_one(said.text, (names.group_name, *names.people), folded=True):
        return False
    others = max((score for who, score in held.items() if who != BOT), default=0.0)
    return held.get(BOT, 0.0) >= max(HOLDS, others + CLEAR)
