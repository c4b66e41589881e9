"""Keys with a provider's prefix or form; the forms are data, in `providers.toml`."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from .randomness import UUID, has_both_cases, humps, is_hash, is_jumbled, is_mixed, looks_random
from .rules import Check, Rule, compiled, read_rules
from .spans import Redaction

_PREFIX = "CUE"
"""Prefix of the pattern of a rule whose keys begin with one of its cues."""
_RUN = r"[!-~]{14,}"
"""No key is shorter or contains a blank: only such runs are searched."""
_DUMMY = r"([A-Za-z_*.#])\1{7}|(\d)\2{13}|(?:YOUR|your|my)[-_]\w|[-_]HERE|-here\b"
"""Never part of a key: eight equal letters, fourteen equal digits, words of a placeholder."""
_AZURE_ZEROS = r"(?<=[A-Za-z0-9]{52})A{8,24}(?=[A-Z0-9])"
"""Azure keys contain a number in base64, mostly zeros."""


def find_provider_keys(text: str) -> Iterator[Redaction]:
    """Find keys with a provider's prefix or form."""
    runs = [match.span() for match in compiled(_RUN).finditer(text)]
    if not runs:
        return
    joined = " ".join([text[start:end] for start, end in runs])
    for rule in _rules():
        for cue in rule.cues:
            if cue in joined:
                for match in _matches(rule, cue, text, runs):
                    if rule.check(match) and not _is_dummy(match.group()):
                        yield rule.found(match)


def _matches(rule: Rule, cue: str, text: str, runs: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    if not rule.pattern.startswith(_PREFIX):
        pattern = compiled(rule.pattern)
        for start, end in runs:
            yield from pattern.finditer(text, start, end)
        return
    pattern = compiled(re.escape(cue) + rule.pattern.removeprefix(_PREFIX))
    at = text.find(cue)
    while at >= 0:
        match = pattern.match(text, at) if not (at and text[at - 1].isascii() and text[at - 1].isalnum()) else None
        if match:
            yield match
        at = text.find(cue, match.end() if match else at + 1)


def _is_dummy(key: str) -> bool:
    return bool(compiled(_DUMMY).search(compiled(_AZURE_ZEROS).sub("", key)))


@cache
def _rules() -> tuple[Rule, ...]:
    return read_rules("providers.toml", {name: _of_match(check) for name, check in _CHECKS.items()})


def _of_match(check: Callable[[str], bool]) -> Check:
    return lambda match: check(match.group())


def _parts(key: str) -> list[str]:
    return re.split(r"[_.$/-]", key)


def _is_dense(key: str) -> bool:
    """Return True if a part between separators is long and mixed, unlike in CSS classes and file names."""
    drawn = re.sub(r"[_.$/-]", "", key)
    return (
        any(len(part) >= (16 if is_mixed(part) else 40) for part in _parts(key))
        or bool(re.search(UUID, key))
        or (looks_random(drawn, 24) and sum(c.isdigit() for c in key) >= 4)
    )


def _is_long(key: str) -> bool:
    mixed = has_both_cases(key) and sum(c.isdigit() for c in key) >= 2
    return _is_dense(key) or (len(key) >= 28 and mixed) or is_jumbled(re.split("[_-]", key)[-1])


def _ends_in_a_draw(key: str) -> bool:
    """Return True if the last part of `token_…` is random; after `key` a hash is an identifier (`cache_key_9f86…`)."""
    last = re.split("[_-]", key)[-1]
    return looks_random(last, 20) and (not is_hash(last) or key.startswith(("sk", "pat", "secret")))


_CHECKS: dict[str, Callable[[str], bool]] = {
    "alnum": is_mixed,
    "mixed": lambda key: is_mixed(key) or humps(key) >= len(key) / 7 or is_jumbled(key.rpartition("_")[2]),
    "dense": _is_dense,
    "long": _is_long,
    "random": looks_random,
    "base62": lambda key: has_both_cases(key) and looks_random(key),
    "figures": lambda key: sum(c.isdigit() for c in key) >= 4,
    "draw": _ends_in_a_draw,
}
