"""The names under which secrets stand, in English, Chinese and the spellings of programs."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from .rules import compiled, cue_places
from .spans import Label

Kind = Literal["password", "secret", "token", "key"]
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
"""Chinese characters, for use between square brackets."""
LABELS: dict[Kind, Label] = {"password": "PASSWORD", "secret": "SECRET", "token": "TOKEN", "key": "API_KEY"}

# One of these begins every name.
_CUES = (
    "pass", "contraseña", "pw", "psw", "pswd", "psk", "puk", "pin", "secret", "token", "key", "cred", "auth", "bearer", "session",
    "signature", "api_hash", "api hash", "salt", "ak", "sk", "密码", "密碼", "密 码", "口令", "密钥", "密鑰", "秘钥", "密匙",
    "金鑰", "私钥", "私鑰", "令牌", "凭证", "凭据", "授权码", "加签", "비밀번호", "パスワード", "пароль", "senha", "kennwort",
)  # fmt: skip
_NAME = (
    r"(?P<password>pass(?:word|wd|phrase|code|wort)?|contraseña|pswd|psw|pwd|pw|psk|puk|pin(?:[ _-]?code| ?码)?|密 ?码|密碼|口令|"
    r"授权码|비밀번호|パスワード|пароль|senha|kennwort)"
    r"|(?P<secret>secret|passkey|api[_ ]hash|salt|signature|密钥|密鑰|秘钥|密匙|金鑰|私钥|私鑰|加签)"
    r"|(?P<token>token|credential|cred|auth(?:key)?|bearer|session|令牌|凭证|凭据)"
    r"|(?P<key>key|ak ?/ ?sk|ak|sk)"
)
_NO_OWNER = (
    "pass",
    "psw",
    "pwd",
    "pw",
    "psk",
    "puk",
    "pin",
    "auth",
    "ak",
    "sk",
    "cred",
    "salt",
    "session",
    "bearer",
    "signature",
)
"""Names that are parts of other words: only by themselves, or behind what they belong to, they are names."""
_OWNERS = (
    "storekeydbusrrootadminsmtpimapmailftpsshwifiloginhttphttpsldapsqlmysqlpgpostgresredismongomqproxyvpnwebacctnewold"
    "clientserverappapitestmasterbackupserviceencziprartmptemprawbotgamebindsudodevprodremotelocalguestdomainsitecertp12"
    "pfxjksaccessauthdevicenasrouterrpcvncrdpuseremailtruststorekeystoresrcstoredeststoreaccountsystemsuper"
)
_KEY_OF = frozenset(
    "api access private signing encryption local device account master service license signature subscription auth ssh verify"
    " push send stream storage deploy aes hmac app web secret function admin shared session crypt crypto encrypt decrypt jwt"
    " wifi wpa wpa2 wlan wi-fi security licence activation product stream rss host webhook sign sms client".split()
)
_PASSWORD_KEYS = frozenset("wifi wpa wpa2 wlan wi-fi preshared network".split())
_PUBLIC_KEY_OF = frozenset(
    "public primary foreign sort partition cache unique row lookup idempotency object redis hash dedup s3 file node map dict"
    " group routing join index shard etcd kafka message cluster release gpg pgp translation i18n config rsa dsa ecdsa ed25519"
    " fingerprint keyserver arrow hot short search main meta any".split()
)
_HARMLESS_TOKEN_OF = frozenset(
    "next lock page pagination continuation sync idempotency resume cancellation pad eos bos unk mask stop special syntax lexer"
    " range marker change watch fencing delta design cursor scroll action request max min total input output prompt".split()
)
_TRAILING = frozenset("base prod production dev test testing staging new old value plain text base64 b64 string str s".split())
_WORDS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"


class Name(NamedTuple):
    """The name of a secret, `start` to `end` (exclusive) of a text, with what is written in one with it."""

    start: int
    end: int
    kind: Kind
    word: str


def find_names(text: str, folded: str) -> Iterator[Name]:
    """The names of secrets in a text; `folded` is the text in lower case."""
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
        # `X-Api-Key`, `api key`: what stands before a blank tells of a key what it opens.
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
    """What the key of a mapping, a variable or a column announces: `dbPassword`, `X-Api-Key`; None when no secret."""
    han = compiled(rf"(?:{_NAME})(?:值|串|号|明文)?$").search(name.strip().lower())
    if han is not None and not han.group().isascii():
        return han.lastgroup  # type: ignore[return-value]
    words = [word.lower() for word in compiled(_WORDS).findall(name)]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _TRAILING):
        words.pop()
    if not words:
        return None
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last == "id" and before in ("session", "sess"):
        return "token"
    if last == "code" and before in ("pin", "pass"):
        return "password"
    if last in ("hash", "salt", "signature", "session", "bearer"):
        return (
            {"hash": "secret", "salt": "secret"}.get(last, "token") if before or last[0] == "b" or last == "signature" else None
        )  # type: ignore[return-value]
    if last.endswith("s") and last not in ("pass",) and not last.endswith("ss"):
        last = last[:-1]
    return _kind_of_word(last, before)


def _kind_of_word(last: str, before: str) -> Kind | None:
    if last.endswith(("password", "passwd", "passphrase", "passcode", "passwort", "pswd", "requirepass", "masterauth")):
        return "password"
    for short in ("pwd", "pass", "psw", "pw", "psk", "puk", "pin"):
        if last.endswith(short):
            owner = last.removesuffix(short)
            return "password" if not owner or (len(owner) > 1 and owner in _OWNERS and short != "pin") else None
    if last.endswith("secret") or last in ("passkey", "secretkey"):
        return "secret"
    if last.endswith("token"):
        return None if before in _HARMLESS_TOKEN_OF else "token"
    if last in ("credential", "cred", "auth", "authkey", "jwt"):
        return "token"
    if last in ("ak", "sk"):
        return "key"
    if last.endswith("key"):
        owner = last.removesuffix("key") or before
        if owner in _PASSWORD_KEYS:
            return "password"
        return "secret" if owner in _KEY_OF else None if owner in _PUBLIC_KEY_OF or last != "key" else "key"
    return None
