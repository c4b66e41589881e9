"""The warning where the embedder keeps missing the time limit of recalls."""

from __future__ import annotations

import logging

import pytest
from historian.service.recall.late_embedder import SLOW, SLOW_ENDPOINT, SPINNING, TOO_MANY, LateEmbedder

OUT_OF_TIME = ("embedder: out of time",)


@pytest.mark.parametrize(
    ("policy", "is_remote", "told"), [("ACTIVE", False, SPINNING), ("passive", False, SLOW), ("active", True, SLOW_ENDPOINT)]
)
def test_a_warning_names_the_remedy_once(
    policy: str, is_remote: bool, told: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    late = LateEmbedder(is_remote=is_remote)
    with caplog.at_level(logging.WARNING):
        for _ in range(TOO_MANY - 1):
            late.note(OUT_OF_TIME)
        assert not caplog.records
        for _ in range(50):
            late.note(OUT_OF_TIME)
    assert [told in record.getMessage() for record in caplog.records] == [True]


def test_now_and_then_is_no_reason_to_warn_and_neither_is_an_embedder_that_is_away(caplog: pytest.LogCaptureFixture) -> None:
    late = LateEmbedder(is_remote=False)
    for n in range(200):
        late.note(OUT_OF_TIME if n % 5 == 0 and n % 10 else ())
        late.note(("embedder: the endpoint can not be reached",))
    assert not caplog.records and late.count == 20
