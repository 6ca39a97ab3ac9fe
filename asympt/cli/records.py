"""Results as plain dictionaries, for JSON and for the tables: numbers are strings with all their digits."""

import json
from collections.abc import Iterable
from contextlib import nullcontext

from mpmath import nstr
from sympy import Expr, Rational, Symbol, count_ops, fraction, latex, sqrt, sstr

from asympt.architectures import registry
from asympt.cli.boundary import say
from asympt.cli.reading import parameters_of
from asympt.deadline import NETWORK, attempted, limited
from asympt.errors import OverrunError, UnsupportedError
from asympt.evidence.law_terms import is_slow
from asympt.expansions import Expansion
from asympt.expansions.opaque import RealConstant
from asympt.expansions.printing import in_numbers, numeric, plain
from asympt.meanfield.stability import record_of
from asympt.numbers import symbol_names
from asympt.recursions.coordinates.abel_inversion import D
from asympt.recursions.evaluation import AGREED, LIBRARY
from asympt.recursions.summary import limit_or_reason
from asympt.showing import Waiting
from asympt.symbols import Reserved

DIGITS = 20  # of a constant, and of a coefficient in numbers


UNKNOWN = "unknown"  # the phase of a network whose layers have no normal form
BESIDE = 10.0  # seconds for the constants of a start beside a requested value
KNOWN = 0.5  # the same where they take far longer, unless the orbit was followed for the value
SCHEMA = "asympt/1"  # `schema.json`; another number where an entry goes or changes its meaning


def to_json(record) -> str:
    """Readable, valid JSON; every record says which schema it follows."""
    versioned = [{"schema": SCHEMA, **r} for r in record] if isinstance(record, list) else {"schema": SCHEMA, **record}
    return json.dumps(versioned, indent=2, ensure_ascii=False)


def rounded(value, digits: int) -> str:
    """An mpmath number to `digits` significant digits, zeros kept, as `evaluate` certifies them."""
    return "0" if value == 0 else nstr(value, digits, strip_zeros=False, min_fixed=-4, max_fixed=21)


def quotient(value: Expr) -> str:
    """SymPy's text with a fraction as a fraction: 1/l**2, not l**(-2)."""
    top, bottom = fraction(value)
    if bottom == 1:
        return str(value)
    return f"{top}/({bottom})" if bottom.is_Mul else f"{top}/{bottom}"


def network_record(kind: str, net) -> dict:
    if registry.record_of(net) is registry.COMPOSED:
        return _composed_record(net)
    statement, phi = net.statement, net.activation
    layer = statement.layer
    record = {
        "architecture": kind,
        "activation": phi.name,
        "sigma_w": _formula_or_digits(net.sigma_w),
        "sigma_b": _formula_or_digits(sqrt(layer.bias_variance)),
        "parameters": parameters_of(kind, net),
        "phase": net.phase,
    }
    if phi.is_relu_like:
        record["slopes"] = [str(slope) for slope in phi.slopes]
    else:
        record["class"] = phi.klass
    if not (statement.is_scale_free or statement.skip):  # the variance of a residual network does not settle
        record["q"] = _formula_or_digits(layer.fixed_variance)
        record["chi"] = "1" if net.phase == "edge of chaos" else _formula_or_digits(layer.chi)
    if net.stability is not None:
        record["stability"] = record_of(net.stability)
    return record


def _composed_record(net) -> dict:
    """What a network composed of blocks is; random networks are drawn also of one whose layers have no normal form."""
    try:
        parameters = {"variance": str(net.variance), "w_l": str(net.weight)}
    except UnsupportedError:
        parameters = {}
    try:
        phase = net.phase
    except UnsupportedError:
        parameters, phase = {}, UNKNOWN
    return {
        "architecture": "composed",
        "activation": ", ".join(map(repr, net.blocks)),
        "sigma_w": _formula_or_digits(net.first.sigma_w),
        "sigma_b": _formula_or_digits(net.first.sigma_b),
        "parameters": parameters,
        "phase": phase,
    }


