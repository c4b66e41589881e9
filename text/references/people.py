"""Who is named in a text: the persons a pronoun after them can mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..protected import Span, merge_spans, overlaps
from ..word_lists import word_list
from .types import Gender


@dataclass(frozen=True, slots=True)
class Mention:
    """A person named in a text: the wording, its character offsets, and the gender where the word shows it."""

    name: str
    start: int
    end: int
    gender: Gender = ""

    @property
    def likely_gender(self) -> Gender:
        """What an English first name suggests: enough to choose between two persons, not to rule one out."""
        if self.gender:
            return self.gender
        first = self.name.split(maxsplit=1)[0].lower() if self.name.strip() else ""
        return "male" if first in _MALE_NAMES else "female" if first in _FEMALE_NAMES else ""


_SURNAMES = (
    "王李张張刘劉陈陳杨楊赵趙吴吳徐孙孫朱胡郭何罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾萧蕭田董袁潘蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈"
    "姚卢盧姜崔钟鐘谭譚陆陸范汪廖贾賈夏韦韋付邹鄒熊孟秦邱薛侯雷龙龍段郝孔邵史毛钱錢汤湯尹黎易武乔喬贺賀赖賴龚龔高林黄黃周马馬方江金白"
    "欧歐殷顾顧华華施柳祝齐齊康伍葛邢温溫庄莊"
)
_COMPOUND_SURNAMES = "欧阳|歐陽|司马|司馬|诸葛|諸葛|上官|慕容|令狐|东方|尉迟|皇甫"
_TITLES: dict[str, Gender] = {
    **dict.fromkeys(
        word_list(
            """
            老师 老師 医生 醫生 大夫 教授 经理 經理 师傅 師傅 同学 同學 律师 主任 导演 队长 班长 局长 校长 院长 博士
            部长 总监 总 董 工 警官 教练 编辑 导师
            """
        ),
        "",
    ),
    **dict.fromkeys(
        word_list(
            """
            先生 哥 叔 叔叔 爷爷 大爷 伯伯 师兄 学长
            """
        ),
        "male",
    ),
    **dict.fromkeys(
        word_list(
            """
            女士 小姐 太太 姐 阿姨 奶奶 大妈 师姐 学姐 婶
            """
        ),
        "female",
    ),
}
_KIN: dict[str, Gender] = {
    **dict.fromkeys(
        word_list(
            """
            爸爸 父亲 父親 老爸 爸 哥哥 弟弟 爷爷 外公 姥爷 叔叔 舅舅 伯伯 姑父 姨父 儿子 兒子 老公 丈夫 男朋友 男友
            表哥 表弟 堂哥 堂弟 姐夫 妹夫 侄子 外甥 岳父 公公 未婚夫 前男友 哥们
            """
        ),
        "male",
    ),
    **dict.fromkeys(
        word_list(
            """
            妈妈 媽媽 母亲 母親 老妈 妈 姐姐 妹妹 奶奶 外婆 姥姥 阿姨 姑姑 舅妈 婶婶 女儿 女兒 老婆 妻子 女朋友 女友
            表姐 表妹 堂姐 堂妹 嫂子 侄女 外甥女 岳母 婆婆 未婚妻 前女友 闺蜜 闺女
            """
        ),
        "female",
    ),
    **dict.fromkeys(
        word_list(
            """
            朋友 室友 同事 同学 同學 老板 老闆 老师 老師 领导 房东 邻居 客户 导师 医生 男孩 女孩 孩子 爱人 对象 前任
            同桌 上司 教练 教授 经理 司机 师傅 学生 队友 网友 群友
            """
        ),
        "",
    ),
}
_KIN["男孩"] = "male"
_KIN["女孩"] = "female"

# Two characters that begin with a surname and are a word all the same.
_NOT_A_NAME = word_list(
    """
    张开 张嘴 张口 张罗 张贴 张扬 许多 许可 许愿 许久 何时 何必 何况 何处 何种 何以 何等 何尝 曾经 曾在 曾是 曾有
    任何 任务 任意 任由 任职 任凭 任教 段时 段落 史上 毛病 毛衣 毛巾 毛孩 易于 武器 武术 武汉 贺卡 程序 程度 夏天
    夏日 夏季 苏打 苏州 叶子 余下 余额 杜绝 钱包 钱不 钱都 钱了 钱也 汤圆 孔雀 雷雨 雷达 龙虾 陆续 陆地 范围 钟头
    钟表 姜汤 丁点 唐突 宋朝 唐朝 罗列 胡说 胡子 胡同 孙子 孙女 杨树 李子 王子 王国 王者 王牌 王朝 陈列 陈述 陈旧
    谢谢 谢绝 谢了 韩国 韩剧 韩语 萧条 董事 汪汪 付款 付出 付费 付了 熊猫 熊孩 黎明 乔迁 赖床 赖着 高兴 高考 高中
    高铁 高级 高度 高达 高速 高手 高三 高二 高一 高山 高大 高效 高分 高温 高数 高质 高价 高档 林子 林业 黄色 黄金
    黄昏 黄瓜 黄油 周末 周一 周二 周三 周四 周五 周六 周日 周天 周围 周年 周期 周边 周岁 周报 周会 马上 马路 马拉
    马来 马虎 马桶 马克 马尾 方便 方法 方面 方案 方向 方式 方才 方言 江边 江南 江湖 江苏 江西 金色 金额 金融 金钱
    金属 金牌 金鱼 白天 白色 白菜 白酒 白领 白板 白白 白羊 白银 华为 华语 华丽 施工 施展 祝福 祝贺 祝他 祝你 祝我
    齐全 康复 温度 温暖 温馨 温柔 温州 顾客 顾虑 顾及 顾家 施压 庄园 庄稼 欧洲 欧元 欧美 苏联 田园 田野 石头 梁子
    郑重 郑州 沈阳 杭州 彭博 雷军 常州 秦朝 秦岭 贾宝 朱红 杨梅 吴语 徐徐 郭德 何不 任性 任期 丁香 钟爱 钟情 谭鸭
    范例 范本 范文 廖廖 夏令 韦德 邱比 薛定 侯选 龙舟 龙井 龙年 郝然 孔子 孔明 邵阳 史料 史诗 毛笔 毛线 汤面 尹始
    易懂 武侠 乔装 赖皮 龚然 叶片 程控 蔡司 余地 余生 杜撰 吕宋 魏晋 方形 方块 高低 高矮 高原 金子 金毛 黄豆 白痴
    白费 白粥 马戏 马匹 马力 马甲 江水 林荫 林间 周游 周到 周转 周刊 周全
    """
)
_LITTLE = rf"[小老阿](?:[{_SURNAMES}]|[明红紅刚剛强強丽麗芳军軍杰涛濤伟偉美玲敏静靜琳雯莉娟飞飛波鹏鵬凯凱航晨欣怡婷])"
_NOT_LITTLE = word_list("小方 小白 小金 小黄 小麦 小何 老龙 老白 老高 老实 小史 小武 小毛 小龙 小汤 小叶 小石 小易 小任 小段")
_VERB_AHEAD = (
    "说說是在和跟与與也的去来來把对對向给給有不没沒很会會要想叫喜爱愛讨讓让被昨今明刚剛已正最都就又还還从"
    "從到能可告问問教送帮幫约約请請做买買打发發提希觉覺认認住养養，。、！？；,.!?… \n\t）)」』"
)
# Verbs that show a name to be over where nothing stands before it (李娜考研, 王芳辞职了).
_VERB_AFTER_FIRST_NAME = (
    "考辞辭升离離搬换換参參获獲得输輸赢贏报報修写寫读讀看听聽吃喝玩学學拿订訂借还還卖賣租开開骂罵夸誇弹彈唱跳跑病毕畢结結"
)
# What may open a clause before 说, 表示, 觉得 and is nobody's name.
_NO_NICKNAME = re.compile(
    r"[我你您他她它咱俺某有这這那哪谁誰每各全听聽据據也都还還又就才再很太不没沒别別可能应應该該对對本此今昨明前后後刚剛曾一几幾两多来來去在用跟和给給被把"
    r"让讓向为為与與只却卻并並常总總老仍虽雖然但书書报報笑哭大随隨]"
    r"|用户|用戶|网友|網友|群里|群裡|群内|群主|人家|众人|而且|因为|因為|所以|如果|其实|其實|经常|经過|最近|最后|最後|现在|現在|目前|感觉|确实|真的|突然|反复|主动|明确|私下|"
    r"私聊|详细|首先|同时|同時|此外|另外|结果|一直|已经|已經|依然|直接|间接|坚持|公告|新闻|文章|歌词|原文|消息|通知|评论|官方|专家|接着|于是|甚至|开口|承认|私信|"
    r"回复|简单|认真|电话|老师|医生|妈妈|爸爸|朋友|同事|同学"
)
_ALSO_A_WORD = frozenset("高林黄黃周马馬方江金白华華施祝齐齊康温溫任何曾许許程夏付史毛钱錢易武")
_CHINESE_NAMES = (
    rf"(?P<compound>(?:{_COMPOUND_SURNAMES})[㐀-鿿]{{1,2}}(?=[{_VERB_AHEAD}]|$))"
    rf"|(?P<titled>[{_SURNAMES}](?:{'|'.join(sorted(_TITLES, key=len, reverse=True))})(?![作人具程厂]))"
    rf"|(?P<little>{_LITTLE})"
    rf"|(?P<kin>(?:{'|'.join(sorted(_KIN, key=len, reverse=True))})(?![圈节們们际]))"
    rf"|(?P<owner>(?:^|(?<=[，。！？；\n]))(?!{_NO_NICKNAME.pattern})[㐀-鿿]{{2,4}}?"
    rf"(?=的(?:{'|'.join(sorted(_KIN, key=len, reverse=True))})))"
    rf"|(?P<full>[{_SURNAMES}][㐀-鿿]{{1,2}}(?=[{_VERB_AHEAD}]|$))"
    rf"|(?P<opening>(?:^|(?<=[，。！？；\n]))[{_SURNAMES}][㐀-鿿](?=[{_VERB_AFTER_FIRST_NAME}]))"
    rf"|(?P<nickname>(?:^|(?<=[，。！？；\n]))(?!{_NO_NICKNAME.pattern})[㐀-鿿]{{2,5}}?(?=(?:说|說|表示|认为|認為|觉得|覺得|提到|告诉|告訴|声称)(?![明法话話服教])))"
)
_BEFORE_FULL_NAME = frozenset(
    "，。！？；：、,.!?;: \n\t（(的和跟与對对把被给給是向让讓叫找问問约約请請见見说說听聽陪帮幫像在了友学學事师師哥姐弟妹板"
)

_MALE_NAMES = word_list(
    """
    james john robert michael david william richard joseph thomas charles christopher daniel matthew anthony mark
    paul steven andrew kenneth joshua kevin brian george edward ronald timothy jason jeffrey ryan jacob gary
    nicholas eric jonathan stephen larry justin scott brandon benjamin samuel frank gregory raymond alexander
    patrick jack dennis jerry tyler aaron jose adam henry nathan douglas zachary peter kyle noah ethan jeremy walter
    keith roger sean gerald carl dylan harold bryan lawrence arthur gabriel bruce logan billy joe alan juan albert
    willie elijah wayne randy vincent mason roy ralph bobby russell philip eugene mike tom bob dave dan matt tony
    jim steve andy josh tim jeff nick jon greg ben max leo luke evan ian liam oliver lucas oscar felix hugo ivan
    omar ali raj amit hans bart brad chad craig derek doug ed edgar fred glenn jake jay joel kurt lee lou marcus
    mario martin mitch neil nate rick rob ron seth shane shawn stan stuart ted todd tommy travis trevor victor wade
    walt warren xavier zach
    """
)
_FEMALE_NAMES = word_list(
    """
    mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley
    kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia amy kathleen
    angela shirley brenda emma anna pamela nicole samantha katherine christine helen debra rachel carolyn janet
    maria catherine heather diane olivia julie joyce victoria ruth virginia lauren christina joan evelyn judith
    andrea hannah megan alice jean cheryl jacqueline teresa gloria ann sara kathryn janice doris julia grace judy
    abigail marie denise beverly amber danielle brittany diana jane natalie sophia rose isabella alexis kayla
    charlotte lily mia zoe chloe ella lucy kate katie jenny sue beth caroline melanie gina maya nora lena nina eva
    ivy ruby tina rita sally molly becky annie wendy cindy vicky claire priya abby ada aisha alexa amelia anita
    audrey ava bella bonnie carla carrie celia daisy dana elena elise ellen erin esther fiona georgia gwen harriet
    hazel iris irene isabel jill joanna josephine juliet kim kristen leah liz lola lorna lydia madison maggie marina
    marta meg melinda mindy miranda naomi nell niamh paige patty penny phoebe polly rosa rosie sabrina sadie selena
    sheila sonia stella sylvia tara tess tracy vera vivian yvonne
    """
)
_FIRST_NAMES = (
    _MALE_NAMES
    | _FEMALE_NAMES
    | word_list(
        "terry jordan jesse chris alex pat sam kelly jess mel jamie casey morgan taylor riley avery quinn sky ash charlie"
    )
)
_NOT_PERSONS = word_list(
    """
    i the a an he she it they we you his her their our your my its this that these those there here what when where
    who whom whose why how which and but or so if then because although while since after before during until as at
    by for from in into of off on onto out over to under up with without yes no not never always often sometimes
    usually today tomorrow yesterday now later soon recently last next first second also just only even still monday
    tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december christmas easter thanksgiving halloween new year english chinese french german spanish
    italian japanese korean russian american british european canadian australian indian mexican african asian
    europe asia africa america china japan france germany spain italy england britain london paris berlin tokyo
    beijing shanghai york boston chicago california texas canada australia india mexico russia korea brazil google
    apple microsoft amazon facebook instagram twitter youtube netflix discord telegram python java linux windows mac
    android iphone internet tv god jesus dr mr mrs ms prof sir madam everyone everybody someone somebody nobody all
    both each some many most few several other another one two three four five let please thanks thank hello hi hey
    ok okay oh well maybe perhaps however therefore instead besides meanwhile finally overall despite being having
    told asked said learned learnt helped answered recommended suggested explained reminded discussed talked shared
    gave sent showed wrote found made noted got is are was were be been do does did has have had can could will
    would shall should must might user bot assistant group chat
    """
)
_TITLES_EN: dict[str, Gender] = {
    "mr": "male", "mrs": "female", "ms": "female", "miss": "female", "dr": "", "prof": "", "professor": "", "uncle": "male",
    "aunt": "female", "auntie": "female", "grandma": "female", "grandpa": "male", "coach": "", "captain": "", "doctor": "",
}  # fmt: skip
_KIN_EN: dict[str, Gender] = {
    **dict.fromkeys(word_list(
        """
        mother mom mum mommy sister wife daughter girlfriend grandmother grandma aunt niece ex-girlfriend fiancee
        """
    ), "female"),
    **dict.fromkeys(word_list(
        """
        father dad daddy brother husband son boyfriend grandfather grandpa uncle nephew ex-boyfriend
        """
    ), "male"),
    **dict.fromkeys(word_list(
        """
        friend roommate colleague coworker boss teacher landlord neighbor neighbour partner professor doctor client
        cousin manager baby kid child
        """
    ), ""),
}  # fmt: skip
ROLE_NOUNS = frozenset((*_KIN, *_KIN_EN))
"""Nouns that say what a person is to somebody: 妈妈, 室友, friend."""

_ENGLISH_NAMES = (
    r"(?P<titled>\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Uncle|Aunt|Auntie|Grandma|Grandpa|Coach|Captain|Doctor)\.? "
    r"[A-Z][\w'’\-]*(?:\s[A-Z][\w\-]+)?)"
    rf"|(?P<kin>\b(?:{'|'.join(sorted(_KIN_EN, key=len, reverse=True))})\b)"
    r"|(?P<name>(?<![A-Za-z0-9_])[A-Z][a-zA-Z]+(?:-[A-Z][a-z]+)?(?:\s[A-Z][a-z]+(?:-[A-Z][a-z]+)?){0,2})"
)
_PERSON_VERBS = word_list(
    """
    said says told tells asked asks likes loves hates wants thinks knows has had is was will would can could plans
    planned went goes came comes works worked lives lived moved bought got gets gave made did does feels felt
    mentioned explained believes hopes hoped wishes promised helped recommended suggested invited called met married
    enjoys enjoyed prefers started joined left joked replied answered agreed sent wrote visited took also never
    always often usually and
    """
)
_WEAK_VERBS = word_list(
    """
    has had is was will would can could helps helped makes made got gets gave comes came goes went feels felt also
    never always often usually and took works worked
    """
)
_PERSON_BEFORE = word_list(
    """
    with told asked tell ask met meet invited invite married dating dates thanked thank helped help called by friend
    brother sister son daughter wife husband mother father boss colleague roommate teacher cousin partner named and
    introduced introduce remembers misses like loves gave sent showed taught between
    """
)
_PLACE_BEFORE = word_list(
    """
    in at from near around into through visit visited visiting across outside inside towards toward leaving
    """
)


def find_people(text: str, known: Sequence[str] = (), protected: Sequence[Span] = ()) -> list[Mention]:
    """Return the persons named in `text`, left to right.

    `known` are names that are certain (those of the conversation). Beside them: in Chinese a surname with a title
    (张老师), 小王 and 老李, kinship and role nouns (妈妈, 室友), full names that begin with a common surname; in
    English titles, kinship and role nouns, common first names, and capitalised words that behave like a person. Names
    inside `protected` spans do not count, unless they are `known` or a mention (@Tom). Precision goes before
    completeness: a name that the list misses costs a decision, not a wrong one.
    """
    found: list[Mention] = []
    taken: list[Span] = []
    for mention in sorted(_known_mentions(text, known), key=lambda mention: (mention.start, -mention.end)):
        if not taken or mention.start >= taken[-1][1]:
            found.append(mention)
            taken.append((mention.start, mention.end))
    for match in re.finditer(r"@(?![了过過着著到他她我你])([\w·\-.]{1,33})", text):
        if not overlaps(taken, *match.span()):
            found.append(Mention(match.group(1), *match.span()))
            taken = merge_spans([*taken, match.span()])
    if re.search("[㐀-鿿]", text):
        found.extend(mention for mention in _chinese(text) if _free(mention, taken, protected))
    if re.search("[A-Za-z]{3}", text):
        found.extend(mention for mention in _english(text) if _free(mention, taken, protected))
    return sorted(found, key=lambda mention: mention.start)


@lru_cache(maxsize=2)
def _compiled(pattern: str) -> re.Pattern[str]:
    """The long patterns are compiled when a text first asks who "he" is, not at import."""
    return re.compile(pattern)


def _free(mention: Mention, taken: Sequence[Span], protected: Sequence[Span]) -> bool:
    return not overlaps(taken, mention.start, mention.end) and not overlaps(protected, mention.start, mention.end)


def _known_mentions(text: str, known: Sequence[str]) -> Iterator[Mention]:
    for name in dict.fromkeys(known):
        if not name.strip() or name not in text:
            continue
        latin = name[0].isascii() and name[0].isalnum()
        before = r"(?<![A-Za-z0-9_])" if latin else ""
        after = r"(?![A-Za-z0-9_])" if name[-1].isascii() and name[-1].isalnum() else ""
        for match in re.finditer(before + re.escape(name) + after, text):
            yield Mention(name, *match.span())


def _chinese(text: str) -> Iterator[Mention]:
    for match in _compiled(_CHINESE_NAMES).finditer(text):
        word, kind = match.group(), match.lastgroup
        start, end = match.span()
        gender: Gender = ""
        if kind == "titled":
            gender = _TITLES[word[1:]]
        elif kind == "kin":
            gender = _KIN[word]
            before = text[start - 1] if start else ""
            if before and before in "无沒没有当當做找" and word in ("朋友", "对象", "同事", "老师", "医生", "男友", "女友"):
                continue
        elif kind == "little":
            before = text[start - 1] if start else ""
            if word in _NOT_LITTLE and text[end : end + 1] not in "说說是和跟也去来來想要在把被给給":
                continue
            if before and before in "很太最真从從大从不好":
                continue
        elif kind in ("nickname", "owner"):
            if _NO_NICKNAME.match(word):
                continue
        elif kind == "opening":
            if word in _NOT_A_NAME or word[0] in _ALSO_A_WORD:
                continue
        elif kind == "full":
            before = text[start - 1] if start else "，"
            while word[-1] in _VERB_AHEAD and word[-1] not in "明住教":
                word, end = word[:-1], end - 1
            if len(word) < 2 or word[-1] in "过過着著们們个個":
                continue
            if before not in _BEFORE_FULL_NAME or word[:2] in _NOT_A_NAME or word in _NOT_A_NAME:
                continue
            if len(word) == 2 and word[0] in _ALSO_A_WORD:
                continue
        yield Mention(word, start, end, gender)


def _english(text: str) -> Iterator[Mention]:
    for match in _compiled(_ENGLISH_NAMES).finditer(text):
        word, kind = match.group(), match.lastgroup
        start, end = match.span()
        if kind == "titled":
            yield Mention(word, start, end, _TITLES_EN[word.split()[0].rstrip(".").lower()])
            continue
        if kind == "kin":
            yield Mention(word, start, end, _KIN_EN[word.lower()])
            continue
        parts = word.split()
        while parts and parts[0].lower() in _NOT_PERSONS:
            start += len(parts[0]) + 1
            parts = parts[1:]
        if not parts:
            continue
        start = end - len(" ".join(parts))
        if start < 0 or any(part.lower() in _NOT_PERSONS for part in parts):
            continue
        if parts[0].lower() in _FIRST_NAMES or _acts_like_a_person(text, start, end):
            yield Mention(" ".join(parts), start, end)


_PET_NAMED = re.compile(
    r"\b(?:dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|horse|parrot|hamster|rabbit|fish|car|boat|bike|plant|guitar)"
    r"(?:\s+(?:is|was|who|that|he|she|they|it|are|were))?(?:\s+(?:is|was))?(?:,?\s+(?:named|called))?,?\s+$"
)


_CHINESE_PERSON_VERB = re.compile(r" ?(?:说|說|告诉|告訴|觉得|覺得|表示|认为|認為|问|問|喜欢|喜歡|讨厌|希望|提到)(?!明)")


def _acts_like_a_person(text: str, start: int, end: int) -> bool:
    """A capitalised word followed by a verb of persons, or after a word that takes persons; no pet's name."""
    if _PET_NAMED.search(text[max(0, start - 40) : start]):
        return False
    before = re.search(r"([A-Za-z]+)\s+$", text[max(0, start - 30) : start])
    previous = before.group(1).lower() if before else ""
    if previous in _PLACE_BEFORE or previous in ("the", "a", "an", "to", "of", "on"):
        return False
    if previous in _PERSON_BEFORE:
        return True
    if _CHINESE_PERSON_VERB.match(text, end):
        return True
    after = re.match(r"(?:['’]s)?\s+([A-Za-z]+)", text[end : end + 30])
    if after is None or after.group(1) not in _PERSON_VERBS:
        return False
    # The capital of a first word says nothing: "Basketball has been …", but "Wang said".
    inside = re.search(r"[a-z,]\s+$", text[max(0, start - 5) : start]) is not None
    return inside or " " in text[start:end] or after.group(1) not in _WEAK_VERBS
