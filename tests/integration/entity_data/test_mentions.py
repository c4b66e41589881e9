"""Forgetting with mentions: what others say of the person goes; what they say of themselves, in whatever words, stays."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import StorageError
from historian.schema.event import EventFilter
from historian.schema.forgetting import ForgetReport, ForgetRequest
from historian.schema.job import parse_job
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.schema.summary import ArticleKey, Spoken
from historian.service.components import Parts
from historian.service.entity_data.forgetting import Forgetting, forget
from historian.service.entity_data.mentions import digest
from historian.stores.files.markdown_memory import MarkdownMemory
from profiles import profile_of
from support.articles import Chapters, put_article
from support.canaries import opened
from support.events import make_event
from support.memory import settings_for
from support.recall import NOW, file_events, open_memory

ANN, BEN, CLEO = "1001", "1002", "1003"


class Said(NamedTuple):
    """An event: who said it (id and name), where (None in private), as what it is filed, and in which words."""

    who: str
    name: str
    group: str | None
    text: str
    words: str = ""
    group_name: str = ""
    bot_name: str = ""
    people: tuple[str, ...] = ()


STAYS = {
    "the same words of oneself": (
        Said(ANN, "Ann", "7", "Ann is allergic to peanuts", "I'm allergic to peanuts"),
        Said(BEN, "Ben", "7", "Ben is allergic to peanuts", "I'm allergic to peanuts"),
    ),
    "the same words in Chinese": (
        Said(ANN, "小安", "7", "小安对花生过敏", "我对花生过敏"),
        Said(BEN, "阿本", "7", "阿本对花生过敏", "我对花生过敏"),
    ),
    "the same words in a private chat": (
        Said(ANN, "Ann", None, "Ann works nights at the harbour", "I work nights at the harbour"),
        Said(BEN, "Ben", None, "Ben works nights at the harbour", "I work nights at the harbour"),
    ),
    "the same sentence about the group": (
        Said(ANN, "Ann", "7", "Book club meets on Fridays at nine"),
        Said(BEN, "Ben", "7", "Book club meets on Fridays at nine"),
    ),
    "words that a longer text repeats": (
        Said(ANN, "Ann", "7", "likes tea with milk"),
        Said(BEN, "Ben", "7", "Ben likes tea with milk and sugar"),
    ),
    "the same nickname": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(BEN, "Ann", "7", "Ann moved to Berlin"),
    ),
    "the same nickname in a private chat": (
        Said(ANN, "小雨", "7", "小雨住在杭州"),
        Said(BEN, "小雨", None, "小雨住在上海"),
    ),
    "a longer nickname": (
        Said(ANN, "小明", "7", "小明住在杭州"),
        Said(BEN, "王小明", "7", "王小明住在上海"),
    ),
    "a name that holds it with an accent": (
        Said(ANN, "Ren", "7", "Ren lives in Leeds"),
        Said(BEN, "Ben", "7", "Ben plays with René"),
    ),
    "the bot's name": (
        Said(ANN, "Clio", "7", "Clio lives in Leeds"),
        Said(BEN, "Ben", "7", "Clio recommended Dune to Ben", bot_name="Clio"),
    ),
    "the group's name": (
        Said(ANN, "Book Club", "7", "Book Club lives in Leeds"),
        Said(BEN, "Ben", "7", "Book Club meets on Fridays", group_name="Book Club"),
    ),
    "a nickname that is a pronoun": (
        Said(ANN, "我", "7", "我住在杭州"),
        Said(BEN, "阿本", "7", "阿本说：我喜欢茶"),
    ),
    "a nickname that means everybody": (
        Said(ANN, "大家", "7", "大家住在杭州"),
        Said(BEN, "阿本", "7", "大家每周五开会"),
    ),
    "a nickname that is a month": (
        Said(ANN, "May", "7", "May lives in Leeds"),
        Said(BEN, "Ben", "7", "Ben moved to Leeds in May"),
    ),
    "a nickname that is a word": (
        Said(ANN, "Hope", "7", "Hope lives in Leeds"),
        Said(BEN, "Ben", "7", "Ben will hope for sun"),
    ),
    "a mention of another one of that name by id": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(CLEO, "Ann", "7", "Ann lives in York"),
        Said(BEN, "Ben", "7", "Ann (1003) likes tea"),
    ),
    "a former name that is another person's in the text": (
        Said(ANN, "Sam", "7", "Sam lives in Leeds"),
        Said(BEN, "Ben", "7", "Sam sings in the choir", people=("0:3:1009",)),
    ),
}
"""The first is forgotten; all that others said stays."""

GOES = {
    "by name": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(BEN, "Ben", "7", "Ann's cat is called Miso"),
    ),
    "by name in Chinese": (
        Said(ANN, "小安", "7", "小安住在杭州"),
        Said(BEN, "阿本", "7", "阿本说：小安养了一只猫"),
    ),
    "by a former name": (
        Said(ANN, "Annie", "7", "Annie lives in Leeds"),
        Said(ANN, "Sam", "7", "Sam moved to York"),
        Said(BEN, "Ben", "7", "Annie sings in the choir"),
    ),
    "by id": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(BEN, "Ben", "7", "[CQ:at,qq=1001] sings in the choir"),
    ),
    "by an id of Discord in the words as said": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(CLEO, "Ann", "7", "Ann moved to York"),
        Said(BEN, "Ben", "7", "Ann sings in the choir", "<@!1001> sings in the choir"),
    ),
    "by the place of a name that two have borne": (
        Said(ANN, "Sam", "7", "Sam lives in Leeds"),
        Said(CLEO, "Sam", "7", "Sam moved to York"),
        Said(BEN, "Ben", "7", "Sam sings in the choir", people=("0:3:1001",)),
    ),
    "by the place of a name that is not on record": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(BEN, "Ben", "7", "Annie sings in the choir", people=("0:5:1001",)),
    ),
    "by name and id where two bear it": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(CLEO, "Ann", "7", "Ann lives in York"),
        Said(BEN, "Ben", "7", "Ann (1001) likes tea"),
    ),
    "where another bears the name elsewhere": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(CLEO, "Ann", "8", "Ann lives in York"),
        Said(BEN, "Ben", "7", "Ann sings in the choir"),
    ),
    "in a private chat": (
        Said(ANN, "Ann", "7", "Ann lives in Leeds"),
        Said(BEN, "Ben", None, "Ann is Ben's sister"),
    ),
    "a month's name where no time is meant": (
        Said(ANN, "April", "7", "April lives in Leeds"),
        Said(BEN, "Ben", "7", "April sings in the choir"),
    ),
}
"""The first is forgotten; the last goes with mentions, nothing else of others."""


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    found = opened(tmp_path)
    yield found
    asyncio.run(found.aclose())


def filed(parts: Parts, said: tuple[Said, ...]) -> None:
    file_events(
        parts,
        [
            make_event(
                f"j{n}-0", 0, group=one.group, user_id=one.who, user_name=one.name, text=one.text, handed_over=one.words,
                group_name=one.group_name, bot_name=one.bot_name, timestamp=NOW - 100 + n, said_by="",
                people=one.people,
            )
            for n, one in enumerate(said)
        ],
    )  # fmt: skip


def wrote(parts: Parts, key: ProfileKey, name: str, *lines: str, job_id: str = "x-0") -> None:
    profile = profile_of(key, "\n".join(f"- {line}" for line in lines), name=name)
    parts.profiles.write(
        profile, expected_revision=0, job_id=job_id, now="2026-02-20T10:00:00+08:00"
    )


def summary(parts: Parts, key: ProfileKey) -> list[str]:
    profile = parts.profiles.read(key)
    return (
        []
        if profile is None
        else [line.removeprefix("- ") for line in profile.summary.splitlines()]
    )


def forgotten(parts: Parts, **more: Any) -> ForgetReport:
    return asyncio.run(forget(parts, Entity("user", ANN), **more))


def left(parts: Parts, count: int) -> list[str]:
    return [one.event_id for one in parts.events.get([f"j{n}-0:0" for n in range(count)])]


@pytest.mark.parametrize("said", STAYS.values(), ids=STAYS)
def test_what_another_person_says_of_themself_stays(parts: Parts, said: tuple[Said, ...]) -> None:
    filed(parts, said)
    wrote(parts, ProfileKey("user", BEN), said[-1].name, said[-1].text)
    report = forgotten(parts, mentions=True)
    assert report.clean and report.mentions == ()
    assert left(parts, len(said)) == [f"j{n}-0:0" for n in range(1, len(said))]
    assert summary(parts, ProfileKey("user", BEN)) == [said[-1].text]


@pytest.mark.parametrize("said", GOES.values(), ids=GOES)
def test_what_is_said_of_the_forgotten_person_goes_and_the_report_shows_it(
    parts: Parts, said: tuple[Said, ...]
) -> None:
    filed(parts, said)
    wrote(parts, ProfileKey("user", BEN), "Ben", said[-1].text, "likes rowing")
    key = ProfileKey("user", BEN).index_id
    last = len(said) - 1
    for mentions in (False, True, True):
        report = forgotten(parts, mentions=mentions)
        shown = (
            {}
            if (mentions and not report.mentions)
            else dict(zip(report.mentions, report.mention_texts, strict=True))
        )
        assert report.clean and shown in (
            {},
            {("events", f"j{last}-0:0"): said[-1].text, ("profiles", key): said[-1].text},
        )
        assert shown or mentions
        kept = [n for n in range(1, len(said)) if said[n].who != ANN and (n < last or not mentions)]
        assert left(parts, len(said)) == [f"j{n}-0:0" for n in kept]
        assert summary(parts, ProfileKey("user", BEN)) == [
            *([] if mentions else [said[-1].text]),
            "likes rowing",
        ]


def test_a_line_of_the_group_stays_while_another_person_s_words_carry_it(parts: Parts) -> None:
    shared, own = "Book club meets on Fridays at nine", "Book club forbids phones at the table"
    reworded, by_hand = "No phones at the table of the club", "Book club likes long novels"
    filed(
        parts,
        (Said(ANN, "Ann", "7", shared), Said(BEN, "Ben", "7", shared), Said(ANN, "Ann", "7", own)),
    )
    key = ProfileKey("group", "7")
    wrote(parts, key, "Book club", shared, own, reworded, by_hand, job_id="j0-0")
    assert forgotten(parts, mentions=True).clean
    assert summary(parts, key) == [shared, by_hand]


def test_what_a_group_knew_of_its_members_goes_unless_they_said_it_elsewhere_too(
    parts: Parts,
) -> None:
    here, both = "Ben rows on the lake", "Ben is allergic to peanuts"
    filed(
        parts,
        (Said(BEN, "Ben", "7", here), Said(BEN, "Ben", "7", both), Said(BEN, "Ben", "8", both)),
    )
    key = ProfileKey("user", BEN)
    wrote(parts, key, "Ben", here, both)
    report = asyncio.run(forget(parts, Entity("group", "7"), mentions=True))
    assert report.clean and report.mention_texts == (here,)
    assert summary(parts, key) == [both]


def test_a_line_that_rests_on_a_removed_event_goes_where_its_own_words_name_nobody(
    parts: Parts,
) -> None:
    told = "The treasurer lost the key"
    filed(
        parts,
        (
            Said(ANN, "Ann", "7", "Ann lives in Leeds"),
            Said(BEN, "Ben", "7", told, "[CQ:at,qq=1001] lost the key"),
        ),
    )
    key = ProfileKey("group", "7")
    wrote(parts, key, "Book club", told, "Book club meets on Fridays")
    report = forgotten(parts, mentions=True)
    assert report.clean and left(parts, 2) == []
    assert summary(parts, key) == ["Book club meets on Fridays"]


def test_of_a_waiting_job_of_another_person_only_what_is_said_of_the_forgotten_one_goes(
    parts: Parts,
) -> None:
    filed(parts, (Said(ANN, "Ann", "7", "Ann lives in Leeds"),))
    fields = {
        "request_type": "group",
        "group_id": "7",
        "user_id": BEN,
        "user_name": "Ben",
        "timezone": "UTC",
    }
    told = {
        "new_info": ["Ben likes rowing", "Ann sings in the choir"],
        "timestamp": "2026-02-21T17:00:00+08:00",
    }
    parts.queue.put(parse_job({"request_id": "wait", **fields, **told}))
    assert forgotten(parts, mentions=True).clean
    assert [job.new_info for job in parts.queue.jobs("pending")] == [["Ben likes rowing"]]


def test_a_line_of_the_emergency_memory_in_the_same_words_stays_the_other_person_s(
    parts: Parts,
) -> None:
    words = "I am allergic to peanuts"
    (parts.directory / "MEMORY.md").write_text(
        f"## p:{BEN}\n\n- [2026-02-20T10:00:00+08:00] {words}\n", encoding="utf-8"
    )
    filed(parts, (Said(ANN, "Ann", None, "Ann is allergic to peanuts", words),))
    assert forgotten(parts, mentions=True).clean
    assert words in (parts.directory / "MEMORY.md").read_text(encoding="utf-8")


def test_handwritten_lines_of_the_emergency_memory_stay_where_a_state_has_no_time(
    parts: Parts,
) -> None:
    rule = "Rules of the house: no dogs"
    (parts.directory / "MEMORY.md").write_text(f"## g:7\n\n- {rule}\n", encoding="utf-8")
    parts.article_stores.buffer.add(
        ArticleKey(ANN, "7"), "s-0", [("s-0:0", Spoken("user", "hello"))], entities=[], at=NOW
    )
    assert forgotten(parts).clean
    assert rule in (parts.directory / "MEMORY.md").read_text(encoding="utf-8")


def passes(folder: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each store is read or written while Ann is forgotten, whom `count` others name."""
    parts, calls = opened(folder), Counter[str]()
    memory = MarkdownMemory(parts.directory / "MEMORY.md")
    filed(parts, (Said(ANN, "Ann", "7", "Ann lives in Leeds"),))
    for n in range(count):
        text, user = f"Ann gave {n} apples away", f"20{n:02}"
        job = parse_job(
            {
                "request_id": f"wait{n}", "request_type": "private", "user_id": user, "user_name": f"Ben{n}",
                "new_info": [text], "action_summary": text, "timestamp": "2026-02-21T17:00:00+08:00", "timezone": "UTC",
            }
        )  # fmt: skip
        parts.queue.put(job)
        parts.backend.plain_summaries.add([job])
        memory.add(job)
        spoken = Spoken("user", text, f"Ben{n}", "2026-02-21T15:00:00+08:00")
        parts.article_stores.buffer.add(
            ArticleKey(user), f"b{n}-0", [(f"b{n}-0:0", spoken)], entities=[], at=NOW
        )

    def counted(owner: type, name: str) -> None:
        known: Callable[..., Any] = getattr(owner, name)

        def call(*given: Any, **more: Any) -> Any:
            calls[f"{owner.__name__}.{name}"] += 1
            return known(*given, **more)

        monkeypatch.setattr(owner, name, call)

    with monkeypatch.context() as monkeypatch:
        counted(type(parts.queue), "amend")
        counted(type(parts.backend.plain_summaries), "forget")
        counted(MarkdownMemory, "forget")
        counted(type(parts.article_stores.buffer), "keys")
        report = forgotten(parts, mentions=True)
    assert report.clean and len(report.mentions) == 4 * count
    assert not parts.queue.jobs("pending") and not list(parts.backend.plain_summaries.entries())
    assert not list(memory.entries()) and not parts.article_stores.buffer.keys()
    asyncio.run(parts.aclose())
    return calls


