"""Tables that both SQLite and PostgreSQL have, with the queries that they share."""
