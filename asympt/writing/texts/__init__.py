"""One text for every kind of step: what a derivation found, in words and formulas; nothing is derived here."""

from collections.abc import Callable

from asympt.recursions.protocol import Step
from asympt.writing.account import Account
from asympt.writing.texts import coordinates, maps, quantities
from asympt.writing.texts.maps import correlation_map, moments

TEXTS: dict[str, Callable[[Account, Step], str]] = {
    "ratio": maps.ratio, "drift": maps.drift, "affine": maps.affine, "averaging": maps.averaging,
    "fixed": maps.leading, "leaving": maps.leaving, "growth": maps.growth,
    "abel": coordinates.abel,
    "koenigs": coordinates.koenigs, "time": coordinates.time, "t": coordinates.depth, "inverse": coordinates.inverse,
    "reversed": coordinates.reversed_, "particular": quantities.linear, "law": quantities.quantity,
}  # fmt: skip


OF_MAP = {"ratio": correlation_map, "drift": quantities.flow_drift}  # of a network whose correlation map is told
OF_KERNEL = {  # by the form of the coordinate, where the law of the correlation is told beside
    "abel": {"particular": quantities.kernel, "law": quantities.average},
    "time": {"particular": quantities.flow_kernel, "law": quantities.flow_ratio},
}


def derivation(a: Account) -> str:
    texts = TEXTS | (OF_MAP if a.net else {}) | (OF_KERNEL[a.form] if a.is_ntk else {})
    found = [texts.get(step.form, quantities.components)(a, step) for step in a.told.steps]
    return "\n".join([*([moments(a, a.ordered)] if a.ordered else []), *found])
