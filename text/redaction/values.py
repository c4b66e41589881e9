"""Redaction of structured values: dictionaries, lists, header pairs."""

from collections.abc import Mapping

from ..word_lists import word_list
from .names import LABELS, Kind, kind_of_name
from .plausible import is_template
from .search import redact
from .spans import Label, Level, placeholder

_DEEPEST = 200
_PERSONAL_NAMES: dict[Label, frozenset[str]] = {
    "PHONE": word_list(
        "phone mobile telephone tel fax phone_number phonenumber phone_no mobile_phone mobilephone mobile_number cellphone"
        " cell_phone whatsapp 手机 手机号 手机号码 手機 手機號碼 电话 电话号码 联系电话 電話 電話番号"
    ),
    "EMAIL": word_list("email e-mail mail email_address emailaddress 邮箱 邮箱地址 电子邮箱 郵箱"),
    "ID_CARD": word_list(
        "id_card idcard id_number 身份证 身份证号 身份证号码 身份證 证件号码 passport passport_no passport_number 护照 护照号 ssn"
    ),
    "BANK_CARD": word_list("bank_card bankcard card_number cardnumber card_no credit_card iban 卡号 银行卡 银行卡号"),
}
_NO_VALUES = word_list("none null undefined true false string str required optional n/a")
_NAME_FIELDS = ("name", "key", "header", "field")


def redact_value(value: object, level: Level = "secrets") -> object:
    """Return the value without secrets: strings as by `redact`, values under the name of a secret entirely, at any depth.

    Dictionaries (keys too), lists, tuples and sets are copied, bytes stay bytes; header lists (`[["Authorization", "…"]]`,
    `{"name": "password", "value": "…"}`) are recognised. Other objects are returned unchanged: convert them to text first.
    Values nested deeper than 200 levels, or in themselves, become `[NESTED]`.
    """
    if level == "none":
        return value
    return _redacted(value, level, None, ())


def _redacted(value: object, level: Level, under: Label | None, parents: tuple[int, ...]) -> object:
    if isinstance(value, str):
        written = value.strip()
        if under is not None and written and written.lower() not in _NO_VALUES and not is_template(written):
            return placeholder(under)
        return redact(value, level)
    if value is None or isinstance(value, bool | float | complex):
        return value
    if isinstance(value, int):
        # Numbers without a name are ids and times; the name makes one a password or a telephone number.
        return placeholder(under) if under in ("PASSWORD", "PHONE", "ID_CARD", "BANK_CARD") else value
    if isinstance(value, bytes | bytearray):
        cleaned = _redacted(value.decode("utf-8", "surrogateescape"), level, under, ())
        return str(cleaned).encode("utf-8", "surrogateescape")
    if not isinstance(value, Mapping | list | tuple | set | frozenset):
        return value
    if id(value) in parents or len(parents) >= _DEEPEST:
        return "[NESTED]"
    parents = (*parents, id(value))
    if isinstance(value, Mapping):
        return _redacted_mapping(value, level, under, parents)
    if isinstance(value, list | tuple):
        if len(value) == 2 and isinstance(value[0], str) and (label := _label_of(value[0], value[1], level)):
            items: list[object] = [value[0], _redacted(value[1], level, label, parents)]
        else:
            items = [_redacted(item, level, under, parents) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return {_redacted(item, level, under, parents) for item in value}


def _redacted_mapping(
    value: Mapping[object, object], level: Level, under: Label | None, parents: tuple[int, ...]
) -> dict[object, object]:
    announced = next((value[field] for field in _NAME_FIELDS if isinstance(value.get(field), str)), None)
    result: dict[object, object] = {}
    for key, item in value.items():
        label = under
        if isinstance(key, str):
            label = _label_of(key, item, level) or under
            if key == "value" and isinstance(announced, str):
                label = _label_of(announced, item, level) or label
        kept = _redacted(key, level, None, parents) if isinstance(key, str | bytes | tuple) else key
        while kept in result:
            kept = f"{kept}*"
        result[kept] = _redacted(item, level, label, parents)
    return result


def _label_of(name: str, item: object, level: Level) -> Label | None:
    """Return the label of the field `name`, or None if the name or its value shows that it is harmless."""
    folded = name.strip().lower()
    if folded in ("cookie", "set-cookie", "cookies"):
        return "COOKIE"
    if folded in ("authorization", "proxy-authorization"):
        return "TOKEN"
    kind = kind_of_name(name)
    if kind is not None and _holds_secret(kind, item):
        return LABELS[kind]
    if level == "all":
        return next((label for label, names in _PERSONAL_NAMES.items() if folded in names), None)
    return None


def _holds_secret(kind: Kind, item: object) -> bool:
    """Return True if a field of this kind holds a secret: any value of a password, but not every value of a `token` or `key`."""
    if kind == "password" or not isinstance(item, str):
        return kind != "key"
    if kind == "secret":
        return len(item) >= 4
    return len(item) >= (6 if kind == "token" else 20) and any(c.isdigit() for c in item)
