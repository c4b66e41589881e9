"""Whose words a text is, and what a message tells that is worth remembering."""
