"""What the golden table holds of a law: its text, its constants, its values and the verdict of every check.

A refusal is recorded by the name of its error: a law that begins or ceases to answer changes the table too.  Sentences
are not recorded, so that messages may improve; nor are the figures of checks, which depend on the machine.
"""

from functools import partial

from mpmath import nstr
from sympy import sstr

import asympt as asy
from asympt.errors import AsymptError
from tests.golden.rows import Row

DEPTHS = (2, 10**3, 10**12)
VERIFY = {"digits": 12, "depth": 500}


def record(row: Row) -> dict:
    """Everything that must not change unnoticed."""
    law = row.law()
    found = {"expansion": str(law)}
    if not isinstance(law, asy.Law):  # the general solution of a linear recurrence in the layer
        return {**found, **numbers(law, row)}
    found.update(rate=str(law.rate), limit=sstr(law.limit), **numbers(law, row))
    found["C"] = asked(lambda: law.connection_constant(digits=row.digits, **row.start), row.digits)
    checks = asy.verify(law, theorem=row.proved, **VERIFY).checks if row.checks else ()
    found["checks"] = [f"{check.verdict}: {check.name}" for check in checks]
    return found


def numbers(law, row: Row) -> dict:
    """D and the values at three depths."""
    found = {}
    found["D"] = asked(lambda: law.second_constant(digits=row.digits, **row.start), row.digits)
    for depth in DEPTHS:
        value = partial(law.evaluate, depth=depth, digits=row.digits, **row.start)
        found[f"value at {depth}"] = asked(value, row.digits)
    return found


def asked(number, digits: int) -> str:
    """A number to its digits, or the kind of error that answers instead."""
    try:
        return nstr(number(), digits)
    except (AsymptError, TypeError, AttributeError, NotImplementedError) as error:
        return type(error).__name__
