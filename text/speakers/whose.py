"""Whose words a text of a job is, and whom its "I", "you" and "he" mean.

An action is the bot's. A fact may be a close copy of one of the recent messages: then "I" is who said that. A quotation
("Bob: I'm moving") keeps its author. What neither the text nor the messages decide stays open: the words stay, and the gate
says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...schema.job import Job
from ...schema.names import Names
from ..borders import names_one
from ..gate.relative_words import is_unread
from ..instructions import gives_orders
from ..language import Language, detect_language
from ..message_parts import without_media
from ..quotations import comparable
from ..references.finding import deictic_words
from ..references.first_person import (
    cast_of,
    cast_of_fact,
    has_first_person,
    may_be_service,
    serves,
    speaker_of_fact,
    tells_of_a_life,
)
from ..references.people import ROLE_NOUNS, find_people
from ..references.subjects import helps_the_user, lacks_subject, predicate_of, with_owner
from ..references.types import Cast
from ..superseding.matters import matters_of
from ..support import content_terms, share
from ..word_lists import compiled_patterns, word_list, word_tables
from .claims import as_said, is_claim, without_speaker
from .mentions import with_group, with_mentions
from .no_facts import why_no_fact
from .shown_names import namesakes, shared_name_in, shared_names
from .third_persons import AT_HOME, HOLDS, teller
from .utterances import BOT, HEADER, Utterance, utterances

SURE = 0.85
"""The share from which on it is the message's own wording."""
TRACE = 0.25
"""The share below which a message shows nothing of an act that it may not tell of."""
CLEAR = 0.2
"""How much more of it a message must hold than those of others."""

_RE = compiled_patterns(word_tables("speakers/whose.toml"))
_STAGE = re.compile(r"\s*(?:[（(][^）)\n]{1,20}[）)]|\*[^*\n]{2,40}\*|/me\b)")
_SAYS_YOU = re.compile(r"\b(?:you|your|u|ur)\b|[你您](?!们)", re.IGNORECASE)
_HE_IS = re.compile("[他她]是")
_AS_USER = re.compile(r"^(?:用户|the user|user)\s*[:：]\s*", re.IGNORECASE)
_GREETING = re.compile(
    r"^(?:(?:(?:哈[喽啰]|嗨)[，, ]?)?(?:大家|各位|你们?|您|早上|[上中下]午|晚上)好[啊呀]?|哈[喽啰]|嗨|早安?|好[的吧]"
    r"|谢谢(?:大家|各位|你们?)?|(?:hi|hello|hey|good (?:morning|evening|afternoon)|thanks)"
    r"(?: (?:all|everyone|everybody|guys|folks|there|again))?)"
    r"[，,！!。.~～]+\s*(?=我|I\b|my\b|we\b)",
    re.IGNORECASE,
)
"""A greeting, a thanks or an "okay" before what somebody tells of themself."""
_CALLED_TO_TELL = re.compile(r"^\s*(?:@\S{1,40}\s+|\[CQ:at,[^\[\]]*\][,，:：]?\s*)+(?=[我俺咱]|I\b|[Mm]y\b|[Ww]e\b|[Oo]ur\b)")
"""A mention of whom something is said to, before what somebody tells of themself."""
_YOURS = re.compile(r"[你您妳]|(?<![\w'’])(?:you|your|yours|u)(?![\w])", re.IGNORECASE)
_CLAUSE = re.compile(r"[,.;!，。；！…\n]+")
_MINE = re.compile(r"\bmy (?:[a-z-]+ )?[a-z-]+|我的[一-鿿]{1,4}|我(?:们?家|[爸妈爷奶姥哥姐弟妹]|老[公婆])", re.IGNORECASE)
_OF_A_LIFE = word_list("home work study pet partner child transport health body sleep money travel")


def _has_a_life(text: str) -> bool:
    """Return True if a text says "my" of what a bot has not: body, relatives, home, job."""
    return any(
        (not mine.isascii() and "的" not in mine) or matters_of(mine) & _OF_A_LIFE or mine.casefold().split()[-1] in ROLE_NOUNS
        for mine in _MINE.findall(text)
    )


