"""Maps with a leading logarithm, x + x^2 log x or u + log u: an Abel function with coefficients in log u.

With u = y^(-p) and l = log(b u) one step is u' = u + delta, delta = sum_(k>=0) u^(-k) d_k(l), d_0 = c l^j, each d_k a
polynomial in l and 1/l (x + x^2 log 3x has b = 1/3).  A' = sum_(k>=0) u^(-k) tau_k(l) makes A(u') = A(u) + 1, that is

    sum_(j>=1) delta^j/j! D^(j-1) A' = 1,        D(u^(-k) q(l)) = u^(-k-1) (q' - k q),

which is triangular.  A itself has powers, log l (k = 1) and exponential integrals Ei((1 - k) l), in w = b u: there
u^(-k) l^j du is b^(k-1) w^(-k) log(w)^j dw.  Its inverse is no sum of powers and logarithms of n, so the law is stated
as A(u_n) = n + C and inverted in numbers.
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp, mpf
from sympy import QQ, Dummy, Ei, Expr, Integer, Pow, Rational, S, exp, expand_log, li, log, powsimp, ring

from asympt.errors import UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.series import power, product
from asympt.numbers import to_mpf
from asympt.recursions.agreement import GUARD, inverted
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.orbits import Creeping, SeriesCoordinate
from asympt.recursions.protocol import Dynamics

SIZE = Dummy("lambda", positive=True)  # log(1/y)
RING, LOG = ring("l", QQ)  # its sums, products and derivatives hold for negative exponents too
HEAD, LATE = 4, 4  # coefficients that decide p and d_0; the last ones, which tell how far the series is good
NEAREST, STRIDE = 64, mpf(5) / 4  # the smallest u of a matching layer


@dataclass(frozen=True)
class LogarithmicMap:
    """u' = u + delta for a map whose series at the fixed point has logarithms; u = y^(-p), p = `power`."""

    ratio: Expr
    power: Rational
    step: int  # of the series in y that makes a power of u
    shift: Expr = S.Zero  # log(b)/p

    @property
    def unit(self) -> Expr:
        """b."""
        return exp(self.power * self.shift)

    @classmethod
    def found(cls, formula: Expr) -> "LogarithmicMap | None":
        """That of a map y -> formula, if it is one."""
        if not (formula.has(log) or any(part.exp.has(Y) for part in formula.atoms(Pow))):
            return None
        try:
            return cls.of(formula)
        except UnsupportedError:
            return None

    @classmethod
    def of(cls, formula: Expr) -> "LogarithmicMap":
        """Raises `UnsupportedError` unless the orbit creeps to the fixed point and d_0 is one power of log u."""
        ratio = powsimp(formula / Y).replace(lambda e: isinstance(e, Pow) and e.exp.has(Y), _as_exponential)
        ratio = ratio.replace(lambda e: isinstance(e, log) and e.has(Y), _without_its_power)
        ratio = expand_log(ratio, force=True).subs(log(Y), -SIZE)
        series = puiseux(ratio, Y, HEAD)
        head = [k for k, c in enumerate(series.coefficients) if k and c != 0]
        if not ratio.has(SIZE) or series.valuation or series.coefficients[0] != 1 or not head:
            raise UnsupportedError(f"{formula} is not y plus smaller terms, so orbits are not slow")
        lead = series.coefficients[head[0]].factor().as_independent(SIZE, as_Add=False)[1]
        base = lead.as_base_exp()[0].as_poly(SIZE)
        shift = base.nth(0) / base.nth(1) if base is not None and base.degree() == 1 else S.Zero
        found = cls(ratio, Rational(head[0], series.root), head[0], shift)
        lead = found.delta(1)[0]
        if len(lead) != 1 or lead.LC < 0:
            raise UnsupportedError(
                f"the orbit of y -> {formula} moves by {lead.as_expr()} in u = y^(-{found.power}), l = log(u): a "
                "law is known where that is a positive multiple of one power of l"
            )
        return found

    def delta(self, count: int) -> list:
        """d_0, ..., d_(count-1)."""
        series = puiseux(self.ratio, Y, self.step * (count + 1))
        if any(c != 0 and k % self.step for k, c in enumerate(series.coefficients)):
            raise UnsupportedError(f"the powers of y in {self.ratio} are not whole multiples of {self.power}")
        size, known = SIZE / self.power - self.shift, series.coefficients[:: self.step][: count + 1]
        rows = [_in_logs(c.subs(SIZE, size).expand()) for c in known]
        return power(rows, QQ(-self.power.p, self.power.q), count + 1)[1:]


def _as_exponential(part: Expr) -> Expr:
    """y^(1 + y) as y exp(y log y)."""
    still = part.exp.subs(Y, 0)
    return part.base**still * exp((part.exp - still) * log(part.base))


def _without_its_power(part: Expr) -> Expr:
    """log(1 + 1/y) as log(1 + y) - log(y)."""
    inside = part.args[0]
    order = puiseux(inside, Y, 1).exponent
    return log((inside / Y**order).expand()) + order * log(Y)


def _in_logs(coefficient: Expr):
    """A polynomial in l, here `SIZE`, and its inverse, over Q."""
    found = RING.zero
    for term in coefficient.as_ordered_terms() if coefficient != 0 else ():
        number, monomial = term.as_independent(SIZE)
        base, exponent = monomial.as_base_exp() if monomial != 1 else (SIZE, Integer(0))
        if base != SIZE or not exponent.is_Integer or not number.is_Rational:
            raise UnsupportedError(f"{coefficient} is not a rational polynomial in logarithms and their inverses")
        found += RING.from_dict({(int(exponent),): QQ(number.p, number.q)})
    return found


