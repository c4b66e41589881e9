"""The ports of what is kept in revisions: profiles, articles and summaries."""
