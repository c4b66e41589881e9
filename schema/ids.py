"""Platform ids: opaque strings, and how they become file names.

An id is 1 to 128 printable characters (`-1001234`, `@ann:matrix.org`, `qq:42`, `../x`). Its file name is its
percent-encoding, in which lower-case ASCII letters, digits, `_` and `-` stand for themselves. Upper-case letters are
encoded too, so that two ids never share a file on a file system that ignores case; dots and slashes are, so that no
id can leave its folder. A very long encoding is cut and closed with a digest: file systems end at 255 bytes a name.
"""

from __future__ import annotations

import hashlib
import unicodedata

from .errors import InvalidInput

MAX_ID_CHARACTERS = 128
MAX_NAME_BYTES = 96
"""Longest encoded id in a file name. Two of them, a revision and a time stamp fit into the usual 255 bytes."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")

MOST_TOLD = 40
"""A string of more characters is not repeated in a message: it may be a text that was put into the wrong field."""


def told(value: object) -> str:
    """A rejected value for a message: numbers and short strings as they are, of everything else the type and the size."""
    is_short = len(value) <= MOST_TOLD if isinstance(value, str) else isinstance(value, int) and value.bit_length() <= 128
    return repr(value) if is_short or value is None or isinstance(value, float) else type_and_size(value)


def type_and_size(value: object) -> str:
    """What a value is, and nothing of what it says.

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

    Numbers are accepted (many platforms count their users); everything else that is no string is refused.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise InvalidInput(f"{what}: expected a string of 1-{MAX_ID_CHARACTERS} printable characters, got {told(value)}")
    if not value:
        raise InvalidInput(f"{what}: empty; pass the platform's own id")
    if value != value.strip():
        raise InvalidInput(f"{what}: {told(value)} begins or ends with white space; pass the platform's own id")
    if len(value) > MAX_ID_CHARACTERS:
        raise InvalidInput(f"{what}: {len(value)} characters; at most {MAX_ID_CHARACTERS} are allowed")
    bad = next((c for c in value if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}), None)
    if bad is not None:
        raise InvalidInput(f"{what}: {told(value)} holds U+{ord(bad):04X}, which is not printable; remove it")
    return value


def encode_id(value: str) -> str:
    """The file name of an id: at most 96 bytes, ASCII, no dot, no slash, no upper case letter but in `%XX`."""
    encoded = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in value.encode())
    if len(encoded) <= MAX_NAME_BYTES:
        return encoded
    digest = hashlib.sha256(value.encode()).hexdigest()[:32]
    return f"{encoded[: MAX_NAME_BYTES - 33]}~{digest}"
