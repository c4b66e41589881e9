"""`python -m historian.interfaces.cli`, where the command is not on the path."""

from . import main

main()
