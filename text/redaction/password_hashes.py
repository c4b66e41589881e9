"""What programs make of a password: it can be guessed from that."""

import re
from collections.abc import Iterator

from .spans import Redaction

# crypt(3), htpasswd, argon2: `$2b$12$…`, `$argon2id$v=19$…`
_CRYPT = re.compile(
    r"\$(?:[1256y]|2[abxy]|7|gy|apr1|md5|scrypt|argon2(?:id?|d)|pbkdf2(?:-sha\d+)?|bcrypt)\$[A-Za-z0-9./$,=+-]{20,400}"
)
# What Windows keeps of passwords, a line of a dump: `ann:1001:…:…:::`
_NT_HASH = re.compile(r":\d{1,7}:[0-9A-Fa-f]{32}:(?P<value>[0-9A-Fa-f]{32}):::")
# And an answer caught on the way: `ann::DOMAIN:…:…:…`
_NT_ANSWER = re.compile(
    r"::[\w.-]{0,40}:(?P<value>[0-9A-Fa-f]{16}:[0-9A-Fa-f]{32}:[0-9A-Fa-f]{40,1024}|[0-9A-Fa-f]{48}:[0-9A-Fa-f]{48}:[0-9A-Fa-f]{16})"
)


def find_password_hashes(text: str) -> Iterator[Redaction]:
    if "$" in text:
        yield from (Redaction(*match.span(), "PASSWORD") for match in _CRYPT.finditer(text))
    if "::" in text:
        for pattern in (_NT_HASH, _NT_ANSWER):
            yield from (Redaction(*match.span("value"), "PASSWORD") for match in pattern.finditer(text))
