"""Decisions on PDLT's identities behind the depth laws: the recursions and the expansions in the separation of inputs.

Problem.  PDLT 10.43, 10.45, 10.49 and 10.62-10.66 are algebra: each is decided on symbols.

Rule.  A network of two layers with two neurons, an abstract phi and symbols for every weight stands for any width: what
the recursions say is linear in sums over neurons.  The expansions are series in delta, the size of delta x.
"""

from sympy import Expr, Function, Integer, Symbol, diff, expand, series, symbols

from asympt.claims.forms import vanishes
from asympt.evidence.check import Check, Verification

PHI = Function("phi")
WIDTH = 2
DELTA = Symbol("delta", positive=True)


# ---- a small network ----------------------------------------------------------------------------------


class Small:
    """z^(1) = b^(1) + W^(1) x, z^(2) = b^(2) + W^(2) phi(z^(1)), two neurons a layer, for the inputs x and y."""

    def __init__(self):
        self.inputs = {"x": symbols("x_:2", real=True), "y": symbols("y_:2", real=True)}
        self.biases = [symbols(f"b{layer}_:2", real=True) for layer in (1, 2)]
        self.weights = [
            [symbols(f"W{layer}_{i}_:2", real=True) for i in range(WIDTH)] for layer in (1, 2)
        ]

    def first(self, name: str) -> list[Expr]:
        """z^(1)."""
        return [self._affine(0, i, self.inputs[name]) for i in range(WIDTH)]

    def second(self, name: str) -> list[Expr]:
        """z^(2)."""
        active = [PHI(z) for z in self.first(name)]
        return [self._affine(1, i, active) for i in range(WIDTH)]

    def _affine(self, layer: int, i: int, inputs) -> Expr:
        return self.biases[layer][i] + sum(w * v for w, v in zip(self.weights[layer][i], inputs, strict=True))

    def parameters(self, layer: int) -> list[tuple]:
        """(parameter, 'b' or 'W') of a layer."""
        rows = [(w, "W") for row in self.weights[layer] for w in row]
        return [(b, "b") for b in self.biases[layer]] + rows


def regulariser() -> Verification:
    """PDLT.10.43: R-hat of the second layer from that of the first, and the gradient of the regulariser."""
    net, rates = Small(), {(layer, kind): Symbol(f"lambda_{kind}{layer}") for layer in (0, 1) for kind in "bW"}
    size = {(layer, kind): Symbol(f"a_{kind}{layer}") for layer in (0, 1) for kind in "bW"}
    share = {"b": Integer(1), "W": Integer(WIDTH)}

    def total(output: Expr, layers: tuple) -> Expr:
        found = ((layer, p, kind) for layer in layers for p, kind in net.parameters(layer))
        return sum(rates[k, t] / share[t] * size[k, t] * p * diff(output, p) for k, p, t in found)

    z, lower = net.first("x"), [total(value, (0,)) for value in net.first("x")]
    slopes = [diff(PHI(value), net.biases[0][j]) for j, value in enumerate(z)]
    rest = Integer(0)
    for i, output in enumerate(net.second("x")):
        row = net.weights[1][i]
        own = size[1, "b"] * rates[1, "b"] * net.biases[1][i]
        own += size[1, "W"] * rates[1, "W"] / WIDTH * sum(w * PHI(value) for w, value in zip(row, z, strict=True))
        carried = sum(w * slope * below for w, slope, below in zip(row, slopes, lower, strict=True))
        rest += (total(output, (0, 1)) - own - carried) ** 2
    theta, a, eta, rate = symbols("theta a eta lambda")
    step = -eta * rate * diff(a * theta**2, theta)
    return Verification(
        "R-hat^(l+1) = a_b lambda_b b + a_W lambda_W/n sum W phi + sum W phi' R-hat^(l), and the update",
        (
            vanishes("sum of the squared differences over both outputs, layers of width 2", expand(rest.doit())),
            vanishes("$-eta lambda d(a theta^2)/d theta + 2 eta lambda a theta$", step + 2 * eta * rate * a * theta),
        ),
    )


def recursions() -> Verification:
    """PDLT.10.45: both recursions on two layers of width 2, the mean over the second layer's weights taken exactly."""
    net, weight, bias = Small(), Symbol("C_W"), Symbol("C_b")
    rate_w, rate_b = Symbol("lambda_W"), Symbol("lambda_b")
    one, two = net.second("x"), net.second("y")
    before = [[PHI(z) for z in net.first(name)] for name in ("x", "y")]
    mean = sum(a * b for a, b in zip(*before, strict=True)) / WIDTH
    kernel = _mean(one[0] * two[0], net, weight, bias) - bias - weight * mean
    own = sum(
        (rate_b if kind == "b" else rate_w / WIDTH) * diff(one[0], p) * diff(two[0], p) for p, kind in net.parameters(1)
    )
    below = sum(diff(one[0], p) * diff(two[0], p) * Symbol(f"r_{p}") for p, _ in net.parameters(0))
    carried = Integer(0)
    for j in range(WIDTH):
        slopes = [diff(PHI(net.first(name)[j]), net.biases[0][j]) for name in ("x", "y")]
        tangent = sum(
            diff(net.first("x")[j], p) * diff(net.first("y")[j], p) * Symbol(f"r_{p}") for p, _ in net.parameters(0)
        )
        carried += weight / WIDTH * slopes[0] * slopes[1] * tangent
    return Verification(
        "K' = C_b + C_W <phi phi>, Theta' = lambda_b + lambda_W <phi phi> + C_W <phi' phi'> Theta",
        (
            vanishes("mean of $z z'$ over the second layer minus $C_b + C_W mean(phi phi')$", kernel),
            vanishes(
                "what the second layer learns minus $lambda_b + lambda_W <phi phi>$", own - rate_b - rate_w * mean
            ),
            vanishes(
                "mean of what is carried up minus $C_W mean(phi' phi' Theta_jj)$",
                _mean(below, net, weight, bias) - carried,
                "any learning rates below; at infinite width the mean over neurons is the Gaussian mean",
            ),
        ),
    )


