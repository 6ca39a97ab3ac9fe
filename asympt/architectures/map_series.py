"""The correlation map at c = 1 as the solvers want it: coefficients of gamma'/gamma, of f' and of f in the uniformiser.

Problem.  f = 1 - chi t^2 + sum_k e_k t^k, t = sqrt(1 - c), comes from the ladder.  The derivation needs few
coefficients, exact or named; the evaluation at 30 digits needs dozens, as numbers only.

Rule.  When f has no odd powers it is a power series in gamma = t^2, with named coefficients

    f^(n)(1) = (-1)^n n! e_(2n),        root = 1;

otherwise a Puiseux series with named coefficients e_k, root = 2.  With u = gamma^(1/root)

    gamma'/gamma = (1 - f)/gamma,         f' = -df/dgamma = -sum_k (k/root) [u^k]f u^(k - root).

The first `known` coefficients are read off at once (a coefficient that vanishes is 0, one that is simple stays as it
is); each later one is a constant that asks the ladder for its digits when they are needed.

Tiny case.  phi = erf: gamma'/gamma = 1 - f''(1)/2 gamma + ...

Known limits.  phi must be continuous: where phi jumps, f' is infinite at c = 1.
"""

from functools import cached_property

from sympy import Expr, Integer, Rational, factorial

from asympt.architectures.named_constants import Coefficient, PositiveCoefficient, key_of, named
from asympt.errors import UnsupportedError
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.precise import EdgeNumbers
from asympt.recursions.coordinates.abel_numeric import AHEAD


class EdgeSeries:
    """Coefficients at c = 1; `known` is how many powers of u are read off exactly."""

    def __init__(self, layer: Layer, known: int):
        self.layer, self.map, self.known = layer, CorrelationMap.of(layer), known
        self.root = root_of(layer)
        self.numbers, self._found = EdgeNumbers(layer), {}

    # ---- what the solvers ask for ---------------------------------------------------------------

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of gamma'/gamma in u."""
        return [-c for c in self._coefficients(count + self.root)[self.root :]]

    def slope(self, count: int) -> list[Expr]:
        """The first `count` coefficients of f' in u."""
        found = self._coefficients(count + self.root)
        return [-Rational(k, self.root) * found[k] for k in range(self.root, count + self.root)]

    def value(self, count: int) -> list[Expr]:
        """The first `count` coefficients of f in u."""
        return self._coefficients(count)

    # ---- one coefficient ------------------------------------------------------------------------

    def _coefficients(self, count: int) -> list[Expr]:
        needed = count - AHEAD if count > 2 * AHEAD else count  # the last ones are fetched ahead and seldom evaluated
        self.numbers.reach = max(self.numbers.reach, needed * self._stride)
        return [self._coefficient(k) for k in range(count)]

    def _coefficient(self, k: int) -> Expr:
        if k not in self._found:
            self._found[k] = self._fresh(k)
        return self._found[k]

    def _fresh(self, k: int) -> Expr:
        power = k * self._stride
        if power < 2:
            return Integer(1 - power)
        if power == 2:
            return -self.multiplier
        if k > self.known:
            return Coefficient(f"e_{power}", lambda: self.numbers(power), f"[t^{power}] f of {self._key}")
        value = self._expansion.get(power, Integer(0))
        return value if value == 0 else self._with_name(k, power, value)

    def _with_name(self, k: int, power: int, value: Expr) -> Expr:
        if self.root == 2:
            key, kind = f"e_{k} of {self._key}", PositiveCoefficient if k == self._leading else Coefficient
            return named(f"e_{k}", f"e_{{{k}}}", key, value, lambda: self.numbers(power), kind)
        sign, size = (-1) ** k, factorial(k)
        key = f"f^({k})(1) of {self._key}"
        digits = lambda: sign * int(size) * self.numbers(power)  # noqa: E731
        constant = named(f"f{k}", derivative_latex(k), key, sign * size * value, digits, PositiveCoefficient)
        return sign * constant / size

    @cached_property
    def multiplier(self) -> Expr:
        """chi = f'(1), 1 on the Edge of Chaos, named when it is no simple number."""
        return named("chi", r"\chi", f"f'(1) of {self._key}", self.map.multiplier, kind=PositiveCoefficient)

    @property
    def _leading(self) -> int:
        """The first power beyond t^2: e_3 > 0 is a sum of squares of jumps of phi', e_4 > 0 the moment of phi''."""
        return 3 if self.layer.activation.singular_order == 1 else 4

    @property
    def _stride(self) -> int:
        """The power of t in u."""
        return 2 // self.root

    @cached_property
    def _key(self) -> str:
        return key_of(self.layer)

    @cached_property
    def _expansion(self) -> dict:
        return {int(m.order): c for m, c in self.map.expansion(self.known * self._stride + 1).terms}


def root_of(layer: Layer) -> int:
    """1 when f is a power series in gamma, 2 when it has odd powers of t."""
    order = layer.activation.singular_order
    if order == 0:
        raise UnsupportedError(
            f"activation {layer.activation.name!r} jumps, so f' is infinite at c = 1 and the correlation leaves 1 like "
            "the square root of the gap: no law at c = 1"
        )
    return 1 if order is None else 2


def derivative_latex(n: int, at: str = "1") -> str:
    """f''(1), f'''(1), f^{(4)}(1), ..."""
    return f"f{chr(39) * n}({at})" if n <= 3 else f"f^{{({n})}}({at})"
