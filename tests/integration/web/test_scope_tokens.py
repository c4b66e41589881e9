"""Whom the token of one conversation names: an id in a request opens, and changes, nothing that was learnt elsewhere."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from historian.schema.profile import ProfileKey
from historian.schema.scope import LayerRule, Scope, layers_read
from historian.service.components import Parts
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from profiles import profile_of
from support.events import file_texts
from support.memory import AT
from support.servers.web import GROUP_100, OPERATOR, USER_7, Web, opened_web

API = "/api/v1"
SECRET = "瓷器"
STRANGER = "stranger-9"

MESSAGE_FORMS = ("messages[].sender_id", "messages[].user_id", "messages[].sender")
"""Fields of messages that say who sent them. Messages are of any common form: the description does not list their fields."""
PEOPLE = frozenset(
    ("user_id", "sender_id", "bot_id", "entity", *MESSAGE_FORMS, "recent_messages[].sender_id")
)
"""Every field of a request, in the address or the body, that may say who somebody is."""
OTHERS = frozenset(
    word
    for line in (
        "action_summary at bot_name by context corrects cursor dry_run end_seq event_id everywhere expires_at explain flush",
        "force group_id group_name holds is_absolute job_id kind language layer limit max_tokens mentions",
        "messages metadata neighbours new new_info occurs_from occurs_to offset old pinned query recent_messages",
        "recent_messages[].at recent_messages[].sender_name recent_messages[].text request_id request_type revision right",
        "scope source state tags target_id text time_from time_to timestamp timezone top_k user_name wait_seconds wrong",
    )
    for word in line.split()
)
BODIES: dict[str, dict[str, Any]] = {
    "/remember": {
        "messages": [{"role": "user", "content": "我住在杭州，喜欢喝龙井茶。"}],
        "flush": True,
    },
    "/jobs": {
        "action_summary": "我推荐了一本书",
        "new_info": ["我住在杭州"],
        "recent_messages": [{"text": "我喜欢诗"}],
    },
    "/context": {"query": "喜欢什么？"},
    "/search": {"query": "喜欢什么？"},
    "/events/{event_id}": {"text": "改了"},
    "/lines/{line_id}": {"text": "改了"},
    "/correct": {"wrong": f"收藏{SECRET}"},
    "/pins": {"text": "不要提前任"},
    "/events/{event_id}/supersede": {"by": "x-0:1"},
    "/profile/rollback": {"entity": f"user:{STRANGER}", "revision": 1},
    "/article/rollback": {"user_id": STRANGER, "revision": 1},
    "/forget": {"entity": f"user:{STRANGER}"},
}
"""A body for every address that takes one. A new address without one is answered with 422, which the test refuses."""
TOLD = (
    *("this is the private chat with", "is not the person of this private chat"),
    *("there is no line", "there is no correction"),
)
"""What a request is told that names another one where only one can be meant, or what is not there for it."""
NEEDED = {"entity": "group:100", "user_id": "7"}


def properties(app: FastAPI, schema: dict[str, Any], path: str = "") -> Iterator[str]:
    if "$ref" in schema:
        schema = app.openapi()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for part in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from properties(app, part, path)
    if "items" in schema:
        yield from properties(app, schema["items"], f"{path}[]")
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}".removeprefix(".")
        yield from properties(app, inner, f"{path}.{name}".removeprefix("."))


def routes(app: FastAPI) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Every address of the API: method, path, and the names of the fields in the query and in the body."""
    for path, item in app.openapi()["paths"].items():
        for method, operation in item.items():
            queried = [
                one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"
            ]
            content = (
                operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            )
            body = list(properties(app, content["schema"])) if content else []
            body += MESSAGE_FORMS if "messages" in body else ()
            yield method.upper(), path.removeprefix(API), queried, body


def named(field: str, user_id: str) -> str:
    return f"user:{user_id}" if field == "entity" else user_id


def value_of(name: str, user_id: str) -> str | dict[str, str]:
    return {"user_id": user_id, "card": "某人"} if name == "sender" else user_id


def with_field(body: dict[str, Any], field: str, user_id: str) -> dict[str, Any]:
    outer, inside, name = field.partition("[].")
    if not inside:
        return {**body, field: named(field, user_id)}
    return {**body, outer: [{**one, name: value_of(name, user_id)} for one in body[outer]]}


