"""What can go wrong, as one hierarchy. Every message says what was wrong, what was expected and what to do."""

from __future__ import annotations


class HistorianError(Exception):
    """Base of every error that Historian raises on purpose."""


class SettingsError(HistorianError):
    """A setting is unknown or has a bad value. The message names the key, the value and what is allowed."""


class InvalidInput(HistorianError, ValueError):
    """Something handed in by a caller (a job, an id, a query) is not acceptable; nothing was written."""


class ForgottenHere(InvalidInput):
    """An archive holds what was forgotten here since; it comes back only where that is meant."""


class StorageError(HistorianError):
    """A store could not read or write (disk full, file damaged, database locked too long)."""


class OwnerLockHeld(StorageError):
    """Another live process owns the data directory. The message names it."""


class FingerprintMismatch(StorageError):
    """The embedding model or dimension differs from the one the stored vectors were made with."""


class RevisionConflict(StorageError):
    """A profile was changed by somebody else since it was read; read it again and merge anew."""


class ModelError(HistorianError):
    """A chat, embedding or rerank model could not do what was asked.

    `about_content` tells whether it is about this one content; else every request fails alike for now.
    """

    @property
    def about_content(self) -> bool:
        return False


class ModelUnavailable(ModelError):
    """The endpoint is unreachable, overloaded or failing (network, time-out, 408, 429, 5xx): try again later.

    `retry_after` is the number of seconds the server asked for, if it did; `status` the HTTP status, None where there
    was no answer at all.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.status = status


class ModelRefused(ModelError):
    """The endpoint rejects the request itself. `status` is the HTTP status, None where it is not known.

    401, 403 and 404 are a matter of the settings and hold for every request; 400, 413 and 422 may be about this one
    content (too long, or stopped by a provider's filter), so that other jobs must not wait for it.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status

    @property
    def about_content(self) -> bool:
        return self.status in {400, 413, 422}


class ModelAnswerUnusable(ModelError):
    """The model answered, but no structured-output method gave a usable answer."""

    @property
    def about_content(self) -> bool:
        return True
