"""Closed forms of E[phi(x) phi(y)] and of its derivative kernel, for every phi that has one here.

Problem.  x and y are centred normal variables of variances Q1, Q2 and correlation C.  Recognise the activations for
which E[phi(x) phi(y)] and E[phi'(x) phi'(y)] are finite combinations of elementary functions, erf and Phi_2.

Rule.  `terms` writes phi as a sum of terms  P(x) exp(b x - d x^2) 1{gate}, `pairing` and `machine` integrate a
product of two: exactly in SymPy (`value`, `slope`), in Arb's numbers (`evaluate`, `evaluate_slope`).  The numbers
come from the same recursion, not from the printed formula, so that C = +-1 is an ordinary point.  The slope is the
derivative of the value in C over sqrt(Q1 Q2) (Price's theorem): where phi jumps, it has the deltas of phi' in it.

Tiny case.  erf: (2/pi) asin(2 C sqrt(Q1 Q2)/sqrt((1 + 2 Q1)(1 + 2 Q2))).

Digits.  The sum over pairs of terms may be much smaller than its summands (large variances, thresholds far out, c near
+-1).  Work with GUARD bits more, and with as many more as 1 - |c| is small, because conditional variances are
q (1 - c^2).  Compare the sum with what its summands would be without their gates: the bits lost between them are added
and the sum is done again, twice at most.  A sum still below the rounding errors is 0, as it is at c = 0 for odd phi
and at c = -1 for ReLU (1/4 - 1/4), provided that these errors are small: summands like exp(2 q) of ELU take as many
bits as they have, up to MOST_BITS.  A true value below 2^-(3 p) of its summands, and below 2^-p, p the precision in
bits, is returned as 0; summands above 2^MOST_BITS (ELU at q = 1,400) raise `PrecisionError`.

What is covered.  Polynomials, exp, sinh, cosh, sin, cos, exp(-d x^2) and their products; step, |x|, ReLU with any
slopes and kink, ELU, SELU, hard tanh, ReLU6, any piecewise polynomial or piecewise polynomial times exponential; erf
and GELU, also with shifts, scales and polynomial factors; sums of all these.

Known limits.  None for tanh, sigmoid, softplus, SiLU, mish, arctan, softsign: no closed form is known.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from flint import arb
from mpmath import mp
from sympy import Add, Expr

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import InputError, PrecisionError
from asympt.gaussian.closed.arccosine import C
from asympt.gaussian.closed.arithmetic import NOISE_BITS, Q1, Q2, Digits, Exact
from asympt.gaussian.closed.pairing import pair
from asympt.gaussian.closed.printing import tidy
from asympt.gaussian.closed.terms import Gate, Term, pins, read
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


# ---- names and sources -------------------------------------------------------------------------------


MACHINE = "Owen 1956, Tables for computing bivariate normal probabilities; Gaussian integration by parts (Stein)"
SOURCES = {
    "polynomial": "Isserlis 1918, On a formula for the product-moment coefficient of any order",
    "exponential": "the moment generating function of a normal vector",
    "trigonometric": "the characteristic function of a normal vector",
    "Gaussian": "Williams 1997, Computing with infinite networks (Gaussian hidden units)",
    "erf": "Williams 1997, Computing with infinite networks (sigmoidal hidden units)",
    "erf times polynomial": "Tsuchida et al. 2021, Avoiding kernel fixed points: computing with ELU and GELU infinite "
    "networks",
    "step": "Sheppard 1899 (quadrant probability); Cho and Saul 2009, order 0",
    "ReLU-like": "Cho and Saul 2009, Kernel methods for deep learning, order 1",
    "one-sided powers": "Cho and Saul 2009, Kernel methods for deep learning, order n",
    "piecewise polynomial": MACHINE,
    "piecewise exponential": "Tsuchida et al. 2021, Avoiding kernel fixed points: computing with ELU and GELU infinite "
    "networks (ELU); " + MACHINE,
    "mixed": MACHINE,
}


def family(terms: tuple[Term, ...]) -> str:
    """A key of `SOURCES`."""
    kinked = any(t.gate is not None and t.gate.noise == 0 for t in terms)
    noisy = any(t.gate is not None and t.gate.noise != 0 for t in terms)
    curved, tilted = any(t.curvature != 0 for t in terms), any(t.rate != 0 for t in terms)
    if curved or (noisy and (kinked or tilted)):
        return "Gaussian" if curved and not (noisy or kinked) else "mixed"
    if noisy:
        plain = [t for t in terms if t.gate is None]
        constant = all(len(t.polynomial) == 1 for t in terms if t.gate is not None)
        return "erf" if constant and all(len(t.polynomial) == 1 for t in plain) else "erf times polynomial"
    return _kinked(terms, tilted) if kinked else _entire(terms, tilted)


def _entire(terms: tuple[Term, ...], tilted: bool) -> str:
    if not tilted:
        return "polynomial"
    return "trigonometric" if any(t.rate.is_real is False for t in terms) else "exponential"


def _kinked(terms: tuple[Term, ...], tilted: bool) -> str:
    if tilted:
        return "mixed" if any(t.rate.is_real is False for t in terms) else "piecewise exponential"
    if any(t.gate is not None and t.gate.threshold != 0 for t in terms):
        return "piecewise polynomial"
    powers = {n for t in terms for n, k in enumerate(t.polynomial) if k != 0}
    if powers <= {0}:
        return "step"
    return "ReLU-like" if powers == {1} else "one-sided powers" if len(powers) == 1 else "piecewise polynomial"


# ---- digits ------------------------------------------------------------------------------------------


GUARD = NOISE_BITS + 16
MOST_BITS = 4000


def total(terms: tuple[Term, ...], q1, q2, c):
    """The sum over all pairs at mpmath's current precision; mpmath numbers in, |c| <= 1."""
    room = max(0, -mp.mag(1 - abs(c))) if abs(c) < 1 else 0
    base, lost, zeros = mp.prec + GUARD + room, 0, 0
    for most in (0, base, 3 * base):
        extra = min(lost, most)
        with mp.workprec(base + extra):
            value, size = _summed(terms, q1, q2, c)
        if not mp.isfinite(value):
            return value
        zeros += not value
        lost = mp.mag(size) - mp.mag(value) if value else base
        if zeros == 2 or not size:
            break
        if lost <= extra + GUARD - NOISE_BITS:
            return +value
    return _resolved(terms, (q1, q2), c, base, mp.mag(size) if size else 0)


