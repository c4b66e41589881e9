"""Backups of a data directory: making and restoring them."""