def test_what_many_others_say_is_removed_in_as_many_passes_as_what_one_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = passes(tmp_path / "one", 1, monkeypatch)
    assert len(one) == 4 and passes(tmp_path / "many", 20, monkeypatch) == one


def test_what_somebody_without_a_name_tells_of_a_namesake_stays(parts: Parts) -> None:
    told = "Ann is my sister"
    filed(
        parts,
        (
            Said(ANN, "Ann", "7", "Ann lives in Leeds"),
            Said(CLEO, "Ann", "7", "Ann lives in York"),
            Said(BEN, "", "7", told),
        ),
    )
    wrote(parts, ProfileKey("user", BEN), "", told)
    report = forgotten(parts, mentions=True)
    assert report.clean and report.mentions == () and left(parts, 3) == ["j1-0:0", "j2-0:0"]
    assert summary(parts, ProfileKey("user", BEN)) == [told]


def test_what_a_sender_without_a_name_told_of_a_namesake_stays(parts: Parts) -> None:
    told = "Ann is my sister"
    filed(parts, (Said(ANN, "Ann", "7", "Ann lives in Leeds"),))
    fields = {
        "request_type": "group",
        "group_id": "7",
        "user_id": CLEO,
        "user_name": "Ann",
        "timezone": "UTC",
    }
    recent = [{"text": told, "sender_id": BEN}]
    more = {
        "new_info": ["Cleo lives in York"],
        "timestamp": "2026-02-21T17:00:00+08:00",
        "recent_messages": recent,
    }
    parts.queue.put(parse_job({"request_id": "wait", **fields, **more}))
    wrote(parts, ProfileKey("user", BEN), "", told)
    report = forgotten(parts, mentions=True)
    assert report.clean and report.mentions == ()
    assert summary(parts, ProfileKey("user", BEN)) == [told]