@dataclass(frozen=True, slots=True)
class Whose:
    """What is known of one text of a job.

    `text` is the text with its mentions as names, `cast` whom its persons mean. `said_by` is the id of who said it ("" if
    unknown), `subject` the name that a text without a subject gets ("" for none). `reasons` say why it cannot be absolute: keys
    of the gate's sentences as (kind, why, wording). `asks` is True for a fact that tells of a question.
    """

    text: str
    cast: Cast | None
    said_by: str = ""
    subject: str = ""
    reasons: tuple[tuple[str, str, str], ...] = ()
    asks: bool = False


def whose(text: str, kind: Literal["action", "fact"], job: Job, names: Names) -> Whose:
    """Return whose words a text of `job` is.

    One in another language than English and Chinese is kept as it is, with its speaker.
    """
    if kind == "fact" and gives_orders(text):
        return _of_orders(text, job, names)
    if is_unread(text, names):
        return Whose(text, None, said_by=_of_fact(text, job, names, "en").said_by if kind == "fact" else "")
    shared = shared_name_in(text, shared_names(job))
    if kind == "fact":
        text = _without_address(_GREETING.sub("", without_media(_AS_USER.sub("", text)), count=1))
    text = _RE.today_is.sub(r"\1 is", text)
    text, unknown = with_mentions(text, job, names)
    text = text if shared else with_group(text, names)
    reasons = tuple(("reference", "mention", mention) for mention in unknown)
    reasons = (*reasons, ("reference", "shared", shared)) if shared else reasons
    language = detect_language(text)
    if kind == "action":
        if _has_a_life(text):
            reasons = (*reasons, ("reference", "owner", text))
        return Whose(text, None, subject=names.bot(language), reasons=reasons)
    found = _as_claim(_of_fact(text, job, names, language), job, names)
    claim = why_no_fact(found.text, names)
    asks = claim == "asked"
    if claim and not asks:
        reasons = (*reasons, ("claim", claim, found.text))
    return replace(found, reasons=(*found.reasons, *reasons), asks=asks)


def _without_address(statement: str) -> str:
    """Return a statement that begins with "I" after a mention without that mention: whom it is said to. "You" needs it."""
    return statement if _YOURS.search(statement) else _CALLED_TO_TELL.sub("", statement)


def _of_orders(text: str, job: Job, names: Names) -> Whose:
    """Return a text that gives orders as the quoted words of its speaker: of the recent messages' sender, else of the user."""
    user = names.user(detect_language(text))
    body = without_speaker(text, user)
    plain = comparable(body)
    sent = next((one for one in job.recent_messages if one.sender_id and plain in comparable(one.text)), None)
    is_user = sent is None or sent.sender_id == job.user_id
    speaker, said_by = (user, job.user_id) if sent is None or is_user else (sent.sender_name or sent.sender_id, sent.sender_id)
    told = as_said(body, speaker, detect_language(body))
    return Whose(told, Cast(third=False, stand_in=False), said_by, reasons=(("claim", "orders", told),))


def _as_claim(found: Whose, job: Job, names: Names) -> Whose:
    """Return a fact about others or about rules as the words of its speaker, who is the sender of the message that holds it.

    Of a group, where no other member spoke before, what involves the user ("Bob owes Mallory 500 dollars") is the user's claim;
    where others did, it is open whose it is. What the bot tells of others or of the group alone stays as it is.
    """
    involved = bool(job.group_id) and any(name in found.text for name in (names.user("zh"), names.user("en")))
    alone = all(one.sender_id in ("", job.user_id, job.bot_id) for one in job.recent_messages)
    said_by = found.said_by or (job.user_id if involved and alone else "")
    speaker = next((one.sender_name for one in job.recent_messages if one.sender_id == said_by), "")
    speaker = names.user(detect_language(found.text)) if said_by == job.user_id else speaker if said_by else ""
    if not is_claim(found.text, replace(names, user_name=speaker) if speaker else names):
        return found
    if speaker:
        return replace(found, text=as_said(found.text, speaker, detect_language(found.text)), subject="")
    return replace(found, reasons=(*found.reasons, ("reference", "claimant", found.text))) if involved else found


def _of_fact(text: str, job: Job, names: Names, language: Language) -> Whose:
    """Return whose words a fact is. The user's id stands only where no message of another sender holds more of the fact.

    A name is no proof: somebody else may bear it too, whose id then stands there, or quote it.
    """
    said = list(utterances(job, names))
    found = _of_named(text, said, job, names, language)
    if found.said_by and found.said_by == job.user_id:
        heard = [one for one in said if one.who != BOT or one.sender_id == job.user_id]
        held = {
            sender: max(_held(text, [one for one in heard if one.sender_id == sender], names).values())
            for sender in {one.sender_id for one in heard}
        }
        best = max(held, key=lambda sender: held[sender], default=job.user_id)
        if held.get(best, 0.0) > held.get(job.user_id, 0.0):
            return replace(found, said_by=best if best in namesakes(job) else "")
    return found


