"""Reader for summaries that a bot stored before it used Historian, in several common forms.

A file is one JSON document, or JSON lines. Historian's own `end_summaries.json` has the third form.

| form | example |
| --- | --- |
| a list of entries | `[{"summary": "…", "timestamp": "2025-03-01 20:15", "group_id": 7001, "user_id": 42}, …]` |
| the list in an object | `{"summaries": [...]}`, also under `end_summaries`, `entries`, `data`, `items` |
| entries per conversation | `{"g:7001": [...], "p:42": [...]}`, also `group:7001`, `group_7001`, `user:42`, `private_42` |
| a list of texts | `["…", "…"]`, with the conversation named on the command line |
| conversations by name | `[{"summary": "…", "location": {"type": "group", "name": "读书会"}}, …]`, and ids by name |

An entry is a text, or an object with the text under `summary`, `text`, `content`, `end_summary` or
`action_summary`; `new_info` is read too. The time of an entry is under `timestamp`, `time`,
`created_at`, `at` or `date`: ISO 8601 (without an offset it is in the configured time zone), or
seconds or milliseconds since the epoch. Ids are texts or numbers under `user_id`, `sender_id` or
`qq`, and under `group_id`. `user_name` (`sender_name`, `nickname`), `group_name` and `bot_name` are
used when the text is rewritten. Other fields are ignored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ...schema.errors import InvalidInput
from ...schema.ids import validate_id
from ...schema.job import Job, clean_text, parse_job
from ...schema.scope import Scope
from ...schema.times import MILLISECONDS
from ...stores.files.ordinary import check_no_database

UNKNOWN_USER = "historian:unknown"
"""The user id for a group summary that does not name its user."""

_TEXTS = ("summary", "text", "content", "end_summary", "action_summary")
_TIMES = ("timestamp", "time", "created_at", "at", "date")
_USERS = ("sender_id", "user_id", "qq")
_WRAPPERS = ("summaries", "end_summaries", "entries", "data", "items")
_SCOPE = re.compile(r"(?P<kind>g|group|p|user|private)[:_-](?P<id>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OldSummary:
    """An entry of a file as a job. The id of the job is derived from the content of the entry.

    `dated` is True if the entry has a time. `known_as` is the id of the original job if Historian
    wrote the entry, else "".
    """

    job: Job
    dated: bool
    known_as: str = ""


@dataclass(frozen=True, slots=True)
class BadEntry:
    """An entry that cannot be used, and the reason.

    `place` is `group:NAME` or `private:NAME` if the entry is refused because the id of this
    conversation is unknown, else "".
    """

    where: str
    error: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Assumed:
    """Defaults for entries without a time zone, a time (`undated`, seconds since the epoch), a
    conversation or a bot name.

    `places` are ids by the names of conversations in the entries. A key is `NAME`, `group:NAME` or
    `private:NAME`.
    """

    timezone: str
    undated: float
    scope: Scope | None = None
    bot_name: str = ""
    places: Mapping[str, str] = field(default_factory=dict)


class _Unplaced(InvalidInput):
    """Raised if the id of the conversation of an entry is unknown."""

    def __init__(self, place: str) -> None:
        super().__init__(f"the id of {place!r} is not known; give it with --place {place!r}=ID")
        self.place = place


@contextmanager
def reading(path: Path | None) -> Iterator[None]:
    """Convert read errors to InvalidInput that names the file. Raises InvalidInput for a database
    too."""
    if path is not None:
        check_no_database(path)
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror or error}") from None


def read_places(pairs: Sequence[str], path: Path | None = None) -> dict[str, str]:
    """Return ids by name, from texts `NAME=ID` and from a JSON file `{"NAME": ID}`.

    If both contain the same name, the id from the texts is used. Raises InvalidInput.
    """
    try:
        with reading(path):
            found = {} if path is None else json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise InvalidInput(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidInput(
            f"{path}: expected an object of ids by name, got a JSON {type(found).__name__}"
        )
    for pair in pairs:
        name, _, number = pair.rpartition("=")
        if not name.strip() or not number.strip():
            raise InvalidInput(f"{pair!r}: expected NAME=ID, such as 读书会=7001")
        found[name] = number
    return {
        clean_text(name): validate_id(str(number).strip(), f"the id of {name!r}")
        for name, number in found.items()
    }


def read_old_summaries(path: Path, assumed: Assumed) -> Iterator[OldSummary | BadEntry]:
    """Yield every entry of a file, in order. Raises InvalidInput if the file has none of the forms
    listed at the top of this module."""
    with reading(path):
        content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: not UTF-8 (byte {error.start}); convert the file") from None
    for where, entry, scope in _entries(text, path):
        try:
            yield _read(entry, scope, assumed)
        except InvalidInput as error:
            yield BadEntry(where, str(error), error.place if isinstance(error, _Unplaced) else "")


def _entries(content: str, path: Path) -> Iterator[tuple[str, Any, Scope | None]]:
    """Yield (position in the file, entry or error, conversation). The conversation is None unless
    entries are listed per conversation."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        if "\n" not in content.strip() or not content.lstrip().startswith(("{", '"')):
            raise InvalidInput(f"{path}: neither JSON nor JSON lines: {error}") from None
        for number, line in enumerate(content.split("\n"), 1):
            if line.strip():
                yield f"line {number}", _parsed(line), None
        return
    if isinstance(document, dict):
        lists = [document[name] for name in _WRAPPERS if isinstance(document.get(name), list)]
        if not lists and not any(name in document for name in _TEXTS):
            yield from _by_conversation(document, path)
            return
        document = lists[0] if lists else [document]
    if not isinstance(document, list):
        raise InvalidInput(
            f"{path}: contains a JSON {type(document).__name__}, expected a list of summaries or "
            "an object of lists"
        )
    for number, entry in enumerate(document, 1):
        yield f"entry {number}", entry, None


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        return InvalidInput(f"not JSON: {error}")


def _by_conversation(
    document: Mapping[str, Any], path: Path
) -> Iterator[tuple[str, Any, Scope | None]]:
    if not any(isinstance(value, list) for value in document.values()):
        raise InvalidInput(
            f"{path}: an object without a list of summaries; see `historian migrate --help`"
        )
    for key, entries in document.items():
        try:
            scope = _scope_named(key)
        except InvalidInput as wrong_id:
            yield f"{key!r:.60}", wrong_id, None
            continue
        if scope is None or not isinstance(entries, list):
            error = "is not a conversation (such as g:7001, user:42), or its value is not a list"
            yield f"{key!r:.60}", InvalidInput(error), None
            continue
        for number, entry in enumerate(entries, 1):
            yield f"{key}, entry {number}", entry, scope


def _scope_named(key: str) -> Scope | None:
    named = _SCOPE.fullmatch(key)
    make = Scope.group if named and named["kind"] in ("g", "group") else Scope.private
    return make(named["id"]) if named else None


def _read(entry: Any, scope: Scope | None, assumed: Assumed) -> OldSummary:
    if isinstance(entry, InvalidInput):
        raise entry
    if isinstance(entry, str):
        entry = {"text": entry}
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"expected a text or an object, got {type(entry).__name__}")
    summary = _text(entry, *_TEXTS)
    facts = entry.get("new_info") or []
    facts = [facts] if isinstance(facts, str) else facts
    if not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
        raise InvalidInput("new_info: expected a text or a list of texts")
    if not summary and not any(map(clean_text, facts)):
        raise InvalidInput(f"contains no text: expected text under {', '.join(_TEXTS)}")
    moment = _moment(entry, assumed)
    scope, place = _place(entry, assumed) if scope is None else (scope, {})
    group = (
        "" if "private" in place else _id(entry, "group_id") or (scope.group_id if scope else "")
    )
    user = _id(entry, *_USERS) or (scope.user_id if scope and not group else "")
    if not group and not user:
        raise InvalidInput(
            "it has neither user_id nor group_id; name the conversation with --user or --group"
        )
    spoken_at = moment or datetime.fromtimestamp(assumed.undated, UTC)
    named = json.dumps(
        [group or user, group != "", user, moment and moment.isoformat(), summary, facts],
        ensure_ascii=True,
    )
    job = parse_job(
        {
            "request_id": "migrate-" + hashlib.sha256(named.encode()).hexdigest()[:24],
            "request_type": "group" if group else "private",
            "user_id": user or UNKNOWN_USER,
            "group_id": group,
            "user_name": _text(entry, "user_name", "sender_name", "nickname")
            or place.get("private", ""),
            "group_name": _text(entry, "group_name") or place.get("group", ""),
            "bot_name": _text(entry, "bot_name") or assumed.bot_name,
            "action_summary": summary,
            "new_info": facts,
            "timestamp": spoken_at.isoformat(),
            "timezone": assumed.timezone,
        }
    )
    return OldSummary(job, moment is not None, _text(entry, "job_id"))


