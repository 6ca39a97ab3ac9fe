"""An activation in one file: the inverse square root unit x/sqrt(1 + a x^2) of Carlile et al. (2017), a > 0."""

from sympy import sqrt

from asympt.meanfield.catalogue import Entry, X, register


def _rule(value) -> str | None:
    return None if not value.is_number or value > 0 else "a positive number"


ISRU = Entry(lambda a: X / sqrt(1 + a * X**2), {"a": 1}, {"a": _rule})

def add() -> None:
    """Put it into the catalogue; in the package itself the entry stands in the table of `meanfield/catalogue.py`."""
    register("isru", ISRU)
