"""Pure functions on text, without input and output, clock and randomness."""
