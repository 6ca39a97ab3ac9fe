"""One layer of any dense architecture in mpmath: its statement as it stands, for two inputs of any variances.

Rule.  The state of layer l is (l, q, q', gamma, k), gamma = 1 - c and k = K/r, r = sqrt(q q').  With V the variance map
of the layer, R = sqrt(V V') and D = E[(phi(sqrt(q) U) - phi(sqrt(q') W))^2]/2 at correlation c of U and W,

    gamma' = {skip [(sqrt q - sqrt q')^2/2 + r gamma] + beta_l sigma_w^2 D - (sqrt V - sqrt V')^2/2}/R,
    k'     = {(skip + beta_l sigma_w^2 P) r k + lambda_b + lambda_W E[phi phi]}/R,      P = E[phi' phi'].

For q = q' only D is left of the braces, which the kernel gives to full relative accuracy (`Kernel.gap`); ReLU-like phi
reduce every pair of variances to that case.  Otherwise gamma' is a difference, taken with as many more digits as it
is small.  phi is continuous; for q != q' without a closed form P is the kernel of phi' at 1 - gamma.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import factorial
from operator import mul
from typing import NamedTuple

import mpmath
from flint import arb, arb_poly
from mpmath import mp, mpf
from sympy import Expr

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.balls.moments import moved
from asympt.compiling import as_function
from asympt.errors import InputError, UnsupportedError
from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.gaussian.closed.moments import has_formulas, moments_at
from asympt.gaussian.kernel import Kernel, kernel_of
from asympt.gaussian.moments import derivative_means, parts
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import find_series, profile
from asympt.gaussian.quadrature.trapezoid import integrals
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import ConvStatement, Layer, Statement, at_layer
from asympt.numbers import to_mpf

# ---- two variances of a smooth phi whose Hermite coefficients are known: no quadrature -----------
#
# With a_n(q) = E[phi(sqrt(q) Z) He_n(Z)]/sqrt(n!) (Mehler 1866),
#
#     E[phi phi] = sum_n a_n(q) a_n(q') c^n,       sqrt(q q') E[phi' phi'] = sum_n n a_n(q) a_n(q') c^(n-1),
#
# and near one variance q_0 the heat equation has them all from its own table (`balls.moments.moved`): N coefficients,
# D digits, where N |q - q_0| <= 2 q_0 `REACH` D, so that terms grow to 10^(D/4) times a_n(q), which is 10^(-D/2).

REACH = 0.5
TABLE, STEP = 5, 20  # digits of a table beyond those in use; and in steps, so that tables are shared
SPARE, PADDED = 16, 6  # bits; coefficients beyond those that matter, by digit


@dataclass(frozen=True, eq=False)
class NearTable:
    """a_n(q_0) to `digits` digits, of which the first `count` matter; `size`: E[phi^2]^(1/2)."""

    centre: mpf
    digits: int
    size: arb
    means: list[arb]
    count: int

    def reaches(self, q) -> bool:
        """Whether q is near enough to q_0."""
        return abs(q / self.centre - 1) * self.count <= 2 * REACH * self.digits


@dataclass(frozen=True)
class SeriesPair:
    """Expectations at two variances q and q'.

    `squares`: E[phi^2] at both; `terms`: sum_n a_n(q) a_n(q') x^n; `apart`: D at c = 1.
    """

    q: mpf
    other: mpf
    squares: tuple
    terms: arb_poly
    apart: mpf

    def drop_and_product(self, gap) -> tuple:
        """(D, E[phi phi]), D = E[(phi - phi')^2]/2 by differences of the terms, to the digits of the gap."""
        with working(mp.prec + SPARE + (max(0, -mp.mag(gap)) if gap else 0)):
            product = self.terms(1 - of_mpf(gap))
            return self.apart + midpoint(self.terms(arb(1)) - product), midpoint(product)

    def slope(self, gap):
        """E[phi' phi']."""
        with working(mp.prec + SPARE):
            return midpoint(self.terms.derivative()(1 - of_mpf(gap))) / mp.sqrt(self.q * self.other)


def series_pair(phi: PiecewiseSmooth, centre, q, other, gap) -> SeriesPair | None:
    """By a table at `centre`, unless that is None, near it; else for q != q' by one at each; None without tables."""
    if phi.breaks:
        return None
    table = None if centre is None or not 0 < centre < mp.inf else _table(phi, float(centre), -(-mp.dps // STEP))
    near = bool(table) and table.reaches(q) and table.reaches(other)
    if not near and q == other:
        return None
    sides = [_near(table, v, mp.prec) if near else _far(phi, v, 1 - gap) for v in (q, other)]
    if None in sides:
        return None
    (square, first), (another, second) = sides
    with working(mp.prec + SPARE):
        terms = arb_poly([a * b for a, b in zip(first, second, strict=False)])
        if near:
            between = [a - b for a, b in zip(first, second, strict=True)]
            apart = midpoint(sum(map(mul, between, between), arb(0)) / 2)
        else:
            apart = (square + another) / 2 - midpoint(terms(arb(1)))
    return SeriesPair(q, other, (square, another), terms, apart)


@lru_cache(maxsize=8)
def _near(table: NearTable, q, precision: int) -> tuple:
    """E[phi^2] and a_n at q, at mpmath's current precision, which is part of the key."""
    with working(mp.prec + SPARE):
        means = moved(table.means, of_mpf(table.centre), of_mpf(q), table.count, table.size)
        return midpoint(sum((a * a for a in means), arb(0))), means


def _far(phi: PiecewiseSmooth, q, c) -> tuple | None:
    scaled = profile(phi, q, STEP * -(-(mp.dps + TABLE) // STEP))
    series = find_series(scaled, c, 1)
    return None if series is None else (+scaled.moments[0], series.table.balls)


@lru_cache(maxsize=32)
def _table(phi: PiecewiseSmooth, at: float, steps: int) -> NearTable | None:
    with mp.workdps((digits := STEP * steps) + TABLE):
        series = find_series(profile(phi, at, digits + TABLE), mp.one)
        if series is None:
            return None
        means, size = series.table.balls, of_mpf(series.table.norm)
        count = 1 + max(n for n, a in enumerate(means) if abs(a) > size * arb(10) ** (-digits / 2 - 3))
        more = max(0, count + PADDED * digits - len(means))  # coefficients that are nothing beside those known
        return NearTable(mpf(at), digits, size, [*means, *[arb(0)] * more], count)


GUARD = 10
MOST_ROUNDS = 3
DIGITS_PER_BIT = 0.302


@dataclass(frozen=True)
class DenseStep:
    """(l, q, q', gamma, k) -> the same in layer l + 1; k = None is not followed, which saves E[phi' phi'].

    >>> from asympt import ResNet
    >>> step = DenseStep(ResNet("relu").statement)
    >>> layer, q, other, gap, kernel = step((1, mpf(1), mpf(1), mpf(1), mpf(0)))
    >>> print(layer, q, mp.nstr(gap, 12), mp.nstr(kernel, 12))
    2 1.5 0.893896704605 0.106103295395
    """

    statement: Statement

    def first(self, gap, q, other) -> tuple:
        """The state of layer 1: K = r_b + r_w x.x'/d with x.x'/d = (s - b)/w."""
        first, mean = self.statement.first, _mean(q, other)
        overlap = (mean * (1 - gap) - to_mpf(first.bias)) / to_mpf(first.weight)
        return 1, q, other, gap, (to_mpf(first.bias_rate) + to_mpf(first.weight_rate) * overlap) / mean

    def __call__(self, state: tuple) -> tuple:
        layer, more = state[0] + 1, _guard(*state[1:4]) + 1
        for _ in range(MOST_ROUNDS):
            with mp.workdps(mp.dps + more):
                found = self._moved(layer, *state[1:])
            if (needed := _guard(*state[1:3], found[2])) <= more:
                break
            more = needed
        return layer, *(None if value is None else +value for value in found)

    def _moved(self, layer: int, q, other, gap, kernel) -> tuple:
        """(V(q), V(q'), gamma', k')."""
        pair = _pair(self.statement.layer, q, other, gap)
        drop, product = pair.drop_and_product(gap)
        slope = None if kernel is None else pair.slope(gap)
        return self.after(layer, (q, other), pair.squares, drop, product, slope, gap, kernel)

    def after(self, layer: int, variances, squares, drop, product, slope, gap, kernel) -> tuple:
        """The same from the expectations E[phi^2], D, E[phi phi] and E[phi' phi']."""
        statement, skip = self.statement, int(self.statement.skip)
        weight = at_layer(statement.branch, layer) * to_mpf(statement.layer.weight_variance)
        after = [self.variance_after(layer, *pair) for pair in zip(variances, squares, strict=True)]
        root, mean = _mean(*after), _mean(*variances)
        spread = skip * (_apart(*variances) / 2 + mean * gap) + weight * drop - _apart(*after) / 2
        if kernel is None:
            return *after, spread / root, None
        learned = at_layer(statement.bias_rate, layer) + at_layer(statement.weight_rate, layer) * product
        return *after, spread / root, ((skip + weight * slope) * mean * kernel + learned) / root

    def variance(self, layer: int, q):
        """V(q), the variance of layer `layer` from that of the layer before."""
        return self.variance_after(layer, q, _pair(self.statement.layer, q, q, mp.one).squares[0])

    def variance_after(self, layer: int, q, square):
        """V(q) from E[phi^2]."""
        statement, own = self.statement, self.statement.layer
        added = to_mpf(own.bias_variance) + to_mpf(own.weight_variance) * square
        return int(statement.skip) * q + at_layer(statement.branch, layer) * added


def _guard(q, other, gap) -> int:
    """Digits beyond those of the result: where variances differ, a small gap is a difference."""
    lost = max(0, -mp.mag(gap)) if gap and q != other else 0
    return GUARD + int(DIGITS_PER_BIT * lost) + 1


def first_state(statement: Statement, products: tuple) -> tuple:
    """The state of layer 1 from x.x/d, x.x'/d, x'.x'/d, mpmath numbers; gamma keeps the digits that they leave it.

    >>> from asympt import FeedForward
    >>> print(*first_state(FeedForward("relu").statement, (mpf(1), mpf("0.5"), mpf(1))))
    1 2.0 2.0 0.5 0.5
    """
    first = statement.first
    bias, weight, bias_rate, rate = map(to_mpf, (first.bias, first.weight, first.bias_rate, first.weight_rate))
    alone, together, other = map(mp.convert, products)
    q, p = bias + weight * alone, bias + weight * other
    if not (q > 0 and p > 0):
        raise UnsupportedError("an input of zeros without bias has no correlation; leave it out, or take sigma_b > 0")
    root, apart = mp.sqrt(q * p), (q - p) ** 2 / (mp.sqrt(q) + mp.sqrt(p)) ** 2
    gap = (weight * (alone + other - 2 * together) - apart) / (2 * root)
    return 1, q, p, gap, (bias_rate + rate * together) / root


def _apart(q, other):
    """(sqrt q - sqrt q')^2 without cancellation."""
    return mpf(0) if q == other else (q - other) ** 2 / (mp.sqrt(q) + mp.sqrt(other)) ** 2


def _mean(q, other):
    return q if q == other else mp.sqrt(q * other)


def _pair(layer: Layer, q, other, gap) -> "_Pair | _ScaleFree | SeriesPair":
    if not layer.activation.is_relu_like:
        kernel = kernel_of(layer.activation.piecewise)
        centre = None if layer.variance is None else to_mpf(layer.variance)
        found = series_pair(kernel.phi, centre, q, other, gap) if kernel.closed is None else None
        return found or _Pair(kernel, q, other)
    phi = layer.activation
    return _ScaleFree(*map(to_mpf, (phi.second_moment, phi.kink_weight, phi.linear_weight)), q, other)


@dataclass(frozen=True)
class _ScaleFree:
    """Expectations of a ReLU-like phi: E[phi^2] at q = 1, the weights of |x| and x, the variances."""

    unit: mpf
    kink: mpf
    line: mpf
    q: mpf
    other: mpf

    @property
    def squares(self) -> tuple:
        """E[phi^2] at q and at q'."""
        return self.q * self.unit, self.other * self.unit

    def drop_and_product(self, gap) -> tuple:
        """(D, E[phi phi]): phi is homogeneous, so D = m_2 (sqrt q - sqrt q')^2/2 + r (m_2 - F)."""
        root, drop = _mean(self.q, self.other), self.unit * gap_map(gap, self.kink, self.line)
        return self.unit * _apart(self.q, self.other) / 2 + root * drop, root * (self.unit - drop)

    def slope(self, gap):
        return self.unit * gap_slope(gap, self.kink, self.line)


@dataclass(frozen=True)
class _Pair:
    """Expectations of any phi at two variances."""

    kernel: Kernel
    q: mpf
    other: mpf

    @cached_property
    def squares(self) -> tuple:
        """E[phi^2] at q and at q'."""
        first = moments_at(self.kernel.phi, 1, self.q, mp.dps)[0]
        return first, first if self.q == self.other else moments_at(self.kernel.phi, 1, self.other, mp.dps)[0]

    def drop_and_product(self, gap) -> tuple:
        """(D, E[phi phi])."""
        if self.q == self.other:
            drop = self.kernel.gap(self.q, gap)
            return drop, self.squares[0] - drop
        product = self.kernel.value(self.q, self.other, 1 - gap)
        return sum(self.squares) / 2 - product, product

    def slope(self, gap):
        if self.q == self.other and gap:
            return self.kernel.slope(self.q, gap)
        if self.q == self.other:
            return moments_at(self.kernel.phi, 2, self.q, mp.dps)[1]
        return kernel_of(self.kernel.phi.derivative()).value(self.q, self.other, 1 - gap)


@dataclass(frozen=True)
class Branch:
    """E[phi phi] at equal inputs (`square`), what it loses at the gap (`lost`), and E[phi' phi'] (`slope`)."""

    square: object
    lost: object
    slope: object

    @property
    def value(self):
        """E[phi phi] at the gap."""
        return self.square - self.lost


def orbit(statement: Statement, depth: int, gap, variance) -> list[tuple]:
    """[(q, gap, Branch)] of the layers 1, ..., depth, at mpmath's precision, for two inputs of one variance.

    >>> from asympt import BlockResNet
    >>> [mp.nstr(q, 5) for q, _, _ in orbit(BlockResNet("relu").statement, 3, mp.one, mp.one)]
    ['1.0', '1.5', '2.25']
    """
    found, step, state = [], DenseStep(statement), (1, variance, variance, gap, None)
    for _ in range(depth):
        _, q, other, gap, _ = state
        pair = _pair(statement.layer, q, other, gap)
        found.append((q, gap, Branch(pair.squares[0], pair.drop_and_product(gap)[0], pair.slope(gap))))
        state = step(state)
    return found


# ---- steps in the distance from a fixed point: y = gamma - (1 - c*), or y = q - q* ---------------
#
# A difference, so computed with as many more digits as it is small, in whole blocks: a kernel prepares itself anew for
# every precision.

BITS, BLOCK = 20, 128  # bits


@dataclass(frozen=True)
class StepAbout:
    """(y,) -> (y',) or (y, k) -> (y', k') with gamma = `centre` + y, the centre being a gap that the layer keeps.

    `layer`: the step in gamma.
    """

    layer: Callable
    centre: Expr

    def __call__(self, state: tuple) -> tuple:
        if not state[0]:
            raise InputError("the orbit lands on the fixed point c*, so it has no law; start elsewhere")
        return apart(self.layer, self.centre, state, "orbit lands on the fixed point c*")


def apart(layer: Callable, centre: Expr, state: tuple, what: str) -> tuple:
    """`layer` of a state whose first entry is the distance from `centre`, which must not vanish (`what` does then)."""
    y = state[0]
    extra = BLOCK * -(-(max(0, -mp.mag(y)) + BITS) // BLOCK)
    with mp.workprec(BLOCK * -(-mp.prec // BLOCK) + extra):
        place = to_mpf(centre)
        image, *rest = layer((place + y, *state[1:]))
        following = image - place
    if abs(following) <= abs(y) * mpmath.ldexp(1, -mp.prec):
        raise InputError(f"the {what} in one step as far as {mp.prec} bits tell, so it has no law; start elsewhere")
    return tuple(+value for value in (following, *rest))


# V(q) = sigma_b^2 + sigma_w^2 E[phi(sqrt(q) Z)^2].  Differentiating the Gaussian density instead of phi,
#
#     V^(n)(q)/n! = sigma_w^2 E[phi(sqrt(q) Z)^2 He_2n(Z)]/((2q)^n n!),
#
# so jumps of phi' or phi need no care, and one walk over the nodes gives all n.


COARSE, MORE = 10, 12  # digits


def image(layer: Layer, q):
    """V(q) at mpmath's precision."""
    phi = layer.activation.piecewise
    if has_formulas(phi, 1):
        square = moments_at(phi, 1, q, mp.dps)[0]
    else:  # by values of phi alone, which is what thousands of layers in a row can afford
        square = integrals([lambda: _intervals(phi, q, 0, mp.dps)], 1, mp.dps)[0][0]
    return to_mpf(layer.bias_variance) + to_mpf(layer.weight_variance) * square


@dataclass(frozen=True)
class VarianceStep:
    """(y,) -> (y',), q = `centre` + y and q' = V(q); the centre is a fixed point of V, possibly 0."""

    layer: Layer
    centre: Expr

    def __call__(self, state: tuple) -> tuple:
        if not state[0]:
            return state
        if self.centre == 0:
            return (image(self.layer, state[0]),)
        return apart(self._image, self.centre, state, "variance lands on its fixed point")

    def _image(self, state: tuple) -> tuple:
        if state[0] <= 0:
            raise InputError("the variance is not positive; give the variance q^1 > 0 of the first layer")
        return (image(self.layer, state[0]),)


class VarianceDerivatives:
    """V^(n)(q)/n! at mpmath's precision; `reach` says up to which n will be asked for."""

    def __init__(self, layer: Layer, q: Expr):
        self.layer, self.q, self.reach = layer, q, 1

    def __call__(self, n: int):
        """V^(n)(q)/n!, n >= 1."""
        digits = COARSE * -(-(mp.dps + MORE) // COARSE)
        return +_taylor(self.layer, self.q, max(self.reach, n), digits)[n]


@lru_cache(maxsize=64)
def _taylor(layer: Layer, q: Expr, last: int, digits: int) -> list:
    found, _ = integrals([lambda: _intervals(layer.activation.piecewise, to_mpf(q), last, digits)], last + 1, digits)
    with mp.workdps(digits):
        weight, unit = to_mpf(layer.weight_variance), 2 * to_mpf(q)
        return [weight * value / (unit**n * factorial(n)) for n, value in enumerate(found)]


def _intervals(phi: PiecewiseSmooth, q, last: int, digits: int) -> list[tuple]:
    pieces, scale = phi.ball_functions, of_mpf(mp.sqrt(q))
    found = parts(phi, q, digits)
    return [(*ends, lambda z, f=pieces[i]: _weighted(f(scale * z), z, last), width) for *ends, i, width in found]


def _weighted(value: arb, z: arb, last: int) -> list[arb]:
    previous, current = arb(0), value * value
    found = [current]
    for k in range(2 * last):
        previous, current = current, z * current - k * previous
        if k % 2:
            found.append(current)
    return found


# ---- one layer of PDLT's MLP of the class K* = 0: kernel components and those of the NTK ---------
#
# Two inputs x_0 +- delta x/2, expanded in delta x (PDLT 10.44-10.45, 10.67, 10.70), C_b = 0, lambda at layer l + 1:
#
#     K_00'            = C_W <s s>                                 s = phi, <.> the mean over N(0, K_00)
#     delta K_[1]'     = chi_par delta K_[1]                       chi_par  = C_W <s' s' + s s''>
#     ddelta K_[2]'    = chi_perp ddelta K_[2]                     chi_perp = C_W <s' s'>
#     Theta_00'        = lambda_b + lambda_W <s s> + chi_perp Theta_00
#     delta Theta_[1]' = chi_perp delta Theta_[1] + (lambda_W/C_W chi_par + C_W <s'' s'' + s' s'''> Theta_00) dK_[1]
#     ddelta Theta_[2]' = chi_perp ddelta Theta_[2] + (lambda_W/C_W chi_perp + C_W <s'' s''> Theta_00) ddK_[2]
#
# <z s' s''>/K_00 of 10.67 is <s'' s'' + s' s'''> by parts.


DERIVATIVES = 4


@dataclass(frozen=True)
class ComponentStep:
    """(l, K_00, dK_1, ddK_2, Theta_00, dTheta_1, ddTheta_2) at layer l -> the same at layer l + 1."""

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        layer, kernel, parallel, second, ntk, first_ntk, second_ntk = state
        weight, rates = to_mpf(self.statement.layer.weight_variance), self.rates(layer + 1)
        phi = self.statement.layer.activation.piecewise
        products = lambda s, d, c, t: [s * s, d * d, s * c, c * c, d * t]  # noqa: E731
        means = derivative_means(phi, kernel, DERIVATIVES, products, 5, mp.dps)
        ss, dd, sc, cc, dt = (weight * mean for mean in means)
        share = rates[0] / weight
        return (
            layer + 1,
            ss,
            (dd + sc) * parallel,
            dd * second,
            rates[1] + share * ss + dd * ntk,
            dd * first_ntk + (share * (dd + sc) + (cc + dt) * ntk) * parallel,
            dd * second_ntk + (share * dd + cc * ntk) * second,
        )

    def rates(self, layer) -> tuple:
        """(lambda_W, lambda_b) at a layer."""
        return tuple(at_layer(e, layer) for e in (self.statement.weight_rate, self.statement.bias_rate))

    def first(self, variance) -> tuple:
        """Layer 1 for dK_1 = ddK_2 = 1: Theta = lambda_b + (lambda_W/C_W) K, component by component."""
        weight_rate, bias_rate = self.rates(1)
        share = weight_rate / to_mpf(self.statement.layer.weight_variance)
        return (1, mpf(variance), mpf(1), mpf(1), bias_rate + share * variance, share, share)


@lru_cache(maxsize=64)
def derivatives(phi: PiecewiseSmooth, module: str):
    """x -> phi, phi', phi'', phi''' as one function."""
    formula = phi.pieces[0]
    formulas = [formula.diff(phi.symbol, n) if n else formula for n in range(DERIVATIVES)]
    return as_function(phi.symbol, formulas, module, cse=True)


# ---- one layer of a convolutional network, along one offset d ------------------------------------
#
# HDR Proposition 1 (and Lemma 4 with skip connections) for the pairs (alpha, alpha + d).  A is the mean over a filter,
# R = sqrt(q q'), and v, v', gamma_v, k_v, R_v = sqrt(v v') are what the branch makes of them at each position:
#
#     q     -> Q = skip q + A v,      q' -> Q' = skip q' + A v'
#     gamma -> [sqrt(Q Q') - (skip R + A R_v) + skip R gamma + A(R_v gamma_v)]/sqrt(Q Q')
#     k     -> [skip R k + A(R_v k_v)]/sqrt(Q Q')
#
# The first difference, of unequal variances, is computed with twice the digits.  Where all are equal and q is settled,
# or phi without a scale, it is 0: with delta the share of the branch, 1 without a skip connection,
#
#     gamma -> (1 - delta) gamma + delta A(1 - f),      k -> (1 - delta) k + delta A(f' k + f).


class ConvState(NamedTuple):
    """Layer, gaps and K/sqrt(q q') at the M positions of one offset, variances of both inputs or None."""

    layer: int
    gap: tuple
    kernel: tuple
    first: tuple | None = None
    second: tuple | None = None


@dataclass(frozen=True)
class ConvStep:
    """ConvState -> the ConvState of the next layer, at mpmath's precision.

    >>> from asympt import ConvNet
    >>> step = ConvStep(ConvNet("relu", positions=3, reach=1).statement)
    >>> print([mp.nstr(gap, 6) for gap in step(ConvState(1, (mp.one, mp.zero, mp.zero), (0, 1, 1))).gap])
    ['0.22723', '0.22723', '0.22723']
    """

    statement: ConvStatement

    def __call__(self, state: ConvState) -> ConvState:
        if state.first is not None:
            return self._with_variances(state)
        images = [self.map.gap(gap) if gap else gap for gap in state.gap]
        slopes = [self.map.gap_slope(gap) if gap else to_mpf(self.map.multiplier) for gap in state.gap]
        learned = [slope * k + 1 - image for slope, k, image in zip(slopes, state.kernel, images, strict=True)]
        return ConvState(state.layer + 1, self._mixed(state.gap, images), self._mixed(state.kernel, learned))

    def _with_variances(self, state: ConvState) -> ConvState:
        """Any phi: the layer of the branch alone at every position, its means added to what is skipped."""
        dense = self.statement.dense
        branch, pairs = DenseStep(replace(dense, skip=False)), list(zip(*state[3:], *state[1:3], strict=True))
        images = {pair: branch((state.layer, *pair))[1:] for pair in dict.fromkeys(pairs)}
        *both, gap, kernel = zip(*(images[pair] for pair in pairs), strict=True)

        def added(kept: Iterable, new: Sequence) -> list:
            mean = filtered(new, self.statement.reach)
            return [int(dense.skip) * old + value for old, value in zip(kept, mean, strict=True)]

        with mp.workdps(2 * mp.dps + 20):
            following = [added(*v) for v in zip(state[3:], both, strict=True)]
            old, new, norm = (_roots(*v) for v in (state[3:], both, following))
            apart = [a - b for a, b in zip(norm, added(old, new), strict=True)]
        turned = added(map(mul, old, state.gap), [*map(mul, new, gap)])
        gap = tuple((a + b) / n for a, b, n in zip(apart, turned, norm, strict=True))
        learned = added(map(mul, old, state.kernel), [*map(mul, new, kernel)])
        kernel = tuple(k / n for k, n in zip(learned, norm, strict=True))
        return ConvState(state.layer + 1, gap, kernel, *(tuple(+q for q in v) for v in following))

    def _mixed(self, kept: Sequence, branch: Sequence) -> tuple:
        """(skip kept + beta A branch)/(skip + beta)."""
        mean = filtered(branch, self.statement.reach)
        if not self.statement.dense.skip:
            return tuple(mean)
        branch_share = to_mpf(self.statement.dense.branch_share)
        return tuple((1 - branch_share) * old + branch_share * new for old, new in zip(kept, mean, strict=True))

    @cached_property
    def map(self) -> CorrelationMap:
        self.statement.require_equal_layers()
        return CorrelationMap.of(self.statement.dense.layer)


def filtered(values: Sequence, reach: int) -> list:
    """The mean over alpha - reach, ..., alpha + reach on a circle, every sum written out."""
    size, width = len(values), 2 * reach + 1
    return [mp.fsum(values[(place + b) % size] for b in range(-reach, reach + 1)) / width for place in range(size)]


def _roots(one: Sequence, two: Sequence) -> list:
    return [mp.sqrt(a * b) for a, b in zip(one, two, strict=True)]
