"""Every public function of `text/` takes time in proportion to the length of its text, whatever the text.

The functions are found by walking the modules. Those that begin with a text, or with several, are called without being
named here; what else they need is found by the names and types of their parameters. So a new function is tested too.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from itertools import count
from typing import Any

import historian.text
import pytest
from historian.schema.errors import HistorianError
from historian.schema.event import Event
from historian.schema.job import parse_job
from historian.schema.names import Names
from historian.schema.profile import Profile, ProfileKey, ProfileLine
from historian.schema.settings import Settings
from historian.schema.summary import ArticleKey
from historian.text.checks.clauses import clauses_of
from historian.text.checks.findings import SourceTexts
from historian.text.facts.superseding import MARKS
from historian.text.profiles.asked_to_keep import asked_to_keep
from historian.text.profiles.lines import read_lines
from historian.text.protected import protected_spans
from historian.text.redaction import Redaction, find_secrets
from historian.text.references.people import find_people
from historian.text.references.types import Cast, Reference
from historian.text.sentence import Sentence
from historian.text.speakers.talk import Talk
from historian.text.speakers.utterances import utterances
from historian.text.time_expressions.chinese.grammar import find as find_chinese
from support.adversarial import FAMILIES, MEANEST, Family
from support.articles import Chapters
from support.events import make_event

NAMES = Names("Undefined", "Ann", "42", "摄影群", "777", ("Bob", "小林"))
NOW = datetime(2026, 2, 21, 4, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Texts:
    """The text that a function is given, and another one of the same family for its further texts."""

    text: str
    other: str

    @property
    def pieces(self) -> list[str]:
        return [self.text[at : at + 40] for at in range(0, len(self.text), 40)]


OF_OWN_WORDS = {
    *(
        "word_lists.word_list",
        "word_lists.phrase_list",
        "word_lists.word_tables",
        "redaction.rules.compiled",
    ),
    *("time_expressions.calendar.feast", "time_expressions.calendar.season_days"),
}
"""Functions that are given words and patterns of the program itself."""

BY_NAME: dict[str, Callable[[Texts], Any]] = {
    "shared": lambda t: dict.fromkeys(Texts(t.other, t.other).pieces, True),
    "name": lambda _: "Ann",
    "day": lambda _: "2026-02-21",
    "language": lambda t: "zh" if any("㐀" <= one <= "鿿" for one in t.text[:200]) else "en",
    "item": lambda _: "fact",
    "kind": lambda _: "password",
    "link": lambda _: "assigned",
    "linking": lambda _: "=",
    "scale": lambda _: "",
    "folded": lambda t: t.text.lower() if len(t.text.lower()) == len(t.text) else t.text,
    "start": lambda t: len(t.text) // 2,
    "end": lambda t: len(t.text) // 2 + 1,
    "position": lambda t: len(t.text) // 2,
    "characters": lambda _: 4_000,
    "count": lambda _: 6,
    "drafts": lambda t: [t.other, t.other],
    "streams": lambda t: (t.other,),
    "name_spans": lambda t: protected_spans(t.text),
    "spans": lambda t: protected_spans(t.text),
    "is_content": lambda _: lambda found: False,
    "today": lambda _: date(2026, 2, 21),
    "cues": lambda _: ("key", "a", "码"),
    "people": lambda t: t.pieces[:200],
    "places": lambda t: range(0, len(t.text), 7),
    "before": lambda _: 10,
    "after": lambda _: 300,
}
"""What a parameter of this name is given, whatever its type."""

BY_TYPE: dict[str, Callable[[Texts], Any]] = {
    "str": lambda t: t.other,
    "str | Sentence": lambda t: t.other,
    "Sentence": lambda t: Sentence(t.other, NAMES),
    "Talk": lambda t: Talk(_job(Texts(t.other, t.other)), NAMES),
    "Sequence[str]": lambda t: Texts(t.other, t.other).pieces,
    "Collection[int]": lambda _: {0},
    "Names": lambda _: NAMES,
    "datetime": lambda _: NOW,
    "str | ZoneInfo | None": lambda _: "Asia/Shanghai",
    "Language": lambda t: BY_NAME["language"](t),
    "Sequence[Span]": lambda t: protected_spans(t.text),
    "Iterable[Edit]": lambda t: [(at, at + 2, "x") for at in range(0, len(t.text) - 2, 3)],
    f"collections.abc.Iterable[{Redaction.__module__}.Redaction]": lambda t: find_secrets(
        t.text, "all"
    ),
    "Sequence[Clause]": lambda t: clauses_of([t.other], NAMES),
    "SourceTexts": lambda t: SourceTexts({"N1": t.text}),
    "Sequence[Utterance]": lambda t: list(utterances(_job(Texts(t.other, t.other)), NAMES)),
    "Sequence[TimeToken]": lambda t: find_chinese(t.text, lambda _: False),
    "list[TimeToken]": lambda t: find_chinese(t.text, lambda _: False),
    "Reference": lambda t: Reference(
        "pronoun", "he", len(t.text) // 2, len(t.text) // 2 + 2, person="third", gender="male"
    ),
    "Sequence[Mention]": lambda t: find_people(t.text),
    "Sequence[Reference]": lambda t: Sentence(t.text).references,
    "Sequence[tuple[int, int, str]]": lambda _: [],
    "Cast": lambda _: Cast(NAMES.user("en"), NAMES.bot("en"), third=False),
    "Profile": lambda t: Profile(
        ProfileKey("user", "42"), name="Ann", lines=_lines(t.other[:4_000])
    ),
    "str | Iterable[object]": lambda t: t.pieces,
    "Job": lambda t: _job(Texts(t.other, t.other)),
    "Settings": lambda _: Settings(),
    "Mapping[str, str] | None": lambda _: {},
    "Mapping[str, str]": lambda t: {
        f"N{n}": one for n, one in enumerate(Texts(t.other, t.other).pieces)
    },
    "Collection[str]": lambda t: Texts(t.other, t.other).pieces[:100],
    "Sequence[Terms]": lambda t: [frozenset((one,)) for one in t.pieces],
}
"""What any other parameter of this type is given. The first text of a function is the one that grows."""

OF_A_SENTENCE: dict[str, Callable[[str], Any]] = {
    "str": lambda text: text,
    "str | Sentence": lambda text: text,
    "Sentence": lambda text: Sentence(text, NAMES),
}
TEXTS_FIRST = {
    "str",
    "Sequence[str]",
    "list[str]",
    "tuple[str, ...]",
    "Iterable[str]",
    "str | Iterable[object]",
    *OF_A_SENTENCE,
}


def _job(t: Texts) -> Any:
    fields = {
        "request_id": "1",
        "request_type": "group",
        "user_id": "42",
        "group_id": "7",
        "user_name": "Ann",
    }
    recent = [
        {"sender_id": f"{n}", "sender_name": f"Bob{n}", "text": t.text[n : n + 40]}
        for n in range(20)
    ]
    half = len(t.text) // 2
    said = {
        "action_summary": t.text[:half],
        "new_info": [t.text[half + at : half + at + 200] for at in range(0, half, 200)],
    }
    return parse_job(
        {
            **fields,
            **said,
            "recent_messages": recent,
            "timestamp": NOW.isoformat(),
            "timezone": "UTC",
        }
    )


def _lines(text: str) -> tuple[ProfileLine, ...]:
    return tuple(
        ProfileLine(str(at), text[at : at + 60], evidence=(str(at),))
        for at in range(0, len(text), 60)
    )


def _said(text: str) -> Event:
    return make_event(kind="message", source="message", text=text)


CALLERS: dict[str, Callable[[Texts], tuple[Any, ...]]] = {
    "borders.names_one": lambda t: (t.text, ("Ann", "Ben")),
    "borders.without_names": lambda t: (t.text, ("Ann", "Ben")),
    "borders.places_of": lambda t: (t.text, ("Ann", "Ben", "aa", "的")),
    "job_verdicts.prepare": lambda t: (_job(t), Settings()),
    "time_expressions.english.counted.length_of": lambda t: (f"2 days {t.text}",),
    "job_verdicts.language_of": lambda t: (_job(t), Settings()),
    "job_verdicts.names_of": lambda t: (_job(t), Settings()),
    "job_verdicts.by_rules": lambda t: (_job(t), Settings()),
    "articles.format_article": lambda t: (Chapters(t.text).article(ArticleKey("7")),),
    "profiles.lines.with_lines": lambda t: (_lines(t.text[:4_000]), _lines(t.other[:400])),
    "profiles.lines.bounded": lambda t: (_lines(t.text[:4_000]), 10),
    "profiles.lines.distinct": lambda t: (_lines(t.text[:4_000]),),
    "profiles.lines.without_evidence": lambda t: (_lines(t.text)[0], ["0"]),
    "profiles.lines.said_lines": lambda t: (_said(t.text),),
    "profiles.lines.corrected_lines": lambda t: (
        _lines(t.text[:4_000]),
        ["0"],
        _said(t.other[:100]),
        [],
    ),
    "protected.moved": lambda t: (protected_spans(t.text), BY_TYPE["Iterable[Edit]"](t)),
    "protected.merge_spans": lambda t: ([(at, at + 3) for at in range(len(t.text), 0, -2)],),
    "preview.snapshot": lambda t: (t.pieces,),
    "preview.preview_text": lambda t: (t.text,),
    "redaction.rules.merged": lambda t: (find_secrets(t.text, "all"), t.text),
    "redaction.rules.replaced": lambda t: (t.text, find_secrets(t.text, "all")),
    "redaction.values.redact_value": lambda t: ({"text": t.text, "rows": t.pieces},),
    "tokens.newest_within": lambda t: (t.pieces, 100),
    "content_words.words_only": lambda t: (frozenset(t.pieces),),
    "content_words.weight": lambda t: (t.pieces,),
    "content_words.share": lambda t: (frozenset(t.pieces), frozenset(t.pieces)),
    "content_words.best_sources": lambda t: (
        frozenset(t.pieces),
        [frozenset((one,)) for one in t.pieces],
        4,
    ),
}
"""Arguments for functions whose first parameter is no text but holds some."""


def _annotation(parameter: inspect.Parameter) -> str:
    kind = parameter.annotation
    return (
        kind
        if isinstance(kind, str)
        else kind.__name__
        if isinstance(kind, type) and not hasattr(kind, "__args__")
        else str(kind)
    )


@cache
def public_functions() -> dict[str, Callable[..., Any]]:
    """Every public function of every module of `text/`, by its name within the package."""
    found: dict[str, Callable[..., Any]] = {}
    for info in pkgutil.walk_packages(historian.text.__path__, f"{historian.text.__name__}."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if (
                not name.startswith("_")
                and inspect.isfunction(inspect.unwrap(value))
                and value.__module__ == info.name
            ):
                found[f"{info.name.removeprefix(f'{historian.text.__name__}.')}.{name}"] = value
    return found


def arguments(
    name: str, function: Callable[..., Any], texts: Texts
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return what to call `function` with; None if it takes no text. Raises LookupError for a parameter that nobody knows."""
    parameters = list(inspect.signature(function).parameters.values())
    if name in OF_OWN_WORDS:
        return None
    if name in CALLERS:
        given = CALLERS[name](texts)
    elif parameters and (kind := _annotation(parameters[0])) in TEXTS_FIRST:
        given = (
            (OF_A_SENTENCE[kind](texts.text),) if kind in OF_A_SENTENCE else (tuple(texts.pieces),)
        )
    else:
        return None
    positional, named = list(given), dict[str, Any]()
    for parameter in parameters[len(given) :]:
        if parameter.default is not parameter.empty or parameter.kind is parameter.VAR_POSITIONAL:
            continue
        made = BY_NAME.get(parameter.name) or BY_TYPE.get(_annotation(parameter))
        if made is None:
            raise LookupError(
                f"{name}: say in BY_NAME, BY_TYPE or CALLERS what {parameter} is given"
            )
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[parameter.name] = made(texts)
        else:
            positional.append(made(texts))
    return tuple(positional), named


