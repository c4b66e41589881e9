"""What is alike in the backends of both engines: the stores that are tables of their database."""

from __future__ import annotations

from collections.abc import Callable

from ..schema.protocols import ArticleStorage, ArticleStores, Backend, SummaryStorage
from .contents import TableContents
from .tables.event_transfer import EventTransferTables
from .tables.events.revisions import EventRevisionTables
from .tables.events.rows import EventRows
from .tables.events.shadow_vectors import ShadowVectorTables
from .tables.ledger import LedgerTable
from .tables.notes import NoteTables
from .tables.state_buffer import StateBufferTable


class TablesBackend(Backend):
    """A `Backend` over the tables of one database."""

    def __init__(self, rows: EventRows) -> None:
        self._database = rows.database
        self.ledger = LedgerTable(rows.database)
        self.manifest = NoteTables(rows)
        self.shadow = ShadowVectorTables(rows)
        self.transfer = EventTransferTables(rows)
        self.revisions = EventRevisionTables(rows)
        self.contents = TableContents(rows)

    def when_in_trouble(self, call: Callable[[], None]) -> None:
        self._database.when_in_trouble = call

    def check_in_place(self) -> None:
        """A server does not move: what is committed there is kept."""

    def release_memory(self) -> None:
        """A server has caches of its own."""

    def tend(self) -> None:
        """Where the database is a file nothing waits elsewhere."""

    def with_articles(self, summaries: SummaryStorage, articles: ArticleStorage) -> ArticleStores:
        """Return the stores of articles; the states that wait are in a table."""
        return ArticleStores(StateBufferTable(self._database), summaries, articles)
