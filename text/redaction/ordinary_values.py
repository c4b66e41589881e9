"""What may stand beside a secret's name instead of the secret: code, paths, dates, algorithms, numbers of something."""

import re

from .randomness import has_letter_and_digit
from .secret_names import SECRET_NAMES, folded_case

# Behind a number: `8 位`, `12-character`, `3 attempts`
COUNTED = re.compile(
    r"[ \t]{0,2}(?:位|个|次|天|分钟|小时|年|月|字|种|条|\+|-?(?:char|digit|letter|time|day|minute|hour|bit|"
    r"byte|attempt|word|second|year|month|week)s?\b(?!=)|or more)",
    re.I,
)
# Behind a word: `abc12 加密`, `md5sum hash`
ABOUT_HASHING = re.compile(r"[ \t]{0,2}(?:加密|哈希|算法|格式|编码|类型|协议|散列|hash|encrypt|encod|algorithm)", re.I)
# `sha-256`, `varchar2`, `1password7`
ALGORITHM = re.compile(
    r"(?:md5|sha-?\d{1,3}|bcrypt\d*|argon2i?d?|varchar\d*|pbkdf2|scrypt|base64|oauth2?|utf-?8(?:mb\d)?|aes-?\d*|rsa-?\d*|"
    r"win\d+|python\d|http2?|"
    r"ipv[46]|1password\d?|keepass\w{0,4})",
    re.I,
)
# `2024-05-06`, `v1.2.3`, `2024年五月`
DATE_OR_VERSION = re.compile(r"v?\d+(?:[.\-/:年月日]\d+){1,5}[\w日.-]{0,16}|\d{4}年.*")
# `/etc`, `~/keys/app.pem`, `C:\keys`, `https://…`
PATH = re.compile(r"/[a-z]{2,12}/?|(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]+)+/?|[A-Za-z]:\\\w.*|\w+://.*|(?:\.{1,2}|~)/[\w./-]+")
# `[A-Z0-9]`, `\w+`, `(?:…)`
REGEX = re.compile(r"A-Z|a-z|0-9\]|\\[dwsS]|\(\?[:=!<]|\[\^|\.\*")
# `newPassword`
VARIABLE = re.compile(r"[A-Za-z_$][A-Za-z_$]*")
# `form.password`
ATTRIBUTE = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
# `get_token(`, `$row['pw']`, `settings.secret`
CODE = re.compile(
    r"[A-Za-z_][\w.]*(?:<\w+>)?[\[(]|\$\w+(?:\[|->|::)|(?:self|this|os|process|config|settings|request|req|env|args|ctx|"
    r"app|user|data|options|"
    r"params|form|body|event|secrets|vault|state|session|props|cfg|conf|opts|client|res|response|import|system|"
    r"obj|var|local|module|z|t|yup|getpass)\.[A-Za-z_]"
)
# Beside a word that is one of a program: `return`, `->`, `(`
CODE_SIGNS = re.compile(r"[(){};]|(?<!\w)(?:def|return|const|let|var|import|self|this|func|fn|if|public|private)(?!\w)|->|::|==")
# Before a quotation mark: `get_password("`, `prompt('`
ASKING = re.compile(
    r"(?:get|read|fetch|load|prompt|ask|find|lookup|delete|remove|has|check|verify|validate|hash|forgot|reset)_?\w{0,16}\([\"'`]$",
    re.I,
)


def is_code(value: str) -> bool:
    """Whether `value` begins like a call, a subscript or an attribute: `get_token(`, `os.environ[`, `self.token`."""
    return bool(CODE.match(value))


def is_glued(written: str, before: str) -> bool:
    """Whether quotation marks hold code: what is put between two texts (`" + password + "`), or a text with variables in it."""
    if re.match(r"\s*[+.&]\s", written) and re.search(r"\s[+.&]\s*$", written):
        return True
    variable = r"\{[\w.\[\]()'\"]{1,60}(?:![rsa])?\}" if before[:1] in ("f", "F") else r"\$\{[\w.\[\]()'\"?:|&+ -]{1,80}\}"
    rest = re.sub(variable, "", written)
    return rest != written and not (len(rest) >= 8 and has_letter_and_digit(rest))


def names_a_secret(value: str) -> bool:
    """Whether the value is itself a name from code: `user_password`, `new_token`, `DB_PASSWORD`, `your-api-key`."""
    if not re.fullmatch(r"[A-Za-z_.\-$]{3,60}|(?:[A-Z][a-z]+|[A-Z]\d){3,}", value):
        return False
    short = ("pw", "pin", "key", "pass", "auth")
    return any(name.group() not in short or name.group() == value.lower() for name in SECRET_NAMES.finditer(folded_case(value)))
