"""Series with fractions as coefficients, computed without them: operations on power series commute with t -> D t.

D^k times the coefficient of t^k is to be a polynomial (1 - t/a + t^2/a^2 has D = a); the denominator of the constant
term stays in front.
"""

from collections.abc import Callable, Sequence

from sympy.polys.fields import FracElement


def fraction_free(kernel: Callable, *serieses: list, product: bool = False) -> list:
    """kernel(*serieses), a list of coefficients, by way of polynomials where that is possible.

    >>> from sympy import QQ, Symbol
    >>> from asympt.expansions.series import power
    >>> a = QQ.frac_field(Symbol("a")).gens[0]
    >>> [c.as_expr() for c in fraction_free(lambda series: power(series, -1, 3), [a / a, 1 / a])]
    [1, -1/a, a**(-2)]
    """
    if not all(series and isinstance(series[0], FracElement) for series in serieses):
        return kernel(*serieses)
    field, heads = serieses[0][0].field, [series[0].denom for series in serieses]
    if not product and not all(head.is_one for head in heads):
        return kernel(*serieses)
    scale = field.ring.one
    for series, head in zip(serieses, heads, strict=True):
        scale = _enlarged(scale, series, head)
    front = field.ring.one
    for head in heads:
        front = front * head
    cleared = [_cleared(series, head, scale) for series, head in zip(serieses, heads, strict=True)]
    return _restored(field, kernel(*cleared), front, scale)


def _enlarged(scale, series: Sequence[FracElement], head):
    """A multiple D of `scale` such that head D^k times the k-th coefficient is a polynomial."""
    multiple = head
    for k, value in enumerate(series[1:], start=1):
        multiple = multiple * scale
        while value and multiple % value.denom:
            scale = scale * value.denom.exquo(value.denom.gcd(multiple))
            multiple = head * scale**k
    return scale


def _cleared(series: Sequence[FracElement], head, scale) -> list:
    result, multiple = [], head
    for value in series:
        result.append(value.numer * multiple.exquo(value.denom))
        multiple = multiple * scale
    return result


def _restored(field, values: Sequence, front, scale) -> list:
    result, multiple = [], front
    for value in values:
        result.append(field.new(value, multiple))
        multiple = multiple * scale
    return result
