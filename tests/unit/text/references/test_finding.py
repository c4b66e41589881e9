"""Which words are references, and which only look like one."""

import pytest
from historian.schema.names import Names
from historian.text.references.finding import is_deictic_name
from historian.text.references.types import Reference
from historian.text.sentence import Sentence


def find_references(text: str, people: tuple[str, ...] = (), bot: str = "", glossary: tuple[str, ...] = ()) -> list[Reference]:
    return Sentence(text, Names(bot_name=bot, others=people, glossary=glossary)).references


NOT_A_REFERENCE = [
    "吉他和其他乐器都在维他命广告里",
    "他人的看法不重要，自我介绍写了三遍",
    "马耳他、犹他州、阿托伐他汀、西他列汀",
    "利他主义者忘我地工作",
    "在我的世界里盖房子，用的是我的世界基岩版",
    "本地部署了本地模型，数据存在本地",
    "最近邻检索和排他锁",
    "迷你裙和迷你主机打折",
    "你好，欢迎",
    "说了一声您好。",
    "应该用户登录后再付款",
    "这个人工智能课很难",
    "这位置不错，这儿子真乖",
    "公司那边很忙，北京那边下雨",
    "基本校验通过，日本市场很大，版本服务器已更新",
    "对方程求导，针对方案讨论",
    "小王和小李互相尊重对方",
    "老人家和别人家的孩子",
    "《我们仨》和“他来了”都看过",
    "运行 `print(我)` 报错",
    "链接 https://example.com/我的/这里",
    "@我是谁 发了图",
    "真他妈贵，他妈的",
    "你死我活的比赛，尔虞我诈",
    "小王这个人很好，自己做饭",
    "去了上海，在那里工作",
    "这群孩子很吵，小王这边没问题",
    "本群岛由十个岛组成",
    "There are three options and there's more",
    "Is there a way? There will be cake.",
    "I/O errors, type I diabetes, World War I, I-95",
    "The US and IT departments use Windows ME",
    "The gold mine closed; bitcoin miners left",
    "Here is the summary. Here's the link.",
    "Neither here nor there, said Tom",
    "It rains and its roof leaks",
    "Tom hurt himself",
    "A do-it-yourself kit and a thank-you card",
    "said thank you to Tom",
    "Tom uses he/him pronouns",
    "The user interface and the user guide are new",
    "Watched The Last of Us",
    '"I love you" is a song',
    "for i in range(3)",
    "hi there",
    "Let's Encrypt issued the certificate",
    "Opened Here Maps",
    "The people in Paris like the food there",
    "i.e. the vitamin and the theme",
]

A_REFERENCE = [
    ("我们聊了天", ["我们"]),
    ("俺也一样", ["俺"]),
    ("咱们走吧", ["咱们"]),
    ("您的订单", ["您"]),
    ("尤其他喜欢的歌", ["他"]),
    ("他人很好", ["他"]),
    ("自我加入以来", ["我"]),
    ("TA说不来，等ta", ["TA", "ta"]),
    ("妳們和祂", ["妳們", "祂"]),
    ("本人不同意", ["本人"]),
    ("被人家骂了", ["人家"]),
    ("对方不回消息", ["对方"]),
    ("给该用户退款", ["该用户"]),
    ("跟这位群友说", ["这位群友"]),
    ("那个人又来了，那家伙真烦", ["那个人", "那家伙"]),
    ("楼主说得对", ["楼主"]),
    ("这里很冷，这边也是", ["这里", "这边"]),
    ("我这边下雨，你那儿呢", ["我这边", "你那儿"]),
    ("住在那里", ["那里"]),
    ("本群禁止广告，这个群很好", ["本群", "这个群"]),
    ("当地人很热情", ["当地"]),
    ("本地人都知道", ["本地"]),
    ("I'm sure he's here", ["I", "he", "here"]),
    ("u r right, im sorry", ["u", "im"]),
    ("Mine is red and that car is mine", ["Mine", "mine"]),
    ("They said y'all can keep yours", ["They", "y'all", "yours"]),
    ("the user's cat", ["the user"]),
    ("That guy and the other party left", ["That guy", "the other party"]),
    ("lives over there", ["over there"]),
    ("Welcome to this group", ["this group"]),
    ("Her dog bit her", ["Her", "her"]),
    ("He/she may come", ["He", "she"]),
    ("let's go", ["let's"]),
    ("WE LOVE YOU", ["WE", "YOU"]),
]


@pytest.mark.parametrize("text", NOT_A_REFERENCE)
def test_what_only_looks_like_a_reference_is_left_alone(text: str) -> None:
    assert [found.text for found in find_references(text, people=("Tom",))] == []


@pytest.mark.parametrize(("text", "expected"), A_REFERENCE)
def test_references_are_found_with_their_exact_spans(text: str, expected: list[str]) -> None:
    found = find_references(text)
    assert [reference.text for reference in found] == expected
    assert all(text[reference.start : reference.end] == reference.text for reference in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("小王说他明天来", ("小王",)),
        ("Undefined骂了他", ()),
        ("小王骂了他", ()),
        ("小王喜欢他的猫", ("小王",)),
        ("妈妈说他很乖", ()),
        ("小王和张老师说他会来", ("小王", "张老师")),
        ("Bob told him", ()),
        ("Bob said he will come", ("Bob",)),
        ("Undefined told him", ()),
        ("His mother says he is shy", ()),
        ("Anna and Bob know she sings", ("Anna", "Bob")),
        ("He left", ()),
    ],
)
def test_antecedents_are_the_persons_before_a_pronoun_that_fit(text: str, expected: tuple[str, ...]) -> None:
    *_, last = [found for found in find_references(text, bot="Undefined") if found.person == "third"]
    assert last.antecedents == expected


@pytest.mark.parametrize("text", ["小王和小李说他们会来", "The cats know they are cute", "买了新相机，它很贵"])
def test_a_plural_or_a_thing_named_before_anchors_the_pronoun(text: str) -> None:
    assert [found.anchored for found in find_references(text)] == [True]


def test_glossary_words_are_no_references_but_a_name_that_is_only_a_pronoun_hides_nothing() -> None:
    assert find_references("我是谁发了图，他乡也是", glossary=("我是谁", "他乡")) == []
    assert [found.text for found in find_references("我发了图", glossary=("我",))] == ["我"]
    assert is_deictic_name("Here")
    assert not is_deictic_name("我是谁")


def test_english_in_a_chinese_text_counts_only_as_a_sentence() -> None:
    assert find_references("今天 here 地图更新了，me 也更新了") == []
    assert [found.text for found in find_references("小王发了一句 I love you so much 就走了")] == ["I", "you"]


def test_a_name_whose_lower_case_is_longer_than_itself_is_no_error() -> None:
    """`"İ".lower()` has two characters: offsets taken in one do not fit the other."""
    for text in ("İ said hello", "İpek told İ about it", "he met İstanbul's İ"):
        for reference in find_references(text, people=("İ", "İpek")):
            assert text[reference.start : reference.end] == reference.text
