"""A ledger in memory, for tests of what writes into one."""

from __future__ import annotations

from collections.abc import Collection


class MemoryLedger:
    """Pairs of entity key and job id."""

    def __init__(self) -> None:
        self.pairs: set[tuple[str, str]] = set()

    def has(self, entity_key: str, job_id: str) -> bool:
        return (entity_key, job_id) in self.pairs

    def among(self, entity_key: str, job_ids: Collection[str]) -> set[str]:
        return {job_id for job_id in job_ids if self.has(entity_key, job_id)}

    def add(self, entity_key: str, *job_ids: str) -> None:
        self.pairs.update((entity_key, job_id) for job_id in job_ids)
