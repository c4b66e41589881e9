"""What is wrong with the arguments of a call, for the model that wrote them: wholly in Chinese, or wholly in English."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import ValidationError

from ...schema.errors import HistorianError, InvalidInput
from ...text.language import Language

UNKNOWN_TOOL: Mapping[Language, str] = {
    "zh": "没有 {name} 这个工具，只有 {known}",
    "en": "there is no tool {name}; there are {known}",
}
_NO_OBJECT: Mapping[Language, str] = {"zh": "应为一个 JSON 对象", "en": "expected one JSON object"}
_CHINESE = {
    "missing": "缺少这一项",
    "string_type": "应为字符串",
    "int_type": "应为整数",
    "int_parsing": "应为整数",
    "int_from_float": "应为整数",
    "bool_type": "应为 true 或 false",
    "bool_parsing": "应为 true 或 false",
    "list_type": "应为数组",
    "literal_error": "应为 {expected} 之一",
    "greater_than_equal": "不能小于 {ge}",
    "less_than_equal": "不能大于 {le}",
}
"""pydantic's kinds of errors, as far as the arguments of tools can have them."""
_FIELD = re.compile(r"([a-z_][\w.]*): ", re.ASCII)


def problem(error: Exception, language: Language, described: Mapping[str, Mapping[Language, str]] | None = None) -> str:
    """The field and what is wrong with it. `described` says by field what belongs there.

    Messages of Historian's own errors are English: of those a Chinese answer names the field and says what belongs there, the
    rest is for the log.
    """
    if isinstance(error, ValidationError):
        return _of_validation(error, language)
    if not isinstance(error, HistorianError):
        return _NO_OBJECT[language]
    if language == "en":
        return str(error)
    field = _FIELD.match(str(error)) if isinstance(error, InvalidInput) else None
    if field is None:
        return "内容不能接受，原因见日志" if isinstance(error, InvalidInput) else "原因见日志"
    wanted = (described or {}).get(field[1])
    return f"{field[1]}：填写有误" + (f"，应为：{wanted['zh']}" if wanted else "")


def unknown_tool(name: str, known: str, language: Language) -> str:
    """That there is no tool of this name."""
    return UNKNOWN_TOOL[language].format(name=f"{name!r:.60}", known=known)


def _of_validation(error: ValidationError, language: Language) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    if not where:
        return _NO_OBJECT[language]
    if language == "en":
        return f"{where}: {first['msg']}"
    context = {key: str(value).replace(" or ", "、") for key, value in first.get("ctx", {}).items()}
    return f"{where}：{_CHINESE.get(first['type'], '填写有误').format(**context)}"
