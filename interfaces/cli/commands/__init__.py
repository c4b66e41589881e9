"""The commands, with one module per command or command group."""
