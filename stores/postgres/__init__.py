"""All stores in one PostgreSQL schema, for any number of workers and bots (extra `postgres`)."""
