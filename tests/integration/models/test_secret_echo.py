"""A model server that repeats the key, in every encoding, in all it says: nothing that is logged, raised or stored holds it."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from support.command import historian

KEY = "sk-Echo/9+cd=7Lm_Q2"
PASSWORD, QUERY, BODY = "pa55-of-ann", "qu3ry-token", "b0dy-token"
SPELLINGS = (
    *(KEY, quote(KEY, safe=""), json.dumps(KEY).replace("/", "\\/")[1:-1], KEY.encode().hex()),
    *(base64.b64encode(one.encode()).decode() for one in (KEY, f"Bearer {KEY}")),
    *(PASSWORD, QUERY, BODY),
)


@contextmanager
def echoing(status: int, *, as_page: bool) -> Iterator[str]:
    """A server that answers every request with the secrets; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            said = " ".join((*SPELLINGS, self.headers.get("Authorization", ""), self.path))
            answer = (
                f"<html>{said}"
                if as_page
                else json.dumps({"error": {"message": said, "code": said}})
            )
            self.send_response(status)
            self.send_header("X-Echo", SPELLINGS[0])
            self.send_header("Content-Type", "text/html" if as_page else "application/json")
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "as_page"), [(400, False), (401, False), (200, True), (500, True)]
)
def test_a_servers_echo_reaches_no_log_no_error_and_no_file(
    tmp_path: Path, status: int, as_page: bool
) -> None:
    data, config = tmp_path / "data", tmp_path / "config.toml"
    with echoing(status, as_page=as_page) as address:
        url = f"http://ann:{PASSWORD}@{address}/v1?key={QUERY}"
        config.write_text(
            f'[cognitive]\ndata_dir = "{data}"\n[cognitive.historian]\nrewrite_mode = "always"\n'
            "[cognitive.queue]\njob_max_retries = 0\n"
            f'[models.chat]\nextra_body = {{ safety = {{ token = "{BODY}" }} }}\n'
            + "".join(
                f'[models.{part}]\nbase_url = "{url}"\nmodel = "test"\napi_key = "{KEY}"\n'
                for part in ("embedding", "rerank")
            )
            + f'[models.historian]\nbase_url = "{url}"\nmodel = "test"\napi_key = "{KEY}"\n',
            encoding="utf-8",
        )
        job = {
            "new_info": ["Ann likes tea"],
            "user_id": "ann",
            "user_name": "Ann",
            "request_id": "r1",
        }
        (tmp_path / "jobs.jsonl").write_text(json.dumps(job), encoding="utf-8")
        said = ""
        for command in (
            ("ingest", tmp_path / "jobs.jsonl", "-vv"),
            ("doctor", "-vv"),
            *(
                [("worker", "--drain", "-vv", "--log-json"), ("jobs", "list", "--json")]
                if status == 400
                else []
            ),
            ("context", "tea", "--user", "ann", "-vv"),
            ("stats",),
        ):
            called = historian(
                *command,
                "--config",
                config,
                environ={"HISTORIAN__MODELS__EMBEDDING__PROVIDER": "openai"},
            )
            said += called.out + called.err
    assert "***" in said and f"http://{address}/v1" in said
    assert [one for one in SPELLINGS if one in said] == []
    for path in data.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert [one for one in SPELLINGS if one.encode() in content] == [], path
