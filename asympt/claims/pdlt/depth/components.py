"""Decisions on the recursions of PDLT's NTK components (10.67, 10.70), from two inputs a small distance apart."""

from mpmath import mp, mpf

from asympt.claims.forms import at_most
from asympt.claims.pdlt.depth.examples import net
from asympt.evidence.check import Check, Verification
from asympt.precise.dense import DenseStep, first_state
from asympt.precise.mlp import ComponentStep


def parallel_recursion() -> Verification:
    """PDLT.10.67: from two inputs of unequal norms."""
    return Verification(
        "10.67: dTheta_[1]' = chi_perp dTheta_[1] + (lambda_W/C_W chi_par + C_W/K_00 <z s' s''> Theta_00) dK_[1]",
        tuple(_against_two_inputs(name, True) for name in ("sin", "mixed")),
    )


def perpendicular_recursion() -> Verification:
    """PDLT.10.70: from two inputs of equal norms."""
    return Verification(
        "10.70: ddTheta_[2]' = chi_perp ddTheta_[2] + (lambda_W/C_W chi_perp + C_W <s'' s''> Theta_00) ddK_[2]",
        tuple(_against_two_inputs(name, False) for name in ("sin", "mixed")),
    )


def _against_two_inputs(name: str, unequal: bool, layers: int = 6) -> Check:
    """Theta_[1]/delta (or Theta_[2]/delta^2) of two inputs a distance delta apart minus the component: O(delta^2).

    The two-input recursion (`precise.dense`) at delta = 10^-4 and 10^-5: the deviation must fall by 100.
    """
    step = ComponentStep(net(name, "constant", True).statement)
    with mp.workdps(30):
        state = step.first(mpf(1))
        for _ in range(layers - 1):
            state = step(state)
        expected = state[5] if unequal else state[6]
        errors = [abs(_two_inputs(name, mpf(10) ** -k, unequal, layers) - expected) for k in (4, 5)]
        ratio = float(mp.nstr(errors[1] / errors[0], 6))
    what = "Theta_[1]" if unequal else "Theta_[2]"
    return at_most(
        f"{what} of two inputs minus the component in layer {layers}, {name}: at $delta = 1e-5$ over 1e-4",
        ratio, 0.0101,
        f"deviations {mp.nstr(errors[0], 3)} and {mp.nstr(errors[1], 3)}; the component is {mp.nstr(expected, 10)}",
        digits=6,
    )  # fmt: skip


def _two_inputs(name: str, delta, unequal: bool, layers: int):
    """Theta_[1]/dK_[1]^(1) or Theta_[2]/ddK_[2]^(1) in a layer, K_00^(1) = 1 (C_W = 1)."""
    statement = net(name, "constant", True).statement
    step = DenseStep(statement)
    if unequal:  # x_+- = x_0 (1 +- delta) +- delta y, y orthogonal to x_0: K_[1]^(1) = 2 delta
        norms = ((1 + delta) ** 2 + delta**2, 1 - 2 * delta**2, (1 - delta) ** 2 + delta**2)
    else:  # x_+- = x_0 +- delta, orthogonal: K_[2]^(1) = delta^2, and K_00 the midpoint's
        norms = (1 + delta**2, 1 - delta**2, 1 + delta**2)
    both = _run(step, first_state(statement, norms), layers)
    plus, minus = (_run(step, first_state(statement, (n, n, n)), layers) for n in (norms[0], norms[2]))
    alone = [q * k for _, q, _, _, k in (plus, minus)]
    together = both[4] * mp.sqrt(both[1] * both[2])
    if unequal:
        return (alone[0] - alone[1]) / 2 / (2 * delta)
    return (alone[0] + alone[1] - 2 * together) / 4 / delta**2


def _run(step: DenseStep, state: tuple, layers: int) -> tuple:
    for _ in range(layers - 1):
        state = step(state)
    return state
