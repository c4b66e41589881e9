"""The speaker of each text of a job, and the persons that its "I", "you" and "he" mean.

The speaker of an action is the bot. For a fact these rules apply:

- A quotation ("Bob: I'm moving") is by its author. "I am Ann" is by Ann.
- A text is by the person whose messages contain its words, if they contain far more of them than
  the messages of others: jobs repeat recent messages.
- "I helped the user" and "I told the user" are by the bot: people do not call themselves "the
  user".
- Otherwise "I" is the user if no other person spoke, since facts are learnt from the user.
- A text without a subject is prefixed with its speaker: the sender of the message that contains
  the text, and in a private chat the user.
- "He" is the user if neither the job's texts nor its messages mention anybody else.

If no rule applies, the reference is unresolved: the words are unchanged, and the gate reports why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..borders import names_one
from ..message_parts import without_media
from ..quotations import comparable
from ..references.people import ROLE_NOUNS, find_people
from ..references.types import Cast, Item
from ..rewriting.first_person import cast_of_bot, says_i, serves, speaker_of_fact
from ..sentence import Sentence
from ..statements import gives_orders
from ..word_lists import compiled_patterns, word_tables
from .claims import as_said, is_claim, why_no_fact, without_speaker
from .mentions import with_group, with_mentions
from .shown_names import namesakes, shared_name_in
from .talk import HOLDS, Talk
from .utterances import BOT, HEADER, USER

SURE = 0.85
"""A text with at least this share of its words in a message has the message's own wording."""
TRACE = 0.25
"""Below this share of content words a message is no evidence for a statement."""
CLEAR = 0.2
"""The share in a speaker's message must exceed the shares of other speakers by at least this."""

_RE = compiled_patterns(word_tables("speakers/whose.toml"))
_CALLED_TO_TELL = re.compile(
    r"^\s*(?:@\S{1,40}\s+|\[CQ:at,[^\[\]]*\][,，:：]?\s*)+(?=[我俺咱]|(?:I|[Mm]y|[Ww]e|[Oo]ur)\b)"
)
"""A mention of the addressee before a statement in the first person."""
_YOURS = re.compile(r"[你您妳]|(?<![\w'’])(?:you|your|yours|u)(?!\w)", re.IGNORECASE)

Reasons = tuple[tuple[str, str, str], ...]
"""Reasons why a text cannot be understood outside the conversation, as (kind, why, wording). `kind`
and `why` are keys of the explanations that the gate gives."""


@dataclass(frozen=True, slots=True)
class Whose:
    """The speaker and the persons of one text of a job.

    `sentence` is the text with names instead of mentions, and `cast` says which people its "I",
    "you" and "he" mean. `said_by` is the id of its speaker ("" if unknown). `speaker` is the name
    that is put before a text without a subject ("" for none). `asks` is True for a fact that
    reports a question.
    """

    sentence: Sentence
    cast: Cast | None
    said_by: str = ""
    speaker: str = ""
    reasons: Reasons = ()
    asks: bool = False


def whose(said: Sentence, kind: Item, talk: Talk) -> Whose:
    """Return the speaker and persons of a text of a job.

    A text in another language than English or Chinese is unchanged; for a fact, its speaker is
    returned.
    """
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
    found = _with_claim_quoted(_of_fact(said, talk), talk)
    claim = why_no_fact(found.sentence.text, names)
    asks = claim == "asked"
    if claim and not asks:
        reasons = (*reasons, ("claim", claim, found.sentence.text))
    return replace(found, reasons=(*found.reasons, *reasons), asks=asks)


