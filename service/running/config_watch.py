"""The watch of the configuration file. Changed hot keys apply at once; for other changed keys a log
message asks for a restart."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from ...schema.errors import SettingsError
from ...schema.settings import Settings
from ...schema.settings.source import hot_changes, load_settings, with_hot_values

log = logging.getLogger(__name__)


class ConfigWatch:
    """Compares a file's time and size; calls `apply` with the new settings when a hot key has
    changed.

    If the file has become unreadable or invalid, this is logged, and the settings are unchanged.
    """

    def __init__(
        self,
        path: Path,
        settings: Settings,
        apply: Callable[[Settings], None],
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._path = path
        self._settings = settings
        self._apply = apply
        self._environ = environ
        self._seen = self._stamp()

    def look(self) -> None:
        """Compare the file with its last state. Blocking; cheap if nothing changed."""
        stamp = self._stamp()
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            wanted = load_settings(self._path, environ=self._environ)
        except SettingsError as error:
            log.warning("the changed configuration is not applied: %s", error)
            return
        hot, cold = hot_changes(self._settings, wanted)
        if cold:
            log.warning("restart to apply: %s", ", ".join(cold))
        if hot:
            self._settings = with_hot_values(self._settings, wanted)
            log.info("applied: %s", ", ".join(hot))
            self._apply(self._settings)

    def _stamp(self) -> tuple[int, int]:
        try:
            status = self._path.stat()
        except OSError:
            return (0, 0)
        return (status.st_mtime_ns, status.st_size)
