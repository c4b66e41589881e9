"""Events in PostgreSQL: their rows, and the event store."""
