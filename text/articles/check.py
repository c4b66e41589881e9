"""Check the article that a model proposes before it replaces the old one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...schema.article import CHAPTER_NAMES, Article, ChapterBounds, ChapterName, DroppedLine
from ...schema.language import Language
from ...schema.names import Names
from ..borders import BEGINS, ENDS
from ..gate import find_invented, find_relative_words
from ..instructions import is_report, split_instructions
from ..language import detect_language
from ..protected import protected_spans
from ..statements import spoken_by, stamped, without_bullet
from ..support import Terms, best_sources, content_terms, share, weight
from ..tokens import estimate_tokens
from .lines import bare_lines, says_again, touches
from .markup import holds_tag
from .reasons import article_reason

SUPPORT = 0.5
"""The share of a new line's words that its sources must hold."""
_SOURCES = 4
"""Maximum number of statements that together support one line."""
_NEAR = 0.25
"""A statement that holds this share of a line's words may be the source of its numbers and dates."""
_WORTH_A_LINE = 1.5
"""Lines with a smaller weight of words are not checked for support."""
_FIRST = re.compile(rf"我|咱|{BEGINS}(?:I|me|[Mm]y|mine|[Ww]e|[Oo]ur|us){ENDS}")
_NEWEST = 3
"""At least one of this many newest lines of a chapter has to be kept."""
_FULL = 0.8
"""The share of its bound above which Bedrock may move lines to Evolutionary."""
_OWN = frozenset(("My", "Me", "Mine", "We", "Our"))
_MOST_REASONS = 12
"""Maximum number of reasons for one article: a model cannot correct more at once."""


@dataclass(frozen=True, slots=True)
class _Basis:
    """The sources of a new article: statements with their content words, and instructions separately."""

    content: tuple[str, ...]
    terms: tuple[Terms, ...]
    instructions: tuple[str, ...]
    instruction_terms: Terms
    everything: str

    @classmethod
    def of(cls, old: Article, stimulus: Sequence[str], names: Names) -> _Basis:
        content: list[str] = []
        instructions: list[str] = []
        for text in (*bare_lines(old), *stimulus):
            told, instructed = split_instructions(text)
            day = ""
            for one in told:
                # A statement without a day belongs to the day before it.
                day, said = stamped(one)[0] or day, stamped(one)[1]
                content.append(f"{day} {said}" if day else one)
            instructions += instructed
        return cls(
            tuple(content),
            tuple(content_terms(statement, names, dates=False) for statement in content),
            tuple(instructions),
            content_terms("\n".join(instructions), names, dates=False),
            "\n".join([*content, *instructions]),
        )


def check_article(
    new: Article,
    old: Article,
    stimulus: Sequence[str],
    *,
    dropped: Sequence[DroppedLine],
    names: Names,
    bounds: ChapterBounds,
    language: Language,
) -> list[str]:
    """Return the faults of `new` as the successor of `old` after `stimulus`, as sentences in `language`; empty if it is valid.

    Checked are, in this order: the form (missing chapters, tags, lines without bullets, size); the language; for each new
    line, that it is absolute (the assistant's own "I" is) and supported by the old article or the stimulus, including its
    numbers, dates, names and quotations; that something of the newest lines of the other chapters remains; and that every
    Bedrock line is kept, or listed in `dropped` with a reason and related to the stimulus. Returns at most twelve sentences;
    faults of form are returned alone.
    """
    form = list(_form(new, old, bounds, language))
    if form:
        return form[:_MOST_REASONS]
    basis = _Basis.of(old, stimulus, names)
    known = {line.strip() for chapter in CHAPTER_NAMES for line in old.lines(chapter)}
    found = list(_another_language(new, old, stimulus, names, language))
    if not found:
        for chapter in CHAPTER_NAMES:
            for line in new.lines(chapter):
                if line.strip() not in known:
                    found += _line(without_bullet(line), basis, names, language)
        found += _forgotten(new, old, names, language)
        found += _bedrock(new, old, stimulus, dropped, names, bounds, language)
    return list(dict.fromkeys(found))[:_MOST_REASONS]


def _form(new: Article, old: Article, bounds: ChapterBounds, language: Language) -> Iterator[str]:
    for name in CHAPTER_NAMES:
        text = new.chapter(name)
        if old.lines(name) and not new.lines(name):
            yield article_reason(language, "missing", chapter=name)
        tokens = estimate_tokens(text)
        if tokens > bounds.of(name):
            yield article_reason(language, "long", chapter=name, tokens=tokens, bound=bounds.of(name))
            continue
        if holds_tag(text):
            yield article_reason(language, "tag", chapter=name)
        for line in new.lines(name):
            if line not in old.lines(name) and not line.startswith("- "):
                yield article_reason(language, "bullet", chapter=name, text=line)


