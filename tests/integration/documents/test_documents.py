"""What the documents show is run as it stands there."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from historian.schema.settings import walk
from historian.schema.settings.source import parse_settings
from support.command import NO_MODELS, at_noon, historian

ROOT = Path(__file__).parents[3]
READMES = ["README.md", "README.zh-CN.md"]
OPERATIONS = ["docs/operations.md", "docs/operations.zh-CN.md"]
STUDIO = ["docs/studio.md", "docs/studio.zh-CN.md"]
CALLS = ["docs/calls.md", "docs/calls.zh-CN.md"]
HTTP = ["docs/http.md", "docs/http.zh-CN.md"]
SCALING = ["docs/scaling.md", "docs/scaling.zh-CN.md"]
DOCUMENTS = [
    *READMES,
    *OPERATIONS,
    *STUDIO,
    *CALLS,
    *HTTP,
    *SCALING,
    "CONTRIBUTING.md",
    "CHANGELOG.md",
]
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


ENVIRONMENT = {
    **os.environ,
    **NO_MODELS,
    **at_noon(),
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
}


def test_every_make_target_that_is_named_exists() -> None:
    heads = re.findall(
        r"^([a-z ]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    targets = {target for head in heads for target in head.split()}
    named = {line.split()[1] for _, line in shell_lines() if line.startswith("make ")}
    assert {"demo", "test"} <= named
    assert named <= targets


@pytest.mark.parametrize("readme", READMES)
def test_the_quick_start_has_both_commands_of_a_clone_in_one_block(readme: str) -> None:
    quick_start = (ROOT / readme).read_text(encoding="utf-8").split("\n## ")[1]
    together = [
        body for language, body in FENCE.findall(quick_start) if language == "sh" and "make" in body
    ]
    assert [[line.split("  #")[0].strip() for line in body.splitlines()] for body in together] == [
        ["make demo", "make test"]
    ]
    assert all("  # " in line for line in together[0].splitlines()), "each with what it shows"


def test_every_kind_of_line_in_a_shell_block_is_checked_by_something() -> None:
    for document, line in shell_lines():
        assert re.match(
            r"(make|pip install|curl|docker compose) |(python -m )?historian |echo .* \| historian ",
            line,
        ), f"{document}: {line}"


@pytest.mark.parametrize("page", STUDIO)
def test_the_notebook_that_the_page_runs_alone_is_there(page: str) -> None:
    named = re.findall(r"notebooks/\w+\.\w+", (ROOT / page).read_text(encoding="utf-8"))
    assert len(named) == 2 and all((ROOT / path).is_file() for path in named)


def run(directory: Path, command: list[str], **environ: str) -> str:
    """What a command prints, run in a folder of its own without any model."""
    environ = {**ENVIRONMENT, **environ}
    ended = subprocess.run(
        command, cwd=directory, env=environ, capture_output=True, encoding="utf-8", timeout=120
    )
    assert ended.returncode == 0, f"{command}\n{ended.stderr}"
    assert "Traceback" not in ended.stderr
    return ended.stdout


FIRST = ("historian init", "historian worker --drain")
"""Without these the others have nothing to work on."""


@pytest.mark.slow
@pytest.mark.parametrize("page", OPERATIONS)
def test_the_commands_of_the_page_work_one_after_the_other(tmp_path: Path, page: str) -> None:
    commands = [line for document, line in shell_lines() if document == page]
    if page != OPERATIONS[0]:  # what both pages have alike has been run once
        of_first = {line for document, line in shell_lines() if document == OPERATIONS[0]}
        commands = [
            line
            for line in commands
            if line not in of_first or line.split(" #")[0].strip() in FIRST
        ]
    assert len(commands) >= 7
    for command in commands:
        assert run(tmp_path, ["sh", "-c", command]).strip(), command


@pytest.mark.slow
def test_the_command_runs_as_a_module_too(tmp_path: Path) -> None:
    twins = {
        line
        for document, line in shell_lines()
        if document in READMES and line.startswith("python -m")
    }
    assert twins == {"python -m historian demo", "python -m historian doctor"}
    for line in twins:
        assert run(tmp_path, [sys.executable, *line.split()[1:]])


PATIENCE = {"HISTORIAN__COGNITIVE__QUERY__RECALL_TIMEOUT_SECONDS": "20"}


@pytest.mark.slow
@pytest.mark.parametrize("readme", READMES)
def test_the_snippets_print_what_the_readme_says_in_one_folder(tmp_path: Path, readme: str) -> None:
    def undated(text: str) -> list[str]:
        return re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d\])?", "DATE", text).split("\n")

    for snippet, shown in zip(blocks(readme, "python"), blocks(readme, "text"), strict=True):
        assert undated(run(tmp_path, [sys.executable, "-c", snippet], **PATIENCE)) == undated(shown)


EACH_IN_ITS_FOLDER = """
import os, sys
at = os.getcwd()
for number, snippet in enumerate(sys.argv[1:]):
    os.chdir(os.path.join(at, str(number)))
    exec(compile(snippet, f"snippet {number}", "exec"), {"__name__": "__main__"})
