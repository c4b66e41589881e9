"""Chinese time expressions."""
