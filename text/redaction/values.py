"""Redaction of structured values: dictionaries, lists, header pairs."""

from collections.abc import Mapping

from ..word_lists import word_list
from .names import LABELS, kind_of_name
from .plausible import is_template
from .rules import Label, Level, placeholder
from .search import redact

_DEEPEST = 200
_LABELS_OF_NAMES: dict[Label, frozenset[str]] = {
    "COOKIE": word_list("cookie set-cookie cookies"),
    "TOKEN": word_list("authorization proxy-authorization"),
}
_PERSONAL_NAMES: dict[Label, frozenset[str]] = {
    "PHONE": word_list(
        "phone mobile telephone tel fax phone_number phonenumber mobile_phone mobile_number cellphone whatsapp"
        " 手机 手机号 手机号码 手機 电话 电话号码 联系电话 電話"
    ),
    "EMAIL": word_list("email e-mail mail email_address emailaddress 邮箱 邮箱地址 电子邮箱"),
    "ID_CARD": word_list(
        "id_card idcard id_number 身份证 身份证号 身份证号码 證件 passport passport_number 护照 护照号 ssn"
    ),
    "BANK_CARD": word_list(
        "bank_card bankcard card_number cardnumber card_no credit_card iban 卡号 银行卡 银行卡号"
    ),
}
_NO_VALUES = word_list("none null undefined true false string str required optional n/a")
_NAME_FIELDS = ("name", "key", "header", "field")


def redact_value(value: object, level: Level = "secrets") -> object:
    """Return the value without secrets, at any depth.

    Strings are redacted as by `redact`; a value under the name of a secret is replaced entirely.
    Dictionaries (also their keys), lists, tuples and sets are copied; bytes remain bytes. Header
    lists (`[["Authorization", "…"]]`, `{"name": "password", "value": "…"}`) are recognised. Other
    objects are returned unchanged: convert them to text first. Values nested deeper than 200
    levels, or in themselves, become `[NESTED]`.
    """
    return value if level == "none" else _redacted(value, level, None, ())


def _redacted(value: object, level: Level, under: Label | None, parents: tuple[int, ...]) -> object:
    if isinstance(value, str):
        written = value.strip()
        if (
            under is not None
            and written
            and written.lower() not in _NO_VALUES
            and not is_template(written)
        ):
            return placeholder(under)
        return redact(value, level)
    if isinstance(value, int) and not isinstance(value, bool):
        # A number is an id or a time, unless its name makes it a password or a telephone number.
        return placeholder(under) if under in ("PASSWORD", *_PERSONAL_NAMES) else value
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
    labels = [under] * len(value)
    if isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str):
        labels[1] = _label_of(value[0], value[1], level) or under
        labels[0] = under if labels[1] == under else None
    items = [
        _redacted(item, level, label, parents) for item, label in zip(value, labels, strict=True)
    ]
    return (
        items
        if isinstance(value, list)
        else tuple(items)
        if isinstance(value, tuple)
        else set(items)
    )


def _redacted_mapping(
    value: Mapping[object, object], level: Level, under: Label | None, parents: tuple[int, ...]
) -> dict[object, object]:
    announced = next(
        (value[field] for field in _NAME_FIELDS if isinstance(value.get(field), str)), None
    )
    result: dict[object, object] = {}
    for key, item in value.items():
        named = announced if key == "value" and isinstance(announced, str) else key
        label = (_label_of(named, item, level) if isinstance(named, str) else None) or under
        kept = _redacted(key, level, None, parents) if isinstance(key, str | bytes | tuple) else key
        while kept in result:
            kept = f"{kept}*"
        result[kept] = _redacted(item, level, label, parents)
    return result


def _label_of(name: str, item: object, level: Level) -> Label | None:
    """Return the label of the field `name`, or None if name or value show that it is harmless."""
    folded, kind = name.strip().lower(), kind_of_name(name)
    if kind is not None and folded not in _LABELS_OF_NAMES["TOKEN"]:
        # Any value of a `password` is a secret, but not every value of a `token` or `key`.
        least = {"password": 0, "secret": 4, "token": 6, "key": 20}[kind]
        is_drawn = isinstance(item, str) and len(item) >= least
        if kind in ("token", "key") and isinstance(item, str):
            is_drawn = is_drawn and any(map(str.isdigit, item))
        if kind == "password" or is_drawn or (kind != "key" and not isinstance(item, str)):
            return LABELS[kind]
    known = _LABELS_OF_NAMES if level == "secrets" else {**_LABELS_OF_NAMES, **_PERSONAL_NAMES}
    return next((label for label, names in known.items() if folded in names), None)
