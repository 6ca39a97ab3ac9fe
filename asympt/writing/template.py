"""Prose with formulas put in: Python's string templates with @ instead of $, which LaTeX needs for itself."""

import string


class _Template(string.Template):
    delimiter = "@"


def fill(template: str, **values) -> str:
    """The template with every @{name} replaced; a name without a value is an error (KeyError).

    >>> fill("$c^{@depth}$", depth="l")
    '$c^{l}$\\n'
    """
    return _Template(template).substitute({key: str(value) for key, value in values.items()}).strip() + "\n"
