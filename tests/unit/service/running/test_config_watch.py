import logging
import os
from pathlib import Path

import pytest
from historian.schema.settings import Settings
from historian.schema.settings.source import load_settings
from historian.service.running.config_watch import ConfigWatch


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text("[cognitive.query]\nauto_top_k = 3\n")
    return path


def rewrite(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000))


def test_a_hot_key_applies_at_once_and_a_cold_one_says_restart(
    config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    applied: list[Settings] = []
    watch = ConfigWatch(config, load_settings(config, environ={}), applied.append, environ={})
    watch.look()
    assert applied == []
    rewrite(config, '[cognitive]\nbot_name = "x"\n[cognitive.query]\nauto_top_k = 9\n')
    with caplog.at_level(logging.INFO):
        watch.look()
    assert [settings.query.auto_top_k for settings in applied] == [9]
    assert applied[0].cognitive.bot_name == "", "a cold key does not change under way"
    assert "restart to apply: cognitive.bot_name" in caplog.text


def test_a_file_that_has_become_wrong_changes_nothing_and_is_named(
    config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    applied: list[Settings] = []
    watch = ConfigWatch(config, load_settings(config, environ={}), applied.append, environ={})
    rewrite(config, "[cognitive.query]\nauto_top_k = 'many'\n")
    watch.look()
    config.unlink()
    watch.look()
    assert applied == []
    assert "cognitive.query.auto_top_k" in caplog.text
