"""The JSON API under `/api/v1`, over a real memory."""

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from historian.interfaces.web.api.events import Events
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.service.components import Parts
from historian.service.inspection.json_data import event_data
from profiles import profile_of
from support.events import file_messages, file_texts, make_message
from support.memory import AT
from support.postgres import fresh_schema, server_url
from support.servers.web import GROUP_100, OPERATOR, USER_7, Web, opened_web

API = "/api/v1"
SCRIPT = "<script>alert('记忆')</script>"


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Web]:
    """Group 100 speaks of tea, group 200 of porcelain, user 7 in private of jade. No worker runs."""
    async with opened_web(tmp_path) as web:
        parts = parts_of(web)
        file_texts(
            parts.events,
            ["阿明说他喜欢龙井茶", "阿明的生日是五月一日"],
            "a-0",
            group="100",
            user_name="阿明",
        )
        file_texts(parts.events, ["阿明收藏瓷器"], "b-0", group="200", user_name="阿明")
        file_texts(parts.events, ["安有一块玉佩"], "c-0", group=None, user_id="7", user_name="安")
        for key, summaries in {
            ProfileKey("user", "42"): ["- 喜欢绿茶", "- 喜欢龙井茶"],
            ProfileKey("user", "7", "private"): ["- 有一块玉佩"],
            ProfileKey("group", "100"): ["- 每周五读书"],
        }.items():
            for n, summary in enumerate(summaries):
                profile = profile_of(key, summary, name="阿明")
                stored = parts.profiles.write(profile, expected_revision=n, job_id=f"p-{n}", now=AT)
                parts.backend.profile_index.put(stored, None)
        yield web


def parts_of(web: Web) -> Parts:
    assert web.memory.lifecycle.opened is not None
    return web.memory.lifecycle.opened.parts


def event_path(event_id: str) -> str:
    return f"{API}/events/{quote(event_id, safe='')}"


