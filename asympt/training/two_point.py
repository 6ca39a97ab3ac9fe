r"""One and two training points: what a trained network predicts near them, expanded in the distance delta.

A smooth kernel at x_0 + e_1 delta x/2, x_0 + e_2 delta x/2 is a symmetric power series (PDLT section 10.3),

    M(e_1, e_2) = M_00 + (e_1 + e_2)/2 dM_[1] + e_1 e_2 ddM_[2] + (e_1^2 + e_2^2)/2 ddM_[0]
                  + e_1 e_2 (e_1 + e_2)/2 dddM_[21] + (e_1^3 + e_2^3)/2 dddM_[3] + O(delta^4),

put into z - Theta Theta(X, X)^-1 (z(X) - y).  Trained at x_+-, with S, D = (z - y)_+ +- (z - y)_- (10.105-10.117),

    z_(2s-1)(T) = [z_(2s-1) - s z_+ - (1 - s) z_-] + [s y_+ + (1 - s) y_-] + 2 s (1 - s) {ddTheta_[0] (2 ddTheta_[2] S
                  - dTheta_[1] D) + dddTheta_[21] (2 Theta_00 D - dTheta_[1] S)}/(4 Theta_00 ddTheta_[2] - dTheta_[1]^2)

up to O(delta^3); for targets that jump between x_- and x_+ up to O(delta).  ReLU's kernels are not smooth.
"""

from dataclasses import dataclass

from sympy import Expr, Integer, Matrix, Poly, Symbol, symbols

from asympt.errors import InputError
from asympt.symbols import Reserved

DELTA = Symbol("delta", positive=True)
FIRST, SECOND = symbols("epsilon_1 epsilon_2", real=True)


@dataclass(frozen=True)
class KernelJet:
    """A smooth symmetric kernel around x_0 to order delta^4, with symbols for its coefficients.

    `name` is the letter of the symbols.  With `equal_norms` x_+ and x_- have the same norm, so x_0 is orthogonal to
    delta x, a kernel of x.x', |x|^2 and |x'|^2 is even in (e_1, e_2) together, and all odd orders vanish.

    >>> jet = KernelJet("T", equal_norms=True)
    >>> jet.at(1, -1).coeff(DELTA, 2)
    T_0 - T_2
    """

    name: str
    equal_norms: bool = False

    def coefficient(self, label: str) -> Symbol:
        """The symbol M_label: '1' for dM_[1]/delta, '2' and '0' for ddM_[2] and ddM_[0] over delta^2, and so on."""
        return Symbol(f"{self.name}_{label}", real=True)

    @property
    def centre(self) -> Symbol:
        """M_00, positive."""
        return Symbol(f"{self.name}_00", positive=True)

    @property
    def tilt(self) -> Expr:
        """dM_[1]; 0 for equal norms."""
        return Integer(0) if self.equal_norms else DELTA * self.coefficient("1")

    @property
    def spread(self) -> Expr:
        """ddM_[2]."""
        return DELTA**2 * self.coefficient("2")

    @property
    def curvature(self) -> Expr:
        """ddM_[0]."""
        return DELTA**2 * self.coefficient("0")

    @property
    def twist(self) -> Expr:
        """dddM_[21], the coefficient of e_1 e_2 (e_1 + e_2)/2; 0 for equal norms."""
        return Integer(0) if self.equal_norms else DELTA**3 * self.coefficient("21")

    def at(self, first: Expr, second: Expr) -> Expr:
        """M at x_0 + first delta x/2 and x_0 + second delta x/2, to order delta^4."""
        _require_other_letters(self.name, first, second)
        total, product = first + second, first * second
        squares, cubes = first**2 + second**2, first**3 + second**3
        value = self.centre + self.tilt * total / 2 + self.spread * product + self.curvature * squares / 2
        if not self.equal_norms:
            value += self.twist * product * total / 2 + DELTA**3 * self.coefficient("3") * cubes / 2
        fourth = self.coefficient("4") * (first**4 + second**4) / 2 + self.coefficient("31") * product * squares / 2
        return value + DELTA**4 * (fourth + self.coefficient("22") * product**2)


def _require_other_letters(name: str, *positions: Expr) -> None:
    """An error when positions contain delta, or a symbol that is called like a coefficient."""
    given = set().union(*(getattr(position, "free_symbols", ()) for position in positions))
    met = sorted(s.name for s in given if s.name == DELTA.name or s.name.startswith(f"{name}_"))
    if met:
        raise InputError(f"the positions contain {met[0]}, a symbol of the series itself; give yours another name")


