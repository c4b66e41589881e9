"""Lines of profiles, and the statements of messages that become lines."""
