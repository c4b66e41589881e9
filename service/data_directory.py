"""The data directory."""

from __future__ import annotations

from pathlib import Path

from ..schema.errors import StorageError
from ..schema.settings import Settings

RESTORING = "restoring.json"
"""Stands in a data directory while a backup is being put into its place."""


def data_directory(settings: Settings) -> Path:
    """Return the configured data directory as a path."""
    return Path(settings.cognitive.data_dir)


def check_restored(directory: Path) -> None:
    """Raise StorageError if the restoration of a backup is under way, or was interrupted."""
    if (directory / RESTORING).exists():
        raise StorageError(
            f"{directory}: a backup is being restored, or that was interrupted; run `historian restore BACKUP` again to finish "
            f"it ({RESTORING} names the backup)"
        )
