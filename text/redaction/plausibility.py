"""Is what stands beside a secret's name the secret, or a word of the sentence, a variable, a hint?"""

import re

from .characters import HAN
from .links import Link, Value
from .ordinary_values import ALGORITHM, ASKING, ATTRIBUTE, CODE, PATH, REGEX, VARIABLE, is_glued, names_a_secret
from .placeholders import is_placeholder
from .plausible_keys import accepts_key, is_salt
from .plausible_passwords import accepts_password
from .randomness import has_letter_and_digit
from .secret_names import Kind

# Where a command's answer goes: `show secret | jq`
_PROGRAMS = frozenset(
    (
        "pbcopy",
        "grep",
        "jq",
        "yq",
        "base64",
        "tee",
        "xargs",
        "head",
        "tail",
        "sed",
        "awk",
        "cut",
        "tr",
        "wc",
        "less",
        "more",
        "xclip",
        "clip",
        "sort",
        "uniq",
        "sha256sum",
        "md5sum",
        "cat",
    )
)


def is_plausible(kind: Kind, link: Link, linking: str, value: Value, text: str) -> bool:
    """Whether `value` is the secret that a name of `kind` announces; `linking` is what stands between the two."""
    written = value.text
    if value.quoted and is_glued(written, text[max(0, value.start - 2) : value.start]):
        return False
    if not value.quoted and re.fullmatch(r"&(?:'\w+ ?)?(?:mut ?)?(?:str|\[u8\]?|String|\w*Str\w*)?", written):
        return False  # a type
    if value.quoted and re.fullmatch(r"\w+:\\?\"[^\"]*\"(?: \w+:\"[^\"]*\")*", written):
        return False  # what a field is called elsewhere
    if re.match(r"[.+]\s?\$\w", written) or (value.quoted and re.match(r"[,;)\]}].*[:=(,]$", written)):
        return False  # code between two texts
    if "|" in linking and written in _PROGRAMS:
        return False  # where a command's answer goes
    if linking == "(" and value.quoted and ASKING.search(text, max(0, value.start - 48), value.start):
        return False  # `get_password("weather", …)`
    if "→" in linking and not value.quoted and re.match(f"[{HAN}]", written):
        return False  # the next step
    if not value.quoted and re.fullmatch(r"<\w{1,8}>[a-z-]+(?:</\w{0,8}>?)?", written):
        return False  # the next word of a page
    if is_placeholder(written) or is_placeholder(written.lstrip("=")) or PATH.fullmatch(written) or REGEX.search(written):
        return False
    if ("->" in linking or "→" in linking) and re.match(r"\s*(?:->|→)", text[value.end : value.end + 4]):
        return False  # a step of several
    if not value.quoted and linking.rstrip().endswith("=") and linking.startswith(" ") and ATTRIBUTE.fullmatch(written):
        return False
    if not value.quoted and (
        CODE.match(written) or (VARIABLE.fullmatch(written) and text[value.end : value.end + 1] in ("(", "["))
    ):
        return False
    if names_a_secret(written) and not (kind == "password" and link == "assigned" and value.quoted and _is_a_phrase(written)):
        return False
    if link == "paired":
        return _is_distinct(written) and is_plausible(kind, "assigned", linking, value, text)
    if kind == "password":
        return accepts_password(link, linking, value, text)
    return accepts_key(kind, link, value, text)


def _is_a_phrase(written: str) -> bool:
    """Whether small letters say more than whose password it is: `thisismypassword`, `rootpasswd`, not `userpassword`."""
    if re.fullmatch(
        r"(?:root|admin|my|test|super|top|guest|default|postgres|mysql|redis)(?:pass(?:word|wd)?|pwd|secret)\d*", written
    ):
        return True
    said = re.fullmatch(
        r"([a-z]{6,40})(?:password|passwd|passphrase|secret)|(?:password|passwd|passphrase|secret)([a-z]{8,40})", written
    )
    return said is not None and bool(re.search("my|is|the|this|our", said[1] or said[2]))


def _is_distinct(written: str) -> bool:
    """Whether a word that follows the name in a list of arguments is a value, and not one more name or a message."""
    if is_salt(written):
        return True
    return (
        len(written) >= 6
        and " " not in written
        and "(" not in written
        and has_letter_and_digit(written)
        and not ALGORITHM.search(written)
    )
