"""Decisions on PDLT sections 10.1-10.3 about training: identities on small matrices of generic symbols.

Two training points, one or two test points, three parameters: every entry of Theta, K, kappa, lambda and of the
Jacobian is a symbol of its own (symmetric where the statement says so), so an identity that holds here is one of matrix
algebra.  What networks do on average: `ensemble`.
"""

from functools import lru_cache

from sympy import (
    Function,
    Matrix,
    Symbol,
    diff,
    exp,
    hessian,
    log,
    solve,
    symbols,
)

from asympt.claims.forms import vanishes
from asympt.evidence.check import Check, Verification

TRAIN, TEST, PARAMETERS = 2, 2, 3
ETA = Symbol("eta", positive=True)


def general(name: str, rows: int, columns: int) -> Matrix:
    """A matrix of symbols."""
    return Matrix(rows, columns, lambda i, j: Symbol(f"{name}_{i}{j}", real=True))


def symmetric(name: str, size: int) -> Matrix:
    """A symmetric matrix of symbols."""
    return Matrix(size, size, lambda i, j: Symbol(f"{name}_{min(i, j)}{max(i, j)}", real=True))


def vector(name: str, size: int) -> Matrix:
    """A column of symbols."""
    return general(name, size, 1)


@lru_cache(maxsize=8)
def blocks(name: str) -> tuple[Matrix, Matrix, Matrix]:
    """(training, test x training, test) blocks of a symmetric kernel of symbols."""
    whole = symmetric(name, TRAIN + TEST)
    return whole[:TRAIN, :TRAIN], whole[TRAIN:, :TRAIN], whole[TRAIN:, TRAIN:]


def trained(cross: Matrix, gram: Matrix, start: Matrix, rest: Matrix) -> Matrix:
    """z - Theta Theta^-1 (z(X) - y)."""
    return start - cross * gram.inv() * rest


# ---- losses --------------------------------------------------------------------------------------------


def softmax(z: Matrix) -> Matrix:
    """e^(z_i)/sum e^(z_k)."""
    total = sum(exp(entry) for entry in z)
    return z.applyfunc(lambda entry: exp(entry) / total)


def softmax_gradient() -> Verification:
    """PDLT.10.7, three components."""
    z, p = vector("z", 3), vector("p", 3)
    q = softmax(z)
    jacobian = q.jacobian(list(z)) - Matrix(3, 3, lambda j, i: (int(i == j) - q[i]) * q[j])
    loss = -sum(p[j] * log(q[j]) for j in range(3))
    gradient = Matrix([diff(loss, entry) for entry in z]).subs(p[2], 1 - p[0] - p[1])
    checks = (
        vanishes("$dq_j/dz_i - (delta_ij - q_i) q_j$, three components", jacobian),
        vanishes("$dL/dz - (q - p)$, $p_1 + p_2 + p_3 = 1$", gradient - (q - p.subs(p[2], 1 - p[0] - p[1]))),
    )
    return Verification("dq_j/dz_i = (delta_ij - q_i) q_j and dL/dz_i = q_i - p_i", checks)


def shift() -> Verification:
    """PDLT.10.2.3-shift: two outputs, then the cross-entropy of three."""
    gram, cross, _ = blocks("Theta")
    start, first, c = vector("z", TRAIN), vector("f", TEST), vector("c", TRAIN)
    moved = []
    for output in "ab":
        y = vector(f"y{output}", TRAIN)
        at = [trained(cross, gram, first, start - targets) for targets in (y, y + c)]
        moved.append(at[1] - at[0] - cross * gram.inv() * c)
    z, common = vector("z", 3), Symbol("s", real=True)
    q, p, v = softmax(z), softmax(vector("y", 3)), vector("v", 3)
    loss = -sum(p[j] * log(q[j]) for j in range(3))
    same = dict(zip(z, vector("y", 3), strict=True))
    curvature = (v.T * hessian(loss, list(z)) * v)[0]
    squares = sum(q[i] * q[j] * (v[i] - v[j]) ** 2 for i in range(3) for j in range(3)) / 2
    checks = (
        vanishes("shift of either output minus $Theta Theta^-1 c$", moved),
        vanishes("softmax after a common shift", softmax(z + Matrix([common] * 3)) - q),
        vanishes("gradient of the cross-entropy at $q = p$", Matrix([diff(loss, e) for e in z]).subs(same)),
        vanishes(
            "v.Hessian.v - (1/2) sum q_i q_j (v_i - v_j)^2", curvature - squares, "never negative: q = p is least"
        ),
    )
    return Verification("y -> y + c shifts every output by Theta Theta^-1 c; cross-entropy is least at q = p", checks)


# ---- one step, many steps ---------------------------------------------------------------------------------


def second_order_update() -> Verification:
    """PDLT.10.20: a model that is linear in its parameters, Jacobian, lambda and kappa of symbols."""
    jacobian = general("J", TRAIN + TEST, PARAMETERS)
    rates, kappa, slope = symmetric("lambda", PARAMETERS), symmetric("kappa", TRAIN), vector("g", TRAIN)
    step = -ETA * rates * jacobian[:TRAIN, :].T * kappa * slope
    kernel = jacobian * rates * jacobian.T
    change = jacobian * step + ETA * kernel[:, :TRAIN] * kappa * slope
    check = vanishes(
        "$J d theta + eta Theta kappa dL/dz$, 4 points, 3 parameters", change.applyfunc(lambda e: e.expand())
    )
    j, train, lam, k, g = symbols("J J_X^T lambda kappa g", commutative=False)
    rest = (j * (-ETA * lam * train * k * g) + ETA * (j * lam * train) * k * g).expand()
    words = vanishes("the same in letters that do not commute, any number of points and parameters", rest)
    return Verification("the second-order update moves outputs by -eta Theta kappa dL/dz", (check, words))


