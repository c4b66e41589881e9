"""Secrets in headers, cookies, URLs, query strings and command options."""

import re
from collections.abc import Iterator

from ..word_lists import word_list
from .plausible import is_placeholder, is_strong, is_template
from .randomness import is_mixed
from .rules import Rules, compiled
from .spans import Redaction

_MANUAL_WORDS = word_list("password pass passwd pwd secret changeme mypassword yourpassword pw 密码 口令 你的密码")
"""Placeholder passwords of manuals: `user:password@host`."""
_HARMLESS_COOKIE = (
    r"(?i)path|domain|expires|max-age|samesite|secure|httponly|priority|version|lang\w*|locale|theme|mode|color\w*|dark\w*|"
    r"view|layout|currency|region|country|city|tz|time_?zone|[\w-]*consent\w*|cookie\w*|utm_\w+|_g[ai]\w*|_gid|"
)
_WEAK_QUERY = word_list("appid user_key userkey key sign code sid ticket auth")
"""Ambiguous names: only a value that looks like a key is redacted after them."""
_AFTER_SCHEME = r"://[^\s/:@\"'<>，。；]{0,128}:(?P<password>[^\s\"'<>，。；]{1,256})"


def _is_mixed_value(match: re.Match[str]) -> bool:
    return is_mixed(match["value"]) and not is_placeholder(match["value"])


def _is_authorization(match: re.Match[str]) -> bool:
    return not is_placeholder(match["value"]) and (bool(match["scheme"]) or is_mixed(match["value"]))


def _is_given(match: re.Match[str]) -> bool:
    return not is_placeholder(match["value"]) and not re.fullmatch(r"\d{1,5}|-.*", match["value"])


def _is_strong_value(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not re.search(r"://|^\d+[:/]|=|\.[a-z]{2,4}$", match["value"])


def _holds_cookies(match: re.Match[str]) -> bool:
    return not all(_is_harmless_cookie(pair) for pair in match["value"].split(";"))


def _is_harmless_cookie(pair: str) -> bool:
    """Return True if a cookie is an attribute, a display preference or a consent."""
    name, _, value = pair.strip().partition("=")
    return is_template(value) or (len(value) <= 40 and bool(compiled(_HARMLESS_COOKIE).fullmatch(name)))


def _is_query(match: re.Match[str]) -> bool:
    value, weak = match["value"], match["name"].lower() in _WEAK_QUERY
    return not is_placeholder(value) and not (weak and not (len(value) >= 12 and is_mixed(value)))


_RULES = Rules(
    "credentials.toml",
    {
        "authorization": _is_authorization,
        "cookies": _holds_cookies,
        "query": _is_query,
        "given": _is_given,
        "strong": _is_strong_value,
        "mixed": _is_mixed_value,
    },
)


def find_credentials(text: str, folded: str) -> Iterator[Redaction]:
    """Find credentials in headers, cookies, URLs and commands; `folded` is the text in lower case."""
    yield from _RULES.find(text, folded)
    at = text.find("://")
    while at >= 0:
        if (match := compiled(_AFTER_SCHEME).match(text, at)) is not None:
            yield from _user_info(text, at, match["password"], match.start("password"))
        at = text.find("://", at + 3)


def _user_info(text: str, at: int, password: str, start: int) -> Iterator[Redaction]:
    """Find the password of a URL whose `://` is at `at`: `postgres://app:…@db.test`."""
    cut = password.rfind("@")
    if text[max(0, at - 5) : at].lower().endswith(("http", "https", "ws", "wss", "git", "ssh")):
        # A path may contain an @ (https://host:8443/@bob): the password ends before the first slash.
        cut = re.split("[/?]", password)[0].rfind("@")
    elif re.match(r"\d{1,5}/", password):
        cut = -1
    if cut > 0 and not is_template(password[:cut]) and password[:cut].lower() not in _MANUAL_WORDS:
        yield Redaction(start, start + cut, "PASSWORD")
