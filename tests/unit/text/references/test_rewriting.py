"""The rule rewriter against sentences labelled by hand (tests/data/rewriting_*.tsv)."""

import csv
from pathlib import Path

import pytest
from historian.schema.names import Names
from historian.text.references.types import Item
from historian.text.rewriting.rewriting import draft

DATA = Path(__file__).parents[3] / "data"
NAMES = {
    ("zh", "group"): Names("Undefined", "小明", "42", "摄影群", "777"),
    ("zh", "private"): Names("Undefined", "Tom", "42"),
    ("zh", "nobody"): Names(user_id="42"),
    ("en", "group"): Names("Undefined", "Tom", "42", "Hikers", "777"),
    ("en", "private"): Names("Undefined", "Tom", "42"),
    ("en", "nobody"): Names(user_id="42"),
}


def labelled(language: str) -> list[tuple[Item, Names, str, str, list[str]]]:
    """Rows of item, names, text, expected text, wordings that must stay undecided (separated by |)."""
    with (DATA / f"rewriting_{language}.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        (
            "action" if item == "action" else "fact",
            NAMES[language, who],
            text,
            expected,
            undecided.split("|") if undecided else [],
        )
        for item, who, text, expected, undecided in rows
    ]


@pytest.mark.parametrize(
    ("item", "names", "text", "expected", "undecided"), [*labelled("zh"), *labelled("en")]
)
def test_a_labelled_sentence_is_rewritten_as_its_label_says(
    item: Item, names: Names, text: str, expected: str, undecided: list[str]
) -> None:
    result = draft(text, names, item)
    assert result.text == expected
    assert [reference.text for reference in result.undecided] == undecided
    assert draft(result.text, names, item).text == result.text, "rewriting again changes nothing"
