"""The life of an open service: opening and closing, background tasks, ownership of the data
directory, and the watch of the configuration file."""
