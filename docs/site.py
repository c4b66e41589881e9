"""What the site has beside the pages of this folder: those of the repository's root, the examples, and the reference.

A hook of MkDocs (`hooks` in mkdocs.yml). Links lead where the files lie in the repository; here they become links of the site.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from pathlib import Path
from typing import Any

import griffe
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
FROM_ROOT = {
    "README.md": "index.md",
    "README.zh-CN.md": "index.zh-CN.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
    "LICENSE": "LICENSE.txt",
}
DOCTEST = re.compile(r"^>>> .*(?:\n(?:>>>|\.\.\.) .*)*", re.MULTILINE)
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(?=[)\s])")


class FencedDoctests(griffe.Extension):
    """Shows the examples in docstrings as code, without the prompts and the marks of doctest."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(_fenced, obj.docstring.value)


def _fenced(found: re.Match[str]) -> str:
    lines = [re.sub(r"\s+# doctest: .*", "", line)[4:] for line in found[0].splitlines()]
    return "\n".join(["```python", *lines, "```"])


def on_files(files: Files, config: Any) -> Files:
    """Add what lies outside of docs/."""
    examples = subprocess.run(
        ["git", "ls-files", "examples"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    for source, target in {**FROM_ROOT, **{name: name for name in examples}}.items():
        files.append(File.generated(config, target, content=(ROOT / source).read_bytes()))
    files.append(File.generated(config, "reference.md", content=reference()))
    return files


def reference() -> str:
    """Return the page of the public names, in the order of `historian.__all__`."""
    import historian

    names = "\n\n".join(f"::: historian.{name}" for name in historian.__all__)
    return f"# Reference\n\nWhat `from historian import …` gives. Modules inside the package are internal.\n\n{names}\n"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    page_uri: str = page.file.src_uri
    source = {target: name for name, target in FROM_ROOT.items()}.get(page_uri, page_uri)
    folder = (
        ""
        if source in FROM_ROOT
        else posixpath.dirname(source if source.startswith("examples/") else f"docs/{source}")
    )

    def of_site(found: re.Match[str]) -> str:
        in_repository = posixpath.normpath(posixpath.join(folder, found[2]))
        target = FROM_ROOT.get(in_repository, in_repository.removeprefix("docs/"))
        return f"{found[1]}{os.path.relpath(target, posixpath.dirname(page_uri) or '.')}{found[3] or ''}"

    return LINK.sub(of_site, markdown)
