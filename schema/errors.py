"""The hierarchy of errors. Every message says what was wrong, what was expected and what to do."""

from __future__ import annotations


class HistorianError(Exception):
    """Base of every error that Historian raises on purpose."""


class SettingsError(HistorianError):
    """A setting is unknown or has an invalid value. The message names the key, the value and the allowed values."""


class NotInstalled(SettingsError):
    """A setting needs an extra that is not installed. The message names the extra."""


class InvalidInput(HistorianError, ValueError):
    """An argument (a job, an id, a query) is invalid; nothing was written."""


class ForgottenHere(InvalidInput):
    """An archive to be imported holds data that was forgotten here after the export. Importing it
    must be requested explicitly.
    """


class StorageError(HistorianError):
    """A store could not read or write (disk full, file damaged, database locked too long)."""


class DatabaseAway(StorageError):
    """The database server cannot be reached or does not answer in time. It may become available
    again at any time.
    """


class ClaimLost(StorageError):
    """The worker has lost its claim on a job: another worker has taken the job over or may do so.
    The run stops without storing anything.
    """


class CheckpointError(StorageError):
    """The checkpoints of running jobs failed; they must be opened again."""


class OwnerLockHeld(StorageError):
    """Another live process owns the data directory. The message names it.

    `passing` is True if that process is a command that ends by itself, or has not yet recorded what
    it is.
    """

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


class FingerprintMismatch(StorageError):
    """The embedding model or dimension differs from that of the stored vectors."""


class RevisionConflict(StorageError):
    """A profile was changed after it was read; read it again and repeat the merge."""


class ModelError(HistorianError):
    """A chat, embedding or rerank model could not answer a request.

    `about_content` is True if the error concerns only the content of this request. Otherwise all
    requests currently fail.
    """

    about_content = False


class ModelUnavailable(ModelError):
    """The endpoint is unreachable, overloaded or failing (network, time-out, 408, 429, 5xx): try
    again later.

    `retry_after` is the number of seconds that the server asked to wait, if any; `status` is the
    HTTP status, None if there was no response.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.status = status


class ModelRefused(ModelError):
    """The endpoint rejects the request. `status` is the HTTP status, None if unknown.

    401, 403 and 404 come from wrong settings and concern every request. 400, 413 and 422 may
    concern only this content (too long, or stopped by a filter of the provider), so that other jobs
    need not wait.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.about_content = status in {400, 413, 422}


class ModelAnswerUnusable(ModelError):
    """The model answered, but no structured-output method gave a usable answer."""

    about_content = True


class ContentDeclined(ModelAnswerUnusable):
    """The model or its provider declines this content: a content filter, a refusal, or empty answers by every method."""


class ModelRested(ModelAnswerUnusable):
    """Most items of the model's recent answers for this purpose were refused, so it is not called
    for a while.
    """
