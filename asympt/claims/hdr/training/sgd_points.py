"""Decisions on HDR Appendix C, eq. (35): a test point under SGD.

With f_t(X) as in (34) with the right sign of Gamma, df(x) = [-(1/N) K(x, X)(f_t - Y) + (eta/2S) Gamma(x)] dt + noise
integrates to

    f_0(x) + K(x, X) K^-1 (1 - E_t)(Y - f_0)
    + (eta/2S) int [Gamma_s(x) - K(x, X) K^-1 (1 - E_(t-s)) Gamma_s(X)] ds
    + sqrt(eta/S) int [G(x) - K(x, X) K^-1 (1 - E_(t-s)) G(X)] dW_s,          E_t = e^(-K t/N).

Printed are t - s in the first line, where nothing binds s, the other sign in the second and t for t - s in the third.
Modes add up, so one mode shows it; forcings are exponentials as in `sgd`.
"""

from sympy import Expr, Matrix, Symbol, exp, eye, sqrt

from asympt.claims.hdr.training.flow import vanishes
from asympt.claims.hdr.training.sgd import BATCH, GROWTH, RATE, SWING, diagonal_kernel, memory
from asympt.evidence.check import Check, Verification
from asympt.training.exact import SCALE, TIME, ExactKernel, vector


def solution_at_test_point() -> Verification:
    """HDR.S5.35: its terms in df(x) = [-(1/N) K(x, X)(f_t - Y) + (eta/2S) Gamma(x)] dt + noise."""
    return Verification(
        "f_t(x) = f_0(x) + K(x, X) K^-1 (I - e^(-(t-s)K/N))(Y - f_0) + Z_t(x) + R_t(x)",
        (),
        Verification(
            "t for t - s in the first term; Z_t = (eta/2S) int [Gamma(x) - K(x, X) K^-1 (I - e^(-(t-s)K/N)) Gamma] ds; "
            "R_t with e^(-(t-s)K/N) for e^(-tK/N)",
            (_quiet_check(), _drift_check(), _noise_check()),
        ),
    )


def _row(kernel: ExactKernel) -> Matrix:
    return vector("k", kernel.size).T


def _quiet_check() -> Check:
    """Without noise and Gamma: f_t(x) - f_0(x) at t = 0 and its derivative."""
    kernel = diagonal_kernel(1)
    error = vector("e", 1)  # Y - f_0
    learnt = _row(kernel) * kernel.inverse * (eye(1) - kernel.decay()) * error
    slope = learnt.diff(TIME) - SCALE * _row(kernel) * kernel.decay() * error
    both = Matrix([learnt.subs(TIME, 0)[0], slope[0]])
    return vanishes("first term: value at $t = 0$ and residual of the differential equation", both)


def _drift_check() -> Check:
    """Z_t(x) with - before the second integral; Gamma_s ~ e^(ps)."""
    kernel = diagonal_kernel(1)
    curvature, at_test = vector("Gamma", 1), Symbol("Gamma_x", real=True)
    unit = RATE / (2 * BATCH)
    inner = kernel.inverse * (_plain(GROWTH) * eye(1) - kernel.function(lambda value: memory(value, GROWTH)))
    term = unit * (at_test * _plain(GROWTH) - (_row(kernel) * inner * curvature)[0])
    trained = unit * kernel.function(lambda value: memory(value, GROWTH)) * curvature
    residual = term.diff(TIME) + SCALE * (_row(kernel) * trained)[0] - unit * at_test * exp(GROWTH * TIME)
    return vanishes("$Z_t(x)$ with the sign -: residual, $Gamma_s ~ e^(ps)$", Matrix([residual]))


def _noise_check() -> Check:
    """R_t(x) with e^(-(t-s)K/N); dW_s ~ e^(rs) ds."""
    kernel = diagonal_kernel(1)
    noise, at_test = vector("w", 1), Symbol("w_x", real=True)
    unit, plain = sqrt(RATE / BATCH), _plain(SWING)
    past = kernel.function(lambda value: memory(value, SWING))
    term = unit * ((_row(kernel) * kernel.inverse * (past - plain * eye(1)) * noise)[0] + plain * at_test)
    trained = unit * kernel.function(lambda value: memory(value, SWING)) * noise
    residual = term.diff(TIME) + SCALE * (_row(kernel) * trained)[0] - unit * at_test * exp(SWING * TIME)
    return vanishes("$R_t(x)$ with $e^(-(t-s)K/N)$: residual, $dW_s ~ e^(rs)$ ds", Matrix([residual]))


def _plain(rate: Expr) -> Expr:
    """int_0^t e^(rate s) ds."""
    return (exp(rate * TIME) - 1) / rate


