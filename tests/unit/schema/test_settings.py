import tomllib
from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import SettingsError
from historian.schema.settings import Settings, walk
from historian.schema.settings.source import (
    find_config,
    hot_changes,
    load_settings,
    parse_settings,
    with_hot_values,
)
from historian.schema.settings.tables import meaning_of, sample_config


def parsed(data: dict[str, Any] | None = None, **environ: str) -> Settings:
    return parse_settings(data or {}, environ=environ, base=Path("/base"))


def value_of(settings: Settings, dotted: str) -> Any:
    value: Any = settings
    for part in dotted.split("."):
        value = getattr(value, part)
    return value


def test_the_defaults_work_without_a_file(tmp_path: Path) -> None:
    settings = load_settings(environ={}, directory=tmp_path)
    assert settings.query.auto_top_k == 3
    assert settings.historian.rewrite_mode == "auto"
    assert settings.cognitive.data_dir == str(tmp_path / "data/cognitive")


def test_the_environment_wins_over_the_file() -> None:
    data = {"cognitive": {"query": {"auto_top_k": 4, "profile_top_k": 9}}}
    settings = parsed(data, HISTORIAN__COGNITIVE__QUERY__AUTO_TOP_K="5")
    assert settings.query.auto_top_k == 5
    assert settings.query.profile_top_k == 9


def test_the_environment_takes_text_that_looks_like_a_number_as_text_where_text_is_wanted() -> None:
    assert parsed(HISTORIAN__MODELS__CHAT__MODEL="4").models.chat.model == "4"


def test_a_table_in_the_environment_is_json() -> None:
    settings = parsed(HISTORIAN__MODELS__CHAT__EXTRA_BODY='{"thinking": {"type": "disabled"}}')
    assert settings.models.chat.extra_body == {"thinking": {"type": "disabled"}}


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        (
            "HISTORIAN__HISTORIAN__CONCURRENCY",
            "2",
            r"^HISTORIAN__HISTORIAN__CONCURRENCY: unknown key historian\.concurrency; did you mean "
            r"HISTORIAN__COGNITIVE__HISTORIAN__CONCURRENCY \(concurrency in the table \[cognitive\.historian\]\)\.",
        ),
        (
            "HISTORIAN__COGNITIVE__QUERY__AUTO_TOP_KK",
            "2",
            r"^HISTORIAN__COGNITIVE__QUERY__AUTO_TOP_KK: .*HISTORIAN__COGNITIVE__QUERY__AUTO_TOP_K \(",
        ),
        (
            "HISTORIAN__BOGUS__BOGUS",
            "2",
            r"^HISTORIAN__BOGUS__BOGUS: unknown key bogus\.bogus; `historian init` writes",
        ),
        (
            "HISTORIAN__COGNITIVE__QUERY__AUTO_TOP_K",
            "0",
            r"^HISTORIAN__COGNITIVE__QUERY__AUTO_TOP_K = .*greater than or equal",
        ),
    ],
)
def test_an_error_of_the_environment_names_the_variable(
    variable: str, value: str, message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        parsed(**{variable: value})


@pytest.mark.parametrize(
    ("embedding", "expected"),
    [
        ({"model": "bge-m3"}, ("http://chat/v1", "chat key")),
        ({"model": "bge-m3", "provider": "openai"}, ("http://chat/v1", "chat key")),
        ({"model": "bge-m3", "base_url": "http://own/v1"}, ("http://own/v1", "")),
        ({"model": "bge-m3", "api_key": "own key"}, ("", "own key")),
        ({"model": "some/model", "provider": "fastembed"}, ("", "")),
        ({}, ("", "")),
    ],
)
def test_an_embedding_model_alone_is_at_the_chat_models_address(
    embedding: dict[str, str], expected: tuple[str, str]
) -> None:
    chat = {"base_url": "http://chat/v1", "api_key": "chat key", "model": "m"}
    chosen = parsed({"models": {"chat": chat, "embedding": embedding}}).models.embedder
    assert (chosen.base_url, chosen.api_key) == expected


def test_a_table_in_the_environment_that_is_no_json_is_named() -> None:
    with pytest.raises(
        SettingsError, match=r"HISTORIAN__MODELS__CHAT__EXTRA_BODY: .* is not valid JSON"
    ):
        parsed(HISTORIAN__MODELS__CHAT__EXTRA_BODY="{thinking}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"cognitive": {"query": {"auto_top_kk": 5}}},
            "cognitive.query.auto_top_kk: unknown key; did you mean cognitive.query.auto_top_k",
        ),
        (
            {"cognitive": {"query": {"auto_top_k": 0}}},
            r"cognitive.query.auto_top_k = 0: .*greater than or equal to 1",
        ),
        ({"cognitive": {"query": {"auto_top_k": "many"}}}, "cognitive.query.auto_top_k = 'many'"),
        (
            {"cognitive": {"query": {"fusion": "sum"}}},
            "cognitive.query.fusion = 'sum': .*'weighted' or 'rrf'",
        ),
        (
            {"cognitive": {"query": {"recall_timeout_seconds": -1}}},
            "cognitive.query.recall_timeout_seconds = -1",
        ),
        (
            {"cognitive": {"timezone": "Mars/Olympus"}},
            "cognitive.timezone = 'Mars/Olympus': .*IANA.*or local",
        ),
        ({"cognitive": {"enabled": "perhaps"}}, "cognitive.enabled = 'perhaps'"),
        ({"models": {"chat": {"temperature": 9}}}, "models.chat.temperature = 9"),
        (
            {"cognitive": {"bogus": 1}},
            r"cognitive.bogus: unknown key; the known keys there are enabled, .*query\.…, .*observation\.…, talk\.…\. Change it",
        ),
        ({"cognitive": {"langage": "zh"}}, r"did you mean cognitive\.language\. Change it"),
        ({"kognitive": {}}, "kognitive: unknown key"),
        ({"cognitive": {"query": 5}}, "cognitive.query = 5"),
    ],
)
def test_a_wrong_setting_is_named_with_its_value_and_what_is_allowed(
    data: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        parsed(data)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"instructions": "x" * 2001}, "cognitive.instructions"),
        ({"profile": {"slots": ["birthday", " "]}}, "cognitive.profile.slots"),
        ({"profile": {"slots": ["birthday\npronouns"]}}, "cognitive.profile.slots"),
        ({"profile": {"slots": [f"slot {n}" for n in range(21)]}}, "cognitive.profile.slots"),
    ],
)
def test_the_owners_words_are_bounded(given: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        parsed({"cognitive": given})


def test_the_owners_words_apply_at_once() -> None:
    words = {
        "instructions": "Never note health matters.",
        "profile": {"slots": [" birthday ", "时区"]},
    }
    new = parsed({"cognitive": words})
    assert new.cognitive.profile.slots == ["birthday", "时区"]
    assert hot_changes(parsed(), new) == (["cognitive.instructions", "cognitive.profile.slots"], [])


def test_a_key_is_never_shown_in_an_error() -> None:
    with pytest.raises(SettingsError) as caught:
        parsed({"models": {"chat": {"api_key": ["sk-very-secret"]}}})
    assert "sk-very-secret" not in str(caught.value)


def test_a_section_that_is_a_key_is_refused_in_the_environment() -> None:
    with pytest.raises(SettingsError, match="HISTORIAN__COGNITIVE__ENABLED__X"):
        parsed({"cognitive": {"enabled": True}}, HISTORIAN__COGNITIVE__ENABLED__X="1")


def test_a_relative_data_directory_counts_from_the_file(tmp_path: Path) -> None:
    config = tmp_path / "conf" / "config.toml"
    config.parent.mkdir()
    config.write_text('[cognitive]\ndata_dir = "memory"\n', encoding="utf-8")
    assert load_settings(config, environ={}).cognitive.data_dir == str(tmp_path / "conf" / "memory")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"gone\.toml.*historian init"):
        load_settings(tmp_path / "gone.toml", environ={})


