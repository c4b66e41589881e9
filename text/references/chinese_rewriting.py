"""Rewriting of resolved Chinese references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..protected import Span, overlaps
from .agreement import Edit, is_finite_verb
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
    r"用[户戶](?=(?:的|喜|爱|愛|不|很|最|在|是|有|叫|住|说|說|想|要|从|從|对|對|也|都|已|刚|剛|正|曾|计划|希望|提到|表示|询问|告诉|偏好|讨厌|觉得|认为|打算|养|來|来|去|买|學|学|会|会|本人|和|跟|与|把|被|给|让|向|为|家|妈|爸|父母|老公|老婆|男朋友|女朋友|儿子|女儿|今|昨|明|(?:截至)?20\d\d|每|经常|平时|[一-鿿]{1,3}[了过着]))"
    r"(?!的?(?:体验|界面|数据|反馈|需求|增长|群体|画像|名|手册|协议|数量|权限|行为|都))"
)
_HELPED_USER = re.compile(
    r"^(?:我|已经?|会|将|[今明后]天|答应|承诺|要|\d{4}-\d\d-\d\d|\s)*(?:帮|替|提醒|陪|安慰|建议|鼓励|告诉)了?(?P<user>用[户戶])(?!的?(?:体验|界面|数据|反馈|需求|增长|群体|画像))"
)
"""What was done for the user, as the one who did it tells: 我帮用户查了天气."""
_CLAUSE_HEAD = frozenset("，。！？；：,.!?;: \n\t（(")


def loose_users(text: str, protected: Sequence[Span]) -> Iterator[Reference]:
    """Yield each bare 用户 at the start of a clause, as models write it about one user ("用户喜欢猫")."""
    for match in _LOOSE_USER.finditer(text):
        start, end = match.span()
        if (start and text[start - 1] not in _CLAUSE_HEAD) or overlaps(protected, start, end):
            continue
        yield Reference("reference", match.group(), start, end, "third", form="loose_user")
    helped = _HELPED_USER.match(text)
    if helped is not None and not overlaps(protected, *helped.span("user")):
        yield Reference("reference", helped["user"], *helped.span("user"), "third", form="loose_user")


_BARE_USER = re.compile(r"(?:^|(?<=[.;!?\n] ))[Uu]ser(?=\s*[\u4e00-\u9fff]|['’]s\b|\s+(?P<next>[a-z]+(?:['’]t)?))")


def bare_users(text: str, protected: Sequence[Span]) -> Iterator[Reference]:
    """Yield each bare "User" that is the subject of a verb, as models write it about one user ("User quit smoking")."""
    for match in _BARE_USER.finditer(text):
        if not overlaps(protected, *match.span()) and (match["next"] is None or is_finite_verb(match["next"])):
            yield Reference("reference", match.group(), *match.span(), "third", form="loose_user")


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
