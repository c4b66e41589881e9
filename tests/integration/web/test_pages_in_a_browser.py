"""The pages as people use them: in a real browser, by clicking; what comes of it is read in the stores."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from historian.schema.event import Event, EventFilter
from historian.schema.profile import ProfileKey, ProfileLine
from historian.service.components import Parts, open_queue
from historian.service.intake import make_job
from historian.text.profiles.lines import with_lines
from support.memory import group_fields, private_fields
from support.servers.web import web_settings
from support.waiting import eventually_now

pytest.importorskip("playwright", reason="no browser to test the pages with: install playwright")

from playwright.sync_api import Browser, Page, expect  # after the look whether it is there
from support.events import SATURDAY, file_messages, make_message
from support.servers.browser import Served, Visit, chromium, served, visit

pytestmark = pytest.mark.slow  # a browser takes seconds to start
SCRIPT = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
PATHS = {
    "/": {"en": "Overview", "zh": "概览"},
    "/people": {"en": "Who is known", "zh": "认识的人和群"},
    "/people?kind=group": {"en": "Who is known", "zh": "认识的人和群"},
    "/user?id=42": {"en": "阿明", "zh": "阿明"},
    "/user?id=42&view=profile": {"en": "阿明", "zh": "阿明"},
    "/user?id=42&view=article": {"en": "阿明", "zh": "阿明"},
    "/group?id=100": {"en": "读书会", "zh": "读书会"},
    "/corrections": {"en": "Corrections", "zh": "更正"},
    "/search?q=%E6%9D%AD%E5%B7%9E&scope=g%3A100": {"en": "Search", "zh": "搜索"},
    "/live": {"en": "Live", "zh": "实时"},
    "/jobs": {"en": "Jobs", "zh": "任务"},
    "/jobs?state=failed": {"en": "Jobs", "zh": "任务"},
    "/notes": {"en": "Notes", "zh": "笔记"},
    "/forget?kind=user&id=42": {"en": "Forget 阿明", "zh": "遗忘 阿明"},
    "/settings": {"en": "Settings", "zh": "设置"},
    "/doctor": {"en": "Doctor", "zh": "体检"},
}
"""Every page that an address alone opens, with its heading."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A memory with a group and a private chat, with two revisions of a profile and a failed job; tests add to it."""
    directory = tmp_path_factory.mktemp("pages")
    give_up(directory, private_fields(request_id="given-up", new_info=["She plays the cello"]))
    with served(directory) as opened:
        opened.enqueue(
            "我给他推荐了《三体》",
            ["他昨天刚搬到杭州西湖区", "听说他们已经谈好了"],
            **group_fields(request_id="one"),
        )
        opened.enqueue(
            "",
            ["我喜欢科幻小说"],
            **group_fields(request_id="two", timestamp="2026-03-21T17:30:00+08:00"),
        )
        opened.enqueue(
            "", ["She moved to Lisbon last month", SCRIPT], **private_fields(user_name=SCRIPT)
        )
        names = {"group": "101", "group_name": "搬家群", "user_name": "阿明"}
        file_messages(parts_of(opened).events, ["谁周五有空？", "我周五搬家"], **names)
        yield opened


def give_up(directory: Path, fields: dict[str, Any]) -> None:
    """Leave a failed job in the queue of a memory that is not open."""
    settings = web_settings(directory)
    queue = open_queue(settings, time.time)
    job_id = queue.put(make_job(fields, settings, time.time))
    assert queue.claim(time.time()) is not None
    queue.fail(job_id, error="RuntimeError: the cello was out of tune", filed=False)


@pytest.fixture
def window(browser: Browser, memory: Served) -> Iterator[Visit]:
    with visit(browser, memory) as opened:
        yield opened
        opened.check()


def parts_of(memory: Served) -> Parts:
    assert memory.memory.lifecycle.opened is not None
    return memory.memory.lifecycle.opened.parts


def event_with(memory: Served, text: str) -> Event:
    return next(
        event for event in parts_of(memory).events.find(EventFilter(None)) if text in event.text
    )


def line_path(memory: Served) -> str:
    """Return the address of the first line of user 42's profile."""
    profile = parts_of(memory).profiles.read(ProfileKey("user", "42"))
    assert profile is not None
    return f"/line?kind=user&id=42&line={profile.lines[0].line_id}"


