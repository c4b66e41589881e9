"""A real HTTP server on loopback that speaks Telegram's Bot API: getMe, getUpdates, sendMessage. Standard library only.

In a test::

    with TelegramServer() as server:
        server.script("sendMessage", 429, retry_after=3)         # how the next such call is answered
        update = server.say("hello", user=1001)
        ... a bot with server.base_url and TOKEN ...
        assert server.wait_for_sent(1)[0]["text"] == "Hello."
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

TOKEN = "900:AA-token_of-the-test"
ME = {"id": 900, "is_bot": True, "first_name": "小史", "username": "history_test_bot"}
SECONDS = 60.0


class TelegramServer:
    """The server, in threads of this process. `calls` are the methods called with their arguments, `sent` the messages."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Json]] = []
        self.sent: list[Json] = []
        self._updates: list[Json] = []
        self._once_more: list[Json] = []
        self._faults: dict[str, deque[tuple[int, Json]]] = {}
        self._update_id = 5_000
        self._message_ids: dict[int, int] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._http = _Http(("127.0.0.1", 0), self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def say(
        self, text: str, *, user: int, name: str = "阿明", group: int | None = None, **more: Any
    ) -> Json:
        """A user's message, in private or in a group; commands and mentions are marked as Telegram marks them."""
        chat = (
            {"id": user, "type": "private"}
            if group is None
            else {"id": group, "type": "supergroup", "title": "读书会"}
        )
        message_id = self._message_ids[chat["id"]] = self._message_ids.get(chat["id"], 0) + 1
        sender = {"id": user, "is_bot": False, "first_name": name}
        message = {
            "message_id": message_id,
            "from": sender,
            "chat": chat,
            "date": int(time.time()),
            "text": text,
        }
        self._update_id += 1
        update = {
            "update_id": self._update_id,
            "message": {**message, "entities": entities_of(text), **more},
        }
        with self._changed:
            self._updates.append(update)
            self._changed.notify_all()
        return update

    def edit(self, update: Json, text: str) -> Json:
        """The user edits the message of an update."""
        self._update_id += 1
        message = {
            **update["message"],
            "text": text,
            "entities": entities_of(text),
            "edit_date": int(time.time()),
        }
        edited = {"update_id": self._update_id, "edited_message": message}
        with self._changed:
            self._updates.append(edited)
            self._changed.notify_all()
        return edited

    def deliver_again(self, update: Json) -> None:
        """Answer the next getUpdates with this one, whether it was confirmed or not."""
        with self._changed:
            self._once_more.append(update)
            self._changed.notify_all()

    def script(self, method: str, *statuses: int, retry_after: int | None = None) -> None:
        """Answer the next calls of a method with errors; 0 stands for a connection that is closed without an answer."""
        parameters = {} if retry_after is None else {"parameters": {"retry_after": retry_after}}
        with self._changed:
            waiting = self._faults.setdefault(method, deque())
            waiting.extend(
                (
                    status,
                    {"ok": False, "error_code": status, "description": "of the test"} | parameters,
                )
                for status in statuses
            )

    def unconfirmed(self) -> list[int]:
        with self._changed:
            return [update["update_id"] for update in self._updates]

    def wait_for_sent(self, count: int) -> list[Json]:
        """Block until so many messages were sent; all of them. Raises TimeoutError."""
        return self._wait(
            lambda: self.sent[:] if len(self.sent) >= count else None,
            f"{count} messages were not sent",
        )

    def wait_for_polls(self, count: int) -> None:
        """Block until getUpdates was called so often. Raises TimeoutError."""
        self._wait(lambda: self.count("getUpdates") >= count or None, f"{count} polls did not come")

    def wait_until_confirmed(self) -> None:
        """Block until the bot has confirmed every update. Raises TimeoutError."""
        self._wait(
            lambda: not (self._updates or self._once_more) or None, "the updates were not confirmed"
        )

    def count(self, method: str) -> int:
        return sum(1 for called, _ in self.calls if called == method)

    def answer(self, path: str, arguments: Json) -> tuple[int, Json]:
        """Status and body for one call; status 0 means: hang up."""
        _, bot, method = path.split("/")
        with self._changed:
            self.calls.append((method, arguments))
            self._changed.notify_all()
            if bot != f"bot{TOKEN}":
                return 401, {"ok": False, "error_code": 401, "description": "Unauthorized"}
            if faults := self._faults.get(method):
                return faults.popleft()
            return 200, {"ok": True, "result": self._result(method, arguments)}

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)

    def __enter__(self) -> TelegramServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _result(self, method: str, arguments: Json) -> Any:
        if method == "getMe":
            return ME
        if method == "getUpdates":
            return self._get_updates(arguments)
        assert method == "sendMessage", method
        assert 0 < len(arguments["text"].encode("utf-16-le")) // 2 <= 4096
        self.sent.append(arguments)
        self._changed.notify_all()
        return {"message_id": 10_000 + len(self.sent)}

    def _get_updates(self, arguments: Json) -> list[Json]:
        offset = arguments.get("offset", 0)
        self._updates = [update for update in self._updates if update["update_id"] >= offset]
        self._changed.notify_all()
        self._changed.wait_for(
            lambda: self._updates or self._once_more or self._closing, arguments.get("timeout", 0)
        )
        found, self._once_more = [*self._once_more, *self._updates], []
        return found[: arguments.get("limit", 100)]

    def _wait(self, found: Any, otherwise: str) -> Any:
        with self._changed:
            if not self._changed.wait_for(lambda: found() is not None, SECONDS):
                raise TimeoutError(f"{otherwise}; calls: {self.calls[-5:]}")
            return found()


def entities_of(text: str) -> list[Json]:
    """A command at the beginning and mentions anywhere, in UTF-16 code units."""
    found = []
    for word in text.split():
        kind = (
            "mention"
            if word.startswith("@")
            else "bot_command"
            if text.startswith("/") and text.startswith(word)
            else ""
        )
        if kind:
            start = len(text[: text.index(word)].encode("utf-16-le")) // 2
            found.append(
                {"type": kind, "offset": start, "length": len(word.encode("utf-16-le")) // 2}
            )
    return found


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], owner: TelegramServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Bots that are interrupted hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def do_POST(self) -> None:
        arguments = json.loads(
            self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}"
        )
        status, body = self.server.owner.answer(self.path, arguments)
        if status == 0:
            self.close_connection = True
            return
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: calls are in `calls`."""
