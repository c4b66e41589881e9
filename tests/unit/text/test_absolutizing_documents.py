"""Every example of docs/absolutizing in both languages is run as it stands there."""

import re
import shlex
from datetime import datetime
from pathlib import Path

import pytest
from historian.interfaces.cli.app import app
from historian.schema.names import Names
from historian.text.absolutize import absolutize
from historian.text.gate import find_relative_words
from historian.text.time_expressions import resolve_times
from typer.testing import CliRunner

DOCS = Path(__file__).parents[3] / "docs"
AT = datetime.fromisoformat("2026-02-21T12:00:00+08:00")
NAMES = {
    "absolutizing.md": Names("Nova", "Greg", "42", "Book Club", "7"),
    "absolutizing.zh-CN.md": Names("小史", "阿明", "42", "读书会", "7"),
}


def rows(kind: str) -> list[tuple[str, ...]]:
    """The rows of the tables marked `<!-- kind -->`, each led by its document's name."""
    found: list[tuple[str, ...]] = []
    for document in NAMES:
        text = (DOCS / document).read_text(encoding="utf-8")
        for table in re.findall(rf"<!-- {kind} -->\n((?:\|.*\n)+)", text):
            for line in table.splitlines()[2:]:
                found.append((document, *(cell.strip() for cell in line.strip("|").split("|"))))
    return found


@pytest.mark.parametrize(("document", "text", "words", "first", "last", "becomes"), rows("times"))
def test_times_mean_what_the_tables_say(document: str, text: str, words: str, first: str, last: str, becomes: str) -> None:
    resolved, found = resolve_times(text, AT, "Asia/Shanghai")
    assert resolved == becomes
    assert [(one.text, one.value, one.until) for one in found] == ([(words, first, last)] if words else [])


@pytest.mark.parametrize(("document", "kind", "text", "becomes"), rows("rewriting"))
def test_names_are_written_in_as_the_tables_say(document: str, kind: str, text: str, becomes: str) -> None:
    assert absolutize(text, AT, "Asia/Shanghai", NAMES[document], kind).text == becomes  # type: ignore[arg-type]


@pytest.mark.parametrize(("document", "text", "violations", "notes"), rows("gate"))
def test_the_gate_answers_as_the_tables_say(document: str, text: str, violations: str, notes: str) -> None:
    verdict = find_relative_words(text)
    assert ", ".join(f"{one.kind} {one.text}" for one in verdict.violations) == violations
    assert ", ".join(f"{one.kind} {one.text}" for one in verdict.notes) == notes


@pytest.mark.parametrize("document", NAMES)
def test_the_commands_run(document: str) -> None:
    block = re.search(r"^```sh\n(.*?)^```$", (DOCS / document).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert block is not None
    for line in block.group(1).splitlines():
        answer = CliRunner().invoke(app, shlex.split(line)[1:])
        assert answer.exit_code == 0, answer.output
