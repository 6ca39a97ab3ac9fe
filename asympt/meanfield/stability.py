"""What becomes of an input whose variance is not the fixed point q: does V draw it there, or drive it away?

|V'(q)| < 1 is stable, > 1 unstable, V'(q) = 1 marginal.  Where V rises between q and the next fixed point (or the end,
0 or oo), an orbit from there rises or falls all the way, and the sign of V(q^1) - q^1 near q tells where it goes.
Where V does not rise, the orbit of a q^1 near q is iterated.  Limits other than q have the digits of float64.

phi = max(x, 0)^2, sigma_b = 1/10, sigma_w^2 = 25/2: V(q) = 1/100 + (75/4) q^2 has the fixed points 1/75, stable, and
1/25, where chi = 1 and V' = 3/2: from q^1 > 1/25 the variance grows without bound, from below it falls to 1/75.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from mpmath import mp
from sympy import Expr

from asympt.errors import AsymptError
from asympt.meanfield.roots import HIGHEST, LOWEST, NOISE, zeros
from asympt.meanfield.variance import VarianceMap
from asympt.numbers import to_mpf

STABLE, UNSTABLE, MARGINAL, NEUTRAL = "stable", "unstable", "marginal", "neutral"
RETURNS, MOVES, GROWS, VANISHES, WANDERS = "returns", "moves", "grows", "vanishes", "wanders"
DIGITS, SHOWN = 15, 8  # of V'(q), and of a number in a sentence
SAME = 1e-7  # relative distance at which two fixed points are one
ROUGH = 1e-9  # relative rounding of V in float64 where it is flat
NEAR, PATH, STEPS = 1e-4, 200, 20_000


@dataclass(frozen=True)
class VarianceSide:
    """The orbits of the variance from one side of q.

    `fate`: 'returns' (to q), 'moves' (to another fixed point), 'grows' (without bound), 'vanishes' (falls to 0) or
    'wanders' (no limit was found, as in a cycle); `limit`: what the variance tends to, None for one that wanders;
    `until`: how far from q this is known to be so (0 and oo are the ends), None when V does not rise there.
    """

    fate: str
    limit: object
    until: float | None

    def __str__(self) -> str:
        return self.latex().replace("$", "")

    def latex(self) -> str:
        """What happens, formulas in dollars."""
        return {
            RETURNS: "returns to $q$",
            MOVES: f"tends to ${_shown(self.limit or 0)}$",
            GROWS: "grows without bound",
            VANISHES: "falls to $0$",
            WANDERS: f"has found no limit after {STEPS} layers",
        }[self.fate]


@dataclass(frozen=True)
class Stability:
    """How the fixed point q of the variance treats its neighbours.

    `kind`: 'stable' (|V'(q)| < 1), 'unstable' (> 1), 'marginal' (= 1) or 'neutral' (no q is singled out: V(q) = chi q,
    and the laws are the same at every q); `slope`: V'(q); `q`: the fixed point, None when neutral; `above`, `below`:
    what becomes of an input with a q^1 a little larger or smaller, None when neutral and where there is none
    (below q = 0).

    >>> from asympt.architectures import FeedForward
    >>> print(FeedForward("max(x, 0)^2", sigma_b="1/10").stability)
    unstable: V'(q) = 1.5 > 1, so q^1 = q alone has these laws; a larger q^1 grows without bound, a smaller one tends to 0.013333333
    >>> print(FeedForward("relu").stability)
    neutral: V(q) = q, so every q^1 stays and has these laws
    """  # noqa: E501

    kind: str
    slope: object
    q: Expr | None
    above: VarianceSide | None
    below: VarianceSide | None

    @property
    def attracts(self) -> bool:
        """Whether the laws hold for inputs with q^1 near q, or for all of them (neutral)."""
        return all(_returns(side) for side in self.sides)

    @property
    def attracts_all(self) -> bool:
        """Whether the laws are known to hold for every q^1 > 0."""
        return self.attracts and all(side.until in (0, np.inf) for side in self.sides)

    @property
    def sides(self) -> list[VarianceSide]:
        """The sides that there are."""
        return [side for side in (self.above, self.below) if side is not None]

    @property
    def interval(self) -> tuple[float, float] | None:
        """An interval of q^1 that converge to q, when q attracts and V rises on it; else None."""
        if self.q is None or not self.attracts or any(side.until is None for side in self.sides):
            return None
        return (0.0 if self.below is None else float(self.below.until)), float(self.above.until)

    def __str__(self) -> str:
        return self._sentence().replace("$", "")

    def latex(self) -> str:
        """The sentence as LaTeX text."""
        return self._sentence().replace("->", r"\to")

    def _sentence(self) -> str:
        """What is the case, and for whom the laws hold, formulas in dollars."""
        if self.kind == NEUTRAL and self.slope == 1:
            return "neutral: $V(q) = q$, so every $q^1$ stays and has these laws"
        if self.kind == NEUTRAL:
            return f"neutral: $V(q) = {self.slope} q$, and every $q^1$ has these laws".replace("**", "^")
        place = "0" if self.q == 0 else "q"
        compared = "" if self.kind != UNSTABLE else " > 1" if self.slope > 0 else " < -1"
        slope = f"{self.kind}: $V'({place}) = {_shown(self.slope)}{compared}$"
        return f"{slope}, {self._drawn(place)}" if self.attracts else f"{slope}, so {self._driven(place)}"

    def _drawn(self, place: str) -> str:
        if self.interval is None:
            return f"and $q^l -> {place}$ from every $q^1$ near ${place}$"
        low, high = self.interval
        bounded = (("above", low, low > 0), ("below", high, high < np.inf))
        ends = [f" {which} ${_shown(end)}$" for which, end, is_end in bounded if is_end]
        return f"and $q^l -> {place}$ from every $q^1${' and'.join(ends)}"

    def _driven(self, place: str) -> str:
        sides = ("a larger $q^1$", self.above), ("a smaller one", self.below)
        fates = [f"{which} {side.latex()}{', with other laws' * _returns(side)}" for which, side in sides if side]
        return f"$q^1 = {place}$ alone has these laws; {', '.join(fates)}"


def _returns(side: VarianceSide | None) -> bool:
    return side is not None and side.fate == RETURNS


def _shown(value) -> str:
    return mp.nstr(mp.mpf(value), SHOWN).removesuffix(".0")


def neutral(chi: Expr) -> Stability:
    """The stability of V(q) = chi q."""
    return Stability(NEUTRAL, chi, None, None, None)


@lru_cache(maxsize=128)
def stability_at(variance: VarianceMap, q: Expr) -> Stability:
    """The stability of the fixed point q >= 0 of V.

    >>> from asympt.meanfield.activations import activation
    >>> from sympy import Integer
    >>> found = stability_at(VarianceMap(activation("relu"), Integer(1), Integer(3)), Integer(6))
    >>> found.kind, found.interval
    ('stable', (0.0, inf))
    """
    slope = variance.slope(q, DIGITS)
    margin = abs(slope) - 1
    kind = MARGINAL if abs(margin) < mp.mpf(10) ** -12 else STABLE if margin < 0 else UNSTABLE
    with mp.workdps(DIGITS):
        place = to_mpf(q)
    orbits = _Orbits(variance, float(place))
    below = None if place == 0 else _side(orbits, place, -1)
    return Stability(kind, slope, q, _side(orbits, place, 1), below)


def _side(orbits: "_Orbits", q, sign: int) -> VarianceSide:
    limit, until = orbits.limit(sign)
    if limit is None:
        return VarianceSide(WANDERS, None, None)
    if limit == orbits.q:
        return VarianceSide(RETURNS, q, until)
    fate = GROWS if limit == np.inf else VANISHES if limit == 0 else MOVES
    return VarianceSide(fate, mp.mpf(limit), until)


@lru_cache(maxsize=128)
def limit_from(variance: VarianceMap, start: float, known: float = 0.0) -> float | None:
    """What the variance tends to from q^1 = `start`: a fixed point, 0 or oo in float64; None where no limit is found.

    `known`: a fixed point to reckon with, whether or not V(q) - q changes its sign there.

    >>> from asympt.meanfield.activations import activation
    >>> round(limit_from(VarianceMap(activation("relu"), 1, 3), 1.0), 6)
    6.0
    """
    orbits = _Orbits(variance, start, known)
    growth = orbits.growth(np.array([start]))[0]
    if np.isfinite(growth) and abs(growth) > NOISE:
        limit, until = orbits.limit(int(np.sign(growth)))
        if until is not None:
            return limit
    return orbits._followed(start)


class _Orbits:
    """q, q^2 = V(q^1), ... in float64 beside the fixed point q."""

    def __init__(self, variance: VarianceMap, q: float, known: float = 0.0):
        self.growth, self.images, self.image, self.q = variance.growth, variance.images, variance, q
        found = zeros(self.growth) + ([known] if 0 < known < np.inf else [])
        others = [zero for zero in found if abs(zero - q) > SAME * q]
        self.others = others + ([0.0] if q > 0 and variance.at_zero() else [])

    def limit(self, sign: int) -> tuple[float | None, float | None]:
        """(what the variance tends to from a q^1 on one side, None when it has no limit; how far this is known)."""
        end = self._next(sign)
        places = self._between(end)
        values = self.growth(places)
        known = np.isfinite(values)
        told = known & (np.abs(values) > NOISE)
        if not told.any():
            return None, None
        direction = np.sign(values[told][0])
        images = self.images(places)[known]
        if np.all(np.diff(images) * sign >= -ROUGH * images[1:]):
            return (end if direction == sign else self.q), end
        return self._followed(float(places[told][0])), None

    def _next(self, sign: int) -> float:
        beyond = [point for point in self.others if (point - self.q) * sign > 0]
        return min(beyond, key=lambda point: abs(point - self.q), default=np.inf if sign > 0 else 0.0)

    def _between(self, end: float) -> np.ndarray:
        """Places from near q to near the end of its side, finely near q."""
        if self.q == 0:
            return np.geomspace(LOWEST, min(end, HIGHEST), PATH)[:-1]
        far = min(max(end, LOWEST), HIGHEST) / self.q
        step = NEAR * min(1.0, abs(far - 1))
        shares = np.geomspace(step, 1, PATH)[:-1]  # of log(far), or all the way in q
        return self.q * np.exp(shares * np.log(far))

    def _followed(self, q: float) -> float | None:
        points = np.array([self.q, *self.others])
        for _ in range(STEPS):
            ratio = 1 + self.growth(np.array([q]))[0]
            if np.isnan(ratio):  # which float64 does not know
                with suppress(AsymptError):
                    ratio = float(self.image(q, DIGITS)) / q
            if np.isnan(ratio):
                return None
            if not np.isfinite(ratio) or q * ratio > HIGHEST:
                return np.inf
            if q * ratio < LOWEST:
                return 0.0
            nearest = points[np.argmin(np.abs(points - q))]
            if abs(ratio - 1) < NOISE and abs(q - nearest) <= SAME * nearest:
                return float(nearest)
            q *= ratio
        return None


def record_of(found: Stability) -> dict:
    """The stability as plain data: numbers as text with their digits, infinity as 'inf'."""
    record = {"kind": found.kind, "slope": str(found.slope) if found.kind == NEUTRAL else mp.nstr(found.slope, 12)}
    for name in ("above", "below"):
        side = getattr(found, name)
        record[name] = None if side is None else {"fate": side.fate, "limit": _digits(side.limit)}
    interval = None if found.interval is None else [_digits(end) for end in found.interval]
    return {**record, "attracts": found.attracts, "interval": interval, "text": str(found)}


def _digits(value) -> str | None:
    return None if value is None else mp.nstr(mp.mpf(value), 12).removesuffix(".0").removeprefix("+")
