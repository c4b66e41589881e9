"""Codes that open an account once: sent by text message, shown by an authenticator, kept for the day it is lost."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .secret_names import folded_case
from .spans import Label, Redaction
from .stretches import stretches

_CHINESE_NAME = (
    r"(?:验证码|驗證碼|校验码|动态码|动态密码|动态口令|激活码|登录码|"
    r"安全码|取件码|配对码|锁屏码|解锁码|开锁码|绑定码|确认码|投屏码|撤防码|布防码|门锁码|门禁码|入户码|开门码|开柜码|一次性密码)"
)
_ENGLISH_NAME = (
    r"(?:verification|verify|security|confirmation|authentication|authenticator|auth|login|log-?in|sign-?in|"
    r"one[- ]?time|otp|totp|2fa|mfa|"
    r"two[- ]factor|passcode|activation|sms|captcha|recovery|pairing)[ _-]?(?:pass)?(?:codes?|pin|password)|\botp|\btotp|"
    r"\b2fa|\bmfa"
)
_FIGURES = (
    r"(?P<value>\d{3}[ -]\d{3}|\d{4,8}|[A-Z]-\d{4,8}|(?=[A-Z-]{0,6}\d)[A-Z0-9]{3}-[A-Z0-9]{3}|(?=[A-Z0-9]{0,7}\d)[A-Z0-9]{5,8})"
)
_END = r"(?![A-Za-z0-9%]|[.:/-]\d|[ ]?(?:位|个|次|分|秒|小时|天|条|元|块|毫秒|ms\b|minutes?|seconds?|digits?|characters?|times))"
_CHINESE = re.compile(
    rf"{_CHINESE_NAME}(?:[是为：:\s\"'“【「（(,，]|您的|你的|[我他她]|发|给|输入|填|一下|就|刚|收到的?|了){{0,8}}(?<![A-Za-z0-9]){_FIGURES}{_END}"
)
_ENGLISH = re.compile(
    rf"(?<![a-z])(?:{_ENGLISH_NAME})(?:[ ](?:for|to|on|from|of)[ ][\w@.' -]{{1,40}}?)?"
    r"(?:[\"']?[ \t]{0,2}(?:(?:is|was|are)[ ]?[:：]?|[:：=])[ \t]{0,2}|[ \t]{1,2})(?:now[ ])?[\"']?"
    rf"(?-i:{_FIGURES}){_END}",
    re.I,
)
# `482913 is your … code`, `482913（登录验证码）`, `enter 482913 to sign in`
_BEFORE = re.compile(
    rf"(?<![A-Za-z0-9.:/-])(?<!单号)(?<!单)(?<!单 )(?<!号码 )(?<!号码)(?-i:{_FIGURES})(?:[ ](?:is|as)[ ](?:your|the|"
    rf"my)[ ](?:[\w.-]{{1,20}}[ ]){{0,3}}(?:{_ENGLISH_NAME}|code)\b"
    rf"|[ ]?[（(【，,]?(?:是|为|就是)?(?:您的|你的|我的)?[\w]{{0,6}}{_CHINESE_NAME})",
    re.I,
)
_ENTERED = re.compile(
    rf"(?<![a-z])(?:use|enter|type)[ ](?:the[ ])?(?:code[ ])?(?-i:{_FIGURES})[ ](?:to[ ](?:sign|log|verify|confirm|"
    rf"complete|finish|authenticate|"
    r"reset|activate|pair|unlock)|as[ ]your)\b",
    re.I,
)
_PLAIN = re.compile(
    r"(?:^|[.!?,:，。：\n(（][ ]?|(?:your|the|my|sms|new)[ ])code(?:[ ]is|['’]s|:)[ ](?P<value>\d{6})(?![\w%]|[.:/-]\d|"
    r"[ ]?,[ ]?\"?(?:msg|message|error|data))",
    re.I | re.M,
)
_PICK_UP = re.compile(r"(?:取件码|取货码|提货码)[是为:：\s\"'“]{0,4}(?P<value>[A-Z]?\d{1,3}-\d{1,3}-\d{3,6})(?![\w-])")
# Of a shared folder or an archive; four figures are usual. And the long ones that unlock a program.
_SHARED = re.compile(
    r"(?:提取|访问|分享|共享|解压|解压缩|查看|阅读|开门|通行|门禁|会议|入会|进房|房间|进群|入群|进服|入服|组队|比赛|直播|听课|课堂|上课|考试|自习室|频道|车队|队伍|包间|对局|文件|链接|网盘|相册|"
    r"文档)(?:码|密码|口令)[\"'”]?[ ]?(?:[:：=]|是|为)?[ ]?[\"'“【]?"
    r"(?P<value>[A-Za-z0-9@#._!-]{4,32}?)(?=[^A-Za-z0-9@#_!-]|$)"
)
_PAN = re.compile(
    r"(?<![a-z])(?:share|extract(?:ion)?|pan|link|folder)[ ](?:pwd|code|password|pass)[ ]?(?:is|[:=])?[ ]?"
    r"(?P<value>(?-i:(?=[a-z]{0,3}\d)(?=\d{0,3}[a-z])[a-z0-9]{4}))(?![\w-])",
    re.I,
)
_LICENCE = re.compile(
    r"(?:激活码|注册码|产品密钥|许可证密钥|序列号密钥|activation (?:key|code)|product key|licen[cs]e (?:key|code))[^\n]{0,8}?"
    r"(?<![A-Za-z0-9-])(?P<value>(?:[A-Z0-9]{4,8}-){2,7}[A-Z0-9]{4,8})(?![A-Za-z0-9-])",
    re.I,
)
_GUARD = re.compile(
    r"(?:steam guard|登录令牌|令牌验证)[^\n]{0,24}?[:： ](?-i:(?P<value>(?=[A-Z]{0,4}\d)[A-Z0-9]{5}))(?![A-Za-z0-9])", re.I
)
# `您的验证码刚发过来 482913`: words in between, then the usual six figures. `码：482913`.
_CHINESE_TOLD = re.compile(
    rf"(?:{_CHINESE_NAME}(?!错误|接口|服务|返回|失败|超时|订单|编号)[^\dA-Za-z\n。]{{0,14}}?|(?<![\u4e00-\u9fff])码(?:是|"
    rf"[:：])[ ]?)"
    rf"(?<![A-Za-z0-9.])(?P<value>\d{{6}})(?![\w%]|[.:/-]\d){_END}"
)
# Sent or shown somewhere, and then `code is …`.
_SENT = re.compile(
    r"(?<![a-z])(?:sms|text(?:ed)?|authenticator|log(?:ging)?[ -]?in|sign(?:ing)?[ -]?in|2fa|otp|verif\w{1,9}|unlock|phone)"
    r"[^\n]{0,60}?(?<!error )(?<!status )(?<!exit )(?<!zip )(?<!area )(?<!country )code(?:[ ]is|['’]s|[ ]was|[ ]?[:=])[ ]"
    r"(?P<value>\d{4,8}|\d{3}[ -]\d{3})(?![\w%]|[.:/-]\d)",
)
# `短信来了：338871`, `enter code 77120 … to sign in`, `it sent me 771204, use it to log in`
_BY_THE_WAY = (
    re.compile(
        r"(?:短信|验证器|令牌器|authenticator)(?!平台|接口|服务|签名|模板|通道|条数|中心|号码|编号|返回)[^\n\dA-Za-z]{0,10}?"
        rf"(?<!\d)(?P<value>\d{{6}})(?![\d\w%]|[.:/-]\d){_END}",
    ),
    re.compile(
        r"(?<![\w.:/#-])(?<!单号)(?<!号)(?<!群)(?<!群 )(?<!单 )(?P<value>\d{6})(?!\d)[ ，,]?(?:这个|这串|是|就是|这)[^\d\n]{0,12}"
        r"(?:验证码|动态码|校验码|登录码)"
    ),
    re.compile(
        r"(?<![a-z])(?:(?:enter|use|type|your|login|sms|telegram|whatsapp|netflix|steam|google|discord|signal|apple|"
        r"microsoft)[ ](?:the[ ])?"
        r"code[ ](?P<value>\d{4,8}|\d{3}[ -]\d{3})(?![\w-]|\.\d)"
        r"(?=[^\n]{0,48}(?:(?:log|sign)(?:ging|ned)?[ -]?(?:in|on)\b|verify|authenticat)))",
    ),
    re.compile(
        r"(?<![a-z])(?:sent|texted|emailed|got|received|gave)[^\d\n]{0,16}[ ](?P<value>\d{6}|\d{3}[ -]\d{3})(?![\w-]|"
        r"[.:/]\d|[ ][a-z]+s\b)"
        r"(?=[^\n]{0,48}(?:(?:log|sign)[ -]?(?:in|on)\b|verify|verification|code|otp|2fa))",
    ),
)
# `your Uber code is 4471`
_YOUR = re.compile(
    r"\b(?:your|my|the)[ ](?:(?!error|status|exit|zip|postal|post|country|area|product|order|response|return|source|promo|"
    r"discount|"
    r"coupon|invite|referral|color|item|bar|qr|dress|room)[\w-]{1,16}[ ]){1,2}code(?:[ ]is|:)[ ](?P<value>\d{4,8}|"
    r"\d{3}-\d{3})(?![\w%]|"
    r"[.:/-]\d)",
    re.I,
)
_KEPT_NAME = (
    r"(?:recovery|backup|scratch|emergency|rescue|single-use|one-time)[ _-]"
    r"(?:(?:2fa|mfa|login|log-in|access|two-factor|2-step|verification|one-time|account)[ _-])?(?:codes?|keys?)|"
    r"恢复码|恢复密钥|恢复代码|备用码|备用验证码|备用代码|备用登录码|备份码|备份代码|备份验证码|救援码|应急码|应急代码"
)
_KEPT_ONE = r"(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,7}|\d{6,10}|\d{4}[ ]\d{4}|(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{8,16})"
_KEPT = re.compile(
    rf"(?:{_KEPT_NAME})(?:[\"']?[^\S\n]{{0,3}}(?:[:：=]|是|are|is)?|"
    rf"[^\n:：\d]{{0,90}}(?:[:：]|[ ]are|[ ]is|是))[*_]{{0,2}}\s{{0,4}}"
    rf"(?P<value>[\[\"'`\d.)*•\s-]{{0,8}}{_KEPT_ONE}"
    rf"(?:[\"'`]?(?:[ ](?:and|or|&)|[\s,，、;/|和与及*•-]){{1,4}}[\"'`]?"
    rf"(?:\d{{1,2}}[.)][ ])?[ ]?{_KEPT_ONE}(?![A-Za-z0-9])){{0,31}})",
    re.I,
)
# The seed from which an authenticator makes its codes.
_SEED_NAME = (
    r"(?:二步验证|两步验证|双重验证|二次验证|身份验证器|谷歌验证器?|2fa|mfa|totp|otp|authenticator|setup (?:key|code)|"
    r"google auth|"
    r"two[- ]factor|"
    r"2-step|two-step|"
    r"manual(?:ly| entry)|entry key|手动输入|绑定密钥)"
)
_SEED = re.compile(
    rf"{_SEED_NAME}[^\n]{{0,24}}?(?-i:(?<![A-Za-z0-9])(?P<value>[A-Z2-7]{{16,64}}|"
    rf"(?:[A-Za-z2-7]{{4}}[ ]){{3,15}}[A-Za-z2-7]{{4}}))(?![A-Za-z0-9])",
    re.I,
)
_END_OF_COUNT = re.compile(r"[ ]?(?:位|个|次|天|分|小时|年|月|人|字符)")
_NAMES = (
    "code",
    "码",
    "碼",
    "口令",
    "密码",
    "otp",
    "2fa",
    "mfa",
    "验证",
    "authenticator",
    "setup key",
    "manual",
    "entry key",
    "factor",
    "手动",
    "绑定",
    "google auth",
    "product key",
    "activation key",
    "licen",
    "steam guard",
    "令牌",
    "短信",
    "login",
    "log-in",
    "recovery",
    "恢复",
    "rescue",
    "pin",
    "verify",
    "sign in",
    "log in",
    "authenticate",
)


_ENGLISH_NAMES = ("code", "otp", "2fa", "mfa", "factor")
_ENGLISH_KINDS = (
    "verif",
    "security",
    "confirm",
    "authent",
    "login",
    "log-in",
    "log in",
    "sign",
    "time",
    "sms",
    "recovery",
    "pairing",
    "activ",
)
_KEPT_NAMES = (
    "recovery",
    "backup",
    "scratch",
    "emergency",
    "rescue",
    "single-use",
    "one-time",
    "恢复",
    "备用",
    "备份",
    "救援",
    "应急",
)
_SEED_NAMES = (
    "手动",
    "绑定",
    "factor",
    "-step",
    "manual",
    "entry key",
    "setup code",
    "验证",
    "2fa",
    "mfa",
    "otp",
    "authenticator",
    "setup key",
    "google auth",
)


_CHINESE_CUES = ("码", "碼", "口令")
_SHORT_MESSAGE_CUES = ("短信", "验证", "动态码", "校验码", "登录码")
_SENT_CUES = ("sent", "texted", "mailed", "got ", "received", "gave")
_SHARED_CUES = ("码", "code", "pan", "key", "令牌", "pwd", "password")
_MOST_KEPT = 34
"""Lines in which kept codes may stand below their name."""


@dataclass(frozen=True, slots=True)
class _Search:
    cues: tuple[str, ...]
    """One of them stands in or near whatever the patterns find."""
    patterns: tuple[re.Pattern[str], ...]
    label: Label = "TOKEN"
    in_folded: bool = False
    below: int = 2


_SEARCHES = (
    _Search(("code",), (_SENT, _BY_THE_WAY[2]), in_folded=True),
    _Search(_SENT_CUES, (_BY_THE_WAY[3],), in_folded=True),
    _Search(_CHINESE_CUES, (_CHINESE, _CHINESE_TOLD, _PICK_UP)),
    _Search((*_ENGLISH_NAMES, *_ENGLISH_KINDS), (_ENGLISH,)),
    _Search((*_ENGLISH_NAMES, *_CHINESE_CUES, "pin", "password"), (_BEFORE,)),
    _Search(("use ", "enter ", "type "), (_ENTERED,)),
    _Search(_SHORT_MESSAGE_CUES, _BY_THE_WAY[:2]),
    _Search(("code",), (_PLAIN, _YOUR)),
    _Search(_SHARED_CUES, (_SHARED, _PAN, _LICENCE, _GUARD), "PASSWORD"),
    _Search(_KEPT_NAMES, (_KEPT,), below=_MOST_KEPT),
    _Search(_SEED_NAMES, (_SEED,), "SECRET"),
)


def find_codes(text: str) -> Iterator[Redaction]:
    """Find codes of four to eight figures that are called verification codes, recovery codes, authenticator seeds."""
    folded = folded_case(text)
    if not any(name in folded for name in _NAMES):
        return
    for search in _SEARCHES:
        searched = folded if search.in_folded else text
        for start, end in stretches(text, folded, search.cues, below=search.below):
            for pattern in search.patterns:
                for match in pattern.finditer(searched, start, end):
                    if _is_code(search, text, match):
                        yield Redaction(*match.span("value"), search.label)


def _is_code(search: _Search, text: str, match: re.Match[str]) -> bool:
    if search.label == "SECRET":
        return True
    if text.rfind("发票", max(0, match.start() - 48), match.start()) >= 0:
        return False  # of an invoice
    counted = search.label == "PASSWORD" and _END_OF_COUNT.match(text, match.end("value"))
    return not counted and any(character.isdigit() for character in match["value"])
