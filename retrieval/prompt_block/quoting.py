"""Quote text for a prompt as one line that can neither end the quote nor imitate another role.

Character references (`&lt;`) are decoded first. Then these are removed or replaced: invisible
characters, brackets of tags and of chat templates, fences, headings, and the colon after the name
of a role. Words are unchanged.
"""

from __future__ import annotations

import html
import re
import unicodedata

LONGEST_LINE = 20_000
"""The maximum number of characters of one memory that are quoted, far more than a block has room
for."""

_REFERENCE = re.compile(
    r"&(?:#\d{1,7};?|#[xX][0-9A-Fa-f]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};|(?:lt|gt|amp)(?:\b(?!=)|(?=\w{1,40};)))"
)
"""Character references, including those that a browser accepts without a semicolon. `&lta;` is one:
a line break after `&lta` becomes "; "."""
_NESTED = 4
"""The number of rounds in which character references are decoded (`&amp;lt;` takes two). References
that are left are then made ineffective."""

_WHITE = re.compile(r"[^\S\n]+")
_LINE_BREAK = re.compile(r"\s*\n\s*")
_LINE_ENDS = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that are invisible although Unicode classes them as letters, marks or symbols."""
_UNSEEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))

_OPENING, _CLOSING = "<＜﹤〈\u2329⟨⧼❮❬❰⟪⦉⦑˂ᐸ≺⋖ⵦ𐌂", ">＞﹥〉\u232a⟩⧽❯❭❱⟫⦊⦒˃ᐳ≻⋗ⵥ𐌃"
_BRACKETS = str.maketrans(
    _OPENING + _CLOSING + "`｀", "‹" * len(_OPENING) + "›" * len(_CLOSING) + "ˋˋ"
)
_ROUND = str.maketrans("[]【】［］〔〕〖〗⟦⟧", "()()()()()()")
_DATE = re.compile("[0-9]{2,4}(?:[-:][0-9]{2}){1,2}")
"""A date or a time of day. It needs no quoting, and each line of a block begins with one or
both."""
_TEMPLATE = re.compile(
    r"[\[［【〔〖⟦]\s*(/?\s*(?:INST|SYS|SYSTEM|ASSISTANT|USER|DEVELOPER|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|系统|系統|助手|用户|用戶))"
    r"\s*[\]］】〕〗⟧]",
    re.IGNORECASE,
)
_RUNS = re.compile(r"#{2,}|~{3,}|-{3,}|={3,}|\*{3,}|_{3,}|\"{3,}|'{3,}")
_ROLE = re.compile(
    r"((?<![a-z0-9_])(?:(?:new\s+)?(?:system|assistant|user|human|developer|tool|function|instructions?|ai|chatgpt|bot)"
    r"(?:\s+(?:prompt|message|instructions?))?)"
    r"|(?<![㐀-鿿])(?:系统|系統|助手|助理|用户|用戶|使用者|开发者|開發者|管理员|管理員|人工智能|指令|工具)"
    r"(?:提示词?|消息|訊息|指令)?)(\s*[\])）】］}*_\"'”’]{0,3}\s*)[:：﹕︰꞉ː։׃]",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"(?:(?<![a-z'’])(?:an?|the|her|his|its|my|our|your|their|this|that|each|every|another|new|old|other|same|main|favou?rite|"
    r"operating|file|sound|heating|cooling|solar|immune|security|computer|power|end|super)|[a-z]['’]s) \Z",
    re.IGNORECASE,
)
"""The words before a role name that make it an ordinary word: "her operating system: Linux", "Ann's
favourite tool: a hammer"."""
_STYLED = re.compile(
    "[\u0251\u0370-\u03ff\u0400-\u058f\u2100-\u214f\u2460-\u24ff\uff21-\uff5a\U0001d400-\U0001d7ff]"
)
_LOOK_ALIKES = dict(
    zip(
        "АВСЕНІЈКМОРЅТХУаеіјорѕсухтΑΒΕΗΙΚΜΝΟΡΤΥΧαορυɑ",
        "ABCEHIJKMOPSTXYaeijopscyxtABEHIKMNOPTYXaopua",
        strict=True,
    )
)


def quoted(text: str) -> str:
    """Return `text` on one line that cannot end the block in which it is quoted, cut to
    LONGEST_LINE characters.
    """
    kept = _visible(text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…")
    for _ in range(_NESTED if "&" in kept else 0):
        decoded = _REFERENCE.sub(_character, kept)
        if decoded == kept:
            break
        kept = _visible(decoded)
    kept = _LINE_BREAK.sub("\n", _WHITE.sub(" ", kept)).strip().translate(_BRACKETS)
    kept = _TEMPLATE.sub(r"(\1)", kept)
    kept = _RUNS.sub(lambda match: match.group()[0], kept)
    kept = _without_roles(kept).replace("\n", " ")
    return _REFERENCE.sub(_meaningless, kept) if "&" in kept else kept


def quoted_name(name: str) -> str:
    """Return a name for a label in square brackets: quoted, with round brackets in place of square
    ones, at most 64 characters.

    Of a longer name both ends are kept, because the id of the person may be at its end.
    """
    if _DATE.fullmatch(name):
        return name
    plain = quoted(name).translate(_ROUND)
    return plain if len(plain) <= 64 else f"{plain[:31]}…{plain[-32:]}"


def _visible(text: str) -> str:
    """Return the text with every line end as a line feed, without other control characters and
    without invisible characters.
    """
    kept = _LINE_ENDS.sub("\n", text)
    if kept.isascii() and kept.replace("\n", "").isprintable():
        return kept
    kept = "".join(
        c for c in kept if c in "\n\t" or unicodedata.category(c) not in _UNSEEN_CATEGORIES
    )
    return _UNSEEN.sub("", kept)


def _character(reference: re.Match[str]) -> str:
    """Return the character that a reference represents; return the reference unchanged if it
    represents none.
    """
    return html.unescape(reference.group())


def _meaningless(reference: re.Match[str]) -> str:
    return (
        reference.group()
        if _character(reference) == reference.group()
        else f"＆{reference.group()[1:]}"
    )


def _without_roles(text: str) -> str:
    """Return the text with the colon after every role name that may open a turn replaced by a ratio
    sign, which looks like a colon.

    A role name in lower case with a qualifying word before it ("her operating system: Linux") opens
    no turn and is left as it is.
    """
    read = text.translate(_LATIN) if not text.isascii() and _STYLED.search(text) else text
    pieces: list[str] = []
    done = 0
    for role in _ROLE.finditer(read):
        start = role.start()
        if not (read[start].islower() and _QUALIFIED.search(read, max(0, start - 20), start)):
            pieces += (text[done : role.end() - 1], "∶")
            done = role.end()
    return "".join([*pieces, text[done:]])


class _ReadAsLatin(dict[int, str]):
    """The Latin character as which a character is read when roles are searched for: `ｓ`, `𝐬` and
    the Cyrillic `ѕ` are read as `s`. Each maps to one character.
    """

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFKC", chr(code))
        self[code] = plain if len(plain) == 1 else chr(code)
        return self[code]


_LATIN = _ReadAsLatin({ord(other): latin for other, latin in _LOOK_ALIKES.items()})
