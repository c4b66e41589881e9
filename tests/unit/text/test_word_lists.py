"""Tables of words and patterns: each that is asked for is there, and each that is there is asked for."""

import re
import tomllib
from pathlib import Path

import pytest
from historian.text import word_lists
from historian.text.time_expressions.english.lexicon import (
    CORRECTED,
    DAYS,
    MONTHS,
    PARTS,
    UNITS,
    WEEKDAYS,
)
from historian.text.word_lists import compiled_patterns

TEXT = Path(word_lists.__file__).parent
TABLES = [
    path
    for path in sorted(TEXT.rglob("*.toml"))
    if "patterns" in tomllib.loads(path.read_text(encoding="utf-8"))
]


def test_a_pattern_holds_words_pieces_and_patterns_before_it_and_keeps_the_names_of_its_groups() -> (
    None
):
    tables = {
        "words": {"kin": "mother\nsister"},
        "pieces": {"whose": "(?:my|her)"},
        "patterns": {
            "relative": ["<whose> ", "(?P<kin><kin>)"],
            "both": "<relative> and <whose> dog",
        },
    }
    patterns = compiled_patterns(tables)
    found = patterns.both.fullmatch("my sister and her dog")
    assert found is not None and found["kin"] == "sister"
    assert patterns["relative"] is patterns.relative
    with pytest.raises(AttributeError, match="no pattern whose"):
        _ = patterns.whose


@pytest.mark.parametrize("table", TABLES, ids=lambda path: str(path.relative_to(TEXT)))
def test_every_pattern_that_is_asked_for_exists_and_the_other_way_round(table: Path) -> None:
    tables = tomllib.loads(table.read_text(encoding="utf-8"))
    readers = [path.read_text(encoding="utf-8") for path in TEXT.rglob("*.py")]
    source = "\n".join(one for one in readers if f'"{table.relative_to(TEXT)}"' in one)
    if '"superseding/marks.toml"' in source:  # asked for by all of the folder
        source = "\n".join(path.read_text(encoding="utf-8") for path in table.parent.glob("*.py"))
    asked = set(re.findall(r"""(?:\b(?:_RE|MARKS|patterns)\.|_PATTERNS\[["'])(\w+)""", source))
    held = set(re.findall(r"(?<!\?P)<(\w+)>", table.read_text(encoding="utf-8")))
    known = {*tables["patterns"], *tables.get("marks", {})}
    assert asked <= known
    assert known <= asked | held
    words = {*tables.get("words", {}), *tables.get("pieces", {})}
    assert words <= held | set(re.findall(r"""\[["'](\w+)["']\]""", source))


def test_no_slip_is_another_word_of_time() -> None:
    known = {word for table in (DAYS, MONTHS, PARTS, UNITS, WEEKDAYS) for word in table}
    assert {slip: word for slip, word in CORRECTED.items() if slip in known and slip != word} == {}
