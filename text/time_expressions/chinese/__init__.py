"""Chinese expressions of time."""
