import pytest
from historian.schema.errors import InvalidInput
from historian.schema.ids import MAX_ID_CHARACTERS, MAX_NAME_BYTES, encode_id, validate_id
from hypothesis import given
from hypothesis import strategies as st

printable_ids = st.text(
    st.characters(blacklist_categories=("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")),
    min_size=1,
    max_size=MAX_ID_CHARACTERS,
).filter(lambda value: value == value.strip())


@pytest.mark.parametrize(
    "value",
    ["../x", "-1001234", "@ann:matrix.org", "qq:42", "42", "阿明", "a b", "é", "..", "con", "🐱"],
)
def test_ids_of_real_platforms_and_hostile_ones_are_accepted(value: str) -> None:
    assert validate_id(value, "user_id") == value


def test_a_number_becomes_its_decimal_digits() -> None:
    assert validate_id(-1001234, "group_id") == "-1001234"


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        " 42",
        "42\n",
        "a\x00b",
        "a\x1bb",
        "a\u202eb",
        "a\u200bb",
        "a\ud800b",
        "x" * 129,
        None,
        True,
        1.5,
        ["42"],
    ],
)
def test_what_is_no_id_is_refused_with_the_name_of_the_field(value: object) -> None:
    with pytest.raises(InvalidInput, match="user_id: "):
        validate_id(value, "user_id")


def test_the_longest_id_is_accepted_and_one_more_character_is_not() -> None:
    assert validate_id("x" * MAX_ID_CHARACTERS, "user_id")
    with pytest.raises(InvalidInput, match="129 characters; at most 128"):
        validate_id("x" * (MAX_ID_CHARACTERS + 1), "user_id")


def test_an_unprintable_character_is_named_by_its_code_point() -> None:
    with pytest.raises(InvalidInput, match=r"U\+202E"):
        validate_id("a\u202eb", "user_id")


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        ("42", "42"),
        ("ann_b-c", "ann_b-c"),
        ("../x", "%2E%2E%2Fx"),
        ("Ann", "%41nn"),
        ("@a:b.org", "%40a%3Ab%2Eorg"),
        ("é", "%C3%A9"),
    ],
)
def test_an_encoded_id_is_its_percent_encoding(value: str, encoded: str) -> None:
    assert encode_id(value) == encoded


@given(printable_ids)
def test_a_file_name_never_leaves_its_folder_and_fits_a_file_system(value: str) -> None:
    encoded = encode_id(value)
    assert encoded.isascii()
    assert len(encoded) <= MAX_NAME_BYTES
    assert not set(encoded) & set('./\\:*?"<>| \t\n')
    assert encoded


@given(printable_ids, printable_ids)
def test_two_ids_never_share_a_file_name_even_where_case_is_ignored(one: str, other: str) -> None:
    assert (encode_id(one).casefold() == encode_id(other).casefold()) == (one == other)


@given(printable_ids)
def test_what_hypothesis_calls_printable_is_accepted(value: str) -> None:
    assert validate_id(value, "user_id") == value


def test_long_ids_that_begin_alike_keep_their_own_names() -> None:
    names = {encode_id("界" * 120 + tail) for tail in ("a", "b", "c")}
    assert len(names) == 3
    assert all("~" in name for name in names)
