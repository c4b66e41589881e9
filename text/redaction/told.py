"""Passwords as people tell them to each other: some words behind their name, beside an account, without any sign.

`named_values` knows what configuration files and programs write. In a chat the words in between are the sentence's own
(`门禁密码改了，现在是…`, `the root password on the pi is …`), so here the value itself must look like a password: letters
and figures, or a lone number where a code is spoken of.
"""

import re
from collections.abc import Iterator
from itertools import chain

from .characters import HAN
from .placeholders import is_placeholder
from .plausible_passwords import is_password_in_talk
from .secret_names import folded_case
from .spans import Redaction
from .stretches import stretches

_VALUE = r"(?P<value>[!-~]{4,64})(?![!-~])"
_OPENING = r"[「『“\"'‘`（(]?"
_CODE_NAMES = (
    r"(?:(?:door|lobby|hallway|laundry|gym|stairwell|reception|mailroom|bike lock|gate|alarm|burglar alarm|entrance|"
    r"front door|back door|key safe|parking|shed|entry|access|safe|lock|"
    r"garage|lock ?box|key ?pad|key|building|apartment|lift|elevator|pool|bike|"
    r"padlock|"
    r"locker|unlock|screen|phone|disarm|dumpster|bin store|storage|unit|mailbox)[ ]code|key ?pad|code to (?:get in|enter|"
    r"open|unlock)|"
    r"(?<!zip )(?<!post )(?<!postal )(?<!area )(?<!dress )(?<!country )code (?:for|to|on|of) (?:the|our|"
    r"my) [a-z ]{0,20}(?:lobby|hallway|gym|dumpster|stairwell|entry|bike|gate|door|"
    r"lock|garage|alarm|building|safe|pool|box|entrance|lobby|shed|flat|house|unit|locker))"
)
_NAME = r"(?:密码|密碼|口令|password|passcode|passphrase|passwd|(?<![a-z])(?:pwd|pass|pin|pw)(?![a-z]))"
_CHINESE = re.compile(
    rf"(?:密码|密碼|口令|暗号)(?!管理|保护|强度|算法|学|本|错误|不对|长度)(?P<words>[{HAN}，,？? ]{{0,16}}?)"
    rf"(?P<link>[:：][ ]?|(?<=[是为叫成的个用这输填到回认一])[ ]?|[，, ]|){_OPENING}(?P<value>[!-~]{{4,64}}?)(?=[」』”’）]|"
    rf"[^!-~]|$)"
)
_ENGLISH, _ENGLISH_CODE = (
    re.compile(
        rf"(?<![a-z])(?P<name>{names})"
        r"(?:(?P<own>['’]s[ ])|(?P<comma>,[ ])|(?P<colon>(?:[ ][a-z0-9.'+&-]{1,16}){1,6}[ ]?:[ ])|"
        r"(?P<words>(?:[ ][a-z0-9.'-]{1,16}){0,6}[ ](?:is|was|be|"
        r"(?:changed|set|reset|updated|switched)[ ]to)[ :]{1,2}))"
        rf"(?P<open>[\"'“‘`]?){_VALUE}",
    )
    for names in ("password|passcode|passphrase|pwd|pw|pass|pin", rf"{_CODE_NAMES}|combination")
)
_ENTERED = re.compile(
    r"(?<![a-z])(?:enter|use|type|try|press|punch in|with)[ ](?P<value>[!-~]{4,64})[ ](?:as|for)[ ](?:the[ ]|your[ ]|my[ ])?"
    r"(?P<name>pin|password|passcode|code)(?=[ ]*(?:[.,!?;)]|$)|[ ](?:on|at|to|when|and)\b)",
    re.I,
)
# `type … at the password prompt`, `when it asks for the passphrase, use …`
_TYPED_IN = re.compile(
    r"(?:(?<![a-z])(?:type|use|try|enter|using|with|worked|paste|put)[ ]|(?:输入?|用|填|敲)[ ]?)[\"'“‘`「]?"
    r"(?P<value>[!-~]{6,64}?)"
    r"(?=[\"'”’`」]?(?:[^!-~]|$|[,;.!](?:\s|$)))",
    re.I,
)
_SECOND = re.compile(
    rf"{_NAME}[^\n]{{1,40}}?[，,;；、][ ]?(?:新|旧|老|现在|后来|备用|另一个)的?(?:密码)?(?:是|为|[:：])?[ ]?"
    r"(?P<value>[!-~]{4,64})",
    re.I,
)
# Both at once: `旧的 … 作废，新的 …`, `the old password … the new one is …`, `from … to …`.
_OLD_AND_NEW = re.compile(
    r"(?:(?:旧|老|新|原|之前|以前|原来|现在|目前|换成|改成|改为|换为|从|由|改用|现用|应该|正确|其实)(?:的|了|密码|口令|用的?|是|为|改成|换成|叫){0,3}"
    r"|(?<![a-z])(?:old|new|previous|former|current|from|to|now|it['’]s now)(?:[ ](?:one|password|pass|pw|is|was|it|use)){0,3})"
    r"[ ]?[:：=]?[ ]?[「“\"'‘`]?(?P<value>[!-~]{6,64}?)(?=[」”\"'’`]?(?:[^!-~]|$|[,;.!](?:\s|$)))",
)
# `temp password for ann → …`, `密码 👉 …`, `password — …`
_ARROW = re.compile(
    rf"{_NAME}(?:[ ]?[（(][^\n()（）]{{1,24}}[)）]|(?:[ ][\w.@'’-]{{1,20}}){{1,5}})?"
    r"(?:[ ]?(?:-{1,8}>|→|=>|–|—{1,2}|➡️?|👉|⇒|~|～|\\?\||-{2,8}|;)[ ]?|[ ](?:-|>)[ ])"
    r"[\"'“「`*_]{0,3}(?P<value>[!-~]{6,64}?)(?=[\"'”」`*_]{0,3}(?:[^!-~]|$|[,;.!)](?:\s|$)))",
    re.I,
)
_BRACKETED = re.compile(
    rf"{_NAME}(?:是|为|[ ]is)?[ ]?[:：=]?[ ]?[<\[《〈【{{]{{1,2}}[ ]?(?P<value>[A-Za-z0-9!@#$%^&*_.+-]{{6,40}})[ ]?[>\]》〉】}}]",
    re.I,
)
_SHORT_CHINESE_NAME = re.compile(
    r"(?:(?<![A-Za-z])mm(?:[:：]|是|为)|(?:号|名|邮箱)[^\n密]{0,40}?(?:密(?:[:：]|是)?|[ ]mm(?=[ ])))[ ]?(?P<value>[!-~]{6,64})",
    re.I,
)
_GLUED = re.compile(r"(?<![A-Za-z0-9_])(?:pwd|psw)(?P<value>[a-z]{2,}\d[a-z0-9]{4,32})(?![!-~])")
# An account and its password side by side: `root/…`, `login: ann@example.org / …`, `登录 admin …`.
_ADMINISTRATOR = re.compile(
    r"(?<![\w/.@-])(?:root|admin|administrator|sa|postgres|ubuntu|pi)(?P<link>[ ]?[/／][ ]?|[ ]{1,2}|:|,[ ])"
    r"(?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
_ACCOUNT = re.compile(
    r"(?:登录?|登陆|登下|管理员|账密|wi-?fi|ssid|账号|帐号|账户|号|(?<![a-z])(?:login|log in|sign in|account|creds?|credentials|"
    r"user(?:name)?))"
    r"[^\n/／]{0,40}?(?<![!-~])(?P<account>[!-.0-~]{3,64})[ ]?[/／][ ]?(?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
# Mail providers give out sixteen small letters as the password of a program.
_MAIL_CODE = re.compile(
    r"(?:授权码|授權碼|app password|auth[ _-]?code)[^\n]{0,24}?"
    r"(?<![a-z])(?P<value>[a-z]{16}|(?:[a-z]{4}[ ]){3}[a-z]{4})(?![a-z])",
    re.I,
)
_REDIS = re.compile(r"redis[^\n]{0,40}?(?<![a-z])auth[ ](?P<value>[!-~]{6,128})", re.I)
_COMBINATION = re.compile(
    r"comb(?:o|ination)(?:[a-z ]{0,16}(?:is|to|was)|[ ]?[:=]|)[ ](?P<value>\d{1,2}(?:-\d{1,2}){2,3})(?![\d-])", re.I
)
_TURNED = re.compile(
    r"(?:密码|保险|密码锁)[^\n]{0,16}?(?P<value>[左右][转边]?[ ]?\d{1,2}(?:[，, ]?[左右][转边]?[ ]?\d{1,2}){2,4})"
)
_WIFI = re.compile(r"(?:wi-?fi|无线|wlan)[ ]?(?:密码|pw)?[:：]?[ ]?(?P<value>\d{8,12})(?![\w.-]|[ ]{1,2}[台个人次户元条])", re.I)
# `SSID: … Key: …`, `u: … p: …`
_ABBREVIATED = re.compile(
    r"(?:(?:ssid|wi-?fi|网络|无线|热点|路由)[^\n]{0,40}\s{0,2}(?:(?<![a-z])(?:key|pw|pass)|密钥|秘钥)|"
    r"(?<![a-z])u(?:ser)?[ ]?[:=][ ]?[!-~]{2,40}[ ,;/]{1,3}p|"
    r"(?<![a-z])un?[ ]?[:=][ ]?[!-~]{2,40}[ ,;/]{1,3}pw)"
    r"[ ]?[:：=][ ]?(?P<value>[!-~]{5,64})(?![!-~])",
    re.I,
)
# `log in with ann and …`
_LOGGED_IN = re.compile(
    r"(?<![a-z])(?:log(?:ged)?|sign(?:ed)?)[ -]?(?:in|on)[ ](?:with|as|using)[ ](?P<account>[!-.0-~]{2,64})[ ]?(?:and|with|"
    r"using|/|\+|,|;)[ ]?"
    r"(?:password[ ]|pw[ ]|pass[ ])?(?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
_ACCOUNT_AFTER = re.compile(
    r"(?<![!-~])(?P<account>[!-.0-~]{3,32})[ ]?[/／][ ]?(?P<value>[!-~]{6,64})[ ]?(?:是|为|这个|[(（])[^\n，。]{0,6}(?:账号|帐号|"
    r"账户|登录)"
)
# `我：nacos / nacos_Bd2024`, a line of its own; that it is an account some line around it says.
_PAIR = re.compile(
    r"^(?:[^\n:：]{1,24}[:：]|[-*•>][ ])?[ ]?(?P<account>[A-Za-z][\w.@-]{1,40})[ ]{1,2}[/／|][ ]{1,2}(?P<value>[!-~]{6,64})[ ]*$",
    re.M,
)
_TWO_WORDS = re.compile(r"[A-Za-z]{3,16}[@#$!%^&*+]{1,3}[A-Za-z]{3,16}[!?~]?")
_PAIR_NAMES = re.compile(r"密码|口令|账号|帐号|账户|登录|登陆|控制台|后台|password|passwd|login|log in|account|cred|console")
_PAIR_REACH = 120
# `the wifi at the office is correct-horse-battery`: several words in one are a password where a network is.
_NETWORK_PHRASE = re.compile(
    r"(?<![a-z])(?:wi-?fi|wlan|hotspot|ssid)[^\n:：=]{0,40}?(?:[ ]is|[:：=]|是)[ ]?"
    r"(?P<value>[A-Za-z]{3,12}(?:-[A-Za-z0-9]{2,12}){2,6})"
    r"(?![\w./-])",
    re.I,
)
_LOCK = re.compile(r"(?:密码|门锁|门禁|锁)[^\n#]{0,16}?(?<![\w#])(?P<value>#?\d{4,10}#)(?![\w#])")
# Figures right behind the password of a thing that only figures open.
_FIGURES = re.compile(
    r"(?:保险[柜箱]|行李箱|警报器?|报警器?|安防|布防|撤防|智能锁|密码锁|储物柜|寄存柜|单元|楼下|楼道|箱子?|门锁?|门禁|锁屏?|柜子?|取款|支付|解锁|开机|手机|平板|房间|车库|仓库|抽屉|"
    r"银行卡)的?密码[ ]?(?P<value>\d{3,8})(?![\w.:/-]|[ ]?[位个次天分年月])"
)
_STILL = re.compile(
    r"(?:password|passcode|pwd)[^\n.!?:=]{0,30}[ ](?:still|again|remains|says|reads|it's|"
    r"its)[: ][ ]?(?P<value>[!-~]{6,64})(?![!-~])",
    re.I,
)
# `the password for the list, I changed it to runnerbeans-2023-shed because …`, `the password I set was "…"`
_CHANGED = re.compile(
    r"(?:password|passcode|passphrase|(?<![a-z])pwd)[^\n.!?]{0,80}?"
    r"(?<![a-z])(?:changed|set|reset|switched|updated)[ ](?:it[ ])?to[ ]"
    r"[\"'“]?(?P<value>[A-Za-z][A-Za-z0-9]{2,16}(?:[-_.!@#$%^&*+][A-Za-z0-9]{2,16}){1,4}[!?]?)(?=[\"'”]?(?:[ ,;.!?)]|$|\n))",
    re.I,
)
_QUOTED = re.compile(
    r"(?:password|passcode|passphrase|(?<![a-z])pwd)(?:[ ][a-z'’]{1,12}){0,5}[ ](?:is|was|to)[ ]?:?[ ]"
    r"[\"“'](?P<value>[^\s\"”']{5,64})[\"”']",
    re.I,
)
_WARNING = re.compile("别用|别再|不要|不能|不许|勿|禁止|避免|比如|例如")
# `passphrase correct-horse-battery-canoe`
_HYPHENATED = re.compile(r"(?:pass ?phrase|password|密码)[ ](?P<value>[a-z]{3,9}(?:-[a-z]{3,9}){2,7})(?![\w-]|\.\w)", re.I)
# `passphrase sunny dumplings 88`
_NUMBERED_PHRASE = re.compile(
    r"(?:(?:pass ?phrase|口令短语|密码短语)[ ]?[:：]?|(?:password|密码)[ ]?[:：])[ ]"
    r"(?P<value>(?!is |was |must |should |with |of |for |and |or )[a-z]{3,12}(?:[ ][a-z]{2,12}){1,5}[ ]\d{1,4})"
    r"(?=[ ]*(?:$|[.,;，。\n]))",
    re.M,
)
_ASKED_PHRASE = re.compile(
    r"(?:pass ?phrase|password|密码|口令)[?？][ ]{0,2}(?:it['’]s|it is|是|就是)?[ ]?[\"“‘「]"
    r"(?P<value>[A-Za-z]{3,12}(?:[ ][A-Za-z0-9]{1,12}){2,8})[\"”’」]",
    re.I,
)
# Words chosen by dice, and four groups of four letters, as mail providers print them.
_PHRASE = re.compile(
    r"(?:pass ?phrase|口令短语|密码短语)[\"']?[ ]?(?:[:：=]|is|是|"
    r"为)[ ]?[\"']?(?P<value>[a-z]{3,9}(?:[ -][a-z0-9]{2,9}){2,9})[\"']?[ ]*(?:$|[.,;，。\n])",
    re.M,
)
_GROUPS = re.compile(
    r"(?:pass(?:word|wd)?|pwd|密码|授权码)[\"']?[ ]?(?:[:：=]|is|是|"
    r"为)[ ]?[\"']?(?P<value>(?:[a-z]{4}[ ]){3}[a-z]{4})(?![A-Za-z ])",
    re.I,
)
_NAMED_PIN = re.compile(
    r"(?<![a-z])(?:voicemail|card|sim|atm|phone|bank|door|gate|app|account|screen|tablet|alarm|entry|unlock|key ?pad|"
    r"(?:lock ?box|"
    r"door|gate|"
    r"garage|safe|alarm)(?: code)?|opener)[ ](?:pin|code|key ?pad)(?:[: ]|"
    r"[ ][-–:=])[ ]?(?P<value>[a-z]?\d{4,8}[a-z]?#?)"
    r"(?![\w.:/-]|[ ](?:in the|means|indicates|error|=))",
)
# A thing with a lock, and `code …` some words behind it.
_LOCKED = re.compile(
    r"(?<![a-z])(?:alarm|gate|door|lock ?box|key ?safe|key ?pad|garage|padlock|safe|locker|building|entrance|storage unit|"
    r"shed|intercom|bike lock)(?![^\n]{0,60}\b(?:error|status|exit|response|return|sensor|fault|zip|post|plc|http)\b)"
    r"(?:['’]s)?[^\n\d]{0,48}?[ ,(](?:code|pin|dial)(?:[ ](?:is|was|now|changed to|set to)|[ ]?[:=–-]|)[ ]"
    r"(?P<value>[*#]?\d{3,8}[*#]?)(?=[ ]*(?:[.,;!?)]|$|\n|\b(?:for|to|on|at|and|then|until|tonight|till|if|before|after)\b))",
)
# `code 4471 opens the front door`, `punch 5567`, `unlocks with 258014`
_OPENS = re.compile(
    r"(?<![a-z])(?<!area )(?<!zip )(?<!error )(?<!status )(?<!country )(?:(?:code|pin|use|enter|punch(?: in)?|dial|key in|"
    r"tap)[ ](?P<value>[*#]?\d{4,8}[*#]?)(?=[^\n]{0,24}"
    r"(?<![a-z])(?:opens?|unlocks?|(?:open|unlock|disarm)\b|(?:gets?|lets?) (?:you|us|me|him|her|them) in|(?:at|on|for) the "
    r"(?:[a-z]+ )?(?:door|gate|"
    r"lock|key ?pad|safe|garage|alarm|intercom|lockbox)\b))"
    r"|(?:unlock(?:s|ed)?|opens?)(?: it)?[ ]with[ ](?P<with>\d{4,10}|\d{1,2}(?:-\d{1,2}){2,3})(?![\w.-]))",
)
_KEYED = re.compile(r"(?:门|锁|电梯|楼下|闸机)[^\n\d#*]{0,10}(?:按|输入?|摁)[ ]?(?P<value>[#*]\d{3,8}#?|\d{3,8}#)(?![\w.])")
_PAIR_OF_FOURS = re.compile(r"(?:门锁|门禁|开门|入住|房间|临时)密码[是为:： ]{0,2}(?P<value>\d{3,4}[ -]\d{3,4})(?![\d-])")
_PIN = re.compile(
    r"(?<![A-Za-z])PIN(?:[ ]code)?[ ](?P<value>\d{4,8})(?=[ ]*(?:[.,;!?/，。；！)]|$|(?:for|on|to|of|is|and|PUK)\b))", re.M
)
_NAMED = re.compile(_NAME)
_RENEWED = ("旧", "老", "新", "原", "前", "现", "换", "改", "old", "new", "previous", "former", "current", "from")
_ARROWS = ("->", "→", "=>", "–", "—", "➡", "👉", "⇒", "~", "～", "|", "--", ";", " - ", " > ")
_HINT = re.compile("your|here|char|len|digit|word|value|example|sample|hex|placeholder|pass|secret|token", re.I)
_NAMED_AND_NUMBERED = re.compile(r"[A-Za-z]+[-_.]?\d+(?:\.\d+)*|.*/.*|.*\.[a-z]{1,5}|v?\d[\w.]*")
_NUMBERED = re.compile(r"[A-Z]{2,8}[-_#]\d{1,8}|v\d+.*|[a-z]+_v?\d{1,6}")  # tickets, tables, versions
_NUMBER = re.compile(r"\d{4,10}#?")
_COUNTED = re.compile(r"[ ]{0,2}(?:位|个|次|天|分|小时|年|月|号|块|元|人|字|条|秒|度|楼|点|路)")
_DATE = re.compile(r"(?:19|20)\d{2}[-./年]|v?\d+\.\d")
_TRAILING = ".,;:!?…。，"


_CUES = (
    "pass", "pw", "pin", "code", "comb", "phrase", "key pad", "keypad", "dial", "unlock", "opens with", "enter ", "punch ",
    "log in", "login", "log-in", "log on", "logon", "logged", "sign in", "sign-in", "sign on", "account", "cred", "user",
    "ssid", "wifi", "wi-fi", "wlan", "auth", "redis", "mm", "root", "admin", "postgres", "ubuntu",
    "console", "sa/", "sa:", "sa,", "sa ", "pi/", "pi:", "pi,", "pi ",
    "密", "口令", "暗号", "码", "锁", "门", "电梯", "楼下", "闸机", "短语", "号", "账户", "登", "账密", "网络", "无线", "热点",
    "路由", "控制台", "后台", " p:", " p=", " p =",
)  # fmt: skip
_LINES_AROUND = 3


def find_told_passwords(text: str) -> Iterator[Redaction]:
    for start, end in stretches(text, folded_case(text), _CUES, above=_LINES_AROUND, below=_LINES_AROUND):
        for found in _told(text[start:end]):
            yield Redaction(start + found.start, start + found.end, found.label)


def _told(text: str) -> Iterator[Redaction]:
    folded = folded_case(text)
    if "密" in text or "口令" in text or "暗号" in text:
        yield from _chinese(text)
    if any(word in folded for word in ("code ", "pin ", "enter ", "punch ", "dial ", "unlock", "key in ", "opens with")):
        for found in _OPENS.finditer(folded):
            yield Redaction(*found.span(found.lastgroup or 0), "PASSWORD")
    if "#" in text and any(word in text for word in ("门", "锁", "密码", "电梯", "楼下", "闸机")):
        yield from _all(_LOCK, text)
        yield from _all(_KEYED, text)
    if any(word in folded for word in ("pass", "pw", "pin", "code", "combination")):
        yield from _english(text, folded)
        yield from _mixed(_GLUED, text)
        if any(word in folded for word in ("still", "again", "remains", "it's", "its ", "says", "reads")):
            yield from _mixed(_STILL, text)
    if "授" in text or "app password" in folded or "auth" in folded:
        yield from _all(_MAIL_CODE, text)
    named_here = any(word in folded for word in ("pass", "pw", "pin", "密码", "密碼", "口令"))
    if named_here:
        for found in _ARROW.finditer(text) if any(mark in text for mark in _ARROWS) else ():
            if not _NUMBERED.fullmatch(found["value"]) and sum(c.isdigit() for c in found["value"]) >= 2:
                yield from _if_password(found)
        for found in _BRACKETED.finditer(text):
            if sum(c.isdigit() for c in found["value"]) >= 2 and not _HINT.search(found["value"]):
                yield from _if_password(found)
        yield from _near_their_name(text, folded)
    if named_here and any(word in folded for word in _RENEWED) and (named := _NAMED.search(folded)):
        for found in _OLD_AND_NEW.finditer(folded, max(0, named.start() - 60)):
            value = text[found.start("value") : found.end("value")]
            start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - 100)
            if _is_password(value, "") and not _NUMBERED.fullmatch(value) and _NAMED.search(folded, start, found.end() + 24):
                yield _span(found)
    if "phrase" in folded or "短语" in text:
        yield from _all(_PHRASE, text)
    if "pass" in folded or "密码" in text:
        yield from _all(_NUMBERED_PHRASE, text)
        yield from _all(_HYPHENATED, text)
    if "?" in text or "？" in text:
        yield from _all(_ASKED_PHRASE, text)
    if "pass" in folded or "pwd" in folded or "码" in text:
        yield from _all(_GROUPS, text)
    if any(word in folded for word in (" pin", " code", "keypad", "key pad", " dial")):
        yield from _all(_NAMED_PIN, folded)
        yield from _all(_LOCKED, folded)
    if "PIN" in text:
        yield from _all(_PIN, text)
    if "左" in text and "右" in text:
        yield from _all(_TURNED, text)
    if "redis" in folded:
        yield from _mixed(_REDIS, text)
    if "combo" in folded or "combination" in folded:
        yield from _all(_COMBINATION, text)
    if "pass" in folded or "pwd" in folded:
        for pattern in (_CHANGED, _QUOTED):
            for found in pattern.finditer(text):
                if any(c.isdigit() for c in found["value"]) and not is_placeholder(found["value"]):
                    yield _span(found)
    yield from _short_names_and_accounts(text, folded)


def _near_their_name(text: str, folded: str) -> Iterator[Redaction]:
    """Find what somebody shall type, in a line that asks for a password."""
    for found in _TYPED_IN.finditer(text):
        value = found["value"]
        if sum(c.isdigit() for c in value) < 2 or _NUMBERED.fullmatch(value) or _NAMED_AND_NUMBERED.fullmatch(value):
            continue
        start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - 64)
        end = text.find("\n", found.end(), found.end() + 48)
        if _NAMED.search(folded, start, end if end >= 0 else found.end() + 48):
            phrase = re.fullmatch(r"[a-z]{3,9}(?:-[a-z]{3,9})+-\d{2,4}", value)
            if phrase or _is_password(value, ""):
                yield _span(found)


def _chinese(text: str) -> Iterator[Redaction]:
    yield from _all(_FIGURES, text)
    yield from _all(_PAIR_OF_FOURS, text)
    for found in _CHINESE.finditer(text):
        value = found["value"]
        if _WARNING.search(found["words"]):
            continue
        after = text[found.end("value") : found.end("value") + 6]
        linked = bool(found["link"].strip(" ，,")) or (found["words"] or " ")[-1] in "是为叫成的个用这输填到回认一"
        quoted = text[found.start("value") - 1] in "「『“\"'‘`（("
        if _NUMBER.fullmatch(value):
            # Behind a comma alone a number is a code only in the usual six figures, or as the last word.
            usual = (
                len(value.rstrip("#")) == 6 if found["words"] else bool(found["link"].strip()) and after.strip(_TRAILING) == ""
            )
            if ((linked and found["words"]) or usual) and not _COUNTED.match(after):
                yield _span(found)
        elif (linked or quoted or _strong(value) or _ends_it(value, after)) and _is_password(value, after):
            yield _span(found)
    for found in _SECOND.finditer(text) if any(word in text for word in "新旧老现后备另") else ():
        if _is_password(found["value"], "") or _NUMBER.fullmatch(found["value"]):
            yield _span(found)


def _english(text: str, folded: str) -> Iterator[Redaction]:
    codes = any(word in folded for word in (" code", "code to", "keypad", "key pad", "combination"))
    for found in chain(_ENGLISH.finditer(folded), _ENGLISH_CODE.finditer(folded) if codes else ()):
        written = text[found.start("value") : found.end("value")]
        value = written.rstrip(_TRAILING)
        after = text[found.end("value") : found.end("value") + 12]
        number = _NUMBER.fullmatch(value) and found["comma"] is None
        # A pin that "is connected to GPIO17" is no number.
        word = found["name"].lower() not in ("pin", "combination") and _is_password(value, after)
        word = word and not (found["colon"] and re.fullmatch(r".*\.[a-z]{2,4}", value))
        counted = _COUNTED.match(after) or (value == written and re.match(r" [a-z]+s\b", after))
        if word or (number and not counted):
            yield Redaction(found.start("value"), found.start("value") + len(value), "PASSWORD")
    for found in _ENTERED.finditer(text) if " as " in folded or " for " in folded else ():
        word = found["name"].lower().startswith("pass") and (
            _is_password(found["value"], "") or bool(_TWO_WORDS.fullmatch(found["value"]))
        )
        if word or _NUMBER.fullmatch(found["value"]):
            yield _span(found)


def _short_names_and_accounts(text: str, folded: str) -> Iterator[Redaction]:
    if "密" in text or "mm" in folded:
        yield from _mixed(_SHORT_CHINESE_NAME, text)
    if any(word in folded for word in ("ssid", "wifi", "wi-fi", "wlan", "网络", "无线", " p:", " p=", " p =", "pw:", "pw=")):
        yield from _mixed(_ABBREVIATED, text)
        if "pass" in folded or "密码" in text or "pw" in folded:
            yield from _all(_NETWORK_PHRASE, text)
        yield from _all(_WIFI, text)
    for found in _ADMINISTRATOR.finditer(text):
        slash = found["link"].strip() in ("/", "／")
        if _is_password(found["value"], "") and (slash or _strong(found["value"])) and not _is_plain_name(found["value"]):
            yield _span(found)
    if any(
        word in folded for word in ("log in", "login", "log-in", "log on", "logon", "logged", "sign in", "sign-in", "sign on")
    ):
        yield from _mixed(_LOGGED_IN, text)
    if ("/" in text or "／" in text) and ("号" in text or "账户" in text or "登录" in text):
        for found in _ACCOUNT_AFTER.finditer(text):
            if _is_password(found["value"], "") and not _is_plain_name(found["value"]) and "://" not in found["account"]:
                yield _span(found)
    if " / " in text or " | " in text or " ／ " in text:
        for found in _PAIR.finditer(text):
            told = _PAIR_NAMES.search(folded, max(0, found.start() - _PAIR_REACH), found.end() + _PAIR_REACH)
            if told and _is_password(found["value"], "") and not _is_plain_name(found["value"]):
                yield _span(found)
    if "/" in text or "／" in text:
        for found in _ACCOUNT.finditer(text):
            if _is_password(found["value"], "") and not _is_plain_name(found["value"]) and "://" not in found["account"]:
                yield _span(found)


def _if_password(found: re.Match[str]) -> Iterator[Redaction]:
    if _is_password(found["value"], ""):
        yield _span(found)


def _all(pattern: re.Pattern[str], text: str) -> Iterator[Redaction]:
    for found in pattern.finditer(text):
        yield _span(found)


def _mixed(pattern: re.Pattern[str], text: str) -> Iterator[Redaction]:
    for found in pattern.finditer(text):
        if _is_password(found["value"], ""):
            yield _span(found)


def _is_password(value: str, after: str) -> bool:
    value = value.rstrip(_TRAILING)
    plain = (
        not set(value) & set("=`\"'/\\")
        and "://" not in value
        and not _DATE.match(value)
        and not value.startswith(("-", "#", "@"))
    )
    return plain and not is_placeholder(value) and is_password_in_talk(value, after)


def _strong(value: str) -> bool:
    """Whether a value without any word that links it can be nothing else: long, with figures and more than one kind besides."""
    kinds = (any(c.islower() for c in value), any(c.isupper() for c in value), any(not c.isalnum() for c in value))
    return len(value) >= 8 and sum(c.isdigit() for c in value) >= 2 and sum(kinds) >= 2


def _ends_it(value: str, after: str) -> bool:
    """Whether the last word of a sentence is letters with three figures or more: `老样子 lily1990`."""
    figures = sum(c.isdigit() for c in value)
    return len(value) >= 7 and figures >= 3 and len(value) - figures >= 2 and not after[:1].strip("，。,.!！~～;；\n")


def _is_plain_name(value: str) -> bool:
    """Whether what stands beside an account may be a folder, a page or a version: `index2`, `project2024`, `app.py`, `1200ms`."""
    return "/" in value or bool(re.fullmatch(r"[a-z]+[-_]?\d{1,4}|v?\d+[.\d]*[a-z]{0,4}|.*\.[a-z]{1,5}", value))


def _span(found: re.Match[str]) -> Redaction:
    return Redaction(*found.span("value"), "PASSWORD")
