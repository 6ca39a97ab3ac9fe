"""Closed forms of E[phi(x) phi(y)] and of its derivative kernel, for every phi that has one here.

Problem.  x and y are centred normal variables of variances Q1, Q2 and correlation C.  Recognise the activations for
which E[phi(x) phi(y)] and E[phi'(x) phi'(y)] are finite combinations of elementary functions, erf and Phi_2.

Rule.  `terms` writes phi as a sum of terms  P(x) exp(b x - d x^2) 1{gate}, `pairing` and `machine` integrate a
product of two: exactly in SymPy (`value`, `slope`), in mpmath numbers (`evaluate`, `evaluate_slope`).  The numbers
come from the same recursion, not from the printed formula, so that C = +-1 is an ordinary point.  The slope is the
derivative of the value in C over sqrt(Q1 Q2) (Price's theorem): where phi jumps, it has the deltas of phi' in it.

Tiny case.  erf: (2/pi) asin(2 C sqrt(Q1 Q2)/sqrt((1 + 2 Q1)(1 + 2 Q2))).

What is covered.  Polynomials, exp, sinh, cosh, sin, cos, exp(-d x^2) and their products; step, |x|, ReLU with any
slopes and kink, ELU, SELU, hard tanh, ReLU6, any piecewise polynomial or piecewise polynomial times exponential; erf
and GELU, also with shifts, scales and polynomial factors; sums of all these.

Known limits.  None for tanh, sigmoid, softplus, SiLU, mish, arctan, softsign: no closed form is known.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from mpmath import mp
from sympy import Add, Expr

from asympt.errors import InputError
from asympt.gaussian.closed.arccosine import C
from asympt.gaussian.closed.arithmetic import Q1, Q2, Exact
from asympt.gaussian.closed.digits import total
from asympt.gaussian.closed.families import SOURCES, family
from asympt.gaussian.closed.pairing import pair
from asympt.gaussian.closed.printing import tidy
from asympt.gaussian.closed.terms import Term, pins, read
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import symbol_names, to_mpf

__all__ = ["Q1", "Q2", "C", "ClosedForm", "closed_form"]


@dataclass(frozen=True)
class ClosedForm:
    """E[phi(x) phi(y)] of one activation: formulas in Q1, Q2, C, and their digits.

    `name` is the family, `source` says who published it or what it rests on.
    """

    name: str
    source: str
    terms: tuple[Term, ...]
    slope_terms: tuple[Term, ...]

    @cached_property
    def value(self) -> Expr:
        """E[phi(sqrt(Q1) U) phi(sqrt(Q2) V)] for standard normal U, V of correlation C."""
        return _formula(self.terms)

    @cached_property
    def slope(self) -> Expr:
        """E[phi'(sqrt(Q1) U) phi'(sqrt(Q2) V)], the deltas of phi' included: d value/dC / sqrt(Q1 Q2)."""
        return _formula(self.slope_terms)

    def correlation(self, q: Expr) -> Expr:
        """The value at Q1 = Q2 = q.

        >>> from sympy import Abs, Symbol
        >>> x = Symbol("x", real=True)
        >>> closed_form(PiecewiseSmooth.of(Abs(x), x)).correlation(1)
        2*c*asin(c)/pi + 2*sqrt(1 - c**2)/pi
        """
        return tidy(self.value.subs({Q1: q, Q2: q}))

    def evaluate(self, q1, q2, c):
        """E[phi(sqrt(q1) U) phi(sqrt(q2) V)] at mpmath's current precision, c from -1 to 1, the ends included.

        Raises `InputError` for q <= 0, |c| > 1, symbols in phi, or variances for which the expectation diverges.
        """
        return _digits(self.terms, q1, q2, c)

    def evaluate_slope(self, q1, q2, c):
        """The derivative kernel at mpmath's current precision; infinite at c = +-1 where two jumps meet."""
        return _digits(self.slope_terms, q1, q2, c)


@lru_cache(maxsize=256)
def closed_form(phi: PiecewiseSmooth) -> ClosedForm | None:
    """The closed form of E[phi(x) phi(y)], or None when phi is not one of the families above.

    >>> from sympy import Symbol, erf, tanh
    >>> x = Symbol("x", real=True)
    >>> form = closed_form(PiecewiseSmooth.of(erf(x), x))
    >>> form.value, form.name
    (2*asin(2*c*sqrt(q_1)*sqrt(q_2)/(sqrt(2*q_1 + 1)*sqrt(2*q_2 + 1)))/pi, 'erf')
    >>> closed_form(PiecewiseSmooth.of(tanh(x), x)) is None
    True
    """
    terms, regular = read(phi), read(phi.derivative())
    if terms is None or regular is None:
        return None
    name = family(terms)
    return ClosedForm(name, SOURCES[name], terms, regular + pins(phi))


def _formula(terms: tuple[Term, ...]) -> Expr:
    exact = Exact()
    summands = [value for a in terms for b in terms for value, _ in pair(a, b, (Q1, Q2), C, exact)]
    return tidy(Add(*summands), exact.names)


def _digits(terms: tuple[Term, ...], q1, q2, c):
    """Checked input, then the sum."""
    _check_numbers(terms)
    q1, q2, c = (to_mpf(value) if isinstance(value, Expr) else mp.convert(value) for value in (q1, q2, c))
    for name, q in (("q1", q1), ("q2", q2)):
        if not 0 < q < mp.inf:
            raise InputError(f"{name} = {mp.nstr(q, 10)} is not a variance; give a positive number")
    if not abs(c) <= 1:
        raise InputError(f"c = {mp.nstr(c, 10)} is not a correlation; give a number from -1 to 1")
    return total(terms, q1, q2, c)


@lru_cache(maxsize=256)
def _check_numbers(terms: tuple[Term, ...]) -> None:
    """Parameters must be numbers before digits are asked for."""
    gates = [x for t in terms if t.gate for x in (t.gate.slope, t.gate.noise, t.gate.threshold)]
    values = [x for t in terms for x in (*t.polynomial, t.rate, t.curvature)] + gates
    unknown = set().union(*(value.free_symbols for value in values)) if values else set()
    if unknown:
        raise InputError(f"the activation depends on {symbol_names(unknown)}; give numbers for them to get digits")
