"""What has no content of its own."""

import pytest
from historian.text.content import has_content


@pytest.mark.parametrize(
    "text",
    [
        "👍",
        "😂😂",
        "牛",
        "收到",
        "哈哈哈哈",
        "嗯嗯好的谢谢",
        "对啊",
        "1",
        "666",
        "lol",
        "ok!",
        "Haha, so true",
        "yesss",
        "[图片]",
        "？",
        "",
    ],
)
def test_agreement_laughter_and_signs_have_no_content(text: str) -> None:
    assert not has_content(text)


@pytest.mark.parametrize(
    "text",
    [
        "三点",
        "没去",
        "350",
        "13800138000",
        "Thanks, Mel!",
        "ok, at eight",
        "是我妈",
        "Oslo",
        "哈哈哈明天见面再说",
        "no cheese",
        "ünal",
    ],
)
def test_what_names_something_has_content(text: str) -> None:
    assert has_content(text)


def test_what_is_long_has_content() -> None:
    assert has_content("ha" * 100)
