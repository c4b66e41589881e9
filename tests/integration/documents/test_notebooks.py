"""The notebooks: what lies in the repository is executed and tidy, and they run anew, from a copy, without a network."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import historian
import historian.graphs
import pytest
from support.servers.studio_server import WATCH

FOLDER = Path(__file__).parents[3] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 200_000
MACHINE_PATHS = re.compile(r"/(?:tmp|home|root|work|Users|var|private)/\w|[A-Z]:\\\\")


def cells(path: Path, kind: str) -> list[Any]:
    return [
        cell
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == kind
    ]


def text_of(cell: Any) -> str:
    return "".join(cell["source"])


def test_there_are_the_four_that_the_documents_promise() -> None:
    names = [path.stem for path in NOTEBOOKS]
    assert names == [
        "01_quickstart",
        "02_inside_the_historian",
        "03_retrieval_lab",
        "04_bring_your_model",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_is_kept_executed_small_and_without_traces_of_a_machine(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert sum(bool(cell["outputs"]) for cell in code) >= 3
    assert not [
        output for cell in code for output in cell["outputs"] if output["output_type"] == "error"
    ]
    assert not MACHINE_PATHS.search(
        json.dumps([cell["outputs"] for cell in code], ensure_ascii=False)
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_explained_is_explained_in_chinese_and_then_in_english(path: Path) -> None:
    for cell in cells(path, "markdown"):
        said = re.sub(
            r"```.*?```|`[^`]*`|^#.*?$", "", text_of(cell), flags=re.DOTALL | re.MULTILINE
        )
        chinese = [match.start() for match in re.finditer(r"[\u4e00-\u9fff]{4,}", said)]
        english = [match.start() for match in re.finditer(r"\b[a-z]+ [a-z]+ [a-z]+\b", said)]
        assert chinese, said
        assert english, said
        assert chinese[0] < english[0], said


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_uses_public_names_alone(path: Path) -> None:
    code = "\n".join(
        line
        for cell in cells(path, "code")
        for line in text_of(cell).splitlines()
        if not line.startswith("%")
    )
    tree = ast.parse(code)
    imported = {
        (node.module or "", alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    imported |= {
        (alias.name, "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    of_ours = {(module, name) for module, name in imported if module.split(".")[0] == "historian"}
    assert of_ours
    public = {("historian", name) for name in historian.__all__} | {
        ("historian.graphs", name) for name in historian.graphs.__all__
    }
    assert of_ours <= public
    assert not re.findall(
        r"\.lifecycle\b|\b(?:memory|paid|taught|service)\._\w+|[\"']historian\.\w+\.", code
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_runs_anew_from_a_copy(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copied"
    copy.mkdir()
    shutil.copy2(path, copy)
    shutil.copy2(FOLDER / "execute.py", copy)
    watch, calls = tmp_path / "watch", tmp_path / "calls.txt"
    watch.mkdir()
    (watch / "sitecustomize.py").write_text(WATCH.format(log=str(calls)), encoding="utf-8")
    misleading = {
        "HISTORIAN__COGNITIVE__ENABLED": "false"
    }  # the configuration of a machine must not matter
    ended = subprocess.run(
        [sys.executable, str(copy / "execute.py")],
        cwd=tmp_path,
        env={**os.environ, **misleading, "PYTHONPATH": str(watch)},
        capture_output=True,
        encoding="utf-8",
        timeout=240,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    assert set(calls.read_text(encoding="utf-8").splitlines()) == {
        "watching"
    }  # nobody outside was called
    before, after = cells(path, "code"), cells(copy / path.name, "code")
    assert [text_of(cell) for cell in after] == [text_of(cell) for cell in before]
    shape = [[output["output_type"] for output in cell["outputs"]] for cell in after]
    assert shape == [[output["output_type"] for output in cell["outputs"]] for cell in before]