@lru_cache(maxsize=32)
def slopes(map_: LogarithmicMap, count: int) -> list:
    """tau_0, ..., tau_(count-1)."""
    delta = map_.delta(count)
    (lead,), (factor,) = delta[0].itermonoms(), delta[0].itercoeffs()
    inverse, rest = RING.from_dict({(-lead[0],): 1 / factor}), [RING.one] + [RING.zero] * (count - 1)
    powers = [delta]
    while len(powers) < count:
        powers.append([c / (len(powers) + 1) for c in product(powers[-1], delta, count)])
    found = []
    for k in range(count):
        found.append(rest[k] * inverse)
        moved = found[-1]
        for j, row in enumerate(powers[: count - k]):  # delta^(j+1)/(j+1)! D^j
            for i in range(count - k - j):
                rest[k + j + i] -= row[i] * moved
            moved = moved.diff(LOG) - (k + j) * moved
    return found


# ---- the law as a formula -------------------------------------------------------------------------


def integral(k: int, j: int, u: Expr) -> Expr:
    """The integral of u^(-k) log(u)^j without a constant.

    >>> from sympy import Symbol
    >>> u = Symbol("u", positive=True)
    >>> integral(0, -1, u), integral(1, -1, u), integral(0, 1, u)
    (li(u), log(log(u)), u*log(u) - u)
    """
    size, c = log(u), S.One - k
    if not c:
        return log(size) if j == -1 else size ** (j + 1) / (j + 1)
    if j == -1:
        return li(u) if c == 1 else Ei(c * size)
    if j < -1:
        return (u**c * size ** (j + 1) - c * integral(k, j + 1, u)) / (j + 1)
    return (u**c * size**j - (j * integral(k, j - 1, u) if j else 0)) / c


# ---- in numbers -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NumericLogarithmic:
    """A as a truncated series of mpmath numbers: {k: {j: coefficient}} of w^(-k) log(w)^j in dA/dw; t is 1/w."""

    dynamics: Dynamics
    power: object
    unit: object
    rows: dict
    accuracy_radius: object

    forgets = False

    def enter(self, y):
        return abs(y) ** self.power / self.unit

    def leave(self, t):
        return (self.unit * t) ** (1 / self.power)

    def position(self, t):
        size = -mp.log(t)
        return sum((self._antiderivative(k, row, size) for k, row in self.rows.items()), mpf(0))

    def _antiderivative(self, k: int, row: dict, size):
        """By parts, upwards from the exponential integral of the lowest power; k = 0 downwards from Ei."""
        c, low = mpf(1 - k), min(row)
        if not c:
            return sum(a * (mp.log(size) if j == -1 else size ** (j + 1) / (j + 1)) for j, a in row.items())
        front, values = mp.exp(c * size), {}
        if k:
            values[low] = -(size ** (low + 1)) * mp.expint(-low, -c * size)
        else:
            values[-1] = mp.ei(size)
            for j in range(-2, low - 1, -1):
                values[j] = (front * size ** (j + 1) - values[j + 1]) / (j + 1)
        for j in range(max(values) + 1, max(row) + 1):
            values[j] = (front * size**j - (j * values[j - 1] if j else 0)) / c
        return sum(a * values[j] for j, a in row.items())

    def derivative(self, t):
        """dA/dt."""
        size = -mp.log(t)
        slope = sum((t**k * a * size**j for k, row in self.rows.items() for j, a in row.items()), mpf(0))
        return -slope / t**2

    def solve(self, target):
        """t with A(t) = target: from u = c target log(target)^j, which is close enough for Newton's method in log t."""
        lead, factor = next(iter(self.rows[0].items()))
        u = mp.mpf(target) / factor
        for _ in range(8):
            u = target / factor / mp.log(u) ** lead
        return inverted(self.position, self.derivative, target, 1 / u, "A")

    def advance(self, position, steps: int):
        return position + steps

    def constants(self, layer: int, position, weight) -> tuple:
        return position - layer, None

    def edge(self, start, route) -> tuple:
        return self.accuracy_radius / route.deeper, route.later

    def layers_between(self, t, edge, route) -> int:
        return int(self.position(edge) - (self.position(t) if t < 1 / mpf(2) else 0))


@dataclass(frozen=True)
class Logarithmic(SeriesCoordinate):
    """The Abel coordinate of a map with a leading logarithm (see `Coordinate`)."""

    dynamics: Dynamics
    map: LogarithmicMap

    kind, evidence = "logarithmic", "beyond_powers"
    unproved = "there is no theorem yet about maps with a leading logarithm"
    undrawn = "it is known in implicit form, A(x_n) = n + C; take law.latex() and law.evaluate"
    orbit = Creeping()
    require_basin = Abel.require_basin

    def series_length(self, digits: int) -> int:
        return 10 + digits // 4

    @lru_cache(maxsize=64)  # noqa: B019 - few, and they live as long as the process
    def numeric(self, last: int, digits: int) -> NumericLogarithmic:
        """A' up to u^(-last), and the largest 1/u at which its last terms are below 10^-digits."""
        with mp.workdps(digits + GUARD):
            power_of_y, unit = to_mpf(self.map.power), to_mpf(self.map.unit)
            rows = {k: {j: to_mpf(QQ.to_sympy(c)) * unit ** (k - 1) for (j,), c in row.terms()}
                    for k, row in enumerate(slopes(self.map, last + 1)) if row}  # fmt: skip
            late, u = {k: row for k, row in rows.items() if k > last - LATE}, mpf(NEAREST)
            while any(sum(abs(a) * mp.log(u) ** j for j, a in row.items()) * u ** (1 - k) > mpf(10) ** -digits
                      for k, row in late.items()):  # fmt: skip
                u *= STRIDE
            return NumericLogarithmic(self.dynamics, power_of_y, unit, rows, 1 / u)
