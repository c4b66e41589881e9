"""Commands on the whole memory: backup and restore, migrate, export and import, forget."""
