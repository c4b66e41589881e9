"""Redaction: secrets and personal data out of everything that is stored."""

from .search import find_secrets, redact
from .secret_names import may_name_secrets
from .spans import Label, Level, Redaction
from .values import redact_value

__all__ = ["Label", "Level", "Redaction", "find_secrets", "may_name_secrets", "redact", "redact_value"]
