"""Decide whether a value beside the name of a secret is the secret, or a word, a variable or a placeholder."""

import re
from typing import Literal, NamedTuple

from ..word_lists import in_pieces, word_list, word_tables
from .names import HAN, Kind, kind_of_name
from .randomness import UUID, has_both_cases, humps, is_hash, is_jumbled, is_mixed, looks_random
from .rules import compiled
from .spans import placeholders

_TABLES = word_tables("redaction/plausible.toml")
_PATTERNS = in_pieces(_TABLES["patterns"])
Link = Literal["assigned", "paired", "said", "option", "beside"]


class Value(NamedTuple):
    """The value after a link, `start` to `end` (exclusive) of the text, without quotation marks."""

    text: str
    start: int
    end: int
    quoted: bool


# `${TOKEN}`, `{{ password }}`, `<your key>`, `your-token-here`, `%s`, `xxxx`, `!vault`, `(none)`
_TEMPLATE = _PATTERNS["TEMPLATE"]
# `sk-ab****yz`, `ACCESS_TOKEN`, and the public half of an SSH key
_MASKED = r".{0,16}(?:\*{3}|•{3}|\.{3}|…|x{5}|X{5}).{0,24}|AAAA[BCE][23][NV].*|AKIA\w{9}EXAMPLE|(?:[A-Z]+_)+(?:TOKEN|KEY|SECRET)"
_NO_VALUES = word_list(_TABLES["words"]["no_values"])
_VARIABLES = word_list(_TABLES["words"]["variables"])
# After a number or a word: `8 位`, `12-character`, `abc12 加密`
_COUNTED = _PATTERNS["COUNTED"]
# `sha-256`, `varchar2`, `2024-05-06`, `v1.2.3`
_ORDINARY = _PATTERNS["ORDINARY"]
# `/etc`, `~/keys/app.pem`, `C:\keys`, `https://…`, and parts of regular expressions
_PATH = r"/[a-z]{2,12}/?|(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]+)+/?|[A-Za-z]:\\\w.*|\w+://.*|(?:\.{1,2}|~)/[\w./-]+"
_REGEX = r"A-Z|a-z|0-9\]|\\[dwsS]|\(\?[:=!<]|\[\^|\.\*"
# `get_token(`, `$row['pw']`, `settings.secret`, `&str`
_CODE = _PATTERNS["CODE"]
# `required|min:8`, `" + password + "`
_JOINED = r"[a-z_]+(?:\|[a-z_]+(?::[\w,]+)?)+|\s*[+.&]\s.*\s[+.&]\s*"
_FORMATTED = r"\{[\w.\[\]()'\"?:|&+ -]{1,80}(?:![rsa])?\}"
_WORD = r"[A-Za-z_$][A-Za-z_$]*"
_CODE_SIGNS = r"[(){};]|(?<!\w)(?:def|return|const|let|var|import|self|this|func|fn|if|public|private)(?!\w)|->|::|=="
_ASKING = r"(?i)(?:get|read|fetch|load|prompt|ask|find|remove|has|check|verify|validate|hash|forgot|reset)\w{0,16}\([\"'`]$"
_ASKED = r"(?i)\b(?:please|your|must|required|password|cannot|invalid|enter|at least)\b"
# What is done with a password, where a word behind it is none: `忘记密码 login`
_DOING = r"(?:忘|改|输|填|找回|重置|设置|验证|校验|检查|管理|强|错|无|没)\w{0,8}$"
_CLAUSE_END = r"[ \t]*(?:$|[，。！？；,.!?;\n])"
_TALK = _PATTERNS["TALK"]


def is_placeholder(value: str) -> bool:
    """Return True if `value` stands for a secret instead of being one: `${TOKEN}`, `<your key>`, `****`, `[PASSWORD]`, null."""
    return not value or value.lower() in _NO_VALUES or is_template(value) or bool(compiled(_MASKED, re.DOTALL).fullmatch(value))


def is_template(value: str) -> bool:
    """Like `is_placeholder`, but without words such as `password` or `none`, which occur as passwords in URLs."""
    if not any(map(str.isalnum, value)):
        return True
    return bool(compiled(_TEMPLATE).fullmatch(value) or placeholders().fullmatch(value))


