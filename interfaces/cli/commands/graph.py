"""`historian graph`: draws the state graphs from the code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer
from typer import Argument

from ..invocation import command
from ..shell import Shell

Name = Literal["historian", "recall", "reflection"]


@command("graph")
def graph(shell: Shell, name: Annotated[Name, Argument(help="The graph to draw.")]) -> None:
    """Draw a graph as Mermaid text, which GitHub, GitLab and most Markdown viewers show as a picture."""
    text = mermaid(name)
    if shell.json:
        shell.emit(name=name, mermaid=text)
    else:
        typer.echo(text, nl=False)


def mermaid(name: Name) -> str:
    """Return a graph as Mermaid text, which ends with one newline. Needs no network."""
    from ....graph.historian import compile_historian
    from ....graph.recall import compile_recall
    from ....graph.reflection import compile_reflection

    compiled: dict[Name, Callable[[], Any]] = {
        "historian": compile_historian,
        "recall": compile_recall,
        "reflection": compile_reflection,
    }
    drawn: str = compiled[name]().get_graph().draw_mermaid()
    return drawn.replace("\t", "    ").rstrip() + "\n"
