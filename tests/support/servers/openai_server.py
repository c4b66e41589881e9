"""A real HTTP server on loopback that speaks the OpenAI protocol: chat, embeddings, rerank. Standard library only.

In a test::

    with OpenAIServer() as server:
        server.script("garbage", "429")        # the next two chat requests; then server.behaviour ("proper")
        ... base_url = server.base_url ...
        assert server.count("chat") == 2

In a process of its own, which survives what the test kills (`run_server_process` does this)::

    python -m support.servers.openai_server --log requests.jsonl --behaviour fenced

The first line on its standard output is the base URL; every request becomes one line of the log, written before the
answer. `POST /control` with `{"script": [...], "behaviour": …, "latency": …}` changes it while it runs.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import os
import random
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from support.servers.openai_answers import (
    BEHAVIOURS,
    Json,
    Reply,
    Responder,
    echo_responder,
    form_asked_for,
    method_of,
)

_KINDS = {
    "/chat/completions": "chat",
    "/embeddings": "embeddings",
    "/rerank": "rerank",
    "/models": "models",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A request: its kind (`chat`, `embeddings`, `rerank`, `models`), the form asked for, the method, JSON, headers, time."""

    kind: str
    form: str
    method: str
    body: Json
    headers: dict[str, str]
    at: float


