"""Linear recursions along a parabolic flow for any multiplier: a' = lambda(t) a + b(t), t' = t (1 + e(t)).

Problem.  `linear` solves the case that the NTK needs, lambda the derivative of the map.  A sum along the orbit
(lambda = 1), a product, a discounted sum (lambda = 1/2) have other multipliers.

Rule.  Let j be the first power at which lambda differs from 1, and e = e_m t^m + ....

    j >= m   H = t^h (1 + u_1 t + ...), h = lambda_m/e_m: the summand u_k t^(h+k) ((1+e)^(h+k) - lambda) starts at
             t^(k+m) with u_k k e_m, so each u_k follows.  P as in `linear`, resonant at k = h if that is a whole
             number from -m on.
    j < m    what remembers a_0 decays like exp(-c l^(1-j/m)) (j > 0) or lambda_0^l (j = 0), faster than any power:
             a = P(t) to every order, P = sum_(k>=-j) p_k t^k with pivots -(lambda - 1)_j, and no D.

Tiny case.  a' = a + t along t' = t/(1 + t): h = 0, H = 1, b meets the resonance: a_l = log l + D + ....

Known limits.  b must be bounded at the fixed point, h rational, and for j < m the part that remembers a_0 must decay.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Rational

from asympt.errors import UnsupportedError
from asympt.expansions.series import Field, power, product
from asympt.reading import as_sympy
from asympt.recursions.coordinates.abel import Powers, multiplicity, solve_rows, stride
from asympt.recursions.linear import LinearSolution, homogeneous_of, particular_of, solve_linear


@dataclass(frozen=True)
class Character:
    """How lambda compares with the flow: `exponent` h, or None when the past is forgotten faster than any power.

    `first`: j, the first power of t at which lambda differs from 1 (m at most).
    """

    first: int
    exponent: Rational | None

    @classmethod
    def of(cls, growth: Sequence[Expr], multiplier: Sequence[Expr]) -> "Character":
        """From the exact series of e and lambda; an error when the past is not forgotten and not a power either."""
        m = multiplicity(growth)
        excess = [as_sympy(c) - (1 if k == 0 else 0) for k, c in enumerate(multiplier)]
        first = next((k for k, c in enumerate(excess[:m]) if c != 0), m)
        if first < m:
            _require_forgetting(multiplier[0], excess[first], first)
            return cls(first, None)
        exponent = (excess[m] / growth[m]).cancel()
        if not exponent.is_Rational:
            raise UnsupportedError(
                f"the homogeneous solution behaves like t^h with h = {exponent}; only rational h are expanded"
            )
        return cls(m, exponent)


def _require_forgetting(limit: Expr, lead: Expr, first: int) -> None:
    """|lambda_0| < 1, or lambda_0 = 1 approached from below."""
    if first == 0:
        forgets = (abs(limit) < 1) == True  # noqa: E712 - SymPy's undecided relations are neither
        if not forgets:
            raise UnsupportedError(
                f"lambda tends to {limit}: with |lambda| >= 1 in the limit the start is never forgotten and a_n is not "
                "a power of n; take a multiplier that tends to 1 or below"
            )
    elif not lead.is_negative:
        raise UnsupportedError(
            f"lambda = 1 + {lead} t^{first} + ... makes a_n grow faster than any power of n; no law there"
        )


def homogeneous_by_multiplier(
    growth: Sequence, multiplier: Sequence, exponent, m: int, last: int, powers: Powers
) -> list:
    """1, u_1, u_2, ...: H = t^h (1 + u_1 t + ...), over any field; `exponent` is h in that field."""
    step = powers.stride
    length = (last + m) // step + 1
    raised = power(powers.factor, exponent, powers.length)
    forward = power(powers.factor, step, powers.length)
    slope, row, rows = multiplier[::step], raised, {}
    for k in range(0, length):
        rows[k * step] = [c - s for c, s in zip(row, slope, strict=False)]
        row = product(forward, row, powers.length)
    zero = growth[m] * 0
    first = rows.pop(0)
    source = {k: -first[(k + m) // step] for k in rows if (k + m) // step < len(first)}
    reachable = {k: rows[k] for k in source}
    padded = [zero] * (max(source, default=0) + m + 1)
    for k, value in source.items():
        padded[k + m] = value
    solved = solve_rows(reachable, padded, m, step)
    values = [zero] * (max(solved, default=0) + 1)
    values[0] = zero + 1
    for k, value in solved.items():
        values[k] = value
    return values


def solve_forgetting(multiplier: Sequence, forcing: Sequence, first: int, m: int, last: int, powers: Powers) -> dict:
    """{k: p_k for -m <= k <= last} when the past is forgotten (j < m)."""
    slope = multiplier[:: powers.stride]
    rows = {
        k: [c - s for c, s in zip(row, slope, strict=False)] for k, row in powers.rows.items() if k >= -first
    }
    solved = solve_rows(rows, forcing, first, powers.stride)
    zero = multiplier[0] * 0
    return {k: solved.get(k, zero) for k in range(-m, last + 1)}


def transported(
    growth: Sequence[Expr], multiplier: Sequence[Expr], forcing: Sequence[Expr], character: Character, root: int
) -> LinearSolution:
    """P and H (None when the past is forgotten), exact.

    >>> e, one, t = [0, -1, 1, -1, 1, -1, 1], [1, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0]
    >>> print(transported(e, one, t, Character.of(e, one), root=1).particular)
    -log(t) - t/2 - t^2/12 + t^4/120 + O(t^5*log(t))
    """
    m = multiplicity(growth)
    field = Field.of([*growth, *multiplier, *forcing, 1 / as_sympy(growth[m])])
    e, slope, source = (field.enter(series) for series in (growth, multiplier, forcing))
    last = min(len(e), len(slope), len(source) + m) - 2 * m - 1
    powers = Powers(e, m, last, stride(e, slope, source))
    if character.exponent is None:
        solution = solve_forgetting(slope, source, character.first, m, last, powers)
        return LinearSolution(particular_of(solution, field), None, root)
    start = character.exponent
    values = homogeneous_by_multiplier(e, slope, field.enter([start])[0], m, last, powers)
    key = int(start) if start.is_Integer else None
    solution, resonance = solve_linear(e, slope, source, (key, values), m, last, powers)
    particular = particular_of(solution, field, resonance, values, start)
    return LinearSolution(particular, homogeneous_of(values, start, field), root)
