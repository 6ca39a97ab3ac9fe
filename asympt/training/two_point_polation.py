r"""Two training points: the curve that a trained network draws through them, and how much networks disagree.

Problem.  After training on y_+- at x_+-, what does a network say at s x_+ + (1 - s) x_-, inside (interpolation) or
outside (extrapolation) the segment (PDLT eqs. 10.105-10.117)?

Rule.  With w_a = Theta_(2s-1)a Theta(X, X)^-1 the prediction is z_(2s-1) - sum_a w_a (z_a - y_a).  A row that is linear
in s is s Theta_+a + (1 - s) Theta_-a and gives the straight line; what is left over, in powers of delta, is

    Theta_(2s-1)a - s Theta_+a - (1 - s) Theta_-a = -2 s (1 - s) [ddTheta_[0] + a dddTheta_[21]] + ...,   a = +-1.

Theta(X, X)^-1 has an entry of order delta^-2 in the direction (1, -1), so the second term counts as much as the first:

    z_(2s-1)(T) = [z_(2s-1) - s z_+ - (1 - s) z_-] + [s y_+ + (1 - s) y_-]
                + 2 s (1 - s) {ddTheta_[0] (2 ddTheta_[2] S - dTheta_[1] D)
                               + dddTheta_[21] (2 Theta_00 D - dTheta_[1] S)}
                  / (4 Theta_00 ddTheta_[2] - dTheta_[1]^2) + O(delta^3),

    S = (z - y)_+ + (z - y)_-,   D = (z - y)_+ - (z - y)_-.

Tiny case.  Equal norms: the braces over the denominator are ddTheta_[0] S/(2 Theta_00), so the mean is
s y_+ + (1 - s) y_- - s (1 - s) (ddTheta_[0]/Theta_00) (y_+ + y_-).

Known limits.  y and z smooth, so D = O(delta); targets that jump between x_- and x_+ leave a remainder of O(delta).
"""

from sympy import Expr, Matrix, Poly, Symbol

from asympt.errors import InputError
from asympt.symbols import Reserved
from asympt.training.two_point import DELTA, KernelJet, function_jet, quotient_series

S = Symbol("s", real=True)


def _row_and_gram(ntk: KernelJet) -> tuple[Matrix, Matrix]:
    row = Matrix([[ntk.at(2 * S - 1, 1), ntk.at(2 * S - 1, -1)]])
    gram = Matrix([[ntk.at(1, 1), ntk.at(1, -1)], [ntk.at(1, -1), ntk.at(-1, -1)]])
    return row, gram


def trained_output(ntk: KernelJet, initial: str = "z", target: str = "y", order: int = 2) -> Expr:
    """z_(2s-1)(T) of PDLT 10.105 as a power series in delta, z and y smooth functions with these letters.

    >>> mean = trained_output(KernelJet("T", equal_norms=True)).subs({Symbol(f"z_{k}", real=True): 0 for k in range(4)})
    >>> mean.coeff(DELTA, 0), mean.coeff(DELTA, 1).factor()
    (y_0, y_1*(2*s - 1))
    """
    _require_letters(ntk, initial, target)
    row, gram = _row_and_gram(ntk)
    rest = Matrix([function_jet(initial, e) - function_jet(target, e) for e in (1, -1)])
    change, determinant = (row * gram.adjugate() * rest)[0], gram.det()
    exact = function_jet(initial, 2 * S - 1) * determinant - change
    return quotient_series(exact.expand(), determinant.expand(), order).expand()


def _require_letters(ntk: KernelJet, initial: str, target: str) -> None:
    """An error when a kernel and a function, or both functions, would have coefficients of one name."""
    if len({ntk.name, initial, target}) < 3:
        raise InputError(
            f"the kernel {ntk.name!r}, the initial output {initial!r} and the target {target!r} need three different "
            "letters, because their coefficients are called after them"
        )


def polation(ntk: KernelJet, initial: str = "z", target: str = "y") -> Expr:
    """The closed form of the rule above, with z and y still exact at the three points.

    >>> polation(KernelJet("T", equal_norms=True)).subs(S, 1).expand() == function_jet("y", 1).expand()
    True
    """
    _require_letters(ntk, initial, target)
    (z_s, z_plus, z_minus), (_, y_plus, y_minus) = (
        [function_jet(name, e) for e in (2 * S - 1, 1, -1)] for name in (initial, target)
    )
    total, difference = z_plus - y_plus + z_minus - y_minus, z_plus - y_plus - z_minus + y_minus
    line = z_s - S * z_plus - (1 - S) * z_minus + S * y_plus + (1 - S) * y_minus
    return line + 2 * S * (1 - S) * curvature_ratio(ntk, total, difference)


def curvature_ratio(ntk: KernelJet, total: Expr, difference: Expr) -> Expr:
    """The braces over the denominator in the rule above, for S = `total` and D = `difference`.

    >>> curvature_ratio(KernelJet("T", equal_norms=True), Symbol("S"), Symbol("D"))
    S*T_0*delta**2/(2*T_00)
    """
    above = ntk.curvature * (2 * ntk.spread * total - ntk.tilt * difference)
    above += ntk.twist * (2 * ntk.centre * difference - ntk.tilt * total)
    return (above / (4 * ntk.centre * ntk.spread - ntk.tilt**2)).cancel()


def truncated(value: Expr, order: int = 2) -> Expr:
    """A rational function of delta up to delta^order.

    >>> truncated(1/(1 - DELTA))
    delta**2 + delta + 1
    """
    above, below = value.together().as_numer_denom()
    return quotient_series(above.expand(), below.expand(), order).expand()


def output_spread(ntk: KernelJet, initial: str = "z") -> Expr:
    """What of z_(2s-1)(T) differs from network to network, up to delta^2: the targets set to 0.

    Orders 1 and delta vanish identically, so networks disagree by O(delta^2).

    >>> spread = output_spread(KernelJet("T", equal_norms=True))
    >>> spread.coeff(DELTA, 0), spread.coeff(DELTA, 1)
    (0, 0)
    """
    return trained_output(ntk, initial, "y").subs({Symbol(f"y_{k}", real=True): 0 for k in range(4)}).expand()


def polation_variance(nngp: KernelJet, ntk: KernelJet) -> Expr:
    """The leading term of Var z_(2s-1)(T) between networks, of order delta^4 (PDLT 10.117 says O(delta^3)).

    The Taylor coefficients of z are Gaussian; their covariances are the coefficients of e_1^j e_2^k in the NNGP kernel.

    >>> polation_variance(KernelJet("K", equal_norms=True), KernelJet("T", equal_norms=True)).subs(S, 1)
    0
    """
    leading = output_spread(ntk).coeff(DELTA, 2)
    left, right = Reserved("e"), Reserved("f")
    kernel = Poly(nngp.at(left, right).subs(DELTA, 1), left, right)
    factors = [leading.coeff(Symbol(f"z_{k}", real=True)) for k in range(3)]
    total = sum(factors[j] * factors[k] * kernel.coeff_monomial(left**j * right**k) for j in range(3) for k in range(3))
    return DELTA**4 * total.together().factor()