"""
"""Runs the snippets in one process: to load everything anew for each takes most of the time."""


@pytest.mark.slow
@pytest.mark.parametrize("document", CALLS)
def test_the_snippets_of_the_page_run(tmp_path: Path, document: str) -> None:
    snippets = blocks(document, "python")
    assert snippets
    for number in range(len(snippets)):
        (tmp_path / str(number)).mkdir()
    run(tmp_path, [sys.executable, "-c", EACH_IN_ITS_FOLDER, *snippets])
    for number in range(len(snippets)):
        assert list((tmp_path / str(number) / "data/cognitive").iterdir())


@pytest.mark.parametrize("readme", READMES)
def test_a_readme_has_fewer_than_two_hundred_lines(readme: str) -> None:
    assert len((ROOT / readme).read_text(encoding="utf-8").splitlines()) < 200


def test_the_english_pages_hold_english_names() -> None:
    for document in (
        "README.md",
        OPERATIONS[0],
        STUDIO[0],
        CALLS[0],
        HTTP[0],
        SCALING[0],
        "docs/privacy.md",
        "docs/cognitive-memory.md",
    ):
        text = (ROOT / document).read_text(encoding="utf-8").replace("[中文]", "")
        assert re.findall(r"[㐀-鿿]+", text) == [], document


@pytest.mark.slow
def test_the_pictures_are_those_of_the_demo(tmp_path: Path) -> None:
    run(tmp_path, [sys.executable, str(ROOT / "docs/images/draw.py"), str(tmp_path)])
    drawn = {one.name: one.read_text(encoding="utf-8") for one in tmp_path.glob("*.svg")}
    assert len(drawn) == 6
    for name, picture in drawn.items():
        assert picture == (ROOT / "docs/images" / name).read_text(encoding="utf-8"), name


def test_ten_lines_connect_a_bot() -> None:
    body = [line for line in blocks("README.md", "python")[0].splitlines() if line.strip()]
    assert len([line for line in body if line.startswith("        ")]) <= 10


@pytest.mark.parametrize("page", SCALING)
def test_the_settings_of_the_page_on_scaling_load(page: str) -> None:
    first, second = (
        parse_settings(tomllib.loads(block), environ={}, base=ROOT).stores
        for block in blocks(page, "toml")
    )
    assert first.url == "postgresql://historian@db.example/memory"
    assert (second.url, second.direct_url, second.pool_max) == (
        "postgresql://historian@pgbouncer.example:6432/memory",
        "postgresql://historian@db.example:5432/memory",
        4,
    )


def test_the_settings_of_the_readme_load() -> None:
    for block in blocks("README.md", "toml"):
        settings = parse_settings(tomllib.loads(block), environ={}, base=ROOT)
        assert settings.models.background.base_url == settings.models.chat.base_url


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_inside_the_repository_leads_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (ROOT / document).parent.joinpath(target).exists(), target


def test_the_drawn_graphs_are_those_of_the_code() -> None:
    drawn = blocks(STUDIO[0], "mermaid")
    names = re.findall(r"<summary>(\w+):", (ROOT / STUDIO[0]).read_text(encoding="utf-8"))
    assert set(names) == {"historian", "recall", "reflection"}
    assert drawn == [historian("graph", name).out for name in names]


@pytest.mark.parametrize(
    ("document", "language"), [("docs/settings.md", "en"), ("docs/settings.zh-CN.md", "zh")]
)
def test_the_tables_of_settings_are_those_of_the_model(document: str, language: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert text == historian("init", "--markdown", language).out
    assert all(f"| `{dotted.rpartition('.')[2]}` |" in text for dotted, _ in walk())


def test_every_command_is_named_in_the_changelog() -> None:
    from historian.interfaces.cli.app import app

    named = {command.name for command in app.registered_commands} | {
        group.name for group in app.registered_groups
    }
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert {name for name in named if name and f"`{name}`" not in changelog} == set()


GUIDES = ["docs/cognitive-memory.md", "docs/cognitive-memory.zh-CN.md", *OPERATIONS, *CALLS, *HTTP]


@pytest.mark.parametrize("document", GUIDES)
def test_every_command_that_a_guide_names_exists(document: str) -> None:
    import typer.main
    from historian.interfaces.cli.app import app

    group = typer.main.get_command(app)
    commands = getattr(group, "commands", {})
    named = re.findall(
        r"`historian ([a-z]+)(?: ([a-z]+(?:-[a-z]+)*)\b)?",
        (ROOT / document).read_text(encoding="utf-8"),
    )
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
        assert len(re.findall(mark, english, re.MULTILINE)) == len(
            re.findall(mark, chinese, re.MULTILINE)
        ), mark


@pytest.mark.parametrize(
    "pair", [READMES, OPERATIONS, STUDIO, CALLS, HTTP], ids=lambda pair: pair[0]
)
def test_both_languages_have_the_same_parts(pair: list[str]) -> None:
    english, chinese = ((ROOT / page).read_text(encoding="utf-8") for page in pair)
    for mark in (
        r"^## ",
        r"^\|",
        r"^- ",
        r"^```python",
        r"^```toml",
        r"^(?:make|historian \w+|python -m)",
    ):
        assert len(re.findall(mark, english, re.MULTILINE)) == len(
            re.findall(mark, chinese, re.MULTILINE)
        ), mark


def test_the_walks_name_functions_that_exist_and_no_file_twice() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for heading, fewest in (("## From the call to the row", 7), ("### Messages", 8)):
        walk = page.split(heading)[1].split("\n## ")[0].split("\n### ")[0]
        steps = re.findall(r"^\| `([\w/]+\.py)` \| ([^|]+) \|", walk, re.MULTILINE)
        files = [file for file, _ in steps]
        assert len(files) >= fewest and len(set(files)) == len(files)
        for file, functions in steps:
            code = (ROOT / file).read_text(encoding="utf-8")
            for function in re.findall(r"`(\w+)`", functions):
                assert re.search(rf"(?:def|class) {function}\b", code), f"{file} has no {function}"
