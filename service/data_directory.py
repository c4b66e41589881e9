"""The data directory."""

from __future__ import annotations

from pathlib import Path

from ..schema.settings import Settings


def data_directory(settings: Settings) -> Path:
    """Return the configured data directory as a path."""
    return Path(settings.cognitive.data_dir)
