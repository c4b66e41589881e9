"""Is what stands beside the name of a key, a token or a secret one?"""

import re

from .links import Link, Value
from .ordinary_values import DATE_OR_VERSION
from .randomness import UUID, has_letter_and_digit, humps, is_hash, is_jumbled, is_unspeakable, looks_random
from .secret_names import Kind


def accepts_key(kind: Kind, link: Link, value: Value, text: str) -> bool:
    written = value.text
    if value.quoted and is_salt(written):
        return True
    if " " in written or not written.isascii():
        return False
    if _rich_in_symbols(written) and (link != "beside" or value.quoted):
        return True
    mixed = has_letter_and_digit(written)
    if kind == "key":
        if UUID.fullmatch(written) and re.search(r"[\"']key[\"']\s?:\s?[\"']$", text[max(0, value.start - 10) : value.start]):
            return False  # of a store's object
        random = looks_random(written, 20) or (len(written) >= 20 and has_letter_and_digit(written) and _is_mixed_case(written))
        random = random or (is_hash(written) and not UUID.fullmatch(written))
        named = link == "beside" and re.search(
            r"(?:[a-z]{3}|[\u4e00-\u9fff]) ?key $", text[max(0, value.start - 12) : value.start], re.I
        )
        return (link in ("assigned", "said", "option") or bool(named)) and random
    if link == "beside":
        random = looks_random(written) or (kind == "secret" and is_jumbled(written))
        random = random and not DATE_OR_VERSION.fullmatch(written)
        return random and (not is_hash(written) or text[value.start - 1] in " )）")
    if re.match(r"[a-z]{1,3}=", written) and "sig=" not in written:
        return False  # parts of a token without its signature
    if DATE_OR_VERSION.fullmatch(written) or "://" in written or re.fullmatch(r"[A-Za-z_]+(?::[A-Za-z_]+)*:\d+", written):
        return False
    if value.quoted and kind == "secret":
        return len(written) >= 6 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)+", written)
    if link == "option":
        return len(written) >= 8
    if not value.quoted and re.fullmatch(r"(?:[A-Z][a-z]+|[A-Z]\d{1,4}){3,}", written):
        return False  # a class: `account_key: AuthConfigAccountKey`
    if mixed and kind == "secret" and re.search("[A-Z]=$", text[max(0, value.start - 2) : value.start]):
        return len(written) >= 8  # a variable of the environment
    if mixed:
        return len(written) >= 8 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)*[-_.]?v?\d{1,2}", written)
    return len(written) >= 16 and (
        _is_mixed_case(written)
        or is_unspeakable(written)
        or is_jumbled(written)
        or (kind == "secret" and len(set(written)) >= 8 and written.isalpha())
    )


def _rich_in_symbols(value: str) -> bool:
    return len(value) >= 16 and len(set(value) & set("{}()[]$#<>^&*!%@~+")) >= 5 and "://" not in value


def is_salt(value: str) -> bool:
    """Whether printable characters of every kind stand in no order, blanks among them, as generators of salts make them."""
    return _rich_in_symbols(value) and len(value) >= 24 and not re.search(r"[a-z]{5}|[A-Z]{5}", value)


def _is_mixed_case(value: str) -> bool:
    """Whether upper and lower case alternate too often for words joined together."""
    return humps(value) >= len(value) / 6