def _resolved(terms, variances, c, base: int, room: int):
    """The sum to an absolute error of 2^-base, where rounding left nothing of summands of 2^room."""
    if room <= base:
        return mp.zero
    if room > MOST_BITS:
        raise PrecisionError(
            f"at the variances {mp.nstr(variances[0], 6)} and {mp.nstr(variances[1], 6)} the closed form is a "
            f"difference of terms of 10^{int(room * 0.30103)}; evaluate it by quadrature"
        )
    with mp.workprec(2 * base + room):
        value, _ = _summed(terms, *variances, c)
    return +value if mp.mag(value) > -base else mp.zero


def _summed(terms, q1, q2, c):
    """The sum, and the sum of the summands' sizes, in Arb's numbers at mpmath's current precision."""
    with working(mp.prec):
        numbers = tuple(_numeric(term, mp.prec) for term in terms)
        variances, correlation, alike = (of_mpf(q1), of_mpf(q2)), of_mpf(c), q1 == q2
        summands = []
        for i, first in enumerate(numbers):
            for j, second in enumerate(numbers):
                if not alike or i == j:
                    summands += pair(first, second, variances, correlation, Digits)
                elif i < j:
                    summands += 2 * pair(first, second, variances, correlation, Digits)
        value, size = sum((v for v, _ in summands), arb(0)), sum((abs(s) for _, s in summands), arb(0))
        return midpoint(value.real), midpoint(size)


@lru_cache(maxsize=4096)
def _numeric(term: Term, precision: int) -> Term:
    """The term in Arb's numbers (at the current precision, which is the key)."""
    number, gate = Digits.number, term.gate
    if gate is not None:
        gate = Gate(number(gate.slope), number(gate.noise), number(gate.threshold), gate.pinned)
    polynomial = tuple(number(k) for k in term.polynomial)
    return Term(polynomial, number(term.rate), number(term.curvature), gate)
