"""A configuration file that changes while the service runs: some keys apply at once, the others say so in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from ..schema.errors import SettingsError
from ..schema.settings import Settings
from ..schema.settings_source import hot_changes, load_settings, with_hot_values

log = logging.getLogger(__name__)


class ConfigWatch:
    """Looks at a file's time and size; `apply` is told the new settings when a hot key has changed.

    A file that has become unreadable or wrong is named in the log, and the settings in force stay.
    """

    def __init__(
        self, path: Path, settings: Settings, apply: Callable[[Settings], None], environ: Mapping[str, str] | None = None
    ) -> None:
        self._path = path
        self._settings = settings
        self._apply = apply
        self._environ = environ
        self._seen = self._stamp()

    def look(self) -> None:
        """Compare the file with what was seen last. Blocking, and cheap while nothing changed."""
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
