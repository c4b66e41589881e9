"""Rule-based drafts of a job's texts, verdicts on drafts and on a model's texts, and fallbacks.

A fallback is the text that is filed if no attempt is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from ..schema.event import WrittenKind
from ..schema.graph_states.historian import ItemState, Reason
from ..schema.job import Job, RecentMessage
from ..schema.names import Names
from ..schema.settings import Settings
from .borders import names_one
from .checks.findings import RELATIVE_KINDS, Finding, SourceTexts
from .checks.gate import check, is_unread
from .checks.missing_information import missing_information
from .checks.roles import persons_in
from .edits import edited
from .language import Language, detect_language
from .messages.records import dated_words, days_meant
from .questions import asking_sentences, time_told
from .rewriting.absolutize import LONGEST_TEXT, Absolutized, absolutize
from .rewriting.subjects import with_speaker
from .sentence import Sentence, as_sentence
from .speakers.mentions import with_mentions
from .speakers.shown_names import shared_name_in, shared_names
from .speakers.talk import Talk
from .speakers.whose import Whose, whose
from .time_expressions import tells_hours_alone


class Drafted(NamedTuple):
    """One text of a job: its item, the original text (`source`), and the rules' draft."""

    item: ItemState
    source: Sentence
    draft: Sentence


def names_of(job: Job, settings: Settings) -> Names:
    """Return the names of a job's conversation."""
    return Names.of_job(job, settings.cognitive.bot_name)


def language_of(job: Job, settings: Settings) -> Language:
    """Return the language of a job's prompts: the configured language, else that of its texts."""
    return language_among([job.action_summary, *job.new_info], settings)


def language_among(texts: Sequence[str], settings: Settings) -> Language:
    """Return the configured language, else the dominant language of all texts."""
    configured = settings.cognitive.language
    return detect_language("\n".join(texts)) if configured == "auto" else configured


def prepare(job: Job, settings: Settings) -> list[ItemState]:
    """Return one item per text of the job; its candidate is the rules' draft."""
    return [one.item for one in drafts(job, settings)]


def drafts(job: Job, settings: Settings) -> list[Drafted]:
    """Return the rules' draft of every text of the job."""
    talk = Talk(job, names_of(job, settings))
    return [
        _drafted(source, kind, talk)
        for (kind, _), source in zip(job.texts, talk.texts, strict=True)
    ]


def draft_of(job: Job, kind: WrittenKind, source: str, names: Names) -> str:
    """Return the rules' draft of one text of the job."""
    return _drafted(Sentence(source, names), kind, Talk(job, names)).draft.text


def _drafted(source: Sentence, kind: WrittenKind, talk: Talk) -> Drafted:
    told = _whose(source, kind, talk)
    said, job = told.sentence, talk.job
    done = absolutize(
        said,
        job.moment,
        job.timezone,
        source.names,
        kind,
        recent_speakers=job.speakers,
        cast=told.cast,
    )
    draft, is_deed = done.sentence, kind == "action"
    stays = any(one.kind != "place" for one in done.undecided) and not is_deed
    if not stays and not any(reason[0] == "claim" for reason in told.reasons):
        replaced = {one.start for one in done.replaced}
        draft, is_open = with_speaker(draft, said, told.speaker, replaced, is_deed=is_deed)
        if is_open and not any(one.why == "subject" for one in missing_information(draft)):
            told = replace(told, reasons=(*told.reasons, ("reference", "subject", said.text)))
    return Drafted(_item(kind, source, told, done, draft, job), source, draft)


def _whose(source: Sentence, kind: WrittenKind, talk: Talk) -> Whose:
    """Return the speaker analysis of a text, made from its first LONGEST_TEXT characters."""
    told = whose(source.beside(source.text[:LONGEST_TEXT]), kind, talk)
    rest = source.text[LONGEST_TEXT:]
    return replace(told, sentence=told.sentence.beside(told.sentence.text + rest)) if rest else told


def _item(
    kind: WrittenKind, source: Sentence, told: Whose, done: Absolutized, draft: Sentence, job: Job
) -> ItemState:
    return ItemState(
        kind=kind,
        source=source.text,
        resolved=done.resolved_text,
        draft=draft.text,
        candidate=draft.text,
        undecided=[*(one.text for one in done.undecided), *(one[2] for one in told.reasons)],
        dated=bool(done.resolved),
        rewritten_by="rules",
        passed=False,
        first_pass=False,
        violations=[],
        occurs=list(time_told(source.text[:LONGEST_TEXT], job.moment, done.resolved) or ()),
        said_by=told.said_by,
        open=[list(one) for one in told.reasons],
        asks=told.asks,
    )


