"""Passwords beside an account or a network, as people write the two: `root / …`, `SSID: … Key: …`, `log in with ann and …`."""

import re
from collections.abc import Iterator

from .spans import Redaction
from .told_values import is_plain_name, is_strong, is_told_password, password_spans, span_of_value, spans_of

# `mm：lily1990x`, `账号 ann 密 lily1990x`
_SHORT_CHINESE_NAME = re.compile(
    r"(?:(?<![A-Za-z])mm(?:[:：]|是|为)|(?:号|名|邮箱)[^\n密]{0,40}?(?:密(?:[:：]|是)?|[ ]mm(?=[ ])))[ ]?(?P<value>[!-~]{6,64})",
    re.I,
)
# `SSID: den Key: maple77otter`, `u: ann p: maple77otter`
_ABBREVIATED = re.compile(
    r"(?:(?:ssid|wi-?fi|网络|无线|热点|路由)[^\n]{0,40}\s{0,2}(?:(?<![a-z])(?:key|pw|pass)|密钥|秘钥)|"
    r"(?<![a-z])u(?:ser)?[ ]?[:=][ ]?[!-~]{2,40}[ ,;/]{1,3}p|"
    r"(?<![a-z])un?[ ]?[:=][ ]?[!-~]{2,40}[ ,;/]{1,3}pw)"
    r"[ ]?[:：=][ ]?(?P<value>[!-~]{5,64})(?![!-~])",
    re.I,
)
# `the wifi at the office is correct-horse-battery`: several words in one are a password where a network is.
_NETWORK_PHRASE = re.compile(
    r"(?<![a-z])(?:wi-?fi|wlan|hotspot|ssid)[^\n:：=]{0,40}?(?:[ ]is|[:：=]|是)[ ]?"
    r"(?P<value>[A-Za-z]{3,12}(?:-[A-Za-z0-9]{2,12}){2,6})"
    r"(?![\w./-])",
    re.I,
)
# `wifi密码 44719023`
_WIFI = re.compile(r"(?:wi-?fi|无线|wlan)[ ]?(?:密码|pw)?[:：]?[ ]?(?P<value>\d{8,12})(?![\w.-]|[ ]{1,2}[台个人次户元条])", re.I)
# `redis 里先 auth maple77otter`
_REDIS = re.compile(r"redis[^\n]{0,40}?(?<![a-z])auth[ ](?P<value>[!-~]{6,128})", re.I)
# `root / maple77otter`, `admin: Maple_77otter`
_ADMINISTRATOR = re.compile(
    r"(?<![\w/.@-])(?:root|admin|administrator|sa|postgres|ubuntu|pi)(?P<link>[ ]?[/／][ ]?|[ ]{1,2}|:|,[ ])"
    r"(?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
# `log in with ann and maple77otter`
_LOGGED_IN = re.compile(
    r"(?<![a-z])(?:log(?:ged)?|sign(?:ed)?)[ -]?(?:in|on)[ ](?:with|as|using)[ ](?P<account>[!-.0-~]{2,64})[ ]?(?:and|with|"
    r"using|/|\+|,|;)[ ]?"
    r"(?:password[ ]|pw[ ]|pass[ ])?(?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
# `ann / Maple_77otter 是测试账号`
_ACCOUNT_AFTER = re.compile(
    r"(?<![!-~])(?P<account>[!-.0-~]{3,32})[ ]?[/／][ ]?(?P<value>[!-~]{6,64})[ ]?(?:是|为|这个|[(（])[^\n，。]{0,6}(?:账号|帐号|"
    r"账户|登录)"
)
# `我：nacos / nacos_Bd2024`, a line of its own; that it is an account some line around it says.
_PAIR = re.compile(
    r"^(?:[^\n:：]{1,24}[:：]|[-*•>][ ])?[ ]?(?P<account>[A-Za-z][\w.@-]{1,40})[ ]{1,2}[/／|][ ]{1,2}(?P<value>[!-~]{6,64})[ ]*$",
    re.M,
)
_PAIR_NAMES = re.compile(r"密码|口令|账号|帐号|账户|登录|登陆|控制台|后台|password|passwd|login|log in|account|cred|console")
_PAIR_REACH = 120
# `login: ann@example.org / Maple_77otter`
_ACCOUNT = re.compile(
    r"(?:登录?|登陆|登下|管理员|账密|wi-?fi|ssid|账号|帐号|账户|"
    r"(?<!型)号|(?<![a-z])(?:login|log in|sign in|account|creds?|credentials|"
    r"user(?:name)?))"
    r"[^\n/／]{0,40}?(?<![!-~])(?P<account>[!-.0-~]{3,64})[ ]?[/／][ ]?(?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
LOGIN_WORDS = ("log in", "login", "log-in", "log on", "logon", "logged", "sign in", "sign-in", "sign on")
NETWORK_WORDS = ("ssid", "wifi", "wi-fi", "wlan")
_ABBREVIATIONS = (*NETWORK_WORDS, "网络", "无线", " p:", " p=", " p =", "pw:", "pw=")


def find_told_accounts(text: str, folded: str) -> Iterator[Redaction]:
    if "密" in text or "mm" in folded:
        yield from password_spans(_SHORT_CHINESE_NAME, text)
    if any(word in folded for word in _ABBREVIATIONS):
        yield from password_spans(_ABBREVIATED, text)
        if "pass" in folded or "密码" in text or "pw" in folded:
            yield from spans_of(_NETWORK_PHRASE, text)
        yield from spans_of(_WIFI, text)
    if "redis" in folded:
        yield from password_spans(_REDIS, text)
    for found in _ADMINISTRATOR.finditer(text):
        slash = found["link"].strip() in ("/", "／")
        if is_told_password(found["value"], "") and (slash or is_strong(found["value"])) and not is_plain_name(found["value"]):
            yield span_of_value(found)
    if any(word in folded for word in LOGIN_WORDS):
        yield from password_spans(_LOGGED_IN, text)
    if ("/" in text or "／" in text) and ("号" in text or "账户" in text or "登录" in text):
        for found in _ACCOUNT_AFTER.finditer(text):
            if is_told_password(found["value"], "") and not is_plain_name(found["value"]) and "://" not in found["account"]:
                yield span_of_value(found)
    if " / " in text or " | " in text or " ／ " in text:
        for found in _PAIR.finditer(text):
            told = _PAIR_NAMES.search(folded, max(0, found.start() - _PAIR_REACH), found.end() + _PAIR_REACH)
            if told and is_told_password(found["value"], "") and not is_plain_name(found["value"]):
                yield span_of_value(found)
    if "/" in text or "／" in text:
        for found in _ACCOUNT.finditer(text):
            if is_told_password(found["value"], "") and not is_plain_name(found["value"]) and "://" not in found["account"]:
                yield span_of_value(found)
