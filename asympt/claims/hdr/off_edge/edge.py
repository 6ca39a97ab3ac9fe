"""Decisions on HDR Section 6.2: the printed points of the Edge of Chaos, and who has none.

A point is printed with so many decimals; it is on the curve as printed when sigma_w of the Edge of Chaos for the
printed sigma_b rounds to it.  Where it is not, chi - 1 says how far off it is, and the correlation depth scale
-1/log chi (Schoenholz et al. 2017) says after how many layers the network behaves differently.
"""

from functools import partial

import mpmath
from mpmath import mp
from sympy import Rational, sqrt

from asympt.architectures import FeedForward
from asympt.claims.figures import CHECK_DIGITS, number, state
from asympt.claims.forms import at_most, identity, inequality, small
from asympt.claims.scopes import on_edge
from asympt.evidence.check import Check, Verification
from asympt.gaussian.moments import square_moments
from asympt.meanfield.activations import activation
from asympt.meanfield.edge import edge_of_chaos
from asympt.meanfield.variance import VarianceMap
from asympt.numbers import to_mpf

BIAS = Rational(1, 5)
SHOWN = 15
DEPTHS, TENTH = (10, 30, 60, 100, 150, 200, 250, 300, 400, 500, 1000, 3000), 0.9


def relu_point() -> Verification:
    """HDR.S6.2-eoc-relu: sigma_w^2 E[phi'^2] = 2/2."""
    chi = FeedForward("relu", sigma_w=sqrt(2)).layer.chi
    return Verification(
        "(0, sqrt 2) is on the Edge of Chaos of ReLU", (identity("$sigma_w^2 E[phi'^2] - 1$", chi - 1),)
    )


def printed_point(name: str, printed: str) -> Verification:
    """HDR.S6.2-eoc-tanh, -elu: chi - 1 at the printed point, and sigma_w of the Edge of Chaos for sigma_b = 1/5."""
    net, point = (
        FeedForward(name, sigma_w=Rational(printed), sigma_b=BIAS),
        edge_of_chaos(name, sigma_b=BIAS, digits=20),
    )
    rounding = Rational(1, 2) / 10 ** len(printed.split(".")[1])
    figure = abs(point.sigma_w - to_mpf(Rational(printed)))
    checks = (
        at_most(
            f"|sigma_w of the Edge of Chaos at sigma_b = 0.2 - {printed}|", figure, float(rounding),
            "half a unit of the last printed decimal", digits=6
        ),
        _chi_off(net),
    )
    return Verification(f"(0.2, {printed}) is on the Edge of Chaos of {name}", checks, _true_point(name, point, net))


def _chi_off(net: FeedForward) -> Check:
    """chi - 1 there, and from which depth on it shows."""
    chi = float(number(net.layer.chi))
    scale = -1 / mp.log(chi)
    detail = f"ordered phase: the correlation depth scale -1/log chi is {mpmath.nstr(scale, 5)} layers"
    return at_most("$|chi - 1|$ at the printed point", abs(chi - 1), 1e-3, detail, digits=6)


def _true_point(name: str, point, net: FeedForward) -> Verification:
    """q = V(q) and chi = 1 at the computed point, by the moments; and K^L/(qL) of both points at depth."""
    with mp.workdps(CHECK_DIGITS + 10):
        exact = edge_of_chaos(name, sigma_b=BIAS, digits=CHECK_DIGITS + 5)
        zeroth, first = square_moments(on_edge(name).activation.piecewise, 2, exact.q, CHECK_DIGITS + 5)
        variance = abs(to_mpf(BIAS) ** 2 + exact.sigma_w**2 * zeroth - exact.q)
        off = abs(exact.sigma_w**2 * first - 1)
    checks = (
        small("$|V(q) - q|$", variance, CHECK_DIGITS),
        small("$|sigma_w^2 E[phi'^2] - 1|$", off, CHECK_DIGITS),
        _difference_shows(name, net),
    )
    return Verification(
        f"sigma_w = {mpmath.nstr(point.sigma_w, SHOWN)}, q = {mpmath.nstr(point.q, SHOWN)} at sigma_b = 0.2", checks
    )


def _difference_shows(name: str, net: FeedForward) -> Check:
    """The depth at which K^L/q of the printed point has fallen a tenth below that of the Edge of Chaos."""
    shares = {}
    for depth in DEPTHS:
        shares[depth] = state(net, depth)[1] / state(on_edge(name), depth)[1]
        if shares[depth] < TENTH:
            break
    detail = ", ".join(f"{share:.4f} at L = {depth}" for depth, share in shares.items())
    return inequality(
        f"$K^L/q$ over that of the Edge of Chaos at $L = {depth}$, the first depth a tenth below it "
        "or the last looked at",
        shares[depth],
        f"< {TENTH}",
        f"c^1 = 1/10, K^L(printed)/K^L(Edge of Chaos) in units of q: {detail}",
    )


tanh_point = partial(printed_point, "tanh", "1.298")
elu_point = partial(printed_point, "elu", "1.225")


def without_edge() -> Verification:
    """HDR.S6.2-noeoc: where sigmoid's curve begins, and a point of it."""
    return Verification("softplus and sigmoid have no Edge of Chaos", (), _sigmoid_point())


def _beginning() -> str:
    """The q at which s(q) = q - E[phi^2]/E[phi'^2] of sigmoid changes its sign: sigma_b = 0 there."""
    with mp.workdps(CHECK_DIGITS):
        phi = activation("sigmoid").piecewise

        def s(q):
            zeroth, first = square_moments(phi, 2, q, CHECK_DIGITS)
            return q - zeroth / first

        return mpmath.nstr(mp.findroot(s, (45, 46.5), solver="anderson", tol=mpmath.mpf(10) ** -12), 8)


def _sigmoid_point() -> Verification:
    """A point of sigmoid's Edge of Chaos, put back into both equations."""
    bias = Rational(1)
    point = edge_of_chaos("sigmoid", sigma_b=bias, digits=CHECK_DIGITS)
    phi = activation("sigmoid")
    with mp.workdps(CHECK_DIGITS + 5):
        image = VarianceMap(phi, point.exact_sigma_w**2, bias**2)
        variance = abs(image(point.q, CHECK_DIGITS) / point.q - 1)
        off = abs(image.chi(point.q, CHECK_DIGITS) - 1)
    checks = (
        small("$|V(q)/q - 1|$", variance, CHECK_DIGITS - 2),
        small("$|chi - 1|$", off, CHECK_DIGITS - 2),
    )
    return Verification(
        f"sigmoid has one, which begins at q = {_beginning()}, for example sigma_b = 1, "
        f"sigma_w = {mpmath.nstr(point.sigma_w, SHOWN)}, "
        f"q = {mpmath.nstr(point.q, SHOWN)}; softplus has none",
        checks,
    )
