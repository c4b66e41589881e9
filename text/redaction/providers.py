"""Keys with a provider's prefix or form; the forms are data, in `providers.toml`."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from ..word_lists import in_full, word_tables
from .randomness import UUID, is_mixed, looks_random
from .rules import compiled, found
from .spans import Label, Redaction

_RUN = r"[!-~]{14,}"
"""No key is shorter or contains a blank: only such runs are searched."""


def find_provider_keys(text: str) -> Iterator[Redaction]:
    """Find keys with a provider's prefix or form."""
    runs = [match.span() for match in compiled(_RUN).finditer(text)]
    joined = " ".join([text[start:end] for start, end in runs])
    for label, check, cue, pattern in _forms() if runs else ():
        if cue in joined:
            for start, end in runs:
                for match in compiled(pattern).finditer(text, start, end):
                    if check(match.group()):
                        yield found(match, label)


@cache
def _forms() -> list[tuple[Label, Callable[[str], bool], str, str]]:
    """Return the label, the check, the cue and the pattern of each form."""
    tables = word_tables("redaction/providers.toml")
    forms = []
    for label, check, cues, pattern in tables["table"]["keys"]:
        for cue in cues.replace("<many>", tables["table"]["many"]).split():
            bordered = f"{re.escape(cue)}(?<![A-Za-z0-9]{re.escape(cue)})"
            whole = in_full(pattern, tables["pieces"])
            forms.append((label, _CHECKS[check], cue, whole.replace("CUE", bordered)))
    return forms


def _is_long(key: str) -> bool:
    """Return True if a part between separators is long and mixed, unlike in CSS classes and file names."""
    parts = re.split(r"[_.$/-]", key)
    is_long = any(len(part) >= (16 if is_mixed(part) else 40) for part in parts)
    return is_long or looks_random("".join(parts), 24) or bool(re.search(UUID, key))


_CHECKS: dict[str, Callable[[str], bool]] = {
    "": lambda _: True,
    "mixed": is_mixed,
    "long": _is_long,
    "random": looks_random,
}