_SERIAL = count(1)


def seconds(name: str, family: Family, length: int) -> float:
    """The processor time of one call with a text of so many characters, which no cache has seen."""
    ending = f" {next(_SERIAL)}"
    texts = Texts(family(length, 1_000) + ending, family(length, 500_000) + ending)
    made = arguments(name, public_functions()[name], texts)
    assert made is not None
    positional, named = made
    begin = time.thread_time()
    try:
        result = public_functions()[name](*positional, **named)
        if isinstance(result, Iterator):
            for _ in result:
                pass
    except (HistorianError, ArithmeticError, LookupError, ValueError):
        pass  # refused, which takes time too
    return time.thread_time() - begin


FAST = 2e-6
"""Processor time a character (s) below which growth is not looked at: a megabyte takes two seconds then. What returns early for
a short text and not for a longer one would else seem to grow."""
SPARE = 3
"""How much more a longer text may take than its length tells: sorting, and what the processor's caches hold no longer. The
square of the length is far above it."""
ATTEMPTS = 6


def assert_grows_as_the_text(name: str, family: Family, sizes: Sequence[int]) -> None:
    """Assert that time grows as the length, with SPARE, by the best of a few runs."""
    shortest, best = sizes[0], {size: float("inf") for size in sizes}
    for _ in range(ATTEMPTS):
        for size in sizes:
            best[size] = min(best[size], seconds(name, family, size))
        if all(
            best[size] <= max(FAST * size, SPARE * size / shortest * best[shortest])
            for size in sizes
        ):
            return
    raise AssertionError(
        ", ".join(f"{size:,} characters: {1000 * took:.1f} ms" for size, took in best.items())
    )


