"""Sharp activations and large weights, and inputs that are nearly equal or nearly opposite.

layers   gap'/gap at tiny gaps against chi, gaps and NTK at any correlation, one layer at the fixed point of the
         variance, against Gauss's rule over the plane
rows     `depth.gram` for rows of any norms at distances down to 1e-12 from parallel and antiparallel, against the
         closed forms of ReLU-like maps and of erf, in mpmath

Neither oracle shares anything with asympt but the formula of phi.
"""

import random
from functools import partial

import mpmath
import numpy as np
from mpmath import mp
from sympy import Expr, Integer, Rational, atan, erf, exp, lambdify, log, sqrt, tanh

import asympt as asy
from tests.fuzz.maps import X

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
FAR = 9.0  # standard deviations
TIGHT, GAPS = 1e-11, (1e-13, 1e-9, 1e-6, 1e-3, 0.05, 0.3, 0.9, 1.0, 1.3, 1.6, 1.95, 2 - 1e-7)


class SharpOracle:
    """One layer of phi at the variance q, by Gauss's rule in (z, Y) on panels that shrink towards given centres.

    U = rho z + t Y, V = rho z + t Y' (t^2 = 1 - |c|, rho^2 = |c|): with m and v the mean and the variance of phi(U)
    given z, E[(phi(U) - phi(V))^2]/2 = E[v], and E[phi(U) phi(-V)] = E[m(z) m(-z)] serves c < 0.
    """

    def __init__(self, phi: Expr, q: float, weight: float, centres: list[tuple]):
        self.phi, self.slope = (lambdify(X, e, ["scipy", "numpy"]) for e in (phi, phi.diff(X)))
        self.root, self.q, self.weight = np.sqrt(q), q, weight
        marks = [FAR * np.array([-1, -0.5, 0, 0.5, 1])]
        for centre, scale in centres:
            far = 2.0 ** np.arange(-3, 4 + np.ceil(np.log2(max(1.0, scale * self.root))))
            marks.append(float(centre) / self.root + np.concatenate([-far, [0], far]) / (scale * self.root))
        self.marks = np.unique(np.concatenate(marks))

    def variance(self, bias: float) -> float:
        """After the layer."""
        return bias**2 + self.weight**2 * self._line(lambda x: self._of(self.phi, x) ** 2)

    def chi(self) -> float:
        """sigma_w^2 E[phi'^2]."""
        return self.weight**2 * self._line(lambda x: self._of(self.slope, x) ** 2)

    def layer(self, gap: float) -> tuple[float, float]:
        """(1 - f, f')."""
        t = np.sqrt(gap if gap < 1 else 2.0 - gap)
        z, w, rho = self._outer(t)
        (one, spread), (steep, _) = (self._moments(function, z, rho, t) for function in (self.phi, self.slope))
        if gap < 1:
            return self._scaled(w @ spread), self.weight**2 * float(w @ steep**2)
        (two, _), (other, _) = (self._moments(function, -z, rho, t) for function in (self.phi, self.slope))
        same = self._line(lambda x: self._of(self.phi, x) ** 2)
        return self._scaled(same - w @ (one * two)), self.weight**2 * float(w @ (steep * other))

    def _scaled(self, value) -> float:
        return float(self.weight**2 / self.q * value)

    def _of(self, function, x):
        with np.errstate(over="ignore"):
            return np.broadcast_to(function(self.root * x), x.shape)

    def _line(self, function) -> float:
        ends = np.unique(np.clip(np.concatenate([self.marks, np.arange(-FAR, FAR + 0.5)]), -FAR, FAR))
        x, w = _panels(ends)
        return float(w @ function(x))

    def _outer(self, t: float) -> tuple:
        """Panels in z: those of phi on either side, and others of the size of t about the same centres."""
        rho = np.sqrt(1 - t * t)
        around = np.concatenate([self.marks + t * k for k in (-8, -4, -2, -1, 0, 1, 2, 4, 8)]) / max(rho, 1e-3)
        ends = np.concatenate([around, -around, np.arange(-FAR, FAR + 0.5)])
        ends = np.unique(np.round(np.clip(ends, -FAR, FAR), 12))
        kept = [ends[0]]
        for end in ends[1:]:  # none shorter than a fraction of t or of what phi itself needs
            if end - kept[-1] > 0.2 * min(t, 1.0) or np.abs(self.marks / max(rho, 1e-3) - end).min() < 1e-11:
                kept.append(end)
        return *_panels(np.array(kept)), rho

    def _moments(self, function, z, rho: float, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of function(rho z + t Y) for every z."""
        mean, spread = np.empty(len(z)), np.empty(len(z))
        for part in np.array_split(np.arange(len(z)), 1 + len(z) // 200):
            centre = rho * z[part][:, None]
            inside = np.clip((self.marks - centre) / t, -FAR, FAR)
            ends = np.sort(np.concatenate([inside, np.tile(np.arange(-FAR, FAR + 1, 1.5), (len(part), 1))], axis=1))
            half = np.diff(ends, axis=1)[:, :, None] / 2
            y = (ends[:, :-1, None] + half + half * NODES).reshape(len(part), -1)
            w = (half * WEIGHTS).reshape(len(part), -1) * np.exp(-y * y / 2) / np.sqrt(2 * np.pi)
            values = self._of(function, centre + t * y) - self._of(function, centre)
            low = np.sum(w * values, axis=1)
            mean[part] = low + self._of(function, centre)[:, 0]
            spread[part] = np.sum(w * (values - low[:, None]) ** 2, axis=1)
        return mean, spread


def _panels(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of a normal variable."""
    half = np.diff(ends)[:, None] / 2
    x = (ends[:-1, None] + half + half * NODES).ravel()
    return x, (half * WEIGHTS).ravel() * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def sharp(rng: random.Random) -> tuple[Expr, list[tuple], Expr]:
    """(phi, (centre, scale) of what bends in it, sigma_w)."""
    scale = Integer(rng.choice((1, 3, 10, 25, 50, 100, 300)))
    centre = rng.choice((0, 0, 0, Rational(rng.randint(-6, 6), 4)))
    u = scale * (X - centre)
    form = rng.choice((tanh(u), erf(u), (1 + tanh(u / 2)) / 2, 2 * atan(u) / 3, log(1 + exp(u)) / scale))
    if form.has(log) and scale > 25:  # exp overflows in the oracle
        form = tanh(u)
    line = rng.choice((0, 0, X / 2, X))
    weight = Rational(rng.choice((1, 2, 3)), 2) if line == 0 else Rational(1, 2)
    if scale <= 3 and line == 0 and not form.has(log):
        weight = Integer(rng.choice((5, 20, 60, 200)))
    return form * rng.choice((1, Rational(1, 2))) + line, [(centre, float(scale)), (0, 1.0)], weight


def one_layer(rng: random.Random) -> str:
    """A sharp activation, or a tame one behind large weights, at the fixed point of its variance."""
    phi, centres, weight = sharp(rng)
    bias = Rational(rng.choice((1, 2, 4)), 4)
    net = asy.FeedForward(asy.Activation(phi, X, name="sharp"), sigma_w=weight, sigma_b=bias)
    oracle = SharpOracle(phi, float(net.variance), float(weight), centres)
    moved = oracle.variance(float(bias))
    assert abs(moved / oracle.q - 1) < TIGHT, f"{net}: q = {oracle.q} and not {moved}"
    gap = np.array([*rng.sample(GAPS, 4), 1e-12])
    after, kernel = asy.depth.pairs(net, gap=gap, depth=2)
    chi = oracle.chi()
    for g, found, k in zip(gap, after, kernel, strict=True):
        true, slope = oracle.layer(g)  # differences of phi at a distance sqrt(g) are rounded in the oracle
        allowed = TIGHT * (true + 1e-3 * (g > 1)) + 1e-16 * np.sqrt(g) * chi
        assert abs(found - true) <= allowed, f"{net}, gap {g}: {found} and not {true}"
        known = slope * (1 - g) + 1 - true
        assert abs(k - known) <= TIGHT * max(abs(known), 1.0, 1e-3 * chi), f"{net}, gap {g}: K = {k} and not {known}"
    return "value"


def rows(rng: random.Random) -> str:
    """Rows near one another and near the opposite of one another, of norms between 1e-3 and 1e3."""
    seed = np.random.default_rng(rng.randrange(2**32))
    base = seed.normal(size=(3, rng.choice((2, 3, 8)))) * 10.0 ** seed.uniform(-3, 3, (3, 1))
    size = 10.0 ** -rng.uniform(1, 12)
    sign = rng.choice((1, -1))
    other = sign * base * 10.0 ** rng.choice((0, 0, seed.uniform(-2, 2))) * (1 + size * seed.normal(size=base.shape))
    alpha = rng.choice((Rational(0), Rational(-1, 2), Rational(1, 3), "erf"))
    bias, depth = rng.choice((0, 0, Rational(1, 2))), rng.choice((2, 2, 3, 6))
    if alpha == "erf":
        net, step = asy.FeedForward("erf", sigma_w=Rational(3, 2), sigma_b=bias), erf_step
    else:
        weight = sqrt(2 / (1 + alpha**2)) if bias == 0 else Integer(1)
        net = asy.FeedForward("leaky_relu", slope=alpha, sigma_w=weight, sigma_b=bias)
        step = partial(leaky_step, alpha=mpmath.mpf(alpha.p) / alpha.q)
    sigma, kernel = asy.depth.gram(net, base, other, depth=depth)
    with mp.workdps(60):
        pair = tuple(mp.mpf(v.p) / v.q if isinstance(v, Rational) else mp.mpf(v.evalf(70)._mpf_)
                     for v in (net.sigma_w**2, Integer(0) + bias**2))  # fmt: skip
        for i, j in np.ndindex(sigma.shape):
            s, k, unit = kernels_of(base[i], other[j], *pair, step, depth)
            where = f"{net}, depth {depth}, x = {base[i].tolist()}, y = {other[j].tolist()}"
            assert abs(sigma[i, j] - s) <= 3e-12 * unit, f"{where}: Sigma = {sigma[i, j]} and not {mp.nstr(s, 17)}"
            off, known = abs(kernel[i, j] - k), mp.nstr(k, 17)
            assert off <= 3e-12 * depth * max(unit, abs(k)), f"{where}: K = {kernel[i, j]} and not {known}"
    return "value"


def kernels_of(x, y, weight, bias, step, depth: int) -> tuple:
    """(Sigma, K, sqrt(q q')) of two rows by the recursion; `step(q, q', s)` gives the two means over phi."""
    x, y = ([mp.mpf(float(v)) for v in row] for row in (x, y))
    q, p, s = (bias + weight * sum(a * b for a, b in zip(one, two, strict=True)) / len(x)
               for one, two in ((x, x), (y, y), (x, y)))  # fmt: skip
    k = s
    for _ in range(depth - 1):
        slope, value = step(q, p, s)
        q, p, s = (bias + weight * v for v in (step(q, q, q)[1], step(p, p, p)[1], value))
        k = weight * slope * k + s
    return s, k, mp.sqrt(q * p)


def leaky_step(q, p, s, alpha) -> tuple:
    """(E[phi' phi'], E[phi phi]) of a leaky ReLU: E[relu' relu'] = (pi - angle)/(2 pi) (Cho and Saul 2009)."""
    unit = mp.sqrt(q * p)
    c = max(min(s / unit, mp.one), -mp.one)
    angle = mp.acos(c)
    same, cross = (mp.pi - angle) / (2 * mp.pi), angle / (2 * mp.pi)
    sine = mp.sqrt((1 - c) * (1 + c)) / (2 * mp.pi)
    value = unit * ((1 + alpha**2) * (sine + c * same) - 2 * alpha * (sine - c * cross))
    return (1 + alpha**2) * same + 2 * alpha * cross, value


def erf_step(q, p, s) -> tuple:
    """(E[phi' phi'], E[phi phi]) of erf (Williams 1997)."""
    square = (1 + 2 * q) * (1 + 2 * p)
    return 4 / mp.pi / mp.sqrt(square - 4 * s * s), 2 / mp.pi * mp.asin(2 * s / mp.sqrt(square))


FAMILIES = {"layers": (one_layer, 1, 0.5), "rows": (rows, 4, 0.5)}
