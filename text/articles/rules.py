"""Write an article without a model.

New statements enter Dynamic, repeated ones move to Evolutionary, facts of a person's identity stay in Bedrock, and old lines
decay.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ...schema.article import CHAPTER_NAMES, Article, ChapterBounds, ChapterName, DroppedLine
from ...schema.names import Names
from ..declared import declared_in, declared_topics, replaces, single_facts, topics_of
from ..instructions import split_instructions
from ..language import detect_language
from ..profiles.rules import user_begins
from ..references.subjects import with_subject
from ..salience import salient_lines
from ..statements import spoken_by, stamped
from ..support import Terms, content_terms, is_negative, share, weight, words_only
from ..telling import compact, telling, undated
from ..tokens import estimate_tokens
from ..word_lists import compiled_patterns, word_tables
from .first_person import in_first_person
from .lines import bare_lines

_RE = compiled_patterns(word_tables("articles/rules.toml"))
log = logging.getLogger(__name__)

STATEMENTS_TAKEN = 6
"""Maximum number of statements taken from one text of the stimulus: the most salient ones."""
LONGEST_LINE = 240
"""Maximum characters of a line; a longer statement is cut."""

HALF_LIFE_DAYS = 365
"""Days after which the score of a Dynamic line halves."""

_NEWEST = 3
_SAME = 0.75
"""The share of words, in both directions, above which two statements say the same."""
_NOTABLE = 0.5
"""Minimum score (`telling`) of a statement to be noted."""
_HABIT_TELLS = 0.9
"""Minimum score (`telling`) of a statement to count as a habit at its first mention."""
_WORTH_NOTING = 1.5
_SMALL = 4.0
"""Maximum weight of a statement that counts as small talk because it begins like it."""
# Statements about oneself without a subject, in addition to those of `subjects`.
_OWN_STEP = re.compile(r"(?:刚|已经|又)?(?:换(?:了)?(?:工作|公司)|跳槽|入职|辞职|升职|毕业|结婚|离婚|订婚|怀孕|搬家|退休)")
_LOOKED_AT = 400
"""Maximum number of statements of one text that are compared with each other: the work is quadratic."""
_SPAN = re.compile(r"(?:（| \()(?P<first>\d{4}-\d{2}-\d{2}) (?:至|to) \d{4}-\d{2}-\d{2}[）)]$")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class _News:
    """One statement of the stimulus: its day ("" if unknown), its speaker ("" if none), its text."""

    day: str
    speaker: str
    text: str


def reconstruct_by_rules(old: Article, stimulus: Sequence[str], *, names: Names, bounds: ChapterBounds, today: date) -> Article:
    """Return the article after `stimulus`, each chapter within its bound.

    A text or line of the stimulus may begin with its day ("2026-02-21: …", "[2026-02-21] …"); the default is `today`. A
    statement that declares something about the person goes to Bedrock, where it supersedes older values of single-valued
    topics; one that Dynamic holds from another day moves to Evolutionary; others go to the end of Dynamic. A repeated line
    moves to the end of its chapter. Above its bound, Dynamic loses the lines with the lowest score, Bedrock moves the least
    recently supported line to Evolutionary, and Evolutionary loses its oldest line without an identity topic.
    """
    chapters: dict[ChapterName, list[str]] = {name: bare_lines(old, name) for name in CHAPTER_NAMES}
    for news in _news(stimulus, today.isoformat(), names):
        _take_in(news, chapters, names)
    _fit(chapters, bounds, names, bare_lines(old, "Dynamic")[-_NEWEST:])
    return _article(chapters)


def replaced_lines(old: Article, new: Article, names: Names) -> tuple[DroppedLine, ...]:
    """Return the Bedrock lines of `old` that a line of `new` supersedes, each with that line as the reason."""
    now = bare_lines(new, "Bedrock")
    gone = [line for line in bare_lines(old, "Bedrock") if line not in now]
    reasons = {line: next((one for one in now if replaces(one, line, names)), "") for line in gone}
    return tuple(DroppedLine(line, reason) for line, reason in reasons.items() if reason)


def into_dynamic(old: Article, stimulus: Sequence[str], *, bounds: ChapterBounds, names: Names | None = None) -> Article:
    """Return `old` with the salient statements of `stimulus` added to Dynamic, which is reduced to its bound.

    The other chapters are unchanged.
    """
    names = names or Names()
    before = bare_lines(old, "Dynamic")
    lines = list(dict.fromkeys([*before, *(_dated(news.day, _wording(news, names)) for news in _news(stimulus, "", names))]))
    return old.with_chapters({"Dynamic": _text(_most_telling(lines, bounds.dynamic, names, before[-_NEWEST:]))})


def is_significant(stimulus: Sequence[str], names: Names | None = None) -> bool:
    """Return True if `stimulus` is worth a new article: it tells of identity, plans, habits, tastes, dates or feelings."""
    contents = [one for text in stimulus for one in split_instructions(text)[0]]
    told = [stamped(one)[1] for one in contents if _is_worth_noting(one, names or Names())]
    return any(topics_of(statement) or _RE.matters.search(statement) or _DAY.search(statement) for statement in told)


def notable(text: str, names: Names, count: int = STATEMENTS_TAKEN) -> list[str]:
    """Return the declarations of a text and its most informative other statements, at most `count` in all, in order."""
    told = [one for one in split_instructions(text)[0] if _declares(one, names) or _is_worth_noting(one, names)]
    declared = {n for n, one in enumerate(told) if _declares(one, names)}
    if len(told) > _LOOKED_AT:
        told = [told[n] for n in sorted({*declared, *range(len(told) - _LOOKED_AT, len(told))})]
        declared = {n for n, one in enumerate(told) if _declares(one, names)}
    if len(told) <= count:
        return told
    salient = salient_lines(told, max(count - len(declared), 0), [telling(one, names) for one in told])
    return [told[n] for n in sorted({*declared, *salient})]


def _is_worth_noting(statement: str, names: Names) -> bool:
    """Return True if a statement is informative enough; questions of the assistant and small talk are not."""
    speaker, said = spoken_by(stamped(statement)[1])
    if said.endswith(("?", "？", "吗", "呢")) and speaker in _own_names(names):
        return False
    says = weight(words_only(content_terms(said, names, dates=False)))
    if says < _WORTH_NOTING or (says <= _SMALL and _RE.small_talk.match(said)):
        return False
    return telling(statement, names) >= _NOTABLE


def _own_names(names: Names) -> frozenset[str]:
    return frozenset((names.bot_name, names.bot("zh"), names.bot("en"))) - {""}


def points_of(stimulus: Sequence[str], names: Names) -> dict[str, ChapterName]:
    """Return the notable statements of `stimulus` as lines of an article with their chapters; Dynamic lines are dated."""
    found: dict[str, ChapterName] = {}
    for news in _news(stimulus, "", names):
        line = _wording(news, names)
        chapter = chapter_of(line, names)
        found.setdefault(_dated(news.day, line) if chapter == "Dynamic" and not _DAY.search(line) else line, chapter)
    return found


def chapter_of(line: str, names: Names) -> ChapterName:
    """Return the chapter of a line: Bedrock for identity, Evolutionary for habits and tastes, else Dynamic."""
    _, said = spoken_by(stamped(line)[1])
    if declared_in(line, names):
        return "Bedrock"
    return "Evolutionary" if _RE.habit.search(said) and not _DAY.search(line) else "Dynamic"


def is_same(one: str, other: str, names: Names) -> bool:
    """Return True if two lines, apart from dates, have nearly the same words, the same numbers and the same negation."""
    return _same(stamped(one)[1], stamped(other)[1], names)


def _declares(statement: str, names: Names) -> bool:
    speaker, said = spoken_by(stamped(statement)[1])
    said = _whole(said, speaker, names)
    return bool(declared_topics(said, names, by_user=speaker in ("", names.user_name)))


def _news(stimulus: Sequence[str], today: str, names: Names) -> list[_News]:
    found: list[_News] = []
    for text in stimulus:
        day = stamped(text.strip())[0] or today
        for statement in notable(text, names):
            own_day, rest = stamped(statement)
            speaker, said = spoken_by(rest)
            said = _whole(compact(said, names), speaker, names)
            found += [_News(own_day or day, speaker, fact) for fact in single_facts(said, names) if fact] if said else []
    return found


def _whole(said: str, speaker: str, names: Names) -> str:
    """Return the statement without fillers ("by the way"), with its subject added if it begins with the verb."""
    if not said:
        return ""
    bare = _RE.lead.sub("", said)
    said = bare if bare == said else bare[0].upper() + bare[1:]
    if speaker and speaker in (names.user("zh"), names.user("en")):
        if _OWN_STEP.match(said):
            return f"{speaker}{said}"
        return with_subject(said, names, "fact", detect_language(said))
    return with_subject(said, names, "action", detect_language(said)) if speaker in _own_names(names) else said


def _take_in(news: _News, chapters: dict[ChapterName, list[str]], names: Names) -> None:
    line = _wording(news, names)
    topics = declared_topics(news.text, names, by_user=news.speaker in ("", names.user_name))
    bedrock, evolutionary, dynamic = (chapters[name] for name in CHAPTER_NAMES)
    if _moved_to_end(bedrock, line, names):
        return
    if topics:
        chapters["Bedrock"] = [one for one in bedrock if not replaces(line, one, names)] + [line]
        # A fact that was moved to Evolutionary for lack of room is in Bedrock again: remove its copy.
        chapters["Evolutionary"] = [one for one in evolutionary if not _same(one, line, names) and not replaces(line, one, names)]
        return
    for n, one in enumerate(evolutionary):
        statement, first = _without_span(one)
        if _same(statement, line, names):
            evolutionary[n:] = [*evolutionary[n + 1 :], _spanning(line, first or news.day, news.day)]
            return
    again = [one for one in dynamic if _same(stamped(one)[1], line, names)]
    days = [stamped(one)[0] for one in again]
    if _is_habit(line, news, names):
        chapters["Dynamic"] = [one for one in dynamic if one not in again]
        kept = [one for one in evolutionary if not _contradicts(line, one, names)]
        first = min((day for day in [*days, news.day] if day), default="")
        chapters["Evolutionary"] = [*kept, _spanning(line, first if again else "", news.day)]
    elif any(day and news.day and day != news.day for day in days):
        chapters["Dynamic"] = [one for one in dynamic if one not in again]
        evolutionary.append(_spanning(line, min(day for day in [*days, news.day] if day), news.day))
    elif not again:
        dynamic.append(_dated(news.day, line))


def _is_habit(line: str, news: _News, names: Names) -> bool:
    """Return True if a line tells what the person likes, does habitually or aims at."""
    user = user_begins(news.text, names)
    lasts = bool(user) and _RE.lasting.match(news.text[len(user) :]) is not None
    return lasts and chapter_of(line, names) == "Evolutionary" and telling(line, names) >= _HABIT_TELLS


def _contradicts(new: str, old: str, names: Names) -> bool:
    """Return True if two lines with nearly the same words contradict each other."""
    return is_negative(new) != is_negative(old) and _alike(*(words_only(_terms(line, names)) for line in (new, old)))


def _wording(news: _News, names: Names) -> str:
    """Return a statement as a line in the first person of the assistant, with its speaker unless the text names them."""
    text = " ".join(news.text.split())
    if len(text) > LONGEST_LINE:
        text = text[: LONGEST_LINE - 1].rstrip() + "…"
    text = in_first_person(text, names)
    if not news.speaker or news.speaker in _own_names(names) or news.speaker.casefold() in text.casefold():
        return text
    return f"{news.speaker}：{text}" if detect_language(text) == "zh" else f"{news.speaker}: {text}"


def _dated(day: str, line: str) -> str:
    bare = undated(line, day) if day else line
    return f"{day} {bare or line}" if day else line


def _spanning(line: str, first: str, last: str) -> str:
    if not first or not last or first == last:
        return line
    return f"{line}（{first} 至 {last}）" if detect_language(line) == "zh" else f"{line} ({first} to {last})"


def _without_span(line: str) -> tuple[str, str]:
    """Return a line without the range of days at its end, and the first of these days."""
    found = _SPAN.search(line)
    return (line[: found.start()], found["first"]) if found else (line, "")


def _moved_to_end(lines: list[str], line: str, names: Names) -> bool:
    """Return True if `lines` hold a line that says the same as `line`, and move it to their end (most recently supported)."""
    for n, one in enumerate(lines):
        if _same(one, line, names):
            lines.append(lines.pop(n))
            return True
    return False


def _same(one: str, other: str, names: Names) -> bool:
    mine, theirs = _terms(one, names), _terms(other, names)
    if is_negative(one) != is_negative(other) or any(term[0].isdigit() for term in mine ^ theirs):
        return False
    return _alike(mine, theirs)


def _terms(line: str, names: Names) -> Terms:
    return content_terms(_without_span(line)[0], names, dates=False)


def _alike(mine: Terms, theirs: Terms) -> bool:
    return bool(mine) and share(mine, theirs) >= _SAME and share(theirs, mine) >= _SAME


def _fit(chapters: dict[ChapterName, list[str]], bounds: ChapterBounds, names: Names, newest: Sequence[str]) -> None:
    bedrock = chapters["Bedrock"]
    made_room: list[str] = []
    while len(bedrock) > 1 and estimate_tokens(_text(bedrock)) > bounds.bedrock:
        made_room.append(bedrock.pop(0))
    if made_room:
        log.info("Bedrock is full: %d lines move to Evolutionary", len(made_room))
    chapters["Bedrock"] = _newest(bedrock, bounds.bedrock)
    evolutionary = [*chapters["Evolutionary"], *made_room]
    while len(evolutionary) > 1 and estimate_tokens(_text(evolutionary)) > bounds.evolutionary:
        passing = next((n for n, line in enumerate(evolutionary) if not topics_of(line)), 0)
        evolutionary.pop(passing)
    chapters["Evolutionary"] = _newest(evolutionary, bounds.evolutionary)
    chapters["Dynamic"] = _most_telling(chapters["Dynamic"], bounds.dynamic, names, newest)


def _most_telling(lines: Sequence[str], bound: int, names: Names, newest: Sequence[str]) -> list[str]:
    """Return the lines of Dynamic with the highest scores that fit into `bound` tokens, in order; scores decay with age.

    The best of `newest`, the last lines of the old chapter, is always kept.
    """
    days = _days_of(lines)
    last = max(days, default=0)
    worth = [telling(line, names) * 0.5 ** ((last - day) / HALF_LIFE_DAYS) for line, day in zip(lines, days, strict=True)]
    stays = max((n for n, line in enumerate(lines) if line in newest), key=lambda n: worth[n], default=-1)
    sizes = [estimate_tokens(_text([line])) + 1 for line in lines]
    kept = set(range(len(lines)))
    for n in sorted(kept - {stays}, key=lambda n: (worth[n], n)):
        if sum(sizes[n] for n in kept) <= bound:
            break
        kept.discard(n)
    return _newest([lines[n] for n in sorted(kept)], bound)


def _days_of(lines: Sequence[str]) -> list[int]:
    """Return the ordinal day of each line; a line without one has that of the line before it."""
    found: list[int] = []
    for line in lines:
        try:
            found.append(date.fromisoformat(stamped(line)[0]).toordinal())
        except ValueError:
            found.append(found[-1] if found else 0)
    return [day or max(found) for day in found]


def _newest(lines: Sequence[str], bound: int) -> list[str]:
    """Return the last lines that fit into `bound` tokens; a single line that does not fit is shortened."""
    kept = list(lines)
    while len(kept) > 1 and estimate_tokens(_text(kept)) > bound:
        kept.pop(0)
    while kept and estimate_tokens(_text(kept)) > bound:
        bare = kept[0].removesuffix("…")
        shorter = bare[: len(bare) * 3 // 4].rstrip()
        kept = [f"{shorter}…"] if shorter else []
    return kept


def _text(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _article(chapters: dict[ChapterName, list[str]]) -> Article:
    return Article().with_chapters({name: _text(lines) for name, lines in chapters.items()})
