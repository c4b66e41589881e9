"""Secrets in columns: tables of Markdown and databases, CSV, `INSERT INTO users (name, password) VALUES (…)`."""

import re
from collections.abc import Generator, Iterator

from .placeholders import is_placeholder
from .plausible_passwords import is_password_in_talk
from .randomness import has_letter_and_digit
from .secret_names import Kind, folded_case, kind_of_name, label_of_kind
from .spans import Redaction

_HEADING = re.compile(
    r"(?:password|passwd|pwd|pass|pin|secret|token|key|密码|口令|密钥|令牌)[\"'`*]{0,2}[ \t]{0,16}(?=[|,;\t\r\n]|\Z)"
)
_RULE = re.compile(r"[\s|+:=-]+")
_LONGEST_LINE = 400
_INSERT = re.compile(
    r"(?:insert|replace)\s{1,4}(?:\w{1,10}\s{1,4})?into\s{1,4}[\w.`\"\[\]]{1,80}\s{0,4}\(([^()]{1,600})\)\s{0,8}values\s{0,8}",
    re.I,
)
_ROW = re.compile(r"\s{0,8},?\s{0,8}\(((?:[^()'\"]|'(?:[^'\\]|''|\\.)*'|\"[^\"]*\"|\([^()]*\)){1,2000})\)")
_CELL = re.compile(r"(?:[^,'\"]|'(?:[^'\\]|''|\\.)*'|\"[^\"]*\")+")
_LITERAL = re.compile(r"'((?:[^'\\]|''|\\.)+)'|\"([^\"]+)\"")


def find_in_columns(text: str) -> Iterator[Redaction]:
    """Find the cells under a heading that is a secret's name; a table ends with the first line of another form."""
    if "\n" in text:
        yield from _tables(text)
    if "into" in text or "INTO" in text:
        yield from _inserted(text)


def _tables(text: str) -> Iterator[Redaction]:
    done = 0
    for heading in _HEADING.finditer(folded_case(text)):
        if heading.start() < done:
            continue
        start = text.rfind("\n", 0, heading.end()) + 1
        end = _line_end(text, start)
        done = end
        if end - start > _LONGEST_LINE:
            continue
        separator = next((mark for mark in "|\t;," if mark in text[start:end]), "")
        columns = _secret_columns(text[start:end].split(separator)) if separator else {}
        if columns:
            done = yield from _rows(text, end, separator, columns, text.count(separator, start, end))


def _secret_columns(cells: list[str]) -> dict[int, Kind]:
    if any(len(cell.strip()) > 32 for cell in cells) or sum(bool(cell.strip()) for cell in cells) < 2:
        return {}
    kinds = {place: kind_of_name(cell.strip(" \t\r\"'`*")) for place, cell in enumerate(cells)}
    return {place: kind for place, kind in kinds.items() if kind is not None}


def _rows(text: str, end: int, separator: str, columns: dict[int, Kind], width: int) -> Generator[Redaction, None, int]:
    while end < len(text):
        start, end = end + 1, _line_end(text, end + 1)
        line = text[start:end]
        if _RULE.fullmatch(line) and line.strip():
            continue
        if len(line) > _LONGEST_LINE or line.count(separator) != width:
            return start - 1
        at = start
        for place, cell in enumerate(line.split(separator)):
            written = cell.strip(" \t\r\"'`*")
            if place in columns and _is_secret(columns[place], written):
                first = at + cell.index(written)
                yield Redaction(first, first + len(written), label_of_kind(columns[place]))
            at += len(cell) + 1
    return end


def _inserted(text: str) -> Iterator[Redaction]:
    for insert in _INSERT.finditer(text):
        columns = _secret_columns(insert[1].split(","))
        row = _ROW.match(text, insert.end()) if columns else None
        while row:
            for place, cell in enumerate(_CELL.finditer(row[1])):
                literal = _LITERAL.search(cell.group()) if place in columns else None
                if literal and _is_literal_secret(columns[place], literal[literal.lastindex or 0]):
                    first = row.start(1) + cell.start() + literal.start(literal.lastindex or 0)
                    yield Redaction(first, first + len(literal[literal.lastindex or 0]), label_of_kind(columns[place]))
            row = _ROW.match(text, row.end())


def _is_literal_secret(kind: Kind, written: str) -> bool:
    return len(written) >= 3 and not is_placeholder(written) and (kind == "password" or has_letter_and_digit(written))


def _is_secret(kind: Kind, written: str) -> bool:
    if re.search(r"[ =(]", written) or not written.isascii() or is_placeholder(written):
        return False
    if kind == "password":
        symbols = bool(set("!@#$%^&*+?~") & set(written[1:-1])) or bool(re.fullmatch(r"[a-z]{2,}(?:-[a-z]{2,}){2,6}", written))
        return len(written) >= 4 and (written.isdecimal() or is_password_in_talk(written, "") or symbols)
    return len(written) >= 16 and has_letter_and_digit(written)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
