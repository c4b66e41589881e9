"""YAML front matter of profiles and articles, written by code only.

Files edited by hand are parsed leniently: missing or damaged fields get their defaults, and text
that is not front matter belongs to the body. A front matter that is not closed, or that has no
known field, never becomes part of the body.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from ...schema.job import clean_text

FIELDS = (
    "entity_type",
    "entity_id",
    "layer",
    "name",
    "tags",
    "updated_at",
    "revision",
    "source_event_id",
)

_FENCED = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(
    rf"^(?P<field>{'|'.join(FIELDS)})[ \t]*:[ \t]*(?P<value>.*?)[ \t]*$", re.MULTILINE
)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_MAX_REVISION_DIGITS = 9
_MAX_BRACKETS = 1_000
"""Text with more open brackets is not parsed as YAML: the parser's time is quadratic in them. An
article may have several in each of its lines."""


def with_front_matter(fields: dict[str, Any], body: str) -> str:
    """Return the text of a file: the fields as YAML, then the body."""
    head = yaml.dump(fields, Dumper=_DUMPER, allow_unicode=True, sort_keys=False, width=1_000_000)
    return f"---\n{head}---\n\n{body}"


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields of the front matter (strings, or lists and mappings of them), and the body.

    Without front matter the whole text is the body. A front matter that is not closed ends with the
    first blank line. The fields are empty if it is not closed or contains no known field.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    match = _FENCED.match(text)
    if match is None:
        return {}, (text.partition("\n\n")[2] if begins_with_fence(text) else text).strip()
    fields: Any = None
    if match["yaml"].count("[") + match["yaml"].count("{") <= _MAX_BRACKETS:
        try:
            # The base loader returns all scalars as strings: an id 007 is preserved, and no date
            # can be out of range.
            fields = yaml.load(match["yaml"], Loader=yaml.BaseLoader)
        except (yaml.YAMLError, RecursionError):
            fields = None
    if not isinstance(fields, dict):
        fields = {
            line["field"]: line["value"].strip("'\"") for line in _LINE.finditer(match["yaml"])
        }
    if not any(field in fields for field in FIELDS):
        fields = {}
    return fields, text[match.end() :].strip()


def begins_with_fence(text: str) -> bool:
    """Return True if the first line of a text opens a front matter (`---`)."""
    return text.removeprefix("\ufeff").partition("\n")[0].strip() == "---"


def one_line(text: str) -> str:
    """Return a name or tag in the form that is stored: one line of printable text."""
    return " ".join(clean_text(text).split())


def scalar(value: object) -> str:
    """Return a field as one line of text; "" if it is not a string."""
    return one_line(value) if isinstance(value, str) else ""


def number(value: object) -> int:
    """Return a field as a revision number; 0 if it is not one."""
    stored = scalar(value)
    return int(stored) if stored.isdecimal() and len(stored) <= _MAX_REVISION_DIGITS else 0


def strings(value: object) -> tuple[str, ...]:
    """Return a field as strings of one line: a list, or one string separated by commas.

    Other items are omitted.
    """
    if isinstance(value, str):
        value = re.split(r"[,，、]", value.strip("[]"))
    return tuple(text for text in map(scalar, value) if text) if isinstance(value, list) else ()
