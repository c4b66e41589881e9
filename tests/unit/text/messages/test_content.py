"""What has no content of its own."""

import pytest
from historian.text.messages.content import has_content
from support.tables import cases


@pytest.mark.parametrize("case", cases("text/content"))
def test_agreement_laughter_and_signs_have_no_content(case: dict[str, str]) -> None:
    assert has_content(case["text"]) is (case["content"] == "yes")


def test_no_words_have_no_content() -> None:
    assert not has_content("")


def test_what_is_long_has_content() -> None:
    assert has_content("ha" * 100)
