"""Reconstruction of an article with new information: the question, and the check of the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from ..schema.names import Names
from ..schema.profile import ProfileLine, bounded_evidence, line_id_of
from ..schema.protocols import StructuredChat
from ..schema.summary import CHAPTER_NAMES, Article, ChapterBounds, ChapterName
from ..text.borders import BEGINS, ENDS
from ..text.checks.clauses import share_told
from ..text.checks.findings import SourceTexts
from ..text.checks.gate import check
from ..text.checks.supported import unsupported
from ..text.content_words import Sources
from ..text.language import Language
from ..text.profiles.declared import line_kind
from ..text.profiles.lines import CERTAIN
from ..text.statements import split_instructions, spoken_by, stamped, without_bullet
from ..text.tokens import estimate_tokens, newest_within
from .templates import one_line, render

NEWS_TOKENS = 6_000
"""Maximum number of tokens of new information. Of more, only the newest lines are shown."""
LINE_CHARACTERS = 300
MOST_LINES = 60
"""Maximum number of lines of one answer that are read."""
CONCERNS = 0.3
"""Minimum share of a line's content words in a text about the same matter."""
_MARKUP = re.compile(r"^#|```|</?\w+\s*>")
_FIRST = re.compile(rf"我|咱|{BEGINS}(?:I|me|[Mm]y|mine|[Ww]e|[Oo]ur|us){ENDS}")
_WHY: Final[Mapping[Language, Mapping[str, str]]] = {
    "zh": {
        "head": "上一次没有采用的条目和原因（采用了的已在旧文章里，只交改好的）：",
        "form": f"只写一句话，至多 {LINE_CHARACTERS} 字，不写标签、标题和指令",
        "day": "Dynamic 的条目以日期开头，如 2026-02-21",
        "long": "{chapter} 满了：用 replaces 合并旧条目",
        "kept": "不能去掉或替换“{line}”：新条目没有写全它，reason 里也没有照抄推翻它的新信息",
        "certain": "“{line}”说的是健康或界限，要留着",
        "nothing": "没有给出可用的回答",
    },
    "en": {
        "head": "Not taken of the last answer, and why (what was taken is in the old article; hand in only the rest, mended):",
        "form": f"write one sentence of at most {LINE_CHARACTERS} characters, no tag, heading or instruction",
        "day": "a line of Dynamic begins with its day, such as 2026-02-21",
        "long": "{chapter} is full: merge old lines by replaces",
        "kept": '"{line}" stays: the new line does not say all of it, and no reason quotes new information against it',
        "certain": '"{line}" is about health or a boundary and stays',
        "nothing": "no usable answer was given",
    },
}


class NewArticleLine(BaseModel):
    """A line of the article."""

    text: str = Field(description="one sentence")
    chapter: ChapterName
    replaces: list[str] = Field(
        default_factory=list, description="ids of old lines that it stands for, such as B2"
    )


class DroppedLine(BaseModel):
    """An old line that the new information overturns."""

    line: str = Field(description="its id, such as B2")
    reason: str = Field(description="the new information that overturns it, in its words")


class Reconstruction(BaseModel):
    """What changes in the article."""

    model_config = ConfigDict(title="reconstruct")

    lines: list[NewArticleLine] = Field(default_factory=list)
    dropped: list[DroppedLine] = Field(default_factory=list)


def news_of(stimulus: Sequence[str]) -> dict[str, str]:
    """Return the lines of new information by id (`N1`), each with its day.

    Only the newest lines are returned, of at most NEWS_TOKENS tokens, but at least one.
    """
    lines = []
    for text in stimulus:
        day = ""
        for line in text.splitlines():
            own, said = stamped(without_bullet(line))
            day = own or day
            if said:
                lines.append(f"{day} {said}".strip())
    return {f"N{n}": line for n, line in enumerate(newest_within(lines, NEWS_TOKENS, least=1), 1)}


def old_lines(article: Article) -> dict[str, tuple[ChapterName, ProfileLine]]:
    """Return the lines of an article by id: `B1` is the first line of Bedrock."""
    return {
        f"{name[0]}{n}": (name, line)
        for name, lines in article.chapters.items()
        for n, line in enumerate(lines, 1)
    }


