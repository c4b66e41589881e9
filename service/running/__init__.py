"""What runs beside the calls of a bot: opening and closing, the background thread, the ownership, the watch of the settings."""