def function_jet(name: str, position: Expr) -> Expr:
    """A smooth function at x_0 + position delta x/2, to order delta^3.

    >>> function_jet("y", 1)
    delta**3*y_3 + delta**2*y_2 + delta*y_1 + y_0
    """
    _require_other_letters(name, position)
    return sum(DELTA**k * position**k * Symbol(f"{name}_{k}", real=True) for k in range(4))


def quotient_series(numerator: Expr, denominator: Expr, order: int) -> Expr:
    """numerator/denominator, polynomials in delta, as a power series up to delta^order.

    Raises `InputError` where the quotient has a pole at delta = 0.

    >>> quotient_series(DELTA**2, DELTA + DELTA**2, 2)
    -delta**2 + delta
    """
    above, below = (Poly(part, DELTA).all_coeffs()[::-1] for part in (numerator, denominator))
    while below and below[0].expand() == 0:
        below = below[1:]
        if above and above[0].expand() != 0:
            raise InputError("the quotient has a pole at delta = 0; take a kernel that is not singular to this order")
        above = above[1:]
    if not below:
        raise InputError("the denominator is 0; take a kernel that is not singular")
    found = []
    for k in range(order + 1):
        rest = (above[k] if k < len(above) else 0) - sum(
            found[k - j] * below[j] for j in range(1, min(k, len(below) - 1) + 1)
        )
        found.append((rest / below[0]).together().cancel())
    return sum((value * DELTA**k for k, value in enumerate(found)), Integer(0))


def robustness(ntk: KernelJet, order: int = 2) -> Expr:
    """Theta_-+/Theta_++ - 1 up to delta^order: how far the prediction at x_- moves from y_+ = 1 (PDLT 10.62, 10.65).

    >>> robustness(KernelJet("T", equal_norms=True))
    -2*T_2*delta**2/T_00
    """
    cross, same = ntk.at(-1, 1), ntk.at(1, 1)
    return quotient_series(cross - same, same, order)


def one_point_covariance(nngp: KernelJet, ntk: KernelJet, order: int = 2) -> Expr:
    """Cov of the prediction at x_- after training on x_+, up to delta^order (PDLT 10.63, 10.66).

    >>> one_point_covariance(KernelJet("K", equal_norms=True), KernelJet("T", equal_norms=True))
    4*K_2*delta**2
    """
    cross, same = ntk.at(-1, 1), ntk.at(1, 1)
    exact = nngp.at(-1, -1) * same**2 - 2 * cross * same * nngp.at(-1, 1) + cross**2 * nngp.at(1, 1)
    return quotient_series(exact.expand(), (same**2).expand(), order)


S = Symbol("s", real=True)


def trained_output(ntk: KernelJet, initial: str = "z", target: str = "y", order: int = 2) -> Expr:
    """z_(2s-1)(T) of PDLT 10.105 as a power series in delta, z and y smooth functions with these letters.

    >>> mean = trained_output(KernelJet("T", equal_norms=True)).subs({Symbol(f"z_{k}", real=True): 0 for k in range(4)})
    >>> mean.coeff(DELTA, 0), mean.coeff(DELTA, 1).factor()
    (y_0, y_1*(2*s - 1))
    """
    _require_letters(ntk, initial, target)
    row = Matrix([[ntk.at(2 * S - 1, e) for e in (1, -1)]])
    gram = Matrix([[ntk.at(d, e) for e in (1, -1)] for d in (1, -1)])
    rest = Matrix([function_jet(initial, e) - function_jet(target, e) for e in (1, -1)])
    change, determinant = (row * gram.adjugate() * rest)[0], gram.det()
    exact = function_jet(initial, 2 * S - 1) * determinant - change
    return quotient_series(exact.expand(), determinant.expand(), order).expand()


def _require_letters(ntk: KernelJet, initial: str, target: str) -> None:
    """An error when a kernel and a function, or both functions, would have coefficients of one name."""
    if len({ntk.name, initial, target}) < 3:
        raise InputError(
            f"the kernel {ntk.name!r}, the initial output {initial!r} and the target {target!r} need three different "
            "letters, because their coefficients are named after them"
        )


def polation(ntk: KernelJet, initial: str = "z", target: str = "y") -> Expr:
    """z_(2s-1)(T) of PDLT 10.105 in closed form, z and y being exact at x_+, x_- and x_(2s-1).

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
