"""`python -m historian.interfaces.cli`, for a system where the command is not on the path."""

from . import main

main()
