"""What helps where the embedder keeps missing the time limit of recalls."""

from __future__ import annotations

import pytest
from historian.service.recall.late_embedder import SLOW, SLOW_ENDPOINT, SPINNING, help_for


@pytest.mark.parametrize(
    ("policy", "is_remote", "told"),
    [("ACTIVE", False, SPINNING), ("passive", False, SLOW), ("active", True, SLOW_ENDPOINT)],
)
def test_the_remedy_is_of_the_model_and_the_environment(
    policy: str, is_remote: bool, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    assert help_for(is_remote=is_remote) == told
