"""Finding of values after names of secrets: `password=…`, `"token": "…"`, `密码是…`, `--api-key …`.

A name alone is not enough: people talk about passwords, and code passes tokens. The decision
depends on the link between name and value (an equals sign is stronger evidence than a space) and
on the form of the value.
"""

import re
from collections.abc import Iterator

from ..word_lists import in_pieces, word_tables
from .names import HAN, LABELS, Name, find_names
from .plausible import Link, Value, is_hash, is_placeholder, is_secret, looks_random
from .rules import PLACEHOLDER, Redaction, compiled

_PATTERNS = in_pieces(word_tables("redaction/named_values.toml")["patterns"], {"HAN": HAN})
_QUOTED = r"(?i)[rbfun@]{0,2}(?P<mark>\\{0,4}[\"'`]|[“‘「『【])"
_CLOSING = {"“": "”", "‘": "’", "「": "」", "『": "』", "【": "】"}
_LOOSE = r"[A-Za-z0-9_+/=.~-]{16,512}"
_REACH = 40


def find_named_values(text: str, folded: str) -> Iterator[Redaction]:
    """Find the values after names of secrets; `folded` is the text in lower case."""
    done = 0
    for name in find_names(text, folded):
        # The name is part of a placeholder or of a book title.
        mentioned = PLACEHOLDER.match(text, name.start - 1) if name.start else None
        if name.start < done or mentioned or text[name.start - 1 : name.start] == "《":
            continue
        value = _linked_value(text, folded, name) or _loose_value(text, name)
        if value is not None:
            yield Redaction(value.start, value.end, LABELS[name.kind])
            done = value.end


def _linked_value(text: str, folded: str, name: Name) -> Value | None:
    linked = compiled(_PATTERNS["LINK"]).match(folded, name.end)
    if linked is None or (
        linked["beside"] == ""
        and text[linked.end() - 1].isascii()
        and text[linked.end() - 1].isalnum()
    ):
        return None  # part of the same word as the name, which may be as long as the text
    value = _value_at(text, linked.end())
    if value is None:
        return None
    link: Link = next(
        kind for kind in ("paired", "assigned", "said", "beside") if linked[kind] is not None
    )
    if link == "beside" and linked["beside"].strip(" ") == "" and text[name.start] == "-":
        link = "option"
    if _is_of_another_thing(name, linked.group(), link, value, text):
        return None
    return value if is_secret(name.kind, link, linked.group(), value, text) else None


def _is_of_another_thing(name: Name, linking: str, link: Link, value: Value, text: str) -> bool:
    """Return True if name or value is something else: a verb, a remark, a field on a new line."""
    if value.text.startswith("?") or (value.text.startswith("@") and linking.endswith(">")):
        return True  # `${PASSWORD:?is missing}`, `app:<password>@localhost`
    if "\n" in linking and re.match(r"\w[\w.-]*=|https?:", value.text):
        return True
    is_verb = (
        name.word == "pass"
        and link == "beside"
        and value.quoted
        and name.end - name.start == len(name.word)
    )
    return is_verb or (name.word == "pin" and not any(map(str.isdigit, value.text)))


def _value_at(text: str, start: int) -> Value | None:
    quoted = compiled(_QUOTED).match(text, start)
    if quoted:
        close = _closing(text, quoted["mark"], quoted.end())
        if close > quoted.end() and "\n" not in text[quoted.end() : close]:
            return Value(text[quoted.end() : close], quoted.end(), close, True)
        start = quoted.end()
    bare = compiled(_PATTERNS["BARE"]).match(text, start)
    if bare is None:
        han = compiled(_PATTERNS["HAN_VALUE"]).match(text, start)
        return Value(han.group(), *han.span(), False) if han else None
    end = bare.end()
    if end - start == 512:
        rest = compiled(r"[^\s\"'<>]*").match(text, end)
        end = rest.end() if rest else end
    while end > start and (text[end - 1] in ".?:…~" or _is_unbalanced(text[start:end])):
        end -= 1
    return Value(text[start:end], start, end, False) if end > start else None


def _closing(text: str, mark: str, start: int) -> int:
    """Return the offset of the unescaped quotation mark that closes `mark`.

    Return -1 if none follows within 4,096 characters.
    """
    close = text.find(_CLOSING.get(mark, mark), start, start + 4096)
    while len(mark) == 1 and close > start and text[close - 1] == "\\":
        close = text.find(mark, close + 1, start + 4096)
    return close


def _is_unbalanced(value: str) -> bool:
    pair = {")": "(", "]": "[", "}": "{"}.get(value[-1])
    return pair is not None and pair not in value[:512]


def _loose_value(text: str, name: Name) -> Value | None:
    """Return a random-looking run of characters in the words after the name, or None.

    Examples: `the token I use: …`, `这是 key，你记一下 …`.
    """
    run = compiled(_LOOSE).search(text, name.end, name.end + _REACH + 16)
    run = compiled(_LOOSE).match(text, run.start()) if run else None
    if run is None or run.start() - name.end > _REACH:
        return None
    written, between = run.group().rstrip(".="), text[name.end : run.start()]
    is_field = text[run.end() : run.end() + 2] in ('":', "':")
    if (
        is_field
        or (not between and name.word.isascii())
        or "\n" in between
        or is_placeholder(written)
    ):
        return None
    if compiled(_PATTERNS["IDENTIFYING"]).search(between):
        return None
    announced = re.search(r"(?:[:：=]|是|为|\bis)\s{0,2}[\"'“]?$", between)
    drawn = (
        announced if is_hash(written) else looks_random(written, 20 if name.kind == "key" else 16)
    )
    return Value(written, run.start(), run.start() + len(written), False) if drawn else None
