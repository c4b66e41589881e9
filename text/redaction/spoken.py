"""Secrets in sentences: `我的密码我设成了 …`, `the wifi password at home is …`, `验证码 4829…`, seed phrases."""

import re
from collections.abc import Iterator

from .names import HAN
from .plausible import is_placeholder, is_strong
from .rules import Rule, Rules, compiled
from .spans import Redaction

_TRAILING = ".,!?;:)]}'\"~"
_ZH = r"(?<!《)(?:密 ?码(?!学|锁)|密碼|口令|暗号|暗號|授权码|授權碼|密匙)"
_EN = r"(?:password|passcode|passphrase|passwd|pwd|pw|pass|pin)(?![a-z])"
_ZH_CUES = ("密码", "密 码", "密碼", "口令", "暗号", "暗號", "授权码", "授權碼", "密匙")
_EN_CUES = ("pass", "pwd", "pw", "pin")
_TOLD = r"[\"'“‘「『【`(（《]{0,2}(?P<value>[!-~]{4,96})"
_SAYING = "是为叫成的个用这输填到回认一：:=就"
_WARNING = (
    "别再用|别用|不要|不能|不得|必须|至少|错误|不对|规则|强度|长度|位数|格式|过期|加密|哈希|忘|重置|找回|接口|字段|参数|函数"
)
# After a number: `6 位`, `10 minutes`
_UNIT = (
    r"(?i)[ ]{0,2}(?:位|个|次|天|分|小时|年|月|号|块|元|人|字|条|秒|度|楼|点|路|%|ms\b|毫秒|minutes?|seconds?|digits?|"
    r"characters?|times|days?|at checkout|,? ?(?:msg|message|error))"
)

_CODE_ZH = (
    r"(?:验证码|驗證碼|校验码|动态码|动态密码|动态口令|激活码|登录码|安全码|取件码|配对码|锁屏码|解锁码|开锁码|绑定码|确认码|"
    r"投屏码|撤防码|布防码|门锁码|门禁码|入户码|开门码|开柜码|一次性密码|提取码|访问码|邀请码|会议码)"
)
_CODE_EN = (
    r"(?:(?:verification|verify|security|confirmation|authentication|authenticator|auth|login|log-?in|sign-?in|one[- ]?time|"
    r"otp|totp|2fa|mfa|two[- ]factor|activation|sms|recovery|pairing|door|gate|alarm|garage|lock ?box|key ?pad|entry|access|"
    r"safe|lock|unlock|building|apartment|screen|phone|backup|steam guard|share|extract(?:ion)?|pan)[ _-]?(?:pass)?(?:codes?|"
    r"pin|key)|\botp|\btotp|\b2fa|\bmfa)"
)
_FIGURES = (
    r"(?P<value>\d{3}[ -]\d{3}|\d{4,8}|[A-Z]-\d{4,8}|(?=[A-Z-]{0,6}\d)[A-Z0-9]{3}-[A-Z0-9]{3}|"
    r"(?=[A-Za-z0-9]{0,7}\d)(?:[A-Z0-9]{5,8}|[a-z0-9]{4}))"
)
_END = r"(?![A-Za-z0-9%]|[.:/-]\d)"
_KEPT_NAME = (
    r"(?:(?:recovery|backup|scratch|emergency|rescue|single-use|one-time)[ _-](?:(?:2fa|mfa|login|log-in|access|two-factor|"
    r"2-step|verification|one-time|account)[ _-])?(?:codes?|keys?)|恢复码|恢复密钥|恢复代码|备用码|备用验证码|备用代码|备份码|"
    r"备份代码|救援码|应急码)"
)
_KEPT = r"(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,7}|\d{6,10}|\d{4}[ ]\d{4}|(?=[a-z]{0,15}\d)(?=\d{0,15}[a-z])[a-z0-9]{8,16})"


def _trimmed(value: str) -> str:
    while value and value[-1] in _TRAILING and not (value[-1] == ")" and "(" in value):
        value = value[:-1]
    return value


