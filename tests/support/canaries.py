"""A data directory with a marked text of every kind, of one user, of their group and of somebody else."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

from historian.schema.correction import Correction, CorrectionRecord
from historian.schema.event import Event
from historian.schema.job import Job, parse_job
from historian.schema.profile import ProfileKey, ProfileLine
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.schema.summary import ArticleKey, Spoken, Summary
from historian.service.components import Parts, open_parts
from historian.service.running.ownership import owned_worker
from historian.service.upkeep.notes_index import NotesIndex
from historian.stores.files.markdown_memory import MarkdownMemory
from historian.stores.tables.events.shadow_vectors import Lacking
from historian.text.search_words import indexed_words
from langgraph.checkpoint.base import empty_checkpoint
from profiles import profile_of
from support.articles import Chapters, put_article
from support.events import make_event
from support.queue_rows import put_broken
from support.recall import NOW, WordEmbedder

USER, OTHER, GROUP = "13801", "13802", "77001"
MENTIONING = ArticleKey(OTHER, "77002")
"""Whose memory, in which conversation, speaks of the user."""
MODEL = WordEmbedder()


def canary(kind: str, whose: str) -> str:
    """A text that stands nowhere else: `whose` is `user`, `group` or `other`."""
    marks = {"user": "紫色的鲸鱼", "group": "银杏树下的钟", "other": "石板路上的灯"}
    return f"{marks[whose]}在{kind}里第{sum(map(ord, kind + whose))}次唱起歌来 – “{kind}/{whose}” {marks[whose]}"


def canaries(whose: str) -> dict[str, str]:
    """The texts of `whose`, by the kind of thing that holds them."""
    kinds = {
        "user": (
            "event private", "event group", "long event", "observation", "summary", "edited", "profile", "profile before",
            "private layer", "group layer", "note", "pending", "new_info", "recent", "failed", "processing", "quarantined",
            "leftover", "checkpoint", "damaged checkpoint", "damaged summaries", "end summary",
            "end summary in group", "memory", "memory in group", "edit order", "article", "article before", "article in group",
            "dated summary", "promoted summary", "buffered", "buffered in group", "states", "failed states",
            "message", "answer", "tool message", "correction",
        ),
        "group": (
            "event", "profile", "pending", "layer of user", "end summary", "memory", "note", "article", "article before",
            "dated summary", "promoted summary", "buffered", "states", "message",
        ),
        "other": (
            "message", "event private", "event group", "profile", "profile before", "pending", "failed", "end summary", "memory",
            "article", "article before", "dated summary", "promoted summary", "buffered", "states", "correction",
        ),
    }[whose]  # fmt: skip
    return {kind: canary(kind, whose) for kind in kinds}


def settings_of(directory: Path, **stores: Any) -> Settings:
    return parse_settings(
        {"cognitive": {"data_dir": str(directory), "timezone": "Asia/Shanghai", "observation": {"chunk_max_tokens": 256}},
         "models": {"embedding": {"provider": "none"}}, "stores": stores},
        environ={}, base=directory,
    )  # fmt: skip


def opened(directory: Path, **stores: Any) -> Parts:
    """The parts of a memory in `directory`, or where the settings `stores` say."""
    settings = settings_of(directory, **stores)
    return open_parts(settings, clock=lambda: NOW)


def _job(request_id: str, *, user: str = USER, group: str | None = GROUP, **fields: Any) -> Job:
    where = {"request_type": "group", "group_id": group} if group else {"request_type": "private"}
    return parse_job(
        {"request_id": request_id, "user_id": user, "user_name": {USER: "林小满", OTHER: "周大年"}[user],
         "group_name": "钟楼读书会", "timestamp": "2026-02-21T17:00:00+08:00", "timezone": "Asia/Shanghai", **where, **fields}
    )  # fmt: skip


async def plant(directory: Path, notes: Path, **stores: Any) -> None:
    """Write everything into `directory`, whose notes lie in `notes`, or where `stores` says. There is no owner afterwards."""
    parts = opened(directory, **stores)
    mine, ours, theirs = canaries("user"), canaries("group"), canaries("other")
    _plant_events(parts, mine, ours, theirs)
    _plant_profiles(parts, mine, ours, theirs)
    _plant_corrections(parts, mine, theirs)
    for scope, text in ((Scope.private(USER), mine["note"]), (Scope.group(GROUP), ours["note"])):
        folder = notes / scope.key.replace(":", "-")
        folder.mkdir(parents=True)
        (folder / "note.md").write_text(f"# 笔记\n\n{text}\n", encoding="utf-8")
        os.utime(folder / "note.md", (NOW - 9000, NOW - 9000))
        await NotesIndex(parts.backend.manifest, parts.settings, lambda: NOW).run(folder, scope)
    with owned_worker(parts) as worker:  # fills Chroma
        await worker.run(drain=True)
    await _plant_checkpoint(parts, mine["checkpoint"])
    _plant_jobs(parts, mine, ours, theirs)
    _plant_plain(parts, mine, ours, theirs)
    if not stores:
        _plant_files(directory, mine)
    _plant_layers(parts, mine, ours, theirs)
    await parts.aclose()


def _plant_events(
    parts: Parts, mine: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> None:
    assert MODEL.dimension is not None
    parts.events.set_fingerprint(MODEL.model, MODEL.dimension)

    def file(job_id: str, text: str, user: str, group: str | None, **more: Any) -> None:
        event = make_event(
            job_id, 0, group=group, user_id=user, text=text, timestamp=NOW - 7200.0,
            user_name={USER: "林小满", OTHER: "周大年"}[user], **more,
        )  # fmt: skip
        assert parts.events.file_job(job_id, [event], [MODEL.vector(text)])

    file("u1-0", mine["event private"], USER, None)
    file("u2-0", mine["event group"], USER, GROUP)
    # Longer than a page of the database, which breaks it.
    file("u3-0", "".join(f"{mine['long event']}{n}" for n in range(60)), USER, "77002")
    file("u4-0", mine["edited"], USER, None)
    parts.events.edit("u4-0:0", "现在说的是别的事，和海边的风筝有关系", None)
    file("g1-0", ours["event"], OTHER, GROUP)
    file("o1-0", theirs["event private"], OTHER, None)
    file("o2-0", theirs["event group"], OTHER, "77002")
    file("o3-0", "周大年说林小满明天会带蛋糕来", OTHER, "77002")
    for source, kind in (("observation", "action"), ("summary", "fact")):
        event = make_event(
            f"{source}-1", 0, group=GROUP, user_id=USER, text=mine[source], source=source, kind=kind, timestamp=NOW - 5000.0
        )  # fmt: skip
        parts.events.file_new([event], [None])

    def said(
        name: str, text: str, user: str, group: str, role: str = "user", **more: Any
    ) -> list[Event]:
        return [
            make_event(
                name, 0, group=group, user_id=user, text=text, timestamp=NOW - 6000.0, kind="message", source="message",
                role=role, said_by=user if role == "user" else "", bot_name="小史", is_absolute=False,
                user_name={USER: "林小满", OTHER: "周大年"}[user], **more,
            )
        ]  # fmt: skip

    parts.events.file_messages(
        [
            said(
                "message-u1",
                mine["message"],
                USER,
                GROUP,
                message_id="501",
                times=("4:2026-02-22",),
            ),
            said(
                "message-u2",
                mine["answer"],
                USER,
                GROUP,
                "assistant",
                message_id="502",
                reply_to="501",
            ),
            said("message-u3", mine["tool message"], USER, "77002", "tool"),
            said("message-g1", ours["message"], OTHER, GROUP, reply_to="501"),
            said("message-o1", theirs["message"], OTHER, "77002", people=("0:2:13802",)),
        ]
    )
    parts.backend.shadow.begin("test:next", 4)
    items = [
        Lacking(one.row, one.event_id, one.text) for one in parts.backend.shadow.lacking(0, 100)
    ]
    parts.backend.shadow.store(items, [MODEL.vector(item.text)[:4] for item in items])


def _plant_corrections(parts: Parts, mine: dict[str, str], theirs: dict[str, str]) -> None:
    """Plant what was deleted and may be undone."""
    for user_id, texts in ((USER, mine), (OTHER, theirs)):
        line = ProfileLine("abc", texts["correction"])
        correction = Correction(
            f"c-{user_id}",
            "delete_line",
            "2026-02-20T10:00:00+00:00",
            ((ProfileKey("user", user_id), line),),
        )
        record = CorrectionRecord(
            correction, f"p:{user_id}", 2.0**40, entities=(f"user:{user_id}",)
        )
        parts.backend.corrections.put(record)


def _plant_profiles(
    parts: Parts, mine: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> None:
    for key, name, texts in (
        (ProfileKey("user", USER), "林小满", ("profile before", "profile")),
        (ProfileKey("user", USER, "private"), "林小满", ("private layer",)),
        (ProfileKey("user", USER, "g:77002"), "林小满", ("group layer",)),
        (ProfileKey("group", GROUP), "钟楼读书会", ("profile",)),
        (ProfileKey("user", OTHER, f"g:{GROUP}"), "周大年", ("layer of user",)),
        (ProfileKey("user", OTHER), "周大年", ("profile before", "profile")),
    ):
        whose = (
            mine
            if key.entity_id == USER
            else ours
            if key.entity_type == "group" or key.layer
            else theirs
        )
        for n, kind in enumerate(texts):
            extra = (
                "\n- 周大年常和林小满一起散步" if (whose is theirs and kind == "profile") else ""
            )
            profile = profile_of(key, f"- {whose[kind]}{extra}", name=name, tags=("planted",))
            written = parts.profiles.write(
                profile, expected_revision=n, job_id=f"p{n}-0", now="2026-02-20T10:00:00+08:00"
            )  # fmt: skip
            parts.backend.profile_index.put(written, MODEL.vector(profile.summary))
        parts.backend.shadow.store_profiles([written], [MODEL.vector(profile.summary)[:4]])


async def _plant_checkpoint(parts: Parts, text: str) -> None:
    async with parts.backend.open_checkpoints() as opened:
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"job": {"action_summary": text}}
        checkpoint["channel_versions"] = {"job": "1"}
        config: Any = {"configurable": {"thread_id": "gone-0", "checkpoint_ns": ""}}
        await opened.saver.aput(config, checkpoint, {"source": "input", "step": 0}, {"job": "1"})


def _plant_jobs(
    parts: Parts, mine: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> None:
    queue = parts.queue
    queue.put(_job("fail", action_summary=mine["failed"]))
    claimed = queue.claim(NOW)
    assert claimed is not None
    queue.fail(claimed.job_id, error=f"the model said no to {mine['failed']}", filed=False)
    queue.put(_states("fail-states", mine["failed states"], group=None))
    claimed = queue.claim(NOW)
    assert claimed is not None
    queue.fail(claimed.job_id, error="no", filed=True)
    queue.put(_job("fail-other", user=OTHER, group="77002", action_summary=theirs["failed"]))
    claimed = queue.claim(NOW)
    assert claimed is not None
    queue.fail(claimed.job_id, error="no", filed=False)
    queue.put(_job("busy", group=None, action_summary=mine["processing"]))
    assert queue.claim(NOW) is not None
    queue.put(_job("wait", group=None, action_summary=mine["pending"], new_info=[mine["new_info"]]))
    order = {"event_id": "u1-0:0", "text": mine["edit order"]}
    queue.put(
        parse_job(
            {"request_id": "order", "user_id": "operator", "request_type": "private", "kind": "edit", "payload": order,
             "timestamp": "2026-02-21T17:00:00+08:00", "timezone": "UTC"}
        )
    )  # fmt: skip
    recent = [{"sender_id": USER, "sender_name": "林小满", "text": mine["recent"]}]
    queue.put(
        _job(
            "wait-other",
            user=OTHER,
            group="77002",
            action_summary=theirs["pending"],
            recent_messages=recent,
        )
    )
    queue.put(_job("wait-group", user=OTHER, action_summary=ours["pending"]))


def _plant_files(directory: Path, mine: dict[str, str]) -> None:
    leftover = directory / "queues" / "pending" / ".tmp-dead-1-1"  # of a former version
    leftover.parent.mkdir(parents=True)
    leftover.write_text(mine["leftover"], encoding="utf-8")
    put_broken(directory, f'{{"user_id": "{USER}", "text": "{mine["quarantined"]}"')
    with sqlite3.connect(directory / "checkpoints.sqlite.damaged") as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("INSERT INTO t VALUES (?)", (mine["damaged checkpoint"],))
    (directory / "end_summaries.damaged.json").write_text(
        json.dumps([mine["damaged summaries"]]), encoding="ascii"
    )


def _plant_plain(
    parts: Parts, mine: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> None:
    summaries, memory = parts.backend.plain_summaries, MarkdownMemory(parts.directory / "MEMORY.md")
    for plain in (summaries.add, lambda jobs: [memory.add(job) for job in jobs]):
        kind = "end summary" if plain == summaries.add else "memory"
        at = "2026-02-21T16:00:00+08:00"
        plain([_job("s1", group=None, action_summary=mine[kind], timestamp=at)])
        text = mine["end summary in group" if kind == "end summary" else "memory in group"]
        # The moment of the event that was filed of it: a line does not say who spoke.
        plain(
            [_job("s2", group="77002", action_summary=text, timestamp="2026-02-21T15:30:00+08:00")]
        )
        plain([_job("s3", user=OTHER, action_summary=ours[kind], timestamp=at)])
        plain([_job("s4", user=OTHER, group="77002", action_summary=theirs[kind], timestamp=at)])


def _states(request_id: str, *texts: str, **more: Any) -> Job:
    """A job that hands states over; a text may begin with its speaker's name and a colon of full width."""
    spoken = [(text.rpartition("：")[2], text.rpartition("：")[0]) for text in texts]
    given = [{"role": "user", "text": text, "name": name} for text, name in spoken]
    return _job(request_id, kind="states", payload={"states": given}, **more)


