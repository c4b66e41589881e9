"""Does a run of characters look drawn by lot (a key) or written by somebody (a name, a date, a path)?"""

import math
import re
from collections import Counter
from itertools import pairwise

UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_CONSONANTS = re.compile("[b-df-hj-np-tv-xz]{4,}")
_LOWER, _UPPER, _DIGIT, _OTHER = range(4)


def is_hash(value: str) -> bool:
    """Whether `value` has the form of a Git, MD5 or SHA digest or of a UUID: an identifier unless it is named a key."""
    return bool(UUID.fullmatch(value) or (len(value) in (32, 40, 56, 64, 96, 128) and _HEX.fullmatch(value)))


def has_letter_and_digit(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def has_both_cases(value: str) -> bool:
    return any(c.isupper() for c in value) and any(c.islower() for c in value)


def humps(value: str) -> int:
    """How often a capital follows a small letter: in words joined together once a word, in a random run more often."""
    return sum(a.islower() and b.isupper() for a, b in pairwise(value))


def entropy(value: str) -> float:
    """Give Shannon's entropy of the characters of `value` in bits a character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if total else 0.0


def looks_random(value: str, at_least: int = 16) -> bool:
    """Whether letters and figures alternate as in a key.

    Names, dates, paths and versions change between letters and figures once or twice; of a random base62 string a
    third of all neighbours do, of a hexadecimal one nearly half.
    """
    if len(value) < at_least or len(set(value)) < 8:
        return False
    kinds = [_DIGIT if c.isdigit() else _UPPER if c.isupper() else _LOWER if c.isalpha() else _OTHER for c in value]
    alternations = sum(a != b and _DIGIT in (a, b) and _OTHER not in (a, b) for a, b in pairwise(kinds))
    changes = sum(a != b and _OTHER not in (a, b) for a, b in pairwise(kinds))
    return alternations >= 3 and changes >= len(value) / 5 and entropy(value) >= 2.8


def is_unspeakable(value: str) -> bool:
    """Whether letters of both cases, or a long run with figures in it, hold two runs of consonants that no word has."""
    both = value.isalpha() and has_both_cases(value)
    mixed = len(value) >= 24 and value.isalnum() and any(c.isdigit() for c in value) and not set(value) <= set("0123456789abcdef")
    return (both or mixed) and len(_CONSONANTS.findall(value.lower())) >= 2 and not _is_made_of_words(value)


def is_jumbled(value: str) -> bool:
    """Whether upper and lower case change as in no name: of the parts of `OcEyyGyapfJE` several are one or two letters long."""
    if len(value) < 12 or not has_both_cases(value):
        return False
    parts = re.findall(r"[A-Z]+[a-z]*|[a-z]+|\d+", value)
    return value.isalnum() and len(parts) >= 4 and sum(len(part) <= 2 for part in parts) >= 2 and not _is_made_of_words(value)


def _is_made_of_words(value: str) -> bool:
    """Whether most letters stand in words that can be spoken: `V1beta2ResourceClaim`, `PromptToolkitSSHServer`."""
    words = [word for word in re.findall("[A-Z]?[a-z]+", value) if len(word) >= 3 and _can_be_spoken(word.lower())]
    return sum(map(len, words)) >= 0.6 * sum(c.isalpha() for c in value)


def _can_be_spoken(word: str) -> bool:
    return sum(c in "aeiouy" for c in word) >= len(word) / 4 and not re.search("[b-df-hj-np-tv-xz]{5}", word)
