"""The series of the original recursion that a symbolic check needs: from SymPy, and not from the derivation.

SymPy's `series` is known to err: closed form minus series must vanish to the order asked, in numbers.  A map without a
closed form has the coefficients that its law states, which `equations` holds against the map.  Where the step size
depends on the layer, T' = -1/h is integrated term by term, and the clock is the integral of the step size: a log v or
a v^(1-kappa)/(1-kappa), v = l + beta, for delta_l = a (l + beta)^(-kappa), and for alpha/(l^kappa + alpha) the sum of
-(-alpha)^n l^(1 - n kappa)/(1 - n kappa), a log l among them.
"""

from collections import namedtuple
from dataclasses import dataclass

from sympy import Abs, Add, Expr, Integer, PoleError, Rational, atan2, ceiling, expand, ilcm, powdenest, series, sign

from asympt.errors import UnsupportedError
from asympt.evidence.check import is_short, shortfall
from asympt.evidence.law_terms import function_of
from asympt.evidence.symbolic.zero import Contradiction, zero_by
from asympt.meanfield.correlation import CorrelationMap
from asympt.symbols import Reserved

T = Reserved("t", positive=True)
POINT = Rational(1, 10**6)
ROOTS = (1, 2, 3, 4, 6)
Power = namedtuple("Power", "order logs")
Terms = namedtuple("Terms", "terms")


def taylor(expression: Expr, count: int, shift: int = 0) -> list[Expr]:
    """Coefficients of expression / t^shift in t, by SymPy's `series`, accepted only after a numeric test.

    >>> from sympy import sin
    >>> taylor(sin(T), 3, shift=1)
    [1, 0, -1/6]
    """
    if T not in expression.free_symbols:
        return [expression if k + shift == 0 else expression * 0 for k in range(count)]
    expanded = _sympy_series(expression, count + shift)
    coefficients = [expanded.coeff(T, k + shift) for k in range(count)]
    _accept(expression, expanded, count + shift)
    return coefficients


def laurent(expression: Expr, last: int) -> tuple[int, int, list[Expr]]:
    """(root, first, coefficients): the expression is the sum of c_j t^((first + j)/root), up to t^last at least.

    >>> from sympy import sqrt
    >>> laurent(sqrt(T + T**2), 2)
    (2, 1, [1, 0, 1/2, 0])
    """
    for root in ROOTS:
        in_root = powdenest(expression.subs(T, T**root), force=True)
        known = _powers(_sympy_series(in_root, max(last, 0) * root + 1))
        if known is None:
            continue
        first = min(known, default=0)
        expanded = sum((c * T**k for k, c in known.items()), Integer(0))
        _accept(in_root, expanded, last * root + 1)
        return root, first, [known.get(k, Integer(0)) for k in range(first, last * root + 1)]
    raise UnsupportedError(f"SymPy finds no series of {expression} in a root of {T} up to the {ROOTS[-1]}th")


def _powers(expanded: Expr) -> dict[int, Expr] | None:
    """{power: coefficient} of a sum of whole powers of t; None when it is something else."""
    known = {}
    for term in Add.make_args(expand(expanded, log=False)):
        coefficient, power = term.as_coeff_exponent(T)
        if T in coefficient.free_symbols or not power.is_Integer:
            return None
        known[int(power)] = known.get(int(power), Integer(0)) + coefficient
    return {k: c for k, c in known.items() if c != 0}


def _sympy_series(expression: Expr, order: int) -> Expr:
    try:
        return series(_written_out(expression), T, 0, order).removeO()
    except (PoleError, NotImplementedError, ArithmeticError, TypeError, ValueError) as error:  # all of them SymPy's
        raise UnsupportedError(f"SymPy finds no series of {expression} ({error})") from None


def _written_out(expression: Expr) -> Expr:
    """|g|, sign(g) and the angle of a real g as what they are for small t, where g is not 0 at t = 0.

    SymPy's series of them has no end: re(sqrt(1 - t)) is sqrt|1 - t| cos(atan2(0, 1 - t)/2).
    """

    def side(g: Expr) -> Integer | None:
        there = g.subs(T, 0)
        return Integer(1) if there.is_positive else Integer(-1) if there.is_negative else None

    found = expression.replace(Abs, lambda g: side(g) * g if side(g) else Abs(g))
    found = found.replace(sign, lambda g: side(g) or sign(g))
    return found.replace(atan2, lambda h, g: atan2(h, side(g) or g) if h == 0 else atan2(h, g))


