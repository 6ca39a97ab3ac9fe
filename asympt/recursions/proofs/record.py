"""A certificate as plain data: what a checker needs that knows nothing of this package.

Everything is text, lists and whole numbers: formulas in Python's notation with exact coefficients, numbers known by a
name under `parameters` with an enclosure and, where there is one, their equation.  Every decimal number is rounded
outward.  `docs/certificates.md` explains each entry.
"""

import platform

import flint
import sympy
from flint import arb
from sympy import Symbol, sstr

from asympt.balls.parameters import SIGMA_B, SIGMA_W, Q
from asympt.recursions.proofs.accounts import decimals
from asympt.version import __version__

FORMAT = "asympt certificate 1"
DIGITS = 40


def record(certificate) -> dict:
    """The theorem, its hypotheses, choices and figures as plain data (see the module)."""
    account, proof = certificate.account, certificate.proof
    return {
        "format": FORMAT, "kind": certificate.law.kind,
        "statement": certificate.statement, "latex": certificate.latex(),
        "map": account.map_, "start": _start(certificate),
        "quantity": account.quantity, "linear": account.linear,
        "terms": account.terms, "remainder": account.remainder,
        "parameters": _parameters(certificate),
        "constant": str(certificate.constant), "monomial": sstr(certificate.monomial),
        "valid_from": certificate.valid_from,
        "connection_constant": list(decimals(proof.connection, DIGITS)),
        "second_constant": None if proof.second is None else list(decimals(proof.second, DIGITS)),
        "steps": [{"name": s.name, "shows": s.shows, "figures": dict(s.figures)} for s in certificate.steps],
        "versions": versions(),
    }  # fmt: skip


def versions() -> dict[str, str]:
    """What computed it."""
    return {
        "asympt": __version__, "python-flint": flint.__version__, "FLINT": flint.__FLINT_VERSION__,
        "SymPy": sympy.__version__, "Python": platform.python_version(),
    }  # fmt: skip


def _start(certificate) -> dict:
    name, low, high = certificate.start
    distances = [sstr(distance) for distance in certificate.distances]
    return {"name": name, "from": sstr(low), "to": sstr(high), "distances": distances, "layer": certificate.asked.first}


# ---- what is known by a name ----------------------------------------------------------------------------


def named_numbers(certificate) -> dict:
    """{number: ball} of the numbers that stand in the formulas by a name."""
    asked = certificate.asked
    known = dict(asked.map_.known(certificate.proof.theorem.bits))
    wanted = {name for formula in certificate.account.formulas for name in formula.atoms(sympy.Atom)}
    if not hasattr(asked.map_, "formula"):
        wanted |= {Q, SIGMA_W, SIGMA_B}
    found = {name: known[name] for name in sorted(wanted & set(known), key=sstr)}
    return found | certificate.account.named_multiplier


def _parameters(certificate) -> dict[str, dict]:
    """Their enclosures and equations."""
    return {sstr(name): _parameter(name, value) for name, value in named_numbers(certificate).items()}


def _parameter(name, value: arb) -> dict:
    equation = getattr(name, "equation", None)
    zero = None if equation is None else str(equation.expr.subs(*equation.variables, Symbol(sstr(name))))
    return {"between": list(decimals(value, 2 * DIGITS)), "zero": zero}