def _of_named(text: str, said: Sequence[Utterance], job: Job, names: Names, language: Language) -> Whose:
    """Return whose words a fact is by the names of the conversation."""
    header = HEADER.match(text)
    if header is not None:
        quoted = _of_quotation(header, text, job, names, language)
        if quoted is not None:
            return quoted
    user = names.user(language)
    text, addressed = _addressed(text, names)
    held = _held(text, said, names)
    called = _called_otherwise(text, names)
    first = has_first_person(text, names)
    third = not (called or _RE.pet.match(text)) and _is_the_user(text, held, said, user, names)
    stand_in = _closest(held, names) in (user, names.user_name, "") or held.get(user, 0.0) >= HOLDS
    stand_in = stand_in and not any(one.who != BOT and _says_stand_in(one) for one in said)
    if not first:
        author = _closest(held, names)
        said_by = _id_of(author, job, names) if held.get(author, 0.0) >= HOLDS else ""
        cast = replace(_cast_of_fact(text, said, names, language), third=third, stand_in=stand_in)
        if author not in ("", user) and held[author] >= max(HOLDS, held.get(user, 0.0) + CLEAR):
            cast = replace(cast, first=author, together=False)  # "our drummer"
        if addressed or _RE.rule.match(text):
            cast = replace(cast, second=addressed)
        elif _RE.to_the_bot.match(text) or _RE.anybody.search(text) or (predicate_of(text, names) and _SAYS_YOU.search(text)):
            cast = replace(cast, second="")
        elif author and (said_to := [one for one in said if one.who == author and _says_you(text, one, names)]):
            sure = any(comparable(text) in comparable(one.text) or not has_first_person(one.text, names) for one in said_to)
            cast = replace(cast, second=names.bot(language) if sure and author == user and not job.group_id else "")
        shown = user not in held or held[user] >= max(TRACE, held.get(BOT, 0.0))
        theirs = third and shown and author in ("", user)
        who = user if theirs else teller(text, said, names)
        subject, reasons = _subject(text, who, names)
        if theirs and not job.group_id and helps_the_user(text):
            subject, reasons = names.bot(language), ()
        if _is_the_bots(text, held, names):
            reasons = (*reasons, ("claim", "assistant", text))
        elif _is_played(text, said, names):
            reasons = (*reasons, ("claim", "played", text))
        text = with_owner(text, who, names)
        return Whose(text, cast, said_by, subject, reasons)
    reasons = _why_open(text, said, job, names)
    author = _author(text, held, job, names, user)
    if author == BOT:
        return Whose(text, cast_of("bot", names, language), reasons=reasons)
    if not author:
        return Whose(text, Cast(third=False, stand_in=stand_in))
    alone = not any(one.who not in ("", user, BOT) for one in said)
    second = addressed or (names.bot(language) if author == user and (alone or not job.group_id) else "")
    together = author == user and _cast_of_fact(text, said, names, language).together
    cast = Cast(author, second, together, third=False, stand_in=stand_in and author != user)
    return Whose(with_owner(text, author, names), cast, _id_of(author, job, names), author, reasons)


def _called_otherwise(text: str, names: Names) -> bool:
    """Return True if "he" is called a name that is not the user's: 他叫王磊, "her name is Chloe", 他是王小明."""
    called = _RE.called.search(text)
    if called is not None:
        return called["name"] not in names.user_name and called["name"] not in ("用户", "User")
    is_one = _HE_IS.match(text)
    if is_one is None:
        return False
    name = text[is_one.end() :].rstrip("。.！!")
    return (
        name not in ROLE_NOUNS
        and name not in names.user_name
        and any((one.start, one.name) == (is_one.end(), name) for one in find_people(text, names.others))
    )


def _addressed(text: str, names: Names) -> tuple[str, str]:
    """Return a text without the name that it calls at its beginning, and that name: "@Momo you're kind" is said to Momo."""
    for name in names.everybody:
        said = text[len(name) :].lstrip(" ,，") if text.startswith(name) else ""
        if said and _SAYS_YOU.match(said) and (not name[-1].isascii() or text[len(name)] in " ,，"):
            return said, name
    return text, ""


