"""Which parts of a text no rule may touch."""

import pytest
from historian.text.protected import merge_spans, overlaps, protected_spans
from support.tables import cases


def pieces(text: str, *glossary: str) -> list[str]:
    return [text[start:end] for start, end in protected_spans(text, glossary)]


@pytest.mark.parametrize("case", cases("text/protected"))
def test_quotations_code_addresses_and_ids_are_protected(case: dict[str, str]) -> None:
    assert " | ".join(pieces(case["text"])) == case["protected"]
    assert pieces("") == []


def test_glossary_words_are_protected_with_their_case_and_at_word_borders() -> None:
    assert pieces("Here and here, Heres, 他乡来了", "Here", "他乡") == ["Here", "他乡"]


def test_a_quotation_mark_inside_a_name_or_code_opens_nothing() -> None:
    assert pieces('`"` 我们 "他"') == ['`"`', '"他"']
    assert pieces('5" 说 "他"', '5"') == ['5"', '"他"']


def test_spans_are_merged_and_found_again() -> None:
    spans = merge_spans([(5, 7), (0, 2), (2, 4), (6, 9)])
    assert spans == [(0, 4), (5, 9)]
    assert overlaps(spans, 3, 5)
    assert not overlaps(spans, 4, 5)
    assert not overlaps(spans, 9, 12)
