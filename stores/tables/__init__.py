"""Tables that SQLite and PostgreSQL have alike, with what is asked of them written once."""
