"""What clients of OpenAI's protocol cost, of which every event loop has its own."""

from __future__ import annotations

import ssl
import time

from historian.models.endpoint import Endpoint
from historian.models.openai_client import chat_client

ENDPOINT = Endpoint("models.chat", "https://127.0.0.1:9/v1", "test")


async def test_a_further_client_reads_no_certificates_anew() -> None:
    chat_client(ENDPOINT, 5.0)
    begin = time.thread_time()
    ssl.create_default_context()
    reading = time.thread_time()
    for _ in range(10):
        chat_client(ENDPOINT, 5.0)
    making = time.thread_time() - reading
    assert making < max(0.1, 5 * (reading - begin)), "ten clients take less than five readings"
