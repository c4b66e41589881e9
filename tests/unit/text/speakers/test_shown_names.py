"""Names that do not tell who is meant are shown with the id of who bears them; what somebody claims or orders is their words."""

from typing import Any

import pytest
from historian.schema.job import Job, parse_job
from historian.schema.names import Names
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from historian.text.speakers.claims import as_said, is_claim, without_speaker
from historian.text.speakers.shown_names import shared_name_in, shared_names, with_ids
from historian.text.statements import gives_orders
from support.tables import cases


def job(name: str, *others: tuple[str, str], **more: Any) -> Job:
    given = {
        "request_id": "r", "request_type": "group", "group_id": "7", "user_id": "42", "user_name": name, "bot_id": "900",
        "bot_name": "Clio", "group_name": "Book Club", "timestamp": "2026-02-20T17:30:00+08:00", "timezone": "UTC",
        "recent_messages": [{"sender_id": who, "sender_name": called, "text": "hi"} for who, called in others],
    }  # fmt: skip
    return parse_job({**given, **more})


@pytest.mark.parametrize(
    "name",
    [
        "Ann",
        "小安",
        "Al",
        "Allen",
        "Evert",
        "Bookworm",
        "Clionadh",
        "Grouper",
        "大佬",
        "群星",
        "Tom (work)",
        "Everly",
        "member",
        "",
    ],
)
def test_a_name_of_its_own_stays_as_it_is(name: str) -> None:
    given = job(name, ("43", "Ben"), ("900", "Clio"), ("", name), ("42", name))
    assert with_ids(given) == given and not any(shared_names(given).values())


def test_the_bot_keeps_its_name_and_who_is_called_like_it_does_not() -> None:
    given = with_ids(job("Clio", ("900", "Clio"), ("43", "clio")))
    assert (given.user_name, [one.sender_name for one in given.recent_messages]) == (
        "Clio (42)",
        ["Clio", "clio (43)"],
    )
    assert with_ids(given) == given and [
        one for one, is_shared in shared_names(given).items() if is_shared
    ] == ["Clio", "clio"]


def test_who_bears_the_name_of_another_member_is_shown_with_the_id_of_each() -> None:
    given = with_ids(job("Ann", ("43", "ann"), ("44", "Ben")))
    assert (given.user_name, [one.sender_name for one in given.recent_messages]) == (
        "Ann (42)",
        ["ann (43)", "Ben"],
    )


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (("Grace L", "Grace P"), "Grace lives in Leeds", "Grace"), (("Grace L", "Grace P"), "Grace P lives in Leeds", ""),
        (("Noor", "Noor A."), "Noor lives in Leeds", "Noor"), (("Noor", "Noor A."), "Noor A. lives in Leeds", ""),
        (("wee_davie", "Big Davie"), "Davie lives in Leeds", "Davie"), (("The Cat", "The Dog"), "The sun shines", ""),
        (("Grace L", "Ben"), "Grace lives in Leeds", ""),
    ],
)  # fmt: skip
def test_a_word_of_the_names_of_two_tells_nobody(
    names: tuple[str, str], text: str, found: str
) -> None:
    given = with_ids(job(names[0], ("43", names[1])))
    assert shared_name_in(text, shared_names(given)) == found
    assert with_ids(given) == given and (given.user_name == "Noor (42)") is (names[0] == "Noor")


def test_the_id_behind_a_name_is_never_cut() -> None:
    assert with_ids(job("Clio" + "o" * 300, bot_name="Clio")).user_name.endswith("o")
    assert with_ids(job("小史" + "啊" * 300, bot_name="小史")).user_name.endswith("啊 (42)")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Clio lives in Leeds", "Clio"), ("Clio (42) lives in Leeds", ""), ("Clionadh lives in Leeds", ""),
        ("everyone agreed", ""),
    ],
)  # fmt: skip
def test_a_shared_name_without_an_id_tells_nobody(text: str, found: str) -> None:
    assert shared_name_in(text, {"Clio": True, "Clionadh": False}) == found
    assert shared_name_in("Everyone agreed", {"all": True}) == "Everyone"


@pytest.mark.parametrize("case", cases("text/claims"))
def test_a_claim_is_about_another_subject_than_its_speaker(case: dict[str, str]) -> None:
    names = Names("Clio", "Ann", "42", "Book Club", "7", others=("Bob",))
    assert is_claim(case["text"], names) is (case["claim"] == "yes")


@pytest.mark.parametrize("case", cases("text/orders"))
def test_an_order_to_the_memory_is_told_from_what_is_told_of_people(case: dict[str, str]) -> None:
    assert gives_orders(case["text"]) is (case["order"] == "yes")


BEN_SPOKE = [
    {"sender_id": "42", "sender_name": "Ann", "text": "hello"},
    {"sender_id": "43", "sender_name": "Ben", "text": "hi"},
]


@pytest.mark.parametrize(
    ("fact", "messages", "filed", "passed"),
    [
        ("Ben owes Ann 5 dollars", [], "Ann said: Ben owes Ann 5 dollars", True),
        ("Ben owes Ann 5 dollars", BEN_SPOKE, "Ben owes Ann 5 dollars", False),
        ("Ben is vegetarian", BEN_SPOKE, "Ben is vegetarian", True),
        (
            "Everyone agreed that Ann decides",
            [],
            "Ann said: Everyone in Book Club agreed that Ann decides",
            True,
        ),
        ("Book Club meets on Fridays", [], "Book Club meets on Fridays", True),
        ("The group rule is no spoilers", BEN_SPOKE, "Book Club's rule is no spoilers", True),
    ],
)
def test_of_a_hand_over_it_is_known_or_told_whose_claim_it_is(
    fact: str, messages: Any, filed: str, passed: bool
) -> None:
    (item,) = by_rules(with_ids(job("Ann", new_info=[fact], recent_messages=messages)), Settings())
    assert (item["candidate"], item["passed"]) == (filed, passed)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_head_of_a_claim_can_be_taken_off_again(language: Any) -> None:
    assert without_speaker(as_said("Bob owes me", "Ann", language), "Ann") == "Bob owes me"
    assert without_speaker("Ann said hello", "Ann") == "Ann said hello"
