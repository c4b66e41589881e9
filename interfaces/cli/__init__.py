"""The command `historian`."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of this process, then exit.

    The exit status is 0 for success, 1 for a failure, 2 for wrong usage.
    """
    from .app import run

    run()
