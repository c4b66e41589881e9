"""Redaction: remove secrets and personal data from everything that is stored."""

from .rules import Label, Level, Redaction
from .search import find_secrets, redact
from .values import redact_value

__all__ = ["Label", "Level", "Redaction", "find_secrets", "redact", "redact_value"]
