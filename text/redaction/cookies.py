"""Cookies: in headers, in options of commands, in files and mappings, and by the names that sessions have."""

import re
from collections.abc import Iterator

from .characters import QUOTE
from .placeholders import is_placeholder, is_template
from .randomness import has_letter_and_digit
from .spans import Redaction

# `sid=a1b2c3d4e5`
_PAIR = r"[\w.$@-]{1,80}=(?:\"[^\"\n]{2,4096}\"|[^\s;,\"'`\\&，。；]{2,4096})"
# `Cookie: sid=a1b2c3d4e5; theme=dark`
_COOKIES = re.compile(
    rf"(?:set-)?cookies?(?:{QUOTE})?[ \t]{{0,3}}(?:[:：=,]|是|为|填上|设为|里有?的?|中的?|is)[ \t:：]{{0,3}}(?:{QUOTE})?"
    rf"(?P<value>{_PAIR}(?:;[ \t]{{0,2}}[\w.$@-]{{1,80}}(?:=(?:\"[^\"\n]{{0,4096}}\"|[^\s;\"'`\\，。；]{{0,4096}}))?)*)",
    re.I,
)
# `cookies = {"sid": "a1b2c3d4e5"}`
_COOKIE_MAPPING = re.compile(r"cookies?(?:[\"'])?[ \t]{0,2}[:=][ \t]{0,2}\{(?P<value>[^{}\n]{6,4096})\}", re.I)
# A line of a Netscape cookie file: `.x.test TRUE / TRUE 1767225600 sid a1b2c3d4e5`
_JAR = re.compile(r"^\S{1,120}\s(?:TRUE|FALSE)\s\S{1,80}\s(?:TRUE|FALSE)\s\d{1,12}\s\S{1,80}\s(?P<value>[!-~]{8,4096})$", re.M)
# `curl -b sid=a1b2c3d4e5`
_COOKIE_OPTION = re.compile(rf"(?<![\w-])(?:-b|--cookie)[ =](?:{QUOTE})?(?P<value>{_PAIR}(?:;[ \t]?{_PAIR})*)")
# `登录态我导出来了，a=…; b=…`: several pairs in a row.
_PAIRS = re.compile(
    rf"(?:cookies?|登录态)[^\n=:：]{{0,24}}[:：，,]\s?(?P<value>{_PAIR}(?:;[ ]{{0,2}}{_PAIR})+|"
    rf"[\w.-]{{2,32}}=(?=\S*\d)[\w.%~+/-]{{24,512}})",
    re.I,
)
# `PHPSESSID=a1b2c3d4e5`, `SESSDATA=a1b2c3d4e5`
_SESSION = re.compile(
    r"(?<![A-Za-z0-9])(?P<name>SESSDATA|bili_jct|p_skey|skey|pt4_token|pt_login_sig|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|"
    r"connect\.sid|session_?id|csrf_?token|XSRF-TOKEN|BDUSS|STOKEN|SUB|SUBP|sessionKey|laravel_session|__Secure-[\w-]{2,40}|"
    r"wordpress_(?:logged_in|sec)_[0-9a-f]{32}|steamLoginSecure|ltoken|cookie_token|stoken|MUSIC_U|z_c0|d_c0)"
    r"(?:=|(?<!id)(?<!token)(?<!key)(?:[:：][ ]?|是))\"?(?P<value>[^\s;,\"'`\\&，。；]{6,4096})",
    re.I,
)
_SESSION_NAMES = (
    "steamlogin", "wordpress_", "sess", "skey", "bili_jct", "pt4_token", "pt_login", "connect.sid", "csrf", "xsrf", "bduss",
    "stoken", "sub", "__secure", "ltoken", "cookie_token", "music_u", "_c0",
)  # fmt: skip
# `{"name": "PHPSESSID", "value": "…"}`
_SESSION_FIELD = re.compile(
    r"(?<![a-z])[\"']?name[\"']?[ ]?:[ ]?[\"'](?:[\w.-]{0,24}(?:sess|sid|token|auth|login|jwt)[\w.-]{0,24})[\"'][ ]?,\s{0,8}"
    r"[\"']?value[\"']?[ ]?:[ ]?"
    r"[\"'](?P<value>[^\"'\n]{12,4096})[\"']",
    re.I,
)
# `.ROBLOSECURITY`, and what stands some words behind it: hundreds of hexadecimal figures.
_HEXADECIMAL = re.compile(r"ROBLOSECURITY[^\n]{0,200}?(?<![0-9A-Z])(?P<value>[0-9A-Z]{80,2000})(?![0-9A-Z])")
# Names of cookies that say how a page shall look: `theme`, `utm_source`
_HARMLESS_COOKIE = re.compile(
    r"path|domain|expires|max-age|samesite|secure|httponly|priority|partitioned|version|lang\w*|locale|i18n\w*|theme|mode|"
    r"color\w*|dark\w*|view|layout|sidebar\w*|currency|region|country|city|tz|time_?zone|[\w-]*consent\w*|cookie\w*|utm_\w+|"
    r"_g[ai]\w*|_gid|device|platform|font\w*|page_?size|",
    re.I,
)


def find_cookies(text: str, folded: str) -> Iterator[Redaction]:
    if "value" in folded and "name" in folded:
        yield from (Redaction(*match.span("value"), "COOKIE") for match in _SESSION_FIELD.finditer(text))
    if "cookie" in folded:
        for match in _JAR.finditer(text):
            yield Redaction(*match.span("value"), "COOKIE")
        yield from _pairs(_COOKIES, text)
        for match in _COOKIE_MAPPING.finditer(text):
            if re.search(r"[\"']\s{0,2}[:,]\s{0,2}[\"'][^\"']{4}", match["value"]):
                yield Redaction(*match.span("value"), "COOKIE")
    if "ROBLOSECURITY" in text:
        yield from (Redaction(*match.span("value"), "COOKIE") for match in _HEXADECIMAL.finditer(text))
    if "cookie" in folded or "登录态" in text:
        yield from _pairs(_PAIRS, text)
    if "-b" in text or "--cookie" in text:
        yield from _pairs(_COOKIE_OPTION, text)
    for match in _SESSION.finditer(text) if any(name in folded for name in _SESSION_NAMES) else ():
        value = match["value"]
        enough = 20 if match["name"].lower() in ("sub", "subp") else 6
        if len(value) >= enough and has_letter_and_digit(value) and not is_placeholder(value):
            yield Redaction(*match.span("value"), "COOKIE")


def _pairs(pattern: re.Pattern[str], text: str) -> Iterator[Redaction]:
    """Give the rows of pairs that the pattern finds, but for those that hold nothing but harmless cookies."""
    for match in pattern.finditer(text):
        if not all(map(_is_harmless_cookie, match["value"].split(";"))):
            yield Redaction(*match.span("value"), "COOKIE")


def _is_harmless_cookie(pair: str) -> bool:
    """Whether a cookie says only how a page shall look, how long it stays or what was agreed to."""
    name, _, value = pair.strip().partition("=")
    return is_template(value) or value[:1] in ("<", "{", "$") or bool(_HARMLESS_COOKIE.fullmatch(name) and len(value) <= 40)
