"""What is kept in revisions, or dated: profiles, articles, summaries."""
