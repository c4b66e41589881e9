"""Finding deictic words in Chinese text, and excluding longer words that contain the same characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .types import Gender, Kind, Person, Reference

# Longer words that contain the characters of a reference. Each alternative carries the context in which it is that
# word (他人 is "others", but 他人很好 is "he is nice").
_LONGER_WORDS = "|".join(
    (
        # 他, 她, 它
        r"尤其(?=[他她它])|極其(?=[他她它])|极其(?=[他她它])|与其(?=[他她它][^。！？!?\n]{0,30}不如)",
        r"吉他|吉它|其他|其它|利他(?![们們])|排他|维他|維他|马耳他|馬耳他|犹他|猶他|卡他性|伐他|西他列汀|依他|阿糖胞",
        r"别无他|別無他|另作他用|挪作他用|移作他用|另有他|无他(?=[，。,！!]|$|法)|言他(?=[，。,！!]|$)",
        r"真他妈|真他媽|太他妈|好他妈|都他妈|就他妈|这他妈|那他妈|这么他妈|又他妈|还他妈|可他妈|多他妈",
        r"他妈的|他媽的|他娘的|他喵的|他奶奶的|他大爷的|去他的(?=[，。！!]|$)|管他呢|管他的|管他三七二十一",
        r"他人(?![呢很挺在还還真特超没沒不好蛮蠻太又也都已走去来來呆品缘緣设設脉脈生格工比就是])",
        r"他国(?![庆内外语籍足企产家])|他國(?![慶內外語籍家])|他日(?![语語常子本记記程期夜后後文])",
        r"他方(?![便才法案面向言程块])|他处(?![理于在分事境罚女对])|他乡(?![下村镇里音亲])|他鄉(?![下村鎮裡親])",
        r"他杀(?=[，。、；！？的案嫌或与还]|$)|他山之石|它山之石|他律|他者|他汀|他克莫司|他巴唑|他达拉非|他莫昔芬|他扎罗汀",
        r"她经济|她力量|她世纪",
        # 我
        r"自我(?![^，。！？,!?\n]{1,14}(?:以来|以後|以后|之后|之後|起[，,]))|忘我(?=[地的工精投境状热之，。]|$)|无我(?=[之境的，。]|$)",
        r"舍小我|捨小我|小我和大我|大我和小我|小我与大我|大我与小我|本我(?=[、与])|超我(?=[、，。])|唯我独尊|唯我獨尊|唯我论|唯我主义",
        r"我执(?=[，。的太]|$)|我行我素|我见犹怜|我国(?!庆)|我國(?!慶)|我军|我党|尔虞我诈|爾虞我詐|卿卿我我|你死我活|你来我往|你來我往|你追我赶|你追我趕",
        r"你侬我侬|你情我愿|你情我願|你争我夺|你爭我奪|你推我让|你一言我一语|你一言，我一语|你一句我一句|你中有我|我中有你|有你没我",
        r"时不我待|時不我待|时不我与|舍我其谁|捨我其誰|依然故我|我思故我在|人人为我|我为人人|天生我材|我命由我不由天|必有我师",
        r"你知我知|你我他|你我之间|敌我|敵我|物我两忘|人我是非|非我族类|我佛慈悲|怨天尤人",
        r"我的世界|我的英雄学院|我推的孩子|我独自升级|我叫MT|我爱我家|我是歌手|我和我的祖国|我不是药神|我的团长我的团|你好李焕英|少年的你",
        r"我的天(?![赋性使空下资资分])|我的妈呀|我的媽呀|我的老天|我的娘(?=[啊呀，,！!])|我[滴嘞勒](?=[妈天乖神个個])|我了个去",
        r"我[靠擦操草日艹](?=[，,！!。.~～…啊呀哦、\s]|$)|我晕(?=[，,！!。~～…啊]|$)",
        # 你, 您
        r"迷你|[你您]好(?=[，。,.！!？?~～…啊呀吗嗎呢、\s)）”」]|$)|你妹(?=[的，,！!。]|$)|你大爷(?=[的，,！!。]|$)|你妈的|你奶奶的|去你的",
        r"[你您]好(?=小区|中国|世界|明天|生活)|我方(?=[前后中]排|阵容|水晶|基地|泉水)",
        # 该, 对方, 人家, 本, 这里
        r"[对對]方(?=付费|付費|差)|[这這那][里裡](?=程[碑表序]|村)|本地(?=人口)|[当當]地(?=时间|時間)",
        r"应该|應該|活该|活該|绝对方|相对方|别人家|別人家|老人家|女人家|男人家|[户戶]人家|好人家",
    )
)

_PEOPLE_NOUN = (
    r"(?:用户|用戶|群友|网友|網友|成员|成員|玩家|同学|同學|学生|客户|客戶|顾客|观众|粉丝|选手|男子|女子|男生|女生|作者|博主|主播|"
    r"[Uu][Pp]主|群员|管理员|发言者|发言人|朋友|先生|女士|老师|老師|大佬|大哥|小姐姐|小哥哥|小伙伴|老哥|兄弟|姐妹|仁兄|老兄)"
)
_NOT_PERSON = r"[物群才工口生设設民类類体體名士力间間品格形文像气氣机機均权權际際选選缘緣影数數性种種员質质家造手]"

_NOT_GROUP = r"(?![众眾体體岛島落]|主(?!要|打))"
_LOCAL_NOUN = (
    r"人|居民|方言|话(?!题)|天气|气温|特产|特色|美食|菜|小吃|口味|新闻|户口|牌照|学生|高校|医院|市场|超市|企业|老人|司机|村民|"
    r"风俗|习俗|球队|媒体|大学|中学|房价|景点|餐馆|饭店|餐厅|气候|疫情|政府|群众|姑娘|小伙|朋友"
)
_WORDS = (
    ("longer", _LONGER_WORDS),
    (
        "where_person_is",
        r"(?:我|你|您|妳|他|她|咱|俺|TA)[们們]?[这這那](?:[里裡裏](?![面头頭])|[儿兒](?![子女童歌孙媳时科])|[边邊])",
    ),
    ("our_group", rf"[我咱俺][们們]?这?[个個]?[群羣]{_NOT_GROUP}聊?"),
    ("pair", r"[我你他她它咱俺][们們]?(?:俩|倆|两个人|两人|两个|兩個人|兩人|兩個)(?![月星小])"),
    ("plural", r"(?:[我你您妳他她它牠祂咱俺]|TA|Ta|ta)[们們]"),
    ("singular", r"[我你您妳他她它牠祂咱俺]|鄙人|本小姐|本大爷|本喵|本宫(?!主)|本座(?!位)|朕|本机器人|本機器人|本[bB]ot"),
    ("chat", r"TA|Ta|ta"),
    ("self", r"本人|在下(?=[也不就是认認愿有姓乃，,])"),
    ("folks", r"人家(?![庭里裡具电長长教属乡族业畜])"),
    ("other_party", r"[对對]方(?![程阵陣向案法式便面言块塊位才圆圓辩辯])"),
    ("this_person", rf"[该該此](?:名|位)?{_PEOPLE_NOUN}|[这這那]一?[个個名位]{_PEOPLE_NOUN}"),
    ("that_one", rf"(?:[这這那]一?[个個]?|此)人(?!{_NOT_PERSON})|[这這那]一?位(?![置子数數于於移次面])"),
    (
        "that_fellow",
        r"[这這那][个個]?(?:家伙|傢伙|小子|哥们儿?|丫头|小姑娘|姑娘|女的|男的|女孩儿?子?|男孩儿?子?|女人|男人|女生|男生)",
    ),
    ("poster", r"楼主|樓主|层主(?=[说的])"),
    ("this_group", rf"[这這][个個][群羣]{_NOT_GROUP}聊?|[这這]群(?=[里裡内內])|[此本该該]群{_NOT_GROUP}"),
    ("here", r"[这這](?:[里裡裏](?![面头頭])|[儿兒](?![子女童歌孙媳时科])|[边邊])|此地|此处(?=[，。不有风景人无禁])"),
    ("there", r"那(?:[里裡裏](?![面头頭])|[儿兒](?![子女童歌孙媳时科])|[边邊])"),
    (
        "our_place",
        r"本(?:市(?![场值民面])|省(?![略电力])|县|區|区(?![别间])|校(?![验准对正])|院(?=[的今将不有是])|店|公司|"
        r"司(?=[的今将不有是])|频道|服务器|社区|论坛|吧(?=[友的规]))",
    ),
    ("local", rf"本地(?=的?(?:{_LOCAL_NOUN}))"),
    ("the_place", r"[当當]地"),
)
# All first characters of the alternatives; other characters are skipped at once.
_BEGINNINGS = (
    "我你您妳他她它牠祂咱俺鄙本朕在人对對该該此这這那楼樓层当當Tt尤其极極与與吉排利维維马馬犹猶卡伐西依阿别別无無另挪移言真太好都就"
    "又还可去管自忘舍捨小大超唯尔爾卿有时時以天必知敌敵物非怨迷应應活绝相老女户戶"
)


@cache
def _pattern() -> re.Pattern[str]:
    """Return all words as one pattern. Compiled on first use because compiling takes a fifth of the import time."""
    words = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _WORDS)
    return re.compile(rf"(?=[{_BEGINNINGS}])(?:{words})")


_ANY_WORD = re.compile(r"[我你您妳他她它牠祂咱俺鄙本朕在人对對该該此這这那楼樓层当當]|TA|Ta|ta")

# Characters that may precede a place word at the start of its phrase. After any other character (公司那边, 北京这里) a
# noun names the place, and the expression is not a reference.
_BEFORE_PLACE = frozenset(
    "在到去从從来來往住离離是的了把对對向和跟与與及就也都还還又很说說觉覺得看等想放搬回留待呆进進给給为為被让讓叫过過着著而但却卻因所且或"
    "要会會能可将將才刚剛只不没沒有比像如同至由自于於爱愛恨管找问問加入发發退建拉踢欢歡开開悉应應厌厭恋戀念绍紹荐薦诉訴记記当當您你我他她"
    "个個"
)
_BEFORE_FOLKS = frozenset("被把给給跟对對向让讓叫和是说說看找问問帮幫替像比在到去等但而可因怕听聽惹骂罵追求靠学學不也都还")
_NOT_BEFORE_THAT = frozenset("不本早也就都还還更最才真总總又我你他她它们們谁誰应應活合理")
_MUTUAL = re.compile(r"互相|相互|彼此|双方|雙方|各自|一方")
_CLAUSE_BREAK = frozenset("，。！？；：、,.!?;:()（）【】[]…—~～\n\t \u3000\"'“”‘’「」『』《》<>|/*#>-")
_SENTENCE_BREAK = re.compile(r"[。！？!?\n]")
_PLACE_NAMED = re.compile(
    r"(?:去|到|在|从|從|来|來|飞|飛|回|住|离开|離開|抵达|抵達|逛|游|赴|搬|往)[了过過]?(?![这這那哪此本当當一的了着过])[㐀-鿿A-Za-z]{2,}"
    r"|[㐀-鿿]{1,6}(?:市|省|县|州|镇|村|岛|国|區|区|大学|公司|餐厅|商场|公园|街|路|学校|医院|酒店)"
)

_GENDER: dict[str, Gender] = {"他": "male", "她": "female", "妳": "female", "它": "thing", "牠": "thing"}
_PERSON: dict[str, Person] = {
    **dict.fromkeys("我咱俺鄙本朕", "first"),
    **dict.fromkeys("你您妳", "second"),
    **dict.fromkeys("他她它牠祂Tt", "third"),
}


def chinese_references(text: str) -> Iterator[Reference]:
    """Yield the Chinese deictic words of `text`, left to right, including those in protected spans."""
    if not _ANY_WORD.search(text):
        return
    for match in _pattern().finditer(text):
        name = match.lastgroup
        if name == "longer" or name is None:
            continue
        word = match.group()
        start, end = match.span()
        before = text[start - 1] if start else ""
        at_clause_start = not before or before in _CLAUSE_BREAK
        kind: Kind = "pronoun"
        person: Person = _PERSON.get(word[0], "none")
        plural = False
        form = name
        if name in ("singular", "plural", "pair"):
            plural = name != "singular" or word[0] == "咱"
        elif name == "chat":
            if not _stands_alone(text, start, end):
                continue
            form = "singular"
        elif name == "self":
            if not at_clause_start:
                continue
            person, form = "first", "singular"
        elif name == "folks":
            if not (at_clause_start or before in _BEFORE_FOLKS):
                continue
            kind, person = "reference", "none"
        elif name == "other_party":
            if _MUTUAL.search(_sentence_around(text, start, end)):
                continue
            kind, person = "reference", "third"
        elif name in ("this_person", "that_one", "that_fellow"):
            if name == "this_person" and word[0] in "该該本" and before in _NOT_BEFORE_THAT and before:
                continue
            if name != "this_person" and _in_apposition(text, start):
                continue
            if word[0] == "本":
                continue
            kind, person = "reference", "third"
        elif name == "poster":
            kind, person = "reference", "third"
        elif name == "where_person_is":
            kind, plural = "place", "们" in word or "們" in word
        elif name in ("our_group", "this_group"):
            if name == "this_group" and word[0] in "本该此" and not (at_clause_start or before in _BEFORE_PLACE):
                continue
            kind, person, form = "place", "none", "group"
        else:
            if not (at_clause_start or before in _BEFORE_PLACE):
                continue
            if name in ("there", "the_place") and _PLACE_NAMED.search(_before(text, start)):
                continue
            kind, person = "place", "none"
        gender = _GENDER.get(word[0], "") if person in ("second", "third") else ""
        yield Reference(kind, word, start, end, person, plural, gender, form)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return True if the Latin letters TA/ta are a pronoun among Chinese characters."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if (before.isascii() and (before.isalnum() or before in "_-.'")) or (
        after.isascii() and (after.isalnum() or after in "_-.'")
    ):
        return False
    if text.startswith("TA ", start) and text[end + 1 : end + 5].isdecimal():
        return True  # before a date that was put in: TA 2026-03-02 到
    return "㐀" <= before <= "鿿" or "㐀" <= after <= "鿿" or (start >= 2 and "㐀" <= text[start - 2] <= "鿿")


def _in_apposition(text: str, start: int) -> bool:
    """Return True if a pronoun or Latin name directly precedes: 他这人, Tom这位."""
    if not start:
        return False
    before = text[start - 1]
    if before in "我你您他她们們":
        return True
    return before.isascii() and before.isalpha()


def _before(text: str, start: int) -> str:
    """Return up to 120 characters before a word."""
    return text[max(0, start - 120) : start]


def _sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence around `start`..`end`, at most 80 characters to either side."""
    left = text[max(0, start - 80) : start]
    right = text[end : end + 80]
    breaks = [match.end() for match in _SENTENCE_BREAK.finditer(left)]
    stop = _SENTENCE_BREAK.search(right)
    return left[breaks[-1] if breaks else 0 :] + right[: stop.start() if stop else len(right)]
