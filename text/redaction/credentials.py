"""Secrets that their place gives away: in a header, in an address, in the user option of a command."""

import base64
import binascii
import re
from collections.abc import Iterator

from .characters import QUOTE
from .cookies import find_cookies
from .ordinary_values import is_code
from .password_hashes import find_password_hashes
from .placeholders import is_placeholder, is_template
from .randomness import has_letter_and_digit, is_hash, looks_random
from .spans import Redaction


def find_credentials(text: str) -> Iterator[Redaction]:
    folded = text.lower()
    if "authorization" in folded:
        yield from _authorizations(text)
    if "bearer" in folded or "basic" in folded:
        for match in _SCHEME.finditer(text):
            if _is_scheme_value(match["scheme"].lower(), match["value"]):
                yield Redaction(*match.span("value"), "TOKEN")
    if "://" in text:
        yield from _user_info(text)
        yield from _hooks(text)
    if "@" in text and ":" in text:
        for match in _BARE_USER_INFO.finditer(text):
            if has_letter_and_digit(match["value"]) and not is_template(match["value"]):
                yield Redaction(*match.span("value"), "PASSWORD")
    if "appid" in folded or "app_" in folded or "appkey" in folded or "appcode" in folded:
        yield from (Redaction(*match.span("value"), "API_KEY") for match in _APP_ID.finditer(text))
    if "=" in text:
        yield from _queries(text)
    if "=" in text or "cookie" in folded or "sess" in folded:
        yield from find_cookies(text, folded)
    if " -" in text or text.startswith("-"):
        yield from _user_options(text)
    if "identified" in folded:
        for match in _IDENTIFIED.finditer(text):
            if not is_template(match["value"]):
                yield Redaction(*match.span("value"), "PASSWORD")
    yield from find_password_hashes(text)


# `Authorization: Bearer a1b2c3…`
_AUTHORIZATION = re.compile(
    rf"authorization(?:{QUOTE})?[ \t]{{0,3}}\]?[ \t]{{0,3}}(?:[:=：][ \t]{{0,3}}(?:{QUOTE})?|,[ \t]{{0,3}}{QUOTE})"
    r"(?P<scheme>(?:bearer|basic|token|digest|apikey|api-key|negotiate|bot|key|oauth)[ \t]{1,3})?"
    r"(?P<value>[^\s\"'`\\,;<>，。；]{6,8192})",
    re.I,
)
# `Authorization: … Signature=a1b2…`
_SIGNED = re.compile(r"authorization[^\n]{0,600}?(?<![a-z])(?:signature|response)=[\"']?(?P<value>[A-Za-z0-9+/=%]{27,128})", re.I)


def _authorizations(text: str) -> Iterator[Redaction]:
    for match in _SIGNED.finditer(text):
        yield Redaction(*match.span("value"), "TOKEN")
    for match in _AUTHORIZATION.finditer(text):
        if is_placeholder(match["value"]) or re.fullmatch(r"bearer|basic|token|[a-z_]+=", match["value"].lower()):
            continue
        if not match["scheme"] and (is_code(match["value"]) or re.match(r"[A-Za-z_]\w*[)}\]]", match["value"])):
            continue
        if match["scheme"] or has_letter_and_digit(match["value"]) or len(match["value"]) >= 20:
            yield Redaction(*match.span("value"), "TOKEN")


# `bearer a1b2c3…`
_SCHEME = re.compile(r"(?<![\w-])(?P<scheme>bearer|basic)[ \t:：]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{8,8192})", re.I)


def _is_scheme_value(scheme: str, value: str) -> bool:
    if scheme == "bearer":
        return any(c.isdigit() for c in value) and (len(value) >= 16 or has_letter_and_digit(value))
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except binascii.Error:
        return False  # a word ("basic understanding"), no credentials


