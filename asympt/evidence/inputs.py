"""Two inputs of any norms: the law's numbers against the original layers, iterated by the rules of their primitives.

`precise.blocks` shares nothing with the step by which a law follows the variances; at twice the layers that these take
to settle the law's coordinate is asked.
"""

import inspect
from math import ceil, log10

from mpmath import mp, mpf
from sympy import Integer, sqrt

from asympt.blocks.nodes import SerialNode
from asympt.blocks.primitives import activation, dense
from asympt.errors import InputError
from asympt.evidence.check import Check
from asympt.evidence.orbits.plain import evaluation_check
from asympt.numbers import to_mpf
from asympt.precise.blocks import pairs_along

DIGITS, SETTLED, SPARE = 12, 16, 25
CORRELATION = "1/10"


def read_inputs(law, correlation, variances) -> dict:
    """c^1 and the variances as the law's reader takes them; {} where none are given."""
    if correlation is None and variances is None:
        return {}
    given = {"correlation": CORRELATION if correlation is None else correlation}
    given |= {} if variances is None else {"variances": variances}
    known = () if law.reader is None else inspect.signature(law.reader).parameters
    for name in given:
        if name not in known:
            raise InputError(f"{name} = {given[name]}: the start of this law is not given as `{name}`; leave it out")
    law.reader(**given)
    return given


def inputs_check(law, given: dict) -> Check:
    """Largest relative deviation of the law from plain iteration, at two layers where the variances have settled."""
    start, layer = law.reader(**given), law.layer.layer
    q = Integer(1) if layer.is_scale_free else layer.fixed_variance
    slope = 0.0 if layer.is_scale_free else abs(float(layer.variance_map.slope(q, SETTLED)))
    settled = 10 + (ceil(SETTLED / -log10(slope)) if 0 < slope < 1 else 0)
    centre = 0 if law.fixed is None else law.fixed.point
    depths, gap = [settled, 2 * settled], start.gap if hasattr(start, "gap") else start + centre
    variances = getattr(start, "rest", (q, q))
    node = SerialNode((activation(layer.activation), dense(sqrt(layer.weight_variance), sqrt(layer.bias_variance))))
    with mp.workdps(SPARE):
        found = pairs_along([node], to_mpf(gap), to_mpf(variances[0]), depths, to_mpf(variances[1]))
        seen = {depth: gap if law.linear is None else kernel / (depth if law.average else 1)
                for depth, (gap, kernel, _) in zip(depths, found, strict=True)}  # fmt: skip
        where = ", ".join(f"{name} = {value}" for name, value in given.items())
        name = f"the law against plain iteration of the layers, {where}: largest relative deviation"
        detail = f"at the layers {depths[0]} and {depths[1]}"
        return evaluation_check(name, law, seen, DIGITS, mpf(10) ** (2 - DIGITS), detail, **given)


def constant_check(certificate, given: dict) -> Check:
    """C of the theorem, from layers in balls, against that of the orbit in mpmath: how far it lies outside."""
    low, high = certificate.connection(SETTLED)
    found = certificate.law.connection_constant(digits=DIGITS, **given)
    off = max(low - found, found - high, mpf(0)) / max(abs(found), 1)
    return Check.measured("the theorem's C against the orbit's: relative distance", off, mpf(10) ** (2 - DIGITS))
