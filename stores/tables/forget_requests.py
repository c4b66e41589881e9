"""Requests to forget an entity, as rows.

Any process may store a request, one process carries requests out, and a crash loses none of them.
Texts that were found for a request are stored in base64: the search for remaining texts also reads
this database, and must not find its own list.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Literal

from ...schema.entity import Entity
from ...schema.errors import StorageError
from ...schema.forgetting import ForgetReport, ForgetRequest, Known, Stage
from .engine import Database, OfOpened, Transaction


class ForgetRequestTable(OfOpened):
    """The requests of one memory. Calls raise StorageError.

    The database is looked up at each use.
    """

    def ask(self, request: ForgetRequest) -> None:
        """Store a request durably.

        An earlier one for the same entity is merged with it, and starts again.

        Removes the report of an earlier request.
        """
        with self._changing(request.entity) as (transaction, stored):
            transaction.run("DELETE FROM forget_reports WHERE entity = %s", (request.entity.key,))
            if stored is None:
                transaction.run("DELETE FROM forget_known WHERE entity = %s", (request.entity.key,))
            else:
                until, mentions = (
                    max(stored.until, request.until),
                    stored.mentions or request.mentions,
                )
                request = replace(request, until=until, mentions=mentions)
            _write(transaction, request)
            _note(transaction, request.entity, request.known())

    def advance(
        self, request: ForgetRequest, stage: Stage, *, last_rows: Sequence[int] | None = None
    ) -> bool:
        """Store the stage of a request.

        Return False, and store nothing, if the request was stored again meanwhile.
        """
        with self._changing(request.entity) as (transaction, stored):
            if stored is None or not request.is_same_request(stored):
                return False
            rows = stored.last_rows if last_rows is None else tuple(last_rows)
            _write(transaction, replace(stored, stage=stage, last_rows=rows))
        return True

    def note(self, entity: Entity, known: Known) -> None:
        """Store the data found for a request durably, before it is removed from the other tables."""
        with self._database.writing() as transaction:
            _note(transaction, entity, known)

    def stage_of(self, entity: Entity) -> Stage | Literal[""]:
        """Return the stage of the request for an entity; "" if there is none."""
        return self.stages().get(entity.key, "")

    def stages(self) -> dict[str, Stage]:
        """Return the stage of each request, by entity (`user:42`)."""
        return {one.entity.key: one.stage for one in _stored(self._database)}

    def waiting(self) -> bool:
        """Return True if there is any request. This must be cheap: it is called twice a second."""
        return self._database.row("SELECT 1 FROM forget_requests LIMIT 1") is not None

    def all(self) -> list[ForgetRequest]:
        """Return all requests.

        Raises StorageError for an invalid one, which must not be skipped.
        """
        with self._database.reading() as transaction:
            return requests_in(transaction)

    def answer(self, request: ForgetRequest, report: ForgetReport) -> bool:
        """Store the report and remove the request, whose work is complete.

        Return False if the request was stored again meanwhile.
        """
        key = request.entity.key
        with self._changing(request.entity) as (transaction, stored):
            if not request.is_same_request(stored):
                return False
            for table in ("forget_requests", "forget_known", "forget_reports"):
                transaction.run(f"DELETE FROM {table} WHERE entity = %s", (key,))
            told = json.dumps(report.as_dict(), ensure_ascii=False)
            transaction.run(
                "INSERT INTO forget_reports (entity, report) VALUES (%s, %s)", (key, told)
            )
        self._database.truncate_log()
        return True

    def take_answer(self, entity: Entity) -> ForgetReport | None:
        """Return the report and remove it; None if there is none yet."""
        taken = "DELETE FROM forget_reports WHERE entity = %s RETURNING report"
        if (
            self._database.row("SELECT 1 FROM forget_reports WHERE entity = %s", (entity.key,))
            is None
        ):
            return None
        with self._database.writing() as transaction:
            found = transaction.row(taken, (entity.key,))
        return None if found is None else ForgetReport.from_dict(json.loads(found[0]))

    def drop_unread(self) -> None:
        """Remove unread reports: they contain what others said about the forgotten entity."""
        if self._database.run("DELETE FROM forget_reports"):
            self._database.truncate_log()

    @contextmanager
    def _changing(self, entity: Entity) -> Iterator[tuple[Transaction, ForgetRequest | None]]:
        """Begin a transaction that locks the request for an entity.

        Yield the transaction, and the request or None.
        """
        with self._database.writing() as transaction:
            transaction.lock_name("forget", entity.key)
            yield transaction, next(iter(_stored(transaction, entity)), None)


def requests_in(asked: Transaction) -> list[ForgetRequest]:
    """Return the requests in a database, each with the data that was found for it."""
    known = "SELECT data FROM forget_known WHERE entity = %s ORDER BY number"
    return [
        one.with_known(_decoded(data) for (data,) in asked.rows(known, (one.entity.key,)))
        for one in _stored(asked)
    ]


def _stored(asked: Transaction | Database, entity: Entity | None = None) -> list[ForgetRequest]:
    """Return the stored requests (of one entity), without the data that was found for them.

    Raises StorageError.
    """
    where, of_it = ("1 = 1", ()) if entity is None else ("entity = %s", (entity.key,))
    found = []
    for key, body in asked.rows(
        f"SELECT entity, body FROM forget_requests WHERE {where} ORDER BY entity", of_it
    ):
        try:
            found.append(ForgetRequest.from_dict(json.loads(body)))
        except ValueError as error:
            raise StorageError(
                f"the stored request to forget {key} is invalid ({error}); send the request again"
            ) from error
    return found


def _write(transaction: Transaction, request: ForgetRequest) -> None:
    without_known = replace(request, texts=(), names=(), job_ids=(), moments=())
    transaction.run(
        "INSERT INTO forget_requests (entity, body) VALUES (%s, %s) ON CONFLICT (entity) DO UPDATE SET body = excluded.body",
        (request.entity.key, json.dumps(asdict(without_known))),
    )


def _note(transaction: Transaction, entity: Entity, known: Known) -> None:
    if any(known.values()):
        data = json.dumps({kind: list(values) for kind, values in known.items()})
        row = (entity.key, base64.b64encode(data.encode()).decode())
        transaction.run("INSERT INTO forget_known (entity, data) VALUES (%s, %s)", row)


def _decoded(data: str) -> Known:
    # plain JSON: written by a former version
    found: Known = json.loads(data if data.startswith("{") else base64.b64decode(data))
    return found
