from typing import Any

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import InvalidInput
from historian.schema.job import parse_job
from historian.schema.scope import (
    SHARED_NOTES,
    LayerRule,
    Scope,
    layer_written,
    layers_read,
    notes_scope,
    scope_of_key,
)
from hypothesis import given
from hypothesis import strategies as st

AT = {"timestamp": "2026-02-21T17:30:00+08:00", "timezone": "UTC"}

rules = st.sampled_from(["private_separate", "per_group", "shared"])
ids = st.sampled_from(["1", "2", "3"])
scopes = st.one_of(st.builds(Scope.private, ids), st.builds(Scope.group, ids, ids))


def test_a_key_leads_back_to_its_scope() -> None:
    for scope in (Scope.group("100"), Scope.private("qq:7")):
        assert scope_of_key(scope.key) == scope
    for key in ("", "g:", "x:1", "family", "p:historian:shared-notes"):
        assert scope_of_key(key) is None


def test_a_group_and_a_private_chat_with_the_same_id_are_different_scopes() -> None:
    assert Scope.group("7").key == "g:7"
    assert Scope.private("7").key == "p:7"


def test_who_speaks_in_a_group_does_not_narrow_its_scope() -> None:
    assert Scope.group("7", "1").key == Scope.group("7", "2").key == Scope.group(7).key


def test_a_group_scope_needs_a_group() -> None:
    with pytest.raises(InvalidInput, match="group_id"):
        Scope("group", "1")


def test_a_private_scope_needs_a_user() -> None:
    with pytest.raises(InvalidInput, match="user_id"):
        Scope("private")


@pytest.mark.parametrize("no_id", [None, True, 1001.0, "", [], b"7"])
def test_what_is_no_id_makes_no_scope_that_all_would_share(no_id: Any) -> None:
    for make in (Scope.private, Scope.group, lambda one: Scope.group("7", one or 0.5)):
        with pytest.raises(InvalidInput, match="_id"):
            make(no_id)
    assert Scope.group(7, None) == Scope.group("7") and Scope.private(7).key == "p:7"


def test_a_private_scope_takes_no_group() -> None:
    with pytest.raises(InvalidInput, match="group_id: '7' given for a private chat"):
        Scope("private", "1", "7")


def test_another_kind_of_conversation_is_refused() -> None:
    with pytest.raises(InvalidInput, match="request_type: 'channel'"):
        Scope("channel", "1")  # type: ignore[arg-type]


@given(scopes, rules, ids)
def test_a_user_fact_learnt_in_private_is_read_nowhere_else_unless_layers_are_shared(
    reader: Scope, rule: LayerRule, user_id: str
) -> None:
    layer = layer_written(Scope.private(user_id), "user", rule)
    may_read = layer in layers_read(reader, "user", user_id, rule, has_spoken=True)
    if rule == "shared":
        assert may_read
        assert (layer in layers_read(reader, "user", user_id, rule)) == (reader.user_id == user_id)
    else:
        assert may_read == (reader.request_type == "private" and reader.user_id == user_id)


@given(scopes, rules, ids, ids)
def test_a_user_fact_learnt_in_a_group_is_read_as_the_rule_says(
    reader: Scope, rule: LayerRule, user_id: str, group_id: str
) -> None:
    layer = layer_written(Scope.group(group_id, user_id), "user", rule)
    may_read = layer in layers_read(reader, "user", user_id, rule, has_spoken=True)
    if rule == "per_group":
        assert may_read == (reader.key == f"g:{group_id}")
    else:
        assert may_read
        assert (layer in layers_read(reader, "user", user_id, rule)) == (reader.user_id == user_id)


@given(scopes, rules, ids)
def test_the_profile_of_a_group_is_read_in_that_group_alone(
    reader: Scope, rule: LayerRule, group_id: str
) -> None:
    layer = layer_written(Scope.group(group_id, "1"), "group", rule)
    assert (layer in layers_read(reader, "group", group_id, rule)) == (
        reader.key == f"g:{group_id}"
    )


@given(scopes, rules, ids)
def test_what_is_written_in_a_conversation_is_read_in_it_again(
    scope: Scope, rule: LayerRule, group_id: str
) -> None:
    if scope.user_id:
        assert layer_written(scope, "user", rule) in layers_read(scope, "user", scope.user_id, rule)


def test_the_most_general_layer_comes_first() -> None:
    assert layers_read(Scope.private("1"), "user", "1", "private_separate") == ("", "private")


def test_the_id_of_shared_notes_is_no_users() -> None:
    reserved = SHARED_NOTES.user_id
    for make in (
        lambda: Scope.private(reserved),
        lambda: Scope.group("7", reserved),
        lambda: notes_scope(f"user:{reserved}"),
        lambda: parse_job(
            {"request_id": "r", "request_type": "private", "user_id": reserved, **AT}
        ),
        lambda: parse_job(
            {
                "request_id": "r",
                "request_type": "group",
                "group_id": "7",
                "sender_id": reserved,
                **AT,
            }
        ),
    ):
        with pytest.raises(
            InvalidInput, match="user_id: 'historian:shared-notes' is reserved; for shared notes"
        ):
            make()
    assert notes_scope("") == SHARED_NOTES == Entity("user", reserved).scope
