"""Who is named in a text."""

import pytest
from historian.text.references.people import find_people


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("小王和张老师在聊天", ["小王", "张老师"]),
        ("王小明说李娜会来", ["王小明", "李娜"]),
        ("他妈妈和室友都在", ["妈妈", "室友"]),
        ("马上就去，高兴的是周末在家，任何人都行", []),
        ("@阿强 来了", ["阿强"]),
        ("Bob told Anna Smith about Paris", ["Bob", "Anna Smith"]),
        ("Dr. Lee and her sister met in Berlin", ["Dr. Lee", "sister"]),
        ("Basketball has been fun on Monday", []),
        ("His dog is named Rex", []),
    ],
)
def test_persons_are_found_and_other_capitals_and_words_are_not(text: str, expected: list[str]) -> None:
    assert [mention.name for mention in find_people(text)] == expected


def test_known_names_are_found_whatever_they_look_like() -> None:
    assert [mention.name for mention in find_people("喵喵酱 said hi", ("喵喵酱",))] == ["喵喵酱"]
