"""Secrets in the arguments of commands, in settings of the environment and in lists of arguments."""

import re
from collections.abc import Iterator

from .plausibility import is_placeholder
from .randomness import has_letter_and_digit, is_hash, looks_random
from .spans import Label, Redaction

_QUOTE = r"\\{0,4}[\"'`]"
_VALUE = rf"(?P<quote>{_QUOTE})?(?P<value>(?(quote)(?:(?!(?P=quote))[^\n]){{3,256}}|[^\s\"'`]{{3,256}}))"
_BEFORE = r"(?<![\w.-])"
_LINE = r"[^\n|;&]{0,200}?"
# Options by which programs take a password.
_COMMANDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("mysql", re.compile(rf"{_BEFORE}mysql(?:dump|admin|import|check|sh)?(?=[ \t]){_LINE}[ \t]-p{_VALUE}")),
    ("mariadb", re.compile(rf"{_BEFORE}mariadb(?:-\w+)?(?=[ \t]){_LINE}[ \t]-p{_VALUE}")),
    ("redis-cli", re.compile(rf"{_BEFORE}redis-cli(?=[ \t]){_LINE}[ \t](?:-a|--pass)[ \t]{_VALUE}")),
    (
        "-p",
        re.compile(
            rf"{_BEFORE}(?:sshpass|docker login|podman login|mongo(?:sh|dump|restore)?|twine|ldapsearch|az login|"
            rf"sqlcmd|nmcli|rclone)"
            rf"(?=[ \t]){_LINE}[ \t]-(?:p|a|w)[ \t]?{_VALUE}"
        ),
    ),
    ("-w", re.compile(rf"{_BEFORE}ldap(?:search|modify|add|whoami)(?=[ \t]){_LINE}[ \t]-w[ \t]?{_VALUE}")),
    ("-P", re.compile(rf"{_BEFORE}(?:un)?zip(?=[ \t]){_LINE}[ \t]-P[ \t]?{_VALUE}")),
    ("-P", re.compile(rf"{_BEFORE}(?:sqlcmd|bcp|isql)(?=[ \t]){_LINE}[ \t]-P[ \t]?{_VALUE}")),
    ("-p", re.compile(rf"{_BEFORE}(?:7z[ar]?|(?:un)?rar)(?=[ \t]){_LINE}[ \t]-h?p{_VALUE}")),
    ("ssh-keygen", re.compile(rf"{_BEFORE}ssh-keygen(?=[ \t]){_LINE}[ \t]-[NP][ \t]{{1,2}}{_VALUE}")),
    (
        "-U",
        re.compile(
            rf"{_BEFORE}(?:smbclient|rpcclient|net|wmic|"
            rf"smbget)(?=[ \t]){_LINE}[ \t]-U[ \t]?(?:{_QUOTE})?[^\s%\"']{{1,64}}%(?P<value>[^\s\"'`]{{3,256}})"
        ),
    ),
    ("net use", re.compile(rf"net use(?=[ \t])[^\n]{{0,120}}?/user:[^\s]{{1,64}}[ \t]{_VALUE}", re.I)),
    (
        "htpasswd",
        re.compile(
            rf"{_BEFORE}htpasswd(?=[ \t])(?:[ \t]-[A-Za-z]{{1,6}})*?[ \t]-[a-zA-Z]*b[a-zA-Z]*[ \t][^\n|"
            rf";& ]{{1,120}}[ \t][^\s]{{1,64}}[ \t]{_VALUE}"
        ),
    ),
    (
        "sudo",
        re.compile(
            rf"echo[ \t](?:-[ne]{{1,2}}[ \t])?(?:{_QUOTE})?(?P<value>[^\s\"'`|"
            rf"]{{3,128}})(?:{_QUOTE})?[ \t]*\|[ \t]*sudo[ \t]+[^\n|;&]{{0,40}}?-S"
        ),
    ),
    (
        "chpasswd",
        re.compile(
            rf"echo[ \t](?:{_QUOTE})?[\w.-]{{1,32}}:(?P<value>[^\s\"'`|"
            rf"]{{3,128}})(?:{_QUOTE})?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd"
        ),
    ),
    ("<<<", re.compile(rf"sudo[ \t][^\n|;&]{{0,40}}?-S[^\n|;&<]{{0,40}}<<<[ \t]?{_VALUE}")),
    ("wpa_passphrase", re.compile(rf"wpa_passphrase[ \t][^\s=]{{1,40}}[ \t]{_VALUE}")),
    ("rabbitmqctl", re.compile(rf"rabbitmqctl[ \t](?:add_user|change_password)[ \t][^\s]{{1,40}}[ \t]{_VALUE}")),
    ("mosquitto", re.compile(rf"{_BEFORE}mosquitto_(?:pub|sub)(?=[ \t]){_LINE}[ \t]-P[ \t]{_VALUE}")),
    ("login", re.compile(r"[\w-][ ]login[ ](?:--relogin[ ])?(?P<value>[0-9a-f]{40})(?![\w.-])")),
    ("digest", re.compile(rf"auth[ \t]digest[ \t](?:{_QUOTE})?[\w.@-]{{1,64}}:(?P<value>[^\s\"'`]{{3,256}})")),
    ("net user", re.compile(rf"(?<!\w)net user[ \t][\w.-]{{1,40}}[ \t](?!/){_VALUE}", re.I)),
    ("openssl", re.compile(rf"{_BEFORE}openssl(?=[ \t]){_LINE}[ \t]-(?:k|K|pass|passin|passout)[ \t](?:pass:)?{_VALUE}")),
    ("SecureString", re.compile(rf"ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?{_VALUE}")),
    ("pass:", re.compile(rf"(?<!\w)pass:{_VALUE}")),
    ("WIFI:", re.compile(r"WIFI:(?=[^\n]{0,200};)(?:[^\n;]{0,80};){0,4}?P:(?P<value>(?:[^;\n\\]|\\.){3,128});")),
    ("--auth", re.compile(rf"(?<!\w)(?:-a|--auth)[ \t=](?:{_QUOTE})?[\w.@-]{{1,64}}:(?P<value>[^\s\"'`]{{3,256}})")),
)
# A command that shows a secret; its answer stands alone in the next line.
_SHOWN = re.compile(
    r"(?:\.(?:password|token|secret)|secrets? versions access|get-secret-value|--with-decryption|vault (?:kv get|read)[^\n]*-field=|"
    r"\b(?:op read|pass show|openssl rand|pwgen|apg|mkpasswd)\b|(?:echo|printenv)[ ]\$?\{?\w*(?:PASS|TOKEN|SECRET|PWD|API_?KEY)|"
    r"\bcat[ ][^\n|]*(?:passw|secret|token)|base64 (?:-d|--decode|-D))[^\n]{0,120}\n(?P<value>[!-~]{8,256})[ \t]*(?=\n|$)",
    re.I,
)
_SHOWING = (
    "base64 ", "op read", "pass show", "openssl rand", "pwgen", "apg", "mkpasswd", "printenv", "echo $", "cat ", "secret", "vault ",
    ".password", ".token", "--with-decryption",
)  # fmt: skip
# `["--password", "…"]`
_ARGUMENT = re.compile(
    r"[\"']--?[\w-]{0,24}(?P<name>password|passwd|passphrase|pass|pwd|token|secret|api-?key|key)[\"'],\s{0,4}[\"'](?P<value>[^\"'\n]{3,256})[\"']",
    re.I,
)
# `OPENWEATHER=…`: what stands alone beside a service's name and is drawn by lot is its key.
_SETTING = re.compile(
    r"(?<![\w?&;/.$-])(?:export[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{3,60})=(?P<quote>[\"']?)"
    r"(?P<value>[A-Za-z0-9_+/-]{20,200}={0,2})(?P=quote)(?=\s|$)"
)
_IDENTIFYING = re.compile(
    r"SHA|HASH|COMMIT|REV|REF|DIGEST|MD5|CHECKSUM|SUM|ETAG|VERSION|BUILD|TRACE|SPAN|CACHE|TAG|IMAGE|UUID|GUID|(?:^|_)ID|PUBLIC|NONCE|MODEL|FILE|PATH|NAME"
)


