"""The job queue as a directory of JSON files."""
