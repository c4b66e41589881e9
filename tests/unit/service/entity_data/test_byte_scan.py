"""The search through every byte for texts that must not be there."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from historian.service.entity_data.byte_scan import (
    PIECE_BYTES,
    FoundPiece,
    Needles,
    Remains,
    pieces,
)
from historian.stores.files.bytes_below import bytes_below
from historian.text.search_words import indexed_words
from hypothesis import given
from hypothesis import strategies as st

TEXT = "林小满在银杏树下对周大年说她明天去海边放风筝 – “really”"


def write(folder: Path, content: bytes, name: str = "a/b.bin") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def scan(folder: Path, wanted: set[bytes]) -> tuple[list[FoundPiece], list[str]]:
    remains = Remains()
    for _ in remains.scan(bytes_below(folder, remains.unread), Needles(wanted)):
        pass
    return remains.found, remains.unread


@pytest.mark.parametrize(
    "form",
    [TEXT, json.dumps(TEXT), json.dumps(TEXT, ensure_ascii=False), indexed_words(TEXT)[1]],
    ids=["raw", "escaped", "JSON", "words"],
)
@pytest.mark.parametrize("before", [0, 1, 7, 4 * 1024 * 1024 - 11], ids=str)
def test_a_text_is_found_in_every_form_and_at_every_place(
    tmp_path: Path, form: str, before: int
) -> None:
    write(tmp_path, b"\0" * before + form.encode() + b"tail")
    found, unread = scan(tmp_path, pieces(TEXT))
    assert found and not unread and {one.path for one in found} == {"a/b.bin"}
    assert min(one.offset for one in found) - before in (0, 1)  # JSON begins with a quotation mark


def test_a_text_that_the_end_of_a_page_breaks_is_found(tmp_path: Path) -> None:
    data = TEXT.encode()
    write(tmp_path, data[:40] + b"\0" * 16 + data[40:])
    assert len({one.piece for one in scan(tmp_path, pieces(TEXT))[0]}) >= 2


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    write(tmp_path, "林小满在银杏树上什么都没说".encode())
    assert scan(tmp_path, pieces(TEXT)) == ([], [])


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, TEXT.encode())
    (tmp_path / "a/b.bin").chmod(0)
    if os.access(tmp_path / "a/b.bin", os.R_OK):
        pytest.skip("this user may read everything")
    assert scan(tmp_path, pieces(TEXT))[1] == ["a/b.bin: Permission denied"]


@pytest.mark.parametrize("python", ["", "/missing/python", "/bin/false", "/bin/echo"])
def test_where_no_process_can_read_the_files_every_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    write(tmp_path, TEXT.encode())
    write(tmp_path, b"x", "c.bin")
    monkeypatch.setattr(sys, "executable", python)
    found, unread = scan(tmp_path, pieces(TEXT))
    assert not found and [one.partition(":")[0] for one in unread] == ["a/b.bin", "c.bin"]


def test_a_search_that_is_broken_off_leaves_no_process_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen
    monkeypatch.setattr(
        subprocess,
        "Popen",
        lambda *given, **options: (started.append(real(*given, **options)), started[-1])[1],
    )
    write(tmp_path, b"x" * 20_000_000)
    blocks = bytes_below(tmp_path, [])
    next(blocks)
    blocks.close()
    assert started[0].poll() is not None


def test_short_texts_are_looked_for_whole_and_the_shortest_not_at_all() -> None:
    assert "小满爱猫".encode() in pieces("小满爱猫") and pieces("好") == set()
    assert all(len(piece) <= PIECE_BYTES for piece in pieces(TEXT * 3))


def test_pieces_that_other_texts_hold_are_told_apart() -> None:
    remains = Remains()
    remains.found = [FoundPiece("x", 0, piece) for piece in pieces(TEXT)]
    remains.leave_out(["别人也说：林小满在银杏树下对周大年说再见"])
    left = {one.piece for one in remains.found}
    assert TEXT.encode()[:PIECE_BYTES] not in left and left < pieces(TEXT) and left


def test_pieces_that_all_begin_alike_take_no_longer_each_the_more_they_are() -> None:
    def seconds(count: int) -> float:
        wanted = [f"阿明在公园里{n:06}".encode() for n in range(count)]
        needles, data = Needles(set(wanted)), b"\0".join(wanted)
        begin = time.thread_time()
        assert len(list(needles.find(data))) == count
        return time.thread_time() - begin

    assert min(seconds(8_000) for _ in range(3)) < 24 * min(seconds(1_000) for _ in range(3)), (
        "eight times as many"
    )


@given(
    st.binary(max_size=400),
    st.lists(st.binary(min_size=9, max_size=24), min_size=1, max_size=5),
    st.integers(0, 400),
)
def test_needles_find_what_find_finds(data: bytes, wanted: list[bytes], at: int) -> None:
    data = data[:at] + wanted[0] + data[at:]
    expected = {
        (n, piece) for piece in wanted for n in range(len(data)) if data.startswith(piece, n)
    }
    assert set(Needles(set(wanted)).find(data)) == expected
