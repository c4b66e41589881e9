import json
from typing import Any

import pytest
from support.command import historian

AT = {"timestamp": "2026-02-21T17:30:00+08:00", "timezone": "Asia/Shanghai"}


def ask(command: str, *lines: Any) -> Any:
    text = "\n".join(
        line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines
    )
    return historian(command, "--json", stdin=text + "\n")


def test_the_gate_answers_every_line_with_violations_and_notes() -> None:
    called = ask("gate", {"text": "我昨天在这里"}, {"text": "吉他在本地部署，《今天》"})
    assert called.status == 0
    first, second = called.lines
    assert [
        (one["kind"], one["text"], one["start"], one["end"]) for one in first["violations"]
    ] == [
        ("pronoun", "我", 0, 1),
        ("time", "昨天", 1, 3),
        ("place", "这里", 4, 6),
    ]
    assert set(first) == set(second) == {"violations", "notes"}
    assert set(first["violations"][0]) == {"kind", "text", "start", "end"}
    assert second == {"violations": [], "notes": []}


def test_the_gate_reports_a_pronoun_with_several_antecedents_as_a_note() -> None:
    (answer,) = ask("gate", {"text": "Tom met Jack when he laughed"}).lines
    assert answer["violations"] == []
    assert [one["text"] for one in answer["notes"]] == ["he"]


def test_the_names_of_a_line_count_as_persons() -> None:
    (answer,) = ask("gate", {"text": "阿明说他喜欢茶", "user_name": "阿明"}).lines
    assert answer["violations"] == []


def test_absolutize_resolves_times_and_writes_names() -> None:
    line = {"text": "我昨天给他讲了《今天》", **AT, "bot_name": "小史", "user_name": "阿明"}
    called = ask("absolutize", line)
    assert called.status == 0
    (answer,) = called.lines
    assert set(answer) == {"text", "resolved", "is_absolute", "violations"}
    assert answer["text"] == "小史2026-02-20给阿明讲了《今天》"
    assert answer["is_absolute"] is True
    assert answer["violations"] == []
    assert answer["resolved"] == [
        {"text": "昨天", "start": 1, "end": 3, "value": "2026-02-20", "until": "2026-02-20"}
    ]


def test_the_time_zone_decides_which_day_it_is() -> None:
    late = {"text": "他明天来", "timestamp": "2026-02-21T23:30:00+00:00", "user_name": "阿明"}
    shanghai, utc = ask(
        "absolutize", {**late, "timezone": "Asia/Shanghai"}, {**late, "timezone": "UTC"}
    ).lines
    assert "2026-02-23" in shanghai["text"]
    assert "2026-02-22" in utc["text"]


def test_every_optional_key_may_be_missing_or_null() -> None:
    called = ask(
        "absolutize",
        {"text": "阿明喜欢茶"},
        {"text": "阿明喜欢茶", "timestamp": None, "timezone": None, "user_id": 42},
    )
    assert called.status == 0
    assert [answer["text"] for answer in called.lines] == ["阿明喜欢茶"] * 2


def test_what_stays_relative_is_told() -> None:
    (answer,) = ask("absolutize", {"text": "听说他们和那边谈好了", **AT}).lines
    assert answer["is_absolute"] is False
    assert {one["text"] for one in answer["violations"]} == {"他们", "那边"}


@pytest.mark.parametrize("command", ["gate", "absolutize"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "line 1: not JSON"),
        ("[1]", "line 1: expected one JSON object"),
        ('{"text": 5}', "text: Input should be a valid string"),
        ("{}", "text: Field required"),
        ('{"text": "x", "language": "fr"}', "language: Input should be 'auto', 'zh' or 'en'"),
        ('{"text": "x", "others": "Ann"}', "others: Input should be a valid tuple"),
        ('{"text": "x", "user_name": ["a"]}', "user_name: Input should be a valid string"),
    ],
)
def test_a_wrong_line_is_answered_with_an_error_and_the_filter_goes_on(
    command: str, line: str, message: str
) -> None:
    called = ask(command, line, {"text": "阿明喜欢茶"})
    wrong, right = called.lines
    assert wrong["error"].startswith(message)
    assert "error" not in right
    assert called.status == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"timestamp": "2026-02-21T17:30:00"}, "timestamp: 2026-02-21T17:30:00 has no UTC offset"),
        ({"timestamp": "0001-01-01T00:00:00+14:00"}, "timestamp: "),
        ({"timezone": "Mars/Olympus"}, "timezone: 'Mars/Olympus' is not an IANA time zone"),
        ({"item": "both"}, "item: Input should be 'action' or 'fact'"),
    ],
)
def test_a_wrong_time_or_item_is_named(changes: dict[str, str], message: str) -> None:
    called = ask("absolutize", {"text": "昨天", **AT, **changes})
    assert called.lines[0]["error"].startswith(message)


def test_bytes_that_are_not_utf_8_are_one_wrong_line() -> None:
    called = historian("gate", "--json", stdin=b'{"text": "\xff"}\n{"text": "Ann sings"}\n')
    assert "not UTF-8" in called.lines[0]["error"]
    assert called.lines[1] == {"violations": [], "notes": []}
    assert called.status == 1


def test_blank_lines_are_passed_over_and_a_byte_order_mark_is_no_text() -> None:
    called = historian("gate", "--json", stdin=b'\xef\xbb\xbf{"text": "ok"}\n\n \n{"text": "ok"}')
    assert called.status == 0
    assert len(called.lines) == 2


def test_a_text_with_a_lone_surrogate_is_answered() -> None:
    called = historian("absolutize", "--json", stdin=json.dumps({"text": "a\ud800b", **AT}) + "\n")
    assert called.status == 0
    assert called.lines[0]["text"].startswith("a")


@pytest.mark.parametrize("command", ["gate", "absolutize"])
def test_keys_of_the_program_itself_are_passed_over(command: str) -> None:
    assert ask(command, {"text": "阿明喜欢茶", "id": 7, "label": None}).status == 0


def test_texts_may_come_as_arguments() -> None:
    called = historian("gate", "--json", "我来了", "小林唱歌")
    assert [len(answer["violations"]) for answer in called.lines] == [1, 0]


def test_people_see_what_was_replaced_and_what_is_wrong() -> None:
    options = ["--timestamp", AT["timestamp"], "--timezone", "Asia/Shanghai", "--user-name", "阿明"]
    called = historian("absolutize", "我昨天到了那边", *options)
    assert called.status == 0
    assert "我昨天到了那边" in called.out
    assert "阿明2026-02-20到了那边" in called.out
    assert "昨天 = 2026-02-20" in called.out
    assert '"那边" does not say where' in called.out


def test_people_may_pipe_plain_lines() -> None:
    called = historian("gate", stdin="我来了\n小林唱歌\n")
    assert called.status == 0
    assert "✗ 我来了" in called.out
    assert "✓ 小林唱歌" in called.out


def test_markup_in_a_text_stays_text() -> None:
    assert "[bold]x[/bold] [/red] :smile:" in historian("gate", "[bold]x[/bold] [/red] :smile:").out
