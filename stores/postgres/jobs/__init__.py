"""The job queue, who works on it, and what a worker keeps of a job under way."""
