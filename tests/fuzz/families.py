"""Every family of every fuzzer."""

from tests.fuzz import expressions
from tests.fuzz.harness import Family

FAMILIES = [
    Family(module.__name__.rsplit(".", 1)[-1], name, run, default, floor)
    for module in (expressions,)
    for name, (run, default, floor) in module.FAMILIES.items()
]
