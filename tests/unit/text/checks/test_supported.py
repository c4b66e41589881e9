"""tests/data/profile_rewrites.tsv: kind, language, old lines, facts, a model's lines (those behind "! " are invented).

The person is Ann or 阿明, the bot Clio or 小史; Ben or 小王 is in the conversation too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from historian.schema.names import Names
from historian.text.checks.figures import figures
from historian.text.checks.findings import SourceTexts
from historian.text.checks.supported import lost, unsupported
from hypothesis import given
from hypothesis import strategies as st
from support.tables import cases

PEOPLE = {
    "en": Names("Clio", "Ann", "42", "Book Club", "7", others=("Ben",)),
    "zh": Names("小史", "阿明", "42", "读书会", "7", others=("小王",)),
}


class Line(NamedTuple):
    text: str
    sources: dict[str, str]
    is_invented: bool
    kind: str


def lines_of(language: str) -> Iterator[Line]:
    data = Path(__file__).parents[3] / "data" / "profile_rewrites.tsv"
    for row in data.read_text(encoding="utf-8").splitlines():
        kind, spoken, old, facts, new = row.split("\t")
        known = {
            f"L{n}": one.strip().removeprefix("- ")
            for n, one in enumerate(old.split(" | "), 1)
            if one.strip()
        }
        sources = known | {f"N{n}": one.strip() for n, one in enumerate(facts.split(" ; "), 1)}
        for line in new.split(" | ") if spoken == language else ():
            text = line.strip().removeprefix("! ").removeprefix("- ")
            if not text.startswith("## "):
                yield Line(text, sources, line.strip().startswith("! "), kind)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_invented_lines_nearly_none_is_carried_and_of_honest_ones_most(language: str) -> None:
    """Measured: 100 of 102 invented lines are found, 88 of 114 reworded ones and all but one of 66 plain ones stand."""
    lines = list(lines_of(language))
    carried = {
        one
        for one in range(len(lines))
        if not unsupported(lines[one].text, SourceTexts(lines[one].sources), PEOPLE[language])
    }
    invented = [n for n, one in enumerate(lines) if one.is_invented]
    honest = [n for n, one in enumerate(lines) if one.kind == "honest"]
    plain = [n for n, one in enumerate(lines) if not one.is_invented and one.kind != "honest"]
    assert len(invented) >= 50 and len(carried & set(invented)) <= 0.04 * len(invented)
    assert len(honest) >= 50 and len(carried & set(honest)) >= 0.72 * len(honest)
    assert len(plain) >= 30 and len(carried & set(plain)) >= 0.96 * len(plain)


def names_of(text: str) -> Names:
    return PEOPLE["en"] if text.isascii() else PEOPLE["zh"]


def missing(
    text: str, sources: dict[str, str], names: Names, speakers: dict[str, str] | None = None
) -> str:
    found = unsupported(text, SourceTexts(sources, speakers=speakers), names)
    return " | ".join(f"{one.kind} {one.text}" for one in found)


@pytest.mark.parametrize("case", cases("text/supported"))
def test_what_is_missing_in_the_source_is_named(case: dict[str, str]) -> None:
    """Where the row names `user` and `other`, these are the people of the conversation; names are no words."""
    names = (
        Names("Clio", case["user"], "42", others=(case["other"],))
        if case["user"]
        else names_of(case["text"])
    )
    assert missing(case["text"], {"N1": case["source"]}, names) == case["missing"]


@pytest.mark.parametrize("case", cases("text/supported_by_speakers"))
def test_a_source_with_a_speaker_is_about_them(case: dict[str, str]) -> None:
    """`sources` are separated by " / "; one that begins with a name and ": " has that speaker."""
    sources: dict[str, str] = {}
    speakers: dict[str, str] = {}
    for at, source in enumerate(case["sources"].split(" / "), start=1):
        speaker, _, words = source.rpartition(": ")
        sources[str(at)] = words
        if speaker:
            speakers[str(at)] = speaker
    assert (
        missing(case["text"], sources, names_of(case["text"]), speakers or None) == case["missing"]
    )


@pytest.mark.parametrize("case", cases("text/lost"))
def test_what_a_rewrite_lost_is_named(case: dict[str, str]) -> None:
    assert (
        " | ".join(one.text for one in lost(case["text"], case["source"], names_of(case["text"])))
        == case["lost"]
    )


def test_a_reason_tells_what_is_missing_and_where_it_was_looked_for() -> None:
    (found,) = unsupported(
        "has three cats", SourceTexts({"N1": "Ann has two cats", "L4": "likes cats"}), PEOPLE["en"]
    )
    assert found.reason("en") == '"three" is not in N1, L4: write only numbers and dates that are'
    assert found.reason("zh") == "N1, L4 里没有“three”：只写那里有的数字和日期"


def test_what_needs_no_source_is_given_besides() -> None:
    sources = {"N1": "Ann was born on 3 May"}
    assert unsupported("pronouns birthday: 3 May (2026-02-21)", SourceTexts(sources), PEOPLE["en"])
    assert not unsupported(
        "birthday: 3 May (2026-02-21)",
        SourceTexts(sources, ["birthday", "2026-02-21"]),
        PEOPLE["en"],
    )


@given(st.text(), st.text())
def test_any_text_is_read_and_carries_itself(text: str, other: str) -> None:
    figures(text)
    kinds = {
        one.kind for one in unsupported(text, SourceTexts({"N1": text, "N2": other}), PEOPLE["en"])
    }
    assert not kinds & {"number", "title"}
