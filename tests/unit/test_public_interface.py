"""What `from historian import …` gives, and what the documents may import."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import historian
import pytest

ROOT = Path(__file__).parents[2]


def test_every_public_name_is_there_and_listed_once() -> None:
    assert len(set(historian.__all__)) == len(historian.__all__)
    assert set(historian.__all__) == set(historian._WHERE)
    for name in historian.__all__:
        assert getattr(historian, name) is not None
    assert set(historian.__all__) <= set(dir(historian))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        historian.Nothing  # noqa: B018 - the look-up is what is tested


def test_the_import_loads_nothing_else() -> None:
    code = "import sys, historian; print({'pydantic', 'langchain_core', 'langgraph', 'numpy'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"


def test_a_name_whose_extra_is_not_installed_says_which_one_it_needs() -> None:
    code = "import sys; sys.modules['langchain'] = None; from historian import recall_node, HistorianMiddleware"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert 'pip install "langgraph-historian[agents]"' in shown.stderr


def test_documents_and_examples_import_public_names_alone() -> None:
    files = [
        ROOT / "README.md",
        ROOT / "README.zh-CN.md",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "examples").rglob("*.py"),
    ]
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"(from|import) historian\.(?!graphs\b)\w", text), file
        for names in re.findall(r"^from historian import \(?([\w,\s]+?)\)?$", text, re.MULTILINE):
            assert {name.strip() for name in names.split(",") if name.strip()} <= set(
                historian.__all__
            ), file


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("interfaces.callbacks", "ObservationHandler"),
        ("interfaces.end_tool", "make_end_tool"),
        ("interfaces.retriever", "CognitiveRetriever"),
        ("interfaces.tools", "make_memory_tools"),
        ("service.structured_logs", "json_handler"),
    ],
)
def test_a_place_that_documents_named_before_still_gives_its_names_with_a_warning(
    place: str, name: str
) -> None:
    found: dict[str, object] = {}
    with pytest.warns(DeprecationWarning, match=f"use `from historian import {name}`"):
        exec(f"from historian.{place} import {name}", found)
    assert found[name] is getattr(historian, name)
    with pytest.raises(ImportError, match="nothing"):
        exec(f"from historian.{place} import nothing", {})


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"] and project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {
        "attr": "historian.schema.VERSION"
    }
    assert re.fullmatch(r"\d+\.\d+\.\d+", historian.__version__)
