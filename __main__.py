"""`python -m historian`: the command, for where it is not on the path."""

from .interfaces.cli import main

main()
