"""The ports of events: their store, what is derived of them, and the notes that are indexed as events."""