def _plant_layers(
    parts: Parts, mine: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> None:
    for n, (key, texts) in enumerate(
        (
            (ArticleKey(USER), mine),
            (
                ArticleKey(USER, GROUP),
                {"article": mine["article in group"], "buffered": mine["buffered in group"]},
            ),
            (ArticleKey(OTHER, GROUP), ours),
            (MENTIONING, theirs),
        )
    ):
        _plant_memory(parts, n, key, texts, with_mentions=texts is theirs)
    parts.queue.put(_states("states", mine["states"], group=None))
    parts.queue.put(_states("states-group", ours["states"], user=OTHER))
    parts.queue.put(
        _states("states-other", theirs["states"], "林小满：明天见", user=OTHER, group="77002")
    )


def _plant_memory(
    parts: Parts, n: int, key: ArticleKey, texts: dict[str, str], *, with_mentions: bool
) -> None:
    """An article with one earlier revision, a summary of each kind, a state that waits, an embedded line."""
    stores, at = parts.article_stores, "2026-02-21T15:00:00+08:00"
    mention = "周大年和林小满约好去划船" if with_mentions else ""
    articles = [
        Chapters(bedrock=f"- {texts[kind]}")
        for kind in ("article before", "article")
        if kind in texts
    ]
    articles[-1] = replace(articles[-1], dynamic=f"- {mention}" if mention else "")
    for revision, article in enumerate(articles):
        put_article(stores.articles,
            key, article, expected_revision=revision, sources=[f"dated-{n}-{revision}"], now=at, forgotten=lambda: False
        )  # fmt: skip
    for number, kind in enumerate(("promoted summary", "dated summary")):
        if kind in texts:
            text = "\n".join(part for part in (texts[kind], mention) if part)
            made = Summary(
                f"dated-{n}-{number}",
                key,
                text,
                at,
                at,
                at,
                9,
                "rules",
                True,
                through=f"old{n}-0:{number}",
            )
            stores.summaries.add(made, forgotten=lambda: False)
    stores.summaries.mark_promoted(key, [f"dated-{n}-0"], at=at, into=1)
    spoken = [
        Spoken("user", texts["buffered"], "", at),
        *([Spoken("user", "明天下午见", "林小满", at)] if mention else []),
    ]
    job_id = f"buffered{n}-0"
    stores.buffer.add(
        key, job_id, [(f"{job_id}:{i}", one) for i, one in enumerate(spoken)], entities=[], at=NOW
    )


def forms_of(text: str) -> list[bytes]:
    """Return the thirds of a text: as it is, as JSON writes it, as words."""
    forms = (text.encode(), json.dumps(text)[1:-1].encode(), indexed_words(text)[1].encode())
    return [
        form[start : start + len(form) // 3]
        for form in forms
        for start in (0, len(form) // 3, 2 * len(form) // 3)
    ]


def places(directory: Path, text: str) -> list[str]:
    """The files in which `text` stands: as it is, as JSON writes it, as words. Plain `in`, a third of the text at a time."""
    parts = forms_of(text)
    found = []
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            found += (
                [path.relative_to(directory).as_posix()]
                if any(part in content for part in parts)
                else []
            )
    return found


def left_of(directory: Path, whose: str) -> dict[str, list[str]]:
    """Which canaries of `whose` still stand where."""
    return {
        kind: where for kind, text in canaries(whose).items() if (where := places(directory, text))
    }


def planted(directory: Path, notes: Path, **stores: Any) -> None:
    """`plant`, for code without an event loop."""
    asyncio.run(plant(directory, notes, **stores))
