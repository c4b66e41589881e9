"""The engine for all languages, which finds the time expressions of a text that need a reference.

A language consists of a table of named patterns (TOML), a builder (Python) for the reading of each
pattern, and a few functions. One scan finds the time words. Neighbours that form one expression are
merged, and the two ends of a range are joined. Neighbours that touch without forming an expression
become one expression that is not understood. Finally each expression is judged in its sentence: it
is accepted with a tense, accepted as not understood, or dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from .reading import TIME_OF_DAY, TimeSpec, TimeToken, is_absolute

Builder = Callable[["re.Match[str]"], "TimeSpec | None"]
LONG_TEXT = 2_000
_UNNAMED = re.compile(r"\(\?P<\w+>")
UNSURE = "maybe_"
"""Prefix of the names of patterns whose words alone do not determine a time.

The builder has the name without the prefix.
"""


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text in the forms that a language needs.

    `text` is the text as written, `low` the form for the patterns, and `spoken` the form for the
    tense of verbs. All have the same length.
    """

    text: str
    low: str
    spoken: str


class Tokens:
    """Named patterns of time words. At each place the first matching pattern counts.

    Matches of a pattern without a builder only look like time words and are skipped. `trigger`
    matches where a time word may begin. `begins` and `ends` are assertions before and after a time
    word. If `is_cut_out` is True for a place, the match there is part of another word.
    """

    def __init__(
        self,
        patterns: Mapping[str, str],
        builders: Mapping[str, Builder],
        trigger: str,
        *,
        begins: str = "",
        ends: str = "",
        is_cut_out: Callable[[str, int], bool] = lambda text, start: False,
    ) -> None:
        self.trigger = re.compile(begins + trigger)
        self._begins, self._builders, self._is_cut_out = begins, builders, is_cut_out
        self._alone: dict[str, tuple[re.Pattern[str], Builder] | None] = {}
        self._patterns = {name: f"(?:{pattern}){ends}" for name, pattern in patterns.items()}

    @cached_property
    def _every(self) -> re.Pattern[str]:
        """All patterns as one pattern, compiled on first use because compiling is slow."""
        named = (
            f"{_UNNAMED.sub('(?:', pattern)}(?P<{name}>)"
            for name, pattern in self._patterns.items()
        )
        return re.compile(f"{self.trigger.pattern}(?:{'|'.join(named)})")

    def _single(self, name: str) -> tuple[re.Pattern[str], Builder] | None:
        """Return the compiled pattern with this name, and its builder; None if it has no builder."""
        if name not in self._alone:
            build = self._builders.get(name.removeprefix(UNSURE))
            self._alone[name] = None if build is None else (re.compile(self._patterns[name]), build)
        return self._alone[name]

    def scan(self, text: str) -> list[TimeToken]:
        """Return the time words of a text with their readings, in order and not yet merged."""
        found: list[TimeToken] = []
        match = self._next(text, 0)
        while match is not None:
            start, end = match.span()
            name = match.lastgroup or ""
            if self._is_cut_out(text, start):
                end = start + 1
            elif (single := self._single(name)) is not None:
                pattern, build = single
                detail = pattern.match(text, start)
                reading = build(detail) if detail is not None else None
                if detail is not None and reading is not None:
                    sure = not name.startswith(UNSURE) and bool(reading.slots)
                    found.append(TimeToken(reading, start, detail.end(), understood=sure))
            match = self._next(text, max(end, start + 1))
        return found

    def _next(self, text: str, place: int) -> re.Match[str] | None:
        """Return the next match from `place` on.

        In a long text each place is tried apart, since other threads cannot run during a search.
        """
        if len(text) <= LONG_TEXT:
            return self._every.search(text, place)
        tried = (
            self._every.match(text, begin.start()) for begin in self.trigger.finditer(text, place)
        )
        return next((match for match in tried if match is not None), None)


