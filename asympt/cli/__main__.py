"""``python -m asympt.cli``: the command line."""

from asympt.cli import main

main()
