"""Names of secrets in English, in Chinese and in identifiers of programs."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ..word_lists import in_pieces, word_list, word_tables
from .rules import compiled, cue_places
from .spans import Label

_TABLES = word_tables("redaction/names.toml")
_PATTERNS = in_pieces(_TABLES["patterns"])
Kind = Literal["password", "secret", "token", "key"]
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
"""Chinese characters, for use in a character class."""
LABELS: dict[Kind, Label] = {"password": "PASSWORD", "secret": "SECRET", "token": "TOKEN", "key": "API_KEY"}

# Every name begins with one of these.
_CUES = (
    "pass", "contraseña", "pw", "psw", "psk", "puk", "pin", "secret", "token", "key", "cred", "auth", "bearer", "session",
    "signature", "api_hash", "api hash", "ak", "sk", "密码", "密碼", "密 码", "口令", "密钥", "密鑰", "秘钥", "密匙",
    "金鑰", "私钥", "私鑰", "令牌", "凭证", "凭据", "授权码", "加签", "비밀번호", "パスワード", "пароль", "senha", "kennwort",
)  # fmt: skip
_NAME = _PATTERNS["NAME"]
_OWNERS = word_list(_TABLES["words"]["owners"])
_KEY_OF = word_list(_TABLES["words"]["key_of"])
_PASSWORD_KEYS = word_list("wifi wpa wpa2 wlan wi-fi preshared network")
_PUBLIC_KEY_OF = word_list(_TABLES["words"]["public_key_of"])
_HARMLESS_TOKEN_OF = word_list(_TABLES["words"]["harmless_token_of"])
_TRAILING = word_list(_TABLES["words"]["trailing"])
_PAIRED: dict[tuple[str, str], Kind] = {
    ("session", "id"): "token", ("pin", "code"): "password", ("pass", "code"): "password", ("api", "hash"): "secret"
}  # fmt: skip
_WORDS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"


class Name(NamedTuple):
    """The name of a secret at `start` to `end` (exclusive) of a text, including the rest of its identifier."""

    start: int
    end: int
    kind: Kind
    word: str


def find_names(text: str, folded: str) -> Iterator[Name]:
    """Find the names of secrets in a text; `folded` is the text in lower case."""
    done = 0
    for place in cue_places(folded, _CUES):
        if place < done:
            continue
        found = compiled(_NAME).match(folded, place)
        if found is None:
            continue
        kind: Kind = found.lastgroup  # type: ignore[assignment]  # the groups are the kinds
        if not found.group().isascii():
            yield Name(place, found.end(), kind, found.group())
            done = found.end()
            continue
        start, end = _identifier(text, place, found.end())
        # `X-Api-Key`, `api key`: the word before a blank qualifies the key.
        before = compiled(r"[A-Za-z0-9-]{1,16}[ ]$").search(text, max(0, start - 18), start)
        known = kind_of_name((before.group() if before else "") + text[start:end])
        done = end
        if known is not None:
            yield Name(start, end, known, found.group())


def _identifier(text: str, start: int, end: int) -> tuple[int, int]:
    floor = max(0, start - 40)
    while start > floor and text[start - 1].isascii() and (text[start - 1].isalnum() or text[start - 1] in "_-."):
        start -= 1
    rest = compiled(r"[A-Za-z0-9_]{0,40}(?:[.-][A-Za-z_]\w{1,24}(?=[\"'\s:=\])]))?", re.ASCII).match(text, end)
    return start, rest.end() if rest else end


def kind_of_name(name: str) -> Kind | None:
    """Return the kind of secret that a mapping key, variable or column names (`dbPassword`, `X-Api-Key`), or None."""
    han = compiled(rf"(?:{_NAME})(?:值|串|号|明文)?$").search(name.strip().lower())
    if han is not None and not han.group().isascii():
        return han.lastgroup  # type: ignore[return-value]
    parts = [part.lower() for part in compiled(_WORDS).findall(name)]
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _TRAILING):
        parts.pop()
    if not parts:
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return _PAIRED.get((before, last)) or _kind_of_word(last, before)


def _kind_of_word(last: str, before: str) -> Kind | None:
    if last.endswith(("password", "passwd", "passphrase", "passcode", "passwort", "pswd", "requirepass")):
        return "password"
    for short in ("pwd", "pass", "psw", "pw", "psk", "puk", "pin"):
        if last.endswith(short):
            owner = last.removesuffix(short)
            return "password" if not owner or (owner in _OWNERS and short != "pin") else None
    if last.endswith("secret") or last in ("passkey", "secretkey"):
        return "secret"
    if last.endswith("token"):
        return None if before in _HARMLESS_TOKEN_OF else "token"
    if last in ("credential", "cred", "auth", "authkey", "jwt", "bearer", "signature"):
        return "token"
    if last in ("ak", "sk"):
        return "key"
    if last.endswith("key"):
        owner = last.removesuffix("key") or before
        if owner in _PASSWORD_KEYS:
            return "password"
        return "secret" if owner in _KEY_OF else None if owner in _PUBLIC_KEY_OF or last != "key" else "key"
    return None
