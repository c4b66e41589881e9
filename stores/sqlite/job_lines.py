"""The lines in which jobs wait, one per entity: the table `job_lines`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..tables.engine import Transaction


def enter_lines(transaction: Transaction, position: int, entities: Sequence[str]) -> None:
    """Put a job into its lines, behind older jobs and behind a running job."""
    behind = 0
    for entity in entities:
        head = transaction.row(
            "SELECT l.position, j.state FROM job_lines l JOIN jobs j ON j.position = l.position"
            " WHERE l.entity = %s AND l.head = 1",
            (entity,),
        )
        leads = head is None or (head[0] > position and head[1] == "pending")
        if head is not None and leads:
            transaction.run(
                "UPDATE job_lines SET head = 0 WHERE entity = %s AND head = 1", (entity,)
            )
            transaction.run("UPDATE jobs SET behind = behind + 1 WHERE position = %s", head[:1])
        transaction.run("INSERT INTO job_lines VALUES (%s, %s, %s)", (entity, position, int(leads)))
        behind += not leads
    transaction.run("UPDATE jobs SET behind = %s WHERE position = %s", (behind, position))


def leave_lines(transaction: Transaction, position: int, entities: Sequence[str]) -> None:
    """Remove a job from its lines. In each line where it was first, the next job becomes first."""
    for entity in entities:
        mine = (entity, position)
        was_head = transaction.row(
            "SELECT head FROM job_lines WHERE entity = %s AND position = %s", mine
        ) == (1,)
        transaction.run("DELETE FROM job_lines WHERE entity = %s AND position = %s", mine)
        following = transaction.row(
            "SELECT min(position) FROM job_lines WHERE entity = %s", (entity,)
        )
        if was_head and following != (None,):
            transaction.run(
                "UPDATE job_lines SET head = 1 WHERE entity = %s AND position = %s",
                (entity, *following),
            )
            transaction.run("UPDATE jobs SET behind = behind - 1 WHERE position = %s", following)


def delete_job(transaction: Transaction, job_id: str, *states: str) -> bool:
    statement = "SELECT position, entities FROM jobs WHERE job_id = %s AND state = ANY(%s)"
    found = transaction.row(statement, (job_id, list(states)))
    if found is None:
        return False
    leave_lines(transaction, found[0], json.loads(found[1]))
    transaction.run("DELETE FROM jobs WHERE position = %s", found[:1])
    return True