def hashed_vector(text: str, dimension: int) -> list[float]:
    """A unit vector that depends on `text` alone: the same text is always near itself, others are almost orthogonal."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")
    noise = random.Random(seed)
    values = [noise.gauss(0.0, 1.0) for _ in range(dimension)]
    length = math.sqrt(sum(value * value for value in values)) or 1.0
    return [value / length for value in values]


class OpenAIServer:
    """The server, in threads of this process. Every attribute may be changed while it runs.

    `behaviour` (a name of BEHAVIOURS) is how chat requests are answered once the script is used up, `responder` what is
    answered; `latency` is added to every answer, in seconds; `embedding_fault` and `rerank_form` change those answers.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        behaviour: str = "proper",
        responder: Responder = echo_responder,
        dimension: int = 32,
        latency: float = 0.0,
        log: Path | None = None,
    ) -> None:
        self.behaviour = behaviour
        self.responder = responder
        self.dimension = dimension
        self.latency = latency
        self.embedding_fault = ""
        self.longest_batch = 10_000
        self.longest_input = 1_000_000
        self.rerank_form = "results"
        self.statuses: dict[str, str] = {}
        self.seen: list[Seen] = []
        self._script: deque[str] = deque()
        self._log = log
        self._lock = threading.Condition()
        self.closing = threading.Event()
        self._http = _Http(("127.0.0.1", port), self)
        self._thread = threading.Thread(
            target=self._http.serve_forever,
            kwargs={"poll_interval": 0.02},
            name="openai-server",
            daemon=True,
        )
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *behaviours: str) -> None:
        """Answer the next chat requests so, one after the other."""
        unknown = [name for name in behaviours if name not in BEHAVIOURS]
        if unknown:
            raise ValueError(f"unknown behaviours {unknown}; there are {sorted(BEHAVIOURS)}")
        with self._lock:
            self._script.extend(behaviours)

    def fail(self, kind: str, behaviour: str) -> None:
        """Answer all requests of a kind (`embeddings`, `rerank`) with an error or manner of BEHAVIOURS; "" ends it."""
        self.statuses[kind] = behaviour

    def requests(self, kind: str = "chat") -> list[Seen]:
        with self._lock:
            return [seen for seen in self.seen if seen.kind == kind]

    def count(self, kind: str = "chat", form: str | None = None) -> int:
        """How many requests of a kind came, of one form if given (`record_texts`, `update_profiles`, `text`)."""
        return sum(1 for seen in self.requests(kind) if form in (None, seen.form))

    def wait_for(self, count: int, kind: str = "chat", *, seconds: float = 20.0) -> None:
        """Block until so many requests of a kind have come. Raises TimeoutError."""
        with self._lock:
            if not self._lock.wait_for(
                lambda: sum(seen.kind == kind for seen in self.seen) >= count, seconds
            ):
                raise TimeoutError(f"{count} {kind} requests did not come within {seconds} s")

    def forget(self) -> None:
        """Count from zero again."""
        with self._lock:
            self.seen.clear()

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)

    def __enter__(self) -> OpenAIServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer(self, method: str, path: str, body: Json, headers: dict[str, str]) -> Reply:
        """Called in a thread of the request."""
        if path == "/control":
            return self._control(method, body)
        kind = _KINDS.get(path.removeprefix("/v1"), "")
        if not kind:
            return Reply(404, {"error": {"message": f"no such path {path}"}})
        is_chat = kind == "chat"
        seen = Seen(
            kind,
            form_asked_for(body) if is_chat else kind,
            method_of(body) if is_chat else "",
            body,
            headers,
            time.monotonic(),
        )
        with self._lock:
            self.seen.append(seen)
            self._lock.notify_all()
            behaviour = (
                (self._script.popleft() if self._script else self.behaviour) if is_chat else ""
            )
            if self._log is not None:
                self._write(seen)
        if self.latency:
            self.closing.wait(self.latency)
        if is_chat:
            return BEHAVIOURS[behaviour](body, self.responder(body))
        if fault := self.statuses.get(kind):
            return BEHAVIOURS[fault](body, {})
        if kind == "models":
            return Reply(body={"object": "list", "data": [{"id": "test", "object": "model"}]})
        return self._embeddings(body) if kind == "embeddings" else self._rerank(body)

    def _write(self, seen: Seen) -> None:
        line = json.dumps(
            {"kind": seen.kind, "form": seen.form, "method": seen.method, "body": seen.body},
            ensure_ascii=False,
        )
        assert self._log is not None
        with self._log.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _control(self, method: str, body: Json) -> Reply:
        if method == "POST":
            self.script(*body.get("script", []))
            self.behaviour = body.get("behaviour", self.behaviour)
            self.latency = body.get("latency", self.latency)
            self.statuses.update(body.get("statuses", {}))
        counts: dict[str, int] = {}
        with self._lock:
            for seen in self.seen:
                name = f"{seen.kind}:{seen.form}"
                counts[name] = counts.get(name, 0) + 1
        return Reply(body={"counts": counts})

    def _embeddings(self, body: Json) -> Reply:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        if len(texts) > self.longest_batch:
            return Reply(
                400,
                {
                    "error": {
                        "message": f"batch size is invalid, it should not be larger than {self.longest_batch}"
                    }
                },
            )
        if any(len(text) > self.longest_input for text in texts):
            return Reply(413, {"error": {"message": "input must have less than 512 tokens"}})
        if any(not text for text in texts):
            return Reply(400, {"error": {"message": "input can not be empty"}})
        vectors = [
            hashed_vector(text, int(body.get("dimensions") or self.dimension)) for text in texts
        ]
        match self.embedding_fault:
            case "zero":
                vectors[0] = [0.0] * len(vectors[0])
            case "nan":
                vectors[0] = [math.nan] * len(vectors[0])
            case "short":
                vectors = vectors[:-1]
            case "unnormalised":
                vectors = [[3.0 * value for value in vector] for vector in vectors]
        data = [
            {"object": "embedding", "index": n, "embedding": vector}
            for n, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": sum(map(len, texts)), "total_tokens": sum(map(len, texts))}
        told = {} if self.embedding_fault == "no_usage" else {"usage": usage}
        return Reply(body={"object": "list", "model": body.get("model"), "data": data, **told})

    def _rerank(self, body: Json) -> Reply:
        """Scores by shared characters, in one of the forms that servers use."""
        query = set(body["query"])
        scores = [len(query & set(document)) / (len(query) or 1) for document in body["documents"]]
        order = sorted(range(len(scores)), key=lambda n: -scores[n])[
            : body.get("top_n", len(scores))
        ]
        match self.rerank_form:
            case "data":
                return Reply(body={"data": [{"index": n, "score": scores[n]} for n in order]})
            case "scores":
                return Reply(body={"scores": scores})
            case "list":
                return Reply(body=[{"index": n, "score": scores[n]} for n in order])
            case "wrong_indexes":
                items: list[Json] = [
                    {"index": n, "relevance_score": 0.5} for n in (-1, 99, True, "0", None)
                ]
                items += [
                    {"index": 0, "relevance_score": math.nan},
                    {"index": 1, "relevance_score": 0.25},
                ] * 2
                return Reply(body={"results": items})
            case "usage":
                items = [{"index": n, "relevance_score": scores[n]} for n in order]
                return Reply(body={"results": items, "usage": {"total_tokens": 21}})
            case "cohere":
                items = [{"index": n, "relevance_score": scores[n]} for n in order]
                return Reply(body={"results": items, "meta": {"tokens": {"input_tokens": 12}}})
            case "nothing":
                return Reply(body={"results": []})
        return Reply(body={"results": [{"index": n, "relevance_score": scores[n]} for n in order]})


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], owner: OpenAIServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what these tests are about; anything else is printed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Http

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        self._serve(json.loads(self.rfile.read(length) or b"{}"))

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: requests are in `seen` and in the log file."""

    def _serve(self, body: Json) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.owner.answer(self.command, self.path, body, headers)
        closing = self.server.owner.closing
        if isinstance(reply.body, bytes):
            data = reply.body
        else:
            payload = (
                reply.body
                if isinstance(reply.body, str)
                else json.dumps(reply.body, ensure_ascii=False)
            )
            data = payload.encode("utf-8", "surrogatepass")
        if reply.manner == "close":
            self.close_connection = True
            return
        if reply.manner == "hang":
            self.close_connection = True
            closing.wait(600)
            return
        self.send_response_only(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(data)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.manner == "cut":
            self.close_connection = True
            self.wfile.write(data[: len(data) // 2])
        elif reply.manner == "drip":
            self.close_connection = True
            for byte in data[:-1]:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if closing.wait(0.05):
                    return
            closing.wait(600)
        else:
            self.wfile.write(data)
        self.wfile.flush()


@contextmanager
def run_server_process(log: Path, *arguments: str) -> Iterator[str]:
    """A server in a process of its own, counting into `log`; gives its base URL. It ends with the block."""
    tests = Path(__file__).resolve().parents[2]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "support.servers.openai_server", "--log", str(log), *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, cwd=tests
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(timeout=10)
        if process.stdout is not None:
            process.stdout.close()


def logged_requests(log: Path) -> list[Json]:
    """The requests that a server process has written into its log so far."""
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description="A server on loopback that speaks the OpenAI protocol, for tests."
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--behaviour", default="proper", choices=sorted(BEHAVIOURS))
    parser.add_argument(
        "--responder",
        default="support.servers.openai_answers:echo_responder",
        help="module:function",
    )
    parser.add_argument("--dimension", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    arguments = parser.parse_args()
    module, _, name = arguments.responder.partition(":")
    server = OpenAIServer(
        port=arguments.port,
        behaviour=arguments.behaviour,
        responder=getattr(importlib.import_module(module), name),
        dimension=arguments.dimension,
        latency=arguments.latency,
        log=arguments.log,
    )
    print(server.base_url, flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.close()


if __name__ == "__main__":
    main()
