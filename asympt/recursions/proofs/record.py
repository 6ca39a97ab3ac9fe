"""A certificate as plain data: what a checker needs that knows nothing of this package.

Problem.  Whoever doubts a theorem wants to verify it with another program.  That program has to be told what exactly is
claimed, and every choice and figure of the proof.

Rule.  Everything is text, lists and whole numbers.  Formulas are in Python's notation (`**`, `pi`, `asin`, ...) with
exact coefficients; what is known by a name only stands under `parameters` with two decimal numbers that enclose it and,
where there is one, the equation that it solves.  Every decimal number is rounded outward: a bound from above upwards, a
radius or a rate downwards, an enclosure has a lower and an upper end.  `docs/certificates.md` explains each entry.

Tiny case.  t/(1+t) from x_0 = 1: one term, coefficient "1", order "1", logs 0.

Known limits.  The map of an activation without closed form is given by that activation, not by a formula in t.
"""

import platform

import flint
import sympy
from flint import arb
from sympy import Expr, Symbol, sstr

from asympt.balls.arithmetic import decimal_above, decimal_below
from asympt.balls.flow import DriftMap
from asympt.balls.flow_law import FlowLaw
from asympt.balls.geometric import GeometricLaw, Place
from asympt.balls.parameters import SIGMA_B, SIGMA_W, Q
from asympt.version import __version__

FORMAT = "asympt certificate 1"
DIGITS = 40
X = Symbol("x")


def record(certificate) -> dict:
    """The theorem, its hypotheses, choices and figures as plain data (see the module)."""
    asked, proof = certificate.asked, certificate.proof
    geometric = isinstance(asked, GeometricLaw)
    return {
        "format": FORMAT, "kind": certificate.law.kind,
        "statement": certificate.statement, "latex": certificate.latex(),
        "map": _map(asked.map_), "start": _start(certificate),
        "quantity": _quantity(asked), "linear": _linear(asked),
        "terms": _powers(asked) if geometric else _terms(asked), "remainder": _remainder(asked),
        "parameters": _parameters(certificate),
        "constant": str(certificate.constant), "monomial": sstr(certificate.monomial),
        "valid_from": certificate.valid_from,
        "connection_constant": list(decimals(proof.connection, DIGITS)), "second_constant": _second(proof),
        "steps": [{"name": s.name, "shows": s.shows, "figures": dict(s.figures)} for s in certificate.steps],
        "versions": versions(),
    }  # fmt: skip


def decimals(value: arb, digits: int = 30) -> tuple[str, str]:
    """Two decimal numbers of so many digits between which the ball lies."""
    return str(decimal_below(value, digits)), str(decimal_above(value, digits))


def versions() -> dict[str, str]:
    """What computed it."""
    return {
        "asympt": __version__, "python-flint": flint.__version__, "FLINT": flint.__FLINT_VERSION__,
        "SymPy": sympy.__version__, "Python": platform.python_version(),
    }  # fmt: skip


def _map(map_) -> dict:
    if isinstance(map_, DriftMap):
        return _drift(map_)
    known = {"variable": str(map_.symbol), "root": map_.root, "order": getattr(map_, "order", 0)}
    if hasattr(map_, "formula"):
        return {"formula": sstr(map_.formula), "activation": None, **known}
    return {"formula": None, "activation": sstr(map_.phi), **known}


def _drift(map_: DriftMap) -> dict:
    """x_l = x_(l-1) - delta_l h(x_(l-1))."""
    steps = {"weight": sstr(map_.weight), "shift": sstr(map_.shift),
             "others": {str(layer): sstr(size) for layer, size in map_.sizes.items()}}  # fmt: skip
    known = {"variable": str(map_.variable), "root": map_.root, "order": map_.order}
    return {"formula": sstr(map_.plain[0]), "activation": None, **known, "steps": steps}


def _start(certificate) -> dict:
    name, low, high = certificate.start
    distances = [sstr(distance) for distance in certificate.distances]
    return {"name": name, "from": sstr(low), "to": sstr(high), "distances": distances, "layer": certificate.asked.first}


