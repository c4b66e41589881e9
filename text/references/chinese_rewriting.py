"""Rewriting of resolved Chinese references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..edits import Edit
from ..protected import Span, overlaps
from ..word_lists import word_list
from .agreement import is_finite_verb
from .types import Reference

# Nouns that need 的 after a name but not after a pronoun: 他妈妈, but 小明的妈妈.
_BELONGS = re.compile(
    r"(?:(?:爸|妈|父|母|爷爷|奶奶|外公|外婆|姥|哥|姐|弟|妹|叔|舅|姑|姨|伯|婶|嫂|表[哥姐弟妹]|堂[哥姐弟妹]|儿子|女儿|孩子|老婆|老公|丈夫|妻子|爱人|对象|"
    r"男友|女友|男朋友|女朋友|前任|前[男女]友|前夫|前妻|闺女|发小|家人|父母|亲戚|媽|兒子|女兒)(?!自)"
    r"|朋友|室友|(?:大学|[高初]中|小学)?同学|同事|同桌|老师|老板|领导|邻居|房东|导师|学生|闺蜜|队友|公司|学校|手机|电脑|房间|宿舍|名字|生日(?!快[乐樂])|猫|狗|账号|微信|QQ)(?!的?人)"
)
_INSTITUTION = re.compile(
    r"(?:公司|学校|学院|大学|班级|班(?!次|主)|单位|部门|小区|宿舍|村|团队|小组|组(?!织|成|合|建)|系(?!统|列)|实验室|店(?!员)|工作室|城市|厂|医院|社团|乐队)"
)
_TITLE_ENDS = re.compile(r"[^，。！？；,.!?;\s]{2,3}(?:[，。！？；,.!?;\s]|$)")  # 叫他老师: a form of address, not a possessive
_COLLECTIVE_PERSON = re.compile(r"(?:老师|老板|领导|导师|班主任|同事|校长|教练|房东)")
_LOOSE_USER = re.compile(
    r"(?<![A-Za-z\d新老多每各个位名些有万千百亿类端级数业人众该费跃通实标外册轻分卓果失他部本群])"
    r"(?<!潜在)(?<![^完了过着中]的)用[户戶]"
    r"(?!的?(?:体验|界面|数据|反馈|需求|增长|群|画像|名|手册|协议|数量|权限|行为|研究(?!生)|调研|访谈|量|端|组|运营|留存|投诉"
    r"|评价|故事|测试|隐私|服务|支持|满意度|规模|中心|账号|密码|都|们)|[ ][A-Za-z0-9_])"
)
"""A bare 用户, as models write it about one user (用户喜欢猫, 帮用户订票): of no kind or number of users, no part of a word."""
_BARE_USER = re.compile(
    r"(?:^|(?<=[.;!?\n] )|\b(?:for|with|to|of|by|from|about|helped|told|asked|gave|sent|taught|reminded|wished|advised|comforted"
    r"|encouraged|and) )(?P<user>[Uu]ser)(?=\s*[\u4e00-\u9fff]|['’]s\b|\s*(?:$|[.,;!])|\s+(?P<next>[a-z]+(?:['’]t)?))"
)
_BEHIND_USER = word_list("about with to in on at for from and that how when after before the a")


def loose_users(text: str, protected: Sequence[Span]) -> Iterator[Reference]:
    """Yield each bare 用户 and "user" that is one user (用户喜欢猫, "User quit smoking", "helped user with taxes")."""
    found = [match.span() for match in _LOOSE_USER.finditer(text)] if "用" in text else []
    for match in _BARE_USER.finditer(text) if "ser" in text else ():
        if match["next"] is None or match["next"] in _BEHIND_USER or is_finite_verb(match["next"]):
            found.append(match.span("user"))
    for start, end in found:
        if not overlaps(protected, start, end + 1):  # 用户小林: the name stands beside it
            yield Reference("reference", text[start:end], start, end, "third", form="loose_user")


def followed_by_institution(text: str, end: int) -> bool:
    """Return True if a plural pronoun means one person's company, school or teacher: 他们公司, 你们老师."""
    return bool(_INSTITUTION.match(text, end) or _COLLECTIVE_PERSON.match(text, end) or text.startswith(("家", "一家"), end))


def rewrite_person(text: str, reference: Reference, name: str) -> list[Edit]:
    """Return the edits that replace a pronoun or stand-in by one person's name."""
    end = reference.end
    if reference.form == "where_person_is":
        return [(reference.start, end, f"{name}那{reference.text[-1]}")]
    if reference.plural:
        if _INSTITUTION.match(text, end):
            return [(reference.start, end, f"{name}所在的")]
        return [(reference.start, end, name if text.startswith(("家", "一家"), end) else f"{name}的")]
    called = reference.start and text[reference.start - 1] in "叫喊称稱唤喚" and _TITLE_ENDS.match(text, end)
    joint = "的" if _BELONGS.match(text, end) and not called else ""
    return [(reference.start, end, f"{name}{joint}")]


def rewrite_group(reference: Reference, group: str) -> list[Edit]:
    """Return the edits that replace 本群, 这里 or 你们 by the group's name."""
    name = f"{group}的成员" if reference.person == "second" else group
    return [(reference.start, reference.end, name)]
