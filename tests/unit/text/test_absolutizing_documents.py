"""Every example of docs/absolutizing in both languages is run as it stands there."""

import re
import shlex
from pathlib import Path

import pytest
from historian.interfaces.cli.app import app
from historian.schema.job import Job
from historian.schema.settings import Settings
from historian.text.checks.relative_words import find_relative_words
from historian.text.job_verdicts import by_rules
from typer.testing import CliRunner

DOCS = Path(__file__).parents[3] / "docs"
GROUP = {
    "request_id": "r",
    "timestamp": "2026-02-21T12:00:00+08:00",
    "timezone": "Asia/Shanghai",
    "request_type": "group",
}
NAMES = {
    "absolutizing.md": {
        "bot_name": "Nova",
        "user_id": "42",
        "user_name": "Greg",
        "group_id": "7",
        "group_name": "Book Club",
    },
    "absolutizing.zh-CN.md": {
        "bot_name": "小史",
        "user_id": "42",
        "user_name": "阿明",
        "group_id": "7",
        "group_name": "读书会",
    },
}


def rows(kind: str) -> list[tuple[str, ...]]:
    """Return the rows of the tables marked `<!-- kind -->`, each led by its document's name."""
    found: list[tuple[str, ...]] = []
    for document in NAMES:
        text = (DOCS / document).read_text(encoding="utf-8")
        for table in re.findall(rf"<!-- {kind} -->\n((?:\|.*\n)+)", text):
            for line in table.splitlines()[2:]:
                found.append((document, *(cell.strip() for cell in line.strip("|").split("|"))))
    return found


@pytest.mark.parametrize(("document", "kind", "text", "filed", "open_words"), rows("filed"))
def test_hand_overs_are_filed_as_the_tables_say(
    document: str, kind: str, text: str, filed: str, open_words: str
) -> None:
    texts = {"action_summary": text} if kind in ("action", "动作") else {"new_info": [text]}
    item = by_rules(Job.model_validate(GROUP | NAMES[document] | texts), Settings())[0]
    assert item["candidate"] == filed
    assert ", ".join(dict.fromkeys(one["text"] for one in item["violations"])) == open_words
    assert item["passed"] is (not open_words)


@pytest.mark.parametrize("document", NAMES)
def test_a_page_has_twenty_examples(document: str) -> None:
    assert sum(row[0] == document for row in rows("filed")) == 20


@pytest.mark.parametrize(("document", "text", "violations", "notes"), rows("gate"))
def test_the_gate_answers_as_the_tables_say(
    document: str, text: str, violations: str, notes: str
) -> None:
    verdict = find_relative_words(text)
    assert ", ".join(f"{one.kind} {one.text}" for one in verdict.violations) == violations
    assert ", ".join(f"{one.kind} {one.text}" for one in verdict.notes) == notes


@pytest.mark.parametrize("document", NAMES)
def test_the_commands_run(document: str) -> None:
    block = re.search(
        r"^```sh\n(.*?)^```$",
        (DOCS / document).read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert block is not None
    for line in block.group(1).splitlines():
        answer = CliRunner().invoke(app, shlex.split(line)[1:])
        assert answer.exit_code == 0, answer.output
