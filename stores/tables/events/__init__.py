"""The tables of events that SQLite and PostgreSQL share."""
