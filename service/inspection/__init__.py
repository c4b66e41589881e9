"""What operators look at: pages of events, jobs, profiles and articles with their revisions, settings."""
