"""What a long number is by the words around it: an identifier, or a part of something longer."""

import re

# What stands before a number that identifies an account, a message or an order, and no telephone or card.
_IDENTIFIER = re.compile(
    r"(?:qq|uin|id|uid|群|群号|群號|单号|單號|订单|訂單|订单号|流水号|流水號|编号|編號|学号|學號|工号|工號|运单|運單|快递|快遞|"
    r"order|invoice|tracking|channel|tweet|message|isbn|"
    r"serial|ticket|群聊|账号|帐号|帳號|seq|offset|size|bytes|length|total|amount|余额|餘額|金额|金額|总计|總計|seed|nonce|"
    r"sn|序列号|"
    r"序列號|条码|條碼|barcode|sku|货号|貨號|统一编号|統一編號|统编|統編|ein|tin|tax|vat|reference|ref|case|commit|merge|"
    r"revert|sha|rev|hash|memory|part|model|"
    r"发票号?|發票號?|合同号?|合約號?|imei|抽奖|中奖|彩票|排队|取餐|座位|门票|考号|批号|批號|代码|代碼|交易号|交易號|准考证号?|会员号|會員號|timestamp|ts|version|build|"
    r"(?P<vague>no|number))"
    r"(?:号码?|號碼?|号是|[ ](?:no|number|num|id))?"
    r"[\"'’]{0,2}[ \t]{0,3}(?:[:：=#＝.,，]|是|为|為|is)?[ \t]{0,3}[\"'\[(（]{0,2}$",
    re.I,
)
_CARD_NUMBER = re.compile(r"(?:card|visa|master ?card|amex|union ?pay|debit|credit|银联)[ _]?(?:number|no|num)?", re.I)
_PHONE_NUMBER = re.compile(
    r"手机|手機|电话|電話|phone|mobile|(?:my|your|his|her|our|their)(?:[ ](?!order|invoice|ticket|tracking|account|case|serial|"
    r"reference|booking|student|member|policy|confirmation|flight|lottery)[a-z]{2,12}){0,2}[ ]number|(?:cell|call|"
    r"contact)[ ]number",
    re.I,
)
_LONG_RUN = 40
_RUN_BEFORE = re.compile(r"[A-Za-z0-9+/_-]*$")
_RUN_AFTER = re.compile(r"[A-Za-z0-9+/_=-]*")
# A part of a row of numbers or of a dump: figures or hexadecimal digits stand before or behind, a space between.
_ROW_BEFORE = re.compile(r"(?:(?<![A-Za-z0-9])(?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}[ ])[0-9A-Fa-f]{1,16}:?[ ]|\d[.,])$")
_ROW_AFTER = re.compile(r"[ ](?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}(?![A-Za-z0-9]))[0-9A-Fa-f]{1,16}(?![A-Za-z0-9])")


def is_identifier(text: str, start: int, account: bool = False, separated: bool = False) -> bool:
    """Whether the word before a number makes it an identifier; an account (`账号`) may be the one at a bank.

    A bare `number` or `no` says nothing of one that is written in groups (`separated`).
    """
    before = text[max(0, start - 24) : start]
    if account and re.search(r"[账帐]号[是为:： ]{0,3}$", before):
        return False
    match = _IDENTIFIER.search(before)
    if match is None or (separated and match["vague"]):
        return False
    return not _CARD_NUMBER.search(before) and not _PHONE_NUMBER.search(before)


def is_in_row(text: str, start: int, end: int) -> bool:
    """Whether other numbers or hexadecimal groups stand directly around: `0300 3e00 0100 0000`."""
    return bool(_ROW_BEFORE.search(text[max(0, start - 20) : start]) or _ROW_AFTER.match(text[end : end + 20]))


def is_in_long_run(text: str, start: int, end: int) -> bool:
    """Whether the characters are a part of base64 or of a hash: 40 or more that nothing separates, with letters."""
    before = _RUN_BEFORE.search(text[max(0, start - _LONG_RUN) : start])
    after = _RUN_AFTER.match(text[end : end + _LONG_RUN])
    run = (before.group() if before else "") + text[start:end] + (after.group() if after else "")
    return len(run) >= _LONG_RUN and any(c.isalpha() for c in run) and not any(c.isspace() for c in run)
