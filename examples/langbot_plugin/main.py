"""Long-term memory for LangBot. The memory runs beside the bot as `historian serve`. Its failures
are logged; the bot goes on.
"""

import logging
from typing import Any

import httpx
from langbot_plugin.api.definition.plugin import BasePlugin

log = logging.getLogger(__name__)

SECONDS = 5.0


class HistorianPlugin(BasePlugin):
    """A client of the HTTP API."""

    async def initialize(self) -> None:
        config = self.get_config()
        headers = {"Authorization": f"Bearer {config['token']}"}
        self.client = httpx.AsyncClient(
            base_url=f"{config['address']}/api/v1", headers=headers, timeout=SECONDS
        )

    async def ask(self, path: str, **asked: Any) -> dict[str, Any]:
        """Return the answer of the API; {} if there is none."""
        try:
            answer = await self.client.post(path, json=asked)
            answer.raise_for_status()
            return dict(answer.json())
        except (httpx.HTTPError, ValueError) as error:
            log.error("Historian: %s: %s", path, error)
            return {}
