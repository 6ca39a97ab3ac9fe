"""The numbers q and sigma_w of a layer as balls, where E[phi(x) phi(y)] has a closed form.

At correlation 1 the closed forms are V(q) = E[phi^2] and M(q) = E[phi'^2].  On the Edge of Chaos, sigma_b given, q
solves sigma_b^2 + V/M = q and sigma_w^2 = 1/M; elsewhere sigma_b^2 + sigma_w^2 V = q.  Interval Newton about the digits
proves that there is one solution in the ball.  Without a closed form, and about c* < 1, a smooth activation's map is
known by its Hermite sum (`balls.kernel`).  sigma_w is not enclosed where sigma_b was solved for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import pairwise

from flint import arb
from sympy import Dummy, Expr, S, simplify, sqrt

from asympt.balls.arithmetic import Refused
from asympt.balls.breaks import FormulaPiece, PoleMoments, PolePiece
from asympt.balls.disc import FormulaMap, LocalBallMap
from asympt.balls.expression import program_of
from asympt.balls.kernel import C_STAR, KernelMap
from asympt.balls.kinks import KinkedMap
from asympt.balls.laws import FormalLaw
from asympt.balls.moments import SIGMA_B, SIGMA_W, Parameters, Q, Solved
from asympt.balls.transient import NodeSquares, PairLayer, SettlingOrbit
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.closed.kernels import Q1, Q2, C, closed_form
from asympt.gaussian.closed.moments import exact_square_moment
from asympt.meanfield.layer import Layer

_X = Dummy("q", positive=True)
DIGITS = 14  # of q, from which its equation is solved
NEAR = 25  # digits from which the equation is solved


def parameter_balls(layer: Layer) -> Callable[[int], Mapping] | None:
    """A function of the precision that encloses the numbers of the layer; None where all of them are exact."""
    q, weight, bias = layer.fixed_variance, layer.weight_variance, layer.bias_variance
    if not any(value.atoms(RealConstant) for value in (q, weight, bias)):
        return None
    if bias.atoms(RealConstant) or not isinstance(q, RealConstant):
        raise Refused("the variance or sigma_b of this layer is not enclosed; give sigma_b, and leave out sigma_w")
    value, slope = _at_one(layer)
    equation = bias + (value / slope if layer.critical else weight * value) - _X
    others = {constant: 1 / sqrt(slope) for constant in weight.atoms(RealConstant)} if layer.critical else {}
    solved = Solved(equation, _X, str(q.evalf(NEAR)), others)
    return lambda bits: {q if name == _X else name: ball for name, ball in solved(bits).items()}


@lru_cache(maxsize=16)  # one map for all laws and starts of a layer: it keeps its sums and its models
def kernel_map(layer: Layer, fixed_gap: Expr = S.Zero) -> KernelMap | KinkedMap:
    """The correlation map of an activation about a fixed point of it, 1 - c* = `fixed_gap`, by its Hermite sum.

    Raises `Refused` where q, sigma_w or sigma_b is not enclosed, and for another activation.
    """
    phi, q, weight = layer.activation, layer.fixed_variance, layer.weight_variance
    if layer.bias_variance.atoms(RealConstant) or (not layer.critical and weight.atoms(RealConstant)):
        raise Refused("sigma_b of this layer is not enclosed; give sigma_b, and leave out sigma_w")
    near = None if fixed_gap == 0 else "1" if fixed_gap == 1 else str(fixed_gap.evalf(DIGITS))
    kinked = None if phi.is_smooth else _kinked_map(layer)
    if kinked is not None and near is None:
        return kinked
    given = None if layer.critical else sqrt(weight)
    solved = Parameters(phi.expression, phi.symbol, sqrt(layer.bias_variance), str(q.evalf(DIGITS)), given)
    names = {q: Q} if isinstance(q, RealConstant) else {}
    names |= {constant: SIGMA_W for constant in weight.atoms(RealConstant)}
    names |= {constant: C_STAR for constant in fixed_gap.atoms(RealConstant)}
    return KernelMap(
        phi.expression, phi.symbol, solved if kinked is None else kinked.parameters, names=names,
        critical=bool(layer.critical), near=near, weights=kinked,
    )  # fmt: skip


def _kinked_map(layer: Layer) -> KinkedMap:
    q, weight = layer.fixed_variance, layer.weight_variance
    if layer.activation.singular_order == 0:
        raise Refused("an activation that jumps has no certificate; its correlation map is not differentiable at c = 1")
    pieces, moments, parameters = _by_formulas(layer) or _by_poles(layer)
    names = ({q: Q} if isinstance(q, RealConstant) else {}) | {c: SIGMA_W for c in weight.atoms(RealConstant)}
    order = 1 if layer.activation.singular_order == 1 else 2
    return KinkedMap(layer.activation.expression, pieces, moments, parameters, order, bool(layer.critical), names)


def _by_formulas(layer: Layer) -> tuple | None:
    """Pieces, moments and parameters by formulas for M_0, M_1, ... in q; None where M_0 or M_1 has none."""
    phi, weight = layer.activation.piecewise, layer.weight_variance

    @cache
    def moment(j: int) -> Expr | None:
        return exact_square_moment(phi, j, Q)

    def value(j: int, q: arb) -> arb:
        if moment(j) is None:
            raise Refused(f"a moment of {layer.activation.expression} has no formula, so it is not enclosed")
        return program_of(moment(j), Q).value(q)

    if moment(0) is None or moment(1) is None:
        return None
    ratio = moment(0) / moment(1) if layer.critical else weight * moment(0)
    others = {SIGMA_W: 1 / sqrt(moment(1)) if layer.critical else sqrt(weight), SIGMA_B: sqrt(layer.bias_variance)}
    near = str(layer.fixed_variance.evalf(NEAR))
    return _pieces(layer, FormulaPiece.of), value, Solved(layer.bias_variance + ratio - Q, Q, near, others)


def _by_poles(layer: Layer) -> tuple:
    phi, weight = layer.activation, None if layer.critical else sqrt(layer.weight_variance)
    pieces, near = _pieces(layer, PolePiece.of), str(layer.fixed_variance.evalf(DIGITS))

    def moments(q: arb, bits: int, order: int) -> PoleMoments:
        return PoleMoments(pieces, q)

    found = Parameters(phi.expression, phi.symbol, sqrt(layer.bias_variance), near, weight, moments)
    return pieces, lambda j, q: PoleMoments(pieces, q).square(j, j), found


def _pieces(layer: Layer, read: Callable) -> list:
    phi = layer.activation.piecewise
    ends = pairwise((None, *phi.breaks, None))
    return [read(piece, phi.symbol, *between) for piece, between in zip(phi.pieces, ends, strict=True)]


@lru_cache(maxsize=64)  # one law for all correlations: it keeps what is proved of it
def settling(layer: Layer, asked: FormalLaw, variances: tuple[Expr, Expr]) -> FormalLaw:
    """A law for two inputs with these variances in layer 1."""
    pair, scale = pair_layer(layer, asked.map_), sqrt(Q1 * Q2) / layer.fixed_variance
    scale = scale.xreplace({q: value for q, value in zip((Q1, Q2), variances, strict=True) if value.is_number})
    if pair.kernel is None and scale.free_symbols:
        raise Refused("intervals of norms are only for activations whose kernel has a closed form; give two numbers")
    orbits = partial(SettlingOrbit, layer=pair, variances=variances, scale=scale)
    return replace(asked, orbits=orbits, scale=scale)


@lru_cache(maxsize=16)
def pair_layer(layer: Layer, map_: LocalBallMap) -> PairLayer:
    """The layer of two inputs of any variances in balls, whose correlation map at q is `map_`.

    Raises `Refused` for an activation with jumps of phi, or of phi' beside 0, and for moments without a ball.
    """
    phi = layer.activation.piecewise
    if any(jump != 0 for jump in phi.jumps(0)) or any(
        jump != 0 and place != 0 for place, jump in zip(phi.breaks, phi.jumps(1), strict=True)
    ):
        raise Refused("an activation that jumps, or has a kink away from 0, has no theorem for inputs of any norms")
    kernel = (closed_form(phi).value, C, Q1, Q2) if isinstance(map_, FormulaMap) else None
    return PairLayer(layer.fixed_variance, layer.weight_variance, layer.bias_variance, _squares(layer, map_), kernel)


def _squares(layer: Layer, map_: LocalBallMap) -> Callable[[int, arb], tuple[arb, arb]]:
    """(j, q) -> M_j and M_j'."""
    phi = layer.activation
    if isinstance(map_, KernelMap):
        return NodeSquares(map_)
    formulas = tuple(exact_square_moment(phi.piecewise, j, Q) for j in range(3))
    if None not in formulas:
        return partial(_by_formula, formulas)
    return partial(_by_sides, tuple(_pieces(layer, PolePiece.of)))


def _by_formula(formulas: Sequence[Expr], j: int, q: arb) -> tuple[arb, arb]:
    program = program_of(formulas[j], Q)
    return program.value(q), program.slope(q)


def _by_sides(pieces: Sequence[PolePiece], j: int, q: arb) -> tuple[arb, arb]:
    found = PoleMoments(pieces, q)
    return found.square(j, j), found.rate(j)


def _at_one(layer: Layer) -> tuple[Expr, Expr]:
    form = closed_form(layer.activation.piecewise)
    if form is None:
        raise Refused("the activation has no closed form, so its q and sigma_w are not enclosed")
    return tuple(simplify(f.subs({Q1: _X, Q2: _X, C: 1})) for f in (form.value, form.slope))
