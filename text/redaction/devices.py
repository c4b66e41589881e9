"""Secrets in the configurations of routers, switches and firewalls."""

import re
from collections.abc import Iterator

from .placeholders import is_placeholder
from .spans import Redaction

_VALUE = r"(?P<mark>[\"']?)(?P<value>[^\s\"';]{3,256})(?P=mark)"
_NAMES = (
    r"(?:password|passwd|secret|community|psksecret|pre-shared-key|passphrase|key-string|key|md5|sha|authentication-key|"
    r"encrypted-password|auth-password|priv-password|hello-password|wpa-psk|private-key)"
)
_PATTERNS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    # `password 7 …`, `pac key 0 …`, `md5 6 …`: the figure says how what follows is hidden.
    (
        (" 0 ", " 5 ", " 6 ", " 7 ", " 8 ", " 9 "),
        re.compile(
            r"(?<![\w-])(?:(?:pac|server|tacacs(?:-server)?|radius(?:-server)?|isakmp|chap|pap|enable|ascii|hex|"
            rf"message-digest-key|username|neighbor|host|line|standby|vrrp|ntp|wpa)[ ][^\n;]{{0,80}}?)?{_NAMES}(?: ascii| hex)?"
            r"[ ](?:0[ ](?=\S{4,}[ ]*$)|7[ ](?=[0-9A-Fa-f]{6,}(?:[ ]|$))|[5689][ ](?=\S{12,}))" + _VALUE,
            re.M,
        ),
    ),
    # `key 1 md5 …`, `tacacs-server key …`, `ppp chap password …`, `vtp password …`
    (
        (
            "tacacs",
            "radius",
            "message-digest",
            "authentication-key",
            "vtp ",
            "chap ",
            "pap ",
            "key-string",
            "pac key",
            "server-key",
        ),
        re.compile(
            r"^[ \t]*(?:no[ ])?(?:(?:ip|ipv6|ppp|ntp|vtp|standby \d{1,3}|aaa|"
            r"tacacs(?:-server)?|radius(?:-server)?)[ ]"
            r"[^\n;]{0,80}?)?(?:server-key|pac key|key-string|vtp password|(?:chap|pap)[^\n]{0,40}? password|"
            r"(?:tacacs|radius)[\w .:-]{0,60}? key|"
            r"message-digest-key \d{1,3} md5|authentication-key \d{1,5} md5)[ ](?:[0-9][ ])?(?!(?:chain|trusted|type)\b)"
            r"(?=\S*\d|\S+[ \t]*$)" + _VALUE,
            re.M,
        ),
    ),
    # Juniper, Fortinet, Huawei, Arista.
    (
        ("cipher ", "ENC ", "ascii-text", "simple ", "encrypted", "hexadecimal"),
        re.compile(
            rf"(?<![\w-]){_NAMES}[ ](?:ENC|cipher|irreversible-cipher|simple|ascii-text|hexadecimal|encrypted|plain-text)[ ]"
            r"(?=\S*[\d$%!#@^])" + _VALUE
        ),
    ),
    (
        ("$9$", "$8$", "$14$"),
        re.compile(r"(?<![\w$])(?P<value>\$(?:8|9|14)\$[^\s\"';]{8,200})"),
    ),
    (
        ("set pass", "set psk", "set auth-p", "set priv-p", "set secret"),
        re.compile(
            r"^[ \t]*set (?:password|passwd|passphrase|psksecret|auth-pwd|priv-pwd|secret)[ ]"
            rf"(?:ENC[ ])?(?=[\"']|\S*\d){_VALUE}[ \t]*$",
            re.M,
        ),
    ),
    (
        ("snmp",),
        re.compile(
            r"snmp-server host [\w.:-]{3,80}"
            r"(?: (?:traps|informs|version \w{1,3}|auth|noauth|priv|vrf \S{1,30})){0,5}[ ](?!traps|informs|version|vrf)" + _VALUE
        ),
    ),
    (
        ("snmp",),
        re.compile(
            r"(?<=[ ])(?:auth(?:entication)?(?:-mode)?[ ](?:md5|sha\d{0,3})|"
            rf"priv(?:acy)?(?:[ ]aes|[ ]des|[ ]3des)?(?:[ ]\d{{3}})?)[ ](?=[^\s\d]{{0,40}}\d)(?=\S{{8}}){_VALUE}",
            re.I,
        ),
    ),
    (("rocommunity", "rwcommunity"), re.compile(rf"^[ \t]*r[ow]community6?[ ]{_VALUE}", re.M)),
    # The answer to a seal.
    (
        ("unseal ",),
        re.compile(
            r"operator (?:unseal|rekey|generate-root)(?:[ ]-[\w-]{1,20}(?:=\S{1,80})?){0,4}[ ]"
            r"(?P<value>[A-Za-z0-9+/]{32,90}={0,2})(?!\S)"
        ),
    ),
    (
        ("vault login", "vault unwrap", "vault token"),
        re.compile(
            r"vault (?:login|unwrap|token (?:lookup|revoke|renew))(?:[ ]-[\w-]{1,20}(?:=\S{1,80})?){0,4}[ ](?!-)(?:token=)?"
            r"(?P<value>(?=\S*\d)[\w.-]{16,200})"
        ),
    ),
)


def find_in_device_settings(text: str) -> Iterator[Redaction]:
    for literals, pattern in _PATTERNS:
        if any(literal in text for literal in literals):
            for match in pattern.finditer(text):
                if not is_placeholder(match["value"]):
                    yield Redaction(*match.span("value"), "PASSWORD")
