"""Quote text for a prompt as one line that can neither end the quote nor imitate another role.

Replaced are invisible characters, brackets of tags and of chat templates, fences, headings, and the colon after a role at
the beginning of a sentence. Words are unchanged.
"""

from __future__ import annotations

import re
import unicodedata

_WHITE = re.compile(r"\s+")
_LINE_ENDS = re.compile("[\n\r\t\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Characters that show nothing and yet are letters, marks or symbols to Unicode."""
_UNSEEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))

_BRACKETS = str.maketrans("<＜﹤〈\u2329⟨⧼❮>＞﹥〉\u232a⟩⧽❯`｀", "‹‹‹‹‹‹‹‹››››››››ˋˋ")
_TEMPLATE = re.compile(
    r"\[\s*(/?\s*(?:INST|SYS|SYSTEM|ASSISTANT|USER|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS))\s*\]", re.IGNORECASE
)
_RUNS = re.compile(r"#{2,}|~{3,}|-{3,}|={3,}|\*{3,}|_{3,}|\"{3,}|'{3,}")
_ROLE = re.compile(
    r"(^|[.!?;。！？；…\]）)›»”\"'|*]\s*|\s{2,}|(?<=\s)(?=[A-Z]{4,}\s*[:：]))"
    r"((?:new\s+)?(?:system|assistant|user|human|developer|tool|function|instructions?|ai)(?:\s+(?:prompt|message|instructions?))?"
    r"|系统(?:提示|消息|指令)?|助手|助理|用户|开发者|指令|工具)(\s*)[:：]",
    re.IGNORECASE,
)


def quoted(text: str) -> str:
    """Return `text` on one line in which nothing can end the block that it is quoted in."""
    kept = _LINE_ENDS.sub(" ", text)
    if not kept.isascii() or not kept.isprintable():
        kept = "".join(c for c in kept if unicodedata.category(c) not in _UNSEEN_CATEGORIES)
        kept = _UNSEEN.sub("", kept)
    kept = _WHITE.sub(" ", kept).strip().translate(_BRACKETS)
    kept = _TEMPLATE.sub(r"(\1)", kept)
    kept = _RUNS.sub(lambda match: match.group()[0], kept)
    # The ratio sign looks like a colon and makes no role.
    return _ROLE.sub(lambda match: f"{match[1]}{match[2]}{match[3]}∶", kept)


def quoted_name(name: str) -> str:
    """Return a name for a label in square brackets: quoted, without brackets, at most 64 characters."""
    plain = quoted(name).translate(str.maketrans("[]【】［］", "()()()"))
    return plain if len(plain) <= 64 else plain[:63] + "…"
