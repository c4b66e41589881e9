"""Finding of credentials by form: key blocks, providers' keys, URL passwords, headers, cookies."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from ..word_lists import in_full, word_list, word_tables
from .plausible import UUID, is_mixed, is_placeholder, is_strong, is_template, looks_random
from .rules import Label, Redaction, Rules, compiled, found

_KIND = r" [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_BREAK = r"(?:[ \t]*(?:\r?\n|(?:\\+r)?\\+n)[ \t>|+]*)"
# The lines of a block: base64 (the last line may be short), header lines, blank lines.
_BODY = (
    rf"[ \t]*(?:{_BREAK}*(?:[A-Za-z0-9+/]{{24,}}={{0,2}}|[A-Za-z0-9+/]{{2,}}={{1,2}}|=[A-Za-z0-9+/]{{4}}(?![A-Za-z0-9+/])|"
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):?[^\n\\]{0,120}))*"
    rf"(?:{_BREAK}*-{{1,5}}(?: ?E(?:N(?:D[ A-Z]{{0,50}}-{{0,5}})?)?)?)?"
)
_BLOCK = rf"-{{4,5}} ?BEGIN{_KIND}(?:(?P<whole>(?:[^-]|-(?!---))*+)-{{4,5}} ?END{_KIND}|{_BODY})|(?P<cut>-{{4,5}} ?END{_KIND})"
_RUN = "[A-Za-z0-9+/]{12}"
"""Occurs in a real key block, but not in an example with `…` or `<your key>`."""
_LINES = r"(?m)(?:^[ \t>|]*[A-Za-z0-9+/]{2,}={0,2}[ \t\r]*\n)+\Z"
_LONGEST = 8_000
"""Maximum characters of the lines before an end mark without a begin mark."""


def find_key_blocks(text: str) -> Iterator[Redaction]:
    """Find private keys from the begin mark to the end mark.

    If one mark is missing, the key extends as far as lines of a key.
    """
    done = 0
    for block in compiled(_BLOCK).finditer(text) if "PRIVATE KEY" in text else ():
        start, end = block.span()
        lines = (
            compiled(_LINES).search(text, max(done, start - _LONGEST), start)
            if block["cut"]
            else None
        )
        is_example = block["whole"] is not None and not compiled(_RUN).search(block["whole"])
        if lines or not (block["cut"] or is_example):
            yield Redaction(lines.start() if lines else start, end, "PRIVATE_KEY")
        done = end


_KEY_RUN = r"[!-~]{14,}"
"""The runs that are searched, since no key is shorter or contains a space."""


def find_provider_keys(text: str) -> Iterator[Redaction]:
    """Find keys with a provider's prefix or form."""
    runs = [match.span() for match in compiled(_KEY_RUN).finditer(text)]
    joined = " ".join([text[start:end] for start, end in runs])
    for label, check, cue, pattern in _forms() if runs else ():
        if cue in joined:
            for start, end in runs:
                for match in compiled(pattern).finditer(text, start, end):
                    if check(match.group()):
                        yield found(match, label)


@cache
def _forms() -> list[tuple[Label, Callable[[str], bool], str, str]]:
    """Return the label, the check, the cue and the pattern of each form of key."""
    tables = word_tables("redaction/providers.toml")
    forms = []
    for label, check, cues, pattern in tables["table"]["keys"]:
        for cue in cues.replace("<many>", tables["table"]["many"]).split():
            bordered = f"{re.escape(cue)}(?<![A-Za-z0-9]{re.escape(cue)})"
            whole = in_full(pattern, tables["pieces"])
            forms.append((label, _CHECKS[check], cue, whole.replace("CUE", bordered)))
    return forms


def _is_long(key: str) -> bool:
    """Return True if a part of a key is long and mixed, unlike parts of CSS classes and file names.

    Keys that look random as a whole or contain a UUID count too.
    """
    parts = re.split(r"[_.$/-]", key)
    is_long = any(len(part) >= (16 if is_mixed(part) else 40) for part in parts)
    return is_long or looks_random("".join(parts), 24) or bool(re.search(UUID, key))


_CHECKS: dict[str, Callable[[str], bool]] = {
    "": lambda _: True,
    "mixed": is_mixed,
    "long": _is_long,
    "random": looks_random,
}


_MANUAL_WORDS = word_list(
    "password pass passwd pwd secret changeme mypassword yourpassword pw 密码 口令 你的密码"
)
"""Placeholder passwords of manuals: `user:password@host`."""
_HARMLESS_COOKIE = (
    r"(?i)path|domain|expires|max-age|samesite|secure|httponly|priority|version|lang\w*|locale|theme|mode|color\w*|dark\w*|"
    r"view|layout|currency|region|country|city|tz|time_?zone|[\w-]*consent\w*|cookie\w*|utm_\w+|_g[ai]\w*|_gid|"
)
_WEAK_QUERY = word_list("appid user_key userkey key sign code sid ticket auth")
"""Ambiguous names, after which only a value that looks like a key is redacted."""
_AFTER_SCHEME = r"://[^\s/:@\"'<>，。；]{0,128}:(?P<password>[^\s\"'<>，。；]{1,256})"


def _is_mixed_value(match: re.Match[str]) -> bool:
    return is_mixed(match["value"]) and not is_placeholder(match["value"])


def _is_authorization(match: re.Match[str]) -> bool:
    return not is_placeholder(match["value"]) and (
        bool(match["scheme"]) or is_mixed(match["value"])
    )


def _is_given(match: re.Match[str]) -> bool:
    return not is_placeholder(match["value"]) and not re.fullmatch(r"\d{1,5}|-.*", match["value"])


def _is_strong_value(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not re.search(
        r"://|^\d+[:/]|=|\.[a-z]{2,4}$", match["value"]
    )


def _holds_cookies(match: re.Match[str]) -> bool:
    return not all(_is_harmless_cookie(pair) for pair in match["value"].split(";"))


def _is_harmless_cookie(pair: str) -> bool:
    """Return True if a cookie is an attribute, a display preference or a consent."""
    name, _, value = pair.strip().partition("=")
    return is_template(value) or (
        len(value) <= 40 and bool(compiled(_HARMLESS_COOKIE).fullmatch(name))
    )


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
    """Find credentials in headers, cookies, URLs, commands; `folded` is the text in lower case."""
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
        # A path may contain an @ (https://host:8443/@bob): a password ends before the first slash.
        cut = re.split("[/?]", password)[0].rfind("@")
    elif re.match(r"\d{1,5}/", password):
        cut = -1
    if cut > 0 and not is_template(password[:cut]) and password[:cut].lower() not in _MANUAL_WORDS:
        yield Redaction(start, start + cut, "PASSWORD")
