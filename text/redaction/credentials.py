"""Secrets in headers, cookies, URLs, query strings and command options."""

import base64
import binascii
import re
from collections.abc import Iterator

from ..word_lists import word_list
from .plausible import is_code, is_placeholder, is_strong, is_template
from .randomness import is_hash, is_mixed, looks_random
from .rules import Rules, compiled
from .spans import Redaction

_MANUAL_WORDS = word_list("password pass passwd pwd secret changeme mypassword yourpassword pw 密码 口令 你的密码 密碼")
"""Placeholder passwords of manuals: `user:password@host`."""
_HARMLESS_COOKIE = (
    r"(?i)path|domain|expires|max-age|samesite|secure|httponly|priority|partitioned|version|lang\w*|locale|i18n\w*|theme|mode|"
    r"color\w*|dark\w*|view|layout|sidebar\w*|currency|region|country|city|tz|time_?zone|[\w-]*consent\w*|cookie\w*|utm_\w+|"
    r"_g[ai]\w*|_gid|device|platform|font\w*|page_?size|"
)
_WEAK_QUERY = word_list("appid user_key userkey key sign code sid ticket auth")
"""Ambiguous names: only a value that looks like a key is redacted after them."""
_IDENTIFYING = (
    r"(?i)SHA|HASH|COMMIT|RELEASE|PARENT|HEAD|BASE|REV|REF|DIGEST|MD5|CHECKSUM|SUM|ETAG|VERSION|BUILD|TRACE|SPAN|CACHE|TAG|"
    r"IMAGE|UUID|GUID|(?:^|_)ID|PUBLIC|NONCE|MODEL|FILE|PATH|NAME"
)


def _is_authorization(match: re.Match[str]) -> bool:
    value = match["value"]
    if is_placeholder(value) or re.fullmatch(r"bearer|basic|token|[a-z_]+=", value.lower()):
        return False
    if not match["scheme"] and (is_code(value) or re.match(r"[A-Za-z_]\w*[)}\]]", value)):
        return False
    return bool(match["scheme"]) or is_mixed(value) or len(value) >= 20


def _is_scheme_value(match: re.Match[str]) -> bool:
    value = match["value"]
    if match["scheme"].lower() == "bearer":
        return is_mixed(value) and not is_placeholder(value)
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except binascii.Error:
        return False  # an ordinary word ("basic understanding")


def _is_given(match: re.Match[str]) -> bool:
    return not is_placeholder(match["value"]) and not re.fullmatch(r"\d{1,5}|-.*", match["value"])


def _is_strong_value(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not re.search(r"://|^\d+[:/]|=|\.[a-z]{2,4}$", match["value"])


def _is_account_option(match: re.Match[str]) -> bool:
    account = re.split(r"[ =\"'`\\]", match.group()[: match.start("value") - match.start() - 1])[-1]
    example = account.startswith(("<", "[", "{")) or re.fullmatch(r"([A-Za-z])\1{2,}", match["value"])
    return not match["value"].isdecimal() and not is_placeholder(match["value"]) and not example


def _holds_cookies(match: re.Match[str]) -> bool:
    return not all(_is_harmless_cookie(pair) for pair in match["value"].split(";"))


def _is_harmless_cookie(pair: str) -> bool:
    """Return True if a cookie is an attribute, a display preference or a consent."""
    name, _, value = pair.strip().partition("=")
    if is_template(value) or value[:1] in ("<", "{", "$") or (value.isalpha() and len(value) < 8):
        return True
    return len(value) <= 40 and bool(compiled(_HARMLESS_COOKIE).fullmatch(name))


def _is_session(match: re.Match[str]) -> bool:
    return is_mixed(match["value"]) and not is_placeholder(match["value"])


def _is_query(match: re.Match[str]) -> bool:
    value, weak = match["value"], match["name"].lower() in _WEAK_QUERY
    return not is_placeholder(value) and not (weak and not (len(value) >= 12 and is_mixed(value)))


def _is_setting(match: re.Match[str]) -> bool:
    value = match["value"].rstrip("=")
    drawn = (is_hash(value) and "-" not in value) or looks_random(value, 20)
    return drawn and not compiled(_IDENTIFYING).search(match["name"])


_RULES = Rules(
    "credentials.toml",
    {
        "authorization": _is_authorization,
        "scheme": _is_scheme_value,
        "cookies": _holds_cookies,
        "named values": lambda match: bool(re.search(r"[\"']\s{0,2}[:,]\s{0,2}[\"'][^\"']{4}", match["value"])),
        "session": _is_session,
        "query": _is_query,
        "account": _is_account_option,
        "given": _is_given,
        "strong": _is_strong_value,
        "after a slash": lambda match: _is_strong_value(match) and (" / " in match.group() or not match["value"].islower()),
        "mixed": lambda match: is_mixed(match["value"]) and not is_template(match["value"]),
        "no template": lambda match: not is_template(match["value"]),
        "setting": _is_setting,
    },
)


def find_credentials(text: str, folded: str) -> Iterator[Redaction]:
    """Find credentials in headers, cookies, URLs and commands; `folded` is the text in lower case."""
    yield from _RULES.find(text, folded)
    at = text.find("://")
    while at >= 0:
        yield from _user_info(text, at)
        at = text.find("://", at + 3)


def _user_info(text: str, at: int) -> Iterator[Redaction]:
    """Find the password of a URL whose `://` is at `at`: `postgres://app:…@db.test`."""
    match = compiled(r"://[^\s/:@\"'<>，。；]{0,128}:(?P<password>[^\s\"'<>，。；]{1,256})").match(text, at)
    if match is None:
        return
    password = match["password"]
    cut = password.rfind("@")
    scheme = compiled(r"[A-Za-z0-9+.-]{1,24}$").search(text, max(0, at - 24), at)
    if scheme and scheme.group().lower().startswith(("http", "ws", "git")):
        # A path may contain an @ (https://host:8443/@bob): the password ends before the first slash.
        cut = re.split("[/?]", password)[0].rfind("@")
    elif re.match(r"\d{1,5}/", password):
        cut = -1
    if cut > 0 and not is_template(password[:cut]) and password[:cut].lower() not in _MANUAL_WORDS:
        yield Redaction(match.start("password"), match.start("password") + cut, "PASSWORD")
