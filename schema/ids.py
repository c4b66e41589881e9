"""Platform ids: validation, and encoding as file names.

An id is 1 to 128 printable characters (`-1001234`, `@ann:matrix.org`, `qq:42`, `../x`). Its file
name is its percent-encoding, in which only lower-case ASCII letters, digits, `_` and `-` are not
encoded. Upper-case letters are encoded so that two ids never share a file on a case-insensitive
file system; dots and slashes are encoded so that no id can lead out of its folder. A long encoding
is cut and ends in a digest: file systems limit names to 255 bytes.
"""

from __future__ import annotations

import hashlib
import unicodedata

from .errors import InvalidInput

MAX_ID_CHARACTERS = 128
MAX_NAME_BYTES = 96
"""The maximum number of bytes of an encoded id. Two of them, a revision and a timestamp fit into
the usual 255 bytes of a file name."""

LONGEST_NAME = 200
"""The maximum number of characters of a display name in texts."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")

MOST_TOLD = 40
"""The maximum number of characters of a string that is quoted in a message: a longer one may be a
text passed in the wrong field."""


def told(value: object) -> str:
    """Return a rejected value for a message: numbers and short strings verbatim, otherwise only the
    type and size.
    """
    is_short = (
        len(value) <= MOST_TOLD
        if isinstance(value, str)
        else isinstance(value, int) and value.bit_length() <= 128
    )
    return (
        repr(value)
        if is_short or value is None or isinstance(value, float)
        else type_and_size(value)
    )


def type_and_size(value: object) -> str:
    """Return the type and size of a value, without its content.

    >>> type_and_size("hunter2"), type_and_size(["a"]), type_and_size(5)
    ('a string of 7 characters', 'a list of length 1', 'int')
    """
    if isinstance(value, str):
        return f"a string of {len(value)} characters"
    if isinstance(value, list | tuple | dict):
        return f"a {type(value).__name__} of length {len(value)}"
    return type(value).__name__


def validate_id(value: object, what: str) -> str:
    """Return `value` as an id, or raise InvalidInput that names `what`, the value and the rule.

    Integers are accepted (many platforms number their users) and returned as strings.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise InvalidInput(
            f"{what}: expected a string of 1-{MAX_ID_CHARACTERS} printable characters, got {told(value)}"
        )
    if not value:
        raise InvalidInput(f"{what}: empty; pass the platform's own id")
    if value != value.strip():
        raise InvalidInput(
            f"{what}: {told(value)} begins or ends with white space; pass the platform's own id"
        )
    if len(value) > MAX_ID_CHARACTERS:
        raise InvalidInput(
            f"{what}: {len(value)} characters; at most {MAX_ID_CHARACTERS} are allowed"
        )
    bad = next(
        (c for c in value if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}),
        None,
    )
    if bad is not None:
        raise InvalidInput(
            f"{what}: {told(value)} contains U+{ord(bad):04X}, an unprintable character; remove it"
        )
    return value


def digest_of(*parts: str) -> str:
    """Return a digest of these texts: 128 bits in hexadecimal. The texts may hold lone
    surrogates.
    """
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def encode_id(value: str) -> str:
    """Return the file name of an id: at most 96 bytes of ASCII without dots and slashes, with upper
    case only in `%XX`.
    """
    encoded = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in value.encode())
    if len(encoded) <= MAX_NAME_BYTES:
        return encoded
    return f"{encoded[: MAX_NAME_BYTES - 33]}~{digest_of(value)}"


def id_mark(who: str) -> str:
    """Return the suffix of a name that is shown with its id: " (1003)" in "Clio (1003)"."""
    return f" ({who})"
