"""Every family of every fuzzer."""

from tests.fuzz import arguments, command_lines, expressions, networks, sharp
from tests.fuzz.harness import Family

FAMILIES = [
    Family(module.__name__.rsplit(".", 1)[-1], name, run, default, floor)
    for module in (expressions, command_lines, arguments, networks, sharp)
    for name, (run, default, floor) in module.FAMILIES.items()
]