async def test_a_turn_handed_over_is_filed_and_found_again(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        turn = {
            "action_summary": "我推荐了《三体》",
            "new_info": "他喜欢科幻",
            "user_id": 42,
            "user_name": "阿明",
            "timestamp": AT,
        }
        answer = await web.ask("POST", f"{API}/jobs", json=turn)
        assert answer.status_code == 202 and answer.json()["job_id"]
        assert await web.memory.settled(30)
        found = await web.json("GET", f"{API}/events", params={"scope": "user:42"})
        assert {event["text"] for event in found["events"]} >= {"阿明喜欢科幻"}
        block = await web.json(
            "POST", f"{API}/context", json={"scope": "user:42", "query": "喜欢什么？"}
        )
        assert "科幻" in block["context"]


@pytest.mark.slow
async def test_memory_in_postgresql_is_served_alike(tmp_path: Path) -> None:
    stores = {"url": server_url(), "schema_name": fresh_schema()}
    async with opened_web(tmp_path, worker=True, stores=stores) as web:
        turn = {"new_info": ["他喜欢科幻"], "user_id": 42, "user_name": "阿明", "timestamp": AT}
        await web.json("POST", f"{API}/jobs", json=turn)
        assert await web.memory.settled(60)
        (event,) = (
            await web.json("GET", f"{API}/events", params={"scope": "user:42", "limit": 1})
        )["events"]
        assert event["text"] == "阿明喜欢科幻"
        await web.json("POST", f"{API}/jobs", json={**turn, "new_info": ["他住在杭州"]})
        assert await web.memory.settled(60)
        whose = {"entity": "user:42", "layer": "private"}
        assert (await web.json("POST", f"{API}/profile/rollback", json={**whose, "revision": 1}))[
            "done"
        ]
        assert (
            len((await web.json("GET", f"{API}/profile/history", params=whose))["revisions"]) == 3
        )
        edited = await web.json("PATCH", event_path(event["event_id"]), json={"text": "阿明喜欢诗"})
        assert edited["text"] == "阿明喜欢诗"
        assert (
            "诗"
            in (
                await web.json(
                    "POST", f"{API}/context", json={"scope": "user:42", "query": "喜欢什么？"}
                )
            )["context"]
        )
        assert (await web.json("GET", f"{API}/stats"))["events"] == 2
        exported = await web.ask("GET", f"{API}/export", params={"entity": "user:42"})
        assert (
            "阿明喜欢诗"
            in zipfile.ZipFile(io.BytesIO(exported.content)).read("events.jsonl").decode()
        )
        report = await web.json("POST", f"{API}/forget", json={"entity": "user:42"})
        assert report["done"] and (await web.json("GET", f"{API}/events"))["events"] == []


async def test_talk_handed_over_is_looked_through_and_filed(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        message = {
            "role": "user",
            "content": "我住在杭州，下个月搬去上海。",
            "sender_id": "42",
            "name": "阿明",
            "id": "m1",
        }
        asked = {"scope": "group:100", "messages": [message], "flush": True}
        answer = await web.json("POST", f"{API}/remember", GROUP_100, json=asked)
        assert len(answer["job_ids"]) == 1
        assert await web.memory.settled(30)
        found = await web.json("GET", f"{API}/events", GROUP_100)
        assert any("杭州" in event["text"] for event in found["events"])


async def test_a_platforms_event_is_handed_over_and_asked_with_as_it_is(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        event = {
            "user_id": 42,
            "message_id": 1,
            "time": 1771666200,
            "sender": {"nickname": "阿明"},
            "font": 0,
        }
        said = {
            **event,
            "message": [
                {"type": "face", "data": {"id": "1"}},
                {"type": "text", "data": {"text": "我明天去杭州"}},
            ],
        }
        turn = {
            "group_id": "100",
            "user_id": "42",
            "user_name": "阿明",
            "new_info": ["他后天去上海"],
            "timestamp": 1771666200,
        }
        await web.json(
            "POST",
            f"{API}/remember",
            GROUP_100,
            json={"scope": "group:100", "messages": said, "flush": True},
        )
        await web.json("POST", f"{API}/jobs", GROUP_100, json=turn)
        assert await web.memory.settled(30)
        asked = {
            "scope": "group:100",
            "user_id": 42,
            "query": {**event, "raw_message": "[CQ:at,qq=900] 我哪天去杭州和上海？"},
        }
        block = (await web.json("POST", f"{API}/context", GROUP_100, json=asked))["context"]
        assert "我明天" in block and "2026-02-23去上海" in block


async def test_a_search_tells_the_parts_of_each_score(web: Web) -> None:
    found = await web.json(
        "POST", f"{API}/search", json={"scope": "g:100", "query": "龙井茶", "explain": True}
    )
    best = found["hits"][0]
    assert (
        best["event"]["text"] == "阿明说他喜欢龙井茶"
        and best["scores"]
        and "score" in best["explain"]
    )


async def test_the_operator_reads_the_shared_notes(web: Web) -> None:
    assert (await web.json("GET", f"{API}/events", params={"scope": "notes"}))["events"] == []


async def test_the_operator_searches_everywhere(web: Web) -> None:
    found = await web.json("POST", f"{API}/search", json={"everywhere": True, "query": "瓷器 玉佩"})
    assert {hit["event"]["group_id"] for hit in found["hits"]} == {"200", ""}


async def test_pages_of_events_hold_every_event_once_even_of_one_moment(web: Web) -> None:
    texts = [f"第{n}件事" for n in range(25)]
    file_texts(parts_of(web).events, texts, "d-0", group="300", timestamp=1e9)
    seen: list[str] = []
    cursor = ""
    for _ in range(10):
        page = await web.json(
            "GET", f"{API}/events", params={"scope": "group:300", "limit": 7, "cursor": cursor}
        )
        seen += [event["text"] for event in page["events"]]
        cursor = page["next"]
        file_texts(
            parts_of(web).events,
            [f"后来 {len(seen)}"],
            f"later-{len(seen)}",
            group="300",
            timestamp=2e9,
        )
        if not cursor:
            break
    assert seen == texts[::-1]


async def test_events_are_filtered_by_words_kind_and_source(web: Web) -> None:
    async def texts(**conditions: Any) -> set[str]:
        found = await web.json("GET", f"{API}/events", params={"scope": "group:100", **conditions})
        return {event["text"] for event in found["events"]}

    assert await texts(text="生日") == {"阿明的生日是五月一日"}
    assert (
        await texts(kind="action")
        == await texts(source="note")
        == await texts(holds=False)
        == set()
    )
    assert len(await texts(is_absolute=True)) == 2


async def test_an_event_is_edited_superseded_upheld_and_removed(web: Web) -> None:
    old, new = f"{API}/events/a-0:0", "a-0:1"
    edited = await web.json("PATCH", old, json={"text": f"阿明喜欢 {SCRIPT}"})
    assert edited["text"] == f"阿明喜欢 {SCRIPT}" and edited["rewritten_by"] == "hand"
    assert (await web.json("POST", f"{old}/supersede", json={"by": new}))["superseded_by"] == new
    assert (await web.json("GET", event_path(new)))["supersedes"] == ["a-0:0"]
    assert (await web.ask("POST", f"{old}/supersede", json={"by": new})).status_code == 422
    assert (await web.json("PATCH", old, json={"holds": True}))["superseded_by"] == ""
    assert (await web.json("DELETE", old, params={"dry_run": True}))["correction_id"] == ""
    assert [one["event_id"] for one in (await web.json("DELETE", old))["events"]] == ["a-0:0"]
    assert (await web.ask("GET", old)).status_code == 404
    assert not parts_of(web).events.get(["a-0:0"])


async def test_a_message_is_given_with_its_sender_and_neighbours_and_stands_as_it_was_said(
    web: Web,
) -> None:
    _, event_id, _ = file_messages(
        parts_of(web).events, ["谁有空搬家？", "我周五搬家", "那我来帮忙"], group="100"
    )
    asked = {"query": "周五搬家", "kind": "message", "neighbours": 1, "top_k": 1}
    (hit,) = (await web.json("POST", f"{API}/search", GROUP_100, json=asked))["hits"]
    told = {
        "speaker": "小林",
        "role": "user",
        "said_by": "42",
        "message_id": "m1",
        "reply_to": "m0",
        "times": ["3:2026-02-27"],
    }
    assert (
        hit["event"].items()
        >= {"text": "我周五搬家", "kind": "message", "sources": [], **told}.items()
    )
    assert [one["message_id"] for one in (*hit["before"], *hit["after"])] == ["m0", "m2"]
    listed = await web.json("GET", f"{API}/events", GROUP_100, params={"kind": "message"})
    assert [one["speaker"] for one in listed["events"]] == ["小林"] * 3
    refused = await web.ask("PATCH", event_path(event_id), json={"text": "我周六搬家"})
    assert refused.status_code == 422 and "messages cannot be edited" in refused.text
    assert (await web.json("DELETE", event_path(event_id)))["messages"][0]["message_id"] == "m1"
    assert await web.json("DELETE", f"{API}/messages/m0", params={"scope": "group:100"}) == {
        "messages": 1
    }
    assert (await web.ask("DELETE", f"{API}/messages/m2")).status_code == 422, (
        "the operator names the conversation"
    )
    listed = await web.json("GET", f"{API}/events", GROUP_100, params={"kind": "message"})
    assert [one["message_id"] for one in listed["events"]] == ["m2"]


async def test_a_message_handed_over_again_with_other_words_is_replaced(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        said = {
            "role": "user",
            "content": "我周五搬家",
            "sender_id": "42",
            "name": "阿明",
            "id": "m1",
        }
        for content in ("我周五搬家", "我周六搬家"):
            sent = {"messages": [{**said, "content": content}], "flush": True}
            await web.json("POST", f"{API}/remember", GROUP_100, json=sent)
            assert await web.memory.settled(30)
        listed = await web.json("GET", f"{API}/events", GROUP_100)
        assert [one["text"] for one in listed["events"]] == ["我周六搬家"]


def test_the_api_gives_an_event_as_the_command_line_does() -> None:
    event = make_message("m1", "我周五搬家")
    told = {name: value for name, value in event_data(event).items() if name != "worded_at"}
    assert json.loads(Events(events=[event], next="").model_dump_json())["events"] == [told]


async def test_an_edit_is_redacted(web: Web) -> None:
    edited = await web.json(
        "PATCH", f"{API}/events/a-0:0", json={"text": "阿明的密码是 Hk2!pplmq93x"}
    )
    assert "Hk2" not in edited["text"]


async def test_profiles_are_listed_compared_and_rolled_back(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        for n, summary in enumerate(["- 喜欢绿茶", "- 喜欢龙井茶"]):
            profile = profile_of(ProfileKey("user", "42"), summary, name="阿明")
            parts_of(web).profiles.write(profile, expected_revision=n, job_id=f"p-{n}", now=AT)
        assert (await web.json("GET", f"{API}/profiles"))["total"] == 1
        whose = {"entity": "user:42"}
        assert [
            one["revision"]
            for one in (await web.json("GET", f"{API}/profile/history", params=whose))["revisions"]
        ] == [2, 1]
        diff = await web.json("GET", f"{API}/profile/diff", params=whose)
        assert diff["lines"][-2:] == ["-- 喜欢绿茶", "+- 喜欢龙井茶"]
        done = await web.json("POST", f"{API}/profile/rollback", json={**whose, "revision": 1})
        assert done["done"]
        now = parts_of(web).profiles.read(ProfileKey("user", "42"))
        assert now is not None and (now.summary, now.revision) == ("- 喜欢绿茶", 3)
        missing = await web.ask("POST", f"{API}/profile/rollback", json={**whose, "revision": 9})
        assert (
            missing.status_code == 404 and "stored revisions are: 1, 2" in missing.json()["detail"]
        )


async def test_a_change_for_the_owner_waits_in_the_queue_where_nobody_works(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = web.memory.command
    monkeypatch.setattr(
        web.memory, "command", lambda kind, payload: command(kind, payload, wait_seconds=0.05)
    )
    answer = await web.ask(
        "POST", f"{API}/profile/rollback", json={"entity": "user:42", "revision": 1}
    )
    assert answer.status_code == 202 and answer.json()["done"] is False
    waiting = await web.json("GET", f"{API}/jobs")
    assert [one["kind"] for one in waiting["jobs"]] == ["rollback"] and waiting["counts"][
        "pending"
    ] == 1


async def test_articles_and_summaries_that_do_not_exist_are_told_so(web: Web) -> None:
    assert (await web.json("GET", f"{API}/articles")) == {"articles": []}
    assert (await web.ask("GET", f"{API}/article", params={"user_id": "7"})).status_code == 404
    assert (await web.json("GET", f"{API}/summaries", USER_7, params={"user_id": "7"})) == {
        "summaries": [],
        "waiting_tokens": 0,
    }


async def test_a_failed_job_is_brought_back(web: Web) -> None:
    queue = web.memory.lifecycle.queue
    assert queue is not None
    job_id = await web.memory.enqueue_job("我去了", [], user_id="42")
    assert queue.claim(9e9) is not None
    queue.fail(str(job_id), error=SCRIPT, filed=False)
    shown = await web.json("GET", f"{API}/jobs", params={"state": "failed"})
    assert shown["jobs"][0]["error"] == SCRIPT and shown["counts"]["failed"] == 1
    assert (await web.json("POST", f"{API}/jobs/{job_id}/retry")) == {"retried": 1}
    assert (await web.json("GET", f"{API}/jobs/{job_id}"))["state"] == "pending"
    assert (await web.ask("POST", f"{API}/jobs/{job_id}/retry")).status_code == 404


async def test_forgetting_somebody_leaves_nothing_of_them(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        file_texts(
            parts_of(web).events, ["安有一块玉佩"], "c-0", group=None, user_id="7", user_name="安"
        )
        report = await web.json("POST", f"{API}/forget", json={"entity": "user:7"})
        assert report["done"] and report["clean"] and report["removed"]["events"] == 1
        assert (await web.json("GET", f"{API}/events"))["events"] == []


async def test_an_export_is_an_archive_of_that_entity_and_leaves_nothing_behind(web: Web) -> None:
    answer = await web.ask("GET", f"{API}/export", params={"entity": "user:7"})
    assert answer.headers["content-type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert "玉佩" in archive.read("events.jsonl").decode()
    missing = await web.ask("GET", f"{API}/export", params={"entity": "user:nobody"})
    assert missing.status_code == 409 and "no data about" in missing.json()["detail"]


async def test_the_settings_are_told_without_their_secrets(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        report = await web.json("GET", f"{API}/settings")
        told = {one["key"]: one for one in report["settings"]}
        assert told["web.token"]["value"] == "***" and told["web.scope_tokens"]["value"] == {
            "group:100": "***",
            "user:7": "***",
        }
        assert (
            told["cognitive.bot_name"]["value"] == "小史"
            and told["cognitive.bot_name"]["meaning"]["zh"]
        )
        text = json.dumps(report)
        assert not any(token in text for token in (OPERATOR, GROUP_100, USER_7))


async def test_scopes_notes_stats_and_the_diagnosis_are_told(web: Web) -> None:
    scopes = (await web.json("GET", f"{API}/scopes"))["scopes"]
    assert {one["scope"]: one["events"] for one in scopes} == {"g:100": 2, "g:200": 1, "p:7": 1}
    assert (await web.json("GET", f"{API}/notes")) == {"folders": []}
    assert (await web.ask("POST", f"{API}/notes/index")).status_code == 503
    assert (await web.json("GET", f"{API}/stats"))["events"] == 4
    diagnosis = await web.json("GET", f"{API}/doctor")
    assert diagnosis["works"] and {"memory", "disk"} <= {
        one["part"] for one in diagnosis["findings"]
    }


async def test_a_job_is_seen_passing_through_the_graph_node_by_node(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        steps = web.memory.lifecycle.steps
        with steps.subscribed() as seen:
            await web.memory.enqueue_job(
                "我推荐了《三体》",
                ["他昨天说他喜欢科幻"],
                user_id="42",
                user_name="阿明",
                timestamp=AT,
            )
            passed = []
            async with asyncio.timeout(30):
                while not passed or passed[-1].node != "__end__":
                    passed.append(await seen.get())
        assert [step.node for step in passed[:4]] == ["__start__", "rewrite", "gate", "embed"]
        assert passed[-1].outcome == "filed" and passed[-2].node == "write_profile"
        texts = passed[2].found["texts"]
        assert (
            texts[1]["before"] == "他昨天说他喜欢科幻"
            and "2026" in texts[1]["after"]
            and texts[1]["passed"]
        )
        assert len(steps) == 0


# What a token of one conversation opens, and what it does not.

OWN = {"scope": "group:100"}
FOREIGN: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/events", {"params": {"scope": "group:200"}}),
    ("GET", "/events", {"params": {"scope": "p:7"}}),
    ("GET", "/events", {"params": {"scope": "notes"}}),
    ("POST", "/context", {"json": {"scope": "user:7", "query": "玉佩"}}),
    ("POST", "/search", {"json": {"scope": "g:200", "query": "瓷器"}}),
    ("POST", "/search", {"json": {"everywhere": True, "query": "瓷器"}}),
    ("POST", "/remember", {"json": {"scope": "group:200", "messages": "hello"}}),
    ("POST", "/jobs", {"json": {"group_id": "200", "user_id": "42", "action_summary": "x"}}),
    (
        "POST",
        "/jobs",
        {"json": {"request_type": "private", "user_id": "42", "action_summary": "x"}},
    ),
    ("GET", "/article", {"params": {"user_id": "7"}}),
    ("GET", "/summaries", {"params": {"user_id": "42", "group_id": "200"}}),
    ("GET", "/profile", {"params": {"entity": "user:42", "scope": "group:200"}}),
]
OPERATORS: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/profiles", {}),
    ("GET", "/profile/history", {"params": {"entity": "user:42"}}),
    ("GET", "/profile/diff", {"params": {"entity": "user:42"}}),
    ("POST", "/profile/rollback", {"json": {"entity": "user:42", "revision": 1}}),
    ("GET", "/articles", {}),
    ("GET", "/article/history", {"params": {"user_id": "42", "group_id": "100"}}),
    ("POST", "/article/rollback", {"json": {"user_id": "42", "group_id": "100", "revision": 1}}),
    ("POST", "/jobs/retry", {}),
    ("POST", "/jobs/x-0/retry", {}),
    ("GET", "/steps", {}),
    ("POST", "/forget", {"json": {"entity": "group:100"}}),
    ("GET", "/export", {"params": {"entity": "group:100"}}),
    *[("GET", path, {}) for path in ("/stats", "/scopes", "/notes", "/settings", "/doctor")],
    ("POST", "/notes/index", {}),
]


@pytest.mark.parametrize(("method", "path", "sent"), [*FOREIGN, *OPERATORS])
async def test_a_token_of_one_conversation_opens_nothing_else(
    web: Web, method: str, path: str, sent: dict[str, Any]
) -> None:
    answer = await web.ask(method, API + path, GROUP_100, **sent)
    assert answer.status_code == 403, answer.text
    assert not any(word in answer.text for word in ("瓷器", "玉佩"))
    queue = web.memory.lifecycle.queue
    assert queue is not None and queue.counts(0.0).pending == 0


@pytest.mark.parametrize(
    "whose",
    [
        {"group_id": "100"},
        {"user_id": "42"},
        {"request_type": "group", "group_id": "7", "user_id": "7"},
    ],
)
async def test_the_token_of_a_private_chat_hands_over_nothing_for_others(
    web: Web, whose: dict[str, str]
) -> None:
    answer = await web.ask("POST", f"{API}/jobs", USER_7, json={**whose, "action_summary": "x"})
    assert answer.status_code == 403


async def test_a_token_of_one_conversation_cannot_take_the_id_of_a_job_of_another(web: Web) -> None:
    turn = {"action_summary": "我推荐了一本书", "request_id": "message-1"}
    mine, again = [
        (await web.json("POST", f"{API}/jobs", USER_7, json=turn))["job_id"] for _ in range(2)
    ]
    theirs = (await web.json("POST", f"{API}/jobs", GROUP_100, json={**turn, "user_id": "7"}))[
        "job_id"
    ]
    operators = await web.memory.enqueue_job("我推荐了一本书", request_id="message-1", user_id="7")
    assert mine == again and len({mine, theirs, operators}) == 3


@pytest.mark.parametrize(
    ("method", "more"), [("GET", {}), ("PATCH", {"json": {"text": "x"}}), ("DELETE", {})]
)
async def test_events_of_another_conversation_do_not_exist_for_its_token(
    web: Web, method: str, more: dict[str, Any]
) -> None:
    foreign, unknown = [
        await web.ask(method, event_path(one), GROUP_100, **more) for one in ("b-0:0", "z-0:0")
    ]
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json()["detail"].replace("b-0", "z-0") == unknown.json()["detail"]
    assert parts_of(web).events.get(["b-0:0"])[0].text == "阿明收藏瓷器"


async def test_a_token_of_one_conversation_marks_nothing_as_over_because_of_a_foreign_event(
    web: Web,
) -> None:
    answer = await web.ask("POST", f"{API}/events/a-0:0/supersede", GROUP_100, json={"by": "b-0:0"})
    assert answer.status_code == 404


async def test_a_token_of_one_conversation_reads_and_changes_what_is_its_own(web: Web) -> None:
    found = await web.json("GET", f"{API}/events", GROUP_100)
    assert {event["group_id"] for event in found["events"]} == {"100"} and len(found["events"]) == 2
    assert (
        "龙井茶"
        in (
            await web.json(
                "POST", f"{API}/context", GROUP_100, json={"query": "喜欢什么茶", "user_id": "42"}
            )
        )["context"]
    )
    assert (await web.json("PATCH", f"{API}/events/a-0:0", GROUP_100, json={"text": "改了"}))[
        "text"
    ] == "改了"
    profile = await web.json("GET", f"{API}/profile", GROUP_100, params={"entity": "user:42"})
    assert profile["profiles"][0]["summary"] == "- 喜欢龙井茶"
    assert (
        await web.ask("GET", f"{API}/profile", GROUP_100, params={"entity": "user:7"})
    ).status_code == 404


async def test_a_token_of_one_conversation_sees_its_own_jobs_alone(web: Web) -> None:
    await web.json(
        "POST", f"{API}/jobs", GROUP_100, json={"user_id": "42", "action_summary": "我推荐了一本书"}
    )
    await web.json("POST", f"{API}/jobs", USER_7, json={"action_summary": "我讲了一个故事"})
    other = await web.memory.enqueue_job("我去了", [], user_id="42")
    for token, scope in ((GROUP_100, Scope.group("100").key), (USER_7, Scope.private("7").key)):
        (job,) = (await web.json("GET", f"{API}/jobs", token))["jobs"]
        assert (f"g:{job['group_id']}" if job["group_id"] else f"p:{job['user_id']}") == scope
        foreign = await web.ask("GET", f"{API}/jobs/{other}", token)
        absent = await web.ask("GET", f"{API}/jobs/nobody", token)
        assert foreign.status_code == absent.status_code == 404
        assert foreign.json()["detail"].replace(str(other), "nobody") == absent.json()["detail"]


# What is wrong is told as problem details, without repeating what was sent.


@pytest.mark.parametrize(
    ("method", "path", "sent", "status"),
    [
        ("POST", "/context", {"json": {"query": "x"}}, 422),
        ("POST", "/context", {"json": {"query": "x", "scope": "nobody"}}, 422),
        ("POST", "/context", {"content": b"{not json", "headers": {}}, 422),
        ("POST", "/search", {"json": {"scope": "group:1", "query": "x", "kind": "wish"}}, 422),
        ("POST", "/search", {"json": {"scope": "group:1", "query": "x", "unknown": 1}}, 422),
        ("POST", "/jobs", {"json": {"action_summary": "x"}}, 422),
        ("PATCH", "/events/a-0:0", {"json": {}}, 422),
        ("PATCH", "/events/a-0:0", {"json": {"text": "  "}}, 422),
        ("GET", "/events", {"params": {"cursor": "nan~1"}}, 422),
        ("GET", "/events", {"params": {"cursor": "1e400~0"}}, 422),
        ("GET", "/events", {"params": {"time_from": "yesterday"}}, 422),
        ("GET", "/events", {"params": {"limit": "1000000"}}, 422),
        ("GET", "/profile", {"params": {"entity": "../../etc/passwd"}}, 422),
        ("GET", "/profile", {"params": {"entity": "user:../../etc/passwd"}}, 404),
        ("GET", "/export", {"params": {"entity": "user:../x"}}, 409),
        ("GET", "/profile/history", {"params": {"entity": "user:42", "layer": "../../index"}}, 404),
        ("GET", "/article", {"params": {"user_id": "..", "group_id": "/etc"}}, 404),
        ("GET", "/events/..%2f..%2findex.sqlite", {}, 404),
        ("GET", "/nothing", {}, 404),
        ("PUT", "/events", {}, 405),
    ],
)
async def test_what_is_wrong_is_told_as_problem_details(
    web: Web, method: str, path: str, sent: dict[str, Any], status: int
) -> None:
    answer = await web.ask(
        method, API + path, **{key: value for key, value in sent.items() if key != "headers"}
    )
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status and answer.json()["detail"]


async def test_a_body_that_is_no_json_is_named_as_the_body(web: Web) -> None:
    answer = await web.ask("POST", f"{API}/context", content=b"{not json")
    assert answer.json()["errors"][0]["field"] == "body"


async def test_a_refusal_does_not_repeat_what_was_sent(web: Web) -> None:
    secret = "a text that nobody but the sender should see"
    answer = await web.ask("POST", f"{API}/search", json={"query": {"x": secret}, "scope": secret})
    assert answer.status_code == 422 and secret not in answer.text


async def test_an_unexpected_error_tells_nothing_of_what_was_being_done(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: object) -> None:
        raise RuntimeError("玉佩 in /home/bot/data")

    monkeypatch.setattr(type(web.memory), "stats", broken)
    answer = await web.ask("GET", f"{API}/stats")
    assert answer.status_code == 500 and "玉佩" not in answer.text and "/home" not in answer.text
    assert answer.headers["content-type"] == "application/problem+json"


async def test_script_in_names_and_texts_stays_data(web: Web) -> None:
    file_texts(parts_of(web).events, [SCRIPT], "s-0", group="100", user_name=SCRIPT)
    answer = await web.ask("GET", f"{API}/events")
    assert answer.headers["content-type"] == "application/json" and SCRIPT in {
        one["text"] for one in answer.json()["events"]
    }


async def test_the_description_of_the_api_names_every_address_and_loads_nothing(web: Web) -> None:
    schema = await web.json("GET", f"{API}/openapi.json")
    assert schema["openapi"].startswith("3.") and len(schema["paths"]) >= 25
    assert all(path.startswith(API) for path in schema["paths"])
    undescribed = [
        (path, method)
        for path, item in schema["paths"].items()
        for method, one in item.items()
        if not one.get("description")
    ]
    assert undescribed == []
    for path in ("/docs", "/redoc"):
        assert (await web.ask("GET", path)).status_code == 404
