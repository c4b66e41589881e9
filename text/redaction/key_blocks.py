"""Private keys in blocks of lines: PEM and PGP, also truncated at either end."""

from collections.abc import Iterator

from .rules import compiled
from .spans import Redaction

_KIND = r" [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_BREAK = r"(?:[ \t]*(?:\r?\n|(?:\\+r)?\\+n)[ \t>|+]*)"
# The lines of a block: base64 of some length (the last may be short), header lines, blank lines.
_BODY = (
    rf"[ \t]*(?:{_BREAK}*(?:[A-Za-z0-9+/]{{24,}}={{0,2}}|[A-Za-z0-9+/]{{2,}}={{1,2}}|=[A-Za-z0-9+/]{{4}}(?![A-Za-z0-9+/])|"
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):?[^\n\\]{0,120}))*"
    rf"(?:{_BREAK}*-{{1,5}}(?: ?E(?:N(?:D[ A-Z]{{0,50}}-{{0,5}})?)?)?)?"
)
_BLOCK = rf"-{{4,5}} ?BEGIN{_KIND}(?:(?P<whole>(?:[^-]|-(?!---))*+)-{{4,5}} ?END{_KIND}|{_BODY})|(?P<cut>-{{4,5}} ?END{_KIND})"
_RUN = "[A-Za-z0-9+/]{12}"
"""What a block holds that is no example: `…`, `<your key>`."""
_LINES = r"(?m)(?:^[ \t>|]*[A-Za-z0-9+/]{2,}={0,2}[ \t\r]*\n)+\Z"
_LONGEST = 8_000
"""Characters of lines before an end mark without a begin mark."""


def find_key_blocks(text: str) -> Iterator[Redaction]:
    """Find every private key from its begin mark to its end mark, or as far as lines of a key go."""
    done = 0
    for block in compiled(_BLOCK).finditer(text) if "PRIVATE KEY" in text else ():
        start, end = block.span()
        lines = compiled(_LINES).search(text, max(done, start - _LONGEST), start) if block["cut"] else None
        is_example = block["whole"] is not None and not compiled(_RUN).search(block["whole"])
        if lines or not (block["cut"] or is_example):
            yield Redaction(lines.start() if lines else start, end, "PRIVATE_KEY")
        done = end
