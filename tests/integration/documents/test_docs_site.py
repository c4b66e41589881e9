"""The documentation as a site: every page is on it, it builds without a warning, and it loads nothing from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import historian
import pytest

ROOT = Path(__file__).parents[3]


def test_every_page_of_the_documentation_is_in_the_navigation() -> None:
    navigation = re.findall(
        r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(navigation) == len(set(navigation))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= set(navigation)


@pytest.mark.slow
def test_the_site_builds_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings", reason='the site needs the extra "docs"')
    package = tmp_path / "shipped" / "historian"
    package.mkdir(parents=True)
    for part in (*ROOT.glob("*.py"), *(room.parent for room in ROOT.glob("*/__init__.py"))):
        (package / part.name).symlink_to(part)
    configured = (
        (ROOT / "mkdocs.yml")
        .read_text(encoding="utf-8")
        .replace(".venv/shipped", str(package.parent))
    )
    (tmp_path / "mkdocs.yml").write_text(
        configured.replace("docs_dir: docs", f"docs_dir: {ROOT / 'docs'}").replace(
            "docs/site.py", f"{ROOT}/docs/site.py"
        )
    )
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--site-dir",
        "site",
        "--config-file",
        "mkdocs.yml",
    ]
    built = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, encoding="utf-8", timeout=120
    )
    assert built.returncode == 0, built.stderr
    pages = {
        page.name: page.read_text(encoding="utf-8") for page in (tmp_path / "site").rglob("*.html")
    }
    assert len(pages) > 20
    for name, page in pages.items():
        assert (
            re.findall(
                r'<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(?:https?:)?//[^"]*"', page
            )
            == []
        ), name
    for style in (tmp_path / "site").rglob("*.css"):
        assert not re.search(
            r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text(encoding="utf-8")
        ), style
    for name in historian.__all__:
        assert f'id="historian.{name}"' in pages["reference.html"], name
