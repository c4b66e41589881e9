"""Rendering of templates for a request, and the functions that templates call."""

from __future__ import annotations

from datetime import datetime
from functools import cache, partial
from pathlib import Path
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context, select_autoescape
from jinja2.runtime import Context

from ....schema import VERSION
from ....schema.event import Event
from ....schema.labels import metadata_json
from ....schema.language import Language
from ....service.timezones import configured_timezone
from ....text.speakers.shown_names import AS_BORNE, ShownNames
from ...texts import NAMES, say_in, size, words
from ...texts import shown as shown_text

WRITERS, SOURCES, STATES = (NAMES["pages"][name] for name in ("writers", "sources", "states"))

COOKIE = "historian_language"
"""The name of the cookie with the language that the visitor chose."""

SHORT = 600
"""Maximum number of characters of a text in a list. The page of the text shows all of it."""

BELONGS_TO = {
    "/user": "/people",
    "/group": "/people",
    "/event": "/people",
    "/line": "/people",
    "/forget": "/people",
}
"""The page of the navigation to which each other page belongs, by path."""


def page(request: Request, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """Return a response with a rendered template, in the language of the visitor."""
    language = visitor_language(request)
    zone = ZoneInfo(configured_timezone(request.app.state.memory.settings.cognitive.timezone))
    path = request.url.path
    render = environment().get_template(template).render
    html = render(
        t=partial(say_in, language),
        language=language,
        navigation=NAMES["pages"]["navigation"] if request.state.caller is not None else {},
        here=BELONGS_TO.get(path, path),
        address=f"{path}?{request.url.query}" if request.url.query else path,
        moment=partial(moment, zone),
        version=VERSION,
        shown_names=_names(request, str(values.get("q", "")), language),
        **values,
    )
    return HTMLResponse(
        html, status, headers={"Cache-Control": "no-store", "Vary": "Accept-Language, Cookie"}
    )


def _names(request: Request, told: str, language: Language) -> ShownNames:
    opened = request.app.state.memory.lifecycle.opened
    return AS_BORNE if opened is None else opened.recall.shown_names(None, told, language)


def language_of(chosen: str | None, accepted: str) -> Language:
    """Return the chosen language, else the one that Accept-Language prefers, else English.

    >>> language_of(None, "fr, zh-TW;q=0.8, en;q=0.5"), language_of("en", "zh"), language_of(None, "de")
    ('zh', 'en', 'en')
    """
    if chosen in ("zh", "en"):
        return "zh" if chosen == "zh" else "en"
    weights: dict[str, float] = {}
    for one in accepted.split(","):
        tag, _, quality = one.partition(";")
        try:
            weight = float(quality.partition("=")[2]) if quality else 1.0
        except ValueError:
            continue
        name = tag.strip().lower()[:2]
        weights[name] = max(weight, weights.get(name, 0.0))
    return "zh" if weights.get("zh", 0.0) > weights.get("en", 0.0) else "en"


@pass_context
def shown(context: Context, event: Event) -> str:
    """Return the text of a message or event as `texts.shown` does, with the current names."""
    return shown_text(event, context.get("shown_names"))


def visitor_language(request: Request) -> Language:
    """Return the language of a visitor, from the cookie and the header Accept-Language."""
    return language_of(
        request.state.cookies.get(COOKIE), request.headers.get("Accept-Language", "")
    )


def link(path: str, /, **parameters: object) -> str:
    """Return the address of a page with its parameters, without those that are "" or None."""
    given = {name: value for name, value in parameters.items() if value not in ("", None)}
    return f"{path}?{urlencode(given)}" if given else path


def moment(zone: ZoneInfo, value: float | str | None) -> str:
    """Return a time for people, to the minute; "" if it is None or empty.

    Seconds since the epoch are shown in `zone`, ISO 8601 text in its own offset.
    """
    if value in (None, ""):
        return ""
    if isinstance(value, str):
        return value[:16].replace("T", " ")
    return datetime.fromtimestamp(float(value or 0.0), zone).strftime("%Y-%m-%d %H:%M")


def entity_link(entity: str) -> str:
    """Return the address of the page of an entity, from its key (`user:42`, `group:7`)."""
    kind, _, entity_id = entity.partition(":")
    return link(f"/{kind}", id=entity_id)


def scope_link(scope_key: str) -> str:
    """Return the address of the page of a scope's group or person, from its key (`g:7`, `p:42`)."""
    kind, _, entity_id = scope_key.partition(":")
    return link("/group" if kind == "g" else "/user", id=entity_id)


def told_days(event: Event) -> str:
    """Return the day or days on which the content of an event happens.

    Return "" if the event names none, or only the day on which it was said.
    """
    if event.occurs_from is None or event.occurs_until is None:
        return ""
    first, last = event.local_day(event.occurs_from), event.local_day(event.occurs_until)
    if first == last == event.day:
        return ""
    return first if first == last else f"{first} – {last}"


def short(text: str) -> str:
    """Return a text for a list, truncated to SHORT characters."""
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"


def share(value: float, highest: float) -> float:
    """Return the absolute value of a score as a percentage of `highest`, from 0 to 100."""
    return round(100 * min(abs(value) / highest, 1.0), 1) if highest > 0 else 0.0


@cache
def environment() -> Environment:
    """Return the environment of the templates. It escapes all inserted values."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for function in (
        entity_link,
        scope_link,
        told_days,
        shown,
        size,
        short,
        share,
        words,
        metadata_json,
    ):
        made.filters[function.__name__] = function
    made.globals.update(writers=WRITERS, sources=SOURCES, states=STATES, link=link)
    return made
