"""Is what stands beside the name of a password one, or a word of the sentence, a variable, a hint?"""

import re

from .characters import HAN
from .links import Link, Value
from .ordinary_values import ABOUT_HASHING, ALGORITHM, CODE, CODE_SIGNS, COUNTED, DATE_OR_VERSION, PATH, VARIABLE
from .placeholders import is_placeholder
from .randomness import has_letter_and_digit

# `一二三四五六`
_CHINESE_NUMBER = re.compile("[零〇一二三四五六七八九两幺]{4,}")
# Characters of sentences: `密码：请联系管理员`
_CHINESE_TALK = re.compile(
    "[请的了吗呢是后前号私聊问找群在不无未没有错误对改忘记输入填写空需必须同上见附联系设置重弱强中等高低位数字长度过期失效保密管理任意随便想]"
)
# Variables whose names do not say that they hold a password: `password = val`
_VARIABLES = frozenset(
    [
        "pwd",
        "pw",
        "value",
        "val",
        "text",
        "line",
        "input",
        "raw",
        "data",
        "result",
        "res",
        "arg",
        "args",
        "s",
        "x",
        "y",
        "p",
        "t",
        "tok",
        "word",
        "user",
        "form",
        "item",
        "items",
        "entry",
        "row",
        "parts",
        "match",
        "node",
        "cur",
        "current",
        "nxt",
        "next",
        "prev",
        "first",
        "last",
        "lexeme",
        "content",
        "body",
        "response",
        "payload",
        "getpass",
    ]
)
# Parts of the names of variables: `password = new_value`
_CODE_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
        get set read load new old current user db database input default config env args value var my the raw
        plain hashed root admin from to parse decode encode encrypted test temp tmp self
        """,
    )
)


def accepts_password(link: Link, linking: str, value: Value, text: str) -> bool:
    written = value.text
    after = text[value.end : value.end + 24]
    if re.fullmatch(r"-?\d{1,3}\.\d+", written):
        return False  # a place, a measure
    if written.isdecimal():
        adjacent = linking == "" and not re.match(r"[\w.:-]", after)
        adjacent = adjacent or (linking.strip() in ("（", "(", "【") and after[:1] in ("）", ")", "】"))
        enough = 4 if link != "beside" or adjacent or re.search("[Pp][Ii][Nn] ?码$", text[: value.start].rstrip()[-6:]) else 6
        return len(written) >= enough and not COUNTED.match(after)
    if re.match(f"[{HAN}]", written):
        if _CHINESE_NUMBER.fullmatch(written):
            return True
        mixed = value.quoted and any(c.isdigit() for c in written)
        if "|" in linking:
            return False  # the next cell
        if link == "assigned" and re.fullmatch(rf"[{HAN}]{{2,8}}\d{{3,}}", written):
            return True
        return (link == "assigned" or (link == "said" and mixed)) and not _CHINESE_TALK.search(written)
    if value.quoted and link != "assigned" and "(" in written:
        return False
    if value.quoted:
        return len(written) >= 3 and not _is_sentence(written) and (link != "beside" or " " not in written)
    if ALGORITHM.fullmatch(written) or ABOUT_HASHING.match(after):
        return False
    if VARIABLE.fullmatch(written):
        in_talk = bool(re.search(f"[{HAN}]", text[max(0, value.start - 60) : value.start])) and not CODE_SIGNS.search(
            text, max(0, value.start - 80), value.end + 80
        )
        return _accepts_plain_word(link, linking, written, after, in_talk=in_talk) or (
            link == "assigned" and _is_among_settings(linking, value, text)
        )
    if link == "beside":
        mixed = any(c.isdigit() for c in written) and any(not c.isdigit() for c in written)
        mixed = mixed or (linking == "" and bool(re.fullmatch(r"[A-Za-z_]{2,}[@#$!%^&*]+[A-Za-z_]{2,}", written)))
        plain = not DATE_OR_VERSION.fullmatch(written) and not re.fullmatch(r"[\w.-]+=.*|\w+\(.*", written)
        return mixed and plain and len(written) >= 6 and not COUNTED.match(after)
    if link == "said" and DATE_OR_VERSION.fullmatch(written):
        return False
    return len(written) >= 3 and not COUNTED.match(after)


def is_password_in_talk(word: str, after: str) -> bool:
    """Whether a word that no sign links to the name is a password: letters and figures, but no date, version, hash name."""
    mixed = has_letter_and_digit(word) and len(word) >= 6
    plain = not (DATE_OR_VERSION.fullmatch(word) or ALGORITHM.fullmatch(word) or PATH.fullmatch(word) or CODE.match(word))
    return mixed and plain and not is_placeholder(word) and not COUNTED.match(after) and not ABOUT_HASHING.match(after)


def _accepts_plain_word(link: Link, linking: str, word: str, after: str, *, in_talk: bool) -> bool:
    """Letters alone: a password like any other after `=`, a word of the sentence after `is` or a space."""
    if len(word) < (4 if "=" in linking else 3) or link == "beside":
        return False
    if link == "option":
        return True
    if link == "said":
        if re.search(f"[{HAN}]", linking):
            return len(word) >= 4
        return (
            linking.strip() != "to"
            and bool(re.match(r"[ \t]*(?:$|[.!?。！？\n])", after))
            and not word.lower().endswith(("ed", "ing", "able", "ible", "ly", "en"))
        )
    if "==" in linking:
        return False
    if "\n" in linking and re.match(r"[ \t]+\S", after):
        return False  # the next line begins a sentence
    if "=" in linking and re.match(r"\s*[+*/%?]|[ ](?:if|or|and|in|is|for)\b", after):
        return False  # a sum, a condition
    if ":" in linking and re.fullmatch(r"(?:[A-Z][a-z0-9]+)+", word) and re.match(r"[,)]|[ ][|=]", after):
        return False  # a type
    spaced = linking.rstrip("\"'*").endswith(" ")
    if "=" in linking and spaced:
        return word.lower() not in _VARIABLES and ("_" not in word or in_talk)
    return not (spaced and re.match(r" [a-z]{2,}(?![\w]*[:=：])", after))


def _is_among_settings(linking: str, value: Value, text: str) -> bool:
    """Whether the value ends a line of a file of settings: the one above is a section or sets a user or a host without quotes."""
    if linking.count("=") != 1 or not re.match(r"[ \t]*(?:\r?\n|$)", text[value.end : value.end + 8]):
        return False
    words = value.text.lower().split("_")
    if len(words) < 2 or not all(words) or not _CODE_WORDS.isdisjoint(words):
        return False
    line = text.rfind("\n", 0, value.start)
    for _ in range(3):  # comments
        higher = text.rfind("\n", 0, max(0, line))
        if not re.match(r"[ \t]*(?://|#|;)", text[higher + 1 : max(0, line)]):
            break
        line = higher
    above = text[max(0, text.rfind("\n", max(0, line - 200), max(0, line)) + 1) : max(0, line)]
    return bool(
        re.fullmatch(
            r"[ \t]*(?:\[[\w.: -]{1,60}\]|[\w.-]{0,30}(?:user|username|login|host|server|port|url|db|database|e?mail)"
            r"[ \t]*=[ \t]*[\w.@:/-]{1,120})[ \t\r]*",
            above,
        )
    )


def _is_sentence(value: str) -> bool:
    return bool(set(value) & set(" |")) and bool(
        re.search("请|输入|密码|不能|必须|错误", value)
        or re.search(r"\b(?:please|your|must|required|password|cannot|invalid|incorrect|enter|at least)\b", value, re.I)
    )
