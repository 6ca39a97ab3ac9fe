"""``python -m asympt``: the command line."""

from asympt.cli import main

if __name__ == "__main__":
    main()
