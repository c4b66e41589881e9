"""An HTTP server for `/metrics` on loopback, in its own thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ...schema.errors import HistorianError, StorageError
from .metrics import METRICS_CONTENT_TYPE

log = logging.getLogger(__name__)


@contextmanager
def serving_metrics(port: int, text: Callable[[], str]) -> Iterator[int]:
    """Serve the result of `text` as `GET /metrics` on 127.0.0.1 and yield the port (0: any free port).

    `text` is called in a thread of the server. Raises StorageError if the port is in use.
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = 10.0  # of a client that sends half a request

        def do_GET(self) -> None:
            if self.path.partition("?")[0] != "/metrics":
                self.send_error(404, "not found; use /metrics")
                return
            try:
                body = text().encode()
            except HistorianError as error:
                log.warning("the metrics cannot be read: %s", error)
                self.send_error(503, "the metrics cannot be read; the log says why")
                return
            self.send_response(200)
            self.send_header("Content-Type", METRICS_CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            log.debug("metrics: %s", format % arguments)

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise StorageError(f"port {port} on 127.0.0.1 cannot be used: {error.strerror or error}; choose another") from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="historian metrics", daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