def _ends_sentence(match: re.Match[str]) -> bool:
    after = match.string[match.end("value") : match.end("value") + 2].strip()
    return not after or after[0] in "，。！？；、,.!?;)）」”\"'"


def _is_told_in_chinese(match: re.Match[str]) -> bool:
    """Return True if the first Latin run after the name is a password: a strong one, or one that the words before announce."""
    words, value = match["words"], _trimmed(match["value"])
    after = match.string[match.start("value") + len(value) : match.end("value") + 12]
    if compiled(_WARNING).search(words) or is_placeholder(value) or re.match(r"[\w.-]+[=(]|https?:", value):
        return False
    if value.strip("#*").isdecimal():
        told = words.rstrip(" \"'“‘「（(")[-1:] in set(_SAYING) or (len(words) <= 1 and _ends_sentence(match))
        return told and len(words) < 20 and 4 <= len(value) <= 12 and not compiled(_UNIT).match(after)
    announced = (
        words.rstrip(" \"'“‘「（(")[-1:] in set(_SAYING + "，,") or match.string[match.start("value") - 1] in "「『“\"'‘`（("
    )
    return (announced or len(words) <= 1 or _ends_sentence(match)) and is_strong(value, after)


def _is_told_in_english(match: re.Match[str]) -> bool:
    value = _trimmed(match["value"])
    after = match.string[match.start("value") + len(value) : match.end("value") + 12]
    if is_placeholder(value) or re.match(r"[\w.-]+[=(]|https?:", value) or re.fullmatch(r".*\.[a-z]{2,4}", value):
        return False
    if value.isdecimal():
        return len(value) >= 4 and not compiled(_UNIT).match(after) and not re.match(r" [a-z]+s\b", after)
    return is_strong(value, after)


