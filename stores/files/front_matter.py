"""YAML front matter of profiles and articles, written by code alone, before Markdown.

Files that were edited by hand are read as well as can be: missing or damaged fields get their defaults, and whatever is no
front matter is the body.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from ...schema.job import clean_text

FIELDS = ("entity_type", "entity_id", "layer", "name", "tags", "updated_at", "revision", "source_event_id")

_FENCED = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(rf"^(?P<field>{'|'.join(FIELDS)})[ \t]*:[ \t]*(?P<value>.*?)[ \t]*$", re.MULTILINE)
_MAX_REVISION_DIGITS = 9
_MAX_BRACKETS = 200
"""The parser's time grows with the square of the brackets that are open, so that many are not parsed as YAML at all."""


def with_front_matter(fields: dict[str, Any], body: str) -> str:
    """The text of a file: the fields as YAML, then the body."""
    head = yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=1_000_000)
    return f"---\n{head}---\n\n{body}"


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The fields of the front matter (all of them strings, or lists and mappings of such), and the text after it.

    Where there is no front matter, or one with none of a profile's fields, the whole text is the body.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    match = _FENCED.match(text)
    if match is None:
        return {}, text.strip()
    fields: Any = None
    if match["yaml"].count("[") + match["yaml"].count("{") <= _MAX_BRACKETS:
        try:
            # The base loader makes strings of all scalars: an id 007 stays one, and no date can be out of range.
            fields = yaml.load(match["yaml"], Loader=yaml.BaseLoader)
        except (yaml.YAMLError, RecursionError):
            fields = None
    if not isinstance(fields, dict):
        fields = {line["field"]: line["value"].strip("'\"") for line in _LINE.finditer(match["yaml"])}
    if not any(field in fields for field in FIELDS):
        return {}, text.strip()
    return fields, text[match.end() :].strip()


def one_line(text: str) -> str:
    """A name or tag as it is stored: one line of printable text."""
    return " ".join(clean_text(text).split())


def scalar(value: object) -> str:
    """A field that is to be one line of text; "" for anything else."""
    return one_line(value) if isinstance(value, str) else ""


def number(value: object) -> int:
    """A field that is to be a revision; 0 for anything else."""
    stored = scalar(value)
    return int(stored) if stored.isdecimal() and len(stored) <= _MAX_REVISION_DIGITS else 0


def strings(value: object) -> tuple[str, ...]:
    """A field that is to be a list of texts, each one line, or one text with commas; what is none is left out."""
    if isinstance(value, str):
        value = re.split(r"[,，、]", value.strip("[]"))
    return tuple(text for text in map(scalar, value) if text) if isinstance(value, list) else ()
