r"""Bounds on the slope of a trained network's output, for residual networks of two-matrix blocks and for MLPs.

Problem.  TBG bound |df/dx| for both networks in the NTK regime, compare the bounds, and conclude which alpha makes
residual networks smoother.  Their slides drop sigma_v, sigma_w and a factor 3 on the way.

Rule.  With x^(0) = U x/sqrt(d), x^(l) = x^(l-1) + alpha (sigma_v/sqrt(n)) V phi((sigma_w/sqrt(n)) W x^(l-1)),
f = (sigma_w/sqrt(n)) w.x^(L), and |phi'| <= C, submultiplicativity of the operator norm gives

    |df/dx| <= sigma_w |w| |U|/sqrt(n d) prod_l (1 + C alpha sigma_v sigma_w |V| |W|/n).

Matrices of N(0, 1) entries have |W| <= sqrt(m) + sqrt(n) + t with probability >= 1 - 2 e^(-t^2/2); training moves the
parameters by at most C' in all.  So once sqrt(n) >= t + C' (`width_needed`)

    |w| <= 2 sqrt(n),   |U| <= sqrt(d) + 2 sqrt(n),   |V|, |W| <= 3 sqrt(n):

    B_res = 2 sigma_w (1 + 2 sqrt(n/d)) (1 + 9 alpha C sigma_v sigma_w)^L
    B_MLP = 2 sigma_w (1 + 2 sqrt(n/d)) sigma_w C (3 sigma_w C)^(L-1)

for the MLP f = (sigma_w/sqrt(n)) w.phi(g^L), g^1 = (sigma_w/sqrt(d)) U x, g^l = (sigma_w/sqrt(n)) W phi(g^(l-1)).

Tiny case.  sigma_v = sigma_w = C = 1: B_res/B_MLP = (1 + 9 alpha)^L/3^(L-1), at most 1 exactly for
alpha <= (3^(1 - 1/L) - 1)/9: never at L = 1, up to 0.0813 at L = 2, up to 0.1200 at L = 3, below 2/9 at every L.

Known limits.  Upper bounds: that one is smaller does not say that the slope is.
"""

from sympy import Expr, ceiling, log, sqrt

from asympt.errors import InputError
from asympt.numbers import exact


def residual_bound(depth, alpha, width, dimension, sigma_w=1, sigma_v=1, slope=1) -> Expr:
    """B_res for L = `depth` blocks of n = `width` neurons on inputs in R^d, |phi'| <= `slope`.

    Numbers or SymPy symbols.  Raises `InputError` for values that are not positive.

    >>> residual_bound(2, "1/10", 100, 100)
    1083/50
    """
    depth, alpha, sigma_w, sigma_v, slope = _positive(
        depth=depth, alpha=alpha, sigma_w=sigma_w, sigma_v=sigma_v, slope=slope
    )
    return _ends(width, dimension, sigma_w) * (1 + 9 * alpha * slope * sigma_v * sigma_w) ** depth


def mlp_bound(depth, width, dimension, sigma_w=1, slope=1) -> Expr:
    """B_MLP for L = `depth` hidden layers, |phi'| <= `slope`.

    >>> mlp_bound(2, 100, 100)
    18
    """
    depth, sigma_w, slope = _positive(depth=depth, sigma_w=sigma_w, slope=slope)
    return _ends(width, dimension, sigma_w) * sigma_w * slope * (3 * sigma_w * slope) ** (depth - 1)


def largest_alpha(depth, slope=1, sigma_w=1, sigma_v=1) -> Expr:
    """The largest alpha with B_res <= B_MLP at L = `depth`; `InputError` where there is no alpha > 0.

    With C = slope sigma_w it is (3^(1 - 1/L) C - 1)/(9 C sigma_v).

    >>> largest_alpha(3).evalf(6)
    0.120009
    """
    depth, slope, sigma_w, sigma_v = _positive(depth=depth, slope=slope, sigma_w=sigma_w, sigma_v=sigma_v)
    rate = slope * sigma_w
    found = (3 ** (1 - 1 / depth) * rate - 1) / (9 * rate * sigma_v)
    if found.is_number and not found > 0:
        raise InputError(
            f"depth = {depth} has B_res > B_MLP at every alpha > 0, since 3^(1 - 1/L) C <= 1 there; take a larger depth"
        )
    return found


def smallest_depth(alpha, slope=1) -> int:
    """The smallest L from which on B_res <= B_MLP at this alpha (sigma_w = sigma_v = 1).

    (1 + 9 alpha C)^L <= C (3 C)^(L-1) holds for L >= log 3/log(3 C/(1 + 9 alpha C)).  Raises `InputError` where the
    right-hand side never catches up, alpha >= (3 - 1/C)/9.

    >>> smallest_depth("1/10")
    3
    """
    alpha, slope = _positive(alpha=alpha, slope=slope)
    if not (alpha.is_number and slope.is_number):
        raise InputError(f"alpha = {alpha}, slope = {slope} hold symbols; give numbers")
    ratio = 3 * slope / (1 + 9 * alpha * slope)
    if not ratio > 1:
        raise InputError(
            f"alpha = {alpha} has B_res > B_MLP at every depth; take alpha below (3 - 1/C)/9 = {(3 - 1 / slope) / 9}"
        )
    return max(1, int(ceiling(log(3) / log(ratio))))


def width_needed(tail, movement) -> Expr:
    """(t + C')^2, the width from which on the operator norms are as in the rule above.

    `tail` is t; the parameters moved by at most `movement` = C'.  TBG ask for n > C'^2 only.

    >>> width_needed(3, 7)
    100
    """
    tail, movement = _positive(tail=tail, movement=movement)
    return (tail + movement) ** 2


def _ends(width, dimension, sigma_w: Expr) -> Expr:
    """sigma_w |w| |U|/sqrt(n d): what readout and first layer contribute to both bounds."""
    width, dimension = _positive(width=width, dimension=dimension)
    return 2 * sigma_w * (1 + 2 * sqrt(width / dimension))


def _positive(**values) -> list[Expr]:
    found = []
    for name, value in values.items():
        number = exact(value, name)
        if number.is_number and not number > 0:
            raise InputError(f"{name} = {value} is not positive; give a positive number")
        found.append(number)
    return found