def event_path(event: Event) -> str:
    return f"/event?id={quote(event.event_id)}"


@THEMES
@LANGUAGES
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_opens_in_both_languages_and_themes(
    browser: Browser, memory: Served, language: str, theme: str, width: int
) -> None:
    with visit(browser, memory, language=language, theme=theme, width=width) as window:
        for path, heading in {**PATHS, event_path(event_with(memory, "杭州")): {}}.items():
            page = window.open(path)
            expect(page.locator("h1")).to_have_text(
                heading.get(language, event_with(memory, "杭州").text)
            )
            assert page.get_attribute("html", "lang") == {"en": "en", "zh": "zh-Hans"}[language]
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                f"{path} is wider than the window"
            )
            window.check()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_no_serious_fault(
    browser: Browser, memory: Served, theme: str, width: int
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="install axe-playwright-python"
    ).Axe()
    event = event_path(event_with(memory, "杭州"))
    with visit(browser, memory, language="zh", theme=theme, width=width) as window:
        message = event_path(event_with(memory, "搬家"))
        line = line_path(memory)
        for path in (*PATHS, event, message, line):
            assert serious(axe, window.open(path)) == [], path
        openers = {
            event: "edit",
            f"{event}&text=阿明": "end",
            message: "delete",
            "/forget?kind=user&id=42": "confirm",
        }
        openers |= {line: "edit", f"{line}&said=done": "delete"}
        for path, opener in openers.items():
            window.open(path).click(f"main > * >> button[popovertarget={opener}] >> nth=0")
            assert serious(axe, window.page) == [], f"{path}, {opener}"
        window.open("/").evaluate(
            "document.querySelector('main').append(document.createElement('img'))"
        )
        assert serious(axe, window.page) == ["image-alt: <img>"]  # it does find them


def serious(axe: Any, page: Page) -> list[str]:
    """Return the faults of a page that keep people from using it, each with the first place."""
    found = axe.run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html']}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def test_an_event_is_edited(memory: Served, window: Visit) -> None:
    event = event_with(memory, "科幻")
    page = window.open("/user?id=42")
    page.click(f"text={event.text}")
    page.click("text=Edit …")
    page.fill("textarea[name=text]", "阿明喜欢侦探小说")
    page.click("text=Save")
    expect(page.locator("h1")).to_have_text("阿明喜欢侦探小说")
    (edited,) = parts_of(memory).events.get([event.event_id])
    assert (edited.text, edited.rewritten_by) == ("阿明喜欢侦探小说", "hand")


def test_an_event_is_marked_superseded_and_holds_again(memory: Served, window: Visit) -> None:
    memory.enqueue("", ["阿明养了一只猫"], **group_fields(request_id="cat"))
    memory.enqueue(
        "",
        ["阿明养的那只猫去世了"],
        **group_fields(request_id="no-cat", timestamp="2026-03-01T10:00:00+08:00"),
    )
    old, new = event_with(memory, "一只猫"), event_with(memory, "那只猫")
    parts_of(memory).events.uphold([old.event_id])
    page = window.open(event_path(old))
    page.click("text=Mark superseded …")
    page.check(f"input[value='{new.event_id}']")
    page.click("dialog:popover-open >> text=Mark superseded")
    expect(page.locator("h2", has_text="Superseded events")).to_be_visible()
    assert parts_of(memory).events.get([old.event_id])[0].superseded_by == new.event_id
    page.click("text=Mark as true again …")
    page.click("dialog:popover-open >> text=Mark as true again")
    expect(page.get_by_role("button", name="Mark superseded …")).to_be_visible()
    assert parts_of(memory).events.get([old.event_id])[0].holds


def test_an_event_is_deleted_after_a_question(memory: Served, window: Visit) -> None:
    memory.enqueue("", ["阿明有一辆蓝色的自行车"], **group_fields(request_id="bicycle"))
    event = event_with(memory, "自行车")
    page = window.open(event_path(event))
    page.click("text=Delete …")
    page.keyboard.press("Escape")
    assert parts_of(memory).events.get([event.event_id])
    page.click("text=Delete …")
    page.click("dialog:popover-open >> button.danger")
    expect(page.get_by_role("status")).to_have_text("It is deleted. Bring it back")
    assert parts_of(memory).events.get([event.event_id]) == []


