"""Classify a long number by its context: an identifier, or a part of a row of numbers."""

import re

from .rules import compiled

# Words before a number that identifies an account, a message or an order, not a telephone or card.
_IDENTIFIER = (
    r"(?i)(?:qq|uin|id|uid|群|群聊|[单單]号|[单單]號|[订訂][单單]|流水[号號]|[编編][号號]|[学學工][号號]|[运運快][单單递遞]|"
    r"order|invoice|tracking|channel|tweet|message|isbn|serial|ticket|[账帐帳][号號]|seq|offset|size|bytes|length|total|amount|"
    r"[余餘金][额額]|[总總][计計]|seed|nonce|sn|序列[号號]|[条條][码碼]|barcode|sku|[货貨][号號]|[统統][一编編]\w{0,3}|ein|tin|"
    r"tax|vat|reference|ref|case|commit|merge|revert|sha|rev|hash|memory|part|model|[发發]票|合同|合約|imei|抽奖|中奖|彩票|"
    r"排队|取餐|座位|门票|考[号號]|批[号號]|代[码碼]|交易[号號]|[准會会][考员員]证?[号號]|timestamp|ts|version|build|meeting|"
    r"会议|會議|邮编|面额|库存|(?P<vague>no|number))(?:[号號][码碼]?|号是|[ _-](?:no|number|num|"
    r"id))?[\"'’]{0,2}[ \t]{0,3}(?:[:：=#＝.,，]|是|为|為|is)?[ \t]{0,3}[\"'\[(（]{0,2}$"
)
_OF_A_PERSON = (
    r"(?i)(?:card|visa|master ?card|amex|union ?pay|debit|credit|银联)[ _]?(?:number|no|num)?|手机|手機|电话|電話|phone|mobile|"
    r"(?:my|your|his|her|our|their)(?:[ ](?!order|invoice|ticket|tracking|account|case|serial|reference|booking|student|member|"
    r"policy|confirmation|flight|lottery)[a-z]{2,12}){0,2}[ ]number|(?:cell|call|contact)[ ]number"
)
# A part of a row of numbers or of a dump: digits before or after, separated by a blank.
_ROW_BEFORE = r"(?:(?<![A-Za-z0-9])(?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}[ ])[0-9A-Fa-f]{1,16}:?[ ]|\d[.,])$"
_ROW_AFTER = r"[ ](?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}(?![A-Za-z0-9]))[0-9A-Fa-f]{1,16}(?![A-Za-z0-9])"


def is_identifier(text: str, start: int, *, account: bool = False, separated: bool = False) -> bool:
    """Return True if the word before a number makes it an identifier.

    With `account`, `账号` does not count: it may be a bank account. With `separated` (a number written in groups), a bare
    `number` or `no` does not count.
    """
    before = text[max(0, start - 24) : start]
    if account and re.search(r"[账帐]号[是为:： ]{0,3}$", before):
        return False
    match = compiled(_IDENTIFIER).search(before)
    return match is not None and not (separated and match["vague"]) and not compiled(_OF_A_PERSON).search(before)


def is_in_row(text: str, start: int, end: int) -> bool:
    """Return True if other numbers or hexadecimal groups are adjacent: `0300 3e00 0100 0000`."""
    before, after = text[max(0, start - 20) : start], text[end : end + 20]
    return bool(compiled(_ROW_BEFORE).search(before) or compiled(_ROW_AFTER).match(after))
