"""The scripts of the frameworks talk to the model of `models.chat`, an endpoint on loopback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import NO_MODELS
from support.servers.openai_server import OpenAIServer

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("script", "framework"),
    [("openai_agents.py", "agents"), ("pydantic_ai_agent.py", "pydantic_ai")],
)
def test_a_second_conversation_recalls_what_the_first_was_told(
    tmp_path: Path, script: str, framework: str
) -> None:
    pytest.importorskip(
        framework, reason='the framework is not installed: pip install -e ".[frameworks]"'
    )
    with OpenAIServer(behaviour="refusal_text") as server:
        settings = {
            "HISTORIAN__MODELS__CHAT__BASE_URL": server.base_url,
            "HISTORIAN__MODELS__CHAT__MODEL": "test",
            "HISTORIAN__MODELS__HISTORIAN__MODEL": "",
            "HISTORIAN__COGNITIVE__DATA_DIR": str(tmp_path / "data"),
            "HISTORIAN__COGNITIVE__QUERY__RECALL_TIMEOUT_SECONDS": "10",
            "NO_PROXY": "127.0.0.1",
        }
        command = [
            sys.executable,
            str(EXAMPLES / script),
            "I'm allergic to peanuts",
            "What am I allergic to?",
        ]
        environ = {**os.environ, **NO_MODELS, **settings}
        ended = subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, encoding="utf-8", timeout=120
        )
        assert ended.returncode == 0, ended.stderr
        assert len(ended.stdout.splitlines()) == 2
        asked = [
            seen.body["messages"]
            for seen in server.requests()
            if seen.body["messages"][-1]["content"] == "What am I allergic to?"
        ]
    assert "allergic to peanuts" in str(asked[0][-2]["content"]) and "<memory>" in str(
        asked[0][-2]["content"]
    )
