"""Distinguish random strings (keys) from written ones (names, dates, paths)."""

import math
import re
from collections import Counter
from itertools import pairwise

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HASH_LENGTHS = (32, 40, 56, 64, 96, 128)


def is_hash(value: str) -> bool:
    """Return True if `value` has the form of an MD5, SHA or Git digest or of a UUID: an identifier unless named a key."""
    is_digest = len(value) in _HASH_LENGTHS and re.fullmatch("[0-9a-f]+|[0-9A-F]+", value)
    return bool(is_digest or re.fullmatch(UUID, value))


def is_mixed(value: str) -> bool:
    """Return True if letters and digits both occur."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def looks_random(value: str, at_least: int = 16) -> bool:
    """Return True if letters and digits alternate as in a key of at least `at_least` characters.

    Names, dates, paths and versions change between letters and digits once or twice; in a random base62 string a third of
    all adjacent pairs do, in a hexadecimal one nearly half.
    """
    if len(value) < at_least or len(set(value)) < 8:
        return False
    kinds = ["0" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else "" for c in value]
    changes = [a + b for a, b in pairwise(kinds) if a and b and a != b]
    figures = sum("0" in change for change in changes)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
    return figures >= 3 and len(changes) >= len(value) / 5 and entropy >= 2.8
