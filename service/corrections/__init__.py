"""One thing corrected everywhere: what it finds, takes out, keeps for `undo`; pins."""