def _formula_or_digits(value: Expr) -> str:
    """A short exact number as it is, any other by its digits."""
    if value.free_symbols or (not value.has(RealConstant) and count_ops(value) <= 6):
        return str(value)
    return str(value.evalf(DIGITS))


def constants_record(*expressions: Expansion) -> list[dict]:
    """The constants known by their digits in some expansions: name, digits, and a formula where there is one."""
    found = set().union(*(c.atoms(RealConstant) for e in expressions for _, c in e.terms))
    return [
        {"name": c.name, "latex": latex(c), "digits": str(c.evalf(DIGITS)),
         "formula": None if c.exact is None else str(c.exact)}
        for c in sorted(found, key=str)
    ]  # fmt: skip


def expansion_record(expansion: Expansion, constants: Iterable[Symbol] = ()) -> dict:
    """An expansion: as text, as LaTeX, and term by term (order a and logs b of variable^(-a) log^b).

    'numbers' and each 'number' have digits for coefficients, the connection constants left as letters; null where a
    parameter has no number.
    """
    expansion, constants = expansion.readable(), set(constants)
    rest, terms = expansion.remainder, []
    for monomial, coefficient in expansion.terms:
        value = numeric(coefficient, constants, DIGITS)
        terms.append({
            "order": str(monomial.order), "logs": monomial.logs, "monomial": plain(expansion.scale.to_sympy(monomial)),
            "coefficient": sstr(coefficient), "number": None if value is None else sstr(value),
        })  # fmt: skip
    return {
        "variable": str(expansion.scale.variable),
        "text": str(expansion),
        "latex": expansion.latex(),
        "numbers": in_numbers(expansion, constants),
        "terms": terms,
        "remainder": None if rest is None else {
            "type": type(rest).__name__.lower(),
            "order": str(rest.monomial.order),
            "logs": rest.monomial.logs,
        },
    }


def map_record(net, terms: int) -> dict:
    """The correlation map f and its expansion in t = sqrt(1 - c)."""
    f = net.correlation_map
    expansion = f.expansion(2 * terms + 3).truncate(terms)
    closed = f.closed_form
    return {"correlation": str(f.variable), "closed_form": None if closed is None else str(closed),
            "expansion": expansion_record(expansion), "constants": constants_record(expansion)}


def law_record(law, terms: int) -> dict:
    """The law with the function that turns one step into a step of length 1 (or a factor), as far as it has one.

    'expansion' is the branch of the even depths where even and odd ones differ; 'branches' has both, 'sides' says for
    which orbits.
    """
    record = {
        "name": law.name,
        "kind": law.kind,
        "constant_symbols": {name: str(symbol) for name, symbol in law.constant_symbols.items()},
        "quantity": law.quantity,
        "plain": law.plain,
        "latex": law.latex(),
        "text": str(law),
        "expansion": expansion_record(law.expansion, law.constant_symbols.values()),
        "limit": limit_or_reason(law, sstr),
        "rate": quotient(law.rate),
        "constants": constants_record(*law.branches.values(), *_coordinates(law, terms)),
    }
    if len(law.branches) > 1:
        record["branches"] = {
            str(rest): expansion_record(branch, law.constant_symbols.values()) for rest, branch in law.branches.items()
        }
        record["sides"] = "" if law.coincide else law.sides
    if law.layer is not None and (law.abel is not None or law.koenigs is not None):
        record["uniformiser"] = str(_distance(law) ** Rational(1, law.dynamics.root))
    elif law.fixed is not None:
        record["uniformiser"] = str(law.fixed.uniformiser(law.dynamics.root, law.depth_variable))
        point = law.fixed.point  # one without a closed form also by its digits
        told = point.is_number and point.has(RealConstant)
        record["fixed_point_digits"] = str(point.evalf(30)) if told else None
    if law.abel is not None:
        record["abel"] = expansion_record(*_coordinates(law, terms))
        record["residue"] = str(law.abel.residue)
    if law.koenigs is not None:
        record["koenigs"] = expansion_record(*_coordinates(law, terms))
        record["multiplier"] = str(law.koenigs.multiplier)
    return record


