"""A bot in Python in another process or on another machine. It uses the API of `historian serve`
through httpx and needs nothing else.
"""

import os

import httpx

url, token = os.environ.get("HISTORIAN_URL", "http://127.0.0.1:8765"), os.environ["HISTORIAN_TOKEN"]
api = httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"})
turn = {"scope": "group:7001", "user_id": "1001"}
said = "Could you recommend me a novel? I like science fiction."

recalled = api.post("/context", json={**turn, "query": said}).raise_for_status().json()["context"]
print(
    recalled or "nothing is remembered yet"
)  # placed before the user's message, as a user message

reply = {"role": "assistant", "content": "I'd recommend you The Left Hand of Darkness."}
messages = [{"role": "user", "sender_id": "1001", "name": "Ann", "content": said}, reply]
api.post("/remember", json={**turn, "messages": messages, "flush": True}).raise_for_status()