def find_in_commands(text: str) -> Iterator[Redaction]:
    for literal, pattern in _COMMANDS:
        if literal in text:
            for match in pattern.finditer(text):
                if not is_placeholder(match["value"]) and not re.fullmatch(r"\d{1,5}", match["value"]):
                    yield Redaction(*match.span("value"), "PASSWORD")
    if "--" in text or '"-' in text:
        for match in _ARGUMENT.finditer(text):
            name = match["name"].lower()
            label: Label = "PASSWORD" if name.startswith(("pass", "pwd")) else "TOKEN" if name == "token" else "SECRET"
            if (
                not is_placeholder(match["value"])
                and not match["value"].startswith("-")
                and (name != "key" or len(match["value"]) >= 16)
            ):
                yield Redaction(*match.span("value"), label)
    folded = text.lower()
    if "\n" in text and any(word in folded for word in _SHOWING):
        for match in _SHOWN.finditer(text):
            if has_letter_and_digit(match["value"]) and not is_placeholder(match["value"]) and not is_hash(match["value"]):
                yield Redaction(*match.span("value"), "PASSWORD")
    if "=" in text:
        for match in _SETTING.finditer(text):
            value = match["value"].rstrip("=")
            if not _IDENTIFYING.search(match["name"]) and ((is_hash(value) and "-" not in value) or looks_random(value, 20)):
                yield Redaction(*match.span("value"), "API_KEY")
