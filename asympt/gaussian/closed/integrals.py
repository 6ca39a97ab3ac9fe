"""The integral rules for x^k exp(a x + b x^2) erf(...) against the normal density of variance q.

Problem.  E[p(X) exp(a X + b X^2) H(X); X in I], X ~ N(0, q), p a polynomial, H a product of error functions.

Rule.  Completing the square leaves X ~ N(mu, s), s = q/(1 - 2 b q), mu = a s, and the factor
exp(a^2 s/2)/sqrt(1 - 2 b q).  Stein's identity E[(X - mu) r H] = s E[r' H] + s E[r H'] takes the polynomial away:

    p = p_0 + (x - mu) r - s r'    =>    E[p H] = p_0 E[H] + s E[r H']

and H' has one error function less, or is a value at an end of I.  What is left:

    E[1; I]                          differences of erf
    E[erf(c X + d)]                  = erf((c mu + d)/sqrt(1 + 2 c^2 s))
    E[erf(c X) erf(d X)], mu = 0     = (2/pi) asin(2 c d s/sqrt((1 + 2 c^2 s)(1 + 2 d^2 s)))      (Williams 1997)
    E[erf(c X); X > 0], mu = 0       = (1/pi) atan(c sqrt(2 s))

Tiny case.  E[X^2]: p = x^2 = s + x r - s r' with r = x, so s = q.

Known limits.  Two error functions with shifts, or one on an interval, are bivariate normal probabilities: no rule.
"""

from sympy import Add, Dummy, Expr, I, Integer, Mul, asin, atan, erf, erfc, exp, expand, pi, sqrt

from asympt.gaussian.closed.exact_terms import Key, NoRule, Terms, without_error


class IntervalMeans:
    """Expectations for X ~ N(0, q) over one interval; `low`, `high` are None where it has no end.

    Variances s stand as symbols in polynomials and are put in at the end (`found`).
    """

    def __init__(self, q: Expr, low: Expr | None, high: Expr | None):
        self.q, self.low, self.high = q, low, high
        self.variances: dict[Expr, Dummy] = {}

    def found(self, terms: Terms) -> Expr:
        """E[terms; X in I]; raises `NoRule` where no rule applies."""
        groups: dict[tuple, dict[int, Expr]] = {}
        for (k, a, b, errors), f in terms.items():
            groups.setdefault((a, b, errors), {})[k] = f
        total = Add(*(self._mean((0, *group), p) for group, p in groups.items()))
        return total.xreplace({symbol: value for value, symbol in self.variances.items()})

    def _mean(self, key: Key, p: dict[int, Expr]) -> Expr:
        _, a, b, errors = key
        s = self._variance(b)
        mu = a * s
        start, r = _without_polynomial(p, mu, s)
        front = exp(expand(a * mu / 2)) / sqrt(1 - 2 * b * self.q)
        parts = [front * start * self._plain(errors, a, b)] if start != 0 else []
        parts += [s * self._at_ends(key, r)]
        for position in range(len(errors) if r else 0):
            factor, exponents, rest = without_error(key, position)
            parts.append(s * self._mean((0, *exponents, rest), {k: factor * f for k, f in r.items()}))
        return Add(*parts)

    def _variance(self, b: Expr) -> Dummy:
        value = self.q / (1 - 2 * b * self.q)
        if value.is_positive is False:
            raise NoRule
        return self.variances.setdefault(value, Dummy("s", positive=True))

    # ---- what is left ---------------------------------------------------------------------------

    def _plain(self, errors: tuple, a: Expr, b: Expr) -> Expr:
        """E[H; I] for X ~ N(mu, s)."""
        s = self.q / (1 - 2 * b * self.q)
        mu, whole = a * s, self.low is None and self.high is None
        if not errors:
            return self._probability(mu, s)
        if len(errors) == 1 and whole and not a.has(I):
            [(c, d)] = errors
            return erf((c * mu + d) / sqrt(1 + 2 * c**2 * s))
        if a != 0 or any(d != 0 for _, d in errors) or not (whole or self._is_half()) or len(errors) > 2:
            raise NoRule
        return self._centred([c for c, _ in errors], s, whole)

    def _centred(self, slopes: list[Expr], s: Expr, whole: bool) -> Expr:
        if len(slopes) == 1:
            return (1 if self.high is None else -1) * atan(slopes[0] * sqrt(2 * s)) / pi
        root = sqrt(Mul(*(1 + 2 * c**2 * s for c in slopes)))
        return 2 * asin(2 * Mul(*slopes) * s / root) / pi / (1 if whole else 2)

    def _is_half(self) -> bool:
        return {self.low, self.high} == {None, Integer(0)}

    def _probability(self, mu: Expr, s: Expr) -> Expr:
        if self.low is None and self.high is None:
            return Integer(1)
        if mu.has(I):
            raise NoRule
        low, high = ((end - mu) / sqrt(2 * s) if end is not None else None for end in (self.low, self.high))
        if high is None:
            return erfc(low) / 2
        return erfc(-high) / 2 if low is None else (erf(high) - erf(low)) / 2

    def _at_ends(self, key: Key, r: dict[int, Expr]) -> Expr:
        """r H times the density at the lower end, minus the same at the upper one."""
        _, a, b, errors = key
        values = []
        for end, sign in ((self.low, 1), (self.high, -1)):
            if end is not None and r:
                density = exp(a * end + b * end**2 - end**2 / (2 * self.q)) / sqrt(2 * pi * self.q)
                factor = Mul(*(erf(c * end + d) for c, d in errors))
                values.append(sign * density * factor * Add(*(f * end**k for k, f in r.items())))
        return Add(*values)


def _without_polynomial(p: dict[int, Expr], mu: Expr, s: Expr) -> tuple[Expr, dict[int, Expr]]:
    """(p_0, r) with p = p_0 + (x - mu) r - s r'."""
    rest, r = dict(p), {}
    for k in range(max(rest), 0, -1):
        top = expand(rest.pop(k, Integer(0)))
        if top == 0:
            continue
        r[k - 1] = top
        rest[k - 1] = rest.get(k - 1, Integer(0)) + top * mu
        if k > 1:
            rest[k - 2] = rest.get(k - 2, Integer(0)) + top * s * (k - 1)
    return expand(rest.get(0, Integer(0))), r
