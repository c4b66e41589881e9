"""Secrets in the arguments of commands, in settings of the environment and in lists of arguments."""

import re
from collections.abc import Iterator

from .characters import QUOTE
from .placeholders import is_placeholder
from .randomness import has_letter_and_digit, is_hash, looks_random
from .spans import Label, Redaction

_BARE = r"(?P<value>[^\s\"'`]{3,256})"
_VALUE = rf"(?P<quote>{QUOTE})?(?P<value>(?(quote)(?:(?!(?P=quote))[^\n]){{3,256}}|[^\s\"'`]{{3,256}}))"
_LINE = r"[^\n|;&]{0,200}?"
_Command = tuple[tuple[bytes, ...], re.Pattern[str]]


def _command(literal: str, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> _Command:
    """Give a pattern and what stands in every text that it fits."""
    return (literal.encode(),), re.compile(pattern, flags)


def _option(programs: str, options: str, between: str = r"[ \t]") -> _Command:
    """Give the pattern of programs (their names or how these begin) that take a password behind an option (`-p`)."""
    names = "|".join(rf"{name}[\w-]*" for name in programs.split("|"))
    pattern = rf"(?<![\w.-])(?:{names})(?=[ \t]){_LINE}[ \t]-(?:{options}){between}{_VALUE}"
    return tuple(programs.encode().split(b"|")), re.compile(pattern)


_COMMANDS: tuple[_Command, ...] = (
    _option("mysql|mariadb", "p", ""),
    _option("redis-cli|keydb-cli", "a|-pass"),
    _option(
        "sshpass|docker login|podman login|mongo|twine|az login|nmcli|psexec|PsExec|PSEXEC|psexec64|PsExec64|cqlsh|ldapsearch",
        "p",
        r"[ \t]?",
    ),
    _option("ldap|sqlcmd|kadmin", "w", r"[ \t]?"),
    _option("rclone|mongo", "a"),
    _option("zip|unzip|sqlcmd|bcp|isql|mosquitto_|ipmitool", "P", r"[ \t]?"),
    _option("7z|rar|unrar", "h?p", ""),
    _option("plink|pscp|psftp|putty", "pw"),
    _option("snmp", "A|X"),
    _option("ssh-keygen", "N|P", r"[ \t]{1,2}"),
    _option("openssl", "k|K|pass|passin|passout", r"[ \t](?![\"']?(?:file|env|fd|stdin)(?![a-z]))(?:pass:)?"),
    _command("openssl passwd", rf"openssl passwd(?:[ ]-[\w]+){{0,4}}[ ](?!-){_VALUE}"),
    _command(
        "-U",
        rf"(?<![\w.-])(?:smbclient|rpcclient|net|wmic|smbget)(?=[ \t]){_LINE}[ \t]-U[ \t]?(?:{QUOTE})?[^\s%\"']{{1,64}}%{_BARE}",
    ),
    _command("lftp", rf"lftp(?=[ \t]){_LINE}[ \t]-u[ \t]?[^\s,]{{1,64}},{_BARE}"),
    _command("net use", rf"net use(?=[ \t])[^\n]{{0,120}}?/user:[^\s]{{1,64}}[ \t]{_VALUE}", re.I),
    _command("net use", rf"net use[ ](?:[A-Za-z*]:?[ ])?\\{{2,4}}[^\s\"]{{3,120}}[ ](?![/*]){_VALUE}", re.I),
    _command("net user", rf"(?<!\w)net user[ \t][\w.-]{{1,40}}[ \t](?!/){_VALUE}", re.I),
    _command(
        "htpasswd",
        rf"(?<![\w.-])htpasswd(?=[ \t])(?:[ \t]-[A-Za-z]{{1,6}})*?[ \t]-[a-zA-Z]*(?:b[a-zA-Z]*[ \t][^\n|;& ]{{1,120}}|nb)"
        rf"[ \t][^\s]{{1,64}}[ \t]{_VALUE}",
    ),
    # Handed on by `echo … |` or `<<< …`.
    _command(
        "|",
        rf"(?:echo|printf)[ \t](?:-[ne]{{1,2}}[ \t])?{_VALUE}(?:{QUOTE})?[ \t]*\|[ \t]*(?:sudo[ \t]+[^\n|;&]{{0,40}}?-S|"
        r"(?:wrangler|docker|podman|gh|fly|flyctl|vercel|nomad)[ ][^\n|;&]{0,24}?(?:secrets?[ ](?:create|put|set|import)|"
        r"env add|login)|passwd[ ]--stdin|"
        r"cryptsetup)",
    ),
    _command(
        "chpasswd",
        rf"echo[ \t](?:{QUOTE})?[\w.-]{{1,32}}:(?P<value>[^\s\"'`|]{{3,128}})(?:{QUOTE})?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd",
    ),
    _command("chpasswd", rf"chpasswd[ \t]*<<<[ \t]*(?:{QUOTE})?[\w.-]{{1,32}}:{_BARE}"),
    _command("<<<", rf"(?:sudo[ \t][^\n|;&]{{0,40}}?-S[^\n|;&<]{{0,40}}|kinit[ \t][^\n<]{{0,60}})<<<[ \t]?{_VALUE}"),
    # Behind a word instead of an option.
    _command("wpa_passphrase", rf"wpa_passphrase[ \t][^\s=]{{1,40}}[ \t]{_VALUE}"),
    _command("rabbitmqctl", rf"rabbitmqctl[ \t](?:add_user|change_password)[ \t][^\s]{{1,40}}[ \t]{_VALUE}"),
    _command("+login", rf"\+login[ \t](?!anonymous)[\w.@-]{{1,64}}[ \t](?!\+){_VALUE}"),
    _command("login", r"[\w-][ ]login[ ](?:--relogin[ ])?(?P<value>[0-9a-f]{40})(?![\w.-])"),
    _command(
        " -t ",
        r"[\w-][ ](?:auth|login)(?:[ ][a-z]{2,10})?[ ](?:[^\n|;&]{1,60}[ ])?-t[ ]"
        r"(?P<value>[0-9a-f]{40,128}|(?=\S*\d)[\w.-]{20,200})(?!\S)",
    ),
    _command("/RP", rf"schtasks(?=[ \t]){_LINE}[ \t]/RP[ \t]{_VALUE}", re.I),
    _command("winrs", rf"winrs(?=[ \t]){_LINE}[ \t]-p(?:assword)?:{_VALUE}"),
    _command("digest", rf"auth[ \t]digest[ \t](?:{QUOTE})?[\w.@-]{{1,64}}:{_BARE}"),
    _command("using", rf"(?<!\w)connect to[ ]\S{{1,40}}[ ]user[ ]\S{{1,40}}[ ]using[ ](?=\S*\d){_VALUE}", re.I),
    _command("SETUSER", rf"ACL SETUSER[ ][^\n]{{1,80}}?[ ]>{_BARE}"),
    _command("AUTH PLAIN", r"AUTH PLAIN (?P<value>[A-Za-z0-9+/]{12,}={0,2})(?![\w+/])"),
    _command("IDENTIFY", rf"(?<!\w)identify[ ](?:[\w-]{{1,32}}[ ])?(?!by|with){_VALUE}(?=\s|$)", re.I),
    _command(
        "LOGIN",
        rf"(?:^|[^\w.][ ]?)[A-Za-z]{{0,4}}\d{{1,5}}[ ]LOGIN[ ](?!OK|NO|BAD|failed|"
        rf"attempt)\S{{1,64}}[ ](?=\S*[\d\"]){_VALUE}",
        re.M,
    ),
    # The answer to "Password:" in the base64 of mail servers.
    _command("334 UGFzc3dvcmQ6", r"334 UGFzc3dvcmQ6[^\n]{0,8}\n[^\n]{0,24}?(?P<value>[A-Za-z0-9+/]{4,128}={0,2})(?=\s|$)"),
    # Of routers and switches; of a store's prompt; of a player.
    _command("isakmp", rf"isakmp key (?:[06] )?{_VALUE}"),
    _command("secret", rf"(?:enable|privilege \d+|username \S{{1,32}}) secret (?:[0-9] )?(?=\S*\d){_VALUE}"),
    _command("password", rf"(?:enable|privilege \d+|username \S{{1,32}}) password (?:[07] )(?=\S*\d){_VALUE}"),
    _command("community", rf"snmp-server community (?!strings?\b){_VALUE}"),
    _command("decryption_key", rf"decryption_key[ =]{_VALUE}"),
    _command("> ", rf"^\S{{0,40}}> (?:AUTH|auth) (?!module|service|server)(?:[\w-]{{1,24}} )?{_VALUE}$", re.M),
    _command("SecureString", rf"ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?{_VALUE}"),
    _command("assword", r"assword:?[^\n]{0,24}\n[^\n]{0,24}?send[ ](?:--[ ])?\"(?P<value>[^\"\\\n]{3,64})\\+[rn]"),
    _command("Key Content", rf"Key Content[ ]*:[ ]{_BARE}"),
    _command("pass:", rf"(?<!\w)pass:{_VALUE}"),
    _command("WIFI:", r"WIFI:(?=[^\n]{0,200};)(?:[^\n;]{0,80};){0,4}?P:(?P<value>(?:[^;\n\\]|\\.){3,128});"),
    _command("--auth", rf"(?<!\w)(?:-a|--auth)[ \t=](?:{QUOTE})?[\w.@-]{{1,64}}:{_BARE}"),
    _command(
        " -a ",
        rf"(?<![\w./-])(?:https?|xh|curlie)[ ](?:[^\n|;& ]{{1,80}}[ ]){{0,6}}?-a[ ]"
        rf"(?:{QUOTE})?[\w.@-]{{1,64}}:{_BARE}",
    ),
    _command("alias set", rf"(?<!\w)mc[ ]alias[ ]set[ ]\S{{1,40}}[ ]\S{{1,120}}[ ]\S{{1,64}}[ ]{_VALUE}"),
    _command("REPORTER_ID", r"REPORTER_ID[\"']?[ ]?[:=][ ]?[\"']?(?P<value>[0-9a-f]{64})(?!\w)"),
    _command("umb", r"[Cc]rumb[\"']?[ ]?[:=][ ]?[\"']?(?P<value>[0-9a-f]{32,64})(?!\w)"),
    # An account of Oracle: `scott/…@orcl`.
    _command(
        "/",
        rf"(?:sqlplus(?:[ ]-\w+)*[ ]|thin:|(?:imp|exp)(?:dp)?[ ]|"
        rf"rman target[ ])(?:{QUOTE})?[\w$#]{{1,32}}/(?P<value>[^\s\"'`/@]{{3,64}})@",
    ),
)
# A user, and behind it a password whatever the program: `-u ann … -p …`.
_USER_AND_PASSWORD = re.compile(
    rf"(?<![\w-])(?:-u|-U|-user|--user(?:name)?)[ =]\S{{1,64}}[^\n|;&]{{0,80}}?[ ]-(?:p|P|pw|w)[ ]?{_VALUE}"
)
# What a player or a member types into a chat: `/login …`, `/register … …`.
_TYPED = re.compile(
    r"^[/!.。](?:login|register|reg|auth|changepassword|bind|登录|注册|绑定)[ ](?:\S{1,32}[ ])?(?P<value>[!-~]{6,64})[ ]*$",
    re.I | re.M,
)
# A command that shows a secret; its answer stands alone in the next line.
_SHOWN = re.compile(
    r"(?:\.(?:password|token|secret)\}|secrets? versions access|(?<!\w)keys?[ -]list|list-keys|keys?[ -]show|"
    r"show-keys|get-login-password|get-secret-value|--with-decryption|vault (?:kv get|"
    r"read)[^\n]*-field=|"
    r"\b(?:op read|pass show|openssl rand|pwgen|apg|mkpasswd|wg genkey|wg genpsk)\b|(?:echo|printenv)[ ]\$?\{?\w*(?:PASS|"
    r"TOKEN|SECRET|PWD|API_?KEY)|"
    r"\bcat[ ][^\n|]*(?:passw|secret|token)|base64 (?:-d|--decode|-D))[^\n]{0,120}\n(?P<value>[!-~]{8,256})[ \t]*(?=\n|$)",
    re.I,
)
_SHOWING = (
    "base64 ", "op read", "pass show", "openssl rand", "pwgen", "apg", "wg gen", "mkpasswd", "printenv",
    "keys list", "key list", "list-keys", "key show", "keys show", "show-keys", "get-login",
    "echo $", "cat ", "secret", "vault ", ".password", ".token", "--with-decryption",
)  # fmt: skip
# `["--password", "…"]`
_ARGUMENT = re.compile(
    r"[\"']--?[\w-]{0,24}(?P<name>password|passwd|passphrase|pass|pwd|token|secret|api-?key|"
    r"key)[\"'],\s{0,4}[\"'](?P<value>[^\"'\n]{3,256})[\"']",
    re.I,
)
# `OPENWEATHER=…`: what stands alone beside a service's name and is drawn by lot is its key.
_SETTING = re.compile(
    r"(?<![\w?&;/.$-])(?:export[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{3,60})=(?P<quote>[\"']?)"
    r"(?P<value>[A-Za-z0-9_+/-]{20,200}={0,2})(?P=quote)(?=\s|$)"
)
_IDENTIFYING = re.compile(
    r"SHA|HASH|COMMIT|RELEASE|PARENT|HEAD|BASE|REV|REF|DIGEST|MD5|CHECKSUM|SUM|ETAG|VERSION|BUILD|TRACE|SPAN|CACHE|TAG|"
    r"IMAGE|UUID|GUID|(?:^|_)ID|PUBLIC|NONCE|MODEL|FILE|PATH|NAME"
)


_TYPED_WORDS = tuple(
    mark + word for mark in "/!.。" for word in ("login", "reg", "auth", "changepassword", "bind", "登录", "注册", "绑定")
)


def find_in_commands(text: str) -> Iterator[Redaction]:
    folded = text.lower()
    plain = text.encode("ascii", "ignore")  # bytes are searched faster
    for literals, pattern in _COMMANDS:
        if any(literal in plain for literal in literals):
            for match in pattern.finditer(text):
                if not is_placeholder(match["value"]) and not re.fullmatch(r"\d{1,5}", match["value"]):
                    yield Redaction(*match.span("value"), "PASSWORD")
    if "-u" in text or "-U" in text:
        for match in _USER_AND_PASSWORD.finditer(text):
            if _is_password(match["value"]):
                yield Redaction(*match.span("value"), "PASSWORD")
    if any(word in folded for word in _TYPED_WORDS):
        for match in _TYPED.finditer(text):
            if _is_password(match["value"]):
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
    if "\n" in text and any(word in folded for word in _SHOWING):
        for match in _SHOWN.finditer(text):
            if has_letter_and_digit(match["value"]) and not is_placeholder(match["value"]) and not is_hash(match["value"]):
                yield Redaction(*match.span("value"), "PASSWORD")
    if "=" in text:
        for match in _SETTING.finditer(text):
            value = match["value"].rstrip("=")
            if not _IDENTIFYING.search(match["name"]) and ((is_hash(value) and "-" not in value) or looks_random(value, 20)):
                yield Redaction(*match.span("value"), "API_KEY")


def _is_password(written: str) -> bool:
    return (
        has_letter_and_digit(written)
        and not is_placeholder(written)
        and not re.search(r"://|^\d+[:/]|^[./~]|=|\.[a-z]{2,4}$", written)
    )