def test_a_report_shows_no_text_that_was_found_for_the_request_before(parts: Parts) -> None:
    told = "Ann sings with Cleo"
    filed(parts, (Said(ANN, "Ann", "7", "Ann lives in Leeds"), Said(BEN, "Ben", "7", told)))
    work = Forgetting(parts, None)
    work.requests.ask(ForgetRequest(Entity("user", ANN), NOW))
    assert [one.mention_texts for one in work.carry_out()] == [(told,)]
    resumed = ForgetRequest(Entity("user", CLEO), NOW, stage="erasing")
    parts.backend.erasure.keep_mentions(resumed.entity.key, [("events", "j1-0:0", digest(told))])
    work.requests.ask(resumed)
    assert [(one.mentions, one.mention_texts) for one in work.carry_out()] == [
        ((("events", "j1-0:0"),), ("",))
    ]


def test_a_line_of_an_article_that_was_found_with_its_list_mark_is_found_again(
    parts: Parts,
) -> None:
    key, told, entity = ArticleKey(BEN), "Omarius gave me a book", Entity("user", ANN)
    put_article(
        parts.article_stores.articles, key, Chapters(f"- {told}"), expected_revision=0, sources=[],
        now="2026-02-20T10:00:00+08:00", forgotten=lambda: False,
    )  # fmt: skip
    stored = ("articles and summaries", str(key), digest(f"- {told}"))
    parts.backend.erasure.keep_mentions(entity.key, [stored])
    report = forgotten(parts)
    assert report.mentions == ((stored[:2]),) and report.mention_texts == (told,)