def _place(entry: Mapping[str, Any], assumed: Assumed) -> tuple[Scope | None, dict[str, str]]:
    """Return the conversation that `location` names, and `{type: name}` of the location.

    Without `location`, return the assumed conversation and {}. An id in the entry (the group's id
    for a group, the user's id for a private chat) takes precedence over the name. A location with
    neither id nor name is the assumed conversation if this has the same type. Raises _Unplaced if
    the id is unknown.
    """
    location = entry.get("location")
    if not isinstance(location, Mapping):
        return assumed.scope, {}
    kind, name = _text(location, "type"), _text(location, "name")
    if kind not in ("group", "private"):
        raise InvalidInput(f"location.type: {kind!r:.60} is neither 'group' nor 'private'")
    number = _id(entry, *(("group_id",) if kind == "group" else _USERS)) or _id(
        location, "id", f"{kind}_id"
    )
    if not number and not name and assumed.scope is not None and assumed.scope.request_type == kind:
        return assumed.scope, {kind: name}
    number = number or assumed.places.get(f"{kind}:{name}") or assumed.places.get(name, "")
    if not number:
        raise _Unplaced(f"{kind}:{name}")
    return (Scope.group(number) if kind == "group" else Scope.private(number)), {kind: name}


def _text(entry: Mapping[str, Any], *names: str) -> str:
    """Return the first text that is not empty under one of `names`; "" if there is none."""
    texts = (clean_text(value) for name in names if isinstance(value := entry.get(name), str))
    return next(filter(None, texts), "")


def _id(entry: Mapping[str, Any], *names: str) -> str:
    """Return the first id under one of `names`; "" if there is none. 0 is no id."""
    values = (entry.get(name) for name in names)
    given = (one for one in values if isinstance(one, (str, int)) and not isinstance(one, bool))
    return next((text for one in given if (text := str(one).strip()) not in ("", "0")), "")


def _moment(entry: Mapping[str, Any], assumed: Assumed) -> datetime | None:
    """Return the time of an entry, or None. Raises InvalidInput if it cannot be parsed."""
    name = next((one for one in _TIMES if entry.get(one) not in (None, "")), "")
    value = entry.get(name) if name else None
    if value is None:
        return None
    zone = ZoneInfo(assumed.timezone)
    if isinstance(value, str) and re.fullmatch(r"\d{9,16}(\.\d+)?", value.strip()):
        value = float(value)
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / (1000 if value >= MILLISECONDS else 1), zone)
        parsed = datetime.fromisoformat(str(value).strip().replace("/", "-"))
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(
            f"{name}: {value!r:.60} is not a time; write 2025-03-01T20:15+08:00, or seconds since "
            "the epoch"
        ) from None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=zone)
