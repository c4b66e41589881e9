"""`python -m historian.interfaces.cli`, for when the command is not on the path."""

from . import main

main()