def _another_language(new: Article, old: Article, stimulus: Sequence[str], names: Names, language: Language) -> Iterator[str]:
    """Yield a fault for each chapter in a language of neither the old article nor the stimulus."""
    given = [text for text in ("\n".join(old.chapter(name) for name in CHAPTER_NAMES), *stimulus) if text.strip()]
    spoken = {_spoken(text, names) for text in given}
    for name in CHAPTER_NAMES:
        text = new.chapter(name)
        if text.strip() and spoken and _spoken(text, names) not in spoken:
            yield article_reason(language, "language", chapter=name, text=_spoken(given[0], names))


def _spoken(text: str, names: Names) -> Language:
    return detect_language(text, ignore=protected_spans(text, (names.group_name, *names.everybody)))


def _line(line: str, basis: _Basis, names: Names, language: Language) -> Iterator[str]:
    for finding in find_relative_words(line, names=names).violations:
        if finding.why != "first":
            kind = finding.kind if finding.kind in {"time", "place"} else "person"
            yield article_reason(language, kind, text=finding.text)
    terms = content_terms(line, names, dates=False)
    chosen = best_sources(terms, basis.terms, _SOURCES)
    found = share(terms, frozenset().union(*(basis.terms[n] for n in chosen)))
    reported = is_report(line)
    says_much = weight(terms) >= _WORTH_A_LINE
    if says_much and found < SUPPORT and not (reported and share(terms, basis.instruction_terms) >= SUPPORT):
        instructed = share(terms, basis.instruction_terms) >= SUPPORT
        yield article_reason(language, "order" if instructed else "unsupported", text=line)
        return
    near = [n for n, held in enumerate(basis.terms) if share(terms, held) >= _NEAR]
    given = [basis.content[n] for n in dict.fromkeys([*chosen, *near])] + (list(basis.instructions) if reported else [])
    for finding in find_invented(line, "\n".join(given), names):
        if finding.kind in {"number", "title", "name"} and finding.text not in _OWN:
            yield article_reason(language, "invented", text=finding.text)
    if chosen and _FIRST.match(stamped(line)[1]) and _is_anothers(line, basis.content[chosen[0]], names):
        yield article_reason(language, "first", text=line)


def _is_anothers(line: str, source: str, names: Names) -> bool:
    """Return True if a line without the person's name rests on a statement about the person that does not concern the bot."""
    own = any(name.casefold() in source.casefold() for name in (names.bot("zh"), names.bot("en")))
    people = (names.user("zh"), names.user("en"))
    named = [any(name.casefold() in text.casefold() for name in people) for text in (line, source)]
    speaker, said = spoken_by(stamped(source)[1])
    # In the person's own words "I" is the person.
    return named == [False, True] and not own and (speaker in people or _FIRST.search(said) is None)


def _bedrock(
    new: Article,
    old: Article,
    stimulus: Sequence[str],
    dropped: Sequence[DroppedLine],
    names: Names,
    bounds: ChapterBounds,
    language: Language,
) -> Iterator[str]:
    full = estimate_tokens(old.bedrock) >= _FULL * bounds.bedrock
    held: tuple[ChapterName, ...] = ("Bedrock", "Evolutionary") if full else ("Bedrock",)
    now = bare_lines(new, *held)
    told = [statement for text in stimulus for statement in split_instructions(text)[0]]
    for line in bare_lines(old, "Bedrock"):
        if says_again(line, now, names):
            continue
        naming = next((one for one in dropped if says_again(line, [without_bullet(one.line)], names)), None)
        if naming is None:
            yield article_reason(language, "lost", text=line)
        elif not naming.reason.strip():
            yield article_reason(language, "unreasoned", text=line)
        elif not any(touches(statement, line, names) for statement in told):
            yield article_reason(language, "untouched", text=line)


def _forgotten(new: Article, old: Article, names: Names, language: Language) -> Iterator[str]:
    """Yield a fault for each chapter that has lost all of its newest lines: old lines may go, but not everything at once."""
    chapters: tuple[ChapterName, ...] = ("Evolutionary", "Dynamic")
    now = bare_lines(new)
    for name in chapters:
        newest = bare_lines(old, name)[-_NEWEST:]
        if len(newest) == _NEWEST and not any(says_again(stamped(line)[1], now, names) for line in newest):
            yield article_reason(language, "forgotten", chapter=name, text=newest[-1])
