"""What Chroma saves holds nothing of what the process had in memory before."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

MARK = "a canary in the heap"

SCRIPT = """
import sys, threading
from pathlib import Path
import numpy as np
from historian.stores.chroma.index import ChromaIndex

def handle_texts(size):
    held = [sys.argv[2] * (size // 20) + str(n) for n in range(20_000_000 // size)]
    return held[::7]

for n in range(3):
    # Threads that handled texts leave their heaps to the next ones, which are Chroma's.
    threads = [threading.Thread(target=handle_texts, args=(size,)) for size in (600, 3000, 20000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    index = ChromaIndex(Path(sys.argv[1]) / str(n))
    vectors = np.random.default_rng(n).normal(size=(5, 11)).astype(np.float32)
    index.upsert([str(i) for i in range(5)], list(vectors))
    index.ids()
    index.close()
"""


def has_mallopt() -> bool:
    try:
        return hasattr(ctypes.CDLL(None), "mallopt")
    except (OSError, TypeError):
        return False


@pytest.mark.slow
@pytest.mark.skipif(not has_mallopt(), reason="this allocator cannot be told to blank memory")
def test_the_derived_index_holds_nothing_of_the_memory_of_the_process(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", SCRIPT, tmp_path, MARK], check=True, timeout=120)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "data_level0.bin" for path in files)
    assert [path for path in files if MARK.encode() in path.read_bytes()] == []
