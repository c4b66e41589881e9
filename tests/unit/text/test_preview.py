"""Bounded texts of anything."""

from __future__ import annotations

import asyncio
from array import array
from collections import UserDict, UserList, deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from historian.text.preview import DEFAULT_CHARACTERS, MARGIN, preview_text, snapshot
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from support.floor import floor, quickest

KEY = "sk-" + "proj-" + "aB3dE6gH9" * 6
SHORT = 200


def safe_preview(value: object, max_characters: int = DEFAULT_CHARACTERS) -> str:
    """Take both steps at once, as an observation takes them one after the other."""
    return preview_text(snapshot(value, max_characters), max_characters)


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Rude(UserDict[str, int]):
    def items(self) -> Iterator[tuple[str, int]]:  # type: ignore[override]
        raise OSError("gone")


class Dumb(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


@dataclass
class Login:
    user: str
    password: str


class Account(BaseModel):
    name: str
    api_key: str


def test_strings_stand_as_they_are_and_the_rest_as_json() -> None:
    assert safe_preview("你好") == "你好"
    assert (
        safe_preview({"q": "天气", "n": [1, 2.5, None, True]})
        == '{"q": "天气", "n": [1, 2.5, null, true]}'
    )
    assert safe_preview(None) == "null"
    assert safe_preview({1: "a", None: "b"}) == '{"1": "a", "None": "b"}'


def test_bytes_are_counted() -> None:
    assert safe_preview(memoryview(b"abc")) == "[3 bytes]"
    assert safe_preview({"body": "汉字".encode()}) == '{"body": "[6 bytes]"}'


def test_what_cannot_be_asked_is_named_by_its_class() -> None:
    assert safe_preview(Mute()) == "[unreadable Mute]"
    assert safe_preview({"a": Mute(), "b": 1}) == '{"a": "[unreadable Mute]", "b": 1}'
    assert safe_preview(Rude()) == "[unreadable Rude]"
    assert safe_preview(Dumb()) == '{"Dumb": []}'


def test_cycles_and_depths_end() -> None:
    circle: list[object] = [1]
    circle.append({"self": circle})
    assert safe_preview(circle) == '[1, {"self": "[cycle]"}]'
    deep: object = "leaf"
    for _ in range(100_000):
        deep = [deep]
    assert len(safe_preview(deep)) < 100


def test_fields_of_dataclasses_and_models_keep_their_names_so_that_secrets_go_by_them() -> None:
    assert (
        safe_preview(Login("ann", "hunter"))
        == '{"Login": {"user": "ann", "password": "[PASSWORD]"}}'
    )
    assert "abcdef123456" not in safe_preview(Account(name="x", api_key="abcdef" + "123456"))
    assert safe_preview({"fields": [{"name": "password", "value": "tulip"}]}) == (
        '{"fields": [{"name": "password", "value": "[PASSWORD]"}]}'
    )


@pytest.mark.parametrize(
    "value",
    [
        "字" * 10_000_000,
        b"x" * 10_000_000,
        {"k": "x" * 10_000_000},
        list(range(1_000_000)),
        {str(n): n for n in range(100_000)},
        ["y" * 1000] * 10_000,
        ValueError("z" * 10_000_000),
        10**100_000,
        "\ud800" * 50_000,
    ],
    ids=[
        "string",
        "bytes",
        "in a dict",
        "list",
        "large dict",
        "list of strings",
        "exception",
        "number",
        "surrogates",
    ],
)
def test_what_is_large_becomes_bounded(value: object) -> None:
    text = safe_preview(value, 1_000)
    assert len(text) <= 1_100
    text.encode()


def test_a_snapshot_of_ten_megabytes_takes_no_time_and_keeps_no_reference() -> None:
    text = "x" * 10_000_000
    assert quickest(lambda: snapshot({"result": text}, 1_000), 50) < 10 * floor(2_000)
    copy = snapshot({"result": text}, 1_000)
    assert isinstance(copy, dict)
    assert 1_000 < len(copy["result"]) <= 1_000 + MARGIN


MANY = ["x" * 100] * 100_000
FIELDS_OF_MANY = dict.fromkeys(range(100_000), "x" * 100)


class Text(str):
    """A text that is more than a text."""


@pytest.mark.parametrize(
    "value",
    [
        array("d", [1.5]) * 1_250_000,
        FIELDS_OF_MANY.items(),
        FIELDS_OF_MANY.values(),
        FIELDS_OF_MANY.keys(),
        deque(MANY),
        UserList(MANY),
        Text("x" * 10_000_000),
        SimpleNamespace(pages=MANY),
        ValueError(MANY),
        ValueError("x" * 10_000_000),
        ValueError("page", "x" * 10_000_000),
        KeyError("x" * 10_000_000),
        OSError(2, "no such file", "x" * 10_000_000),
        RuntimeError(ValueError(MANY)),
        {tuple(MANY): 1},
        {frozenset(map(str, range(100_000))): 1},
        {b"x" * 10_000_000: 1},
        {Text("x" * 10_000_000): 1},
        {10**100_000: 1},
        [{"rows": FIELDS_OF_MANY.items()}],
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_built_in_value_is_looked_into_further_than_is_shown(value: object) -> None:
    taken = quickest(lambda: snapshot(value), 5)
    assert taken < 30 * floor(2_000), "a copy of 8,000 characters, whatever lies behind it"
    text = preview_text(snapshot(value))
    assert len(text) <= 8_100
    assert "unreadable" not in text


def test_what_holds_items_is_shown_by_its_items() -> None:
    assert safe_preview(deque([1, "a"])) == '[1, "a"]'
    assert safe_preview({"a": 1}.items()) == '[["a", 1]]'
    assert safe_preview({"a": 1}.keys()) == '["a"]'
    assert safe_preview(array("i", [1, 2])) == "[1, 2]"
    assert (
        safe_preview(SimpleNamespace(password="tulip"))
        == '{"SimpleNamespace": {"password": "[PASSWORD]"}}'
    )
    assert (
        safe_preview({("a", 1): "b", 10**200: "c"}) == '{"[tuple]": "b", "[int of 665 bits]": "c"}'
    )


def test_exceptions_are_shown_by_class_and_message_or_arguments() -> None:
    assert safe_preview(KeyError("lake")) == "KeyError: lake"
    assert safe_preview(ValueError("w" * 300), SHORT).startswith('{"ValueError": ["www')
    assert safe_preview(OSError(2, "no such file")) == '{"FileNotFoundError": [2, "no such file"]}'
    assert safe_preview(ValueError()) == '{"ValueError": []}'
    assert (
        safe_preview(ValueError({"password": "tulip"}))
        == '{"ValueError": [{"password": "[PASSWORD]"}]}'
    )


@pytest.mark.parametrize("shift", range(0, len(KEY) + 8, 5))
def test_no_secret_is_cut_in_two_in_an_exception_or_a_key(shift: int) -> None:
    text = "w " * ((SHORT - shift) // 2) + KEY + " end" * 2_000
    for value in (
        ValueError(text),
        KeyError("page", text),
        {text: 2},
        {text.encode(): 2},
        deque([text]),
    ):
        assert KEY[:12] not in safe_preview(value, SHORT)


@pytest.mark.parametrize(
    "error", [SystemExit, GeneratorExit, RecursionError, asyncio.CancelledError]
)
def test_an_object_that_wants_the_program_to_end_when_it_is_shown_ends_nothing(
    error: type[BaseException],
) -> None:
    class Leaving(Exception):
        def __repr__(self) -> str:
            raise error

        __str__ = __repr__

    class Left:
        __repr__ = Leaving.__repr__

    assert safe_preview(Left()) == "[unreadable Left]"
    assert safe_preview({"a": [Left()], Left(): 1}) == '{"a": ["[unreadable Left]"], "[Left]": 1}'
    assert safe_preview([{"a": {"b": Left()}}]) == '[{"a": {"b": "[unreadable Left]"}}]'
    assert safe_preview(Leaving("x")) == "Leaving: x"


def test_the_users_own_interrupt_goes_through() -> None:
    class Slow:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    for value in (Slow(), [Slow()], {"a": {"b": Slow()}}):
        with pytest.raises(KeyboardInterrupt):
            snapshot(value)


def test_a_snapshot_does_not_change_with_what_it_was_made_of() -> None:
    given_value = {"a": [1]}
    copy = snapshot(given_value)
    given_value["a"].append(2)
    assert preview_text(copy) == '{"a": [1]}'


@pytest.mark.parametrize("shift", range(0, len(KEY) + 8, 3))
def test_no_secret_is_cut_in_two_before_it_is_recognised(shift: int) -> None:
    text = "w " * ((SHORT - shift) // 2) + KEY + " end" * 2_000
    for shown in (
        safe_preview(text, SHORT),
        safe_preview({"out": text}, SHORT),
        safe_preview(text.encode(), SHORT),
    ):
        assert KEY[:12] not in shown
        assert len(shown) <= SHORT + 80


def test_the_end_says_how_much_is_missing() -> None:
    assert safe_preview("a" * 300, 100) == "a" * 100 + "… (200 more characters)"
    assert safe_preview(list(range(700))).endswith('499, "… (200 more)"]')


PLAIN = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text() | st.integers(), inner)
        | st.tuples(inner, inner)
    ),
    max_leaves=30,
)


@given(PLAIN)
def test_any_value_becomes_text_that_can_be_stored(value: object) -> None:
    safe_preview(value, SHORT).encode("utf-8")
