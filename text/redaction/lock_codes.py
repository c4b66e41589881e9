"""Codes of what is opened by figures: doors, safes, locks, cards, telephones."""

import re
from collections.abc import Iterator

from .spans import Redaction
from .told_values import spans_of

# `code 4471 opens the front door`, `punch 5567`, `unlocks with 258014`
_OPENS = re.compile(
    r"(?<![a-z])(?<!area )(?<!zip )(?<!error )(?<!status )(?<!country )(?:(?:code|pin|use|enter|punch(?: in)?|dial|key in|"
    r"tap)[ ](?P<value>[*#]?\d{4,8}[*#]?)(?=[^\n]{0,24}"
    r"(?<![a-z])(?:opens?|unlocks?|(?:open|unlock|disarm)\b|(?:gets?|lets?) (?:you|us|me|him|her|them) in|(?:at|on|for) the "
    r"(?:[a-z]+ )?(?:door|gate|"
    r"lock|key ?pad|safe|garage|alarm|intercom|lockbox)\b))"
    r"|(?:unlock(?:s|ed)?|opens?)(?: it)?[ ]with[ ](?P<with>\d{4,10}|\d{1,2}(?:-\d{1,2}){2,3})(?![\w.-]))",
)
# `门锁 4471#`, `密码 #90210#`
_LOCK = re.compile(r"(?:密码|门锁|门禁|锁)[^\n#]{0,16}?(?<![\w#])(?P<value>#?\d{4,10}#)(?![\w#])")
# `楼下按 #4471`
_KEYED = re.compile(r"(?:门|锁|电梯|楼下|闸机)[^\n\d#*]{0,10}(?:按|输入?|摁)[ ]?(?P<value>[#*]\d{3,8}#?|\d{3,8}#)(?![\w.])")
# Figures right behind the password of a thing that only figures open: `保险柜密码 4471`
_FIGURES = re.compile(
    r"(?:保险[柜箱]|行李箱|警报器?|报警器?|安防|布防|撤防|智能锁|密码锁|储物柜|寄存柜|单元|楼下|楼道|箱子?|门锁?|门禁|锁屏?|柜子?|取款|支付|解锁|开机|手机|平板|房间|车库|仓库|抽屉|"
    r"银行卡)的?密码[ ]?(?P<value>\d{3,8})(?![\w.:/-]|[ ]?[位个次天分年月])"
)
# `房间密码是 4471 9023`
_PAIR_OF_FOURS = re.compile(r"(?:门锁|门禁|开门|入住|房间|临时)密码[是为:： ]{0,2}(?P<value>\d{3,4}[ -]\d{3,4})(?![\d-])")
# `voicemail pin 4471`, `garage code: 9023`
_NAMED_PIN = re.compile(
    r"(?<![a-z])(?:voicemail|card|sim|atm|phone|bank|door|gate|app|account|screen|tablet|alarm|entry|unlock|key ?pad|"
    r"(?:lock ?box|"
    r"door|gate|"
    r"garage|safe|alarm)(?: code)?|opener)[ ](?:pin|code|key ?pad)(?:[: ]|"
    r"[ ][-–:=])[ ]?(?P<value>[a-z]?\d{4,8}[a-z]?#?)"
    r"(?![\w.:/-]|[ ](?:in the|means|indicates|error|=))",
)
# A thing with a lock, and `code …` some words behind it: `the shed by the pond, code is 4471`
_LOCKED = re.compile(
    r"(?<![a-z])(?:alarm|gate|door|lock ?box|key ?safe|key ?pad|garage|padlock|safe|locker|building|entrance|storage unit|"
    r"shed|intercom|bike lock)(?![^\n]{0,60}\b(?:error|status|exit|response|return|sensor|fault|zip|post|plc|http)\b)"
    r"(?:['’]s)?[^\n\d]{0,48}?[ ,(](?:code|pin|dial)(?:[ ](?:is|was|now|changed to|set to)|[ ]?[:=–-]|)[ ]"
    r"(?P<value>[*#]?\d{3,8}[*#]?)(?=[ ]*(?:[.,;!?)]|$|\n|\b(?:for|to|on|at|and|then|until|tonight|till|if|before|after)\b))",
)
# `PIN 4471 for the tablet`
_PIN = re.compile(
    r"(?<![A-Za-z])PIN(?:[ ]code)?[ ](?P<value>\d{4,8})(?=[ ]*(?:[.,;!?/，。；！)]|$|(?:for|on|to|of|is|and|PUK)\b))", re.M
)
# `保险柜密码 左12右34左56`
_TURNED = re.compile(
    r"(?:密码|保险|密码锁)[^\n]{0,16}?(?P<value>[左右][转边]?[ ]?\d{1,2}(?:[，, ]?[左右][转边]?[ ]?\d{1,2}){2,4})"
)
# `combination is 12-34-56`
_COMBINATION = re.compile(
    r"comb(?:o|ination)(?:[a-z ]{0,16}(?:is|to|was)|[ ]?[:=]|)[ ](?P<value>\d{1,2}(?:-\d{1,2}){2,3})(?![\d-])", re.I
)
LOCK_WORDS = ("门", "锁", "电梯", "楼下", "闸机")
_PIN_WORDS = (" pin", " code", "keypad", "key pad", " dial")
_OPENING_WORDS = ("code ", "pin ", "enter ", "punch ", "dial ", "unlock", "key in ", "opens with")


def find_lock_codes(text: str, folded: str) -> Iterator[Redaction]:
    if any(word in folded for word in _OPENING_WORDS):
        for found in _OPENS.finditer(folded):
            yield Redaction(*found.span(found.lastgroup or 0), "PASSWORD")
    if "#" in text and ("密码" in text or any(word in text for word in LOCK_WORDS)):
        yield from spans_of(_LOCK, text)
        yield from spans_of(_KEYED, text)
    if "密" in text or "口令" in text or "暗号" in text:
        yield from spans_of(_FIGURES, text)
        yield from spans_of(_PAIR_OF_FOURS, text)
    if any(word in folded for word in _PIN_WORDS):
        yield from spans_of(_NAMED_PIN, folded)
        yield from spans_of(_LOCKED, folded)
    if "PIN" in text:
        yield from spans_of(_PIN, text)
    if "左" in text and "右" in text:
        yield from spans_of(_TURNED, text)
    if "combo" in folded or "combination" in folded:
        yield from spans_of(_COMBINATION, text)
