"""Passwords near their name and out of its sentence: behind an arrow, in brackets, as what to type, as the old one."""

import re
from collections.abc import Iterator

from .spans import Redaction
from .told_values import NAME, is_told_password, span_of_value

_NAMED = re.compile(NAME)
# Tickets, tables, versions: `OPS-4471`, `v2-beta`, `users_v3`
_NUMBERED = re.compile(r"[A-Z]{2,8}[-_#]\d{1,8}|v\d+.*|[a-z]+_v?\d{1,6}")
# `temp password for ann → …`, `密码 👉 …`, `password — …`
_ARROW = re.compile(
    rf"{NAME}(?:[ ]?[（(][^\n()（）]{{1,24}}[)）]|(?:[ ][\w.@'’-]{{1,20}}){{1,5}})?"
    r"(?:[ ]?(?:-{1,8}>|→|=>|–|—{1,2}|➡️?|👉|⇒|~|～|\\?\||-{2,8}|;)[ ]?|[ ](?:-|>)[ ])"
    r"[\"'“「`*_]{0,3}(?P<value>[!-~]{6,64}?)(?=[\"'”」`*_]{0,3}(?:[^!-~]|$|[,;.!)](?:\s|$)))",
    re.I,
)
_ARROWS = ("->", "→", "=>", "–", "—", "➡", "👉", "⇒", "~", "～", "|", "--", ";", " - ", " > ")
# `password is [maple77otter]`, `密码：《maple77otter》`
_BRACKETED = re.compile(
    rf"{NAME}(?:是|为|[ ]is)?[ ]?[:：=]?[ ]?[<\[《〈【{{]{{1,2}}[ ]?(?P<value>[A-Za-z0-9!@#$%^&*_.+-]{{6,40}})[ ]?[>\]》〉】}}]",
    re.I,
)
# What brackets hold instead: `password: <your_password_8chars>`
_HINT = re.compile("your|here|char|len|digit|word|value|example|sample|hex|placeholder|pass|secret|token", re.I)


def find_around_names(text: str, folded: str) -> Iterator[Redaction]:
    if not any(word in folded for word in ("pass", "pw", "pin", "密码", "密碼", "口令")):
        return
    for found in _ARROW.finditer(text) if any(mark in text for mark in _ARROWS) else ():
        if not _NUMBERED.fullmatch(found["value"]) and sum(c.isdigit() for c in found["value"]) >= 2:
            yield from _if_password(found)
    for found in _BRACKETED.finditer(text):
        if sum(c.isdigit() for c in found["value"]) >= 2 and not _HINT.search(found["value"]):
            yield from _if_password(found)
    yield from _typed_in(text, folded)
    if any(word in folded for word in _RENEWED) and (named := _NAMED.search(folded)):
        yield from _old_and_new(text, folded, named.start())


# `type … at the password prompt`, `when it asks for the passphrase, use …`
_TYPED_IN = re.compile(
    r"(?:(?<![a-z])(?:type|use|try|enter|using|with|worked|paste|put)[ ]|(?:输入?|用|填|敲)[ ]?)[\"'“‘`「]?"
    r"(?P<value>[!-~]{6,64}?)"
    r"(?=[\"'”’`」]?(?:[^!-~]|$|[,;.!](?:\s|$)))",
    re.I,
)
# What is typed and no password: `node-18`, `app/v2`, `setup2.sh`
_NAMED_AND_NUMBERED = re.compile(r"[A-Za-z]+[-_.]?\d+(?:\.\d+)*|.*/.*|.*\.[a-z]{1,5}|v?\d[\w.]*")


def _typed_in(text: str, folded: str) -> Iterator[Redaction]:
    """Find what somebody shall type, in a line that asks for a password."""
    for found in _TYPED_IN.finditer(text):
        value = found["value"]
        if sum(c.isdigit() for c in value) < 2 or _NUMBERED.fullmatch(value) or _NAMED_AND_NUMBERED.fullmatch(value):
            continue
        start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - 64)
        end = text.find("\n", found.end(), found.end() + 48)
        if _NAMED.search(folded, start, end if end >= 0 else found.end() + 48):
            phrase = re.fullmatch(r"[a-z]{3,9}(?:-[a-z]{3,9})+-\d{2,4}", value)
            if phrase or is_told_password(value, ""):
                yield span_of_value(found)


# Both at once: `旧的 … 作废，新的 …`, `the old password … the new one is …`, `from … to …`.
_OLD_AND_NEW = re.compile(
    r"(?:(?:旧|老|新|原|之前|以前|原来|现在|目前|换成|改成|改为|换为|从|由|改用|现用|应该|正确|其实)(?:的|了|密码|口令|用的?|是|为|改成|换成|叫){0,3}"
    r"|(?<![a-z])(?:old|new|previous|former|current|from|to|now|it['’]s now)(?:[ ](?:one|password|pass|pw|is|was|it|use)){0,3})"
    r"[ ]?[:：=]?[ ]?[「“\"'‘`]?(?P<value>[!-~]{6,64}?)(?=[」”\"'’`]?(?:[^!-~]|$|[,;.!](?:\s|$)))",
)
_RENEWED = ("旧", "老", "新", "原", "前", "现", "换", "改", "old", "new", "previous", "former", "current", "from")


def _old_and_new(text: str, folded: str, first: int) -> Iterator[Redaction]:
    """Find the password that was and the one that is, in the lines that name one; the first name stands at `first`."""
    for found in _OLD_AND_NEW.finditer(folded, max(0, first - 60)):
        value = text[found.start("value") : found.end("value")]
        start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - 100)
        if is_told_password(value, "") and not _NUMBERED.fullmatch(value) and _NAMED.search(folded, start, found.end() + 24):
            yield span_of_value(found)


def _if_password(found: re.Match[str]) -> Iterator[Redaction]:
    if is_told_password(found["value"], ""):
        yield span_of_value(found)
