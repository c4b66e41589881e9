"""`historian graph`: the state machines, drawn from the code that runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument

from ..invocation import Shell, command

if TYPE_CHECKING:
    from langgraph.graph import StateGraph

Name = Literal["historian", "recall", "reflection"]


@command("graph")
def graph(shell: Shell, name: Annotated[Name, Argument(help="Which one.")]) -> None:
    """Draw a graph as Mermaid text, which GitHub, GitLab and most Markdown viewers show as a picture."""
    text = mermaid(name)
    if shell.json:
        shell.emit(name=name, mermaid=text)
    else:
        typer.echo(text, nl=False)


def mermaid(name: Name) -> str:
    """Return the drawing, made offline; it ends with a line end."""
    from ....graph.historian import build_historian
    from ....graph.recall import build_recall
    from ....graph.reflection import build_reflection

    builders: dict[Name, Callable[[], StateGraph[Any, Any, Any, Any]]] = {
        "historian": build_historian,
        "recall": build_recall,
        "reflection": build_reflection,
    }
    drawn: str = builders[name]().compile().get_graph().draw_mermaid()
    return drawn.replace("\t", "    ").rstrip() + "\n"
