"""Requests to forget somebody, as rows: any process may ask, whoever carries them out answers, and a crash loses neither."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ...schema.entity import Entity
from ...schema.protocols.forget_requests import ForgetReport, ForgetRequest, Known, Stage
from ..tables.engine import OfDatabase
from .database import PostgresDatabase, Transaction

_OF = "entity_type = %s AND entity_id = %s"
_SAME = f"{_OF} AND until = %s AND mentions = %s"


class PostgresForgetRequests(OfDatabase[PostgresDatabase]):
    """The `ForgetRequests` of one schema."""

    def ask(self, request: ForgetRequest) -> None:
        entity = _key(request.entity)
        with self._database.writing() as transaction:
            transaction.lock(self._database.lock_key("forget", request.entity.key))
            transaction.execute(f"DELETE FROM forget_reports WHERE {_OF}", entity)
            if transaction.row(f"SELECT 1 FROM forget_requests WHERE {_OF}", entity) is None:
                transaction.execute(f"DELETE FROM forget_known WHERE {_OF}", entity)
            transaction.execute(
                "INSERT INTO forget_requests AS r (entity_type, entity_id, until, mentions, stage, last_rows)"
                " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (entity_type, entity_id) DO UPDATE SET"
                " until = greatest(r.until, excluded.until), mentions = r.mentions OR excluded.mentions,"
                " stage = excluded.stage, last_rows = excluded.last_rows",
                (*entity, request.until, request.mentions, request.stage, list(request.last_rows)),
            )
            _note(transaction, request.entity, request.known())

    def advance(self, request: ForgetRequest, stage: Stage, *, last_rows: Sequence[int] | None = None) -> bool:
        rows = None if last_rows is None else list(last_rows)
        changed = self._database.run(
            f"UPDATE forget_requests SET stage = %s, last_rows = coalesce(%s::bigint[], last_rows) WHERE {_SAME}",
            (stage, rows, *_key(request.entity), request.until, request.mentions),
        )
        return bool(changed)

    def note(self, entity: Entity, known: Known) -> None:
        with self._database.writing() as transaction:
            _note(transaction, entity, known)

    def stage_of(self, entity: Entity) -> Stage | Literal[""]:
        found = self._database.row(f"SELECT stage FROM forget_requests WHERE {_OF}", _key(entity))
        return "" if found is None else found[0]

    def stages(self) -> dict[str, Stage]:
        found = self._database.rows("SELECT entity_type, entity_id, stage FROM forget_requests ORDER BY 1, 2")
        return {f"{entity_type}:{entity_id}": stage for entity_type, entity_id, stage in found}

    def waiting(self) -> bool:
        return self._database.row("SELECT 1 FROM forget_requests LIMIT 1") is not None

    def all(self) -> list[ForgetRequest]:
        with self._database.reading() as transaction:
            found = transaction.rows(
                "SELECT entity_type, entity_id, until, mentions, stage, last_rows FROM forget_requests ORDER BY 1, 2"
            )
            return [
                _with_known(transaction, ForgetRequest(Entity(entity_type, entity_id), until, mentions, stage, tuple(last_rows)))
                for entity_type, entity_id, until, mentions, stage, last_rows in found
            ]

    def answer(self, request: ForgetRequest, report: ForgetReport) -> bool:
        entity = _key(request.entity)
        with self._database.writing() as transaction:
            same = (*entity, request.until, request.mentions)
            if not transaction.execute(f"DELETE FROM forget_requests WHERE {_SAME}", same).rowcount:
                return False
            transaction.execute(f"DELETE FROM forget_known WHERE {_OF}", entity)
            transaction.execute(
                "INSERT INTO forget_reports (entity_type, entity_id, report) VALUES (%s, %s, %s)"
                " ON CONFLICT (entity_type, entity_id) DO UPDATE SET report = excluded.report",
                (*entity, json.dumps(report.as_dict())),
            )
        return True

    def is_answered(self, entity: Entity) -> bool:
        return self._database.row(f"SELECT 1 FROM forget_reports WHERE {_OF}", _key(entity)) is not None

    def close(self, entity: Entity) -> None:
        with self._database.writing() as transaction:
            for table in ("forget_known", "forget_requests"):
                transaction.execute(f"DELETE FROM {table} WHERE {_OF}", _key(entity))

    def take_answer(self, entity: Entity) -> ForgetReport | None:
        with self._database.writing() as transaction:
            if transaction.row(f"SELECT 1 FROM forget_requests WHERE {_OF}", _key(entity)) is not None:
                return None
            found = transaction.row(f"DELETE FROM forget_reports WHERE {_OF} RETURNING report", _key(entity))
        return None if found is None else ForgetReport.from_dict(json.loads(found[0]))

    def drop_unread(self) -> None:
        self._database.run("DELETE FROM forget_reports")

    def files_of(self, entity: Entity) -> list[Path]:
        return []


def _key(entity: Entity) -> tuple[str, str]:
    return entity.type, entity.id


def _note(transaction: Transaction, entity: Entity, known: Known) -> None:
    data = {kind: list(values) for kind, values in known.items()}
    if any(data.values()):
        statement = "INSERT INTO forget_known (entity_type, entity_id, data) VALUES (%s, %s, %s)"
        transaction.execute(statement, (*_key(entity), json.dumps(data)))


def _with_known(transaction: Transaction, request: ForgetRequest) -> ForgetRequest:
    """Return a request with all that was found for it so far."""
    known = transaction.rows(f"SELECT data FROM forget_known WHERE {_OF} ORDER BY number", _key(request.entity))
    return request.with_known(json.loads(text) for (text,) in known)
