"""Distinguish random strings (keys) from written ones (names, dates, paths)."""

import math
import re
from collections import Counter
from itertools import pairwise

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HASH_LENGTHS = (32, 40, 56, 64, 96, 128)
_LOWER, _UPPER, _DIGIT, _OTHER = range(4)


def is_hash(value: str) -> bool:
    """Return True if `value` has the form of an MD5, SHA or Git digest or of a UUID: an identifier unless named a key."""
    return bool(re.fullmatch(UUID, value) or (len(value) in _HASH_LENGTHS and re.fullmatch("[0-9a-f]+|[0-9A-F]+", value)))


def is_mixed(value: str) -> bool:
    """Return True if letters and digits both occur."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def has_both_cases(value: str) -> bool:
    """Return True if upper and lower case both occur."""
    return any(c.isupper() for c in value) and any(c.islower() for c in value)


def humps(value: str) -> int:
    """Return how often a capital follows a small letter: in camel case once per word, in a random string more often."""
    return sum(a.islower() and b.isupper() for a, b in pairwise(value))


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters, in bits per character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if total else 0.0


def looks_random(value: str, at_least: int = 16) -> bool:
    """Return True if letters and digits alternate as in a key of at least `at_least` characters.

    Names, dates, paths and versions change between letters and digits once or twice; in a random base62 string a third of
    all adjacent pairs do, in a hexadecimal one nearly half.
    """
    if len(value) < at_least or len(set(value)) < 8:
        return False
    kinds = [_DIGIT if c.isdigit() else _UPPER if c.isupper() else _LOWER if c.isalpha() else _OTHER for c in value]
    changes = [(a, b) for a, b in pairwise(kinds) if a != b and _OTHER not in (a, b)]
    return sum(_DIGIT in change for change in changes) >= 3 and len(changes) >= len(value) / 5 and entropy(value) >= 2.8


def is_jumbled(value: str) -> bool:
    """Return True if letters look random: the case changes irregularly, or the words cannot be pronounced."""
    if len(value) < 12 or not value.isalnum() or _is_made_of_words(value):
        return False
    parts = re.findall(r"[A-Z]+[a-z]*|[a-z]+|\d+", value)
    short = sum(len(part) <= 2 for part in parts)
    consonants = re.findall("[b-df-hj-np-tv-xz]{4,}", value.lower())
    return has_both_cases(value) and ((len(parts) >= 4 and short >= 2) or len(consonants) >= 2)


def _is_made_of_words(value: str) -> bool:
    """Return True if most letters are in pronounceable words: `PromptToolkitSSHServer`."""
    words = [word.lower() for word in re.findall("[A-Z]?[a-z]{2,}", value)]
    spoken = [w for w in words if sum(c in "aeiouy" for c in w) >= len(w) / 4 and not re.search("[b-df-hj-np-tv-xz]{5}", w)]
    return sum(map(len, (word for word in spoken if len(word) > 2))) >= 0.6 * sum(c.isalpha() for c in value)
