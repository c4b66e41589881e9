"""The application that commands register themselves with."""

from __future__ import annotations

from .invocation import root

app = root(
    "Long-term memory for chat bots: what a bot did and learnt becomes records that are still true out of context, and "
    "portraits of people and groups. Begin with `historian demo`."
)