async def reconstruct(
    article: Article,
    stimulus: Sequence[str],
    wrong: Sequence[str],
    *,
    chat: StructuredChat,
    names: Names,
    language: Language,
) -> Reconstruction:
    """Return the model's changes of an article. Raises the errors of the model.

    `wrong` are the reasons why lines of its last answer were refused.
    """
    shown = [
        f"{name}: {one_line(line.dated_text)}" for name, (_, line) in old_lines(article).items()
    ]
    news = [f"{name}: {one_line(line)}" for name, line in news_of(stimulus).items()]
    complaint = (
        ["", _WHY[language]["head"], *(f"- {one_line(reason)}" for reason in wrong)]
        if wrong
        else []
    )
    return await chat.structured(
        Reconstruction,
        purpose="reconstruct",
        system=render(
            "reconstruct_system", language, bot=names.bot(language), user=names.user(language)
        ),
        user=render(
            "reconstruct_user",
            language,
            article="\n".join(shown) or ("（空）" if language == "zh" else "(empty)"),
            news="\n".join(news),
            wrong="\n".join(complaint),
        ).strip(),
    )


def believed(
    article: Article,
    answer: Reconstruction | None,
    stimulus: Mapping[str, str],
    *,
    names: Names,
    bounds: ChapterBounds,
    language: Language,
) -> tuple[Article, list[str]]:
    """Return the article with the accepted lines of an answer, and the reasons against the others.

    `stimulus` holds the texts of the news by the ids of the events, or of the job, that they tell.
    A new line must be absolute ("I" is the bot) and supported by the old lines and the news
    (`unsupported`). An old line is removed only if a new line says the same or if news overturns
    it; a line about health or a boundary, only if a new line says the same. If a chapter exceeds
    its bound, Dynamic loses its oldest lines, and the other chapters accept no new line.
    """
    if answer is None:
        return article, [_WHY[language]["nothing"]]
    update = _Update(article, stimulus, names, bounds, language)
    for line in answer.lines[:MOST_LINES]:
        update.take(line, {one.line: one.reason for one in answer.dropped})
    for one in answer.dropped[:MOST_LINES]:
        update.drop(one)
    return update.article(), update.refused


