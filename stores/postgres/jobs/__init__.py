"""The job queue in PostgreSQL, the registration of workers, and the checkpoints of running jobs."""