def _is_given_before(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not set("=:") & set(match["value"])


def _is_code(match: re.Match[str]) -> bool:
    after = match.string[match.end("value") : match.end("value") + 12]
    invoice = match.string.rfind("发票", max(0, match.start() - 48), match.start()) >= 0
    return any(map(str.isdigit, match["value"])) and not invoice and not compiled(_UNIT).match(after)


# fmt: off
_RULES = Rules(
    # `密码我设的跟去年一样，就是 Harbin@…`
    Rule("PASSWORD", _ZH_CUES,
         rf"{_ZH}(?P<words>[^\n。！？!?;；A-Za-z0-9]{{0,30}}){_TOLD}", _is_told_in_chinese, after=150),
    # `密码多少？\nlily1990x`, `WiFi 密码是啥来着\n小李：…`
    Rule("PASSWORD", (*_ZH_CUES, *_EN_CUES),
         rf"(?i)(?:{_ZH}|{_EN})[^\n]{{0,40}}\n{{1,2}}(?:\[[^\]\n]{{1,24}}\][ ]?|[^\n:：]{{1,16}}[:：][ ]?)?"
         r"(?P<value>[!-~]{6,64})[ ]{0,2}(?=\n|$)",
         lambda match: is_strong(match["value"]) and not re.search(r"(?i):$|^gpio|[=(,|]", match["value"]), after=200),
    # `… 是我的密码`, `用 … 当密码`
    Rule("PASSWORD", _ZH_CUES,
         r"(?<![!-~])(?P<value>[!-~]{6,64})[ ]?[\"'”」]?(?:就是|是|当|作为|做|作|这个|那个|这|为|设成|设为|改成|设置为)"
         rf"(?:我的?|你的?|他的?|她的?|新的?|登录|账号|开机|wifi|WiFi){{0,3}}的?{_ZH}", _is_given_before, before=90, after=8),
    # `the root password on the pi is maple77otter`, `password, changed to …`
    Rule("PASSWORD", _EN_CUES,
         rf"(?i)(?<![a-z]){_EN}(?:(?:['’]s|,)[ ]|(?:[ ][a-z0-9.'+&-]{{1,16}}){{0,7}}[ ]?(?:[:：=]|->|→|[ ](?:is|was|be|its|"
         rf"it['’]s|(?:changed|set|reset|updated|switched)(?: it)? to)(?=[ :]):?)[ ]?)(?:it['’]s |its |now |still )?{_TOLD}",
         _is_told_in_english, before=1, after=200),
    # `password? it's …`, `a pw … oh sorry its …`
    Rule("PASSWORD", _EN_CUES,
         rf"(?i)(?<![a-z]){_EN}[^\n]{{0,60}}?(?:it['’]s|its|it is|here(?: it is)?|use|try)[:,]?[ ]{_TOLD}",
         _is_told_in_english, before=1, after=200),
    # `hunter2 is my password`, `use maple77otter as the password`
    Rule("PASSWORD", _EN_CUES,
         r"(?i)(?<![!-~])[\"'“]?(?P<value>[!-~]{6,64}?)[\"'”]?[ ](?:as|is|for)[ ](?:(?:the|my|our|your|his|her|"
         r"their)[ ])?(?:(?!worst|most|best|weakest|hash)\w{1,20} ){0,2}(?:password|passcode|passphrase|pwd)\b(?! hash)",
         _is_given_before, before=110, after=12),
    # Passphrases of random words: `passphrase: vague marmot tuba`
    Rule("PASSWORD", ("passphrase", "pass phrase", "短语"),
         r"(?i)(?:pass ?phrase|短语)(?:[^\n:：]{0,40}[:：]|"
         r" is)?[ ](?P<value>[a-z]{3,12}(?:[ -][a-z\d]{2,12}){2,9})(?=[ ]{0,4}(?:$|[.,;，。\n]))",
         lambda match: not re.search(r"(?i)\b(?:is|was|must|should|the|your|you|and|for|are|not|words?)\b", match["value"])),
    # Groups of four letters: authorisation codes of mail providers.
    Rule("PASSWORD", ("授权码", "授權碼", "app password", "auth code", "auth_code", "密码", "password"),
         r"(?i)(?:授权码|授權碼|app password|auth[ _-]?code)[^\n]{0,24}?(?<![a-z])(?P<value>(?-i:[a-z]{16}|"
         r"(?:[a-z]{4}[ ]){3}[a-z]{4}))(?![a-z])|(?:password|密码)[\"']?[ ]?(?:[:：=]|is|是|"
         r"为)[ ]?[\"']?(?-i:(?:[a-z]{4}[ ]){3}[a-z]{4})(?![A-Za-z ])"),
    # One-time codes.
    Rule("TOKEN", ("码", "碼", "口令", "一次性密码"),
         rf"{_CODE_ZH}(?:[是为：:\s\"'“【「（(，,]|您的|你的|[我他她]|发|给|输入|填|一下|就|刚|收到的?|了|"
         rf"[{HAN}]{{0,6}}[：: ]){{0,6}}(?<![A-Za-z0-9]){_FIGURES}{_END}", _is_code, before=4),
    Rule("TOKEN", ("code", "otp", "2fa", "mfa", " pin", "key"),
         rf"(?i)(?<![a-z]){_CODE_EN}(?:[ ](?:for|to|on|from|of|at)[ ][\w@.' -]{{1,40}}?)?(?:[\"']?[ \t]{{0,2}}(?:(?:is|was|"
         rf"are)[ ]?[:：]?|[:：=])[ \t]{{0,2}}|[ \t]{{1,2}})(?:now[ ])?[\"']?(?-i:{_FIGURES}){_END}", _is_code, before=24),
    Rule("TOKEN", ("code", "otp", "2fa", "pin", "码"),
         rf"(?i)(?<![A-Za-z0-9.:/-])(?<!单号)(?<!单)(?<!单 )(?-i:{_FIGURES})(?:[ ](?:is|as)[ ](?:your|the|"
         rf"my)[ ](?:[\w.-]{{1,20}}[ ]){{0,3}}(?:{_CODE_EN}|code)\b|[ ]?[（(【，,]?(?:是|为|就是)?(?:您的|你的|"
         rf"我的)?\w{{0,6}}{_CODE_ZH})", _is_code, before=110, after=12),
    Rule("TOKEN", ("code",),
         r"(?i)(?:(?:^|[.!?,:，。：\n(（][ ]?|(?:your|the|my|sms|new|enter|use)[ ](?:(?!error|status|exit|zip|post|area|"
         r"country|product|promo|order)[\w-]{1,16}[ ]){0,2})code(?:[ ]is|['’]s|[:：]|[ ]was)?[ ]|(?:sms|text(?:ed)?|log[ -]?in|"
         r"sign[ -]?in|verif\w{1,9}|unlock)[^\n]{0,50}?(?<!error )(?<!status )(?<!exit )(?<!zip )code[ :]{1,2}(?:is )?)(?P<valu"
         r"e>\d{6}|\d{3}[ -]\d{3}|\d{4}(?=[ ]?(?:[.,!;]|$|\n|to\b)))(?![\w%]|[.:/-]\d)",
         _is_code, before=60, after=30),
    Rule("PASSWORD", ("码", "口令"),
         r"(?:提取|访问|分享|共享|解压|查看|阅读|开门|通行|门禁|会议|入会|进房|房间|进群|入群|入服|组队|频道|车队|链接|网盘|"
         r"相册|文档)(?:码|密码|口令)(?!学)[\"'”]?[ ]?(?:[:：=]|是|"
         r"为)?[ ]?[\"'“【]?(?P<value>[A-Za-z0-9@#._!-]{4,32}?)(?=[^A-Za-z0-9@#_!-]|$)",
         _is_code, before=4),
    # Recovery codes of a second factor.
    Rule("TOKEN", ("recovery", "backup", "scratch", "emergency", "rescue", "single-use", "one-time", "恢复", "备用", "备份",
         "救援", "应急"),
         rf"(?i){_KEPT_NAME}(?:[\"']?[^\S\n]{{0,3}}(?:[:：=]|is|are|是)?|[^\n:：\d]{{0,60}}(?:[:：]|[ ]are|[ ]is|"
         rf"是))[*_]{{0,2}}\s{{0,4}}(?P<value>[\[\"'`\d.)*•\s-]{{0,8}}{_KEPT}(?:[\"'`]?(?:[ ](?:and|or|&)|[\s,，、;/|"
         rf"和与及*•-]){{1,4}}[\"'`]?(?:\d{{1,2}}[.)][ ])?[ ]?{_KEPT}(?![A-Za-z0-9])){{0,31}})", _is_code, after=600),
    # Seed phrases of wallets.
    Rule("PRIVATE_KEY", ("助记词", "助記詞", "恢复短语", "seed", "phrase", "mnemonic", "recovery words"),
         r"(?i)(?:助记词|助記詞|恢复短语|seed|phrase|words|"
         r"mnemonic)[^\n]{0,40}?[\s:：\"'`是为=]{1,6}(?P<value>(?:(?:\d{1,2}[.)、:][ ]?)?(?-i:[a-z]{3,8})[ ,，、\n]{1,3}){11,23"
         r"}(?:\d{1,2}[.)、:][ ]?)?(?-i:[a-z]{3,8}))(?![a-z])",
         lambda match: not re.search(r"\b(?:the|and|you|for|that|with|are|not)\b", match["value"]), after=500),
)
# fmt: on


def find_spoken(text: str, folded: str) -> Iterator[Redaction]:
    """Find passwords and codes in sentences; `folded` is the text in lower case."""
    for span in _RULES.find(text, folded):
        kept = _trimmed(text[span.start : span.end])
        if kept:
            yield Redaction(span.start, span.start + len(kept), span.label)
