"""Paths of this server, as they come back from a browser."""

from __future__ import annotations


def own_path(path: str) -> str:
    """Return a path of this server; "/" for anything that a browser might take for another one's.

    >>> own_path("/people?kind=group"), own_path("//example.org"), own_path("https://example.org")
    ('/people?kind=group', '/', '/')
    """
    is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_own else "/"
