"""The service that a bot opens, and its worker."""