def test_a_message_is_withdrawn_after_a_question(memory: Served, window: Visit) -> None:
    names = {
        "group": "100",
        "group_name": "读书会",
        "user_name": "阿明",
        "timestamp": SATURDAY + 3600,
    }
    message = make_message("withdrawn-1", "这句话说错了", **names)
    parts_of(memory).events.file_messages([[message]])
    page = window.open(event_path(message))
    expect(page.locator("h1")).to_have_text("阿明: 这句话说错了")
    page.click("text=Withdraw …")
    page.click("dialog:popover-open >> button.danger")
    expect(page.get_by_role("status")).to_have_text("It is deleted. Bring it back")
    assert parts_of(memory).events.get([message.event_id]) == []


def test_all_but_the_live_view_works_without_script(browser: Browser, memory: Served) -> None:
    memory.enqueue("", ["阿明有一把吉他"], **group_fields(request_id="guitar"))
    event = event_with(memory, "吉他")
    with visit(browser, memory, script=False) as window:
        page = window.open(event_path(event))
        page.click("text=Edit …")
        page.fill("textarea[name=text]", "阿明有两把吉他")
        page.click("text=Save")
        expect(page.locator("h1")).to_have_text("阿明有两把吉他")
        page.click("text=Delete …")
        page.click("dialog:popover-open >> button.danger")
        expect(page.get_by_role("status")).to_have_text("It is deleted. Bring it back")
        expect(window.open("/live").locator("[data-state]")).to_contain_text("needs JavaScript")
    assert parts_of(memory).events.get([event.event_id]) == []