def _author(text: str, held: dict[str, float], job: Job, names: Names, user: str) -> str:
    """Return who says "I" in a fact: a name, the bot, or "" where nobody can tell."""
    alone = speaker_of_fact(text, names)
    named = {one.name for one in find_people(text, names.people)}
    if _has_a_life(text):
        held = {who: score for who, score in held.items() if who != BOT}
    scores = {who: score for who, score in held.items() if who not in named or who == BOT}
    ranked = sorted(scores.items(), key=lambda one: -one[1])
    if alone == "bot" and serves(text) and max(scores.values(), default=0.0) < SURE:
        return BOT
    if ranked:
        (best, score), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
        if alone == "user" and score < SURE and may_be_service(text):
            # "I moved the call" may be what they did, or what they asked for and the bot did.
            told = scores.get(BOT, 0.0)
            return BOT if told >= CLEAR and told >= 2 * max((held[who] for who in held if who != BOT), default=0.0) else ""
        if score >= HOLDS and score >= second + CLEAR:
            return best
    others = [who for who in held if who not in (BOT, user, "")]
    if alone != "user":
        return BOT if alone == "bot" and (not others or serves(text)) else ""
    speaks = has_first_person(job.action_summary, names) and not tells_of_a_life(text)
    if not held and serves(text) and (speaks or _RE.fits_a_bot.search(text)):
        return ""  # it fits what a bot does, which says "I" of itself
    mine = scores.get(user, 0.0)
    least = 0.0 if tells_of_a_life(text) and not others else TRACE
    if user in held and (mine <= least or mine < scores.get(BOT, 0.0)):
        return ""  # the talk is there, and nothing of it is theirs
    return user if not others or (mine and not any(scores.get(who, 0.0) for who in others)) else ""


def _of_quotation(header: re.Match[str], text: str, job: Job, names: Names, language: Language) -> Whose | None:
    """Return whose words "name: text" are; None where the head is no speaker."""
    name, body = header["name"].strip(), header["body"]
    known = {one.casefold(): one for one in names.people}
    author = known.get(name.casefold(), "")
    speaks = has_first_person(body, names)
    if not author and not (speaks or header["said"]):
        return None
    if not author and name.lower() in ROLE_NOUNS:
        author = f"{names.user(language)}{'的' if language == 'zh' else chr(39) + 's '}{name}" if not job.group_id else ""
        text = f"{author}{text[header.end('name') :]}" if author else text
    elif not author and find_people(f"{name}说" if language == "zh" else f"{name} said"):
        author = name
    said_by = _id_of(author, job, names)
    return Whose(text, Cast(first=author, third=False, stand_in=False), said_by)


def _held(text: str, said: Sequence[Utterance], names: Names) -> dict[str, float]:
    """Return for each speaker the greatest share of the text that one of their messages holds. A question tells nothing."""
    wanted = content_terms(text, names)
    plain = comparable(text)
    clauses = [comparable(clause) for clause in _CLAUSE.split(text) if has_first_person(clause, names)]
    held: dict[str, float] = {}
    for one in said:
        whole = comparable(one.text)
        part = 0.0 if one.asks or not wanted else share(wanted, one.terms)
        if len(plain) > 3 and plain in whole:
            part = 1.0
        elif any(len(own) > 2 and own in whole for own in clauses) or _begins(plain, one.text, names):
            part = max(part, 0.9)
        held[one.who] = max(held.get(one.who, 0.0), part)
    return held


def _begins(plain: str, message: str, names: Names) -> bool:
    """Return True if a statement begins with what a message says of its sender: 我没读过, of 我没读过《百年孤独》."""
    clauses = (comparable(clause) for clause in _CLAUSE.split(message))
    return any(len(own) > 3 and plain.startswith(own) and has_first_person(own, names) for own in clauses)


def _says_you(text: str, one: Utterance, names: Names) -> bool:
    """Return True if a message says of the one spoken to what a statement says of "you"."""
    held = comparable(text) in comparable(one.text) or share(content_terms(text, names), one.terms) >= HOLDS
    return held and _SAYS_YOU.search(one.text) is not None


