"""How the condition number grows or settles with depth, from the laws of the network.

With gamma = 1 - c^L, o = K^L(x, x'), d = K^L(x, x), n inputs with equal correlations and variances:

    phase            NNGP, n/gamma - (n-1)        NTK, 1 + n o/(d - o)
    edge of chaos    n/gamma, a power of L        1 + n o/(1 - o), o = 1/4 or 1/3 in units of L d
    ordered          n chi^(-L)/C                 n/(1-chi) over (d - o)/q: L chi^L, or chi^(L/2) for a kink in phi
    chaotic          n/(1 - c*) - (n-1)           1 + n (chi - 1) chi^(-L) c*/(1 - chi*)

Where d - o begins with L chi^L its inverse is no series in powers and logarithms; then only the leading term is given.
Networks whose laws come in units of L q or of the diagonal follow the second line.
"""

from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mp
from sympy import Expr, cancel

from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion
from asympt.numbers import check_depth, check_digits
from asympt.parsing import as_sympy
from asympt.recursions.law import Law

MOST_DIGITS = 200
GUARD = 10
KERNELS = ("nngp", "ntk")
RATIOS = ("scaled", "rates")  # kinds of laws that describe K^L(x, x')/sqrt(K^L(x, x) K^L(x', x'))


@dataclass(frozen=True)
class ConditionLaw:
    """kappa of n inputs with equal correlations at layer L.

    `leading`, what kappa tends to or grows like (in the chaotic phase with the first term that depends on L), SymPy
    with the constants of `law`; `expansion`, more of it where there is more; `law`, of the off-diagonal entry;
    `diagonal`, of the diagonal one, where it is needed; `inputs`, n; `unit`, what `law` describes: the 'gap' 1 - c^L,
    the NTK in units of 'variance', its 'average' over layers in these units, or its 'ratio' to the diagonal.
    """

    leading: Expr
    expansion: Expansion | None
    law: Law
    diagonal: Law | None
    inputs: Expr
    unit: str = "variance"

    def __str__(self) -> str:
        return str(self.expansion) if self.expansion is not None else f"{self.leading} + ..."

    @property
    def stability(self) -> Any:
        """What becomes of inputs whose variance is not the fixed point q: the law is that of inputs with q^1 = q.

        >>> from asympt.architectures import FeedForward
        >>> net = FeedForward.on_edge_of_chaos("gelu", sigma_b="1/5")
        >>> str(condition_law(net, 2).stability).partition(";")[0]
        "unstable: V'(q) = 1.0950406 > 1, so q^1 = q alone has these laws"
        """
        return self.law.stability

    def evaluate(self, depth: int, digits: int = 20, **start):
        """kappa at layer `depth`, an mpmath number; the start is `correlation` = c^1 or `gap` = 1 - c^1.

        Raises `InputError` for bad input, `PrecisionError` when d - o loses more than 200 digits.

        >>> from asympt.architectures import FeedForward
        >>> law = condition_law(FeedForward("relu"), 2)
        >>> print(mpmath.nstr(law.evaluate(10**6, digits=12, gap="1/2"), 12))
        1.66668947536
        """
        depth, digits = check_depth(depth), check_digits(digits)
        size = self.inputs
        if not size.is_number:
            raise InputError(f"inputs = {size} is a symbol; give the number of inputs to evaluate")
        working = digits + GUARD
        while True:
            value, lost = self._value(depth, min(working, MOST_DIGITS), start)
            if working - lost >= digits:
                return value
            if working >= MOST_DIGITS:
                raise PrecisionError(
                    f"at depth {depth} the NTKs of one and of two inputs agree to more than {MOST_DIGITS} digits; ask "
                    "for a smaller depth, or take `leading`"
                )
            working = max(digits + int(lost) + GUARD, 2 * working)

    def _value(self, depth: int, digits: int, start: dict) -> tuple:
        """(kappa, digits lost in the difference)."""
        off = self.law.evaluate(depth=depth, digits=digits, **start)
        with mp.workdps(digits):
            size = mpmath.mpf(int(self.inputs))
            if self.unit == "gap":
                return size / off - (size - 1), 0
            diagonal = mpmath.mpf(1) if self.diagonal is None else self.diagonal.evaluate(depth=depth, digits=digits)
            diagonal = diagonal / depth if self.unit == "average" else diagonal
            bulk = diagonal - off
            if bulk <= 0:
                return mpmath.inf, digits
            return 1 + size * off / bulk, max(0, int(mp.log10(diagonal / bulk)) + 1)


