"""What the figures show, as arrays: the recursion's own values beside the law's partial sums.

L^p (K^L/(qL) - limit), p the order of the law's first decaying term, climbs along a straight line in log L where the
law has log(L)/L, and is bounded for 1/L.  Up to layer `ITERATED` the points come from the layer recursion in float64,
beyond it from `law.evaluate`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from mpmath import mp
from sympy import Expr, Float, Integer

from asympt.architectures.registry import COMPOSED, record_of
from asympt.compiling import as_function
from asympt.depth import pairs
from asympt.errors import InputError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.printing import numbered
from asympt.numbers import check_depth, exact, to_mpf
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.recursions.law import Law

READ_AT = (5_000, 10_000)
AGREED = 1e-5
DIGITS, FEWER, FLOAT = 30, 12, 17


def constants_of(net, law: Law, start: Expr) -> dict:
    """{C: its value} and, where the law contains it, {D: its value} for one start c^1.

    Certifying digits takes up to a minute for tanh on the Edge of Chaos, and a line in a picture needs six: there C is
    read off the layer recursion in float64 at two depths, C = A(t_l) - l, t = (1 - c)^(1/root).  Where the readings
    differ by more than `AGREED`, and everywhere else, the law's own constants are taken.  D is looked up only when a
    term of the law contains it.

    Raises `PrecisionError` for a start that has none (c^1 = 1).
    """
    digits = DIGITS if is_scale_free(net) else FEWER
    read = _read_off(net, law, start) if law.abel is not None and not is_scale_free(net) else None
    return constants_in(law, start, digits, read)


def constants_in(law: Law, start: Expr, digits: int, read: float | None = None) -> dict:
    """The same to so many digits; `read`: C, where it is known already."""
    value = law.connection_constant(digits, correlation=start) if read is None else read
    values = {C: Float(value, digits)}
    if any(coefficient.has(D) for _, coefficient in law.expansion.terms):
        values[D] = Float(law.second_constant(digits, correlation=start), digits)
    return values


def is_scale_free(net) -> bool:
    """Whether every layer does the same at every variance, by the statement of the network where it has one."""
    return net.statement is not None and net.statement.is_scale_free


def is_critical(net) -> bool:
    """Whether its laws are those of the Edge of Chaos, which ReLU-like networks without biases have for every chi."""
    return net.phase == "edge of chaos" or is_scale_free(net)


def pairs_at(net, gaps, depth: int):
    """(1 - c, K/q) where the depth of a law stands: one of a period of blocks counts whole turns."""
    turn = len(net.blocks) if record_of(net) is COMPOSED else 1
    return pairs(net, gaps, 1 + turn * (depth - 1))


def _read_off(net, law: Law, start: Expr) -> float | None:
    """C from float64, None where two readings disagree."""
    gap = float(1 - start)
    readings = [_position(law, float(pairs_at(net, gap, layer)[0])) - layer for layer in READ_AT] if gap > 0 else []
    agree = readings and abs(readings[1] - readings[0]) <= AGREED * max(1, abs(readings[0]))
    return readings[0] if agree else None


def _position(law: Law, gap: float) -> float:
    """A at a gap, by the terms that grow and the first `multiplicity` + 1 that do not."""
    t = gap ** (1 / law.abel.root)
    kept = [(m, c) for m, c in law.abel.expansion.terms if m.order <= law.abel.multiplicity]
    return sum(float(c) * t ** float(m.order) * np.log(t) ** m.logs for m, c in kept)


Progress = Callable[[str, int, int], None]

STARTS = ("1/10", "1/2", "9/10")
ITERATED = 10**5
DEEP = 10**6
SHALLOWEST = 20  # laws are drawn from depth 10 on
_ONE = Monomial(0)


@dataclass(frozen=True)
class Points:
    """Values at depths; `iterated` is True where the layer recursion was run, False where `law.evaluate` was."""

    depths: np.ndarray
    values: np.ndarray
    iterated: np.ndarray


@dataclass(frozen=True)
class Curve:
    """The points of one start c^1, and the law with its constants put in, times depth^order."""

    correlation: Expr
    points: Points
    expansion: Expansion
    order: float

    def law(self, depths: np.ndarray, terms: int | None = None) -> np.ndarray:
        """depth^order times the first `terms` terms of the law (default: all), without its limit."""
        decaying = [(m, c) for m, c in self.expansion.terms[:terms] if m != _ONE]
        return depths**self.order * _summed(self.expansion.scale, decaying, depths)

    def slope(self, first: float) -> float:
        """The slope of the points in log(depth) from depth `first` on, by least squares."""
        far = self.points.depths >= first
        return float(np.polyfit(np.log(self.points.depths[far]), self.points.values[far], 1)[0])


def _summed(scale: Scale, terms: Sequence, depths: np.ndarray) -> np.ndarray:
    formula = numbered(Expansion(scale, tuple(terms)).to_sympy(), FLOAT)
    return as_function([scale.variable], formula, "numpy")(depths) + np.zeros_like(depths)


@dataclass(frozen=True)
class LawData:
    """Everything a figure draws: the law and one curve for each start."""

    law: Law
    curves: tuple[Curve, ...]


def law_data(
    net, kind: str, correlations: Sequence = STARTS, depth: int | None = None, terms: int = 4,
    progress: Progress | None = None,
) -> LawData:
    """What a figure shows of the law of `kind`, 'ntk' or 'correlation', for every c^1 in `correlations`.

    On the Edge of Chaos (`is_critical`) L^p (K^L/(qL) - limit), or l^p (1 - c^l), p the order of the first term that
    decays, at depths 1, 2, 5, 10, ... up to `depth`; left out, 10^6 for the NTK of ReLU-like networks, else 10^5.  In
    the ordered and the chaotic phase the distance from the limit; left out, it ends where that is 1e-11.
    `progress(name, done, total)` is called as layers are done.

    The slope of the points in log L is the law's coefficient of log(L)/L, 3/8 for every ReLU-like activation:

    >>> from asympt import FeedForward
    >>> round(law_data(FeedForward("relu"), "ntk", ["1/10"], depth=10**4).curves[0].slope(first=1000), 2)
    0.38
    >>> points = law_data(FeedForward("relu"), "correlation", ["1/10"], depth=1000).curves[0].points
    >>> round(float(points.values[-1]), 8)        # 1000^2 * 4.3194119238e-05
    43.19411924
    >>> ordered = law_data(FeedForward("relu", sigma_w=1, sigma_b=1), "ntk", ["1/10"], depth=30).curves[0]
    >>> round(float(ordered.points.values[-1]), 8)
    5.674e-05
    """
    law = net.ntk_law(terms) if kind == "ntk" else net.correlation_law(terms)
    limit, own = float(law.limit), kind == "ntk"
    if not is_critical(net):
        depths = depths_of(law, depth)
        found = _law_data(net, law, correlations, depths, lambda layer, *pair: np.abs(pair[own] - limit), progress)
        curves = (replace(curve, points=_told(law, depths, curve.points.values), order=0.0) for curve in found.curves)
        return LawData(law, tuple(curves))
    order, usual = float(first_decaying(law).order), DEEP if own and is_scale_free(net) else ITERATED

    def scaled(layer: int, gap, kernel):
        return (kernel - limit * layer) * float(layer) ** (order - 1) if own else float(layer) ** order * gap

    return _law_data(net, law, correlations, depths_to(usual if depth is None else depth), scaled, progress)


def depths_to(depth) -> list[int]:
    """1, 2, 5, 10, 20, 50, ... up to `depth`, which is the last.

    >>> depths_to(150)
    [1, 2, 5, 10, 20, 50, 100, 150]
    """
    depth = check_depth(depth)
    if depth < SHALLOWEST or depth > 10**100:
        raise InputError(f"depth = {depth} is not a range to plot a law over; take one from {SHALLOWEST} to 10^100")
    steps = [step * 10**decade for decade in range(len(str(depth))) for step in (1, 2, 5)]
    return [step for step in steps if step < depth] + [depth]


def first_decaying(law: Law) -> Monomial:
    """The first monomial of the law that is not its limit; that of the remainder where there is none before."""
    return next((m for m, _ in law.expansion.terms if m != _ONE), law.expansion.remainder.monomial)


def starts_of(correlations: Sequence) -> list[Expr]:
    """The starts c^1 as exact numbers; an error when there are none."""
    several = isinstance(correlations, Iterable) and not isinstance(correlations, str)
    starts = [exact(c, "correlation") for c in correlations] if several else []
    if not starts:
        raise InputError(f"correlations = {correlations!r} is not a list of c^1; give at least one, such as ['1/10']")
    return starts


def nets_of(nets) -> tuple:
    """Networks, at least one; an error for anything else."""
    found = tuple(nets) if isinstance(nets, Iterable) and not isinstance(nets, str) else (nets,)
    if not found:
        raise InputError("nets is empty; give at least one network")
    if any(record_of(net) is None for net in found):
        raise InputError(f"nets = {nets!r} is not a list of networks; give several, such as [FeedForward('relu')]")
    return found


def warning_of(net) -> str:
    """What a legend says of a network whose variance does not converge to q."""
    stability = getattr(net, "stability", None)
    return "" if stability is None or stability.attracts else f", {stability.kind} variance"


def iterated(net, starts: Sequence[Expr], depths: Sequence[int], observe, progress: Progress | None) -> np.ndarray:
    """observe(layer, gap, k) at the depths up to ITERATED, a row for each start; progress counts layers."""
    gaps = np.array([float(1 - start) for start in starts])
    layers, columns, done = [layer for layer in depths if layer <= ITERATED], [], 0
    for layer in layers:
        columns.append(observe(layer, *pairs_at(net, gaps, layer)))
        done += layer
        if progress is not None:
            progress("recursion", done, sum(layers))
    return np.array(columns).T


def _law_data(net, law: Law, correlations: Sequence, depths: Sequence[int], observe, progress) -> LawData:
    """The curves: what `observe` makes of the recursion, beyond it the certified distance from the limit, scaled."""
    starts, order, curves = starts_of(correlations), first_decaying(law).order, []
    constants = [constants_of(net, law, start) for start in starts]
    near = iterated(net, starts, depths, observe, progress)

    def certified(layer: int, start: Expr) -> float:
        with mp.workdps(len(str(layer)) + 25):
            value = law.evaluate(layer, digits=len(str(layer)) + 16, correlation=start)
            return float(mp.mpf(layer) ** to_mpf(order) * (value - to_mpf(law.limit)))

    sources = np.array([layer <= ITERATED for layer in depths])
    for start, values, row in zip(starts, constants, near, strict=True):
        far = [certified(layer, start) for layer in depths if layer > ITERATED]
        points = Points(np.array(depths, dtype=float), np.concatenate([row, far]), sources)
        curves.append(Curve(start, points, law.expansion.subs(values), float(order)))
    return LawData(law, tuple(curves))


TOLD = 1e-12
CLOSE = 1e-11  # the distance at which a figure ends
MOST, DOTS = 5_000, 40


def depths_of(law: Law, depth: int | None) -> list[int]:
    """About `DOTS` depths up to `depth`, or up to where the first decaying monomial is `CLOSE`."""
    if depth is None:
        every = np.arange(1, MOST + 1)
        below = _summed(law.expansion.scale, [(first_decaying(law), Integer(1))], every.astype(float)) < CLOSE
        last = int(every[np.argmax(below)]) if below[-1] else MOST
    else:
        last = check_depth(depth)
    if not 2 <= last <= MOST:
        raise InputError(f"depth = {last} is not a range to plot an exponential law over; take one from 2 to {MOST}")
    step = -(-last // DOTS)
    return [*range(1, last, step), last]


def _told(law: Law, depths: Sequence[int], values: np.ndarray) -> Points:
    told = values > (TOLD * abs(float(law.limit)) if law.limit != 0 else 0)
    kept = np.array(depths, dtype=float)[told]
    return Points(kept, values[told], np.full(kept.shape, True))