def generalised_loss() -> Verification:
    """PDLT.10.23."""
    kappa, z, y = symmetric("kappa", TRAIN), vector("z", TRAIN), vector("y", TRAIN)
    gram, _, _ = blocks("Theta")
    loss = ((z - y).T * kappa * (z - y))[0] / 2
    gradient = Matrix([diff(loss, entry) for entry in z])
    plain, second = ETA * gram * gradient, (ETA * gram * kappa) * (z - y)
    checks = (
        vanishes("gradient of $(1/2)(z - y).kappa.(z - y)$ minus $kappa (z - y)$", gradient - kappa * (z - y)),
        vanishes("constraint 10.15 with this loss minus constraint 10.21", plain - second),
    )
    return Verification("gradient descent on the generalised loss meets constraint 10.21", checks)


def giant_leap() -> Verification:
    """PDLT.10.28: the step that the training set asks for, solved for, and what it does at the test points."""
    gram, cross, _ = blocks("Theta")
    z, y, first = vector("z", TRAIN), vector("y", TRAIN), vector("f", TEST)
    force = vector("u", TRAIN)  # a step moves outputs by -Theta u
    found = force.subs(solve(list(z - gram * force - y), list(force), dict=True)[0])
    checks = (
        vanishes("$f - Theta u$ with $z - Theta u = y$ minus the formula, 2 training and 2 test points",
                 first - cross * found - trained(cross, gram, first, z - y)),
        vanishes("on the training set minus $y$", trained(gram, gram, z, z - y) - y),
        *_any_number(),
    )  # fmt: skip
    return Verification("one Newton step: z - Theta Theta^-1 (z - y), which is y on the training set", checks)


def _any_number() -> tuple[Check, ...]:
    """The same in letters that do not commute, for any number of points: J theta-step, K = J lambda J^T."""
    k, inverse, z, y = symbols("K Ki z y", commutative=False)
    rest = (z - k * inverse * (z - y)).expand().subs(k * inverse, 1).expand() - y
    return (vanishes("$z - K K^-1 (z - y) - y$ in letters that do not commute, any number of points", rest),)


def newton_step() -> Verification:
    """PDLT.10.31: any smooth L, then a quadratic one."""
    x, eta, a, centre, second = symbols("x eta a x_* L_2", positive=True)
    loss = Function("L")
    slope, curve = loss(x).diff(x), loss(x).diff(x, 2)
    rate = Symbol("r")
    path = loss(x - rate * slope)
    taylor = sum(diff(path, rate, k).doit().subs(rate, 0).doit() * eta**k / (1, 1, 2)[k] for k in range(3))
    printed = loss(x) - eta * slope**2 + eta**2 / 2 * slope**2 * curve
    g = Symbol("g", real=True)
    best = solve(diff(-eta * g**2 + eta**2 / 2 * g**2 * second, eta), eta)
    quadratic = a * (x - centre) ** 2 / 2
    gradient, hess = diff(quadratic, x), diff(quadratic, x, 2)
    exact = quadratic.subs(x, x - eta * gradient) - (quadratic - eta * gradient**2 + eta**2 / 2 * gradient**2 * hess)
    checks = (
        vanishes("Taylor polynomial of $L(x - eta L')$ of degree 2 minus the printed one", taylor - printed),
        vanishes("its stationary point minus $1/L''$, $L'' > 0$", best[0] - 1 / second),
        vanishes("quadratic $L$: what the truncation leaves out", exact.expand()),
        vanishes("quadratic $L$: $x - L'/L'' - x_*$", x - gradient / hess - centre),
    )
    return Verification("L(x - eta L') = L - eta L'^2 + eta^2/2 L'^2 L'' + O(eta^3), least at eta = 1/L''", checks)


def algorithm_independence() -> Verification:
    """PDLT.10.35: two arbitrary steps, then a Newton step; the errors eps(t) are free symbols, so any loss is meant."""
    gram, cross, _ = blocks("Theta")
    z, y, first = vector("z", TRAIN), vector("y", TRAIN), vector("f", TEST)
    here, there = z, first
    for t in (1, 2):
        force = Symbol(f"eta_{t}") * general(f"kappa{t}", TRAIN, TRAIN) * vector(f"eps{t}", TRAIN)
        here, there = here - gram * force, there - cross * force
    last = there - cross * gram.inv() * (here - y)
    rest = (last - trained(cross, gram, first, z - y)).applyfunc(lambda e: e.expand())
    check = vanishes("two free steps and a Newton step minus one giant leap, at test points", rest)
    k, inverse, c, a, z, y, f = symbols("K Ki k a z y f", commutative=False)
    here, there = z - k * a, f - c * a  # one more step of any kind before the Newton step
    words = (there - c * inverse * (here - y) - (f - c * inverse * (z - y))).expand().subs(inverse * k, 1).expand()
    any_number = vanishes("one free step more before the Newton step changes nothing, any number of points", words,
                          "in letters that do not commute; by induction any number of steps")
    return Verification("the end of training does not depend on the steps before the last", (check, any_number))
