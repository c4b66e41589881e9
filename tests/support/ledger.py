"""A ledger in memory, for tests of what writes into one."""

from __future__ import annotations


class MemoryLedger:
    """Pairs of entity key and job id."""

    def __init__(self) -> None:
        self.pairs: set[tuple[str, str]] = set()

    def has(self, entity_key: str, job_id: str) -> bool:
        return (entity_key, job_id) in self.pairs

    def add(self, entity_key: str, job_id: str) -> None:
        self.pairs.add((entity_key, job_id))