def _of_orders(said: Sentence, talk: Talk) -> Whose:
    """Return the speaker analysis of a text that gives orders.

    Its sentence is a quotation (`Ann said: "…"`). The speaker is the sender of the recent message
    that contains the text, else the user.
    """
    job, user = talk.job, talk.names.user(said.language)
    body = without_speaker(said.text, user)
    plain = comparable(body)
    sent = next(
        (one for one in job.recent_messages if one.sender_id and plain in comparable(one.text)),
        None,
    )
    is_user = sent is None or sent.sender_id == job.user_id
    speaker, said_by = (
        (user, job.user_id)
        if sent is None or is_user
        else (sent.sender_name or sent.sender_id, sent.sender_id)
    )
    told = as_said(body, speaker, said.language)
    return Whose(
        said.beside(told),
        Cast(third=False, stand_in=False),
        said_by,
        reasons=(("claim", "orders", told),),
    )


def _with_claim_quoted(found: Whose, talk: Talk) -> Whose:
    """Return `found`, with claims about others as quotations ("Ann said: Bob owes me money").

    Only a claim of the user that also involves the user becomes a quotation of the user. Other
    claims about people, or about the rules of a group, keep their words and get the reason
    "claimant": the gate reports that their speaker is unresolved. Texts that are no claims are
    unchanged.
    """
    job, names, said_by = talk.job, talk.names, found.said_by
    text, language = found.sentence.text, found.sentence.language
    named = bool(job.group_id) and any(name in text for name in names.user_names if name)
    own = found.cast is not None and found.cast.first == names.user(language)
    involved = named or (own and says_i(found.sentence))
    is_users = involved and (said_by == job.user_id or not (said_by or talk.others))
    speaker = next(
        (one.sender_name for one in job.recent_messages if said_by and one.sender_id == said_by), ""
    )
    speaker = names.user(language) if is_users or said_by == job.user_id else speaker
    if not (speaker or involved) or not is_claim(
        text, replace(names, user_name=speaker) if speaker else names
    ):
        return found
    if is_users:
        return replace(
            found, sentence=found.sentence.beside(as_said(text, speaker, language)), speaker=""
        )
    return replace(found, reasons=(*found.reasons, ("reference", "claimant", text)))


def _of_fact(said: Sentence, talk: Talk) -> Whose:
    """Return the speaker and persons of a fact.

    The speaker's id is the user's only if no message of another sender contains more of the fact.
    Otherwise there are two cases. If the other sender has the same name as the user, the id is that
    of this sender. Any other sender may have quoted the user, so that the id is "".
    """
    found = _of_named(said, talk)
    if found.said_by and found.said_by == talk.job.user_id:
        mine = talk.job.user_id
        heard = [one for one in talk.said if one.who != BOT or one.sender_id == mine]
        senders = {one.sender_id for one in heard}
        if senders <= {mine}:
            return found
        held = {
            sender: max(
                talk.held(said.text, [one for one in heard if one.sender_id == sender]).values()
            )
            for sender in senders
        }
        best = max(held, key=lambda sender: held[sender])
        if held[best] > held.get(mine, 0.0):
            return replace(found, said_by=best if best in namesakes(talk.job) else "")
    return found


def _of_named(said: Sentence, talk: Talk) -> Whose:
    """Return the speaker and persons of a fact, by the names of the conversation."""
    header = HEADER.match(said.text)
    quoted = _of_quotation(header, said, talk) if header is not None else None
    if quoted is not None:
        return quoted
    held = talk.held(said.text)
    return (_of_first_person if says_i(said) else _of_third_person)(said, held, talk)