def is_strong(word: str, after: str = "") -> bool:
    """Return True if an unlinked word is a password: letters and digits (or symbols), not a date or a path."""
    enough = len(word) >= 6 and (is_mixed(word) or bool(compiled(r"[A-Za-z]{2,}[@#$!%^&*+]+[A-Za-z]{2,}.*").fullmatch(word)))
    return enough and not _is_ordinary(word) and not is_placeholder(word) and not compiled(_COUNTED).match(after)


def _is_ordinary(word: str) -> bool:
    return any(compiled(p).fullmatch(word) for p in (_ORDINARY, _PATH)) or bool(compiled(_CODE).match(word))


def is_code(value: str) -> bool:
    """Return True if `value` begins with a call, a subscript or an attribute: `get_token(`, `os.environ[`."""
    return bool(compiled(_CODE).match(value))


def is_secret(kind: Kind, link: Link, linking: str, value: Value, text: str) -> bool:
    """Return True if `value` is the secret of a name of `kind`; `linking` is the text between the two."""
    written = value.text
    if is_placeholder(written.lstrip("=")) or _is_in_code(linking, value, text) or _names_a_secret(written):
        return False
    if compiled(_PATH).fullmatch(written) or compiled(_REGEX).search(written):
        return False
    if link == "paired":
        distinct = len(written) >= 6 and not set(" (") & set(written) and is_mixed(written) and not _is_ordinary(written)
        return distinct and is_secret(kind, "assigned", linking, value, text)
    return _is_password(link, linking, value, text) if kind == "password" else _is_key(kind, link, value, text)


