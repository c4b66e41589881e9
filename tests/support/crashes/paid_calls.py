"""A model whose calls are counted by job, beside the checkpoints of a schema: which of them were paid for twice without need."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable

import psycopg
from support.models.reflection_answers import reflection_responder
from support.postgres import server_url
from support.servers.openai_answers import Json, form_asked_for

NODES = {"record_events": "extract", "record_texts": "rewrite", "update_profiles": "merge_profile"}


class PaidCalls:
    """A responder for jobs of which each says something of a number of its own; `job_id` makes the id of it.

    `needless` are calls, as (node, job), that were made when a checkpoint held the answer of an earlier one, or the job was done.
    """

    def __init__(self, schema: str, job_id: Callable[[int], str]) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.needless: list[tuple[str, str]] = []
        self._schema = schema
        self._job_id = job_id
        self._lock = threading.Lock()
        self._connection = psycopg.connect(server_url(), autocommit=True)

    def answer(self, body: Json) -> Json:
        """Answer sensibly."""
        if node := NODES.get(form_asked_for(body)):
            asked = next(
                message["content"] for message in body["messages"] if message["role"] == "user"
            )
            new = re.split("新信息：|New information:", asked)[-1]
            call = (node, self._job_id(int(re.findall(r"(?:编号|number )(\d+)", new)[0])))
            with self._lock:
                self.calls[call] += 1
                if self.calls[call] > 1 and not self._is_open(*call):
                    self.needless.append(call)
        return reflection_responder(body)

    def close(self) -> None:
        self._connection.close()

    def _is_open(self, node: str, job_id: str) -> bool:
        """Return True if the job is in the queue, and no checkpoint of it holds what the node has returned."""
        (is_open,) = self._connection.execute(
            f"SELECT EXISTS (SELECT FROM {self._schema}.jobs WHERE job_id = %(job)s) AND NOT EXISTS (SELECT FROM"
            f" {self._schema}.checkpoint_writes WHERE thread_id = %(job)s AND task_path LIKE %(path)s"
            " AND channel != '__error__')".encode(),
            {"job": job_id, "path": f"%, {node}"},
        ).fetchone() or (False,)
        return bool(is_open)