def test_a_line_is_edited_deleted_by_keyboard_and_brought_back(
    memory: Served, window: Visit
) -> None:
    memory.enqueue("", ["我喜欢打羽毛球"], **group_fields(request_id="badminton"))
    page = window.open("/user?id=42&view=profile")
    page.get_by_role("link", name="阿明喜欢打羽毛球").click()
    page.get_by_role("button", name="Edit …").press("Enter")
    page.fill("textarea[name=text]", "阿明喜欢打网球")
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("阿明喜欢打网球")
    assert event_with(memory, "打网球")
    page.get_by_role("button", name="Pin", exact=True).press("Enter")
    expect(page.get_by_text("pinned")).to_be_visible()
    page.get_by_role("button", name="Unpin").press("Enter")
    page.get_by_role("button", name="Delete …").press("Enter")
    dialog = page.get_by_role("dialog", name="Delete this line?")
    expect(dialog.get_by_text("Also removed:")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Delete …").press("Enter")
    dialog.get_by_role("button", name="Delete").press("Enter")
    expect(page.get_by_role("status")).to_have_text("It is deleted. Bring it back")
    page.get_by_role("link", name="Bring it back").press("Enter")
    page.get_by_role("button", name="Bring back what was corrected").first.press("Enter")
    expect(page.get_by_role("status")).to_have_text("It is back.")
    assert event_with(memory, "打网球")


def test_a_text_is_pinned_and_shown_first(memory: Served, window: Visit) -> None:
    page = window.open("/group?id=100&view=profile")
    page.get_by_label("Pin a text").fill("不要剧透")
    page.get_by_role("button", name="Pin", exact=True).press("Enter")
    page.get_by_role("link", name="不要剧透").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("不要剧透")


def test_a_profile_is_rolled_back(memory: Served, window: Visit) -> None:
    key = ProfileKey("user", "42")
    first = parts_of(memory).profiles.read(key)
    assert first is not None  # what other tests have deleted of it is in none of its revisions
    more = with_lines(first.lines, [ProfileLine("new", "喜欢潜水")])
    before = parts_of(memory).profiles.write(
        replace(first, lines=more), expected_revision=first.revision, now=first.updated_at
    )
    page = window.open("/user?id=42&view=profile")
    page.select_option("select[name=older]", str(first.revision))
    page.click("text=Compare")
    assert page.locator("ins").count() > 0
    page.click(f"text=Bring revision {first.revision} back …")
    page.click("dialog:popover-open >> text=Bring back")
    expect(page.get_by_role("status")).to_have_text("Done.")
    after = parts_of(memory).profiles.read(key)
    assert after is not None
    assert (after.revision, after.summary) == (before.revision + 1, first.summary)
    assert after.source_event_id.startswith(f"rollback:{first.revision}")


def test_a_failed_job_is_tried_again(memory: Served, window: Visit) -> None:
    queue = memory.memory.lifecycle.queue
    assert queue is not None
    page = window.open("/jobs")
    page.click("li:has-text('given-up') >> text=Try again")
    expect(page.get_by_role("status")).to_have_text("1 job put back into the queue.")
    assert queue.failed() == []
    eventually_now(
        lambda: any(
            "cello" in event.text for event in parts_of(memory).events.find(EventFilter("p:7"))
        )
    )


def test_a_person_is_forgotten_when_the_id_is_typed_in(memory: Served, window: Visit) -> None:
    memory.enqueue(
        "",
        ["Ben plays the trombone"],
        **private_fields(request_id="ben", user_id="ben", user_name="Ben"),
    )
    page = window.open("/user?id=ben")
    page.click("text=Forget …")
    expect(page.locator("main")).to_contain_text("1 event")
    page.click("text=Forget …")
    page.fill("input[name=confirmed]", "bob")
    page.click("text=Forget for good")
    expect(page.get_by_role("alert")).to_contain_text("Nothing is forgotten")
    assert parts_of(memory).events.count(EventFilter("p:ben")) == 1
    page.click("text=Forget …")
    page.fill("input[name=confirmed]", "ben")
    page.click("text=Forget for good")
    expect(page.locator("h1")).to_have_text("Forgotten")
    assert parts_of(memory).events.count(EventFilter("p:ben")) == 0
    assert parts_of(memory).profiles.layers("user", "ben") == []


def test_script_in_names_and_texts_is_text(memory: Served, window: Visit) -> None:
    event = event_with(memory, "onerror")
    for path in (
        "/",
        "/people",
        "/user?id=7",
        "/user?id=7&view=profile",
        event_path(event),
        "/search?q=onerror&scope=p:7",
        "/jobs",
    ):
        page = window.open(path)
        assert page.title() != "taken"
        assert page.locator("main script, main img").count() == 0
    assert SCRIPT in window.open(event_path(event)).inner_text("main")


def test_the_switch_of_languages_stays_on_the_page(memory: Served, window: Visit) -> None:
    page = window.open("/user?id=42&view=profile")
    page.click("text=中文")
    expect(page.locator("nav.tabs a[aria-current]")).to_have_text("画像")
    assert page.url.endswith("/user?id=42&view=profile")
    page.click("text=English")
    expect(page.locator("nav.tabs a[aria-current]")).to_have_text("Profile")


def test_the_keyboard_reaches_everything_that_a_dialog_asks(memory: Served, window: Visit) -> None:
    page = window.open(event_path(event_with(memory, "杭州")))
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.focus("main > .actions button[popovertarget=edit]")
    page.keyboard.press("Enter")
    expect(page.locator("textarea[name=text]")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Save")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#edit")).to_be_hidden()
    expect(page.locator("main > .actions button[popovertarget=edit]")).to_be_focused()


def test_search_draws_the_parts_of_each_score_and_says_what_the_bot_would_be_told(
    memory: Served, window: Visit
) -> None:
    page = window.open("/search")
    page.fill("input[name=q]", "阿明住在哪里")
    page.fill("input[name=scope]", "g:100")
    page.click("main >> button")
    expect(page.locator(".hits")).to_contain_text("杭州")
    bars = [
        float(one.get_attribute("width") or 0)
        for one in page.locator(".hits li").first.locator("rect.plus").all()
    ]
    assert bars
    assert all(0 < width <= 100 for width in bars)
    expect(page.locator("pre.told")).to_contain_text("杭州")


def test_the_live_view_follows_a_job_from_node_to_node(memory: Served, window: Visit) -> None:
    page = window.open("/live")
    memory.enqueue("", ["阿明昨天买了一架钢琴"], **group_fields(request_id="piano"))
    card = page.locator(".passing li", has_text="piano")
    expect(card.locator("h2 .tag")).to_be_visible()
    assert card.locator(".step > code").all_inner_texts() == [
        "rewrite",
        "gate",
        "embed",
        "link",
        "merge_profile",
        "write_profile",
    ]
    expect(card).to_contain_text("阿明昨天买了一架钢琴")
    expect(card).to_contain_text("2026-02-20")
