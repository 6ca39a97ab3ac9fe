"""Where a recursion is studied: the fixed point, the side from which it is approached, and what is read off.

x = x* + s y near a finite fixed point, x = s/y near infinity, s = +1 (above) or -1 (below): y > 0 tends to 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mpmath import mp, mpc, mpf
from sympy import Dummy, Expr, Rational, Symbol, latex, oo
from sympy.polys.rootoftools import ComplexRootOf

from asympt.compiling import as_function, valued
from asympt.errors import InputError, NoValueError, PrecisionError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.decisions import zeta
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf

MOST_ROOM, MOST_BITS = 600, 2000
SPARE = 4  # digits of y beyond those requested of the quantity, at first
NOISE = 20  # bits: an imaginary part that is that small is a rounding error


@dataclass(frozen=True)
class FixedPoint:
    """The fixed point `point` (a number, oo or -oo) and the side `sign`, +1 above or -1 below.

    As an observable it reads x itself off the distance y.
    """

    point: Expr
    sign: int = 1

    reads_x: ClassVar[bool] = True  # and no function of it
    quantity: ClassVar[str] = "x_{n}"  # LaTeX
    shapes: ClassVar[tuple[str, str]] = ("x_{{{}}}", "x_{}")  # of x after some depth, in LaTeX and as text

    def quantity_at(self, depth: str) -> str:
        """LaTeX of x after `depth` steps."""
        return self.shapes[0].format(depth)

    def plain_at(self, depth) -> str:
        """The same as text."""
        return self.shapes[1].format(depth)

    @property
    def at_infinity(self) -> bool:
        """Whether the fixed point is infinity."""
        return self.point in (oo, -oo)

    @property
    def other(self) -> "FixedPoint":
        """The other side of the same point; that of oo is -oo."""
        return FixedPoint(-self.point if self.at_infinity else self.point, -self.sign)

    def outer(self, y):
        """x at the distance y, for SymPy expressions and for expansions."""
        if self.at_infinity:
            return y**-1 * self.sign
        return y * self.sign + self.point

    def inner(self, x):
        """The distance y of x; negative on the other side."""
        return self.sign / x if self.at_infinity else self.sign * (x - self.point)

    @valued
    def numeric(self, y):
        """x at an mpmath number y."""
        return self.sign / y if self.at_infinity else to_mpf(self.point) + self.sign * y

    @valued
    def distance(self, x):
        """y of an mpmath number x."""
        return self.sign / x if self.at_infinity else self.sign * (x - to_mpf(self.point))

    def expansion(self, y: Expansion) -> Expansion:
        """The quantity from the expansion of y."""
        return self.outer(y)

    def value(self, distance: Callable, digits: int):
        """The quantity to `digits` significant digits, `distance(more)` giving y to as many digits as asked."""
        return read_off(self.numeric, distance, digits)

    def uniformiser(self, root: int, depth="n") -> Expr:
        """t = y^(1/root) as a formula in x_n."""
        return self.inner(Symbol(f"x_{depth}")) ** Rational(1, root)

    def describe(self) -> str:
        """A phrase for messages: the point and the side."""
        if self.at_infinity:
            return f"x = {self.point}"
        return f"x = {self.point} from {'above' if self.sign > 0 else 'below'}"


@dataclass(frozen=True)
class Observable:
    """An observable: it reads `expression`, a function of x in `symbol`, off the distance from `fixed`."""

    expression: Expr
    symbol: Symbol
    fixed: FixedPoint
    count: int = 40

    reads_x: ClassVar[bool] = False

    @property
    def quantity(self) -> str:
        """LaTeX of the function at x_n."""
        return self.quantity_at("n")

    def quantity_at(self, depth: str) -> str:
        """LaTeX of the function after `depth` steps."""
        return latex(self.expression.xreplace({self.symbol: Symbol(f"x_{{{depth}}}")}))

    def plain_at(self, depth) -> str:
        """The same as text."""
        return str(self.expression.xreplace({self.symbol: Symbol(f"x_{depth}")})).replace("**", "^")

    def expansion(self, y: Expansion) -> Expansion:
        """The function along the expansion of y."""
        series = puiseux(self.expression.subs(self.symbol, self.fixed.outer(Y)), Y, self.count)
        orders = [Monomial(Rational(series.valuation + k, series.root)) for k in range(self.count + 1)]
        known = dict(zip(orders, series.coefficients, strict=False))
        return Expansion.build(Scale.at_zero(Y), known, Formal(orders[-1])).compose(y)

    def value(self, distance: Callable, digits: int):
        """The function to `digits` significant digits."""
        function = real_numeric(self.expression, "the observable", self.symbol)
        return read_off(lambda y: function(self.fixed.numeric(y)), distance, digits)


def _room(y) -> int:
    """Digits for what cancels near the fixed point, as 1 - cos y does."""
    return 10 + min(MOST_ROOM, max(0, int(-2 * max(mp.mag(y), -MOST_BITS) * 0.30103)))


def read_off(function: Callable, distance: Callable, digits: int):
    """function(y) to `digits` significant digits, with as many digits of y as it takes (cancellation costs some)."""
    more = SPARE
    for _ in range(5):
        y = distance(digits + more)
        with mp.workdps(digits + more + _room(y)):
            here, moved = function(y), function(y * (1 + mpf(10) ** -(digits + more)))
            spread = abs(moved - here)
            if here != 0 and spread <= abs(here) * mpf(10) ** -(digits + 1):
                return here
            more += 5 + (digits if here == 0 else max(0, int(mp.log10(spread / abs(here))) + digits))
    raise PrecisionError(f"{digits} digits of a quantity that is nearly zero are out of reach; ask for fewer digits")


def numeric(expression: Expr, *symbols: Symbol) -> Callable:
    """The expression as an mpmath function that follows the precision, also in constants that mpmath has not."""
    constants = sorted(expression.atoms(RealConstant, ComplexRootOf), key=str)
    names = [Dummy() for _ in constants]
    formula = expression.xreplace(dict(zip(constants, names, strict=True)))
    function = as_function([*symbols, *names], formula, [{"zeta": zeta}, "mpmath"])
    return lambda *values: function(*values, *(to_mpf(constant) for constant in constants))


def real_numeric(expression: Expr, what: str, *symbols: Symbol) -> Callable:
    """`numeric` along an orbit: its value must be finite and real; `what` is what an error calls the function.

    A value that is real though parts of it are not (cos(3 acos(x)) at x > 1) is one, but for its rounding errors.
    """
    function = numeric(expression, *symbols)

    def refused(how: str, values: tuple, reason: str = "") -> InputError:
        places = (f"{symbol} = {mp.nstr(value, 8)}" for symbol, value in zip(symbols, values, strict=True))
        return InputError(f"{what} {how} at {', '.join(places)}, where the orbit comes{reason}; start elsewhere")

    def real(*values):
        try:
            value = function(*values)
        except NoValueError as error:
            raise refused("has no value", values, f" ({error})") from None
        if isinstance(value, mpc) and abs(value.imag) <= abs(value) * mp.ldexp(1, NOISE - mp.prec):
            value = value.real
        if isinstance(value, mpc) or not mp.isfinite(value):
            raise refused("is not real", values)
        return value

    return real
