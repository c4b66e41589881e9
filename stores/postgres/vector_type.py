"""Vectors of pgvector in the binary protocol.

`numpy` arrays of float32 are sent as `vector`; `vector` and `halfvec` are received as such arrays.
Both types have one binary form: the dimension (16 bits), 16 zero bits, then the values, big-endian.
A column of halfvec accepts a `vector` by an implicit cast.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format

from ...schema.protocols import Matrix, Vector


class _VectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Vector) -> Buffer:
        return struct.pack(">HH", len(obj), 0) + obj.astype(">f4").tobytes()


class _VectorLoader(Loader):
    format = Format.BINARY
    values = ">f4"

    def load(self, data: Buffer) -> Vector:
        return np.frombuffer(data, dtype=self.values, offset=4).astype(np.float32)


class _HalfvecLoader(_VectorLoader):
    values = ">f2"


def register_vectors(
    connection: psycopg.Connection[Any], vector_oid: int, halfvec_oid: int
) -> None:
    """Register the vector types on a connection.

    Only statements with binary results return vectors as arrays.
    """
    dumper = type("_VectorDumper", (_VectorDumper,), {"oid": vector_oid})
    connection.adapters.register_dumper(np.ndarray, dumper)
    connection.adapters.register_loader(vector_oid, _VectorLoader)
    connection.adapters.register_loader(halfvec_oid, _HalfvecLoader)


def as_matrix(values: Sequence[Vector]) -> Matrix:
    """Return vectors as rows of one matrix; shape (0, 0) if there are none."""
    return np.stack(values) if values else np.empty((0, 0), dtype=np.float32)