def _coordinates(law, terms: int) -> list[Expansion]:
    """What is printed of its Abel or Koenigs function: terms with formulas, no alpha_k that takes seconds."""
    shown = [found.expansion for found in (law.abel, law.koenigs) if found is not None]
    return [e.truncate(min([terms, *(k for k, (_, c) in enumerate(e.terms) if _is_counted(c))])) for e in shown]


def _is_counted(coefficient: Expr) -> bool:
    return any(constant.name.startswith("alpha_") for constant in coefficient.atoms(RealConstant))


def _distance(law) -> Expr:
    """The distance from the fixed point in which a network's law is derived, in the layer's c or q."""
    taken = {symbol.name for symbol in law.parameters}
    moving = Reserved("q_l").public(taken) if law.of_variance else 1 - Reserved("c").public(taken)
    return moving if law.fixed is None else law.fixed.inner(moving)


def value_at(law, depth: int | None, digits: int, start: dict) -> dict:
    """C (and D) of a start, and with a depth the number there, as a record."""
    given = {name: ", ".join(value) if isinstance(value, tuple) else str(value) for name, value in start.items()}
    record, asked, found = {"start": given, "digits": digits}, {}, []
    with Waiting("evaluating the law"):
        if depth is not None:  # before the constants: an orbit that is followed for it gives them at no price
            found.append(law.evaluated(depth, digits=digits, **start))
            asked = {"depth": str(depth), "value": rounded(found[-1].value, digits)}
        if law.parameters:
            say(f"C of a start needs numbers for {symbol_names(law.parameters)}")
        elif start:
            second = law.linear is not None and (law.time is None or law.expansion.to_sympy().has(D))
            record |= _constants(law, digits, second, start, found, depth is not None)
    reasons = [number.reason for number in found if number.trust == AGREED]  # how they are certified, why not proved
    trust = {"trust": AGREED, "unproved": reasons[0]} if reasons else {"trust": LIBRARY} if found else {}
    return record | asked | trust


def _constants(law, digits: int, second: bool, start: dict, found: list, beside: bool) -> dict:
    """C, and D, of a start by their names, which are added to what is `found`; nothing where the law has none.

    Where they take too long, stderr says so: `beside` a value, which is complete without them, after `BESIDE` seconds.
    """
    record = {}
    creeps = law.abel is not None and is_slow(law)  # hundreds of layers, each a quadrature in the plane, come first
    seconds = KNOWN if creeps else BESIDE
    for index, name in enumerate("CD" if second else "C"):
        try:
            if name == "D":
                law.coordinate.require_second(law.linear)
            soon = attempted(name, seconds) if beside else nullcontext()
            with limited(f"computing the constant {name} of this start", NETWORK), soon:
                found.append(law.evaluated_constants(digits, second=name == "D", **start))
        except OverrunError as reason:
            told = f"{name} takes more than {seconds:g} s here; ask for it without --depth" if beside else reason
            say(str(told))
            break
        except UnsupportedError:
            continue
        record[name] = rounded(found[-1].value[index], digits)
    return record


def point_record(point, digits: int) -> dict:
    """A point of the Edge of Chaos; q is null when every variance is a fixed point, exact what has no formula."""

    def shown(value) -> str | None:
        return None if value is None else str(value) if isinstance(value, Expr) else rounded(value, digits)

    def formula(value) -> str | None:
        return None if value is None or value.has(RealConstant) else str(value)

    return {
        "sigma_b": shown(point.sigma_b),
        "sigma_b_exact": formula(point.exact_sigma_b),
        "sigma_w": shown(point.sigma_w),
        "sigma_w_exact": formula(point.exact_sigma_w),
        "q": shown(point.q),
        "q_exact": formula(point.exact_q),
        "variance_slope": rounded(point.variance.slope, min(digits, 10)),
        "variance": point.variance.stability,
        "stability": record_of(point.stability),
    }
