"""The form of a rewrite: empty text, another language, chatter of the model, length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...schema.names import Names
from ..language import detect_language
from .findings import Finding

SHORTEST = 0.4
"""Minimum length of a rewrite as a share of the shorter of source and draft; a shorter one lost content."""
LONGEST = 2.5
"""Maximum length as a multiple of the longer one, not counting names and `LENGTH_ALLOWANCE`."""
LENGTH_ALLOWANCE = 24
"""Characters that a rewrite may exceed `LONGEST` by, for example for a date and a place."""

_SECOND_PARAGRAPH = re.compile(r"\S\s*?\n[ \t]*\n\s*(\S[^\n]{0,60})")
_BLANKS = re.compile(r"\s+")

# Chatter of models around an answer. Openings match only at the start of the text or of a line, remarks anywhere;
# neither counts if the source contains the same words.
_OPENINGS = re.compile(
    r"""
    ^[ \t]*(?:
        (?:好的|好|当然可以|当然|没问题|可以|明白了?|收到|OK|Sure(?:ly)?|Certainly|Of[ ]course|Okay|Absolutely|Got[ ]it)
        [，,。.！!：:]?[ ]?(?:
            [^\n，,。：:]{0,10}(?:以下|下面|这是|改写|重写|转换)
          | (?:here|below|the[ ](?:rewritten|revised))(?:['’]s|[ ])[^\n]{0,60}?:
          | [^\n]{0,24}[:：]\s
        )
      | (?:以下|下面|如下|这)(?:是|为)[^\n，。]{0,24}(?:文本|改写|结果|内容|版本|句子|记录|答案|输出)[^\n，。]{0,8}[：:]
      | (?:原文|原句|输出|结果|答案|译文|草稿|修改后|修改说明|解释|说明|注|备注|注意|参考|提示
          |(?:改写|重写)(?:后的?|结果)?(?:文本|句子|内容)?|最终(?:版本|文本|结果|答案))[ ]?[：:]
      | [（(](?:注|说明|备注|解释|注意)[：:]
      | Here(?:['’]s|[ ](?:is|are))[ ](?:the|your|a|my)[ ](?:rewritten|revised|rewrite|corrected|updated|final|absolute
          |resulting|text|sentence|answer|output|result|version)[^\n]{0,60}
      | (?:Below|The[ ]following)[ ]is[ ](?:the|a|your)[ ][^\n]{0,40}:
      | (?:The[ ])?(?:rewritten|revised|corrected|final|original|resulting|absolute)[ ](?:text|version|sentence|note
          |record|answer|output|action[ ]?summary|item)s?[^\n:]{0,30}:
      | (?:Original|Rewritten|Rewrite|Revised|Output|Answer|Result|Draft|Source|Explanation|Translation|Note|Input
          |Assistant|System|Response)[ ]?:[ ]
      | As[ ]an?[ ](?:AI|artificial|large[ ]language|language[ ]model)\b[^\n,.]{0,40}
      | (?:I['’]m|I[ ]am)[ ](?:sorry|unable|afraid|not[ ]able)\b
      | I[ ]apologi[sz]e(?=[ ]?(?:[,.!]|for|but)) | Sorry,[ ](?:but[ ])?I\b
      | I[ ](?:can(?:no|['’])t|cannot|won['’]t|will[ ]not|am[ ]not[ ]able[ ]to)[ ](?:assist|help|rewrite|comply|fulfil
          |provide|do[ ]that|process|answer)
      | (?:很|非常|十分)?(?:抱歉|对不起|不好意思)[，,。！!]?(?:但是?)?[，,]?(?:我|作为|无法|不能)
      | 作为(?:一个|一名|一款)?[^\n，,。]{0,6}(?:AI|人工智能|语言模型|大模型|助手)
      | 我(?:无法|不能|没法)(?:完成|提供|协助|回答|改写|处理|满足|帮助|生成|执行)
      | \#{1,6}[ ] | [-*][ ] | \d{1,2}[.)、][ ] | \*\*[^\n*]{1,40}\*\*[：:]?
      | <\/?(?:text|think|answer|output|rewrite|result|response|summary|item|draft|source)\b[^>\n]{0,40}>
      | [{\[][ \t]*["'{]
    )
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_REMARKS = re.compile(
    r"""
    ```|~~~
  | \{\{?[a-z_]{2,30}\}?\} | \[(?:bot|user|group)(?:_name|_id)?\]
  | ["'](?:text|rewritten|action_summary|new_info|result|output|answer|rewrite|items?)["']\s?:
  | </?(?:text|think|answer|output|rewrite|result|response|draft|source)>
  | let[ ]me[ ]know[ ]if | (?:I[ ])?hope[ ]th(?:is|at)[ ]helps | is[ ]there[ ]anything[ ]else | feel[ ]free[ ]to[ ]ask
  | as[ ]an[ ]AI[ ](?:language[ ]model|assistant|model) | (?:has|have)[ ]been[ ]rewritten
  | \(Note:[^)\n]{0,80} | (?<=\n)Note[ ]that
  | 希望(?:这|以上)?[^\n，。]{0,6}(?:有所?帮助|帮到|满意) | 如(?:果|需)[^\n。]{0,16}(?:请告诉我|请随时|告知我|欢迎继续)
  | 请问(?:还有|您|你)[^\n]{0,16}帮 | 作为(?:一个|一名)?(?:AI|人工智能)(?:语言)?(?:模型|助手)
  | [（(](?:注|说明|备注|解释)[：:][^）)\n]{0,60}
  | (?:改写|重写|替换)(?:后的?|之后)?(?:文本|句子|内容|结果|版本)?[：:] | 根据(?:您|你)的要求 | 原文[：:]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SAID_ALREADY = 12
"""Characters of a match that are looked up in the source; if the source contains them, the match is content."""


def visible_length(text: str) -> int:
    """Return the number of characters that are not white space."""
    return len(_BLANKS.sub("", text))


def malformed(
    candidate: str, *, source: str, drafts: Sequence[str], names: Names, name_spans: Sequence[tuple[int, int]]
) -> list[Finding]:
    """Return findings for an empty text, another language, chatter of the model, or a length out of bounds."""
    if not visible_length(candidate):
        return [Finding("empty", "", 0, len(candidate), "empty")]
    findings = list(chatter(candidate, source))
    language = _language(candidate, source, drafts, name_spans)
    if language is not None:
        findings.append(language)
    length = _length(candidate, source, drafts, names)
    if length is not None:
        findings.append(length)
    return findings


def chatter(candidate: str, source: str) -> Iterator[Finding]:
    """Yield chatter of the model ("Here is the …", a code fence) that the source does not contain."""
    lowered = source.casefold()
    taken = 0
    for match in sorted((*_OPENINGS.finditer(candidate), *_REMARKS.finditer(candidate)), key=lambda found: found.start()):
        start, end = match.span()
        start += len(match.group()) - len(match.group().lstrip())
        if start < taken or candidate[start:end].strip().casefold()[:_SAID_ALREADY] in lowered:
            continue
        taken = end
        yield Finding("refusal", candidate[start:end], start, end, "chatter")
    gap = _SECOND_PARAGRAPH.search(candidate)
    if gap and not taken and "\n" not in source:
        yield Finding("refusal", gap[1], gap.start(1), gap.end(1), "second paragraph")


def _language(candidate: str, source: str, drafts: Sequence[str], name_spans: Sequence[tuple[int, int]]) -> Finding | None:
    written = detect_language(candidate, ignore=name_spans)
    given = detect_language(source)
    if given in (written, detect_language(candidate)) or any(detect_language(draft) == written for draft in drafts):
        return None
    return Finding("language", candidate, 0, len(candidate), f"{given} to {written}")


def _length(candidate: str, source: str, drafts: Sequence[str], names: Names) -> Finding | None:
    length = visible_length(candidate)
    lengths = [visible_length(text) for text in (source, *drafts)]
    allowance = LENGTH_ALLOWANCE + sum(map(len, (names.bot_name, names.user_name, names.user_id, names.group_name)))
    if length > LONGEST * max(lengths) + allowance:
        return Finding("length", candidate, 0, len(candidate), "too long")
    # A short text may lose particles, so a difference of up to four characters is accepted.
    if length < SHORTEST * min(lengths) and min(lengths) - length > 4:
        return Finding("length", candidate, 0, len(candidate), "too short")
    return None
