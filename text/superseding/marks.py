"""The words, Chinese and English, by which statements say that something has changed, has ended or was never so.

The words are data, in `marks.toml`, which says of each table what it marks; the patterns that take a statement apart are here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..word_lists import word_tables

_TABLES = word_tables("superseding/marks.toml")


def _any_of(name: str) -> re.Pattern[str]:
    """Return the pattern of a table: its `parts` anywhere, its `english` as whole words."""
    table: dict[str, Sequence[str]] = _TABLES[name]
    english = [rf"\b(?:{'|'.join(table['english'])})\b"] if "english" in table else []
    return re.compile("|".join([*table.get("parts", ()), *english]), re.IGNORECASE)


UNREAL, PAST, VISITING, BESIDES = map(_any_of, ("unreal", "past", "visiting", "besides"))
CHANGED, RESUMED, OVER, STOPPED, WEAK = map(_any_of, ("changed", "resumed", "over", "stopped", "weak"))
LIKED, DISLIKED, DIED, HAPPENED = map(_any_of, ("liked", "disliked", "died", "happened"))
WRONG, RATHER = map(_any_of, ("wrong", "rather"))
ENDED_BY = tuple(tuple(re.compile("|".join(one[end]), re.IGNORECASE) for end in ("state", "end")) for one in _TABLES["ended_by"])
NAMELIKE = re.compile(
    rf"(?:{'|'.join(_TABLES['namelike']['parts'])})$|\b(?:{'|'.join(_TABLES['namelike']['english'])})$", re.IGNORECASE
)
PERSON, ENGLISH_PERSON = ("|".join(_TABLES["person"][key]) for key in ("parts", "english"))

HAN = re.compile(r"[㐀-鿿]")
REPORTED = re.compile(
    r"\s*(?:说(?:了|过)?|表示|通知(?:大家)?|宣布|提到|指出|告诉(?:大家|我们)|补充(?:说)?|[:：])[，,:：“\"]*"
    r"|\s+(?:said|says|announced|mentioned|pointed out|explained|confirmed|added|told (?:us|me"
    r"|everyone))(?:\s+that)?[\s,:“\"]+",
    re.IGNORECASE,
)
OPENING = re.compile(
    r"^(?:\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?|\d{4}年\d{1,2}月(?:\d{1,2}日)?|(?:On|Since|From|In) \d{4}(?:-\d{2}-\d{2})?)[，, ]*"
)
OTHERS = re.compile(
    rf"^(?:的|家)?[^，,。和跟与有没]{{0,4}}?(?P<zh>{PERSON})|^['’]s (?:\w+ ){{0,2}}?(?P<en>{ENGLISH_PERSON})\b", re.IGNORECASE
)
CLAUSES = re.compile(r"[，,;；。!！]|(?<=[a-z0-9]) (?:because|since|after|when|but|so)(?= )|(?<=[a-z0-9])\. ")

# What one has only once, with the value behind the words that name it.
VALUE = r"([^，,。;；]{1,24})"
ONE_VALUE: dict[str, re.Pattern[str]] = {
    "home": re.compile(
        rf"(?<!把)(?:定居(?:在|于)?|租?住(?:在|进|到|去)(?!了?院)|搬(?:到|去|进|回|至)了?|搬家到)(?:了)?{VALUE}"
        rf"|在([^，,。]{{1,12}})(?:租房|租了|买了房|安家)"
        rf"|\b(?:lives? (?:in|on|at)|(?:has )?(?:moved|relocated) (?:back )?(?:in)?to|resides? in|(?:has )?settled in"
        rf"|living in) {VALUE}",
        re.IGNORECASE,
    ),
    "workplace": re.compile(
        rf"在([^，,。]{{1,16}}?)(?:工作|上班|任职|就职)|(?:就职于|任职于|入职了?|跳槽(?:到|去)了?|加入了?){VALUE}"
        rf"|\b(?:works? (?:at|for)|(?:has )?joined|is employed (?:at|by)|(?:has )?signed with|(?:new"
        rf"|started a) job at) {VALUE}",
        re.IGNORECASE,
    ),
    "trade": re.compile(
        rf"(?:职业是|(?:职位|岗位)是|升职?(?:成|为|任)了?|改行(?:做|当)|转行(?:做|当)|转岗(?:做|到)?){VALUE}"
        r"|是([^，,。]{0,12}(?:专员|主管|总监|经理|工程师|护士|医生|律师|会计|司机|店长|教师|程序员|设计师|厨师))(?![，,。]?[吗?？])"
        rf"|\b(?:works? as|(?:has )?started as|(?:was )?promoted to|is employed as|became|retrained as) {VALUE}",
        re.IGNORECASE,
    ),
    "school": re.compile(
        rf"在([^，,。]{{1,12}}?)(?:读书|读[本硕博研]|上(?:大|小|中)?学|念书|就读|念大学)|(?:转学到|考上了?|就读于){VALUE}"
        rf"|\b(?:studies at|is studying (?:[\w-]+ ){{1,3}}at|(?:has )?transferred to|is a student at) {VALUE}",
        re.IGNORECASE,
    ),
    "field": re.compile(rf"\b(?:is studying|studies|majors in) {VALUE}", re.IGNORECASE),
    "vehicle": re.compile(rf"开(?:的是)?(?:一辆|一台)?([^，,。会店车]{{2,12}})$|\bdrives an? {VALUE}", re.IGNORECASE),
    "relation": re.compile(
        rf"\bis (single|married|divorced|engaged|widowed)\b|(单身|已婚|离异)|\b(?:is dating|is engaged to|is married to"
        rf"|married) {VALUE}",
        re.IGNORECASE,
    ),
    "form of address": re.compile(
        rf"(?:希望|想|喜欢)被?(?:别人|大家)?(?:叫|称呼)(?:他|她|为|做|作)?{VALUE}|改名叫?(?:做|为)?{VALUE}"
        rf"|\b(?:wants|likes|prefers|asked) to be called {VALUE}|\bgoes by {VALUE}",
        re.IGNORECASE,
    ),
}

CALLED = re.compile(
    r"(?:名?叫|名字是|名为)[“\"]?(?P<zh>[^\s，,。的”\"]{1,8}?)[”\"]?(?=的|[，,。]|$)|\b(?:called|named) (?P<en>[A-Z][\w'-]*)"
)

STATED = re.compile(
    r"^(?P<head>[^，,。:：]{2,24}?)(?:是|叫做?|为|改成了?|换成了?)(?P<value>[^，,。]{1,40})"
    r"|^(?P<english>[^,.;:]{3,60}?) (?:is|are"
    r"|is named|is called|is now) (?P<told>[^,;]{1,60})",
    re.IGNORECASE,
)
# What stands behind them is the new value, not what has changed.
TOWARDS = re.compile(
    r"(?<=搬到)了?.*|(?<=调到)了?.*|(?<=回到)了?.*|(?<=转学到)了?.*|(?<=换到)了?.*|(?<=改到)了?.*|(?<=移到)了?.*|(?<=换成)了?.*|(?<=改成)了?.*"
    r"|(?<=\bmoved).*?\bto\b.*|(?<=\brelocated).*?\bto\b.*|(?<=\bswitched) to\b.*|(?<=\bchanged) to\b.*",
    re.IGNORECASE,
)
# Something new of a kind: a change only for who had one of that kind.
REPLACED = re.compile(r"换了?(?:一)?[双台辆个部件套只条款把](?P<kind>[^，,。]+)")

# 改喝: another object of the same verb.
OTHER_OBJECT = re.compile(r"改(?:成|为)?(?P<verb>[喝坐骑学练住睡带考])")

NUMBER = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|\d+(?:[.:：]\d+)*"
    r"|[零一二两三四五六七八九十百千万]+(?=[点元块号月日岁层楼度%％公斤名个箱片次杯包条里])|[一二三四五六日天](?<=周.|期.)",
    re.IGNORECASE,
)
NAMED_VALUE = re.compile(r"(?<!\w)'[^']+'(?!\w)|\d+(?:[.:]\d+)*|[“\"《「『][^”\"》」』]+|[A-Za-z]*[A-Z]\w*|\S+@\S+")

DENIED = re.compile(
    r"(?:不是|并非|没有)(?P<zh>[^，,。]{1,12})|\b(?:not|n['’]t|wasn['’]t|isn['’]t)\s+(?:an? |the )?(?P<en>[^,.;]{2,24})",
    re.IGNORECASE,
)
