"""What a bot may hand over by mistake: a clear error that names the field, and nothing written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter
from historian.service.cognitive import CognitiveService
from support.draining import open_worker, put
from support.memory import group_fields, private_fields, settings_for
from support.queue_rows import rows


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[CognitiveService]:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        yield memory


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"action_summary": "x" * 1_100_000}, "bytes"),
    ({"user_id": ""}, "user_id"),
    ({"user_id": "x" * 200}, "user_id"),
    ({"user_id": "a\x07b"}, "user_id"),
    ({"user_id": " 42"}, "user_id"),
    ({"user_id": None}, "user_id"),
    ({"group_id": "g" * 200}, "group_id"),
    ({"group_id": "", "request_type": "group"}, "group_id"),
    ({"request_type": "channel"}, "request_type"),
    ({"timestamp": "2026-02-21T17:30:00"}, "timestamp"),
    ({"timestamp": "yesterday"}, "timestamp"),
    ({"timezone": "Mars/Olympus"}, "timezone"),
    ({"timezone": "Mars/Olympus", "timestamp": None}, "timezone"),
    ({"timezone": "../../etc/passwd"}, "timezone"),
    ({"new_info": [{"text": "x"}]}, "new_info"),
    ({"end_seq": -1}, "end_seq"),
    ({"mood": "happy"}, "mood"),
    ({"recent_messages": [{"who": "x"}]}, "recent_messages"),
]


@pytest.mark.parametrize(
    ("fields", "named"), WRONG, ids=[f"{named}-{n}" for n, (_, named) in enumerate(WRONG)]
)
async def test_a_wrong_field_is_named_and_nothing_is_written(
    memory: CognitiveService, tmp_path: Path, fields: dict[str, Any], named: str
) -> None:
    given = {"action_summary": "我讲了个笑话", **group_fields(), **fields}
    with pytest.raises(InvalidInput, match=named):
        await memory.enqueue_job(**given)
    assert rows(tmp_path) == []


async def test_an_error_holds_no_secret_wherever_it_stood(memory: CognitiveService) -> None:
    secret = "sk-" + "Ab3dEf6hIj9kLm2n" * 2
    for field in (
        "timestamp",
        "timezone",
        "request_type",
        "end_seq",
        "group_id",
        "user_id",
        "recent_messages",
    ):
        with pytest.raises(InvalidInput, match=field) as refused:
            await memory.enqueue_job("我讲了个笑话", **{**group_fields(), field: f" {secret}"})
        assert secret[:12] not in str(refused.value)


async def test_nothing_to_say_is_no_job(memory: CognitiveService, tmp_path: Path) -> None:
    assert await memory.enqueue_job("", [], **group_fields()) is None
    assert await memory.enqueue_job("  \n", ["", "\x00"], **group_fields()) is None
    assert rows(tmp_path) == []


@pytest.mark.parametrize(
    "strange", ["../x", "-1001234", "@ann:matrix.org", "qq:42", "汉" * 128, "CON", "a/b\\c", "😀"]
)
async def test_strange_ids_work_and_stay_in_their_folder(tmp_path: Path, strange: str) -> None:
    before = set(tmp_path.parent.iterdir())
    async with open_worker(settings_for(tmp_path / "data")) as (parts, worker):
        put(
            parts,
            private_fields(
                request_id=strange, user_id=strange, user_name="Ann", new_info=["She likes tea"]
            ),
        )
        put(
            parts,
            group_fields(
                request_id=strange,
                end_seq=1,
                user_id=strange,
                group_id=strange,
                new_info=["我喜欢茶"],
            ),
        )
        assert await worker.run(drain=True)
        assert (
            parts.events.count(EventFilter(f"p:{strange}"))
            == parts.events.count(EventFilter(f"g:{strange}"))
            == 1
        )
        keys = parts.profiles.keys()
        assert {key.entity_id for key in keys} == {strange}
    assert set(tmp_path.parent.iterdir()) == before
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


async def test_emoji_and_control_characters_in_a_text_are_kept_and_cleaned(
    memory: CognitiveService, tmp_path: Path
) -> None:
    job_id = await memory.enqueue_job("他发了👨‍👩‍👧\x00\x1b[31m红\ud800字", **group_fields())
    assert job_id
    (row,) = rows(tmp_path)
    assert "👨‍👩‍👧[31m红字" in row["body"]


async def test_secrets_are_taken_out_before_anything_is_on_disk(
    memory: CognitiveService, tmp_path: Path
) -> None:
    secret = "sk-" + "Ab3dEf6hIj9kLm2n" * 2
    said = [{"sender_id": "1", "sender_name": "x", "text": f"key {secret}"}]
    await memory.enqueue_job(
        f"他给了我 {secret}", [f"密码：hunter2{secret}"], **group_fields(recent_messages=said)
    )
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert secret.encode() not in written and b"[API_KEY]" in written