def condition_law(net, inputs, kernel: str = "ntk", terms: int = 3) -> ConditionLaw:
    """The law of the condition number of n inputs with equal correlations.

    Parameters
    ----------
    net : a network with these laws.
    inputs : n, a whole number of at least 2 or a symbol.
    kernel : 'ntk' or 'nngp'.
    terms : how many terms of the network's law to start from.

    Raises
    ------
    InputError : n < 2, an unknown kernel.  UnsupportedError : the network has no law (with the reason), or c* = 0 in
        the chaotic phase, where kappa - 1 of the NTK is smaller than any constant says.

    Source: XPS slides, "Spectrum NNGP", "Spectrum NTK" and "Experiments (I)".

    >>> from sympy import Symbol
    >>> from asympt.architectures import FeedForward
    >>> print(condition_law(FeedForward("relu"), Symbol("n", positive=True), terms=2))
    n/3 + 1 + 2*n*log(L)/(3*L) + O(1/L)
    """
    size = _inputs_of(inputs)
    if not hasattr(net, "ntk_law") or hasattr(net, "positions"):
        raise UnsupportedError(f"net = {net!r} is no dense network with laws of depth; give a FeedForward or the like")
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise InputError(f"kernel = {kernel!r} is unknown; give 'ntk' or 'nngp'")
    if kernel == "nngp":
        law = net.correlation_law(terms)
        return _with(size / law.expansion - (size - 1), law, None, size)
    law = net.ntk_law(terms)
    if law.kind in RATIOS:
        return _with((law.expansion * (size - 1) + 1) / (1 - law.expansion), law, None, size, "ratio")
    diagonal = net.ntk_diagonal_law()
    if law.average:
        same = diagonal.expansion / Expansion.variable(diagonal.expansion.scale)
        return _with((law.expansion * (size - 1) + same) / (same - law.expansion), law, diagonal, size, "average")
    if net.phase == "chaotic":
        return ConditionLaw(_chaotic(law, diagonal, size), None, law, diagonal, size)
    return _ordered(law, diagonal, size)


def _with(expansion: Expansion, law: Law, diagonal: Law | None, size: Expr, unit: str = "gap") -> ConditionLaw:
    """A law whose expansion is known."""
    leading = expansion.scale.to_sympy(expansion.leading[0]) * expansion.leading[1]
    return ConditionLaw(leading, expansion, law, diagonal, size, unit)


def _chaotic(law: Law, diagonal: Law, size: Expr) -> Expr:
    """1 + n (c*/(1 - chi*))/(leading term of d/q)."""
    if law.limit == 0:
        raise UnsupportedError(
            "c* = 0: the NTK of two inputs tends to 0 in units of q and kappa - 1 has no leading constant; use "
            "asympt.training.condition_numbers, or take sigma_b > 0"
        )
    monomial, coefficient = diagonal.expansion.leading
    return 1 + size * law.limit / (coefficient * diagonal.expansion.scale.to_sympy(monomial))


def _ordered(law: Law, diagonal: Law, size: Expr) -> ConditionLaw:
    """d - o has no constant term: what is left decides."""
    bulk = _difference(diagonal.expansion, law.expansion)
    (monomial, coefficient), scale = bulk.leading, bulk.scale
    leading = cancel(size * law.limit / coefficient) / scale.to_sympy(monomial)
    expansion = None if monomial.logs else (diagonal.expansion + law.expansion * (size - 1)) / bulk
    return ConditionLaw(leading, expansion, law, diagonal, size)


def _difference(one: Expansion, two: Expansion) -> Expansion:
    """one - two, with coefficients that vanish identically left out."""
    found = one - two
    terms = {monomial: cancel(coefficient) for monomial, coefficient in found.terms}
    kept = {monomial: value for monomial, value in terms.items() if value != 0}
    return Expansion(found.scale, tuple((m, kept[m]) for m, _ in found.terms if m in kept), found.remainder)


def _inputs_of(value) -> Expr:
    if not isinstance(value, int | Expr) or isinstance(value, bool):
        raise InputError(f"inputs = {value!r} is no number of inputs; give a whole number n >= 2 or a SymPy symbol")
    size = as_sympy(value)
    if size.is_number and not (size.is_integer and size >= 2):
        raise InputError(f"inputs = {value} is not a whole number of at least 2; give the number n of inputs")
    return size


