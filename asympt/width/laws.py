"""A law of order 1/n in the depth: of n Var/limit^2, or of n (E/limit - 1), of gap, kernel or NTK (`classes`).

First order holds while kappa L/n is small; at kappa L/n ~ 1 one network on the edge is another network.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from math import factorial, isfinite

import numpy as np
import scipy  # its parts are loaded when first used: they take longer than a law
from sympy import Expr, Integer, exp, floor, oo

from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Monomial
from asympt.numbers import check_depth, check_terms, exact, to_mpf
from asympt.recursions.evaluation import Evaluated
from asympt.recursions.law import Law
from asympt.recursions.protocol import Unknown, limit_of
from asympt.spelling import named
from asympt.width.classes import NetworkClass
from asympt.width.inputs import FLOAT

VARIANCE, MEAN = "variance", "mean"
MOST_TERMS, TRUST = 20, "floating point"
LETTERS = {
    "gap": ("1-c^{L}", "1 - c^L"), "kernel": ("G^{L}_{12}", "G_12"), "kernel-diagonal": ("G^{L}_{11}", "G_11"),
    "ntk": (r"\Theta^{L}_{12}", "Theta_12"), "ntk-diagonal": (r"\Theta^{L}_{11}", "Theta_11"),
    "norm": (r"|y^{L}|^2/n", "|y|^2/n"),
}  # fmt: skip
SHOWN = {
    VARIANCE: (r"\frac{n\operatorname{Var}[X]}{(X)^{2}}", "n Var[X]/limit^2"),
    MEAN: (r"n\left(\frac{\operatorname{E}[X]}{X}-1\right)", "n (E[X]/limit - 1)"),
}
NETWORKS = {"one": VARIANCE, "mean": MEAN}


class OrderOneOverN(Unknown):
    """Numbers are those of the layers (`inputs`)."""

    kind, evidence, starts_from_one = "order 1/n", "width", False
    unproved = "theorems about laws of order 1/n are known for n Var[c^L] (of='correlation') of a ReLU-like phi alone"

    def limit(self, expansion, name: str) -> Expr:
        """That of the expansion; `UnsupportedError` where it says no more than O(1)."""
        if not expansion.terms and expansion.remainder is not None and expansion.remainder.monomial >= Monomial(0):
            raise UnsupportedError(f"{name} stays bounded, and its limit is not derived; use law.evaluate(depth)")
        return limit_of(expansion) if expansion.terms else Integer(0)


@dataclass(frozen=True, repr=False, eq=False)
class WidthLaw(Law):
    """The law of n Var/mean^2, or of n (E - limit)/limit, of one quantity: a `Law`, and

    of, what: the quantity, and 'variance' or 'mean';  per_layer: the coefficient of L;  drift: that of the mean;
    kappa, beta, E: the variance and the mean of the noise, n times, and E phi'^4/(E phi'^2)^2; None in classes whose
    coefficients are numbers.
    """

    of: str = field(default="gap", kw_only=True)
    what: str = field(default=VARIANCE, kw_only=True)
    of_class: NetworkClass | None = field(default=None, kw_only=True, compare=False)
    may_be_bounded = True

    kappa, beta, E = (  # of the noise of one layer; None in classes that have none
        property(lambda law, name=name: getattr(law.of_class.constants, name, None))
        for name in ("kappa", "beta", "flatness")
    )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), "kappa", "beta", "E", "drift", "per_layer", "resummed", "valid_for"})

    @property
    def per_layer(self) -> Expr:
        """The coefficient of L; 0 where the quantity stays bounded."""
        return self.expansion.coefficients.get(Monomial(-1), Integer(0))

    @property
    def drift(self) -> Expr:
        """The coefficient of L/n in the mean of the same quantity."""
        return self._of(MEAN).per_layer

    def _of(self, what: str) -> "WidthLaw":
        """The same quantity's law of its variance or of its mean."""
        given = self.of, what, MOST_TERMS, self.reader, self.layer
        return self if what == self.what else width_law(self.of_class, *given)

    def valid_for(self, width: int, within="10%", network: str | None = None) -> Expr:
        """The largest depth at which the law of infinite width holds `within` a share, for a width.

        network : 'one', its deviation is below the share: within^2 n/per_layer; 'mean', the shift of the mean over
            networks is: within n/|drift|.  Without it: what this law is of.  By the leading term: where it does not
            grow with the depth, oo, or 0 where its limit is beyond the share.

        Raises `InputError` for a width below 2, a share outside (0, 1); `UnsupportedError` where no leading term is
        known.

        >>> from asympt import FeedForward
        >>> law = FeedForward("relu").fluctuation_law(of="gap")
        >>> law.valid_for(width=256), law.valid_for(width=10**6)
        (0, 3750)
        """
        asked = self.what if network is None else NETWORKS[named(network, NETWORKS, "network")]
        law = self._of(asked)
        width, share = check_width(width), read_share(within)
        most = (share**2 if asked == VARIANCE else share) * width
        monomial, coefficient = next(iter(law.expansion.terms), None) or (Monomial(0), law.limit)
        if coefficient.free_symbols:
            raise UnsupportedError(f"{law.plain} = {law} depends on the start; use law.evaluate(depth)")
        if monomial.order < 0:  # a power of L
            return floor((most / abs(coefficient)) ** (-1 / monomial.order))
        if monomial.logs == 1:
            return floor(exp(most / abs(coefficient)))
        return oo if abs(coefficient) <= most else Integer(0)

    def resummed(self, width: int, depth: int) -> float:
        """Var/limit^2, or E/limit - 1, where depth/width is not small: the leading order at a fixed ratio of them.

        The noises of many layers make a diffusion in L/n.  With rates r of kappa and beta and s = L/n, a moment over
        that of the limit is k! exp[r_0 s, ..., r_k s], a divided difference.  Known of one input on the edge (NTK; of a
        ReLU-like phi the kernel too), of the gap in the ordered phase, and of the NTK of one input in the chaotic one.
        What is of order 1/n at a fixed ratio is left out.

        Raises `UnsupportedError` for other quantities, `PrecisionError` where float64 ends.

        >>> from asympt import FeedForward
        >>> law = FeedForward("relu").fluctuation_law("ntk-diagonal")
        >>> round(law.resummed(width=256, depth=32), 3), round(float(law.per_layer) * 32 / 256, 3)
        (0.592, 0.458)
        """
        ratio, rates = check_depth(depth) / check_width(width), self.of_class.rates.get(self.of)
        if rates is None:
            raise UnsupportedError(f"{self.plain}: its law at a fixed depth/width is not known; take fewer layers")
        first, second = (_divided([float(to_mpf(exact(rate, "rate"))) * ratio for rate in part]) for part in rates)
        found = second - first**2 if self.what == VARIANCE else first - 1
        if not isfinite(found):
            raise PrecisionError(f"at depth/width = {ratio:.4g} this is beyond float64; give fewer layers")
        return found

    def evaluate(self, depth: int, correlation=None, digits: int = FLOAT, **start):
        """The quantity at a depth by the layers themselves; starts and digits as for `net.fluctuation`."""
        return super().evaluate(depth, correlation, digits, **start)

    def plot(self, depth: int | None = None, width: float = 5.0, **start):
        """A figure over the depth (100 layers): the layers themselves and the law; the start as in `evaluate`."""
        return import_module("asympt.plots").fluctuation_figure(self, depth, width, **start)  # a floor above this one

    def evaluated_from(self, given, depth: int, digits: int) -> Evaluated:
        found = given.share(self.what, self.of, depth, digits)
        return Evaluated(found, TRUST, "the layers themselves, to leading order in 1/n")

    @property
    def trust(self) -> str:
        """'floating point': there is no theorem on these laws, and what is of order 1/n^2 is not bounded."""
        return TRUST