def test_a_plain_summary_of_a_former_version_goes_by_the_time_of_its_job(parts: Parts) -> None:
    filed(parts, (Said(ANN, "Ann", "7", "Ann lives in Leeds"),))
    at = datetime.fromtimestamp(NOW - 100, UTC).isoformat()
    theirs = {"timestamp": at, "text": "Ann lives in Leeds"}
    others = {**theirs, "timestamp": "2026-01-01T10:00:00+08:00", "text": "Ben rows"}
    parts.backend.plain_summaries.restore([("g:7", theirs), ("g:7", others)])
    assert forgotten(parts).clean
    assert list(parts.backend.plain_summaries.entries()) == [("g:7", others)]


def test_a_former_name_of_another_person_hides_no_mention(parts: Parts) -> None:
    told = "lent Omarius a bike"
    filed(
        parts,
        (
            Said(ANN, "Omarius", "7", "Omarius lives in Leeds"),
            Said(CLEO, "Ali", "8", "rows"),
            Said(BEN, "Ben", "8", "sings"),
        ),
    )
    for revision, name in enumerate(("Omarius", "Ali")):
        profile = profile_of(ProfileKey("user", CLEO), "- likes tea", name=name)
        now = "2026-02-20T10:00:00+08:00"
        job_id = f"c{revision}-0"
        parts.profiles.write(profile, expected_revision=revision, job_id=job_id, now=now)
    wrote(parts, ProfileKey("user", BEN), "Ben", told)
    assert forgotten(parts).mention_texts == (told,)