@pytest.mark.parametrize("content", [b"[cognitive\n", b"\xff\xfe\x00", b"a = \n"])
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, content: bytes) -> None:
    config = tmp_path / "config.toml"
    config.write_bytes(content)
    with pytest.raises(SettingsError, match=r"config\.toml: not valid TOML"):
        load_settings(config, environ={})


def test_a_wrong_setting_is_to_be_changed_in_the_file_that_was_read(tmp_path: Path) -> None:
    config = tmp_path / "bot.toml"
    config.write_text("[models.chat]\nbase_url = 5\n", encoding="utf-8")
    with pytest.raises(
        SettingsError,
        match=r"models\.chat\.base_url = 5: .*Change it in .*bot\.toml or in the environment",
    ):
        load_settings(config, environ={})


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_bytes(b'\xef\xbb\xbf[cognitive]\nbot_name = "Clio"\n')
    assert load_settings(config, environ={}).cognitive.bot_name == "Clio"


def test_the_file_named_wins_over_the_variable_and_that_over_the_directory(tmp_path: Path) -> None:
    here, named, variable = (
        tmp_path / "config.toml",
        tmp_path / "named.toml",
        tmp_path / "variable.toml",
    )
    for path in (here, named, variable):
        path.touch()
    environ = {"HISTORIAN_CONFIG": str(variable)}
    assert find_config(named, environ, tmp_path) == named
    assert find_config(None, environ, tmp_path) == variable
    assert find_config(None, {}, tmp_path) == here
    assert find_config(None, {}, tmp_path / "elsewhere") is None


