"""Read access for operators: events in pages, the list of articles, records as JSON data, and the
settings in force."""