SHOWN_MESSAGES, SHOWN_CHARACTERS = 6, 120
"""Number of messages before a job that a model is shown, and characters of each.

More would cost tokens without changing the result.
"""
SHORT_ID = 3
"""User and group ids of at most this many characters are not accepted as the origin of a number in a
model's text: the number may be an ordinary one."""
_ITEM = {"zh": "这一条", "en": "the item"}
"""The id of the original text in prompts for a model. The chat messages before it are m1, m2 …"""


def judge(
    item: ItemState,
    text: str | Sentence,
    job: Job,
    settings: Settings,
    source: Sentence | None = None,
) -> list[Reason]:
    """Return the reasons against filing a text for an item.

    A reason against any text are words that only participants understand. If the text is not the
    rules' draft, a model wrote it, and there are two more reasons: statements without support in
    the original text and the messages before it, and lost parts of the original text.
    """
    names, language = names_of(job, settings), language_of(job, settings)
    made, said = as_sentence(text, names), source or Sentence(item["source"], names)
    is_models = made.text != item["draft"]
    missing: list[Finding] = []
    sources, kept = None, None
    if is_models:
        words = with_mentions(item["source"], job, names)[0]
        kept = _kept(words, made.text, job)
        missing = list(_missing_doer(item, words, made.text, names, _ITEM[language]))
        sources = None if missing else _sources(item, words, job, names, _ITEM[language])
    verdict = check(
        made,
        source=said,
        item=item["kind"],
        sources=sources,
        kept=kept,
        # A model's text may give a time of day without a date: it may be meant for every day.
        allows=lambda one: is_models and tells_hours_alone(one.text),
        pronouns=settings.historian.gate_pronouns,
    )
    found = [*verdict.violations, *_still_open(item, made.text, job), *missing]
    return [
        Reason(kind=one.kind, text=one.text, start=one.start, end=one.end, why=one.reason(language))
        for one in found
    ]


def is_no_fact(item: ItemState) -> bool:
    """Return True if an item states no fact: it is a supposition or a question.

    Such items are not rewritten by a model and not added to profiles.
    """
    return any(kind == "claim" for kind, _, _ in item.get("open", [])) or item.get("asks", False)


def _still_open(item: ItemState, text: str, job: Job) -> Iterator[Finding]:
    """Yield findings for the item's unresolved references that `text` does not resolve either."""
    at = len(text)
    for kind, why, wording in item.get("open", []):
        left = (
            shared_name_in(text, shared_names(job))
            if why == "shared"
            else why == "mention" and wording in text
        )
        if kind == "claim" or left or text == item["draft"] or text.startswith(wording):
            yield Finding("claim" if kind == "claim" else "reference", wording, at, at, why)


def _doer(item: ItemState, words: str, names: Names) -> str:
    language = detect_language(words)
    return names.bot(language) if item["kind"] == "action" else names.user(language)


def _missing_doer(
    item: ItemState, words: str, text: str, names: Names, item_id: str
) -> Iterator[Finding]:
    """Yield a finding if a model's text names nobody: neither the bot of an action nor a person.

    A fact may name nobody if its original `words` have no pronoun.
    """
    doer, is_deed = _doer(item, words, names), item["kind"] == "action"
    is_wanted = text.strip() and (is_deed or persons_in(words))
    if is_wanted and not names_one(text, (doer,) if is_deed else names.everybody):
        yield Finding("lost", doer, where=item_id)


def _kept(words: str, text: str, job: Job) -> str:
    """Return the original words. Time words that `text` does not repeat are replaced by dates."""
    dates = [one for one in days_meant(words, job.moment, job.timezone) if one.text not in text]
    return edited(words, [(one.start, one.end, one.rendered) for one in dates])


