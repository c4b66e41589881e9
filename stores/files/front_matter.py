"""A profile as a text: YAML front matter, written by code alone, then Markdown.

What people have done to a file by hand is read as well as can be: fields that are missing or spoilt get their
defaults, and whatever is not front matter is the summary.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from ...schema.job import clean_text
from ...schema.profile import Profile, ProfileKey

FIELDS = ("entity_type", "entity_id", "layer", "name", "tags", "updated_at", "revision", "source_event_id")

_FENCED = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(rf"^(?P<field>{'|'.join(FIELDS)})[ \t]*:[ \t]*(?P<value>.*?)[ \t]*$", re.MULTILINE)
_MAX_REVISION_DIGITS = 9
_MAX_BRACKETS = 200
"""The parser's time grows with the square of the brackets that are open, so that many are not parsed as YAML at all."""


def render_profile(profile: Profile) -> str:
    """The text of a profile's file."""
    fields = {
        "entity_type": profile.key.entity_type,
        "entity_id": profile.key.entity_id,
        "layer": profile.key.layer,
        "name": profile.name,
        "tags": list(profile.tags),
        "updated_at": profile.updated_at,
        "revision": profile.revision,
        "source_event_id": profile.source_event_id,
    }
    head = yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=1_000_000)
    return f"---\n{head}---\n\n{profile.summary}\n"


def parse_profile(text: str, key: ProfileKey, *, revision: int) -> Profile:
    """The profile in a text; `revision` is taken where the text has none. Never raises: see above.

    Whose profile it is says the file's name, that is `key`, not what stands in the text.
    """
    fields, body = split_front_matter(text)
    stored = _scalar(fields.get("revision"))
    return Profile(
        key=key,
        name=_scalar(fields.get("name")),
        tags=_tags(fields.get("tags")),
        summary=body,
        updated_at=_scalar(fields.get("updated_at")),
        revision=int(stored) if stored.isdecimal() and len(stored) <= _MAX_REVISION_DIGITS and int(stored) else revision,
        source_event_id=_scalar(fields.get("source_event_id")),
    )


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


def _scalar(value: object) -> str:
    return one_line(value) if isinstance(value, str) else ""


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = re.split(r"[,，、]", value.strip("[]"))
    if not isinstance(value, list):
        return ()
    return tuple(tag for tag in map(_scalar, value) if tag)
