"""One text for every kind of step: what a derivation found, in words and formulas; nothing is derived here.

    maps, other_maps    what one layer or step does, and the uniformiser
    coordinates         Abel's and Koenigs' function, the flow time; `systems` has their triangular systems
    inversions          t at large depth
    quantities          a linear recursion along the orbit, the law
    words               what several of them share
"""

from collections.abc import Callable

from asympt.recursions.protocol import Step
from asympt.writing.account import Account
from asympt.writing.texts import coordinates, inversions, maps, other_maps, quantities

TEXTS: dict[str, Callable[[Account, Step], str]] = {
    "ratio": maps.ratio, "drift": other_maps.drift, "affine": other_maps.affine, "averaging": other_maps.averaging,
    "fixed": other_maps.leading, "grown": other_maps.grown, "growth": maps.growth, "abel": coordinates.abel,
    "koenigs": coordinates.koenigs, "time": coordinates.time, "t": inversions.depth, "inverse": inversions.inverse,
    "reversed": inversions.reversed_, "particular": quantities.linear, "law": quantities.quantity,
}  # fmt: skip


def derivation(a: Account) -> str:
    """Every step of the law."""
    return "\n".join(TEXTS.get(step.form, quantities.components)(a, step) for step in a.told.steps)