def test_the_historian_model_takes_what_it_lacks_from_the_chat_model() -> None:
    chat = {"base_url": "http://a/v1", "api_key": "k", "model": "large", "timeout_seconds": 30}
    settings = parsed({"models": {"chat": chat, "historian": {"model": "small"}}})
    background = settings.models.background
    assert (
        background.model,
        background.base_url,
        background.api_key,
        background.timeout_seconds,
    ) == (
        "small",
        "http://a/v1",
        "k",
        30,
    )


def test_a_default_written_down_for_the_historian_model_still_wins() -> None:
    settings = parsed(
        {"models": {"chat": {"temperature": 0.7, "model": "m"}, "historian": {"temperature": 0.0}}}
    )
    assert settings.models.background.temperature == 0.0


def test_the_temperature_can_be_left_to_the_server() -> None:
    assert parsed({"models": {"chat": {"temperature": "server"}}}).models.chat.temperature is None


def test_what_changed_is_told_apart_by_whether_it_applies_at_once() -> None:
    new = parsed(
        {
            "cognitive": {
                "bot_name": "Clio",
                "query": {"auto_top_k": 5},
                "historian": {"poll_interval_seconds": 2},
            }
        }
    )
    hot, cold = hot_changes(parsed(), new)
    assert sorted(hot) == [
        "cognitive.historian.poll_interval_seconds",
        "cognitive.query.auto_top_k",
    ]
    assert cold == ["cognitive.bot_name"]
    mixed = with_hot_values(parsed(), new)
    assert (mixed.query.auto_top_k, mixed.historian.poll_interval_seconds) == (5, 2)
    assert mixed.cognitive.bot_name == ""
    assert mixed.models.historian.model_fields_set == set()


def test_every_key_explains_itself_in_both_languages() -> None:
    for dotted, _ in walk():
        meaning = meaning_of(dotted)
        assert meaning["zh"].strip() and meaning["en"].strip(), dotted
        assert not meaning["zh"].isascii() and meaning["en"].isascii(), dotted


def test_every_key_of_the_sample_has_a_line_in_chinese_and_one_in_english_above_it() -> None:
    lines = sample_config().splitlines()
    keys = [
        n
        for n, line in enumerate(lines)
        if " = " in line and not line.startswith(("# zh:", "# en:"))
    ]
    assert len(keys) == len(walk())
    for n in keys:
        assert lines[n - 2].startswith("# zh: "), lines[n]
        assert lines[n - 1].startswith("# en: "), lines[n]


def test_the_sample_loads_and_keeps_every_default() -> None:
    loaded, defaults = parsed(tomllib.loads(sample_config())), parsed()
    assert {dotted: value_of(loaded, dotted) for dotted, _ in walk()} == {
        dotted: value_of(defaults, dotted) for dotted, _ in walk()
    }


def test_a_model_put_into_the_sample_is_the_historians_model_too() -> None:
    data = tomllib.loads(sample_config())
    data["models"]["chat"].update(model="large", base_url="http://a/v1", temperature=0.5)
    background = parsed(data).models.background
    assert (background.model, background.base_url, background.temperature) == (
        "large",
        "http://a/v1",
        0.5,
    )


def test_a_key_of_the_sample_that_is_uncommented_loads() -> None:
    text = "\n".join(
        line.removeprefix("# ")
        if " = " in line and not line.startswith(("# zh:", "# en:"))
        else line
        for line in sample_config().splitlines()
    )
    parsed(tomllib.loads(text))


@pytest.mark.parametrize(
    ("data", "environ"),
    [
        ({"models": {"chat": {"extra_body": "Bearer-s3cret"}}}, {}),
        ({"models": {"chat": {"extra_body": ["s3cret"]}}}, {}),
        ({"models": {"chat": {"base_url": ["https://ann:s3cret@host/v1?key=s3cret"]}}}, {}),
        ({"models": {"chat": {"timeout_seconds": "s3cret"}}}, {}),
        ({"models": {"chat": {"api_key": 53}}, "cognitive": {"timezone": "sk-s3cret"}}, {}),
        ({"cognitive": {"notes_scope": "s3cret"}}, {}),
        ({"cognitive": {"query": {"auto_top_k": "s3cret", "fusion": {"s3cret": "s3cret"}}}}, {}),
        ({}, {"HISTORIAN__MODELS__CHAT__EXTRA_BODY": '{"key": "s3cret"'}),
        ({}, {"HISTORIAN__COGNITIVE__QUERY__AUTO_TOP_K": "s3cret"}),
    ],
)
def test_a_value_that_may_be_a_secret_is_not_shown_under_whatever_key_it_stands(
    data: dict[str, Any], environ: dict[str, str]
) -> None:
    with pytest.raises(SettingsError) as caught:
        parsed(data, **environ)
    assert "s3cret" not in str(caught.value) and "53" not in str(caught.value)