Join = Callable[[FoldedText, TimeToken, TimeToken], "TimeSpec | None"]
Beside = tuple["TimeToken | None", "TimeToken | None"]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The patterns of a language, and its functions to judge neighbours and single expressions."""

    tokens: Tokens
    join: Join
    """The reading of two neighbours as one expression (昨天 + 下午三点), or None."""
    through: Join
    """The reading of two neighbours as the ends of a range (周一到周三), or None."""
    touches: Callable[[FoldedText, TimeToken, TimeToken], bool]
    """True if two neighbours are parts of a longer expression that is not understood."""
    parts: Callable[[FoldedText, int, int], bool]
    """True if a sentence ends between two places."""
    judge: Callable[[FoldedText, TimeToken, TimeToken | None, Beside], TimeToken | None]
    """The expression as it is accepted, or None to drop it.

    Arguments are the text, the expression, the last day named before it in its sentence, and the
    neighbouring expressions, whether they are accepted or not.
    """


def find(
    grammar: Grammar, said: FoldedText, is_content: Callable[[TimeToken], bool]
) -> list[TimeToken]:
    """Return the expressions that need a reference, in order.

    Expressions for which `is_content` returns True (such as those in titles) are left out.
    """
    found = candidates(grammar, said)
    return settled(grammar, said, [item for item in found if not is_content(item)]) if found else []


def candidates(grammar: Grammar, said: FoldedText) -> list[TimeToken]:
    """Return all merged expressions of a text in order, including absolute ones."""
    merged = _paired(said, grammar.tokens.scan(said.low), grammar.join)
    return _whole(grammar, said, _paired(said, merged, grammar.through))


def _paired(said: FoldedText, found: list[TimeToken], join: Join) -> list[TimeToken]:
    paired: list[TimeToken] = []
    for token in found:
        last = paired[-1] if paired else None
        both = join(said, last, token) if last is not None else None
        if last is None or both is None:
            paired.append(token)
            continue
        days = [one for one in (last, token) if one.reading.has_day] or [last, token]
        paired[-1] = TimeToken(
            both, last.start, token.end, understood=all(one.understood for one in days)
        )
        if len(paired) > 1 and (whole := join(said, paired[-2], paired[-1])) is not None:
            paired[-2:] = [replace(paired[-1], reading=whole, start=paired[-2].start)]
    return paired


def _whole(grammar: Grammar, said: FoldedText, found: list[TimeToken]) -> list[TimeToken]:
    """Return the expressions, with those that touch replaced by one that is not understood."""
    whole: list[TimeToken] = []
    for item in found:
        last = whole[-1] if whole else None
        if last is not None and grammar.touches(said, last, item):
            whole[-1] = TimeToken(TimeSpec(), last.start, item.end, understood=False)
        else:
            whole.append(item)
    return whole


def settled(grammar: Grammar, said: FoldedText, found: list[TimeToken]) -> list[TimeToken]:
    """Return the accepted expressions that need a reference, judged in their sentences."""
    kept: list[TimeToken] = []
    earlier: TimeToken | None = None
    for before, item, following in zip([None, *found], found, [*found[1:], None], strict=False):
        if is_absolute(item.reading):
            earlier = item
            continue
        if earlier is not None and grammar.parts(said, earlier.end, item.start):
            earlier = None
        chosen = grammar.judge(said, item, earlier, (before, following))
        if chosen is None:
            continue
        last = kept[-1] if kept else None
        if last is not None and not last.understood and chosen.reading.slots <= TIME_OF_DAY:
            # 查了周六的天气，建议7点前出发: the hour is on that day, which is unknown.
            chosen = chosen if grammar.parts(said, last.end, item.start) else not_understood(chosen)
        kept.append(chosen)
        reading = chosen.reading
        if chosen.understood and reading.has_day and reading.vague is None and not reading.now:
            earlier = chosen
    return kept


def not_understood(item: TimeToken) -> TimeToken:
    """Return an expression as not understood, so that its words are not replaced."""
    return replace(item, understood=False)
