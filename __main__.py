"""`python -m historian`: the command `historian`, for a system where it is not on the path."""

from .interfaces.cli import main

main()