def _sources(item: ItemState, words: str, job: Job, names: Names, item_id: str) -> SourceTexts:
    """Return the sources of a model's text: the original `words` and the messages before them."""
    language, persons, doer = detect_language(words), persons_in(words), _doer(item, words, names)
    sources = {item_id: dated_words(words, job.moment, job.timezone)}
    is_deed = item["kind"] == "action"
    speakers: dict[str, str] = {}
    teller = doer if item.get("said_by") == job.user_id else ""
    if is_deed:
        speakers[item_id] = doer
        if "first" not in persons and doer not in words:
            sources[item_id] = f"{doer}{'' if language == 'zh' else ' '}{sources[item_id]}"
    elif persons <= {"first"} and (doer == teller or not item["undecided"]):
        speakers[item_id] = doer
    listener = names.bot(language) if "second" in persons or len(persons) > 1 else ""
    for name, (message, said) in shown_messages(job).items():
        # Statements of others are no source for the user's texts. Their questions are, since they
        # name the subject of the answer.
        is_users = message.sender_id == job.user_id
        if told := said if is_users else asking_sentences(said):
            sources[name] = told
            speakers |= {name: names.user(language)} if is_users else {}
    also = [one for one in (names.user_id, names.group_id) if len(one) > SHORT_ID]
    also.append(f"{job.moment:%Y-%m-%d}")
    # In a fact without "I", an unresolved "he" can only be the user, so others are not added.
    also += names.others if item["undecided"] and (is_deed or "first" in persons) else ()
    return SourceTexts(sources, also, speakers=speakers, listener=listener, subjects=True)


def shown_messages(job: Job) -> dict[str, tuple[RecentMessage, str]]:
    """Return the messages before a job that a model is shown, by id (m1, m2 …).

    Each comes with its shown text: the first SHOWN_CHARACTERS characters, with dates.
    """
    shown: dict[str, tuple[RecentMessage, str]] = {}
    for n, one in enumerate(job.recent_messages[-SHOWN_MESSAGES:], 1):
        said = dated_words(
            one.text[:SHOWN_CHARACTERS], said_at(one, job) or job.moment, job.timezone
        )
        shown[f"m{n}"] = one, said
    return shown


def said_at(message: RecentMessage, job: Job) -> datetime | None:
    """Return the time of a message before a job in the job's zone, or None without a valid time."""
    try:
        at = datetime.fromisoformat(message.at)
    except ValueError:
        return None
    zone = job.moment.tzinfo
    return at.astimezone(zone) if at.tzinfo else at.replace(tzinfo=zone)


def can_be_mended(item: ItemState, names: Names) -> bool:
    """Return True if another wording of the item may pass the gate.

    Return False for suppositions and questions, for texts that are too long or in another language,
    and if all violations are relative words of the original text or the draft: a model could
    replace them only by invention.
    """
    if len(item["source"]) > LONGEST_TEXT or is_no_fact(item) or is_unread(item["source"], names):
        return False
    found = item["violations"]
    return not found or any(
        one["kind"] not in RELATIVE_KINDS or one["text"] not in _with_relative_words(item, one)
        for one in found
    )


def _with_relative_words(item: ItemState, reason: Reason) -> str:
    """Return the text in which an unresolved relative word is looked for.

    For a time word it is only the draft, for other kinds the original text and the draft.
    """
    return item["draft"] if reason["kind"] == "time" else f"{item['source']}\n{item['draft']}"


def with_verdict(item: ItemState, found: list[Reason]) -> ItemState:
    """Return the item with the violations `found`; it has passed if there are none."""
    return {**item, "passed": not found, "violations": found}


def passed_by_rules(item: ItemState, job: Job, settings: Settings) -> ItemState:
    """Return the item as passed if its draft needs no model, else unchanged.

    It needs no model if the rewrite mode is not `always`, no reference is undecided, and the draft
    passes the gate. The gate node uses this result and does not check the draft again.
    """
    if (
        settings.historian.rewrite_mode == "always"
        or item["undecided"]
        or judge(item, item["draft"], job, settings)
    ):
        return item
    return {**with_verdict(item, []), "first_pass": True}


def last_resort(
    item: ItemState, job: Job, settings: Settings, found: list[Reason] | None = None
) -> ItemState:
    """Return the item as it is filed if no attempt is left.

    Its text is the rules' draft, even if a word is undecided: the names in place of other words are
    still right. If the names may be wrong (a bot that describes its own life), its text is the
    original with only the times resolved.
    """
    is_wrong = any(why == "owner" for _, why, _ in item.get("open", []))
    candidate = item["resolved"] if is_wrong else item["draft"]
    found = judge(item, item["draft"], job, settings) if found is None else found
    done = with_verdict({**item, "candidate": candidate}, found)
    if done["passed"] or candidate != item["resolved"]:
        return {**done, "rewritten_by": "rules"}
    return {**done, "rewritten_by": "time" if item["dated"] else "none"}


def by_rules(job: Job, settings: Settings) -> list[ItemState]:
    """Return the items of a job as they are filed without a model, by rules and gate only."""
    return [
        last_resort(item, job, settings, judge(item, draft, job, settings, source))
        for item, source, draft in drafts(job, settings)
    ]
