"""Clean a profile that a model wrote: remove fences, front matter, tags and headings, keep the content.

A model is asked for a name, tags and a Markdown summary. Its answer may be wrapped in a code fence, begin with YAML front
matter or "Here is the updated profile:", repeat the name as a heading, or be a word such as "unchanged".
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ...schema.job import clean_text
from ...schema.profile import Profile
from ..thoughts import without_thoughts
from ..word_lists import compiled_patterns, word_tables

_RE = compiled_patterns(word_tables("profiles/cleaning.toml"))
SUMMARY_CHARACTERS = 4000
NAME_CHARACTERS = 64
TAG_CHARACTERS = 24
"""A longer tag is a sentence and is left out."""
MAX_TAGS = 12

LONG_SUMMARY = 200
SMALLEST_SHARE = 0.15
"""A new summary shorter than this share of a long old one (200 characters) has lost content and is rejected."""

_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")
_COMMENT, _COMMENT_END = re.compile("<!--"), re.compile("-->")
_FENCE = re.compile(r"\A(?:[^\n]{0,80}[:：]\s*\n\s*)?(?P<mark>```+|~~~+)[^\n`]*\n")
_OPEN_FENCE = re.compile(r"\A(?P<mark>```+|~~~+)[^\n`]*\n")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<inner>(?:[^\n]*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_YAML_LINE = re.compile(r"\s*(?:[\w-]+\s*:.*|-\s.*|#.*|\s*)")
_WRAPPERS = (
    "profile|portrait|summary|user|group|memory|answer|output|result|response|markdown|content|text|html|body|update_profiles"
)
_WRAPPER_LINE = re.compile(rf"^[ \t]*</?(?:{_WRAPPERS})(?:\s[^<>\n]*)?>[ \t]*$", re.MULTILINE | re.IGNORECASE)
_WRAPPER_EDGE = re.compile(rf"\A<(?:{_WRAPPERS})(?:\s[^<>\n]*)?>|</(?:{_WRAPPERS})>\Z", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|h[1-6]|section|article|ul|ol)>", re.IGNORECASE)
_ITEM = re.compile(r"<li(?:\s[^<>]*)?>", re.IGNORECASE)
_HEADING = re.compile(r"(?:#{1,6}\s+(?P<hash>.*?)\s*#*|\*\*(?P<bold>[^*]+)\*\*[:：]?|__(?P<under>[^_]+)__[:：]?)\s*")
_TAG_BREAK = re.compile(r"[,，、;；|\n]+")
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_LINE_END = re.compile(r"\n")
_LINE_MARKS = re.compile(r"\A(?:(?:[-*•‣·]|#{1,6})\s+)+")
_ENDS = tuple(".。!！?？:：;；,，…")
_SENTENCE_END = re.compile(r"[。！？!?…]+[”」』\"']?|\.(?=\s)")


@dataclass(frozen=True, slots=True)
class CleanProfile:
    """Clean content of a profile: the name on one line, distinct tags, Markdown."""

    name: str
    tags: tuple[str, ...]
    summary: str


def clean_profile(
    name: str,
    tags: str | Iterable[object],
    summary: str,
    *,
    old: Profile,
    known_name: str = "",
    summary_characters: int = SUMMARY_CHARACTERS,
) -> CleanProfile | None:
    """Return the cleaned profile, with missing parts taken from `old`, or None if it must be rejected.

    `known_name` is the platform's current display name; it takes precedence over the model's. None means that the profile is
    empty, or would replace a long summary by a few words.
    """
    shown = _name_line(known_name) or clean_name(name) or old.name
    cleaned = clean_summary(summary, names=(shown, name, old.name, old.key.entity_id), characters=summary_characters)
    if not cleaned:
        cleaned = old.summary
    elif len(old.summary) >= LONG_SUMMARY and len(cleaned) < SMALLEST_SHARE * len(old.summary):
        return None
    if not cleaned:
        return None
    return CleanProfile(shown, clean_tags(tags) or old.tags, cleaned)


def clean_name(name: str) -> str:
    """Return a display name on one line, without Markdown, at most 64 characters; empty for words such as "none"."""
    line = " ".join(_printable(name).split()).lstrip("# ").strip('*_`"“”「」 ')
    return "" if _RE.nothing.fullmatch(line) else _cut_characters(line, NAME_CHARACTERS).rstrip()


def clean_tags(tags: str | Iterable[object]) -> tuple[str, ...]:
    """Return the tags of a list, or of a text with commas, semicolons or line breaks (or a JSON list).

    At most 12, each at most 24 characters, no two that differ only in case or width. List items that are not strings or
    numbers are left out.
    """
    found: dict[str, str] = {}
    for given in _tag_texts(tags):
        for part in _TAG_BREAK.split(_printable(given)):
            tag = " ".join(part.split()).strip("*_`\"'“”「」[] ")
            tag = re.sub(r"^(?:[-•]\s+|#+\s*)", "", tag)
            if tag and len(tag) <= TAG_CHARACTERS and not _RE.nothing.fullmatch(tag):
                found.setdefault(unicodedata.normalize("NFKC", tag).casefold(), tag)
    return tuple(found.values())[:MAX_TAGS]


def clean_summary(summary: str, *, names: Iterable[str] = (), characters: int = SUMMARY_CHARACTERS) -> str:
    """Return only the Markdown of a profile, at most `characters` long; empty for words such as "unchanged".

    Headings that repeat one of `names` are removed.
    """
    text = without_thoughts(_printable(summary))
    text = _without_pairs(text, _COMMENT, _COMMENT_END).strip()
    for _ in range(5):  # wrappers can be nested
        before = text
        text = _without_front_matter(_without_fence(text))
        text = _WRAPPER_EDGE.sub("", _WRAPPER_LINE.sub("", text)).strip()
        if text == before:
            break
    text = _RE.style.sub("", _ITEM.sub("- ", _BREAK.sub("\n", text)))
    text = _without_top(text, {_bare(name) for name in names if _bare(name)})
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in text.splitlines())).strip()
    return "" if _RE.nothing.fullmatch(text) else shorten(text, characters)


def in_one_line(summary: str, between: str = "; ") -> str:
    """Return the lines of a profile joined into one, without list and heading markers.

    >>> in_one_line("# 喜好\\n- 喜欢茶。\\n- 会弹吉他\\n- 住在杭州", "；")
    '喜好；喜欢茶。 会弹吉他；住在杭州'
    """
    joined = ""
    for line in filter(None, (_LINE_MARKS.sub("", one.strip()) for one in summary.splitlines())):
        joined += ("" if not joined else " " if joined.endswith(_ENDS) else between) + line
    return joined


def shorten(text: str, characters: int) -> str:
    """Return `text` cut to at most `characters`, at a paragraph, else a line, else a sentence.

    A boundary is used only if it keeps at least half of `characters`.
    """
    if len(text) <= characters:
        return text
    head = text[: characters + 1]
    for boundary, keeps_mark in ((_PARAGRAPH_END, False), (_LINE_END, False), (_SENTENCE_END, True)):
        ends = [match.end() if keeps_mark else match.start() for match in boundary.finditer(head)]
        best = max((end for end in ends if characters / 2 <= end <= characters), default=0)
        if best:
            return head[:best].rstrip()
    return _cut_characters(text, characters).rstrip()


def _printable(text: str) -> str:
    return _INVISIBLE.sub("", clean_text(text.replace("\r\n", "\n").replace("\r", "\n")))


def _name_line(name: str) -> str:
    return _cut_characters(" ".join(_printable(name).split()), NAME_CHARACTERS).rstrip()


def _tag_texts(tags: str | Iterable[object]) -> Iterable[str]:
    if not isinstance(tags, str):
        return [str(tag) for tag in tags if isinstance(tag, str | int | float) and not isinstance(tag, bool)]
    try:
        listed = json.loads(tags)
    except (ValueError, RecursionError):
        return [tags]
    return _tag_texts(listed) if isinstance(listed, list) else [tags]


def _without_pairs(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """Return the text without what stands between two marks, and without the marks; an opening that is never closed stays."""
    pieces: list[str] = []
    done = 0
    while (begin := opening.search(text, done)) and (end := closing.search(text, begin.end())):
        pieces.append(text[done : begin.start()])
        done = end.end()
    return "".join([*pieces, text[done:]])


def _without_fence(text: str) -> str:
    whole = _FENCE.match(text)
    if whole and text.endswith(whole["mark"]):
        inner = text[whole.end() :].removesuffix(whole["mark"])
        if whole["mark"] not in inner:
            return inner.strip()
    opened = _OPEN_FENCE.match(text)
    if opened and opened["mark"] not in text[opened.end() :]:  # the answer was truncated before the closing fence
        return text[opened.end() :].strip()
    return text


def _without_front_matter(text: str) -> str:
    match = _FRONT_MATTER.match(text)
    if match is None or not match["inner"].strip():
        return text
    lines = match["inner"].splitlines()
    return text[match.end() :].strip() if all(_YAML_LINE.fullmatch(line) for line in lines) else text


def _without_top(text: str, names: set[str]) -> str:
    """Return `text` without leading headings and field lines that only repeat the front matter."""
    lines = text.splitlines()
    kept = (n for n, line in enumerate(lines) if line.strip() and not _is_repetition(line.strip(), names))
    return "\n".join(lines[next(kept, len(lines)) :])


_LONGEST_TOP = 300
"""A longer line at the top is content."""


def _is_repetition(line: str, names: set[str]) -> bool:
    if len(line) > _LONGEST_TOP:
        return False
    field = _RE.field_line.fullmatch(line)
    if field:
        about_tags = field["field"].casefold() in {"tag", "tags", "标签"}
        return about_tags or _bare(field["value"]) in names
    heading = _HEADING.fullmatch(line)
    if heading is None:
        return False
    title = _bare(heading["hash"] or heading["bold"] or heading["under"] or "")
    if title in names or not title:
        return True
    for name in sorted(names, key=len, reverse=True):
        title = title.replace(name, "").strip(" :：-—的()（）'’")
    title = title.removeprefix("s ").removesuffix(" of").removesuffix(" for").strip()
    return not title or _RE.generic_heading.fullmatch(title) is not None


def _bare(text: str) -> str:
    return " ".join(_printable(text).split()).strip('#*_`"“”「」[]()（）:： ').casefold()


def _cut_characters(text: str, characters: int) -> str:
    """Return at most the first `characters` of a text, without splitting a letter from its accents or an emoji."""
    if len(text) <= characters:
        return text
    end = characters
    while end > 0 and (unicodedata.combining(text[end]) or text[end] in "\u200d\ufe0f" or text[end - 1] == "\u200d"):
        end -= 1
    return text[:end] if end else text[:characters]
