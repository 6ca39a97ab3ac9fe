"""SymPy's formulas as the kernel's nodes (`asympt.kernel.formulas`), and back."""

from functools import reduce
from operator import add, mul, neg, sub, truediv

from sympy import Add, Expr, Integer, Mul, Pow, Rational, cos, pi, sin, sqrt
from sympy.functions import acos, asin, atan, cosh, erf, exp, log, sinh, tan, tanh

from asympt.balls.arithmetic import Refused

FUNCTIONS = {f: f.__name__ for f in (sin, cos, exp, log, atan, asin, tanh, erf)}
BY_NAME = {name: f for f, name in FUNCTIONS.items()}
BY_NAME |= {"sqrt": sqrt, "neg": neg, "add": add, "sub": sub, "mul": mul, "div": truediv}


def node(formula: Expr, known: dict):
    """A formula of SymPy as the kernel reads it; `Refused` where it has other functions."""
    if formula in known:
        return known[formula]
    if isinstance(formula, Rational):
        return ["q", str(formula)]
    if formula is pi:
        return ["pi"]
    if formula.func in FUNCTIONS:
        return [FUNCTIONS[formula.func], node(formula.args[0], known)]
    if formula.func is tan:
        return ["div", *(node(f(formula.args[0]), known) for f in (sin, cos))]
    if formula.func in (acos, sinh, cosh):
        return node(formula.rewrite(asin if formula.func is acos else exp), known)
    if isinstance(formula, Add | Mul):
        return (_sum if isinstance(formula, Add) else _product)(formula, known)
    if isinstance(formula, Pow) and isinstance(formula.exp, Rational):
        return _power(*formula.as_base_exp(), known)
    raise Refused(f"{formula} is not a formula that the kernel knows")


def _sum(formula: Add, known: dict):
    first, *others = sorted(formula.as_ordered_terms(), key=lambda term: term.could_extract_minus_sign())
    found = node(first, known)
    for term in others:
        minus = term.could_extract_minus_sign()
        found = ["sub" if minus else "add", found, node(-term if minus else term, known)]
    return found


def _product(formula: Mul, known: dict):
    number, factors = formula.as_coeff_mul()
    above = [part for part in (number, *factors) if not (isinstance(part, Pow) and part.exp.is_negative)]
    above = [part for part in above if part != 1] or [Integer(1)]
    below = [1 / part for part in factors if isinstance(part, Pow) and part.exp.is_negative]
    return reduce(lambda a, b: ["div", a, node(b, known)], below,
                  reduce(lambda a, b: ["mul", a, node(b, known)], above[1:], node(above[0], known)))  # fmt: skip


def _power(base: Expr, exponent: Rational, known: dict):
    if exponent < 0:
        return ["div", ["q", "1"], _power(base, -exponent, known)]
    whole = exponent.p // exponent.q
    if exponent.q > 2 or exponent > 50:
        raise Refused(f"the power {exponent} is not a formula that the kernel knows")
    root = ["sqrt", node(base, known)]
    if exponent.q == 1:
        return ["pow", node(base, known), whole]
    return ["mul", ["pow", node(base, known), whole], root] if whole else root


def constant(value: Expr):
    """A rational as text, or a formula."""
    found = node(value, {})
    return found[1] if found[0] == "q" else found


def expression(node, t: Expr | None = None) -> Expr:
    """A formula of the kernel, whose variable becomes t, or a rational as text, as SymPy's.

    >>> expression(["mul", ["q", "3/2"], ["sqrt", ["q", "2"]]]), expression("1/3")
    (3*sqrt(2)/2, 1/3)
    """
    if isinstance(node, str):
        return t if node == "t" else Rational(node)
    name, *rest = node
    if name in ("q", "pi"):
        return Rational(rest[0]) if name == "q" else pi
    if name == "pow":
        return expression(rest[0], t) ** rest[1]
    return BY_NAME[name](*(expression(part, t) for part in rest))
