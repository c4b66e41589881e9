"""Events in tables that SQLite and PostgreSQL have alike."""
