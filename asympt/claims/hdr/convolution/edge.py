r"""Decisions on HDR Appendix Lemmas 2 and 3, item 2: correlations of convolutional networks on the Edge of Chaos.

Along one offset d = alpha' - alpha the correlations are a vector that is averaged over the filter in every layer.  Its
mean obeys the law of the fully connected network, with a constant C of its own for each offset, and its differences
fade like lambda_2^l.  So, for equal settled variances and at every pair of positions,

    smooth phi            c = 1 - 2/(f'' l) + (2/f'')(1 - 2 f'''/(3 f''^2)) log(l)/l^2 + O(1/l^2)
    phi'' jumps (ELU)     the same with a term in l^(-3/2) between the two
    ReLU                  c = 1 - (9 pi^2/2)/l^2 + (27 pi^2/2) log(l)/l^3 + O(l^(-3))

unless all correlations of the offset are 1, where they stay: offset 0 of one input, or an input and its translate.
"""

import numpy as np
from mpmath import mp
from sympy import Expr, Float, NumberSymbol, pi

from asympt.architectures.convolution.law import ConvLaw
from asympt.claims.figures import CHECK_DIGITS, number
from asympt.claims.forms import agreement, coefficient
from asympt.claims.hdr.convolution.nets import DEEP, on_the_edge, state, term
from asympt.evidence.check import Check, Verification
from asympt.evidence.convolution import constancy_checks, fading_checks
from asympt.evidence.convolution import symbolic_checks as proofs
from asympt.gaussian.moments import square_moments

DIGITS = 25


def smooth_edge() -> Verification:
    """HDR.AL2.2: kappa is right; the coefficient of log(l)/l^2 has the other sign for tanh, and ELU has l^(-3/2)."""
    corrected = []
    for name in ("tanh", "silu"):
        law = on_the_edge(name).correlation_law(3)
        corrected.append(_kappa(name, law))
    return Verification(
        "class S on the Edge of Chaos: c^l = 1 - kappa/l + beta log(l)/l^2 + O(l^-2), kappa = 2/f''(1), beta > 0",
        (),
        Verification(
            "smooth phi, at every pair of positions of an offset whose c^1 are not all 1: c^l = 1 - 2/(f'' l) + "
            "(2/f'')(1 - 2 f'''/(3 f''^2)) log(l)/l^2 + O(l^-2), C the same along the offset; phi'' jumps: l^(-3/2) "
            "too",
            (
                *proofs(on_the_edge("tanh").correlation_law(3)),
                *corrected,
                *fading_checks(on_the_edge("erf").correlation_law(3)),
            ),
        ),
    )


def _kappa(name: str, law: ConvLaw) -> Check:
    """l (l (1 - c^l) - kappa) grows by the coefficient of log(l)/l^2 per unit of log l."""
    net, kappa, log = on_the_edge(name), _by_moments(name, term(law, 1)), _by_moments(name, term(law, 2, 1))
    first, second = (layer * state(net, layer)[0].mean() for layer in (DEEP // 2, DEEP))
    found = (DEEP * (second - kappa) - DEEP // 2 * (first - kappa)) / np.log(2)
    detail = f"kappa = {kappa:.10g}; from layers {DEEP // 2} and {DEEP}"
    return agreement(
        f"{name}: coefficient of $log(l)/l^2$ in $1 - c^l$ from float64 against the law", found, log, 0.05, detail
    )


def _by_moments(name: str, coefficient: Expr) -> float:
    """A coefficient in f2 = f''(1) = q M_2/M_1 and f3 = f'''(1) = q^2 M_3/M_1, M_n = E[phi^(n)(sqrt(q) Z)^2]."""
    net = on_the_edge(name)
    q = number(net.variance)
    with mp.workdps(CHECK_DIGITS):
        _, first, second, third = square_moments(net.activation.piecewise, 4, q, CHECK_DIGITS)
        values = {"f2": q * second / first, "f3": q**2 * third / first}
    constants = {c: Float(values[str(c)], CHECK_DIGITS) for c in coefficient.atoms(NumberSymbol) if str(c) in values}
    return float(coefficient.xreplace(constants))


def relu_edge() -> Verification:
    """HDR.AL3.2: s = 9 pi^2/2, and the rest is of the order log(l)/l^3."""
    net = on_the_edge("relu")
    law = net.correlation_law(4)
    others = [_other_constant("2 sqrt(2)/(3 pi)", 2**1.5 / (3 * np.pi)), _other_constant("9 pi^2/3", 3 * np.pi**2)]
    return Verification(
        "ReLU on the Edge of Chaos: c^l = 1 - s/l^2 + Theta(l^-2), s = 9 pi^2/2 (in the proofs 2 sqrt(2)/(3 pi), 9 "
        "pi^2/3)",
        tuple(others),
        Verification(
            f"{law.plain} = {law}, C the same along the offset",
            (_constant(law), *proofs(law), *constancy_checks(law, DIGITS)),
        ),
    )


def _other_constant(label: str, value: float) -> Check:
    found = DEEP**2 * state(on_the_edge("relu"), DEEP)[0].mean()
    return agreement(f"$l^2 (1 - c^l)$ at $l = {DEEP}$ against $s = {label}$", found, value, 0.05)


def _constant(law: ConvLaw) -> Check:
    found = term(law, 2)
    return coefficient("coefficient of $l^(-2)$ in $1 - c^l$", found, 9 * pi**2 / 2)
