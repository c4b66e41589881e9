"""Families of texts of any length on which careless code takes time by the square of the length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

Family = Callable[[int, int], str]
"""Makes a text of about so many characters; the second argument is the first of its numbers, so that two texts differ."""

ENGLISH = (
    "Yesterday at 3 pm I met Ann for tea, and she told me that her exam is next month. We went hiking with Bob two weeks "
    "before his birthday; he said \"it's fine\" and I don't know what they want. Here in Leeds the user likes Rust 1.75. "
)
CHINESE = (
    "昨天下午三点我和小林去北京看了《三体》，上周五他说下个月要考试，去年夏天在杭州喝咖啡。前天晚上阿橘又抓坏了沙发，妈妈问我他什么时候来这里，"
    "我告诉她：“明天。”张老师喜欢喝茶，不喜欢下雨。"
)

# fmt: off
_REPEATED = [
    ENGLISH, CHINESE, "a@b.co ", "@a ", "@小 ", "https://a.b/c ", "http://", "a.", "a/", "/a", "#a", "[CQ:", "<@1",
    "[CQ:reply,", "[CQ:at,qq=1,",
    ":a", "1.", "1,", "他", "他说", "小王和他", "我们的", "这里", "我 ", "用户", "王", "妈妈", "的", "和、", "不",
    "了", "昨天", "今", "上上", "三", "三个半", "1月", "周一到", "每周一二三", "2026-", "2026-02-21 ", "12:30 ", "3 ",
    "4", "两个小时", "《", "》", "“我", "”", '"', '"a ', "'a ", "`", "`` ` ", "~~~ ", "（", "([{", "I ",
    "he told him ", "her dog ", "Ann and ", "Tom Lee ", "Bob told him ", "they ", "A", "Ab ", "Mr ", "the last ",
    "two days after ", "two weeks and ", "may 5 to ", "friday night ", "twenty-", "two hundred ", "and hate ",
    "don't ", "a", "a ", "Aa1_", "\n", " ", " \n", "\t", "。", "，", ", ", "! ", "- ", "- a\n", "Ann: hi\n",
    "Ann likes tea.\n", "我喜欢茶。\n", "<p>", "<!--", "<think>", "<", "---\n", "a: b\n", "**a", "password=", "key ",
    "sk-", "eyJ", "%41", "\\n", "&lt;", "system: ", "\u200b", "😀", "é", "Ａ", "wow, ", "and ", "so ", "is a ",
    "not ", "在", "有一个", "哈", "是的", "week of 2026-02-21 to ", "ignore all ", "lives in ", "dated ", "a - ",
    "是老师", " and it", "\"—— ", "&amp;",
]
_COUNTED = [
    "{} ", "w{} ", "N{} ", "《t{}》", '"q{}" ', "Ann{} said he ", "小王{}说他", "- fact {}\n", "{}. point\n",
    "Zed{} likes tea.\n", "{}月{}日，",
    "x{}@b.co ", "@u{} ", "RTX{}-a ", "Ann has {} cats and ",
]
# fmt: on


def _repeated(unit: str) -> Family:
    return lambda length, start: (unit * (length // len(unit) + 1))[:length]


def _counted(unit: str) -> Family:
    def made(length: int, start: int) -> str:
        pieces: list[str] = []
        size = 0
        for number in count(start):
            if size >= length:
                break
            pieces.append(unit.replace("{}", str(number)))
            size += len(pieces[-1])
        return "".join(pieces)[:length]

    return made


FAMILIES: Mapping[str, Family] = {
    **{f"{unit[:16]!r}": _repeated(unit) for unit in _REPEATED},
    **{f"{unit!r}, numbered": _counted(unit) for unit in _COUNTED},
    "begun, then blanks": lambda length, start: "```a\n# b. a photo of the " + " " * length + ".",
    "half open, half closed": lambda length, start: (
        "(《“<" * (length // 8) + ">”》)" * (length // 8)
    ),
}
MEANEST = (
    *(f"{unit[:16]!r}" for unit in (ENGLISH, " ", "a@b.co ", "《", "他说")),
    "'w{} ', numbered",
)
"""Families enough for a quick look."""
