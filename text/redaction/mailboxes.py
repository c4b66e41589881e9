"""E-mail addresses, also those written so that no machine reads them: `name [at] example [dot] com`."""

import re
from collections.abc import Iterator

from .spans import Redaction

# Last parts that are file names (`icon@2x.png`) or attributes, not domains.
_NO_DOMAIN = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "bmp",
        "ico",
        "js",
        "ts",
        "jsx",
        "tsx",
        "css",
        "json",
        "py",
        "md",
        "txt",
        "html",
        "yaml",
        "yml",
    ]
)
_LATIN = "A-Za-z0-9À-ÖØ-öø-ÿ"
# `lihua@example.cn`, `"li hua"@example.cn`, `bot@[10.0.0.1]`
_EMAIL = re.compile(
    rf"(?:(?<![{_LATIN}._%+-])(?:[OoDd]'(?=[A-Za-z]))?[{_LATIN}._%+-]{{1,64}}|"
    rf"\"[\w.+-]{{1,30}}(?:[ ][\w.+-]{{1,30}}){{0,2}}\")[@＠]"
    rf"(?:(?=[{_LATIN}.．-]{{1,255}}(?![{_LATIN}.．-]))[{_LATIN}-]{{1,63}}(?:[.．][{_LATIN}-]{{1,63}}){{0,6}}"
    r"[.．](xn--[A-Za-z0-9-]{2,20}|[A-Za-z]{2,24})(?![A-Za-z0-9])|\[\d{1,3}(?:\.\d{1,3}){3}\])"
)
# Before what looks like a mailbox: a command that goes to a machine, the name of a message, a name in the fediverse.
_NO_MAILBOX = re.compile(
    r"(?:(?<![\w-])(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)[ ][^\n|;]*|(?:message-id|references|in-reply-to):[^\n]*|@)$", re.I
)


def find_mailboxes(text: str) -> Iterator[Redaction]:
    if "@" in text or "＠" in text:
        yield from _plain(text)
    yield from _hidden(text)


def _plain(text: str) -> Iterator[Redaction]:
    for match in _EMAIL.finditer(text):
        # `git@host:path` is a remote, not a mailbox, and neither is the user of an address.
        address = re.search(r"://(?:[^\s/@]{0,80}[^\w\s/@.-])?$", text[max(0, match.start() - 64) : match.start()])
        remote = re.match(r":[\w~/]", text[match.end() : match.end() + 2]) or _NO_MAILBOX.search(
            text[max(0, match.start() - 60) : match.start()]
        )
        if (
            (match.group(1) or "").lower() not in _NO_DOMAIN
            and not re.match(r".@.\.", match.group())
            and match.group()[:3].lower() not in ("xxx", "***")
            and not remote
            and not address
        ):
            yield Redaction(match.start(), match.end(), "EMAIL")


# Written so that no machine reads it: `name [at] example [dot] com`, `name AT example DOT com`, `name 艾特 example 点 com`.
_PROVIDER = (
    r"(?:gmail|googlemail|outlook|hotmail|live|yahoo|qq|vip[ .]?qq|163|126|139|icloud|proton(?:mail)?|foxmail|sina|aliyun|gmx)"
)
_LEFT, _RIGHT = r"[ ]{0,2}[\[({<【（]{1,2}[ ]?", r"[ ]?[\])}>】）]{1,2}[ ]{0,2}"
_POINT = rf"(?:{_LEFT}(?:[Dd][Oo][Tt]|\.|点|點){_RIGHT}|[ _-][Dd][Oo][Tt][ _-]|\.)"
# `lihua [at] example [dot] com`, `lihua AT example DOT com`, `lihua 艾特 example 点 com`
_EMAIL_HIDDEN = re.compile(
    rf"(?<![A-Za-z0-9._%+-])(?:[A-Za-z0-9._%+-]{{1,40}}{_POINT}){{0,3}}?[A-Za-z0-9._%+-]{{1,64}}(?:"
    rf"{_LEFT}(?:[Aa][Tt]|@|艾特){_RIGHT}|[ _-]AT[ _-]|[ ]?(?:艾特|圈a)[ ]?|[ ]at[ ](?={_PROVIDER}(?:[ .]|{_LEFT}))|"
    r"[ ]at[ ](?=[A-Za-z0-9.-]{3,255}>))"
    rf"[A-Za-z0-9-]{{1,63}}(?:{_POINT}[A-Za-z0-9-]{{1,63}}){{0,4}}?(?:{_POINT}|[ ]?[点點][ ]?)"
    r"(?P<last>[A-Za-z]{2,24})(?![A-Za-z0-9(]|\.[A-Za-z])"
)
# The part of it that is looked for first, and what stands in every text that holds one.
_AT_SIGN = re.compile(
    rf"[\[({{<【（][ ]?(?:[Aa][Tt]|@|艾特)[ ]?[\])}}>】）]|[ _-]AT[ _-]|艾特|圈a|[ ]at[ ](?:{_PROVIDER}(?:[ .]|{_LEFT})|"
    rf"[A-Za-z0-9-]{{1,63}}[.][^ ])"
)
_AT_SIGNS = (
    "[at",
    "(at",
    "{at",
    "<at",
    "【at",
    "（at",
    "[ at",
    "( at",
    "{ at",
    "@]",
    "@)",
    "@}",
    " at ",
    "_at_",
    "-at-",
    "艾特",
    "圈a",
)
_AROUND = 200
# `邮箱：lihua @ example.cn`, `my e-mail is lihua at example dot com`
_EMAIL_SAID = re.compile(
    r"(?:e-?mails?|mailbox|邮箱|郵箱|邮件|郵件|电邮|電郵)[^\n@]{0,24}?(?<![A-Za-z0-9._%+-])(?P<value>[A-Za-z0-9._%+-]{1,64}(?:"
    r"(?:[ ]dot[ ][A-Za-z0-9_-]{1,30}){0,3}[ ]at[ ][A-Za-z0-9-]{1,63}(?:[ ]dot[ ][A-Za-z0-9-]{1,63}){0,3}?[ ]dot[ ]|"
    r"[ ]{0,2}@[ ]{0,2}[A-Za-z0-9-]{1,63}(?:[ ]?\.[ ]?[A-Za-z0-9-]{1,63}){0,3}?[ ]?\.[ ]?)[A-Za-z]{2,24})(?![A-Za-z0-9])",
    re.I,
)
# `lihua#example.com`, where the text says what to replace
_EMAIL_REPLACED = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}[#＃*][A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,3}?\.[A-Za-z]{2,24}(?![A-Za-z0-9])"
)


def _hidden(text: str) -> Iterator[Redaction]:
    reached = 0
    folded = text.lower()
    if any(sign in folded for sign in _AT_SIGNS):
        for found in _AT_SIGN.finditer(text):
            for match in _EMAIL_HIDDEN.finditer(text, max(reached, found.start() - _AROUND), found.end() + _AROUND):
                if match["last"].lower() not in _NO_DOMAIN:
                    yield Redaction(match.start(), match.end(), "EMAIL")
            reached = max(reached, found.end())
    if ("mail" in folded or "邮" in text or "郵" in text) and (" at " in folded or " @" in text or "@ " in text):
        for match in _EMAIL_SAID.finditer(text):
            if " " in match["value"] and not match["value"].lower().startswith("xxx"):
                yield Redaction(*match.span("value"), "EMAIL")
    if re.search(r"[换換改替][^\n]{0,4}[@＠]|replace[^\n]{0,12}@", text):
        yield from (Redaction(*match.span(), "EMAIL") for match in _EMAIL_REPLACED.finditer(text))