def _mean(value: Expr, net: Small, weight: Expr, bias: Expr) -> Expr:
    """The mean over the second layer's independent parameters, of a polynomial of degree 2 in them."""
    value = expand(value.doit())
    for p, kind in net.parameters(1):
        square = bias if kind == "b" else weight / WIDTH
        value = value.coeff(p, 0) + value.coeff(p, 2) * square
    return value


def bayesian() -> Verification:
    """PDLT.10.49: only the last layer learns."""
    layers, tangent = 4, Integer(0)
    for layer in range(1, layers + 1):
        mean, slope = Symbol(f"F{layer}"), Symbol(f"S{layer}")  # <phi phi> and C_W <phi' phi'> of the layer below
        last = layer == layers
        bias, weight = Symbol(f"Cb{layer}"), Symbol(f"Cw{layer}")
        kernel = bias + weight * mean
        tangent = (bias + weight * mean if last else Integer(0)) + slope * tangent
    return Verification(
        "lambda_b = C_b, lambda_W = C_W in the last layer, 0 below: Theta^(L) = K^(L)",
        (vanishes("$Theta^(4) - K^(4)$, any means, variances of every layer its own", tangent - kernel),),
    )


# ---- expansions in the separation ---------------------------------------------------------------------


def _components(name: str, unequal: bool) -> dict[str, Expr]:
    """M_{++}, M_{--} and M_{+-} to the order delta^3, components as symbols."""
    mid, first, second, shift = symbols(f"{name}_00 {name}_1 {name}_2 {name}_0")
    higher = symbols(f"{name}_h:3")
    odd = (first * DELTA + higher[0] * DELTA**3) if unequal else Integer(0)
    second, even = second * DELTA**2 + higher[1] * DELTA**4, mid + shift * DELTA**2 + higher[2] * DELTA**4
    return {"++": even + odd + second, "--": even - odd + second, "+-": even - second}


def _order_left(name: str, value: Expr, printed: Expr, order: int) -> Check:
    """value - printed = O(delta^order)."""
    return vanishes(name, series(value - printed, DELTA, 0, order).removeO())


def robustness() -> Verification:
    """PDLT.10.62."""
    theta = _components("T", False)
    printed = -2 * Symbol("T_2") * DELTA**2 / Symbol("T_00")
    return Verification(
        "equal norms: Theta_-+/Theta_++ - 1 = -2 ddTheta_[2]/Theta_00 + O(delta^4)",
        (_order_left("difference up to $delta^3$", theta["+-"] / theta["++"] - 1, printed, 4),),
    )


def _covariance(unequal: bool) -> Expr:
    kernel, theta = _components("K", unequal), _components("T", unequal)
    ratio = theta["+-"] / theta["++"]
    return kernel["--"] - 2 * ratio * kernel["+-"] + ratio**2 * kernel["++"]


def covariance() -> Verification:
    """PDLT.10.63."""
    return Verification(
        "equal norms: the covariance is 4 ddK_[2] + O(delta^4)",
        (_order_left("difference up to $delta^3$", _covariance(False), 4 * Symbol("K_2") * DELTA**2, 4),),
    )


def robustness_unequal() -> Verification:
    """PDLT.10.65."""
    theta = _components("T", True)
    first, second, mid = symbols("T_1 T_2 T_00")
    printed = -first * DELTA / mid - 2 * second * DELTA**2 / mid + (first * DELTA / mid) ** 2
    return Verification(
        "unequal norms: Theta_-+/Theta_++ - 1 to O(delta^3)",
        (_order_left("difference up to $delta^2$", theta["+-"] / theta["++"] - 1, printed, 3),),
    )


def covariance_unequal() -> Verification:
    """PDLT.10.66."""
    k00, k1, k2, t00, t1 = symbols("K_00 K_1 K_2 T_00 T_1")
    printed = (4 * k2 - 2 * k1 * t1 / t00 + k00 * (t1 / t00) ** 2) * DELTA**2
    return Verification(
        "unequal norms: the covariance to O(delta^3)",
        (_order_left("difference up to $delta^2$", _covariance(True), printed, 3),),
    )
