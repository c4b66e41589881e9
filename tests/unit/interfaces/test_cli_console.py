import dataclasses
import io
import json
import sys

import pytest
from historian.interfaces.cli.console import changes, json_line, plain, short
from historian.interfaces.cli.language import duration
from historian.interfaces.revisions import KeptRevisions
from historian.interfaces.texts import size
from historian.schema.profile import Profile, ProfileKey
from historian.service.inspection.json_data import profile_lines
from hypothesis import given
from hypothesis import strategies as st
from profiles import profile_of
from rich.text import Text


def styled(text: Text) -> list[str]:
    return [text.plain[span.start : span.end] for span in text.spans if span.style]


def test_what_could_steer_a_terminal_is_made_harmless() -> None:
    assert plain("a\x1b[31mb\u202ec\x07\r") == "a\ufffd[31mb\ufffdc\ufffd\ufffd"
    assert plain("第一行\n\t第二行 🐱") == "第一行\n\t第二行 🐱"


@given(st.text())
def test_plain_keeps_the_length_so_that_offsets_still_fit(value: str) -> None:
    assert len(plain(value)) == len(value)


def test_a_long_text_is_cut_with_an_ellipsis_and_kept_on_one_line() -> None:
    assert short("a\n b  c") == "a b c"
    assert short("x" * 20, 10) == "x" * 9 + "…"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "gbk"])
def test_a_json_line_fits_the_encoding_of_the_output(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    value = {"text": "昨天 🐱 \ud800"}
    line = json_line(value)
    line.encode(encoding)
    assert json.loads(line) == value


def test_what_changed_is_marked_in_both_texts() -> None:
    before, after = changes("我昨天到了", "小史2026-02-20到了")
    assert (before.plain, after.plain) == ("我昨天到了", "小史2026-02-20到了")
    assert "".join(styled(before)) == "我昨天"
    assert "".join(styled(after)) == "小史2026-02-20"


def test_a_latin_word_changes_as_a_whole() -> None:
    before, after = changes("I told her", "Clio told Ann")
    assert styled(before) == ["I", "her"]
    assert styled(after) == ["Clio", "Ann"]


def test_nothing_is_marked_where_nothing_changed() -> None:
    before, after = changes("《今天》", "《今天》")
    assert styled(before) == styled(after) == []


@pytest.mark.parametrize(
    ("number", "written"),
    [(0, "0 B"), (999, "999 B"), (1500, "1.5 KB"), (2_500_000, "2.5 MB"), (3e9, "3.0 GB")],
)
def test_bytes_are_written_for_people(number: float, written: str) -> None:
    assert size(number) == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0.012, "12 ms"), (5, "5.0 s"), (90, "1.5 min"), (7200, "2.0 h"), (172_800, "2.0 days")],
)
def test_seconds_are_written_for_people(seconds: float, written: str) -> None:
    assert duration(seconds) == written


def test_a_diff_of_profiles_shows_name_tags_and_lines_and_is_empty_where_nothing_changed() -> None:
    old = profile_of(
        ProfileKey("user", "42"), "- 养了一只叫阿橘的猫", name="小林", tags=("猫",), revision=3
    )
    new = profile_of(
        old.key, "- 养了一只叫阿橘的猫\n- 住在杭州", name="林", tags=("猫",), revision=4
    )

    def kept(*some: Profile) -> KeptRevisions[Profile]:
        return KeptRevisions(some, {"entity": "user:42"}, "rollback", {}, profile_lines)

    older, newer, diff = kept(new, old).compared(None, None)
    assert (older, newer) == (old, new)
    assert [line.strip() for line in diff[:2]] == ["--- revision 3", "+++ revision 4"]
    assert "-小林\n+林" in "\n".join(diff)
    assert "+- 住在杭州" in diff and not any(line.startswith("-- 养了") for line in diff)
    assert kept(dataclasses.replace(old, revision=9), old).compared(3, 9)[2] == []