# `postgres://app:…@db.test`
_USER_INFO = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{0,24}(?<![A-Za-z0-9+.-]{26})://(?P<user>[^\s/:@\"'<>，。；]{0,128}):(?P<password>[^\s\"'<>，。；]{1,256})"
)
# `https://k9Qd82…@sentry.test`
_USER_ONLY = re.compile(r"://(?P<user>[A-Za-z0-9_.~-]{16,255})@")
# Addresses of proxies name nothing but a password, or an id that serves as one: `trojan://…@x.test`
_PROXY = re.compile(r"(?<![a-z])(?:trojan|hysteria2?|hy2|tuic|vless|ss|ssr|anytls)://(?P<value>[^\s@/\"'<>]{4,256})@", re.I)
# Of manuals: `user:password@host`
_EXAMPLES = frozenset(
    (
        "password",
        "pass",
        "passwd",
        "pwd",
        "secret",
        "changeme",
        "mypassword",
        "yourpassword",
        "pw",
        "密码",
        "口令",
        "你的密码",
        "密碼",
    )
)


def _user_info(text: str) -> Iterator[Redaction]:
    at = 0
    while (colon := text.find("://", at)) >= 0:
        at = colon + 3
        match = _USER_INFO.match(text, max(0, colon - _scheme_length(text, colon)))
        if match is None:
            continue
        scheme = text[match.start() : colon].lower()
        password = match["password"]
        cut = password.rfind("@")
        if scheme.startswith(("http", "ws", "git")):
            # A path may hold an @ (https://host:8443/@bob): there the password ends before the first slash.
            cut = password[: re.search(r"[/?]|$", password).start()].rfind("@")  # type: ignore[union-attr]
        elif "/" in password[: max(cut, 0)] and re.match(r"\d{1,5}/", password):
            cut = -1
        if cut > 0 and not is_template(password[:cut]) and password[:cut].lower() not in _EXAMPLES:
            yield Redaction(match.start("password"), match.start("password") + cut, "PASSWORD")
    for found in _USER_ONLY.finditer(text):
        if looks_random(found["user"]):
            yield Redaction(*found.span("user"), "TOKEN")
    for found in _PROXY.finditer(text):
        yield Redaction(*found.span("value"), "PASSWORD")


def _scheme_length(text: str, colon: int) -> int:
    start = colon
    while (
        start > 0 and colon - start < 24 and (text[start - 1].isalnum() or text[start - 1] in "+.-") and text[start - 1].isascii()
    ):
        start -= 1
    while start < colon and not text[start].isalpha():
        start += 1
    return colon - start


# `admin:…@10.0.0.1` without a scheme: beside an address of figures or with a port, or it could be a mailbox.
_BARE_USER_INFO = re.compile(
    r"(?<![\w/.@:])[\w.-]{1,32}:(?P<value>[^\s:/\"'<>，。；]{4,64})@(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|(?:tcp|unix)\(|"
    r"(?!sha\d)[\w.-]{1,80}:\d{2,5})"
)
# Whoever knows the address of a hook may write to it: `https://hook.test/a/k9Qd82…`
_HOOK = re.compile(
    r"https?://(?=[^\s\"'<>]{0,120}(?:hook|push|notify|notification|robot|alert|api\.day\.app|incoming|\.send\b|"
    r"/(?:key|keys|magic|reset|verify|confirm|activate|invite|invitation|login|token|unlock|recover)[\w-]{0,20}/))"
    r"[\w.:@-]{1,128}(?P<path>/[^\s\"'<>?#，。；、]{8,512})",
    re.I,
)
# `https://hooks.zapier.com/hooks/catch/…`
_ZAPIER = re.compile(r"hooks\.zapier\.com/hooks/(?:catch|standard)/(?P<value>[\w/]{6,60})", re.I)
_SEGMENT = re.compile(r"(?<=/)[\w-]{16,200}")


def _hooks(text: str) -> Iterator[Redaction]:
    for match in _ZAPIER.finditer(text):
        yield Redaction(*match.span("value"), "TOKEN")
    for match in _HOOK.finditer(text):
        hook = "hook" in match.group().lower() and not re.search(r"/(?:blob|tree|commit|raw)/", match.group())
        for segment in _SEGMENT.finditer(text, *match.span("path")):
            written = segment.group()
            if looks_random(written.replace("-", "").replace("_", "")) and (hook or not is_hash(written)):
                yield Redaction(*segment.span(), "TOKEN")