def _is_the_bots(text: str, held: dict[str, float], names: Names) -> bool:
    """Return True if the bot itself said it, about nobody."""
    if names_one(text, (names.user_name, names.group_name, *names.others), folded=True):
        return False
    others = max((score for who, score in held.items() if who != BOT), default=0.0)
    alone = not deictic_words(text, ()) and not find_people(text)
    return alone and held.get(BOT, 0.0) >= max(HOLDS, others + CLEAR)


def _is_played(text: str, said: Sequence[Utterance], names: Names) -> bool:
    """Return True if the words come from a message with a stage direction: "(draws his sword) I am the king"."""
    wanted = content_terms(text, names)
    return bool(wanted) and any(_STAGE.match(one.text) and share(wanted, one.terms) >= HOLDS for one in said)


def _closest(held: dict[str, float], names: Names) -> str:
    """Return the speaker whose messages hold most of a text, "" if none holds any."""
    ranked = sorted(((score, who) for who, score in held.items() if score and who != BOT), reverse=True)
    return ranked[0][1] if ranked else ""


def _is_the_user(text: str, held: dict[str, float], said: Sequence[Utterance], user: str, names: Names) -> bool:
    """Return True if "he" may be taken for the user: the talk tells of nobody else, or the user's own words hold the text."""
    if not any(one.who not in ("", BOT) for one in said):
        return True
    mine = held.get(user, 0.0)
    told = any(_tells_of_somebody(one, names) for one in said)
    if not told and all(one.who in ("", user, BOT) for one in said):
        return True
    if user in held and mine <= max(TRACE, held.get(BOT, 0.0) - CLEAR):
        return False
    if any(score >= mine for who, score in held.items() if who not in (user, BOT) and (score or not mine)):
        return False
    if not told:
        return True
    wanted = content_terms(text, names)
    best = max((one for one in said if one.who == user), key=lambda one: share(wanted, one.terms), default=None)
    own = best is not None and has_first_person(best.text, names)
    return best is not None and own and mine >= HOLDS and not _tells_of_somebody(best, names)


def _tells_of_somebody(one: Utterance, names: Names) -> bool:
    """Return True if an utterance speaks of a third person."""
    if AT_HOME.search(one.text) or any(
        found.person == "third" and found.gender != "thing" for found in deictic_words(one.text, ())
    ):
        return True
    known = {names.bot_name, names.user_name}
    return any(found.name not in known for found in find_people(one.text, names.others))


def _says_stand_in(one: Utterance) -> bool:
    """Return True if a message says 对方 or "that guy": whoever says so means neither themself nor the bot."""
    return any(found.kind == "reference" and found.person == "third" for found in deictic_words(one.text, ()))


def _cast_of_fact(text: str, said: Sequence[Utterance], names: Names, language: Language) -> Cast:
    """Return the cast of a fact; "we" is not bot and user where a person of the talk speaks of somebody else."""
    cast = cast_of_fact(text, names, language)
    company = cast.together and any(one.who != BOT and _tells_of_somebody(one, names) for one in said)
    return replace(cast, together=False) if company else cast


def _why_open(text: str, said: Sequence[Utterance], job: Job, names: Names) -> tuple[tuple[str, str, str], ...]:
    """Return the reason why somebody's own words are not absolute: they are played, or tell what another one did to them."""
    if _is_played(text, said, names) or _RE.play.search(job.action_summary) or any(_RE.play.search(one.text) for one in said):
        return (("claim", "played", text),)
    return (("reference", "subject", text),) if predicate_of(text, names) == "other" else ()


def _subject(text: str, who: str, names: Names) -> tuple[str, tuple[tuple[str, str, str], ...]]:
    """Return the name that a text gets which begins with its predicate, and the reason where nobody can tell whose it is."""
    start = predicate_of(text, names) or ("other" if lacks_subject(text, names) else "")
    if not start:
        return who, ()
    return (who, ()) if who and start == "state" else ("", (("reference", "subject", text),))


def _id_of(author: str, job: Job, names: Names) -> str:
    """Return the id of a person of the conversation, "" if unknown or the bot."""
    if not author or author == BOT:
        return ""
    if author in (names.user_name, names.user("zh"), names.user("en")):
        return job.user_id
    senders = ((one.sender_id, Names(user_name=one.sender_name, user_id=one.sender_id)) for one in job.recent_messages)
    return next((sender_id for sender_id, called in senders if author in called.user_names), "")
