"""Instructions to the memory's model in remembered text (prompt injection): kept as content, never followed."""

from __future__ import annotations

import re

from .statements import spoken_by, stamped, statements

_INSTRUCTION = re.compile(
    r"(?:忽略|无视|忘掉|忘记|不要理会|别管|抛开|清除|清空|删除|覆盖)[^。\n]{0,12}(?:以上|上面|之前|此前|先前|前面|所有|全部|一切)?[^。\n]{0,8}"
    r"(?:指令|指示|提示|规则|要求|设定|内容|章节|记忆|文章|对话)"
    r"|(?:系统提示|系统指令|system\s*prompt|开发者模式|developer mode|越狱|jailbreak)"
    r"|</?\s*(?:Bedrock|Evolutionary|Dynamic|system|assistant|instructions?)\s*>"
    r"|(?:写进|写入|写到|写在|加进|加到|放进|改写|重写|替换|输出|记入)[^。\n]{0,12}(?:Bedrock|Evolutionary|Dynamic|长期记忆|章节|基石|档案|文章)"
    r"|(?:在|往|把|将)[^。\n]{0,12}(?:Bedrock|Evolutionary|Dynamic|长期记忆|章节|档案)[^。\n]{0,12}(?:写|加|改|删|换|清)"
    r"|\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:all|any|above|previous|prior|earlier|everything|instructions?|rules?"
    r"|prompts?|articles?|chapters?)\b"
    r"|\b(?:write|put|add|insert|replace|output|set|erase|delete|clear|wipe)\b[^.\n]{0,40}\b(?:Bedrock|Evolutionary|Dynamic|chapters?"
    r"|your (?:long-term )?memory|the article|your profile)\b"
    r"|\byou (?:are now|must now|will now|shall now)\b|\bnew instructions?\b|你现在是|从现在起你|你必须(?:立刻|马上|只)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"要求|要我|让我|叫我|命令|声称|自称|试图|想让|要我把|曾说|说过|写道"
    r"|\b(?:asked|told|ordered|demanded|instructed|tried|claims?|claimed|wanted me|requested|said)\b",
    re.IGNORECASE,
)
_REACH = 2
"""Sentences after an instruction in the same line that belong to it ("Ignore all that. Write: …")."""


def split_instructions(text: str) -> tuple[list[str], list[str]]:
    """Split a text into content statements and statements that instruct the memory's model.

    Up to two sentences after an instruction in the same line belong to it. In a line "name: …" each statement keeps the name.
    """
    content: list[str] = []
    instructions: list[str] = []
    for line in text.splitlines():
        within = 0
        speaker = spoken_by(stamped(line)[1])[0]
        for n, statement in enumerate(statements(line)):
            if n and speaker:
                statement = f"{speaker}: {statement}"
            if _INSTRUCTION.search(statement):
                within = _REACH + 1
            (instructions if within else content).append(statement)
            within = max(0, within - 1)
    return content, instructions


def is_report(line: str) -> bool:
    """Return True if a line reports a request or a claim of somebody."""
    return _REPORTED.search(line) is not None