def test_a_waiting_state_without_a_name_gives_no_name(parts: Parts) -> None:
    told = "None of the cats came home"
    states = {"states": [{"role": "user", "text": "hi there everyone"}]}
    fields = {
        "request_type": "private",
        "timezone": "UTC",
        "timestamp": "2026-02-21T17:30:00+08:00",
    }
    parts.queue.put(
        parse_job(
            {"request_id": "r1", "kind": "states", "user_id": ANN, "payload": states, **fields}
        )
    )
    parts.queue.put(parse_job({"request_id": "r2", "user_id": BEN, "new_info": [told], **fields}))
    assert forgotten(parts, mentions=True).mentions == ()
    assert [job.new_info for job in parts.queue.jobs("pending")] == [[told]]


def test_a_report_after_an_error_shows_the_texts_that_were_found_before(parts: Parts) -> None:
    told = "Ann sings with Cleo"
    filed(parts, (Said(ANN, "Ann", "7", "Ann lives in Leeds"), Said(BEN, "Ben", "7", told)))
    steps: list[str] = []

    def fail_once(step: str) -> None:
        steps.append(step)
        if step == "compacted" and steps.count(step) == 1:
            raise StorageError("the disk is full")

    work = Forgetting(parts, None, on_step=fail_once)
    work.requests.ask(ForgetRequest(Entity("user", ANN), NOW))
    with pytest.raises(StorageError):
        work.carry_out()
    assert [one.mention_texts for one in work.carry_out()] == [(told,)]


