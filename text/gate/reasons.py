"""The gate's findings as sentences that are put to the model word for word."""

from __future__ import annotations

from typing import Literal

from .findings import Finding, GateResult

_QUOTED = 60
"""Characters of a wording that are quoted at most; the rest is cut off with an ellipsis."""

_SENTENCES: dict[str, dict[tuple[str, str], str]] = {
    "zh": {
        ("pronoun", ""): "“{text}”是代词，离开这段对话就不知道指谁：请换成名字。",
        ("pronoun", "first"): "“{text}”不能出现在记录里：请换成说话人的名字。",
        ("pronoun", "second"): "“{text}”不能出现在记录里：请换成对方的名字。",
        ("pronoun", "orphan"): "“{text}”前面没有出现所指的人：请换成名字。",
        ("pronoun", "ambiguous"): "“{text}”可能指前面的好几个人：请换成名字。",
        ("reference", ""): "“{text}”没有说明是谁：请换成名字。",
        ("time", ""): "“{text}”是相对时间，过后就看不懂了：请照草稿写成具体日期。",
        ("place", ""): "“{text}”没有说明是哪里：请换成群名或地名。",
        ("number", "invented"): "原文里没有“{text}”：不要添加或改动数字和日期。",
        ("number", "lost"): "漏掉了“{text}”：请保留原文里的数字和日期。",
        ("name", "invented"): "原文里没有“{text}”：不要添加或改动名称。",
        ("name", "lost"): "漏掉了“{text}”：请原样保留这个名称。",
        ("title", "invented"): "原文里没有{text}：引号和书名号里的文字不能改。",
        ("title", "lost"): "漏掉了{text}：请原样保留引号和书名号里的文字。",
        ("role", "lost"): "没有提到“{text}”：请写出这个名字。",
        ("role", "swapped"): "“{text}”把人物弄反了：谁做的、对谁做的，要和草稿一致。",
        ("place", "lost"): "漏掉了“{text}”：请写出这件事发生在哪里。",
        ("language", ""): "请用和原文相同的语言（中文）来写，不要翻译。",
        ("empty", ""): "回答是空的：请写出改写后的句子。",
        ("refusal", ""): "“{text}”不属于记录：只写改写后的句子，不要解释、标题、代码框或道歉。",
        ("refusal", "second paragraph"): "只写一段改写后的句子，不要再加别的段落。",
        ("length", "too long"): "太长了：只改写原文，不要补充内容。",
        ("length", "too short"): "太短了：原文的内容要全部保留。",
    },
    "en": {
        ("pronoun", ""): '"{text}" is a pronoun that nobody understands out of context: write the name instead.',
        ("pronoun", "first"): '"{text}" must not stand in a record: write the name of the one who speaks.',
        ("pronoun", "second"): '"{text}" must not stand in a record: write the name of the one spoken to.',
        ("pronoun", "orphan"): 'Nobody whom "{text}" could mean is named before it: write the name instead.',
        ("pronoun", "ambiguous"): '"{text}" could mean several people named before it: write the name instead.',
        ("reference", ""): '"{text}" does not say who it is: write the name instead.',
        ("time", ""): '"{text}" is relative to today: write the date as the draft does.',
        ("place", ""): '"{text}" does not say where: write the name of the group or place.',
        ("number", "invented"): '"{text}" is not in the original: do not add or change numbers and dates.',
        ("number", "lost"): '"{text}" is missing: keep the numbers and dates of the original.',
        ("name", "invented"): '"{text}" is not in the original: do not add or change names.',
        ("name", "lost"): '"{text}" is missing: keep this name as it is written.',
        ("title", "invented"): "{text} is not in the original: do not change what stands in quotation marks.",
        ("title", "lost"): "{text} is missing: keep what stands in quotation marks word for word.",
        ("role", "lost"): '"{text}" is not mentioned: write this name.',
        ("role", "swapped"): '"{text}" mixes up the people: who did it, and to whom, must be as in the draft.',
        ("place", "lost"): '"{text}" is missing: write where it happened.',
        ("language", ""): "Write in the language of the original (English); do not translate.",
        ("empty", ""): "The answer is empty: write the rewritten sentence.",
        ("refusal", ""): '"{text}" does not belong to the record: write the sentence alone, with no explanation, heading, '
        "code fence or apology.",
        ("refusal", "second paragraph"): "Write one paragraph, the rewritten sentence alone.",
        ("length", "too long"): "Too long: rewrite the original and add nothing.",
        ("length", "too short"): "Too short: keep everything that the original says.",
    },
}


def reasons(result: GateResult, language: Literal["zh", "en"]) -> list[str]:
    """Return one sentence for each violation, in text order, none twice.

    Each names the exact wording it is about, says what is wrong with it and what to write instead; they are made to be
    put to the model word for word, and to be stored with a record that never passed.
    """
    return list(dict.fromkeys(reason(finding, language) for finding in result.violations))


def reason(finding: Finding, language: Literal["zh", "en"]) -> str:
    """The sentence for one finding."""
    sentences = _SENTENCES[language]
    sentence = sentences.get((finding.kind, finding.why)) or sentences[finding.kind, ""]
    text = " ".join(finding.text.split())
    if len(text) > _QUOTED:
        text = text[: _QUOTED - 1] + "…"
    return sentence.replace("{text}", text)
