"""How the form of a provider's key is written down, and the checks of what stands behind its prefix."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass

from .randomness import UUID, has_both_cases, has_letter_and_digit, humps, is_hash, is_unspeakable, looks_random
from .spans import Label

WORD = "A-Za-z0-9"
URL = r"A-Za-z0-9_\-"


@dataclass(frozen=True, slots=True)
class Form:
    literal: str
    """Stands in every key of the form: a text without it is not searched."""
    pattern: re.Pattern[str]
    label: Label
    accepts: Callable[[str], bool]


def always(_: str) -> bool:
    return True


def form(literal: str, body: str, label: Label = "API_KEY", accepts: Callable[[str], bool] = always) -> Form:
    """Give the form of keys that begin with `literal`."""
    # The literal first, the look behind it second: so `re` can search for the literal as such.
    start = re.escape(literal)
    return Form(literal, re.compile(rf"{start}(?<![{WORD}]{start}){body}"), label, accepts)


def whole(literal: str, pattern: str, label: Label, accepts: Callable[[str], bool] = always) -> Form:
    """Give a form whose pattern says all; `literal` stands in every key of it."""
    return Form(literal, re.compile(pattern), label, accepts)


def has_dense_part(key: str) -> bool:
    """Tell `sk-` keys from CSS classes and file names: one part between separators is long and mixed."""
    parts = re.split(r"[_-]", key)
    return any(len(part) >= (16 if has_letter_and_digit(part) else 40) for part in parts) or bool(UUID.search(key))


def has_long_part(key: str) -> bool:
    """Whether something long and mixed follows the prefix: in one part, as a UUID, or as parts that are drawn together."""
    parts = re.split(r"[_.$/-]", key)
    return any(len(part) >= 16 and has_letter_and_digit(part) for part in parts) or _is_drawn_in_parts(key)


def is_long_or_drawn(key: str) -> bool:
    mixed = has_both_cases(key) and sum(c.isdigit() for c in key) >= 2
    return has_long_part(key) or (len(key) >= 28 and mixed) or is_unspeakable(re.split("[_-]", key)[-1])


def is_mixed(key: str) -> bool:
    """Whether figures stand among the letters, or upper and lower case alternate too often for words joined together."""
    return has_letter_and_digit(key) or humps(key) >= len(key) / 7 or is_unspeakable(key.rpartition("_")[2])


def has_figures(key: str) -> bool:
    return sum(c.isdigit() for c in key) >= 4


def _is_drawn_in_parts(key: str) -> bool:
    return bool(UUID.search(key)) or (looks_random(re.sub(r"[_.$/-]", "", key), 24) and sum(c.isdigit() for c in key) >= 4)


def is_base62(key: str) -> bool:
    return has_both_cases(key) and looks_random(key)


def names_an_account(key: str) -> bool:
    """Whether base64 begins with figures and a colon, as the tokens of self-hosted trackers do: the account, then the key."""
    decoded = base64.b64decode(key, validate=True)
    return bool(re.match(rb"\d{10,13}:", decoded))


def ends_in_a_draw(key: str) -> bool:
    """Whether the last part of `token_…` is random; behind `key` and `token` a hash is an identifier (`cache_key_9f86…`)."""
    last = re.split(r"[_-]", key)[-1]
    return looks_random(last, 20) and (not is_hash(last) or key.startswith(("sk", "pat", "secret")))