def names_of_functions() -> list[str]:
    texts = Texts("a 1", "b 1")
    return [
        name
        for name, function in public_functions().items()
        if arguments(name, function, texts) is not None
    ]


def test_every_public_function_that_takes_text_is_among_them() -> None:
    found = names_of_functions()
    assert {
        "references.people.find_people",
        "checks.gate.check",
        "profiles.lines.said_lines",
    } < set(found)
    assert set(CALLERS) <= set(found) and len(found) > 150


@pytest.mark.parametrize("name", names_of_functions())
def test_time_grows_no_faster_than_the_text(name: str) -> None:
    for family in MEANEST:
        assert_grows_as_the_text(name, FAMILIES[family], (1_000, 5_000))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_lines, "# Food" + " " * 2_000 + "and drink"),
        (asked_to_keep, "please remember that I like tea" + " " * 7_900 + "x"),
        (MARKS.ended.search, "not " * 5_000),
    ],
)
def test_many_blanks_and_many_beginnings_are_read_at_once(
    read: Callable[[str], object], text: str
) -> None:
    begin = time.thread_time()
    read(text)
    assert time.thread_time() - begin < 0.3


SECONDS_A_FUNCTION = 0.15
"""Processor time for one function in the long test: fast ones see every family, slow ones those that they come to."""


@pytest.mark.slow
@pytest.mark.parametrize("name", names_of_functions())
def test_time_grows_no_faster_than_the_text_up_to_eighty_thousand_characters(name: str) -> None:
    families = list(FAMILIES.values())
    begin = zlib.crc32(name.encode()) % len(families)  # each function begins with another family
    ends = time.process_time() + SECONDS_A_FUNCTION
    for family in (*families[begin:], *families[:begin]):
        assert_grows_as_the_text(name, family, (10_000, 80_000))
        if time.process_time() > ends:
            break
