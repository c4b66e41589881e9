"""All that is kept: copied, carried elsewhere, forgotten."""