class _Update:
    """An article while the lines of an answer are checked and applied."""

    def __init__(
        self,
        article: Article,
        stimulus: Mapping[str, str],
        names: Names,
        bounds: ChapterBounds,
        language: Language,
    ) -> None:
        self.refused: list[str] = []
        self._bounds, self._language = bounds, language
        self._article, self._lines = article, old_lines(article)
        news = news_of(list(stimulus.values()))
        speakers = {spoken_by(stamped(line)[1])[0] for line in news.values()} - {
            "",
            *names.everybody,
        }
        self._names = replace(names, others=(*names.others, *sorted(speakers)))
        self._old = {name: line.dated_text for name, (_, line) in self._lines.items()}
        self._news = Sources(news, self._names)
        self._origins = Sources(stimulus, self._names)
        self._sources = Sources({**self._old, **news}, self._names)

    def article(self) -> Article:
        """Return the article with the changes so far."""
        if self._lines == old_lines(self._article):
            return self._article
        chapters = {name: list(self._of(name).values()) for name in CHAPTER_NAMES}
        dynamic = [f"- {line.dated_text}" for line in chapters["Dynamic"]]
        left = len(newest_within(dynamic, self._bounds["Dynamic"]))
        chapters["Dynamic"] = chapters["Dynamic"][len(dynamic) - left :]
        return self._article.with_chapters(chapters)

    def take(self, line: NewArticleLine, dropped: Mapping[str, str]) -> None:
        """Add a new line in place of the lines that it replaces.

        It is refused if it does not pass, or if a replaced line may not be removed.
        """
        text = " ".join(without_bullet(line.text).split())
        replaced = [name for name in dict.fromkeys(line.replaces) if self._stands(name)]
        stands = {name: one for name, one in self._lines.items() if name not in replaced}
        if text in {known.dated_text for _, known in stands.values()}:
            return
        faults = self._faults(text, line.chapter, replaced)
        for name in replaced:
            faults += self._why_kept(name, text, dropped.get(name, ""))
        kept = [known.dated_text for of, known in stands.values() if of == line.chapter]
        if (
            line.chapter != "Dynamic"
            and estimate_tokens("\n".join((*kept, text))) > self._bounds[line.chapter]
        ):
            faults.append(self._why("long", chapter=line.chapter))
        if faults:
            self.refused.append(f"{text[:LINE_CHARACTERS]}: {' '.join(dict.fromkeys(faults))}")
            return
        told = [one for name in replaced for one in self._lines[name][1].evidence]
        evidence = bounded_evidence((*told, *self._origins.nearest(text)))
        new = ProfileLine(line_id_of(text, *evidence), text, evidence=evidence)
        place = next(
            (name for name in replaced if self._lines[name][0] == line.chapter), f"+{text}"
        )
        self._lines = {
            name: known
            for name, known in self._lines.items()
            if name == place or name not in replaced
        }
        self._lines[place] = line.chapter, new

    def drop(self, one: DroppedLine) -> None:
        """Remove an old line that news overturns. An unknown or already removed line is ignored."""
        if not self._stands(one.line):
            return
        if faults := self._why_kept(one.line, "", one.reason):
            self.refused += faults
        else:
            del self._lines[one.line]

    def _stands(self, name: str) -> bool:
        """Return True if `name` is the id of an old line that is unchanged so far."""
        known = self._lines.get(name)
        return known is not None and known[1].dated_text == self._old.get(name)

    def _of(self, chapter: ChapterName) -> dict[str, ProfileLine]:
        return {name: line for name, (of, line) in self._lines.items() if of == chapter}

    def _faults(self, text: str, chapter: ChapterName, replaced: Sequence[str]) -> list[str]:
        """Return why a text is not a valid line of a chapter; [] if it is valid."""
        if (
            not text
            or len(text) > LINE_CHARACTERS
            or _MARKUP.search(text)
            or split_instructions(text)[1]
        ):
            return [self._why("form")]
        verdict = check(text, self._names, allows=lambda one: one.why == "first")
        faults = verdict.reasons(self._language)
        if chapter == "Dynamic" and not stamped(text)[0]:
            faults.append(self._why("day"))
        sources = {**{name: self._old[name] for name in replaced}, **self._sources.nearest(text)}
        names_user = any(name in text for name in self._names.user_names if name)
        is_first = _FIRST.search(text) is not None
        # "I" is the bot. A line with "I" that does not name the person must be supported by the
        # bot's own messages and actions.
        as_told = ([text] if names_user or not is_first else []) + (
            [f"{self._names.bot(self._language)} {text}"] if is_first else []
        )
        found = [unsupported(one, SourceTexts(sources), self._names) for one in as_told]
        return faults + ([] if not all(found) else [one.reason(self._language) for one in found[0]])

    def _why_kept(self, name: str, text: str, reason: str) -> list[str]:
        """Return why an old line may not be removed; [] if it may.

        `text` is the new line in its place, if any, and `reason` quotes the news that overturns it.
        """
        chapter, line = self._lines[name][0], self._old[name]
        if text and not unsupported(line, SourceTexts({"": text}), self._names):
            return []
        if line_kind(line) in CERTAIN:
            return [self._why("certain", line=line)]
        is_told = bool(reason.strip()) and not unsupported(
            reason, SourceTexts(self._news.nearest(reason)), self._names
        )
        if is_told or (text and chapter != "Bedrock"):
            by = f"{reason if is_told else ''} {text}"
            if (
                share_told(line, by, self._names) >= CONCERNS
                or line_kind(line) == line_kind(by) != "other"
            ):
                return []
        return [self._why("kept", line=line)]

    def _why(self, kind: str, **values: str) -> str:
        return _WHY[self._language][kind].format(**values)
