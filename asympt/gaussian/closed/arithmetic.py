"""The two arithmetics the Gaussian machine runs in: Arb's numbers and SymPy expressions.

Problem.  One recursion gives both the printed formula and its digits; the digits must also come out at c = +-1, where
the formula is a limit.

Rule.  Both arithmetics offer the same functions.  They differ in three: `plain` tidies an expression and leaves a
number alone, `abbreviated` names a long denominator, and `vanishes` asks whether a variance is zero: of a number,
whether it is rounding noise of the numbers it came from.  Arb's numbers are in C, some ten times as fast as mpmath's.
"""

from flint import acb, arb, ctx
from sympy import Dummy, Expr, I, Integer, Symbol, exp, factor, oo, sqrt

from asympt.balls.arithmetic import of_mpf
from asympt.errors import PrecisionError
from asympt.gaussian.closed.bivariate import BivariateNormal, ball_normal, normal_cdf, normal_density, upper_tail
from asympt.gaussian.closed.printing import joined
from asympt.numbers import to_mpf
from asympt.symbols import Reserved

Q1, Q2 = Reserved("q_1", positive=True), Reserved("q_2", positive=True)
NOISE_BITS = 24  # a difference smaller than 2^(NOISE_BITS - precision) of its terms is zero


class Digits:
    """Arb's numbers, real or complex, at its current precision; their midpoints count, not their radii."""

    infinity, one = arb.pos_inf(), arb(1)
    exp, sqrt = staticmethod(lambda x: x.exp()), staticmethod(lambda x: x.sqrt())
    tail, density = staticmethod(upper_tail), staticmethod(lambda z: (-(z * z) / 2).exp() / (2 * arb.pi()).sqrt())

    @staticmethod
    def plain(x):
        """Numbers need no tidying."""
        return x

    abbreviated = plain

    @staticmethod
    def spread(mean, variance):
        """How large a normal variable is."""
        return abs(mean) + variance.sqrt()

    @staticmethod
    def vanishes(x, scale) -> bool:
        """Whether x, a difference of numbers of size `scale`, is rounding noise."""
        return x.abs_lower() <= scale.abs_upper() * arb((1, NOISE_BITS - ctx.prec))

    @staticmethod
    def step(excess, scale):
        """1{excess < 0}, 1/2 at 0 (the limit of a tail when its variance goes to 0)."""
        if Digits.vanishes(excess, scale):
            return arb(1) / 2
        return arb(int(excess.mid() < 0))

    @staticmethod
    def orthant(z, u, r):
        """P(U > z, V > u) at correlation r, which rounding may carry beyond 1; real z and u only."""
        if isinstance(z, acb) or isinstance(u, acb):
            raise PrecisionError("two gates under complex exponentials have no digits here; evaluate it by quadrature")
        if Digits.vanishes(1 - abs(r), arb(1)):
            r = r.mid().sgn()
        return ball_normal(*(value.mid() for value in (-z, -u, r)))

    @staticmethod
    def number(value: Expr) -> arb | acb:
        """An exact SymPy number, real or complex."""
        if value.has(I):
            return acb(*(of_mpf(to_mpf(part)) for part in value.as_real_imag()))
        return of_mpf(to_mpf(value))


class Exact:
    """SymPy expressions in Q1, Q2 > 0 and C; `names` holds the symbols that stand for long denominators."""

    def __init__(self):
        self.names: dict[Symbol, Expr] = {}

    infinity, one = oo, Integer(1)
    exp, sqrt = exp, staticmethod(sqrt)
    tail, density = staticmethod(lambda z: normal_cdf(-z)), staticmethod(normal_density)

    @staticmethod
    def plain(x: Expr) -> Expr:
        """Factored, with 1 - C^2 kept together."""
        return joined(factor(x))

    @staticmethod
    def spread(mean: Expr, variance: Expr) -> Expr:
        """Formulas have no rounding errors to judge."""
        return Integer(1)

    def abbreviated(self, x: Expr) -> Expr:
        """A positive symbol for a long positive denominator, so that nothing expands it; `tidy` puts it back."""
        x = factor(x)
        for name, known in self.names.items():
            if known == x:
                return name
        name = Dummy("D", positive=True)
        self.names[name] = x
        return name

    @staticmethod
    def vanishes(x: Expr, scale: Expr) -> bool:
        """Whether x is identically zero (a symbol C stands for a correlation between -1 and 1)."""
        return x == 0

    @staticmethod
    def orthant(z: Expr, u: Expr, r: Expr) -> Expr:
        """P(U > z, V > u)."""
        return BivariateNormal(-z, -u, r)

    @staticmethod
    def number(value: Expr) -> Expr:
        """Itself."""
        return value