def _is_in_code(linking: str, value: Value, text: str) -> bool:
    """Return True if `value` is program code: a call, a type, a step of a pipeline, a string with variables."""
    written, after = value.text, text[value.end : value.end + 8]
    before = text[max(0, value.start - 48) : value.start]
    if value.quoted:
        if (linking == "(" and compiled(_ASKING).search(before)) or compiled(_JOINED).fullmatch(written):
            return True
        rest = re.sub(_FORMATTED if before[-2:-1] in ("f", "F") else rf"\${_FORMATTED}", "", written)
        return rest != written and not (len(rest) >= 8 and is_mixed(rest))
    if compiled(_CODE).match(written) or (compiled(_WORD).fullmatch(written) and after[:1] in ("(", "[")):
        return True
    if "|" in linking and (
        re.match(r"[ ]?\|", after) or re.fullmatch("jq|tr|wc|[a-z]*(?:grep|base64|head|tail|sed|copy)", written)
    ):
        return True
    if ("->" in linking or "→" in linking) and (re.match(rf"\s*(?:->|→)|[{HAN}]", after) or re.match(f"[{HAN}]", written)):
        return True  # a step of several
    return linking.strip() == "=" and linking[0] == " " and bool(re.fullmatch(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+", written))


def _names_a_secret(value: str) -> bool:
    """Return True if the value is itself a name from code: `user_password`, `new_token`, `your-api-key`."""
    short = re.search(r"(?i).(?:pw|pin|key|pass|auth)$", value) and value.lower() not in ("apikey", "accesskey", "secretkey")
    named = re.fullmatch(r"[A-Za-z_.\-$]{3,60}|(?:[A-Z][a-z]+|[A-Z]\d){3,}", value)
    return bool(named and not short) and kind_of_name(value) is not None


def _is_password(link: Link, linking: str, value: Value, text: str) -> bool:
    written, after = value.text, text[value.end : value.end + 24]
    counted = bool(compiled(_COUNTED).match(after))
    if re.fullmatch(r"-?\d{1,3}\.\d+", written):
        return False  # a coordinate or a measure
    if written.isdecimal():
        tight = linking == "" or linking.strip() in ("（", "(", "【") or re.search("(?i)pin ?码?$", linking)
        return len(written) >= (4 if link != "beside" or tight else 6) and not counted and not re.match(r"[.:/-]\d", after)
    if compiled(f"[{HAN}]").match(written):
        if compiled("[零〇一二三四五六七八九两幺]{4,}").fullmatch(written):
            return True
        digits = sum(map(str.isdigit, written))
        talk = bool(compiled(_TALK).search(written))
        return "|" not in linking and not talk and (link == "assigned" or (link == "said" and value.quoted and digits > 0))
    if value.quoted:
        if " " in written and (link == "beside" or compiled(_ASKED).search(written)):
            return False
        return len(written) >= 3 and (link == "assigned" or "(" not in written)
    if compiled(_WORD).fullmatch(written):
        han = bool(compiled(f"[{HAN}]").search(text, max(0, value.start - 60), value.start))
        in_talk = han and not compiled(_CODE_SIGNS).search(text, max(0, value.start - 80), value.end + 80)
        if link == "beside" and text[value.start - len(linking) - 1] in "码碼令":
            clause = text[max(0, value.start - len(linking) - 16) : value.start - len(linking)]
            return len(written) >= 6 and bool(compiled(_CLAUSE_END).match(after)) and not compiled(_DOING).search(clause)
        return not counted and _is_plain_password(link, linking, written, after, in_talk=in_talk)
    if compiled(_ORDINARY).fullmatch(written) and (link in ("beside", "said") or not re.match(r"\d", written)):
        return False
    if link == "beside":
        symbols = linking == "" and re.fullmatch(r"[A-Za-z_]{2,}[@#$!%^&*]+[A-Za-z_]{2,}", written)
        plain = not re.fullmatch(r"[\w.-]+=.*|\w+\(.*", written)
        return bool(is_mixed(written) or symbols) and plain and len(written) >= 6 and not counted
    return len(written) >= 3 and not counted


def _is_plain_password(link: Link, linking: str, word: str, after: str, *, in_talk: bool) -> bool:
    """Return True if a word of letters alone is a password: after `=` usually, after `is` or a blank seldom."""
    if len(word) < (4 if "=" in linking else 3) or link == "beside" or "==" in linking:
        return False
    if link == "option":
        return True
    if link == "said":
        if compiled(f"[{HAN}]").search(linking):
            return len(word) >= 4
        ends = re.match(r"[ \t]*(?:$|[.!?。！？\n])", after) is not None
        return linking.strip() != "to" and ends and not word.lower().endswith(("ed", "ing", "able", "ible", "ly", "en"))
    if "\n" in linking and re.match(r"[ \t]+\S", after):
        return False  # the next line begins a sentence
    if "=" in linking and re.match(r"\s*[+*/%?]|[ ](?:if|or|and|in|is|for)\b", after):
        return False  # an expression or a condition
    if ":" in linking and re.fullmatch(r"(?:[A-Z][a-z0-9]+)+", word) and re.match(r"[,)]|[ ][|=]", after):
        return False  # a type annotation
    spaced = linking.rstrip("\"'*").endswith(" ")
    if "=" in linking and spaced:
        return word.lower() not in _VARIABLES and ("_" not in word or in_talk)
    return not (spaced and re.match(r" [a-z]{2,}(?![\w]*[:=：])", after))


def _is_key(kind: Kind, link: Link, value: Value, text: str) -> bool:
    written = value.text
    if " " in written or not written.isascii() or "://" in written:
        return False
    if kind == "key":
        stored = re.fullmatch(UUID, written) and value.quoted
        mixed = len(written) >= 20 and is_mixed(written) and _is_shuffled(written)
        drawn = looks_random(written, 20) or is_hash(written) or mixed
        named = link != "beside" or re.search(rf"(?i)(?:[a-z]{{3}}|[{HAN}]) ?key $", text[max(0, value.start - 12) : value.start])
        return drawn and not stored and bool(named)
    if link == "beside":
        drawn = looks_random(written) or (kind == "secret" and is_jumbled(written))
        return drawn and not _is_ordinary(written) and (not is_hash(written) or text[value.start - 1] in " )）")
    if _is_ordinary(written) or re.fullmatch(r"[A-Za-z_]+(?::[A-Za-z_]+)*:\d+|[a-z]{1,3}=(?!.*sig=).*", written):
        return False
    if value.quoted and kind == "secret":
        return len(written) >= 6 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)+", written)
    if link == "option":
        return len(written) >= 8
    if not value.quoted and re.fullmatch(r"(?:[A-Z][a-z]+|[A-Z]\d{1,4}){3,}", written):
        return False  # a class: `account_key: AuthConfigAccountKey`
    if is_mixed(written):
        return len(written) >= 8 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)*[-_.]?v?\d{1,2}", written)
    drawn = _is_shuffled(written) or is_jumbled(written) or (kind == "secret" and len(set(written)) >= 8 and written.isalpha())
    return len(written) >= 16 and drawn


def _is_shuffled(value: str) -> bool:
    return has_both_cases(value) and humps(value) >= len(value) / 6
