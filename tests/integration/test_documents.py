"""What the documents show is run as it stands there."""

import os
import re
import subprocess
import sys
import tomllib
from datetime import datetime
from pathlib import Path

import pytest
from historian.schema.names import Names
from historian.schema.settings import walk
from historian.schema.settings_source import parse_settings
from historian.text.absolutize import absolutize
from support.command import NO_MODELS, historian

ROOT = Path(__file__).parents[2]
READMES = ["README.md", "README.zh-CN.md"]
DOCUMENTS = [*READMES, "CONTRIBUTING.md", "CHANGELOG.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return [body for name, body in FENCE.findall(text) if name == language]


def shell_lines() -> list[tuple[str, str]]:
    return [
        (document, line.split("  #")[0].strip())
        for document in DOCUMENTS
        for block in blocks(document, "sh")
        for line in block.splitlines()
        if line.strip()
    ]


ENVIRONMENT = {**os.environ, **NO_MODELS, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_every_make_target_that_is_named_exists() -> None:
    heads = re.findall(r"^([a-z ]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    targets = {target for head in heads for target in head.split()}
    named = {line.split()[1] for _, line in shell_lines() if line.startswith("make ")}
    assert {"demo", "test"} <= named
    assert named <= targets


def test_every_kind_of_line_in_a_shell_block_is_checked_by_something() -> None:
    for document, line in shell_lines():
        assert re.match(r"(make|pip install|curl) |historian |echo .* \| historian ", line), f"{document}: {line}"


@pytest.mark.parametrize("readme", READMES)
def test_the_notebook_that_the_readme_runs_alone_is_there(readme: str) -> None:
    named = re.findall(r"notebooks/\w+\.\w+", (ROOT / readme).read_text(encoding="utf-8"))
    assert len(named) == 2 and all((ROOT / path).is_file() for path in named)


@pytest.mark.slow
@pytest.mark.parametrize("readme", READMES)
def test_the_commands_of_the_readme_work_one_after_the_other(tmp_path: Path, readme: str) -> None:
    commands = [line for document, line in shell_lines() if document == readme and "historian " in line and "pip" not in line]
    assert len(commands) > 8
    for command in commands:
        ended = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, encoding="utf-8", timeout=120
        )
        assert ended.returncode == 0, f"{command}\n{ended.stderr}"
        assert ended.stdout.strip(), command


@pytest.mark.slow
@pytest.mark.parametrize("readme", READMES)
@pytest.mark.parametrize("number", range(len(blocks("README.md", "python"))))
def test_the_snippets_of_the_readme_run(tmp_path: Path, readme: str, number: int) -> None:
    snippet = blocks(readme, "python")[number]
    ended = subprocess.run(
        [sys.executable, "-c", snippet], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, encoding="utf-8", timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert list((tmp_path / "data/cognitive").iterdir())


def test_ten_lines_connect_a_bot() -> None:
    body = [line for line in blocks("README.md", "python")[0].splitlines() if line.strip()]
    assert len([line for line in body if line.startswith("        ")]) <= 10


def test_the_settings_of_the_readme_load() -> None:
    for block in blocks("README.md", "toml"):
        settings = parse_settings(tomllib.loads(block), environ={}, base=ROOT)
        assert settings.models.background.base_url == settings.models.chat.base_url


def test_the_examples_at_the_top_are_what_the_rules_make_of_them() -> None:
    (block,) = blocks("README.md", "text")
    moment = datetime.fromisoformat("2026-02-20T22:10:00+08:00")
    lines = [line for line in block.splitlines() if line]
    for before, after in zip(lines[::2], lines[1::2], strict=True):
        bot, user = ("小史", "阿明") if "我" in before else ("Clio", "Ann")
        names = Names(bot_name=bot, user_name=user, group_name="读书会", group_id="7001")
        assert absolutize(before, moment, "Asia/Shanghai", names, "action").text == after


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_inside_the_repository_leads_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (ROOT / document).parent.joinpath(target).exists(), target


def test_the_drawn_graphs_of_the_readme_are_those_of_the_code() -> None:
    drawn = blocks("README.md", "mermaid")
    names = re.findall(r"<summary>(\w+):", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert set(names) == {"historian", "recall", "reflection"}
    assert drawn == [historian("graph", name).out for name in names]


@pytest.mark.parametrize(("document", "language"), [("docs/settings.md", "en"), ("docs/settings.zh-CN.md", "zh")])
def test_the_tables_of_settings_are_those_of_the_model(document: str, language: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert text == historian("init", "--markdown", language).out
    assert all(f"| `{dotted.rpartition('.')[2]}` |" in text for dotted, _ in walk())


def test_every_command_is_named_in_the_changelog() -> None:
    from historian.interfaces.cli.app import app

    named = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert {name for name in named if name and f"`{name}`" not in changelog} == set()


GUIDES = ["docs/cognitive-memory.md", "docs/cognitive-memory.zh-CN.md", "README.zh-CN.md"]


@pytest.mark.parametrize("document", GUIDES)
def test_every_command_that_a_guide_names_exists(document: str) -> None:
    import typer.main
    from historian.interfaces.cli.app import app

    group = typer.main.get_command(app)
    commands = getattr(group, "commands", {})
    named = re.findall(r"`historian ([a-z]+)(?: ([a-z]+)\b)?", (ROOT / document).read_text(encoding="utf-8"))
    assert named
    for name, sub in named:
        assert name in commands, f"historian {name}"
        below = getattr(commands[name], "commands", None)
        if below is not None and sub:
            assert sub in below, f"historian {name} {sub}"


@pytest.mark.parametrize("document", ["README.md", *GUIDES])
def test_every_page_that_is_linked_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:\s]+)\)", text)
    assert targets
    assert [target for target in targets if not ((ROOT / document).parent / target).exists()] == []


def test_both_guides_have_the_same_parts() -> None:
    english, chinese = ((ROOT / page).read_text(encoding="utf-8") for page in GUIDES[:2])
    for mark in (r"^## ", r"^\|", r"^\*\*"):
        assert len(re.findall(mark, english, re.MULTILINE)) == len(re.findall(mark, chinese, re.MULTILINE)), mark


def test_both_readmes_have_the_same_parts() -> None:
    english, chinese = ((ROOT / page).read_text(encoding="utf-8") for page in READMES)
    for mark in (r"^## ", r"^```python", r"^```toml"):
        assert len(re.findall(mark, english, re.MULTILINE)) == len(re.findall(mark, chinese, re.MULTILINE)), mark
    for command in blocks("README.md", "sh")[-1].splitlines():
        words = re.search(r"historian [a-z]+", command)
        assert words and words[0] in chinese, command


def test_the_walks_name_functions_that_exist_and_no_file_twice() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walks = page.split("## Two walks")[1].split("\n## ")[0].split("\nA message on its way")
    assert len(walks) == 2
    for one in walks:
        steps = re.findall(r"^\| `([\w/]+\.py)` \| ([^|]+) \|", one, re.MULTILINE)
        files = [file for file, _ in steps]
        assert len(files) >= 10 and len(set(files)) == len(files)
        for file, functions in steps:
            code = (ROOT / file).read_text(encoding="utf-8")
            for function in re.findall(r"`(\w+)`", functions):
                assert re.search(rf"def {function}\b", code), f"{file} has no {function}"