def _accept(expression: Expr, expanded: Expr, order: int) -> None:
    point = {s: Rational(2 + 3 * k, 7) for k, s in enumerate(sorted(expression.free_symbols - {T}, key=str))}
    exact, approximate = (function_of(e.subs(point), T) for e in (expression, expanded))
    if is_short(shortfall(lambda t: exact(t) - approximate(t), order, POINT)):
        raise UnsupportedError(f"SymPy's series of {expression} differs from it by more than O(t^{order})")


def has_formula(law) -> bool:
    """Whether the recursion is known in closed form (its coefficients are then not taken from the law)."""
    linear = law.dynamics.linear
    return law.dynamics.formula is not None and (linear is None or linear.formulas is not None)


def map_ratio(law, count: int) -> tuple[list[Expr], bool]:
    """(the first `count` coefficients of y'/y in t, whether that the map fixes the point is exact)."""
    if not has_formula(law):
        return list(law.dynamics.ratio(count)), True
    root = law.dynamics.root
    known = taylor(law.dynamics.formula, count + root)
    verdicts = [zero_by(c) for c in known[:root]]
    if None in verdicts:
        k = verdicts.index(None)
        raise Contradiction(known[k] * T**k, f"the map does not start with t^{root}, so it does not fix the point")
    return known[root:], all(verdict == "proved" for verdict in verdicts)


def linear_series(law, count: int) -> tuple[list[Expr], list[Expr]]:
    """The first `count` coefficients of lambda and of b in t."""
    linear = law.dynamics.linear
    if has_formula(law):
        slope, source = (taylor(formula, count) for formula in linear.formulas)
        return slope, source
    return list(linear.multiplier(count)), list(linear.forcing(count))


@dataclass(frozen=True)
class FlowTimeShift:
    """h in t, x = t^root; h = O(x^p), excess = root (p - 1); delta = b or, saturating, b/(1 + b).

    b = weight (l + shift)^(-kappa).
    """

    drift: Expr
    root: int
    excess: int
    weight: Expr
    kappa: Rational
    shift: Expr
    saturating: bool = False

    @classmethod
    def of(cls, law) -> "FlowTimeShift":
        """Read the original recursion; that of a network off its statement, for which h = gamma - (1 - f)."""
        if law.layer is not None:
            image = CorrelationMap.of(law.layer.layer).gap_in_uniformiser(T)
            return cls(T**2 - image, 2, 1, law.layer.layer.chi, law.layer.decay, Integer(0), True)
        drift, steps = law.dynamics.drift, law.dynamics.steps
        formula = drift.formula.subs(drift.symbol, T**drift.root)
        return cls(formula, drift.root, drift.order - drift.root, steps.weight, steps.exponent, steps.shift)

    @property
    def logarithmic(self) -> bool:
        """Whether the law is one in powers of log l."""
        return self.kappa == 1 and self.excess > 0

    @property
    def whole(self) -> int:
        """q such that the powers of the clock are whole powers of l^(-1/q)."""
        return int(ilcm(max(1, self.excess), 1 if self.logarithmic else (1 - self.kappa).q, self.kappa.q))

    def clock(self) -> tuple:
        """The integral of the step size at large v, up to O(l^(-kappa)): (order, logs, coefficient), largest first.

        v = l + shift, or log l where that is the law's variable.
        """
        if self.logarithmic:
            return ((Integer(-1), 0, self.weight),)
        count = int(ceiling(1 / self.kappa)) if self.saturating else 1
        rests = [(1 - n * self.kappa, -((-self.weight) ** n)) for n in range(1, count + 1)]
        return tuple((-rest, 0, c / rest) if rest else (Integer(0), 1, c) for rest, c in rests)

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of h/x in t, from t^excess on."""
        return self._known(self.drift / T**self.root, self.excess, self.excess + count)[:count]

    def time(self, last: int) -> Terms:
        """T up to t^last, from SymPy's series of dx/h."""
        known = self._known(self.root * T ** (self.root - 1) / self.drift, -self.excess - 1, last)
        powers = [(k + 1, c) for k, c in enumerate(known, start=-self.excess - 1) if c != 0]
        return Terms([(Power(k, 0), -c / k) if k else (Power(0, 1), -c) for k, c in powers])

    def _known(self, expression: Expr, start: int, last: int) -> list[Expr]:
        """The coefficients of t^start and on, with which the expression must start."""
        root, first, known = laurent(expression, last)
        if root != 1 or first != start:
            raise Contradiction(self.drift, f"{expression} does not start with t^({start})")
        return known
