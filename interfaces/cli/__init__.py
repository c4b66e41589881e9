"""The command `historian`."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of this process, and end it: status 0 done, 1 failed, 2 wrong use."""
    from .app import run

    run()
