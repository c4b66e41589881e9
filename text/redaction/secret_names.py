"""The names under which secrets stand, in English, Chinese and the spellings of programs."""

import re
from typing import Literal

from .spans import Label

Kind = Literal["password", "secret", "token", "key", "mnemonic"]
SECRET_NAMES = re.compile(
    r"(?P<mnemonic>助记词|助記詞|恢复短语|seed (?:phrase|words)|recovery (?:phrase|words)|backup phrase|wallet seed|"
    r"mnemonic(?: phrase)?|seed(?=[:：]| is ))"
    r"|(?P<secret>api[ _-]?hash|app[ _-]?certificate|"
    r"passkey|rss[ _-]?key|(?:auth|logged_in|nonce)_salt|(?:client|app|api|"
    r"consumer|corp|shared|"
    r"signing|webhook|jwt|hmac|session|master)[ _-]?secret|"
    r"secret[ _-]?(?:access[ _-]?)?key|secret[_-]id|permanent[_-]?code|"
    r"checkword|encoding_?aes_?key|secretaccesskey|accesskeysecret|access[ _-]?key[ _-]?secret|secret|"
    r"授权[ ]?key|"
    r"(?:api|access|private|signing|encryption|local|device|account|master|service|license|signature|subscription|auth|ssh|verify|push|"
    r"send|stream|shared[ _-]?access|"
    r"storage|deploy|aes|hmac|app|web|secret|function|admin)[ _-]?key|apikey|sharedaccesssignature|"
    r"密钥|密鑰|密匙|秘钥|金鑰|私钥|私鑰|私匙|加签)"
    r"|(?P<token>(?:access|auth|refresh|bot|api|id|session|bearer|oauth|csrf|xsrf|security|verification)[ _-]?token|token|令牌|"
    r"credentials?|creds?|凭证|凭据|authkey|auth|session[ _-]?(?:id|key|string)|string[ _-]?session|bearer)"
    r"|(?P<password>password|passwd|passphrase|passcode|passwort|requirepass|masterauth|contraseña|pass|pswd|psw|pwd|pw|"
    r"(?:wpa[23]?[ _-]?)?psk|(?:wpa[23]?|wi-?fi|wlan)[ _-]?key|pre-?shared[ _-]?key|puk|"
    r"pin ?码|pin(?:[ _-]?code)?|密[ \u3000]{0,2}码|密碼|口令|授权码|"
    r"비밀번호|비번|암호|패스워드|パスワード|пароль|kennwort|mot de passe|senha(?=[\"' ]{0,2}[:=]))"
    r"|(?P<key>key|ak ?/ ?sk|ak(?<![a-z0-9._-]ak)(?![a-z0-9_-])|sk(?<![a-z0-9._-]sk)(?![a-z0-9_-]))"
)
# One of these stands in every text that holds a name: most texts need not be searched.
NAME_PARTS = (
    "key", "token", "api_hash", "apihash", "checkword", "permanent",
    "certificate", "psk", "puk", "seed", "secret", "pass", "psw", "pswd", "pw", "pin",
    "auth", "cred", "bearer", "session", "mnemonic", "phrase", "contraseña", "signature", "密", "秘", "鑰", "钥",
    "비", "암호", "패스워드", "パスワード", "пароль", "kennwort", "mot de", "senha", "口令",
    "令牌", "凭证", "凭据", "恢复短语", "私匙", "加签", "助记", "助記", "授权码", "ak", "sk",
)  # fmt: skip
_SHORT_NAMES = frozenset(
    (
        "pass",
        "psw",
        "pwd",
        "pw",
        "psk",
        "puk",
        "seed",
        "pin",
        "pincode",
        "pin code",
        "pin_code",
        "pin-code",
        "auth",
        "key",
        "token",
        "secret",
        "bearer",
        "credential",
        "credentials",
        "webkey",
        "ak",
        "sk",
    )
)
_LABELS: dict[Kind, Label] = {
    "password": "PASSWORD", "secret": "SECRET", "token": "TOKEN", "key": "API_KEY", "mnemonic": "PRIVATE_KEY"
}  # fmt: skip
# What a secret belongs to, in names written in one: `dbpass`, `-srcstorepass`, `rootpw`.
_OWNER = re.compile(
    r"(?<![a-z])(?:(?:src|dest|trust|key)?store|key|db|user|usr|root|admin|adm|smtp|imap|mail|email|s?ftp|ssh|wi-?fi|my|"
    r"login|https?|"
    r"ldap|sql|mysql|pg|postgres|redis|mongo|mq|proxy|vpn|web|acct|account|new|old|client|server|app|api|test|master|backup|"
    r"svc|service|host|sys|sudo|enc|zip|rar|tmp|temp|raw|plain|bot|game|steam|bind|super|dev|prod|remote|local|guest|domain|"
    r"site|cert|ca|p12|pfx|jks|access|auth|device|nas|router|rpc|ipmi|bmc|vnc|rdp)$",
    re.I,
)
_PUBLIC = re.compile(
    r"(?:public|primary|foreign|sort|partition|cache|unique|row|lookup|idempotency|host|object|redis|hash|dedup\w*|s3|"
    r"storage|file|node|map|dict|group|routing|join|index|shard|etcd|kafka|message|cluster|release|gpg|pgp|api|translation|"
    r"i18n|config|rsa|dsa|ecdsa|eddsa|ed25519|elgamal|curve25519|fingerprint|keyserver)[ _-]?$",
    re.I,
)


def kind_of_name(name: str) -> Kind | None:
    """Give what a key of a dictionary or a column announces, None when it is no secret: `dbPassword`, `X-Api-Key`."""
    folded = folded_case(name.strip())
    found = None
    for match in SECRET_NAMES.finditer(folded):
        end = re.match(r"s?(?:[ _-]?(?:\d{1,2}|prod|dev|test|new|old|value|plain))?$", folded[match.end() :])
        if end and is_name(name.strip(), match):
            found = match
    return kind_of_match(found) if found else None


def label_of_kind(kind: Kind) -> Label:
    return _LABELS[kind]


def folded_case(text: str) -> str:
    """Lower the case, offsets kept: `İ` alone would become two characters."""
    return text.replace("İ", "I").lower()


def kind_of_match(name: re.Match[str]) -> Kind:
    return name.lastgroup  # type: ignore[return-value]  # the groups are the kinds


def is_name(text: str, name: re.Match[str]) -> bool:
    """Whether the name stands as a word of its own: not the `pass` of `bypass`, the `token` of `tokens`."""
    if not name.group().isascii():
        return True
    if name.group() == "key" and _PUBLIC.search(text[max(0, name.start() - 16) : name.start()]):
        return False
    before = text[max(0, name.start() - 1) : name.start()]
    if name.group() in _SHORT_NAMES and before.isascii() and before.isalpha():
        camel_case = text[name.start()].isupper() and before.islower()
        defined = before in "DP" and text[max(0, name.start() - 2) : name.start() - 1] == "-"  # `-Ptoken=…`
        if not camel_case and not defined and not _OWNER.search(text[max(0, name.start() - 16) : name.start()]):
            return False
    after = text[name.end() : name.end() + 1]
    return not (after.isascii() and after.isalpha())
