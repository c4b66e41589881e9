"""The model and dimension of the stored vectors, as a row of the table `meta`."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ...schema.errors import FingerprintMismatch
from ...schema.protocols import Fingerprint
from .engine import Transaction
from .meta import note, noted


def read_fingerprint(transaction: Transaction, name: str = "fingerprint") -> Fingerprint | None:
    """Return the model ("" if not known yet) and its dimension; None if there are no vectors."""
    value = noted(transaction, name)
    if value is None:
        return None
    model, dimension = json.loads(value)
    return str(model), int(dimension)


def set_fingerprint(transaction: Transaction, model: str, dimension: int) -> None:
    """Store the model. Raises FingerprintMismatch if another model or dimension is stored."""
    if read_fingerprint(transaction) == (model, dimension):
        return
    # If several processes store a model at once, the first one wins. The others wait here, and then
    # read its model.
    transaction.run(
        "INSERT INTO meta (name, value) VALUES ('fingerprint', %s) ON CONFLICT (name) DO UPDATE SET value = meta.value",
        (json.dumps(("", dimension)),),
    )
    known = read_fingerprint(transaction)
    if known not in (None, ("", dimension), (model, dimension)):
        raise FingerprintMismatch(
            f"the stored vectors are from {known[0]!r} with {known[1]} dimensions, but "
            f"models.embedding is {model!r} "
            f"with {dimension}; run `historian reembed`, or set models.embedding to the former "
            "model"
        )
    write_fingerprint(transaction, (model, dimension))


def write_fingerprint(
    transaction: Transaction, made_by: Fingerprint | None, name: str = "fingerprint"
) -> None:
    note(transaction, name, None if made_by is None else json.dumps(made_by))


def check_dimension(transaction: Transaction, dimensions: Iterable[int]) -> None:
    """Raise FingerprintMismatch unless all `dimensions` are equal to the stored one.

    The first vectors set the dimension; `set_fingerprint` sets the model. The dimension cannot
    change before the end of the transaction, because a change takes the lock exclusively.
    """
    sizes = set(dimensions)
    if not sizes:
        return
    transaction.lock_name("fingerprint", shared=True)
    known = read_fingerprint(transaction)
    expected = known[1] if known else min(sizes)
    if sizes != {expected}:
        raise FingerprintMismatch(
            f"vectors of {', '.join(map(str, sorted(sizes)))} dimensions given, but the stored "
            f"vectors have {expected}; set models.embedding to the former model, or run `historian "
            "reembed`"
        )
    if known is None:
        set_fingerprint(transaction, "", expected)
