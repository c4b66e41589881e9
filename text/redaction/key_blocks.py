"""Private keys that stand as blocks of lines: PEM, PGP, PuTTY, also cut off at either end."""

import re
from collections.abc import Iterator

from .spans import Redaction

_MARK = re.compile(r"-{4,5} ?(BEGIN|END) ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?) ?-{4,5}|(PuTTY-User-Key-File-\d:)")
_BREAK = r"(?:[ \t]*(?:\r?\n|(?:\\+r)?\\+n)[ \t>|+]*)"
# A line of a block: base64 of some length (the last may be short), a header line, nothing.
_BODY = re.compile(
    rf"[ \t]*(?:{_BREAK}*(?:[A-Za-z0-9+/]{{24,}}={{0,2}}|[A-Za-z0-9+/]{{2,}}={{1,2}}|=[A-Za-z0-9+/]{{4}}(?![A-Za-z0-9+/])|"
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Encryption|Public-Lines|Private-Lines|Private-MAC|Key-Derivation|"
    r"Argon2-[A-Za-z]+):?[^\n\\]{0,120}))*"
    rf"(?:{_BREAK}*-{{1,5}}(?: ?E(?:N(?:D[ A-Z]{{0,50}}-{{0,5}})?)?)?)?"
)
_TAIL_OF_BODY = re.compile(rf"(?:[A-Za-z0-9+/]{{16,}}={{0,2}}{_BREAK}+)+(?:[A-Za-z0-9+/]{{1,}}={{0,2}}{_BREAK}+)?\Z")
_LONGEST_HEADLESS = 8_192


def find_key_blocks(text: str) -> Iterator[Redaction]:
    """Find every private key from its first mark to its last one, or as far as the key's own lines go."""
    if "PRIVATE KEY" not in text and "PuTTY-User-Key" not in text:
        return
    begin: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        if mark[1] == "END":
            if begin is not None:
                yield Redaction(begin.start(), mark.end(), "PRIVATE_KEY")
            else:
                yield Redaction(_first_line_before(text, mark.start()), mark.end(), "PRIVATE_KEY")
            begin = None
            continue
        if begin is not None:
            yield _cut_short(text, begin)
        begin = None if mark[3] else mark
        if mark[3]:
            yield _cut_short(text, mark)
    if begin is not None:
        yield _cut_short(text, begin)


def _cut_short(text: str, begin: re.Match[str]) -> Redaction:
    body = _BODY.match(text, begin.end())
    return Redaction(begin.start(), body.end() if body else begin.end(), "PRIVATE_KEY")


def _first_line_before(text: str, end: int) -> int:
    window = max(0, end - _LONGEST_HEADLESS)
    lines = _TAIL_OF_BODY.search(text[window:end])
    return window + lines.start() if lines else end
