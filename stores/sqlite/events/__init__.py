"""Events in `index.sqlite`: rows, keyword search, and the event store."""
