"""Every family of every fuzzer."""

from tests.fuzz import arguments, command_lines, edges, expressions, networks, sharp, verdicts
from tests.fuzz.harness import Family

FAMILIES = [
    Family(module.__name__.rsplit(".", 1)[-1], name, run, default, floor)
    for module in (expressions, edges, command_lines, arguments, networks, sharp, verdicts)
    for name, (run, default, floor) in module.FAMILIES.items()
]