def _divided(at: list[float]) -> float:
    """k! times the divided difference of exp at k + 1 points, an entry of the exponential of a bidiagonal matrix."""
    with np.errstate(all="ignore"):
        return factorial(len(at) - 1) * float(scipy.linalg.expm(np.diag(at) + np.eye(len(at), k=1))[0, -1])


def check_width(width) -> int:
    """A width, 2 or more."""
    value = exact(width, "width")
    if not (value.is_Integer and 2 <= value <= 10**300):
        raise InputError(f"width = {width} is not a whole number from 2 to 10^300; give the neurons per layer")
    return int(value)


def read_share(within) -> Expr:
    """A share in (0, 1), such as "10%" or 0.1."""
    percent = isinstance(within, str) and within.strip().endswith("%")
    value = exact(within.strip()[:-1], "within") / 100 if percent else exact(within, "within")
    if not (value.is_number and 0 < value < 1):
        raise InputError(f"within = {within} is not a share between 0 and 1; give one such as '10%' or 1/10")
    return value


def width_law(kind: NetworkClass, of: str, what: str, terms: int, reader: Callable, layer=None) -> WidthLaw:
    """The law of a quantity; `what`: 'variance' or 'mean'; `UnsupportedError` where there is none."""
    terms, expansion = check_terms(terms), kind.expansion(of, (VARIANCE, MEAN).index(what))
    quantities = [form.replace("X", letters) for form, letters in zip(SHOWN[what], LETTERS[of], strict=True)]
    return WidthLaw(
        quantities[0], expansion.truncate(terms) if len(expansion.terms) > terms else expansion, reader,
        f"{what} {of}", layer=layer, text=quantities[1], coordinate=OrderOneOverN(), of=of, what=what, of_class=kind,
    )  # fmt: skip
