"""Passwords of several words: phrases, words chosen by dice, the groups of letters that mail providers print."""

import re
from collections.abc import Iterator

from .spans import Redaction
from .told_values import spans_of

# Mail providers give out sixteen small letters as the password of a program: `授权码 abcdefghijklmnop`
_MAIL_CODE = re.compile(
    r"(?:授权码|授權碼|app password|auth[ _-]?code)[^\n]{0,24}?"
    r"(?<![a-z])(?P<value>[a-z]{16}|(?:[a-z]{4}[ ]){3}[a-z]{4})(?![a-z])",
    re.I,
)
# Words chosen by dice: `passphrase: vague marmot tuba`
_PHRASE = re.compile(
    r"(?:pass ?phrase|口令短语|密码短语)[\"']?[ ]?(?:[:：=]|is|是|"
    r"为)[ ]?[\"']?(?P<value>(?![a-z ]*\bwords?\b)[a-z]{3,9}(?:[ -][a-z0-9]{2,9}){2,9})[\"']?[ ]*(?:$|[.,;，。\n])",
    re.M,
)
# `passphrase sunny dumplings 88`
_NUMBERED_PHRASE = re.compile(
    r"(?:(?:pass ?phrase|口令短语|密码短语)[ ]?[:：]?|(?:password|密码)[ ]?[:：])[ ]"
    r"(?P<value>(?!is |was |must |should |with |of |for |and |or )[a-z]{3,12}(?:[ ][a-z]{2,12}){1,5}[ ]\d{1,4})"
    r"(?=[ ]*(?:$|[.,;，。\n]))",
    re.M,
)
# `passphrase for the drive: nine otters over Leith`
_WORDS_ALONE = re.compile(
    r"pass ?phrase[^\n:：]{0,40}[:：][ ](?P<value>[A-Za-z]{3,12}(?:[ ][A-Za-z]{2,12}){3,7})(?=[ ]*(?:$|[.,;，。\n]))", re.M | re.I
)
# `passphrase correct-horse-battery-canoe`
_HYPHENATED = re.compile(r"(?:pass ?phrase|password|密码)[ ](?P<value>[a-z]{3,9}(?:-[a-z]{3,9}){2,7})(?![\w-]|\.\w)", re.I)
# `password? it's "green tea at dawn"`
_ASKED_PHRASE = re.compile(
    r"(?:pass ?phrase|password|密码|口令)[?？][ ]{0,2}(?:it['’]s|it is|是|就是)?[ ]?[\"“‘「]"
    r"(?P<value>[A-Za-z]{3,12}(?:[ ][A-Za-z0-9]{1,12}){2,8})[\"”’」]",
    re.I,
)
# Four groups of four letters: `密码：abcd efgh ijkl mnop`
_GROUPS = re.compile(
    r"(?:pass(?:word|wd)?|pwd|密码|授权码)[\"']?[ ]?(?:[:：=]|is|是|"
    r"为)[ ]?[\"']?(?P<value>(?:[a-z]{4}[ ]){3}[a-z]{4})(?![A-Za-z ])",
    re.I,
)


def find_told_phrases(text: str, folded: str) -> Iterator[Redaction]:
    if "授" in text or "app password" in folded or "auth" in folded:
        yield from spans_of(_MAIL_CODE, text)
    if "phrase" in folded or "短语" in text:
        yield from spans_of(_PHRASE, text)
        yield from spans_of(_WORDS_ALONE, text)
    if "pass" in folded or "密码" in text:
        yield from spans_of(_NUMBERED_PHRASE, text)
        yield from spans_of(_HYPHENATED, text)
    if "?" in text or "？" in text:
        yield from spans_of(_ASKED_PHRASE, text)
    if "pass" in folded or "pwd" in folded or "码" in text:
        yield from spans_of(_GROUPS, text)
