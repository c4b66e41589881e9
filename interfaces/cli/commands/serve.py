"""`historian serve`: serves the web pages and the JSON API."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ..console import plain
from ..invocation import command
from ..shell import Shell

if TYPE_CHECKING:
    from ...web.access import Access


@command("serve")
async def serve(
    shell: Shell,
    host: Annotated[
        str | None,
        Option(
            "--host",
            help="The address to listen on (default: web.host). An address that other machines can reach needs web.token.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        Option("--port", min=0, max=65535, help="The port (default: web.port); 0: any free port."),
    ] = None,
    no_worker: Annotated[
        bool, Option("--no-worker", help="Only read and accept jobs; another process files them.")
    ] = False,
) -> None:
    """Serve the pages of this memory for your browser, and the JSON API under /api/v1.

    The worker runs in this process unless another one owns the data directory. The printed address
    contains a one-time token, which signs in one browser within ten minutes; programs send the
    operator's token.
    """
    from ....schema.settings.source import find_config
    from ....service.cognitive import CognitiveService
    from ...web.server import check_host
    from ...web.server import serve as serve_pages

    shell.needs_memory()
    given = {"host": host, "port": port}
    web = shell.settings.web.model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
    check_host(web)

    def listening(url: str, access: Access) -> None:
        link = f"{url}/login?token={access.link_token()}"
        if shell.json:
            shell.emit(url=url, link=link, token=access.token if access.is_new_token else "")
            return
        shell.note("open {url} in your browser; Ctrl-C stops", url=plain(link))
        shown = access.token if access.is_new_token else "$HISTORIAN__WEB__TOKEN"
        shell.note("clients send the header Authorization: Bearer {token}", token=plain(shown))

    # Changes of the configuration file are applied, unless --data-dir overrides a part of it.
    config = find_config(shell.config, os.environ, Path.cwd()) if shell.data_dir is None else None
    async with CognitiveService(
        shell.settings, worker=not no_worker, clock=time.time, config=config
    ) as memory:
        await serve_pages(memory, web, listening)
