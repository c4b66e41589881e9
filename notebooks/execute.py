"""Runs notebooks anew and writes their outputs into them: `python notebooks/execute.py [FILE …] [--into DIR]`.

The kernel is the interpreter that runs this file, whatever kernels are installed. What changes from run to run without
meaning anything (ids, times of execution, the kernel's name) is left out, and cells are numbered in order, so that a
difference between two versions of a notebook is one of what it says. Outputs must name no path of this machine.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
LANGUAGE = {
    "name": "python",
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "pygments_lexer": "ipython3",
}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
KEPT_METADATA = {"tags"}
PORT = re.compile(r"(127\.0\.0\.1:)\d+")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description="Run notebooks anew, with their outputs written into them."
    )
    parser.add_argument(
        "files", nargs="*", type=Path, help="which ones (default: all of this folder)"
    )
    parser.add_argument(
        "--into", type=Path, help="write them there, and leave the originals as they are"
    )
    options = parser.parse_args(arguments)
    target = options.into or FOLDER
    target.mkdir(parents=True, exist_ok=True)
    for path in options.files or sorted(FOLDER.glob("*.ipynb")):
        started = time.perf_counter()
        executed = execute(nbformat.read(path, as_version=4))
        (target / path.name).write_text(nbformat.writes(executed) + "\n", encoding="utf-8")
        print(f"{path.name}: {time.perf_counter() - started:.1f} s")
    return 0


def execute(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook with outputs of this run, normalised. Raises CellExecutionError for the first cell that fails."""
    for name in [name for name in os.environ if name.startswith(("HISTORIAN", "OPENAI_"))]:
        del os.environ[
            name
        ]  # a notebook shows the defaults, not what is configured on this machine
    # The embedder's threads wait for each other busily: where others work on the machine too, one is many times faster.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["MPLCONFIGDIR"] = os.environ.get("MPLCONFIGDIR") or tempfile.mkdtemp(
        prefix="matplotlib-"
    )
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        kernel = KernelManager(
            kernel_name="python3",
            kernel_spec_manager=KernelSpecManager(
                kernel_dirs=[]
            ),  # with no folder to look into, this very interpreter
            connection_file=f"{folder}/kernel.json",
            transport="ipc" if os.name == "posix" else "tcp",
        )
        try:
            NotebookClient(
                notebook, km=kernel, timeout=180, resources={"metadata": {"path": folder}}
            ).execute()
        finally:
            kernel.shutdown_kernel(now=True)
        return normalised(
            notebook,
            [folder, str(FOLDER.parent), str(Path.home()), sys.prefix, tempfile.gettempdir()],
        )


def normalised(notebook: nbformat.NotebookNode, private: list[str]) -> nbformat.NotebookNode:
    """The notebook without what means nothing. Raises ValueError where an output names one of the `private` paths."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": LANGUAGE})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    number = 0
    for position, cell in enumerate(notebook.cells):
        cell.id = f"cell-{position + 1:02d}"
        cell.metadata = nbformat.from_dict(
            {key: value for key, value in cell.metadata.items() if key in KEPT_METADATA}
        )
        if cell.cell_type != "code":
            continue
        number += 1
        cell.execution_count = number if cell.source.strip() else None
        cell.outputs = [tidy(output, number) for output in joined(cell.outputs)]
        shown = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
        named = [
            path for path in private if len(path) > 1 and path in shown.replace(cell.source, "")
        ]
        if named:
            raise ValueError(
                f"cell {position + 1} prints {named[0]}: show paths relative to something"
            )
    return notebook


def joined(outputs: list[Any]) -> list[Any]:
    """Pieces of one stream that came one after the other, as one output."""
    together: list[Any] = []
    for output in outputs:
        last = together[-1] if together else None
        if (
            last is not None
            and output.output_type == "stream"
            and last.output_type == "stream"
            and output.name == last.name
        ):
            last.text += output.text
        else:
            together.append(output)
    return together


def tidy(output: Any, number: int) -> Any:
    """An output without transient metadata; of a picture the picture alone."""
    if output.output_type == "execute_result":
        output.execution_count = number
    if output.output_type == "stream":
        output.text = PORT.sub(r"\1PORT", output.text)  # another one every time
    if "metadata" in output:
        output.metadata = nbformat.from_dict({})
    data = output.get("data", {})
    if data.keys() & {"image/png", "image/svg+xml"}:
        data.pop("text/plain", None)
    return output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
