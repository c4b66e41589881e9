"""Lines, pins and corrections over HTTP and on the pages: each in its scope, shown before it goes, and brought back."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from historian.schema.scope import Scope
from support.memory import AT
from support.servers.web import GROUP_100, OPERATOR, ORIGIN, USER_7, Web, opened_web

API = "/api/v1"
HERE, ELSEWHERE = {"scope": "group:100", "user_id": "7"}, {"scope": "group:200", "user_id": "7"}


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Web]:
    """A memory in which user 7 was talked of in private and user 42 in two groups."""
    async with opened_web(tmp_path, worker=True) as web:
        for group, user, name, text in (
            (None, "7", "安安", "她喜欢吃素"),
            (None, "7", "安安", "她住在杭州"),
            ("100", "42", "阿明", "我喜欢下棋"),
            ("200", "42", "阿明", "我喜欢弹琴"),
        ):
            whose = {"user_id": user, "group_id": group, "user_name": name, "timestamp": AT}
            await web.json("POST", f"{API}/jobs", json={**whose, "new_info": [text]})
        assert await web.memory.settled(30)
        yield web


async def lines_of(
    web: Web, entity: str = "user:7", token: str = OPERATOR, **params: str
) -> dict[str, str]:
    """Return the ids of the lines of a profile by their text."""
    found = await web.json("GET", f"{API}/profile", token, params={"entity": entity, **params})
    return {line["text"]: line["line_id"] for one in found["profiles"] for line in one["lines"]}


async def test_a_line_is_edited_deleted_and_brought_back_by_the_token_of_its_conversation(
    web: Web,
) -> None:
    lines = await lines_of(web, token=USER_7)
    assert set(lines) == {"安安喜欢吃素", "安安住在杭州"}
    vegetarian = f"{API}/lines/{lines['安安喜欢吃素']}"
    goes = await web.json("DELETE", vegetarian, USER_7, params={"dry_run": True})
    assert (goes["correction_id"], [one["text"] for one in goes["events"]]) == (
        "",
        ["安安喜欢吃素"],
    )
    assert [one["line"]["text"] for one in goes["lines"]] == ["安安喜欢吃素"]
    edited = await web.json(
        "PATCH",
        vegetarian,
        USER_7,
        json={"text": "安安什么都吃", "kind": "taste", "tags": ["饮食"]},
    )
    assert edited["action"] == "edit_line" and edited["lines"][0]["line"]["text"] == "安安喜欢吃素"
    events = (await web.json("GET", f"{API}/events", USER_7))["events"]
    assert "安安什么都吃" in [one["text"] for one in events] and "安安喜欢吃素" not in [
        one["text"] for one in events
    ]
    (line,) = [
        line
        for one in (await web.json("GET", f"{API}/profile", USER_7, params={"entity": "user:7"}))[
            "profiles"
        ]
        for line in one["lines"]
        if line["text"] == "安安什么都吃"
    ]
    assert (line["kind"], line["tags"], len(line["evidence"])) == ("taste", ["饮食"], 1)
    (done,) = (await web.json("GET", f"{API}/corrections", USER_7))["corrections"]
    back = await web.json("POST", f"{API}/corrections/{done['correction_id']}/undo", USER_7)
    assert back["is_undone"] and set(await lines_of(web)) == {"安安喜欢吃素", "安安住在杭州"}
    await web.json("DELETE", vegetarian, USER_7)
    assert set(await lines_of(web)) == {"安安住在杭州"}


@pytest.mark.parametrize(
    ("method", "path", "more", "status", "says"),
    [
        ("PATCH", "/lines/{line}", {"json": {"text": "改了"}}, 422, "there is no line"),
        ("DELETE", "/lines/{line}", {}, 422, "there is no line"),
        ("DELETE", "/lines/..%2F..%2Fetc", {}, 405, "Not Allowed"),
        (
            "PATCH",
            "/lines/{line}",
            {"json": {"text": "改了"}, "params": {"scope": "user:7"}},
            403,
            "this token is valid for g:100",
        ),
        ("POST", "/corrections/{undo}/undo", {}, 422, "there is no correction"),
        (
            "POST",
            "/correct",
            {"json": {"wrong": "x", "target_id": "{line}"}},
            422,
            "target_id: there is no line or event",
        ),
        ("POST", "/correct", {"json": {"wrong": " "}}, 422, "wrong: empty"),
        ("PATCH", "/lines/{line}", {"json": {"words": "改了"}}, 422, "words"),
        ("POST", "/pins", {"json": {"text": ""}}, 422, "text: empty"),
        ("POST", "/pins", {"json": {"text": "x", "expires_at": "2001-01-01"}}, 422, "expires_at"),
    ],
)
async def test_the_token_of_another_conversation_touches_nothing(
    web: Web, method: str, path: str, more: dict[str, Any], status: int, says: str
) -> None:
    line = (await lines_of(web))["安安住在杭州"]
    deleted = await web.json("DELETE", f"{API}/lines/{(await lines_of(web))['安安喜欢吃素']}")
    filled = {"line": line, "undo": deleted["correction_id"]}
    if more.get("json", {}).get("target_id"):
        more = {"json": {**more["json"], "target_id": line}}
    answer = await web.ask(method, API + path.format(**filled), GROUP_100, **more)
    assert (answer.status_code, says in answer.text) == (status, True), answer.text
    assert await lines_of(web) == {"安安住在杭州": line}


async def test_what_is_wrong_is_found_in_words_and_a_candidate_is_named(web: Web) -> None:
    await web.json(
        "POST",
        f"{API}/jobs",
        json={"user_id": "7", "user_name": "安安", "new_info": ["她住在杭州西湖边", "她住过杭州"]},
    )
    assert await web.memory.settled(30)
    asked = await web.json("POST", f"{API}/correct", USER_7, json={"wrong": "住在杭州"})
    assert asked["correction"] is None and len(asked["candidates"]) >= 2
    chosen = next(one for one in asked["candidates"] if one["text"] == "安安住在杭州")
    named = {"wrong": "住在杭州", "right": "安安住在苏州", "target_id": chosen["target_id"]}
    done = await web.json("POST", f"{API}/correct", USER_7, json=named)
    assert done["candidates"] == [] and done["correction"]["action"] == "edit_line"
    assert "安安住在苏州" in await lines_of(web) and "安安住在杭州" not in await lines_of(web)
    assert (await web.json("POST", f"{API}/correct", USER_7, json={"wrong": "量子力学"})) == {
        "correction": None,
        "candidates": [],
    }


async def test_pins_stand_in_the_blocks_of_their_conversation_alone(web: Web) -> None:
    pinned = await web.json("POST", f"{API}/pins", GROUP_100, json={"text": "不要提前任"})
    assert (pinned["pinned"], pinned["kind"]) == (True, "boundary")
    ended = await web.json(
        "POST", f"{API}/pins", GROUP_100, json={"text": "周末不要打扰", "expires_at": "2126-01-01"}
    )
    assert ended["until"].startswith("212")
    for scope, count in (("group:100", 2), ("group:200", 0), ("user:7", 0)):
        assert len((await web.json("GET", f"{API}/pins", params={"scope": scope}))["pins"]) == count
        block = (
            await web.json("POST", f"{API}/context", json={"query": "晚上好", "scope": scope})
        )["context"]
        assert ("不要提前任" in block) == bool(count)
    assert (await web.ask("GET", f"{API}/pins")).status_code == 422, (
        "the operator names the conversation"
    )
    for unpinned in (True, False):
        path = f"{API}/pins/{pinned['line_id']}"
        assert await web.json("DELETE", path, GROUP_100) == {"unpinned": unpinned}


async def test_an_event_takes_the_lines_along_that_rest_on_it_alone(web: Web) -> None:
    (event,) = (await web.json("GET", f"{API}/events", GROUP_100))["events"]
    path = f"{API}/events/{event['event_id']}"
    goes = await web.json("DELETE", path, GROUP_100, params={"dry_run": True})
    assert [one["line"]["text"] for one in goes["lines"]] == ["阿明喜欢下棋"]
    await web.json("DELETE", path, GROUP_100)
    assert set(await lines_of(web, "user:42")) == {"阿明喜欢弹琴"}


# pages


async def seen(web: Web, path: str, language: str = "en", **more: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {OPERATOR}", "Accept-Language": language, "Origin": ORIGIN}
    return await web.client.request("POST" if more else "GET", path, headers=headers, **more)


def link_to(shown: str, text: str) -> str:
    """Return the address behind a text of a page."""
    found = re.search(rf'<a href="([^"]*)">{re.escape(text)}</a>', shown)
    assert found is not None, shown
    return unescape(found[1])


async def test_a_profile_shows_its_lines_and_a_line_what_goes_along_with_it(web: Web) -> None:
    profile = (await seen(web, "/user?id=7&view=profile&layer=private")).text
    assert profile.count("2026-02-21") >= 2
    path = link_to(profile, "安安喜欢吃素")
    shown = (await seen(web, path)).text
    for text in (
        "Evidence",
        "Edit the line",
        "Delete this line?",
        "Also removed:",
        "/event?id=",
    ):
        assert text in shown, text
    for text in ("依据", "修改这一行", "删除这一行？", "一起删除的："):
        assert text in (await seen(web, path, "zh")).text, text
    which = dict(httpx.URL(path).params)
    edited = await seen(
        web,
        "/line/edit",
        data={**which, "text": "安安<b>什么</b>都吃", "about": "taste", "until": ""},
    )
    assert edited.status_code == 303 and "said=done" in edited.headers["location"]
    changed = (await seen(web, edited.headers["location"])).text
    assert (
        "安安&lt;b&gt;什么&lt;/b&gt;都吃" in changed
        and "<b>" not in changed
        and "likes and dislikes" in changed
    )
    deleted = await seen(web, "/line/delete", data={**which, "messages": "true"})
    assert deleted.headers["location"].endswith("said=deleted")
    assert (await seen(web, path)).status_code == 404
    assert "安什么" not in (await seen(web, deleted.headers["location"])).text
    corrections = (await seen(web, "/corrections")).text
    assert corrections.count('<form method="post" action="/corrections/undo">') == 2
    newest = re.search(r'name="id" value="([^"]+)"', corrections)
    assert newest is not None
    assert (await seen(web, "/corrections/undo", data={"id": newest[1]})).status_code == 303
    assert (await seen(web, "/corrections/undo", data={"id": newest[1]})).status_code == 422
    assert (await seen(web, path)).status_code == 200
    assert "已恢复" in (await seen(web, "/corrections", "zh")).text


async def test_a_conversation_shows_its_pins_and_takes_new_ones(web: Web) -> None:
    form = {"kind": "group", "id": "100", "text": "不要提前任", "until": "2126-01-01"}
    assert (await seen(web, "/pin", data=form)).status_code == 303
    (pin,) = await web.memory.list_pins(Scope.group("100"))
    shown = (await seen(web, "/group?id=100&view=profile")).text
    assert "pinned" in shown and "until 212" in shown
    which = dict(httpx.URL(link_to(shown, "不要提前任")).params)
    assert which["line"] == pin.line_id
    assert (await seen(web, "/line/edit", data={**which, "pinned": "false"})).status_code == 303
    assert await web.memory.list_pins(Scope.group("100")) == []
    assert (await seen(web, "/pin", data={**form, "text": " "})).status_code == 422


async def test_an_event_page_names_the_lines_that_go_along(web: Web) -> None:
    (event,) = await web.memory.list_events(Scope.group("100"))
    shown = (await seen(web, f"/event?id={event.event_id}")).text
    assert "Also removed:" in shown and link_to(shown, "阿明喜欢下棋").startswith("/line?")
    await seen(web, "/event/delete", data={"id": event.event_id})
    assert "阿明喜欢下棋" not in (await seen(web, "/user?id=42&view=profile")).text
