"""What ships works where nothing of this repository is: the wheel, installed into an empty directory."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

AT_THE_ROOT = ("__init__.py", "__main__.py", "graphs.py", "py.typed")

IMPORT_EVERYTHING = """
import importlib, pkgutil, sys
import historian
from importlib.resources import files
from historian.prompts.templates import template

assert historian.__file__.startswith(sys.argv[1]), historian.__file__
modules = [found.name for found in pkgutil.walk_packages(historian.__path__, "historian.")]
for name in modules:
    if not name.endswith("__main__"):
        importlib.import_module(name)
for public in historian.__all__:
    getattr(historian, public)
templates = [
    (language, one.name.removesuffix(".md"))
    for language in ("zh", "en") for one in files("historian.prompts").joinpath(language).iterdir() if one.name.endswith(".md")
]
for language, name in templates:
    assert template(name, language).template
from historian.interfaces.langchain.end_tool import end_tool_schema, system_prompt_text
assert end_tool_schema("zh") and system_prompt_text("en")
print(len(modules), len(templates))
"""


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_prompt_and_nothing_else(tmp_path: Path) -> None:
    source = copy_of_the_sources(tmp_path / "source")
    wheel = build(source, tmp_path / "dist")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    shipped = {
        f"historian/{file.relative_to(source).as_posix()}"
        for room in rooms(source)
        for file in room.rglob("*")
        if file.suffix in {".py", ".md", ".toml", ".f16", ".html", ".css", ".js", ".svg", ".sql"}
        and "__pycache__" not in file.parts
    }
    assert packed == shipped | {f"historian/{name}" for name in AT_THE_ROOT}

    target = tmp_path / "installed"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--target",
            str(target),
            str(wheel),
        ],
        check=True,
        timeout=120,
    )
    environment = {**os.environ, "PYTHONPATH": str(target)}
    ended = subprocess.run(
        [sys.executable, "-c", IMPORT_EVERYTHING, str(target)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    modules, templates = map(int, ended.stdout.split())
    assert modules > 50
    assert templates >= 12

    shown = subprocess.run(
        [sys.executable, str(target / "bin" / "historian"), "--version"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert shown.stdout.startswith("historian "), shown.stderr
    shown = subprocess.run(
        [sys.executable, str(target / "bin" / "historian"), "--help"],
        cwd=tmp_path,
        env={**environment, "HISTORIAN_LANGUAGE": "zh"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert shown.stdout.startswith("用法："), shown.stderr
    assert sorted(one.name for one in (target / "historian/interfaces/cli").glob("*.toml")) == [
        "demo.toml",
        "texts.zh.toml",
    ]


@pytest.mark.slow
def test_the_source_distribution_holds_what_the_readme_links_to(tmp_path: Path) -> None:
    source = copy_of_the_sources(tmp_path / "source")
    for name in ("docs", "examples", "notebooks"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (*ROOT.glob("*.md"), ROOT / "MANIFEST.in", ROOT / "constraints.txt"):
        shutil.copy2(file, source / file.name)
    with tarfile.open(build(source, tmp_path / "dist", "sdist")) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    for readme in ("README.md", "README.zh-CN.md"):
        linked = re.findall(
            r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / readme).read_text(encoding="utf-8")
        )
        assert len(linked) > 20
        assert set(linked) <= held


def rooms(source: Path) -> list[Path]:
    """The folders of the repository that are packages of `historian`."""
    return [folder for folder in source.iterdir() if (folder / "__init__.py").is_file()]


def copy_of_the_sources(target: Path) -> Path:
    """What a build reads, by itself: a build in place leaves folders behind, and would pack those of an earlier one."""
    target.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", *AT_THE_ROOT):
        shutil.copy2(ROOT / name, target / name)
    for room in rooms(ROOT):
        if room.name != "tests":
            shutil.copytree(room, target / room.name, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def build(source: Path, target: Path, kind: str = "wheel") -> Path:
    """The wheel or the source distribution, built with what is installed."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            f"--{kind}",
            "--no-isolation",
            "--outdir",
            str(target),
            str(source),
        ],
        check=True,
        capture_output=True,
        timeout=240,
    )
    (built,) = target.iterdir()
    return built
