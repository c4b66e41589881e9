"""Pure functions on text: no input or output, no clock, no randomness."""
