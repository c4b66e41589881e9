"""Facts: which ones a new fact supersedes, and to whom they belong."""
