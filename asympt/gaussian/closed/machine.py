"""E[x^a y^b 1{gates}] for jointly normal variables, by integration by parts.

Problem.  (x, y, g_1, ..., g_n), n <= 2, is normal with any mean m and covariance K; find

    M_ab = E[x^a y^b 1{g_i > t_i for every i}].

Rule.  Integrating x against the normal density by parts (Stein; Isserlis when there is no gate),

    M_{a+1,b} = m_x M_ab + K_xx a M_{a-1,b} + K_xy b M_{a,b-1} + sum_i K_{x,i} p_i(t_i) M_ab[g_i = t_i],

p_i the density of g_i, and M[g_i = t_i] the same problem, one gate fewer, for the variables conditioned on g_i = t_i.
M_00 is 1, a tail of the normal distribution, or Phi_2.

Tiny case.  x = g_1, y = g_2, thresholds 0, unit variances, correlation c:
M_11 = c (1/4 + asin(c)/2 pi) + sqrt(1 - c^2)/(2 pi), ReLU's kernel (Cho and Saul 2009).

Known limits.  Exact at c = +-1 too, where conditioning leaves no variance: a tail becomes a step there.
"""

from dataclasses import dataclass
from typing import Any

X, Y = 0, 1


@dataclass(frozen=True)
class Normals:
    """Means and covariances of x, y and the gates' variables, with the gates' thresholds (index 2, 3, ...)."""

    mean: list
    covariance: list
    thresholds: tuple

    def conditioned(self, gate: int, arithmetic: Any) -> "Normals":
        """Given that variable `gate` sits at its threshold; that variable is left out."""
        kept = [i for i in range(len(self.mean)) if i != gate]
        column = [row[gate] for row in self.covariance]
        excess = self.thresholds[gate - 2] - self.mean[gate]
        gain = [value / column[gate] for value in column]
        mean = [self._residual(self.mean[i], -gain[i] * excess, arithmetic) for i in kept]
        covariance = [[None] * len(kept) for _ in kept]
        for row, i in enumerate(kept):
            for other, j in enumerate(kept[: row + 1]):
                rest = self._residual(self.covariance[i][j], gain[i] * column[j], arithmetic)
                covariance[row][other] = covariance[other][row] = rest
        return Normals(mean, covariance, self.thresholds[: gate - 2] + self.thresholds[gate - 1 :])

    @staticmethod
    def _residual(value, explained, arithmetic):
        """value - explained, rounding noise cleared: at c = +-1 both are equal, and a step looks at the difference."""
        rest = arithmetic.plain(value - explained)
        return 0 * rest if arithmetic.vanishes(rest, value) else rest

    def standardised(self, gate: int, arithmetic: Any):
        """(threshold - mean)/deviation of a gate, and the deviation."""
        deviation = arithmetic.sqrt(self.covariance[gate][gate])
        return arithmetic.plain((self.thresholds[gate - 2] - self.mean[gate]) / deviation), deviation

    def density(self, gate: int, arithmetic: Any):
        """The density of a gate's variable at its threshold."""
        if self.covariance[gate][gate] == 0:
            away = self.thresholds[gate - 2] - self.mean[gate]
            return arithmetic.infinity if arithmetic.vanishes(away, self.mean[gate]) else 0 * away
        z, deviation = self.standardised(gate, arithmetic)
        return arithmetic.density(z) / deviation


def moments(normals: Normals, top: tuple[int, int], arithmetic: Any) -> list[list]:
    """The table M[a][b], a <= top[0], b <= top[1]."""
    table = [[None] * (top[1] + 1) for _ in range(top[0] + 1)]
    table[0][0] = probability(normals, arithmetic)
    edges = _edges(normals, top, arithmetic) if any(top) else []
    for a in range(top[0] + 1):
        for b in range(top[1] + 1):
            if a:
                table[a][b] = _raised(normals, table, edges, X, a - 1, b)
            elif b:
                table[a][b] = _raised(normals, table, edges, Y, a, b - 1)
    return table


def _edges(normals: Normals, top: tuple[int, int], arithmetic: Any) -> list[tuple]:
    """For every gate: its index, its density at the threshold, the moments given that it sits there."""
    found = []
    for gate in range(2, len(normals.mean)):
        if normals.covariance[gate][gate] == 0:
            continue  # its covariance with x and y is zero too
        inside = moments(normals.conditioned(gate, arithmetic), top, arithmetic)
        found.append((gate, normals.density(gate, arithmetic), inside))
    return found


def _raised(normals: Normals, table, edges, variable: int, a: int, b: int):
    """E[v x^a y^b 1{gates}] for v = x or y, from lower moments."""
    row = normals.covariance[variable]
    total = normals.mean[variable] * table[a][b]
    if a:
        total += row[X] * a * table[a - 1][b]
    if b:
        total += row[Y] * b * table[a][b - 1]
    for gate, density, inside in edges:
        total += row[gate] * density * inside[a][b]
    return total


def probability(normals: Normals, arithmetic: Any):
    """The probability that every gate is open."""
    gates = range(2, len(normals.mean))
    if len(gates) == 0:
        return arithmetic.one
    if len(gates) == 1:
        return _tail(normals, arithmetic)
    (z, dz), (u, du) = (normals.standardised(gate, arithmetic) for gate in gates)
    return arithmetic.orthant(z, u, arithmetic.plain(normals.covariance[2][3] / (dz * du)))


def _tail(normals: Normals, arithmetic: Any):
    if normals.covariance[2][2] == 0:
        return arithmetic.step(normals.thresholds[0] - normals.mean[2], normals.mean[2])
    return arithmetic.tail(normals.standardised(2, arithmetic)[0])
