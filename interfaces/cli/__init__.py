"""The command `historian`."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of this process and exit: status 0 success, 1 failure, 2 wrong usage."""
    from .app import run

    run()
