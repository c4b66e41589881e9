"""The pages without a browser: who may see them, what they say when something is missing, and what few people see."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from historian.interfaces.web.app import make_app
from historian.schema.event import EventFilter
from historian.schema.profile import ProfileKey
from historian.schema.settings import StoresSettings
from historian.schema.summary import ArticleKey, Summary
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts
from support.articles import Chapters, chapters_of, put_article
from support.events import file_messages, make_event
from support.jobs import make_job
from support.memory import group_fields
from support.queue_rows import put_broken
from support.servers.web import GROUP_100, OPERATOR, ORIGIN, Web, opened_web, web_settings

NOW = "2026-02-21T17:30:00+08:00"
PATHS = [
    "/",
    "/people",
    "/user?id=42",
    "/group?id=100",
    "/event?id=x",
    "/line?kind=user&id=42&line=x",
    "/corrections",
    "/search",
    "/live",
    "/jobs",
    "/notes",
    "/settings",
    "/doctor",
]
FORMS = [
    "/event/edit",
    "/event/delete",
    "/event/supersede",
    "/event/uphold",
    "/line/edit",
    "/line/delete",
    "/pin",
    "/corrections/undo",
    "/profile/rollback",
    "/jobs/retry",
    "/forget",
    "/doctor",
]


def parts_of(web: Web) -> Parts:
    assert web.memory.lifecycle.opened is not None
    return web.memory.lifecycle.opened.parts


async def seen(web: Web, path: str, language: str = "en", **more: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {OPERATOR}", "Accept-Language": language, "Origin": ORIGIN}
    return await web.client.request("POST" if more else "GET", path, headers=headers, **more)


async def test_pages_are_for_the_operator_alone(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        for path in PATHS:
            answer = await web.client.get(path, headers={"Accept": "text/html"})
            assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (
                303,
                "/login",
            ), path
            assert (await web.ask("GET", path, GROUP_100)).status_code == 403, path
        for path in FORMS:
            assert (await web.client.post(path, headers={"Origin": ORIGIN})).status_code == 401, (
                path
            )
            assert (await web.ask("POST", path, GROUP_100, data={"id": "x"})).status_code == 403, (
                path
            )


async def test_who_is_not_signed_in_sees_nothing_but_the_form(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        form = (await web.client.get("/login", headers={"Accept-Language": "zh"})).text
        assert "登录" in form
        assert "/people" not in form
        then = {"language": "zh", "then": "/login"}
        assert (await web.client.post("/language", data=then, headers={"Origin": ORIGIN})).headers[
            "location"
        ] == "/login"
        wrong = await web.client.post(
            "/login", data={"token": "guessed"}, headers={"Origin": ORIGIN, "Accept": "text/html"}
        )
        assert wrong.status_code == 401
        assert "没有这个令牌" in wrong.text


async def test_signing_in_leads_to_the_page_that_was_asked_for(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        asked = await web.client.get("/user?id=a%26b&view=profile", headers={"Accept": "text/html"})
        (then,) = parse_qs(urlsplit(asked.headers["location"]).query)["then"]
        answer = await web.client.post(
            "/login", data={"token": OPERATOR, "then": then}, headers={"Origin": ORIGIN}
        )
        assert answer.headers["location"] == "/user?id=a%26b&view=profile"


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/event?id=nothing", 404, "there is no event"),
        ("/event", 422, "A field of this form"),
        ("/user?id=", 422, "empty"),
        ("/user?id=%0A", 422, "white space"),
        ("/user?id=42&view=nonsense", 422, "A field of this form"),
        ("/user?id=42&before=never", 422, "cursor"),
        ("/search?q=tea&scope=%3Cb%3E", 422, "names no conversation"),
    ],
)
async def test_what_cannot_be_shown_is_said_on_a_page(
    tmp_path: Path, path: str, status: int, says: str
) -> None:
    async with opened_web(tmp_path) as web:
        answer = await seen(web, path)
        assert (answer.status_code, answer.headers["content-type"]) == (
            status,
            "text/html; charset=utf-8",
        )
        assert says in answer.text
        assert "<b>" not in answer.text


async def test_an_address_without_a_page_says_so_to_people_and_to_programs(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        headers = {
            "Authorization": f"Bearer {OPERATOR}",
            "Accept": "text/html",
            "Accept-Language": "zh",
        }
        answer = await web.client.get("/nothing", headers=headers)
        assert (answer.status_code, "没有这个页面" in answer.text) == (404, True)
        for path in ("/nothing", "/api/v1/nothing"):
            answer = await web.ask("GET", path)
            assert (answer.status_code, answer.headers["content-type"]) == (
                404,
                "application/problem+json",
            )
        assert (await web.ask("GET", "/nothing", GROUP_100)).status_code == 403


async def test_an_empty_memory_says_how_it_begins(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        for path in ("/", "/people"):
            assert (
                "Memory begins with the first turn that a bot hands over"
                in (await seen(web, path)).text
            )
        assert "No job waits." in (await seen(web, "/jobs")).text
        assert "没有失败的任务" in (await seen(web, "/jobs?state=failed", "zh")).text


async def test_a_memory_that_is_switched_off_is_shown_as_such(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        off = web.memory.settings.cognitive.model_copy(update={"enabled": False})
        await web.memory.aclose()
        web.memory.lifecycle.settings = web.memory.settings.model_copy(update={"cognitive": off})
        assert "switched off in the settings" in (await seen(web, "/")).text
        answer = await seen(web, "/people")
        assert answer.status_code == 503
        assert "the stores are not open" in answer.text
        await web.memory.start()


async def test_secrets_do_not_stand_among_the_settings(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        shown = (await seen(web, "/settings")).text
        assert "scope_tokens" in shown
        assert OPERATOR not in shown
        assert GROUP_100 not in shown


async def test_an_article_shows_its_chapters_and_goes_back_to_an_earlier_revision(
    tmp_path: Path,
) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        stores, key = parts_of(web).article_stores, ArticleKey("42", "100")
        first = Chapters(
            bedrock="- I know that 阿明 lives in Hangzhou", dynamic="- 2026-02-21: he reads"
        )
        more: dict[str, Any] = {"now": NOW, "forgotten": lambda: False}
        put_article(stores.articles, key, first, expected_revision=0, sources=("one",), **more)
        put_article(
            stores.articles,
            key,
            replace(first, dynamic="- 2026-02-22: he moves"),
            expected_revision=1,
            sources=("two",),
            **more,
        )
        summary = Summary(
            "s1",
            key,
            "阿明谈了搬家",
            NOW,
            NOW,
            NOW,
            12,
            "rules",
            is_absolute=False,
            gate_reasons=("“他”是谁",),
        )
        stores.summaries.add(summary, forgotten=lambda: False)

        shown = (await seen(web, "/user?id=42&view=article")).text
        for text in (
            "lives in Hangzhou",
            "<del>reads</del>",
            "<ins>moves</ins>",
            "阿明谈了搬家",
            "“他”是谁",
            "not absolute",
        ):
            assert text in shown
        assert "阿明谈了搬家" in (await seen(web, "/group?id=100&view=article")).text

        form = {"kind": "user", "user": "42", "group": "100", "revision": "1"}
        answer = await seen(web, "/article/rollback", data=form)
        assert "said=done" in answer.headers["location"]
        stored = stores.articles.read(key)
        assert stored is not None
        assert (stored.revision, chapters_of(stored)) == (3, first)
        assert (
            await seen(web, "/article/rollback", data={**form, "revision": "9"})
        ).status_code == 404


async def test_lists_show_the_beginning_of_a_long_text(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        event = make_event(
            "long-0", text="茶" * 100_000, handed_over="tea" * 100_000, user_id="42", group="100"
        )
        parts_of(web).events.file_job("long-0", [event], [None])
        for path in ("/", "/group?id=100", "/search?q=茶茶&scope=g:100"):
            assert len((await seen(web, path)).text) < 20_000, path
        assert "茶" * 100_000 in (await seen(web, f"/event?id={event.event_id}")).text


async def test_a_message_is_shown_with_its_speaker_and_time_and_can_be_withdrawn_alone(
    tmp_path: Path,
) -> None:
    async with opened_web(tmp_path) as web:
        question, answer = file_messages(
            parts_of(web).events, ["谁有空搬家？", "我周五搬家"], group="100"
        )
        for path in (
            "/group?id=100&kind=message",
            f"/event?id={answer}",
            "/search?q=周五搬家&scope=g:100",
        ):
            assert "小林: 我周五 (2026-02-27)搬家" in (await seen(web, path)).text, path
        shown = (await seen(web, f"/event?id={answer}")).text
        assert (
            "Withdraw this message" in shown
            and f"/event?id={question.replace(':', '%3A')}" in shown
        )
        assert not any(
            text in shown for text in ("Edit the event", "not absolute", "Mark superseded")
        )
        assert "搬家" not in (await seen(web, "/group?id=100&absolute=no")).text
        refused = await seen(web, "/event/edit", data={"id": answer, "text": "我周六搬家"})
        assert refused.status_code == 422 and "cannot be edited" in refused.text
        assert (await seen(web, "/event/delete", data={"id": answer})).status_code == 303
        assert [one.event_id for one in parts_of(web).events.find(EventFilter("g:100"))] == [
            question
        ]


async def test_only_two_events_of_one_conversation_are_linked(tmp_path: Path) -> None:
    async with opened_web(tmp_path, worker=True) as web:
        for number, group in enumerate(("100", "101")):
            await web.memory.enqueue_job(
                "", ["我喜欢喝茶"], **group_fields(group_id=group, request_id=f"r{number}")
            )
        assert await web.memory.settled(20)
        answer = await seen(web, "/event/supersede", data={"id": "r0-0:0", "by": "r1-0:0"})
        assert answer.status_code == 422
        assert "cannot be linked" in answer.text
        assert parts_of(web).events.get(["r0-0:0"])[0].holds


async def test_the_switch_of_languages_leads_to_no_other_host(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        for then, there in {
            "/jobs?state=failed": "/jobs?state=failed",
            "//evil.example": "/",
            "https://evil.example": "/",
        }.items():
            answer = await seen(web, "/language", data={"language": "zh", "then": then})
            assert (answer.status_code, answer.headers["location"]) == (303, there)
        assert "historian_language=zh" in answer.headers["set-cookie"]
        web.client.cookies.set("historian_language", "zh", domain="127.0.0.1")
        assert "概览" in (await seen(web, "/", "en")).text


async def test_doctor_says_what_is_configured(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        assert (
            "磁盘"
            not in (await seen(web, "/doctor", "zh"))
            .text.partition("<main")[2]
            .partition("form")[2]
        )
        shown = (await seen(web, "/doctor", "zh", data={"go": "1"})).text
        assert "磁盘" in shown
        assert shown.count('class="card ok"') >= 3


async def test_notes_are_listed_by_folder(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text(
        "# Tea\n\nGreen tea is brewed at 80 degrees.\n", encoding="utf-8"
    )
    async with opened_web(tmp_path, worker=True) as web:
        await web.memory.command("index", {"folder": str(folder)})
        shown = (await seen(web, "/notes")).text
        assert str(folder) in shown
        assert "tea.md" in shown
        assert "shared" in shown


@pytest.mark.slow
async def test_a_memory_in_postgresql_has_the_same_pages(tmp_path: Path) -> None:
    from support.postgres import fresh_schema, server_url

    stores = StoresSettings(url=server_url(), schema_name=fresh_schema())
    settings = web_settings(tmp_path).model_copy(update={"stores": stores})
    async with CognitiveService.open(settings) as memory:
        app = make_app(memory)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ORIGIN) as client:
            web = Web(memory, app, client)
            await memory.enqueue_job("", ["我喜欢喝茶"], **group_fields(request_id="tea"))
            await memory.enqueue_job("", ["我喜欢下棋"], **group_fields(request_id="chess"))
            assert await memory.settled(20)
            (line,) = parts_of(web).profiles.read(ProfileKey("user", "42")).lines[:1]
            for path in (
                *PATHS[:-1],
                "/people?text=阿",
                "/group?id=100&text=喝茶&month=2026-02",
                "/search?q=茶&scope=g:100",
            ):
                answer = await seen(
                    web,
                    path.replace("id=x", "id=tea-0:0").replace("line=x", f"line={line.line_id}"),
                )
                assert answer.status_code == 200, f"{path}: {answer.text}"
            assert "喜欢喝茶" in (await seen(web, "/group?id=100&text=喝茶&month=2026-02")).text
            form = {"kind": "user", "id": "42", "revision": "1"}
            assert (
                "said=done" in (await seen(web, "/profile/rollback", data=form)).headers["location"]
            )
            forgotten = await seen(
                web, "/forget", data={"kind": "user", "id": "42", "confirmed": "42"}
            )
            assert "2 events" in forgotten.text
            assert parts_of(web).events.count() == 0


async def test_the_jobs_of_each_state_are_shown_with_what_they_carry(tmp_path: Path) -> None:
    async with opened_web(tmp_path) as web:
        queue = parts_of(web).queue
        states = {"states": [{"role": "user", "text": "我下周去成都"}]}
        failed = queue.put(make_job("r1", last_error="", attempts=3))
        assert queue.claim(2e9) is not None
        queue.fail(failed, error="the model said no", filed=True)
        queue.put(make_job("r2", last_error="HTTP 503", attempts=2))
        queue.put(
            make_job(
                "r3",
                kind="talk",
                payload={"role": "user", "text": "我对花生过敏"},
                action_summary="",
                new_info=[],
            )
        )
        queue.put(make_job("r4", kind="states", payload=states, action_summary="", new_info=[]))
        queue.put(
            make_job(
                "r5",
                kind="forget",
                payload={"event_ids": ["r9-1:0"]},
                action_summary="",
                new_info=[],
            )
        )
        put_broken(Path(web.memory.settings.cognitive.data_dir), job_id="1-x-0")
        waiting = (await seen(web, "/jobs?state=pending")).text
        for text in (
            "告诉用户明天下雨",
            "阿橘",
            "HTTP 503",
            "tried 2 times",
            "我对花生过敏",
            "我下周去成都",
            "r9-1:0",
            "/group?id=7",
        ):
            assert text in waiting
        given_up = (await seen(web, "/jobs")).text
        for text in (
            "the model said no",
            "filed by rules",
            "告诉用户明天下雨",
            "unreadable",
            "1-x-0",
            "Try again",
        ):
            assert text in given_up
        assert "No job is running." in (await seen(web, "/jobs?state=processing")).text
