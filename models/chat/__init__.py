"""The chat model and its structured output."""
