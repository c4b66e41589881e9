"""Passwords and codes some way off their name: behind other words, in the answer to a question, in lists of accounts."""

import re
from collections.abc import Iterator
from itertools import pairwise

from .characters import HAN
from .dialogues import find_in_dialogues
from .far_values import find_far_values
from .placeholders import is_placeholder
from .plausible_passwords import is_password_in_talk
from .randomness import has_letter_and_digit
from .secret_names import folded_case
from .spans import Redaction
from .stretches import stretches

_NAME = re.compile(r"密码|密碼|口令|password|passcode|passphrase|passwd|pwd(?<![a-z]pwd)(?![a-z])")
# What was reset or made for somebody: only what can be nothing but a password counts behind these.
_RESET = re.compile(
    r"重置|初始化账号|开了?个?号|统一给|reset|sign in|log in|logged in|login ?[=:]|login (?:is|was|now|changed|went)"
)
_REACH = 64
_RUN = re.compile(r"[!-~]+")
_SYMBOLS = frozenset("!@#$%^&*+~?")
_NOT_IN_PASSWORDS = frozenset("=\"'`<>(){}[]\\|,;:/")
# A password that is spoken of and not told: what to avoid, what somebody else tried.
_SPOKEN_OF = re.compile(
    r"别用|别再(?!问|忘|说|发)|不要|不能|不许|禁止|避免|比如|例如|类似|弱|错误|(?<![a-z])(?:like|better than|"
    r"rather than|instead of|such as|e\.g\.|avoid|never|weak|regex|hash)",
    re.I,
)
_NO_PASSWORD = re.compile(
    r"[a-z][\w/-]*#\d+|[a-z][\w./-]*@v?\d[\w.]*|[\w.+-]+@[\w-]+\.[\w.-]+|\w+@\d+(?:\.\d+){3}|[a-z]\+\+\d*|.*%[0-9A-F]{2}.*"
)
_IDENTIFIED = re.compile(
    r"(?:id|工单|单号|编号|订单|用户|账号|帐号|群|文件|版本|型号|表|字段|分支|主机|机器|user|host|branch|file|ticket|case|build|"
    r"model|commit|trace|version|ref|order|room|column|table|#)[ ]?(?:是|为|is|[:：=])?[ ]?[\"'`]?$",
    re.I,
)
_ASKED = re.compile(
    rf"(?:密码|密碼|口令|password|passcode|(?<![a-z])(?:pwd|pass|pw)(?![a-z]))(?:[^\n?？]{{0,24}}[?？]|(?:是|要)?(?:多少|是啥|啥|"
    rf"什么)[呀啊呢来着]{{0,2}}(?=\n))[^\S\n]{{0,2}}\n?(?:[^\n:：]{{1,24}}[:：]|[{HAN}，,：:\s—-]{{0,12}}|"
    r"[^\n\d]{0,16}?(?:it['’]s|try|is))[ ]?(?P<value>[!-~]{6,40})(?=[ ]*(?:$|[\n，。,.!！~～]|iirc|afaik|i think|吧|"
    r"好像|没换|没改|别))",
    re.I,
)
_CODE_ASKED = re.compile(
    r"(?:验证码|校验码|动态码|(?:verification|2fa|otp|sms|login|auth\w*|security|one[- ]time)[ ]code)[^\d。]{1,48}?"
    r"(?:it['’]s|it is|it says|is|是|[:：—→-])[ ]{0,2}(?P<value>\d{3}[ -]?\d{3})(?![\w%]|[.:/-]\d|[ ]?(?:位|个|次|分|秒|"
    r"小时|条|元|ms\b))",
    re.I,
)
_KINDS = ("verification", "2fa", "otp", "sms", "login", "auth", "authentication", "authenticator", "security", "time")
# What an authenticator shows, a text message says: `my authenticator says 771 204`, `enter this code to sign in: 640182`.
_CODE_SHOWN = re.compile(
    r"(?:authenticator|google auth|authy|(?<![a-z])(?:otp|totp|2fa)[ ](?:app|shows)|code to[ ]|(?:got|sent|"
    r"came)[^\d\n.]{0,16}(?:text|sms))"
    r"[^\d\n.]{0,40}?(?:says|shows|reads|is|it['’]s|:)[ ](?P<value>\d{3}[ -]?\d{3})(?![\w%]|[.:/-]\d)",
    re.I,
)
# `… use the following password:`, and in the next line nothing but it.
_BELOW = re.compile(
    r"(?:密码|口令|令牌|密钥|password|passcode|passphrase|token|secret|(?<!public )key)(?![^\n]*(?:finger|public|"
    r"公钥))[^\n:：]{0,60}[:：][^\S\n]*\n\s{0,8}"
    r"(?P<value>[!-~]{8,256})[ \t]*(?=\n|$)",
    re.I,
)
# `I send you the password here: …`
_HERE = re.compile(
    r"(?:password|passcode|passphrase|pwd)[^\n:=]{1,60}?(?:here|here it is|here you go|as follows|"
    r"below)[:：][ ](?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
# `grandpa's password, in case he rings: …`: the end of a line, and a word nobody would write.
_AT_THE_END = re.compile(
    r"(?:password|passcode|passphrase|(?<![a-z])(?:pwd|pass|pw)(?![a-z])|密码|口令)[^\n:：=]{1,60}[:：][ ]?"
    r"(?P<value>(?=[A-Za-z]*[A-Z])(?=[A-Z]*[a-z])[A-Za-z]{3,24}\d{2,8}[A-Za-z]{0,12}[!?.]?)[ \t]*(?=\n|$)",
    re.I,
)
# `my rcon pass its cr33per_no_boom`, `It's Bumblebee_Orbit4 now`: words with figures for letters or at the end.
_ITS = re.compile(
    r"(?:password|passcode|passphrase|(?<![a-z])(?:pwd|pass|pw)(?![a-z]))[^\n]{0,60}?(?<![a-z])(?:it['’]?s|is)[ ]"
    r"(?P<value>(?=[A-Za-z_-]{1,24}\d)[A-Za-z0-9]{3,16}(?:[_-][A-Za-z0-9]{2,16}){1,4}|(?-i:(?=[A-Za-z]*[a-z][A-Z]|[A-Z])[A-Za-z]{5,24}\d{2,6}))"
    r"(?=[ ]*(?:$|[\n,.;!]|now|thx|thanks|again|still|for|on|and|same))",
    re.I,
)
# `local key for the heater plug -> …`: behind an arrow or a colon, what nobody would write as a word.
_POINTED = re.compile(
    r"(?<![a-z])(?:key|token|secret|密钥|令牌)(?![a-z])[^\n]{0,40}?(?:->|→|=>|[:：])[ ]?"
    r"(?P<value>(?=[!-~]*\d)(?=[!-~]*[a-z])(?=[!-~]*[A-Z])"
    r"(?=[!-~]*[!@#$%^&*+?~])[A-Za-z0-9!@#$%^&*+?~_-]{12,64})(?![!-~])"
)
# Lists of accounts: `.pgpass`, the users of a pool, `login ann:…`.
_LISTED = (
    (
        ("\npassword ", "\npasswd "),
        re.compile(
            r"^[ \t]*(?:user(?:name)?|login|account)[ ]\S{1,64}\r?\n[ \t]*(?:password|passwd)[ ](?P<value>[!-~]{4,128})[ \t]*$",
            re.M,
        ),
    ),
    (
        (":*:", ":5", ":3", ":6", ":1"),
        re.compile(r"^[\w.*-]{1,80}:(?:\d{4,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?P<value>[!-~]{4,128})$", re.M),
    ),
    (
        ("userlist", "auth_file", "chap-secrets", "users.txt", "credentials"),
        re.compile(
            r"(?:userlist|auth_file|chap-secrets|users\.txt|"
            r"credentials)[^\n]{0,80}\n(?:[\"'][^\"'\n]{1,64}[\"'][ \t]+[\"'][^\"'\n]{1,128}[\"']\n){0,8}?"
            r"[\"'][^\"'\n]{1,64}[\"'][ \t]+[\"'](?P<value>[^\"'\n]{4,128})[\"']",
            re.I,
        ),
    ),
)
_ACCOUNT = re.compile(
    r"(?:auth|login|creds?|basic auth|账号|帐号|登录|用户)[ ]?[:：]?[ ]?(?<![\w:])[\w.-]{2,32}:(?P<value>[!-~]{8,64})(?![!-~])"
)


_PASSWORD_CUES = ("密", "口令", "pass", "pwd", "pw")
_CODE_CUES = ("验码", "验证码", "动态码", *(kind + " code" for kind in _KINDS))
_SHOWN_CUES = ("authenticator", "google auth", "authy", "otp", "2fa", "code to", "text", "sms")
_RESET_CUES = ("重置", "开了", "开个", "统一给", "reset", "sign in", "log in", "logged in", "login")


def find_nearby(text: str) -> Iterator[Redaction]:
    folded = folded_case(text)
    if any(word in folded for word in ("密", "口令", "pass", "pwd")):
        yield from _behind_other_words(text, folded)
    if any(mark in text for mark in ("? ", "?\n", "？", "多少", "啥", "什么")):
        for found in _all(_ASKED, text, folded, _PASSWORD_CUES):
            if _is_answer(found["value"]):
                yield _span(found, "value")
    for found in _all(_POINTED, text, folded, ("key", "token", "secret", "密钥", "令牌")):
        if not is_placeholder(found["value"]):
            yield Redaction(*found.span("value"), "TOKEN")
    for pattern in (_AT_THE_END, _ITS):
        for found in _all(pattern, text, folded, _PASSWORD_CUES):
            if not _SPOKEN_OF.search(text, found.start(), found.start("value")) and not is_placeholder(found["value"]):
                yield _span(found, "value")
    if any(word in folded for word in _RESET_CUES):
        yield from _behind_resets(text, folded)
    for pattern, cues in ((_CODE_ASKED, _CODE_CUES), (_CODE_SHOWN, _SHOWN_CUES)):
        for found in _all(pattern, text, folded, cues):
            yield Redaction(*found.span("value"), "TOKEN")
    if "here" in folded or "below" in folded or "follows" in folded:
        for found in _HERE.finditer(text):
            if _is_answer(found["value"].rstrip(".,;")) and not re.search(r"\.[a-z]{2,4}$", found["value"]):
                yield _span(found, "value")
    for found in _all(_BELOW, text, folded, (":\n", "：\n", ": \n")):
        if _stands_alone(found["value"]):
            yield _span(found, "value")
    yield from find_far_values(text, folded)
    yield from find_in_dialogues(text, folded)
    yield from _in_lists(text, folded)


def _all(pattern: re.Pattern[str], text: str, folded: str, cues: tuple[str, ...]) -> Iterator[re.Match[str]]:
    for start, end in stretches(text, folded, cues):
        yield from pattern.finditer(text, start, end)


# `密码我设的跟去年一样，就是 Chongqing@huoguo`: two words with a sign between them.
_TWO_WORDS = re.compile(
    r"(?:就是|[是为叫用]|[:：]|(?:密码|口令)[ ]?|(?<![a-z])(?:is|was|to|it['’]s))[ ]?[\"'“「`]?"
    r"(?P<value>[A-Za-z]{3,16}[@#$!%^&*+]{1,3}[A-Za-z]{3,16}[!?~]{0,2})"
    r"(?![\w.@#$%^&*+/:=(-])"
)

# `密码别再问了，pangpang0618，记住没`: a clause of its own.
_OWN_CLAUSE = re.compile(
    r"[，,。：:；;~～！!][ ]?(?P<value>[a-z]{4,16}\d{3,8})(?=[，,。；;！!~～\n]|[ ]?(?:$|可以|能|才|就|试试|登|记|别)|"
    r"[ ](?:works?|worked|did)(?![a-z]))",
    re.I,
)


def _behind_other_words(text: str, folded: str) -> Iterator[Redaction]:
    """Find runs that can be nothing but passwords in the rest of the sentence: letters, figures and a symbol between them."""
    for name in _NAME.finditer(folded):
        end = min(len(text), name.end() + _REACH)
        line = text.find("\n", name.end(), end)
        for pattern in (_TWO_WORDS, _OWN_CLAUSE):
            told = pattern.search(text, name.start(), line if line >= 0 else end)
            if told and not _SPOKEN_OF.search(text, name.end(), told.start("value")):
                yield _span(told, "value")
        for run in _RUN.finditer(text, name.end(), line if line >= 0 else end):
            if run.end() == end and end < len(text) and "!" <= text[end] <= "~":
                break
            shuffled = _is_shuffled(run.group()) and not _IDENTIFIED.search(text, max(name.end(), run.start() - 12), run.start())
            if (_is_unmistakable(run.group()) or shuffled) and not _SPOKEN_OF.search(text, name.end(), run.start()):
                yield Redaction(run.start(), run.start() + len(run.group().rstrip(".,;:?)")), "PASSWORD")
                break


def _behind_resets(text: str, folded: str) -> Iterator[Redaction]:
    for name in _RESET.finditer(folded):
        end = min(len(text), name.end() + _REACH)
        line = text.find("\n", name.end(), end)
        for run in _RUN.finditer(text, name.end(), line if line >= 0 else end):
            written = run.group().rstrip(".,;:?)")
            mixed = any(c.isupper() for c in written) and any(c.islower() for c in written)
            if run.end() == end and end < len(text) and "!" <= text[end] <= "~":
                break
            if mixed and _is_unmistakable(written) and "." not in written:
                yield Redaction(run.start(), run.start() + len(written), "PASSWORD")
                break


def _is_unmistakable(run: str) -> bool:
    run = run.rstrip(".,;:?)")
    body = run[1:-1]
    return (
        7 <= len(run) <= 40
        and not _NOT_IN_PASSWORDS & set(run)
        and bool(_SYMBOLS & set(body))
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


def _stands_alone(written: str) -> bool:
    code = (_NOT_IN_PASSWORDS - set("=/")) & set(written)
    return (
        not code
        and has_letter_and_digit(written)
        and not is_placeholder(written)
        and not re.match(r"[-*/.#@]|[A-Za-z_][\w.-]*=(?!=?$)", written)
    )


def _is_answer(written: str) -> bool:
    figures = sum(c.isdigit() for c in written)
    return not _NOT_IN_PASSWORDS & set(written) and is_password_in_talk(written, "") and figures >= 2


def _in_lists(text: str, folded: str) -> Iterator[Redaction]:
    for words, pattern in _LISTED:
        if any(word in folded for word in words):
            for found in pattern.finditer(text):
                if not is_placeholder(found["value"]):
                    yield _span(found, "value")
    if not any(word in folded for word in ("auth", "login", "cred", "号", "登录", "用户")):
        return
    for found in _ACCOUNT.finditer(folded):
        value = text[found.start("value") : found.end("value")]
        if is_password_in_talk(value, "") and not _NOT_IN_PASSWORDS & set(value):
            yield _span(found, "value")


def _span(found: re.Match[str], group: str) -> Redaction:
    return Redaction(*found.span(group), "PASSWORD")