def _of_first_person(said: Sentence, held: dict[str, float], talk: Talk) -> Whose:
    """Return the speaker and persons of a fact in the first person."""
    names, language = talk.names, said.language
    reasons: Reasons = (
        (("claim", "played", said.text),) if talk.is_played or talk.acts_out(said.text) else ()
    )
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
    """Return who "I" is in a fact: BOT, USER, a name, or "" if it is unknown."""
    alone, acts = speaker_of_fact(said), serves(said.text)
    best = max(held, key=lambda who: held[who], default="")
    score, second = (
        held.get(best, 0.0),
        max((held[who] for who in held if who != best), default=0.0),
    )
    if score >= HOLDS and score >= second + CLEAR and (score >= SURE or not acts):
        return best
    if alone != "user":
        return BOT if alone == "bot" and (acts or not talk.others) else ""
    # If there are no messages, a helpful deed ("I looked it up") may be the bot's. Its speaker is
    # unknown if the text gives advice or says "you", or if the bot's action says "I".
    if not talk.is_told:
        advises = _RE.advises.search(said.text) or _YOURS.search(said.text)
        return "" if acts and (advises or says_i(said.beside(talk.job.action_summary))) else USER
    mine, least = held.get(USER, 0.0), TRACE if talk.others else 0.0
    is_users = mine >= max(least, held.get(BOT, 0.0)) and not any(
        held.get(who) for who in talk.others
    )
    return USER if is_users and not acts else ""


def _of_third_person(said: Sentence, held: dict[str, float], talk: Talk) -> Whose:
    """Return the speaker and persons of a fact without "I"."""
    text = said.text
    ranked = sorted(
        ((score, who) for who, score in held.items() if score and who != BOT), reverse=True
    )
    closest = ranked[0][1] if ranked else ""
    said_by = talk.id_of(closest) if held.get(closest, 0.0) >= HOLDS else ""
    sender = talk.sender(text)
    is_closest = closest not in ("", USER) and held[closest] >= max(
        HOLDS, held.get(USER, 0.0) + CLEAR
    )
    cast = Cast(
        # The person whom "our" means in a text without "I" ("our drummer").
        first=closest if is_closest else talk.names.user(said.language),
        third=(sender == USER or talk.speaks_of_user) and not talk.may_be_another(said),
        stand_in=_may_stand_in(held, talk),
    )
    reasons: Reasons = (("claim", "played", text),) if talk.acts_out(text) else ()
    reasons = (("claim", "assistant", text),) if _is_the_bots(said, held) else reasons
    return Whose(said, cast, said_by, talk.name_of(sender, said.language), reasons)


def _may_stand_in(held: dict[str, float], talk: Talk) -> bool:
    """Return True if 对方 and "the user" may be the user.

    Return False if a person uses these words in the messages, since people do not call themselves
    so. Also return False if another person's messages contain more of the text than the user's.
    """
    if any(one.who != BOT and _RE.stand_in.search(one.text) for one in talk.said):
        return False
    best = max((held[who] for who in talk.others if who in held), default=0.0)
    return best <= held.get(USER, 0.0) or held.get(USER, 0.0) >= HOLDS


def _of_quotation(header: re.Match[str], said: Sentence, talk: Talk) -> Whose | None:
    """Return the speaker and persons of "name: text", or None if the name is no speaker."""
    names, name, text = talk.names, header["name"].strip(), said.text
    author = {one.casefold(): one for one in names.people}.get(name.casefold(), "")
    if not author and not (header["said"] or says_i(said.beside(header["body"]))):
        return None
    chinese = said.language == "zh"
    if not author and name.lower() in ROLE_NOUNS:
        author = (
            f"{names.user(said.language)}{'的' if chinese else chr(39) + 's '}{name}"
            if not talk.job.group_id
            else ""
        )
        text = f"{author}{text[header.end('name') :]}" if author else text
    elif not author and find_people(f"{name}说" if chinese else f"{name} said"):
        author = name
    return Whose(
        said.beside(text), Cast(first=author, third=False, stand_in=False), talk.id_of(author)
    )


def _is_the_bots(said: Sentence, held: dict[str, float]) -> bool:
    """Return True if the bot said the text, and it mentions neither a person nor the group."""
    names = said.names
    if (
        said.references
        or said.people
        or names_one(said.text, (names.group_name, *names.people), folded=True)
    ):
        return False
    others = max((score for who, score in held.items() if who != BOT), default=0.0)
    return held.get(BOT, 0.0) >= max(HOLDS, others + CLEAR)
