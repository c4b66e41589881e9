"""The vectors of all events in Chroma, with texts and metadata: a derived index for other programs.

The index can be rebuilt from `index.sqlite` at any time (`stores/index_repair.py`). One process
owns the directory: an embedded Chroma gives stale answers or fails after another process has
written. Nothing here uses the network: telemetry is off and no embedding function is set. The
collection holds vectors, texts and metadata. After the owner process has ended,
`langchain_chroma.Chroma` can open and search it:

    Chroma("cognitive_events", HistorianEmbeddings(), persist_directory="data/chromadb")
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...schema.errors import FingerprintMismatch, StorageError
from ...schema.portions import portions
from ...schema.protocols import IndexDocument, Vector
from ..files.access import make_private_folders, protect_files
from ..files.durable import bytes_of, remove_durably, write_atomically
from .blank_memory import blank_memory

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

COLLECTION = "cognitive_events"

_MAX_BATCH = 5000
"""Chroma 1.5 accepts 5,461 rows per call."""


class ChromaIndex:
    """The `VectorIndex` in one directory (cosine distance).

    Nothing is imported, opened or created before the first use: importing Chroma takes a second.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._noted = path / "synchronized.json"
        self._lock = threading.RLock()
        self._client: ClientAPI | None = None
        self._collection: Collection | None = None
        self._closed = False

    def upsert(
        self, ids: Sequence[str], vectors: Sequence[Vector], documents: Sequence[IndexDocument] = ()
    ) -> None:
        """Store vectors by id, with `documents` if any are given.

        The last of duplicate ids is used.
        """
        described: Sequence[IndexDocument | None] = documents or [None] * len(ids)
        items = {
            one: (vector, text) for one, vector, text in zip(ids, vectors, described, strict=True)
        }
        for batch in portions(items.items(), _MAX_BATCH):
            rows = [vector for _, (vector, _) in batch]
            texts = [document for _, (_, document) in batch if document is not None]
            with self._lock, self._explained():
                self._open().upsert(
                    ids=[item_id for item_id, _ in batch],
                    embeddings=np.stack(rows).astype(np.float32, copy=False),
                    documents=[document.text for document in texts] or None,
                    metadatas=[document.metadata for document in texts] or None,
                )
                protect_files(self._path)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete the given ids, if they exist."""
        for batch in portions(dict.fromkeys(ids), _MAX_BATCH):
            with self._lock, self._explained():
                self._open().delete(ids=batch)

    def ids(self) -> list[str]:
        with self._explained():
            return list(self._open().get(include=[])["ids"])

    def count(self) -> int:
        with self._explained():
            return int(self._open().count())

    def noted_numbers(self, made_by: tuple[str, int] | None) -> dict[int, int] | None:
        """See `VectorIndex.noted_numbers`.

        Former versions stored no numbers: their collections are filled again.
        """
        try:
            model, numbers = json.loads(bytes_of(self._noted) or b"")
            found = {int(scope): int(number) for scope, number in numbers.items()}
        except (ValueError, TypeError, AttributeError):
            return None
        return found if model == (made_by and list(made_by)) else None

    def note_numbers(self, made_by: tuple[str, int] | None, numbers: Mapping[int, int]) -> None:
        write_atomically(self._noted, json.dumps([made_by, numbers]).encode())

    def reset(self) -> None:
        """Empty the collection. A damaged directory is deleted and created again."""
        with self._lock:
            remove_durably(self._noted)
            try:
                self._open()
                with self._explained():
                    self._open_client().delete_collection(COLLECTION)
                self._collection = None
                self.count()
            except StorageError:
                self.drop()
                self.count()

    def drop(self) -> None:
        """Delete the directory. It is created again at the next use. Imports nothing."""
        with self._lock:
            self._close_client()
            remove_chroma(self._path)

    def close(self) -> None:
        with self._lock:
            self._close_client()
            self._closed = True

    def _open(self) -> Collection:
        with self._lock:
            client = self._open_client()
            if self._collection is None:
                from langchain_chroma import Chroma

                Chroma(
                    client=client,
                    collection_name=COLLECTION,
                    collection_configuration={
                        "hnsw": {"space": "cosine"},
                        "embedding_function": None,
                    },
                )
                self._collection = client.get_collection(COLLECTION, embedding_function=None)
            return self._collection

    def _open_client(self) -> ClientAPI:
        """Return the client, and open it if needed.

        Raises StorageError if the directory is damaged or cannot be written.
        """
        if self._closed:
            raise StorageError(f"{self._path}: already closed; open the service again")
        if self._client is None:
            with self._explained():
                self._client = _open_client(self._path)
                protect_files(self._path)
        return self._client

    def _close_client(self) -> None:
        client, self._client, self._collection = self._client, None, None
        if client is not None:
            with self._explained():
                client.close()  # type: ignore[attr-defined] # the class has it, the interface it implements does not

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Convert errors of Chroma to errors of Historian.

        This includes a panic of Chroma's Rust core, which is not an `Exception`. Allocations are
        zeroed inside the block, because Chroma saves uninitialised memory.
        """
        try:
            with blank_memory():
                yield
        except StorageError:
            raise
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            message = str(error)
            if "dimension" in message:
                raise FingerprintMismatch(
                    f"{self._path}: {message}; the embedding model was changed: set "
                    "models.embedding to the former model, or run "
                    "`historian reembed`"
                ) from error
            raise StorageError(
                f"{self._path}: {message or type(error).__name__}; this directory is derived: it may be deleted, and is "
                "rebuilt from index.sqlite"
            ) from error


def remove_chroma(path: Path) -> None:
    """Delete the directory of Chroma, which must not be open. Raises StorageError."""
    try:
        if path.exists():
            shutil.rmtree(path)
    except OSError as error:
        raise StorageError(
            f"{path}: cannot be deleted ({error}); remove it by hand and start again"
        ) from error


def _open_client(path: Path) -> ClientAPI:
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    make_private_folders(path)
    # Chroma caches clients by directory, also those that failed to open. Without the removal below
    # no later attempt of this process could succeed. (1.5.9; `clear_system_cache` would also close
    # the clients of other code.)
    opened = SharedSystemClient._identifier_to_system
    known = str(path) in opened
    try:
        return chromadb.PersistentClient(
            path=str(path), settings=Settings(anonymized_telemetry=False)
        )
    except BaseException:
        if not known:
            opened.pop(str(path), None)
        raise
