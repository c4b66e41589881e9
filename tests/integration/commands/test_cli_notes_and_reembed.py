"""`historian index` and `historian reembed`, with an embeddings endpoint on loopback."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from historian.stores.files.owner_lock import OwnerLock
from support.command import Called, historian
from support.servers.openai_server import OpenAIServer

FIELDS = '"user_id": "1001", "user_name": "Ann", "bot_name": "Clio"'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def with_model(server: OpenAIServer, name: str) -> dict[str, str]:
    prefix = "HISTORIAN__MODELS__EMBEDDING__"
    return {
        f"{prefix}PROVIDER": "openai",
        f"{prefix}BASE_URL": server.base_url,
        f"{prefix}MODEL": name,
        f"{prefix}API_KEY": "none",
    }


def filed(data: Path, count: int, environ: dict[str, str], first: int = 0) -> None:
    lines = "\n".join(
        f'{{"action_summary": "I told her story number {n}", {FIELDS}}}'
        for n in range(first, first + count)
    )
    assert historian("--data-dir", data, "ingest", "-", stdin=lines).status == 0
    assert historian("--data-dir", data, "worker", "--drain", environ=environ).status == 0


def reembed(data: Path, *options: str, environ: dict[str, str] | None = None) -> Called:
    return historian("--data-dir", data, "reembed", "--json", *options, environ=environ)


def test_notes_are_indexed_found_where_they_belong_and_taken_out_again(
    tmp_path: Path, data: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("Ann likes green tea.")
    (notes / "bad.md").write_bytes(b"\x00")
    first = historian("--data-dir", data, "index", notes, "--group", "7", "--json")
    assert (
        first.status == 0
        and first.lines[0]["new"] == 1
        and set(first.lines[0]["skipped"]) == {"bad.md"}
    )
    assert (
        historian("--data-dir", data, "index", notes, "--group", "7", "--json").lines[0][
            "unchanged"
        ]
        == 1
    )
    assert historian("--data-dir", data, "index").status == 2

    def found(*where: str) -> int:
        return len(historian("--data-dir", data, "search", "green tea", *where, "--json").lines)

    assert (
        found("--group", "7"),
        found("--group", "8"),
        found("--user", "7"),
        found("--notes"),
    ) == (1, 0, 0, 0)
    assert historian("--data-dir", data, "index", notes, "--json").status == 0
    assert (found("--group", "8"), found("--user", "7"), found("--notes")) == (0, 0, 1)
    assert len(historian("--data-dir", data, "index", "--list", "--json").lines) == 2
    removed = historian("--data-dir", data, "index", notes, "--group", "7", "--remove", "--json")
    assert removed.lines[0]["removed"] == 1 and (found("--group", "7"), found("--notes")) == (0, 1)
    assert "bad.md binary" in historian("--data-dir", data, "index", notes).out


def test_the_configured_folder_goes_into_the_configured_scope(tmp_path: Path, data: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("Ann likes green tea.")
    environ = {
        "HISTORIAN__COGNITIVE__NOTES_DIR": str(notes),
        "HISTORIAN__COGNITIVE__NOTES_SCOPE": "group:7",
    }
    assert (
        historian("--data-dir", data, "index", "--json", environ=environ).lines[0]["scope"] == "g:7"
    )


def test_where_another_process_owns_the_directory_the_folder_is_handed_to_it(
    tmp_path: Path, data: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("Ann likes green tea.")
    owner = OwnerLock(data)
    owner.acquire(time.time())
    with owner:
        given = historian("--data-dir", data, "index", notes, "--group", "7", "--json")
        assert given.status == 0 and given.lines[0]["done"] is False
    assert historian("--data-dir", data, "worker", "--drain").status == 0
    assert (
        len(historian("--data-dir", data, "search", "green tea", "--group", "7", "--json").lines)
        == 1
    )


@pytest.mark.slow
def test_the_model_is_changed_and_changed_back(data: Path, server: OpenAIServer) -> None:
    old, new = with_model(server, "old"), with_model(server, "new")
    filed(data, 3, old)
    assert reembed(data, environ=old).lines == [{"changed": False}]
    changed = reembed(data, environ=new)
    assert changed.status == 0, changed.err
    assert changed.lines[0]["made"] == 3 and changed.lines[0]["fingerprint"][0] == "openai:new"
    (sets,) = reembed(data, "--status").lines
    assert (
        sets["used"][0] == "openai:new"
        and sets["kept"][0] == "openai:old"
        and sets["kept_count"] == 3
    )
    filed(data, 1, new, first=3)
    requests = server.count("embeddings")
    assert reembed(data, "--rollback").lines == [
        {"model": "openai:old", "dimension": 32, "lacking": 1}
    ]
    assert server.count("embeddings") == requests
    assert reembed(data, environ=new).lines == [{"changed": True}]
    assert reembed(data, "--status").lines[0]["used"][0] == "openai:new"
    assert reembed(data, "--drop-old").lines == [{"dropped": 3}]
    assert reembed(data, "--rollback").status == 2
    assert reembed(data, "--rollback", "--status").status == 2


def test_beside_an_owner_the_vectors_are_made_and_the_change_names_it(
    data: Path, server: OpenAIServer
) -> None:
    old, new = with_model(server, "old"), with_model(server, "new")
    filed(data, 3, old)
    owner = OwnerLock(data)
    owner.acquire(time.time())
    with owner:
        refused = reembed(data, environ=new)
        assert refused.status == 1 and "process" in refused.err and "run this again" in refused.err
        assert reembed(data, "--rollback").status == 1
    assert reembed(data, "--status").lines[0]["used"][0] == "openai:old"
    requests = server.count("embeddings")
    assert reembed(data, environ=new).lines[0]["found"] == 3
    assert server.count("embeddings") == requests + 1  # the one that asks for the dimension


def test_an_endpoint_that_is_away_is_named_with_what_is_done(
    data: Path, server: OpenAIServer
) -> None:
    filed(data, 2, with_model(server, "old"))
    away = {
        **with_model(server, "new"),
        "HISTORIAN__MODELS__EMBEDDING__BASE_URL": "http://127.0.0.1:9/v1",
    }
    ended = reembed(data, environ=away)
    assert ended.status == 1 and "0 of 2 vectors are computed and stored" in ended.err
    assert reembed(data).status == 2  # no model is configured
