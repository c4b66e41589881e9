"""Every store in one PostgreSQL schema, for any number of workers and bots on any machine (extra `postgres`)."""
