"""The chat model with structured output."""
