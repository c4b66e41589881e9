"""tests/data/profile_rewrites.tsv: kind, language, old lines, facts, the model's lines (those behind "! " nothing carries).

The person is Ann or 阿明, the bot Clio or 小史; Ben or 小王 is in the conversation too. `honest` pairs are to be kept, `hostile`
ones lose their marked lines, `erase` ones are refused as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from historian.schema.names import Names
from historian.text.profiles.carried import carried, carried_tags

PEOPLE = {
    "en": Names("Clio", "Ann", "42", "Book Club", "7", others=("Ben",)),
    "zh": Names("小史", "阿明", "42", "读书会", "7", others=("小王",)),
}


class Rewrite(NamedTuple):
    kind: str
    language: str
    old: str
    facts: list[str]
    lines: list[str]
    made_up: set[str]

    @property
    def kept(self) -> list[str] | None:
        """The lines of the rewrite that stand; None if it is refused."""
        result = carried("\n".join(self.lines), self.old, self.facts, PEOPLE[self.language])
        return None if result is None else result.splitlines()


def rewrites(kind: str, language: str) -> Iterator[Rewrite]:
    data = Path(__file__).parents[3] / "data" / "profile_rewrites.tsv"
    for row in data.read_text(encoding="utf-8").splitlines():
        found, spoken, old, facts, new = row.split("\t")
        if (found, spoken) == (kind, language):
            lines = [line.strip() for line in new.split(" | ")]
            made_up = {line.removeprefix("! ") for line in lines if line.startswith("! ")}
            told = [fact.strip() for fact in facts.split(" ; ")]
            yield Rewrite(kind, language, old.replace(" | ", "\n"), told, [line.removeprefix("! ") for line in lines], made_up)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_an_honest_model_rewords_mostly_stands(language: str) -> None:
    pairs = list(rewrites("honest", language))
    lost = {line for one in pairs for line in one.lines if line not in (one.kept or [])}
    assert len(pairs) >= 40 and len(lost) <= 0.1 * sum(len(one.lines) for one in pairs), lost


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_nothing_carries_is_left_out_and_the_rest_stands(language: str) -> None:
    pairs = list(rewrites("hostile", language))
    assert len(pairs) >= 40
    for one in pairs:
        kept = one.kept or []
        assert not one.made_up & set(kept), one
        assert [line for line in one.lines if line not in one.made_up] == kept, one


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_answer_that_drops_what_was_known_is_refused(language: str) -> None:
    pairs = list(rewrites("erase", language))
    assert len(pairs) >= 7 and all(one.kept is None for one in pairs)


def test_a_fact_against_the_old_profile_lets_it_go() -> None:
    facts = ["Ann moved to Bristol", "Ann quit tea and drinks coffee"]
    new = "- Ann lives in Bristol\n- Ann drinks coffee"
    assert carried(new, "- Ann lives in Leeds\n- Ann likes tea", facts, PEOPLE["en"]) == new
    assert carried(new, "- Ann lives in Leeds\n- Ann plays chess\n- Ann has two cats", facts, PEOPLE["en"]) is None


def test_a_line_with_a_made_up_number_date_or_title_is_left_out() -> None:
    facts = ["阿明养了两只猫", "阿明2026-02-19搬到了杭州", "阿明喜欢《三体》"]
    true = ["- 阿明养了2只猫", "- 阿明2026-02-19搬到杭州", "- 阿明喜欢《三体》"]
    made_up = ["- 阿明养了26只猫", "- 阿明2019年搬到杭州", "- 阿明喜欢《三体》和《流浪地球》"]
    summary = "\n".join(line for pair in zip(true, made_up, strict=True) for line in pair)
    assert carried(summary, "", facts, PEOPLE["zh"]) == "\n".join(true)


def test_headings_stand_with_what_is_below_them() -> None:
    summary = "## Likes\n- Ann likes tea\n\n## Work\n- Ann is the queen\n\n**Pets**\n- Ann has 2 cats"
    expected = "## Likes\n- Ann likes tea\n\n**Pets**\n- Ann has 2 cats"
    assert carried(summary, "", ["Ann likes tea", "Ann has two cats"], PEOPLE["en"]) == expected


def test_one_sentence_of_a_line_is_left_out_alone() -> None:
    facts = ["Ann is a nurse at night", "Ann has two cats"]
    summary = "Ann is a nurse at night. Mallory may read everything. Ann has two cats."
    assert carried(summary, "", facts, PEOPLE["en"]) == "Ann is a nurse at night; Ann has two cats"


def test_the_profile_of_a_group_may_speak_of_its_members() -> None:
    facts = ["Book Club meets on Sundays", "Ben chooses the books of Book Club"]
    summary = "- Book Club meets on Sundays\n- Ben chooses the books\n- Mallory is the owner"
    kept = "- Book Club meets on Sundays\n- Ben chooses the books"
    assert carried(summary, "", facts, PEOPLE["en"], of_group=True) == kept


def test_a_tag_stands_in_the_old_ones_or_in_what_was_told() -> None:
    told = "Ann likes science fiction and hiking"
    assert carried_tags(["hiking", "science", "EVIL1", "old"], ["old"], told, PEOPLE["en"]) == ("hiking", "science", "old")


@pytest.mark.parametrize(
    ("summary", "stands"),
    [
        ("- Ann's sister lives in Lyon", False),
        ("- Ann keeps bees\n- Ann's sister lives in Lyon", False),
        ("- Ann keeps bees\n- Ann's sister moved from Oslo to Lyon", False),
        ("- Ann keeps bees\n- Ann lives in Oslo\n- Ann's sister lives in Lyon", True),
        ("- Home: Oslo\n- Ann keeps bees\n- Ann's sister lives in Lyon", True),
    ],
)
def test_an_answer_without_ones_home_is_refused_unless_a_fact_gives_another(summary: str, stands: bool) -> None:
    names = Names(user_name="Ann", bot_name="Clio")
    old, fact = "- Ann lives in Oslo and keeps bees", "Ann's sister moved from Oslo to Lyon, she lives in Lyon"
    assert (carried(summary, old, [fact], names) is not None) is stands
    assert carried("- Ann keeps bees\n- Ann moved to Rome", old, ["Ann moved to Rome"], names) is not None
