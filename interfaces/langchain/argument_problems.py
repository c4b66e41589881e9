"""Error messages about wrong tool arguments, in Chinese or English, for the calling model."""

from __future__ import annotations

import re

from pydantic import ValidationError

from ...schema.errors import HistorianError, InvalidInput
from ...schema.language import Language
from ...schema.validation import problems
from .texts import TEXTS, Texts

_PROBLEMS: Texts = TEXTS["problems"]
_FIELD = re.compile(r"([a-z_][\w.]*): ", re.ASCII)


def problem(error: Exception, language: Language, expected_by_field: Texts | None = None) -> str:
    """Return the field and its problem. `expected_by_field` maps a field to its expected content.

    Historian's own error messages are in English only. In Chinese, the text consists of the field
    and its entry in `expected_by_field`; the full message is in the log.
    """
    if isinstance(error, ValidationError):
        return _of_validation(error, language)
    if not isinstance(error, HistorianError):
        return _PROBLEMS["no_object"][language]
    if language == "en":
        return str(error)
    field = _FIELD.match(str(error)) if isinstance(error, InvalidInput) else None
    if field is None:
        return "内容不能接受，原因见日志" if isinstance(error, InvalidInput) else "原因见日志"
    wanted = (expected_by_field or {}).get(field[1])
    return f"{field[1]}：填写有误" + (f"，应为：{wanted['zh']}" if wanted else "")


def unknown_tool(name: str, known: str, language: Language) -> str:
    """Return the message for an unknown tool."""
    return _PROBLEMS["unknown_tool"][language].format(name=f"{name!r:.60}", known=known)


def _of_validation(error: ValidationError, language: Language) -> str:
    where, message, first = problems(error)[0]
    is_unknown = first["type"] == "unknown_argument"
    if not where and not is_unknown:
        return _PROBLEMS["no_object"][language]
    if language == "en":
        return message if is_unknown else f"{where}: {message}"
    context = {key: str(value).replace(" or ", "、") for key, value in first.get("ctx", {}).items()}
    if "expected" in context:  # the allowed values, one of which is expected
        context["expected"] = context["expected"].replace(", ", "、")
    return f"{where or context['name']}：{TEXTS['errors'].get(first['type'], '填写有误').format(**context)}"
