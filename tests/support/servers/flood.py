"""Requests at a steady rate from a process of its own, over connections that stay open.

    python flood.py PORT TOKEN REQUESTS_PER_SECOND SECONDS

Prints the answers by status as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter

CONNECTIONS = 20


async def _requests(
    port: int, token: str, every: float, until: float, answers: Counter[str]
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = f"GET /api/v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    loop = asyncio.get_running_loop()
    due = loop.time()
    while due < until:
        writer.write(asked)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line[15:])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        )
        await reader.readexactly(length)
        answers[head.split()[1].decode()] += 1
        due += every
        await asyncio.sleep(max(0.0, due - loop.time()))
    writer.close()


async def main() -> None:
    port, token, rate, seconds = (
        int(sys.argv[1]),
        sys.argv[2],
        float(sys.argv[3]),
        float(sys.argv[4]),
    )
    answers: Counter[str] = Counter()
    until = asyncio.get_running_loop().time() + seconds
    await asyncio.gather(
        *(_requests(port, token, CONNECTIONS / rate, until, answers) for _ in range(CONNECTIONS))
    )
    print(json.dumps(answers))


if __name__ == "__main__":
    asyncio.run(main())
