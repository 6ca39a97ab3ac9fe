"""The laws of order 1/n by class of network: coefficients of L in n Var/limit^2 and in n (E/limit - 1).

    class                   Var gap    gap                Var NTK_11  NTK_11   Var NTK_12                 NTK_12
    ReLU-like, m4/m2^2 = mu 4 mu/3     0                  (7 mu-3)/3  0        (52 mu-15)/15              3 mu/5
    edge, phi' continuous   kappa/3    beta/2 - kappa/6   kappa/3     beta/2   11 (kappa+4E)/105          kappa/20
    edge, phi' jumps        kappa/3    beta/2 - kappa/8   kappa/3     beta/2   (kappa+4E)/12              -
    edge, q -> 0 (K* = 0)   (1+c)^2    c (1+c)/2          2/3         -1/4     2/3 + (1-c^2)^2/(3 c^2)    (c^2-2)/4
    same, phi'' jumps at 0  -          -                  2/3         -1/6     -                          -
    linear; q -> 0 below    (1+c)^2    c (1+c)/2          4/3         0        1 + 1/(3 c^2)              0
    ordered                 kappa      beta (V'^2 < chi)  O(1)        O(1)     O(1)                       O(1)
    chaotic                 O(1)       O(1)               kappa       beta     like chi^(2L)              O(1)

kappa, beta, E: `constants`; c is the limit of the correlation, which depends on the start.  The noise of one layer is
multiplicative with variance kappa/n; along g' = g - k g^p it is remembered like (m/L), so that Var g = kappa L int u^2
du, kappa/3 for every p, and E g shifts by beta/2 - p kappa/12.  ReLU-like: kappa = 4 mu, beta = mu, p = 3/2.  Where
K* = 0, log G_12 adds the noise of c, which is kept, to that of the norms, remembered like (m/L).  There kappa = 2,
beta = 0, p = 2 for q itself, and p = 3/2 where phi'' jumps at 0 (elu, softsign), q ~ 4/(a L)^2, NTK_11 ~ L q.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from sympy import Expr, Rational, Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.activations import at_zero
from asympt.meanfield.edge import is_odd, phase_of
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf
from asympt.symbols import Reserved
from asympt.width.constants import Noise, NoiseConstants

L = Reserved("L", positive=True)
LIMIT = Symbol("c_infty", real=True)  # of the correlation, where it depends on the start
KEPT = 16  # classes of layers
CLOSE = 1e-9  # relative distance at which two rates are one


def in_depth(coefficients: dict, remainder: tuple | None) -> Expansion:
    """In powers of L and log L: {(order, logs): coefficient}."""
    return Expansion.build(Scale.at_infinity(L), coefficients, remainder and Formal(Monomial(*remainder)))


def linear(slope, rest: tuple = (0, 1)) -> Expansion:
    """slope L + O(log L), or + O(1) for `rest` (0, 0)."""
    return in_depth({(-1, 0): slope}, rest)


def approached(value: Expr, rate: Expr, power: int) -> Expansion:
    """value + O(rate^L L^power)."""
    return Expansion.build(Exponential(L, base=rate), {(0, 0): value}, Formal(Monomial(1, power)))


BOUNDED, NOTHING = in_depth({}, (0, 0)), in_depth({}, None)


@dataclass(frozen=True)
class NetworkClass:
    """A class of networks.

    `title`: which networks, after "derived";  `laws`: {quantity: (of the variance, of the mean)}, an expansion, None
    where none is derived, or why there is none;  `constants`: those of the noise, None where coefficients are numbers.
    """

    title: str
    laws: dict
    constants: NoiseConstants | Noise | None = None
    rates: dict = field(default_factory=dict)  # {quantity: (of its mean, of its square)}, of `WidthLaw.resummed`

    def expansion(self, of: str, what: int) -> Expansion:
        """The law of a quantity, of its variance (0) or its mean (1)."""
        if of == "correlation":
            raise UnsupportedError("the correlation has the law of its gap; ask for of='gap'")
        found = self.laws.get(of, (None, None))[what]
        if isinstance(found, Expansion):
            return found
        name = ("variance", "mean")[what]
        raise UnsupportedError(
            found or f"no law of the {name} of the {of} is derived {self.title}; net.fluctuation and "
            "net.width_correction give numbers at any depth"
        )


@lru_cache(maxsize=KEPT)
def class_of(layer: Layer) -> NetworkClass:
    """That of a layer; `UnsupportedError` where no variance settles."""
    if layer.activation.is_constant:
        raise UnsupportedError(f"activation {layer.activation.name!r} is constant and passes on no input; take another")
    if layer.is_scale_free:
        return LINEAR if layer.activation.is_linear else _relu_like(*layer.activation.slopes)
    if layer.fixed_variance == 0:
        return _vanishing(layer)
    phase, found = phase_of(layer), NoiseConstants(layer)
    laws = {"ordered": _ordered, "chaotic": _chaotic, "edge of chaos": _edge}[phase]
    slope = to_mpf(found.moments["x1"])
    if not abs(slope) < 1:
        raise UnsupportedError(
            f"V'(q) = {float(slope):.6g}: fluctuations of the variance grow there, so no law of order 1/n holds; "
            "take a network with a stable q"
        )
    limits = (approached(found.settled(letter), abs(found.moments["x1"]), 1) for letter in "VM")
    known = {"kernel-diagonal": tuple(limits), **laws(found)}
    return NetworkClass("where phi' jumps", known, found, _rates(phase, found))


def flatness(slopes: tuple[Expr, Expr]) -> Expr:
    """mu = m_4/m_2^2 of two slopes."""
    right, left = slopes
    return 2 * (right**4 + left**4) / (right**2 + left**2) ** 2


def _relu_like(right: Expr, left: Expr) -> NetworkClass:
    """No scale: on the edge whatever sigma_w is; kernel and NTK of one input, in units of q_l, are exact.

    Products of independent factors (Hanin and Nica 2020; PDLT (4.31)), and for the NTK
    (1/L^2) sum over layers i, j of (3 mu - 1)(L - 1 - |i - j|) + (mu - 1)|i - j|.
    """
    mu = flatness((right, left))
    square = 3 * mu - 1
    return NetworkClass("for a ReLU-like phi", {
        "gap": (in_depth({(-1, 0): 4 * mu / 3, (0, 1): 2 * mu}, (0, 0)), BOUNDED),
        "kernel": (linear(square, (0, 0)), BOUNDED),
        "kernel-diagonal": (in_depth({(-1, 0): square, (0, 0): -square}, None), NOTHING),
        "ntk": (linear((52 * mu - 15) / 15), linear(3 * mu / 5)),
        "ntk-diagonal": (in_depth({(-1, 0): (7 * mu - 3) / 3, (0, 0): -square, (1, 0): 2 * mu / 3}, None), NOTHING),
    }, Noise(4 * mu, mu, mu), {
        "kernel-diagonal": ((0,), (square,)), "ntk-diagonal": ((0, 0), (square, mu - 1, square)),
    })  # fmt: skip


STANDING = linear((1 + LIMIT) ** 2), linear(LIMIT * (1 + LIMIT) / 2)  # the gap of a correlation that stops
LINEAR = NetworkClass("for a linear phi, or one whose variance falls geometrically", {
    "gap": STANDING,
    "kernel": (linear(1 + 1 / LIMIT**2), BOUNDED),
    "kernel-diagonal": (linear(2), BOUNDED),
    "ntk": (linear(1 + 1 / (3 * LIMIT**2)), BOUNDED),
    "ntk-diagonal": (linear(Rational(4, 3)), BOUNDED),
})  # fmt: skip


def _vanishing(layer: Layer) -> NetworkClass:
    """The variance falls to 0; where it does so like 1/(a L), K* = 0 of PDLT, coefficients do not know a."""
    line, slopes = at_zero(layer.activation.piecewise, 2), layer.activation.small_variance
    if line is not None and line[0] == 0 != line[1] and to_mpf(layer.weight_variance * line[1] ** 2) < 1:
        return LINEAR
    third, phi = Rational(1, 3), layer.activation.piecewise
    if line is not None and line[0] == 0 and 0 in phi.breaks and phi.jump(phi.breaks.index(0), 2) / line[1] < 0:
        return NetworkClass("where the variance falls to 0 like 1/L^2", {
            "kernel-diagonal": (linear(2 * third), linear(-Rational(1, 4))),
            "ntk-diagonal": (linear(2 * third), linear(-third / 2)),
        })  # fmt: skip
    if slopes is None or not slopes[0] < 0:
        raise UnsupportedError(
            "the Taylor series of phi at 0 to third order does not show that the variance falls to 0 like 1/L, and "
            "laws of order 1/n are derived for no other decay; take sigma_b > 0 or another sigma_w"
        )
    laws = {"kernel-diagonal": (linear(2 * third), linear(-third))}
    if slopes[0] == slopes[1]:  # phi''(0) = 0: chi and V' have one slope at q = 0, and the correlation stops
        laws |= {
            "gap": STANDING,
            "kernel": (linear(LIMIT**2 / 3 - 2 * third + LIMIT**-2), linear((LIMIT**2 - 3) / 6)),
            "ntk": (linear(2 * third + third * (1 - LIMIT**2) ** 2 / LIMIT**2), linear((LIMIT**2 - 2) / 4)),
            "ntk-diagonal": (linear(2 * third), linear(-Rational(1, 4))),
        }
    return NetworkClass("where the variance falls to 0 like 1/L", laws)


# ---- the variance settles at q > 0; the laws of each phase but that of the variance -----------------


def _edge(found: NoiseConstants) -> dict:
    """chi = 1: g' = g - k g^p, p = 2, or 3/2 where phi' jumps."""
    kappa, beta = found.kappa, found.beta
    noise, shift = kappa + 4 * found.flatness, found.settled("M")
    jumps = found.layer.activation.singular_order == 1
    moved = beta / 2 - kappa / (8 if jumps else 6)  # of the gap
    if not jumps:  # there it is 2/(f''(1) L): in G_12 the product counts
        shift -= 2 * moved / found.curvature
    return {
        "gap": (linear(kappa / 3), linear(moved)),
        "ntk": (linear(noise / 12), None) if jumps else (linear(11 * noise / 105), linear(kappa / 20)),
        "ntk-diagonal": (linear(kappa / 3), linear(beta / 2)),
        "kernel": (in_depth({(0, 0): found.settled("V")}, (1, 1)), in_depth({(0, 0): shift}, (1, 1 if jumps else 2))),
    }


def _rates(phase: str, found: NoiseConstants) -> dict:
    """A product of independent factors, or on the edge the sum of those from each layer on."""
    beta, square = found.beta, 2 * found.beta + found.kappa
    if phase == "edge of chaos":
        return {"ntk-diagonal": ((0, beta), (0, beta, square))}
    if phase == "ordered" and _fed(*(float(to_mpf(at)) for at in (found.moments["x"], found.moments["x1"] ** 2))):
        return {}
    return {"ntk-diagonal" if phase == "chaotic" else "gap": ((beta,), (square,))}


def _ordered(found: NoiseConstants) -> dict:
    """chi < 1: the gap is a product of independent factors, NTK and kernel settle."""
    chi, slope = found.moments["x"], abs(found.moments["x1"])
    rate = max(chi, slope, key=to_mpf)
    kernel, ntk = (tuple(approached(found.settled(letter), rate, 2) for letter in letters) for letters in ("VM", "Am"))
    mean = _fed(float(to_mpf(chi)), float(to_mpf(slope**2))) or linear(found.beta, (0, 0))
    return {"gap": (linear(found.kappa, (0, 0)), mean), "kernel": kernel, "ntk": ntk, "ntk-diagonal": ntk}


def _fed(chi: float, square: float) -> str:
    """Why the mean gap does not shift like L, if so."""
    if abs(square / chi - 1) < CLOSE:
        return f"V'(q)^2 = chi = {chi:.6g} is a resonance, at which the mean gap shifts like L^2 and not like L"
    return "" if square < chi else (
        f"V'(q)^2 = {square:.6g} > chi = {chi:.6g}: fluctuations of the norms feed the mean gap, which shifts like "
        f"{square / chi:.6g}^L and not like L; net.width_correction has its numbers"
    )  # fmt: skip


def _chaotic(found: NoiseConstants) -> dict:
    """chi > 1: NTK_11 is a product; B1 of NTK_12 is multiplied by chi^2 in every layer, whatever its mean does."""
    layer = found.layer
    beside = "the correlation tends to c* = 0, and the limit with it, of which this is a share; ask net.fluctuation"
    bounded = beside if layer.bias_variance == 0 and is_odd(layer.activation) else BOUNDED
    settled = {"gap": (BOUNDED, BOUNDED), "kernel": (bounded, bounded)}
    if layer.activation.jumps(0):  # chi is infinite and there is no NTK
        return settled
    chi = float(to_mpf(found.moments["x"]))
    leaves = (
        f"chi = {chi:.6g} > 1: Theta_12 settles in the mean alone, its deviation grows like chi^L/sqrt(n), so one "
        f"network leaves the law after about log(n)/(2 log(chi)) = {1 / (2 * log(chi)):.4g} log(n) layers"
    )
    return settled | {
        "ntk": (leaves, bounded), "ntk-diagonal": (linear(found.kappa, (0, 0)), linear(found.beta, (0, 0))),
    }