def _quantity(asked) -> dict:
    if isinstance(asked, FlowLaw):
        return _of_flow(asked)
    if getattr(asked, "along", None) is not None:
        return {"of": "linear recursion", "average": getattr(asked, "average", False)}
    exponent = getattr(asked, "exponent", asked.map_.root)
    return {"of": "orbit", "offset": sstr(asked.offset), "sign": asked.sign, "exponent": exponent}


def _of_flow(asked: FlowLaw) -> dict:
    """x_l, or k_l over its norm."""
    if asked.norm is None:
        return {"of": "orbit", "offset": "0", "sign": 1, "exponent": asked.map_.root}
    return {"of": "linear recursion", "average": False, "norm": [sstr(part) for part in asked.norm]}


def _linear(asked) -> dict | None:
    if isinstance(asked, FlowLaw):
        slope, own = asked.map_.plain[1:]
        return None if own is None else {"slope": sstr(slope), "own": sstr(own), "start": sstr(asked.start(X))}
    along = getattr(asked, "along", None)
    if along is None:
        return None
    return {
        "multiplier": _formula(along.multiplier), "forcing": _formula(along.forcing), "power": asked.power,
        "start": sstr(along.start(X)), "unit": sstr(getattr(asked, "unit", 1)),
    }  # fmt: skip


def _formula(function) -> str | None:
    """None for a function of an activation without closed form."""
    return sstr(function) if isinstance(function, Expr) else None


def _terms(asked) -> list[dict]:
    return [{"coefficient": sstr(t.coefficient), "order": str(t.order), "logs": t.logs} for t in asked.terms]


def _powers(asked: GeometricLaw) -> list[dict]:
    terms = sorted(asked.terms.items(), key=lambda pair: pair[0])
    return [{"coefficient": sstr(c), **_at(place)} for place, c in terms]


def _at(place: Place) -> dict:
    """mu^(power l) l^logs; a power that is no whole number is text."""
    power, logs = place
    return {"power": int(power) if power.is_Integer else str(power), "logs": logs}


def _remainder(asked) -> dict:
    if isinstance(asked, GeometricLaw):
        return _at(asked.beyond)
    return {"order": str(asked.remainder.order), "logs": asked.remainder.logs}


def _second(proof) -> list[str] | None:
    second = getattr(proof, "second", None)
    return None if second is None else list(decimals(second, DIGITS))


# ---- what is known by a name ----------------------------------------------------------------------------


def named_numbers(certificate) -> dict:
    """{number: ball} of the numbers that stand in the formulas by a name."""
    asked = certificate.asked
    known = dict(asked.map_.known(certificate.proof.theorem.bits))
    wanted = {name for formula in _formulas(asked) for name in formula.atoms(sympy.Atom)}
    if not hasattr(asked.map_, "formula"):
        wanted |= {Q, SIGMA_W, SIGMA_B}
    found = {name: known[name] for name in sorted(wanted & set(known), key=sstr)}
    multiplier = getattr(asked, "multiplier", None)
    if multiplier is not None:
        found[multiplier] = certificate.proof.theorem.mu**asked.map_.root
    return found


def _parameters(certificate) -> dict[str, dict]:
    """Their enclosures and equations."""
    return {sstr(name): _parameter(name, value) for name, value in named_numbers(certificate).items()}


def _parameter(name, value: arb) -> dict:
    equation = getattr(name, "equation", None)
    zero = None if equation is None else str(equation.expr.subs(*equation.variables, Symbol(sstr(name))))
    return {"between": list(decimals(value, 2 * DIGITS)), "zero": zero}


def _formulas(asked) -> list[Expr]:
    """All in which a name may stand."""
    terms = asked.terms
    found = list(terms.values()) if isinstance(asked, GeometricLaw) else [term.coefficient for term in terms]
    along = getattr(asked, "along", None)
    if isinstance(asked, FlowLaw):
        return [*found, *(f for f in (*asked.map_.plain, *(asked.norm or ())) if f is not None)]
    more = (asked.offset, getattr(asked, "unit", None), getattr(asked.map_, "formula", None))
    of_linear = () if along is None else (along.multiplier, along.forcing)
    return [*found, *(formula for formula in (*more, *of_linear) if isinstance(formula, Expr))]