# `?page=2&token=a1b2c3…`
_QUERY = re.compile(
    r"[?&;#](?:amp;)?(?P<name>(?:x-amz-|x-oss-|x-goog-|q-)?(?:access_?token|id_token|refresh_token|auth_?token|token|auth|"
    r"api_?key|"
    r"api-key|key|sig|sign|signa|signature|security-token|hapikey|appid|apitoken|user_?key|access_?key|secret_?key|private_?key|subscription-key|secret|client_secret|app_?secret|corpsecret|password|passwd|pwd|"
    r"ticket|session_?id|sid|code|rkey|jwt|hmac))=(?P<value>[^&;\s\"'<>#，。；）]{4,4096})",
    re.I,
)
# Names that are harmless as often: only a value that looks like a key counts behind them.
_WEAK_QUERY = frozenset(("appid", "user_key", "userkey", "key", "sign", "code", "sid", "ticket", "auth"))


def _queries(text: str) -> Iterator[Redaction]:
    for match in _QUERY.finditer(text):
        value = match["value"]
        weak = match["name"].lower() in _WEAK_QUERY
        if is_placeholder(value) or (weak and not (len(value) >= 12 and has_letter_and_digit(value))):
            continue
        password = match["name"].lower() in ("password", "passwd", "pwd")
        yield Redaction(*match.span("value"), "PASSWORD" if password else "TOKEN")


# `"appid": "…"`, 32 hexadecimal figures
_APP_ID = re.compile(
    r"(?<![a-z])app_?(?:id|key|code)(?:\\{0,4}[\"'])?(?:[ ]?[:=][ ]?|[ ])(?:\\{0,4}[\"'])?(?P<value>[0-9a-f]{32})(?![0-9a-z])",
    re.I,
)
# `CREATE USER ann IDENTIFIED BY '…'`
_IDENTIFIED = re.compile(r"identified (?:with [\w\"']{1,40} )?by (?:password )?['\"](?P<value>[^'\"\n]{1,256})['\"]", re.I)
# `curl -u ann:…`
_USER_OPTION = re.compile(
    rf"(?<![\w-])(?:-u|--user|"
    rf"--proxy-user)[ =]{{1,3}}(?P<quote>{QUOTE})?[^\s:\"']{{0,64}}:"
    rf"(?:(?<![\"'`]:)[\"'](?=[^\s\"']{{3,256}}[\"']))?(?P<value>(?(quote)(?:(?!(?P=quote))[^\n]){{3,256}}|"
    rf"[^\s\"'`]{{3,256}}))"
)
# A key in the place of the user: `-u …:`, `-u …:X`.
_KEY_AS_USER = re.compile(rf"(?<![\w-])(?:-u|--user)[ =]{{1,3}}(?:{QUOTE})?(?P<value>[\w.-]{{16,128}}):[xX]?(?=[\s\"'\\]|$)")


def _user_options(text: str) -> Iterator[Redaction]:
    for match in _USER_OPTION.finditer(text):
        if not match["value"].isdecimal() and not is_placeholder(match["value"]) and not _is_example(match):
            yield Redaction(*match.span("value"), "PASSWORD")
    for match in _KEY_AS_USER.finditer(text):
        if is_hash(match["value"]) or looks_random(match["value"]):
            yield Redaction(*match.span("value"), "API_KEY")


def _is_example(match: re.Match[str]) -> bool:
    """Whether an account and its password stand for others: `<user:password>`, `xxx:yyy`."""
    account = re.split(r"[ =\"'`\\]", match.group()[: match.start("value") - match.start() - 1])[-1]
    return account.startswith(("<", "[", "{")) or bool(re.fullmatch(r"([A-Za-z])\1{2,}", match["value"]))
