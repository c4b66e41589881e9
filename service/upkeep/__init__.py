"""Work that is done when no job waits."""
