"""Runs that can be nothing but passwords wherever a sentence speaks of one: letters, figures and a symbol between them."""

import re
from collections.abc import Iterator
from itertools import pairwise

from .characters import SYMBOLS
from .placeholders import is_placeholder
from .plausible_passwords import is_password_in_talk
from .randomness import has_both_cases
from .spans import Redaction
from .told_values import NOT_IN_PASSWORDS, SPOKEN_OF, TWO_WORDS, span_of_value

# A password is spoken of.
_NAME = re.compile(r"密码|密碼|口令|password|passcode|passphrase|passwd|pwd(?<![a-z]pwd)(?![a-z])")
_REACH = 64
# `Maple#77otter`
_RUN = re.compile(r"[!-~]+")
# `密码我设的跟去年一样，就是 Chongqing@huoguo`: two words with a sign between them.
_TWO_WORDS = re.compile(
    r"(?:就是|[是为叫用]|[:：]|(?:密码|口令)[ ]?|(?<![a-z])(?:is|was|to|it['’]s))[ ]?[\"'“「`]?"
    r"(?P<value>" + TWO_WORDS + r"[!?~]{0,2})"
    r"(?![\w.@#$%^&*+/:=(-])"
)
# `密码别再问了，pangpang0618，记住没`: a clause of its own.
_OWN_CLAUSE = re.compile(
    r"[，,。：:；;~～！!][ ]?(?P<value>[a-z]{4,16}\d{3,8})(?=[，,。；;！!~～\n]|[ ]?(?:$|可以|能|才|就|试试|登|记|别)|"
    r"[ ](?:works?|worked|did)(?![a-z]))",
    re.I,
)
# Before a run that is the name of something: `工单 kq83hf7z`, `branch: kq83hf7z`
_IDENTIFIED = re.compile(
    r"(?:id|工单|单号|编号|订单|用户|账号|帐号|群|文件|版本|型号|表|字段|分支|主机|机器|user|host|branch|file|ticket|case|build|"
    r"model|commit|trace|version|ref|order|room|column|table|#)[ ]?(?:是|为|is|[:：=])?[ ]?[\"'`]?$",
    re.I,
)


def find_behind_names(text: str, folded: str) -> Iterator[Redaction]:
    """Find runs that can be nothing but passwords in the rest of the sentence: letters, figures and a symbol between them."""
    for name in _NAME.finditer(folded):
        end = min(len(text), name.end() + _REACH)
        line = text.find("\n", name.end(), end)
        for pattern in (_TWO_WORDS, _OWN_CLAUSE):
            told = pattern.search(text, name.start(), line if line >= 0 else end)
            if told and not SPOKEN_OF.search(text, name.end(), told.start("value")):
                yield span_of_value(told)
        for run in _RUN.finditer(text, name.end(), line if line >= 0 else end):
            if run.end() == end and end < len(text) and "!" <= text[end] <= "~":
                break
            shuffled = _is_shuffled(run.group()) and not _IDENTIFIED.search(text, max(name.end(), run.start() - 12), run.start())
            if (_is_unmistakable(run.group()) or shuffled) and not SPOKEN_OF.search(text, name.end(), run.start()):
                yield Redaction(run.start(), run.start() + len(run.group().rstrip(".,;:?)")), "PASSWORD")
                break


# What was reset or made for somebody, `重置好了 Maple#77otter`: only what can be nothing but a password counts.
_RESET = re.compile(
    r"重置|初始化账号|开了?个?号|统一给|reset|sign in|log in|logged in|login ?[=:]|login (?:is|was|now|changed|went)"
)
_RESET_CUES = ("重置", "开了", "开个", "统一给", "reset", "sign in", "log in", "logged in", "login")


def find_behind_resets(text: str, folded: str) -> Iterator[Redaction]:
    if not any(word in folded for word in _RESET_CUES):
        return
    for name in _RESET.finditer(folded):
        end = min(len(text), name.end() + _REACH)
        line = text.find("\n", name.end(), end)
        for run in _RUN.finditer(text, name.end(), line if line >= 0 else end):
            written = run.group().rstrip(".,;:?)")
            if run.end() == end and end < len(text) and "!" <= text[end] <= "~":
                break
            if has_both_cases(written) and _is_unmistakable(written) and "." not in written:
                yield Redaction(run.start(), run.start() + len(written), "PASSWORD")
                break


# `issue#12`, `numpy@1.26`, `ann@10.0.0.2`, `c++20`, `a%20b`
_NO_PASSWORD = re.compile(
    r"[a-z][\w/-]*#\d+|[a-z][\w./-]*@v?\d[\w.]*|[\w.+-]+@[\w-]+\.[\w.-]+|\w+@\d+(?:\.\d+){3}|[a-z]\+\+\d*|.*%[0-9A-F]{2}.*"
)


def _is_unmistakable(run: str) -> bool:
    run = run.rstrip(".,;:?)")
    body = run[1:-1]
    return (
        7 <= len(run) <= 40
        and not NOT_IN_PASSWORDS & set(run)
        and bool(SYMBOLS & set(body))
        and any(c.isdigit() for c in run)
        and sum(c.isalpha() for c in run) >= 2
        and run[0] not in "-$#@%&"
        and not _NO_PASSWORD.fullmatch(run)
        and not is_placeholder(run)
    )


def _is_shuffled(run: str) -> bool:
    """Whether letters and figures change places more often than in a name with a number: `tt778899a`, `kq83hf7z`."""
    run = run.rstrip(".,;:?!)")
    kinds = [c.isdigit() for c in run]
    return (
        7 <= len(run) <= 16
        and run.isalnum()
        and sum(kinds) >= 2
        and sum(not kind for kind in kinds) >= 2
        and sum(a != b for a, b in pairwise(kinds)) >= 2
        and not re.fullmatch(r"[0-9a-f]+|[0-9A-F]+|\d+[a-z]{1,3}\d+[a-z]{1,3}", run)
        and is_password_in_talk(run, "")
    )
