"""The data directory."""

from __future__ import annotations

from pathlib import Path

from ..schema.errors import StorageError
from ..schema.settings import Settings

RESTORING = "restoring.json"
"""The file that exists in a data directory while a backup is being restored there."""


def data_directory(settings: Settings) -> Path:
    """Return the configured data directory as a path."""
    return Path(settings.cognitive.data_dir)


def check_restored(directory: Path) -> None:
    """Raise StorageError if a backup is being restored, or if restoring it was interrupted."""
    if (directory / RESTORING).exists():
        raise StorageError(
            f"{directory}: a backup is being restored, or a restoration was interrupted; run "
            "`historian restore BACKUP` again to finish "
            f"it ({RESTORING} names the backup)"
        )
