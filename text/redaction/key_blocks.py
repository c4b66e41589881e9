"""Private keys in blocks of lines: PEM and PGP, also truncated at either end."""

import re
from collections.abc import Iterator

from .rules import compiled
from .spans import Redaction

_MARK = r"-{4,5} ?(BEGIN|END) ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?) ?-{4,5}"
_BREAK = r"(?:[ \t]*(?:\r?\n|(?:\\+r)?\\+n)[ \t>|+]*)"
# The lines of a block: base64 of some length (the last may be short), header lines, blank lines.
_BODY = (
    rf"[ \t]*(?:{_BREAK}*(?:[A-Za-z0-9+/]{{24,}}={{0,2}}|[A-Za-z0-9+/]{{2,}}={{1,2}}|=[A-Za-z0-9+/]{{4}}(?![A-Za-z0-9+/])|"
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):?[^\n\\]{0,120}))*"
    rf"(?:{_BREAK}*-{{1,5}}(?: ?E(?:N(?:D[ A-Z]{{0,50}}-{{0,5}})?)?)?)?"
)
_RUN = "[A-Za-z0-9+/]{12}"
"""What a block holds that is no example: `…`, `<your key>`."""
_BODY_LINE = r"[ \t>|]*[A-Za-z0-9+/]{2,}={0,2}[ \t\r]*"


def find_key_blocks(text: str) -> Iterator[Redaction]:
    """Find every private key from its begin mark to its end mark, or as far as lines of a key go."""
    begin: re.Match[str] | None = None
    done = 0
    for mark in compiled(_MARK).finditer(text) if "PRIVATE KEY" in text else ():
        if mark[1] == "BEGIN":
            if begin is not None:
                yield _cut_short(text, begin)
            begin = mark
            continue
        if begin is None:
            start = _first_line_before(text, mark.start(), done)
        else:
            start = begin.start() if compiled(_RUN).search(text, begin.end(), mark.start()) else mark.start()
        if start < mark.start():
            yield Redaction(start, mark.end(), "PRIVATE_KEY")
        begin, done = None, mark.end()
    if begin is not None:
        yield _cut_short(text, begin)


def _cut_short(text: str, begin: re.Match[str]) -> Redaction:
    body = compiled(_BODY).match(text, begin.end())
    return Redaction(begin.start(), body.end() if body else begin.end(), "PRIVATE_KEY")


def _first_line_before(text: str, end: int, floor: int) -> int:
    """Return the start of the base64 lines before an end mark without a begin mark, not before `floor`."""
    first = end
    while first > floor and text[first - 1] == "\n":
        line = max(text.rfind("\n", floor, first - 1) + 1, floor)
        if not compiled(_BODY_LINE).fullmatch(text, line, first - 1):
            break
        first = line
    return first
