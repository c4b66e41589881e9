"""Personal data: mailboxes, telephones, identity papers, bank cards, names on WeChat."""

import re
from collections.abc import Iterator

from .bank_cards import find_accounts_and_codes, find_bank_cards
from .identity_papers import find_identity_cards, find_papers
from .mailboxes import find_mailboxes
from .phones import find_phones
from .spans import Redaction
from .spoken_numbers import find_spoken_numbers
from .wechat_names import find_wechat_names

# `138 1234 …`, `4111-1111-…`
_LONG_NUMBER = re.compile(r"\d(?:[ ()./\-‐‑‒–—―−－（）\u00a0\u2009\u202f\u3000]{0,3}\d){6,}")
_CONTEXT = 40


def find_personal_data(text: str) -> Iterator[Redaction]:
    yield from find_mailboxes(text)
    for start, end in _number_windows(text):
        yield from find_identity_cards(text, start, end)
        yield from find_bank_cards(text, start, end)
        yield from (Redaction(*span, "PHONE") for span in find_phones(text, start, end))
    yield from find_accounts_and_codes(text)
    yield from find_spoken_numbers(text)
    yield from find_papers(text)
    yield from find_wechat_names(text)


def _number_windows(text: str) -> Iterator[tuple[int, int]]:
    """Give the stretches around long numbers: nothing else has to be looked at."""
    start = end = -1
    for match in _LONG_NUMBER.finditer(text):
        if end < 0 or match.start() - _CONTEXT > end:
            if end >= 0:
                yield start, end
            start = max(0, match.start() - _CONTEXT)
        end = min(len(text), match.end() + _CONTEXT)
    if end >= 0:
        yield start, end