def requests_about(
    app: FastAPI, user_id: str, usual: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield requests to every address that name somebody in each field in turn, and in all at once; else the `usual` user."""
    for method, path, queried, body in routes(app):
        sent = {
            **BODIES.get(path, {}),
            **({"user_id": usual} if path in ("/remember", "/jobs") else {}),
        }
        asked = {field: NEEDED[field] for field in queried if field in NEEDED}
        people = [field for field in (*queried, *body) if field in PEOPLE]
        for some in (*([one] for one in people), people):
            given_body, given_query = sent, asked
            for field in some:
                if field in queried:
                    given_query = {**given_query, field: named(field, user_id)}
                else:
                    given_body = with_field(given_body, field, user_id)
            yield (
                method,
                re.sub(r"\{\w+\}", "x-0", path),
                {"params": given_query, **({"json": given_body} if body else {})},
            )


def plant(parts: Parts, user_id: str) -> dict[ProfileKey, str]:
    """File what is known of somebody elsewhere, and return the layers."""
    file_texts(
        parts.events, [f"他收藏{SECRET}"], "there-0", group="200", user_id=user_id, said_by=user_id
    )
    file_texts(
        parts.events, [f"他收藏{SECRET}"], "alone-0", group=None, user_id=user_id, said_by=user_id
    )
    keys = [ProfileKey("user", user_id, layer) for layer in ("", "private", "g:200")] + [
        ProfileKey("group", "200")
    ]
    for key in keys:
        written = parts.profiles.write(
            profile_of(key, f"- 收藏{SECRET}", name="某人"), expected_revision=0, now=AT
        )
        parts.backend.profile_index.put(written, None)
    return layers_of(parts)


def layers_of(parts: Parts) -> dict[ProfileKey, str]:
    found = ((key, parts.profiles.read(key)) for key in parts.profiles.keys())  # noqa: SIM118 - it is no mapping
    return {key: profile.summary for key, profile in found if profile is not None}


def parts_of(web: Web) -> Parts:
    assert web.memory.lifecycle.opened is not None
    return web.memory.lifecycle.opened.parts


async def test_every_field_of_every_address_is_known_to_name_somebody_or_not(
    tmp_path: Path,
) -> None:
    async with opened_web(tmp_path) as web:
        found = {field for _, _, queried, body in routes(web.app) for field in (*queried, *body)}
        assert found - PEOPLE - OTHERS == set(), (
            "put a new field into PEOPLE if it may say who somebody is"
        )
        assert found >= PEOPLE


async def assert_a_token_keeps_to_its_conversation(
    directory: Path, token: str, user_id: str, rule: LayerRule
) -> None:
    here = Scope.group("100") if token == GROUP_100 else Scope.private("7")
    async with opened_web(directory, worker=True, profile={"profile_layers": rule}) as web:
        before = plant(parts_of(web), user_id)
        for _ in range(2):  # what is forged the first time may open something the second time
            for method, path, sent in requests_about(
                web.app, user_id, "42" if token == GROUP_100 else "7"
            ):
                answer = await web.ask(method, API + path, token, **sent)
                is_foreign = answer.status_code == 422 and any(told in answer.text for told in TOLD)
                assert answer.is_success or answer.status_code in (403, 404) or is_foreign, (
                    f"{method} {path} {sent}: {answer.text}"
                )
                assert SECRET not in answer.text, f"{method} {path} {sent}"
            assert await web.memory.settled(60)
        after = layers_of(parts_of(web))
        own = {
            ProfileKey("group", "100"),
            *(ProfileKey("user", one, "g:100") for one in (user_id, "7", "42")),
        }
        own |= (
            {ProfileKey("user", "7", layer) for layer in ("private", "")}
            if here.request_type == "private"
            else set()
        )
        assert {key: text for key, text in after.items() if key not in own} == before


@pytest.mark.parametrize("token", [GROUP_100, USER_7])
@pytest.mark.parametrize("rule", ["private_separate", "per_group", "shared"])
async def test_no_field_of_any_address_opens_or_changes_what_was_learnt_elsewhere(
    tmp_path: Path, token: str, rule: LayerRule
) -> None:
    await assert_a_token_keeps_to_its_conversation(tmp_path, token, STRANGER, rule)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    user_id=st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=12).filter(
        lambda one: one != "7"
    ),
    token=st.sampled_from([GROUP_100, USER_7]),
    rule=st.sampled_from(["private_separate", "per_group", "shared"]),
)
@example(user_id="asserted-1", token=GROUP_100, rule="shared")
@example(user_id="100", token=GROUP_100, rule="private_separate")
async def test_no_id_whatever_opens_what_was_learnt_elsewhere(
    user_id: str, token: str, rule: LayerRule
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        await assert_a_token_keeps_to_its_conversation(Path(folder), token, user_id, rule)


async def test_what_a_token_tells_of_a_person_is_read_by_it_again_and_in_that_group_alone(
    tmp_path: Path,
) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        turn = {
            "new_info": ["我住在杭州"],
            "user_id": STRANGER,
            "user_name": "阿明",
            "timestamp": AT,
        }
        await web.json("POST", f"{API}/jobs", GROUP_100, json=turn)
        assert await web.memory.settled(30)
        (shown,) = (
            await web.json(
                "GET", f"{API}/profile", GROUP_100, params={"entity": f"user:{STRANGER}"}
            )
        )["profiles"]
        assert "杭州" in shown["summary"] and shown["layer"] == "g:100"
        asked = {"query": "住在哪里", "user_id": STRANGER}
        assert (
            "杭州" in (await web.json("POST", f"{API}/context", GROUP_100, json=asked))["context"]
        )
        for scope, is_read in (
            (Scope.group("100", STRANGER), True),
            (Scope.group("200", STRANGER), False),
        ):
            found = await web.memory.get_profile("user", STRANGER, scope)
            assert (found is not None) == is_read
        hits = await web.memory.search_profiles("杭州", Scope.group("100", "42"))
        assert [hit.profile.key.entity_id for hit in hits] == [STRANGER]


async def test_a_token_withdraws_messages_of_its_own_conversation_alone(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        handed = (
            (GROUP_100, "100", "a/1"),
            (GROUP_100, "100", "a/2"),
            (OPERATOR, "100", "a/3"),
            (OPERATOR, "200", "a/1"),
        )
        for token, group, message_id in handed:
            said = {
                "content": f"{message_id}：我收藏{SECRET}",
                "sender_id": STRANGER,
                "id": message_id,
            }
            await web.json(
                "POST", f"{API}/remember", token, json={"scope": f"group:{group}", "messages": said}
            )
        await web.memory.flush()
        assert await web.memory.settled(30)
        foreign: dict[str, Any] = {"params": {"scope": "group:200"}}
        assert (
            await web.ask("DELETE", f"{API}/messages/a/1", GROUP_100, **foreign)
        ).status_code == 403
        for message_id, gone in (("a/1", 1), ("a/1", 0), ("a/3", 0)):
            assert await web.json("DELETE", f"{API}/messages/{message_id}", GROUP_100) == {
                "messages": gone
            }
        own: dict[str, Any] = {"params": {"scope": "group:100"}}
        assert await web.json("DELETE", f"{API}/messages/a/2", OPERATOR, **own) == {"messages": 1}
        left = [
            len(await web.memory.list_events(Scope.group(group), kind="message"))
            for group in ("100", "200")
        ]
        assert left == [1, 1]


async def test_a_forged_speaker_opens_nothing_for_the_bot_of_that_group_either(
    tmp_path: Path,
) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        plant(parts_of(web), STRANGER)
        forged = {
            "messages": [{"content": "我喜欢喝茶", "sender_id": STRANGER, "name": "阿明"}],
            "flush": True,
        }
        await web.json("POST", f"{API}/remember", GROUP_100, json=forged)
        group = Scope.group("100", "42")
        for _ in range(2):  # while it waits, and when it is filed
            found = await web.memory.get_profile("user", STRANGER, group)
            hits = await web.memory.search_profiles(SECRET, group)
            assert SECRET not in f"{found} {hits}"
            assert await web.memory.settled(30)


async def test_who_spoke_by_the_operators_word_is_known_to_the_token_of_that_group(
    tmp_path: Path,
) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        plant(parts_of(web), STRANGER)
        asked = {"params": {"entity": f"user:{STRANGER}"}}
        assert (await web.ask("GET", f"{API}/profile", GROUP_100, **asked)).status_code == 404
        turn = {
            "new_info": ["我住在杭州"],
            "user_id": STRANGER,
            "group_id": "100",
            "user_name": "阿明",
            "timestamp": AT,
        }
        await web.json("POST", f"{API}/jobs", OPERATOR, json=turn)
        assert SECRET in (await web.ask("GET", f"{API}/profile", GROUP_100, **asked)).text
        assert await web.memory.settled(30)
        assert SECRET in (await web.ask("GET", f"{API}/profile", GROUP_100, **asked)).text
        told = await web.json(
            "POST", f"{API}/context", GROUP_100, json={"query": "x", "user_id": STRANGER}
        )
        assert SECRET in told["context"]


async def test_one_person_told_of_by_the_operator_and_by_a_token_is_filed_apart(
    tmp_path: Path,
) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        turn = {"user_id": STRANGER, "user_name": "阿明", "group_id": "100", "timestamp": AT}
        for token, told in ((OPERATOR, "我住在杭州"), (GROUP_100, "我对花生过敏")):
            await web.json("POST", f"{API}/jobs", token, json={**turn, "new_info": [told]})
        assert await web.memory.settled(30)
        layers = layers_of(parts_of(web))
        public, own = (
            layers.get(ProfileKey("user", STRANGER, layer), "") for layer in ("", "g:100")
        )
        assert "杭州" in public and "花生" not in public and "花生" in own and "杭州" not in own


async def test_forged_words_are_nobodys_own_in_their_private_chat(tmp_path: Path) -> None:
    query = {"own_words_from_groups": True}
    async with opened_web(tmp_path, worker=True, query=query) as web:
        turn = {"user_id": STRANGER, "user_name": "阿明", "group_id": "100", "timestamp": AT}
        for token, told in ((OPERATOR, "我住在杭州。"), (GROUP_100, "我对花生过敏。")):
            await web.json("POST", f"{API}/jobs", token, json={**turn, "new_info": [told]})
        assert await web.memory.settled(30)
        texts = [
            hit.event.text
            for hit in await web.memory.search_events("住在杭州 花生过敏", Scope.private(STRANGER))
        ]
        assert any("杭州" in text for text in texts) and not any("花生" in text for text in texts)


@pytest.mark.parametrize("rule", ["private_separate", "per_group", "shared"])
def test_an_asserted_speaker_reads_the_groups_own_layer_alone(rule: LayerRule) -> None:
    scope = Scope("group", "42", "7", asserted=True)
    assert layers_read(scope, "user", "42", rule) == ("g:7",)