def test_messages_of_others_that_name_the_person_by_id_or_name_go_and_their_own_stay(
    parts: Parts,
) -> None:
    def said(name: str, text: str, who: str = BEN, **more: Any) -> list[Any]:
        values = {"kind": "message", "source": "message", "role": "user", "said_by": who, **more}
        return [
            make_event(
                name,
                text=text,
                user_id=who,
                user_name={ANN: "Ann", BEN: "Ben"}[who],
                timestamp=NOW,
                **values,
            )
        ]

    parts.events.file_messages(
        [
            said("m-1", "I am Ann, hello", ANN),
            said("m-2", "thanks Ann"),
            said("m-3", "Annie was late", people=(f"0:5:{ANN}",)),
            said("m-4", "I was late", people=(f"0:1:{BEN}",)),
            said("m-5", f"[CQ:at,qq={ANN}] well?"),
            said("m-6", "Annie was late too"),
        ]
    )
    every = [("events", f"m-{n}:0") for n in (2, 3, 5)]
    assert sorted(forgotten(parts).mentions) == every
    assert sorted(forgotten(parts, mentions=True).mentions) == every
    stays = parts.events.find(EventFilter(None), newest_first=False)
    assert [event.event_id for event in stays] == ["m-4:0", "m-6:0"]
    assert parts.events.file_messages([said("m-2", "thanks Ann"), said("m-5", "well?")]) == [], (
        "nor edited"
    )


async def test_after_forgetting_another_person_still_knows_their_allergy(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path, bot_name="Clio"), worker=True) as (memory, _):
        for user, name in ((ANN, "Ann"), (BEN, "Ben")):
            await memory.remember(
                [{"role": "user", "content": "I'm allergic to peanuts", "sender_id": user, "name": name}],
                scope=Scope.group("7", user), user_name=name,
            )  # fmt: skip
            await memory.flush()
            assert await memory.settled(30)
        report = await memory.forget_user(ANN, mentions=True)
        assert report.clean and report.mentions == ()
        found = await memory.search_events("allergic to peanuts", Scope.group("7", BEN))
        assert [hit.event.said for hit in found] == ["Ben: I'm allergic to peanuts"]
        assert all(hit.event.user_id == BEN for hit in found)
    assert not any(
        b"Ann: I'm allergic" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )
