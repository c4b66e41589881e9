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


def has_both_cases(value: str) -> bool:
    """Return True if upper and lower case both occur."""
    return any(map(str.isupper, value)) and any(map(str.islower, value))


def humps(value: str) -> int:
    """Return how often a capital follows a small letter: in camel case once per word, in a random string more often."""
    return sum(a.islower() and b.isupper() for a, b in pairwise(value))


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


def is_jumbled(value: str) -> bool:
    """Return True if letters look random: the case changes irregularly, or the words cannot be pronounced."""
    if len(value) < 12 or not value.isalnum() or not has_both_cases(value) or _is_made_of_words(value):
        return False
    parts = re.findall(r"[A-Z]+[a-z]*|[a-z]+|\d+", value)
    consonants = re.findall("[b-df-hj-np-tv-xz]{4,}", value.lower())
    return (len(parts) >= 4 and sum(len(part) <= 2 for part in parts) >= 2) or len(consonants) >= 2


def _is_made_of_words(value: str) -> bool:
    """Return True if most letters are in pronounceable words: `PromptToolkitSSHServer`."""
    words = [word.lower() for word in re.findall("[A-Z]?[a-z]{2,}", value) if len(word) > 2]
    spoken = [one for one in words if sum(map("aeiouy".count, one)) >= len(one) / 4]
    return sum(map(len, spoken)) >= 0.6 * sum(map(str.isalpha, value))
