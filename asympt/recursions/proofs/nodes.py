"""SymPy's formulas as the kernel's nodes (`asympt.kernel.formulas`), and back."""

from decimal import Decimal
from functools import reduce
from math import prod
from operator import add, mul, neg, sub, truediv

from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol, cos, expand, factorial, pi, sin, sqrt
from sympy.functions import acos, asin, atan, cosh, erf, exp, log, sinh, tan, tanh

from asympt.balls.arithmetic import Refused, working
from asympt.balls.breaks import breaks_of
from asympt.balls.kernel import KernelMap, f_
from asympt.balls.kinks import KinkedMap, e_
from asympt.balls.moments import SIGMA_B, Q
from asympt.kernel.formulas import POWERS
from asympt.kernel.numbers import ExactNumber

BITS, DIGITS, MOST = 128, 16, 40  # of q, and named coefficients
LETTERS = {e_(k): ["e", k] for k in range(MOST)}
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
    if exponent > 50 or exponent.q > 50:
        raise Refused(f"the power {exponent} is not a formula that the kernel knows")
    if exponent.q == 1:
        return node(base, known) if whole == 1 else ["pow", node(base, known), whole]
    if whole:
        return ["mul", ["pow", node(base, known), whole], _power(base, exponent - whole, known)]
    root = ["sqrt", node(base, known)] if exponent.q == 2 else ["root", node(base, known), exponent.q]
    return root if exponent.p == 1 else ["pow", root, exponent.p]


def constant(value: Expr, known: dict = LETTERS):
    """A rational as text, or a formula."""
    found = node(value, known)
    return found[1] if found[0] == "q" else found


def map_node(map_):
    """The map as the kernel reads it: a formula, or the layer whose correlation map it is; `Refused` for others."""
    if hasattr(map_, "formula"):
        return node(map_.formula, {map_.symbol: "t"})
    if not (isinstance(map_, KernelMap | KinkedMap) and map_.critical):
        raise Refused("the kernel covers maps that have a formula, and correlation maps on the Edge of Chaos")
    if isinstance(map_, KinkedMap) and breaks_of(map_.pieces) != (0,):
        raise Refused("the kernel covers activations with no breakpoint other than 0")
    (x,), sides = map_.phi.free_symbols, (Symbol("t", negative=True), Symbol("t", positive=True))
    with working(BITS):
        q = int((map_.parameters(BITS)[Q] * 10**DIGITS).mid().floor().unique_fmpz())
    return {
        "phi": [node(_entire(map_.phi.subs(x, side)), {side: "t"}) for side in sides], "sigma_b": str(_sigma_b(map_)),
        "q": [f"{Decimal(end).scaleb(-DIGITS):f}" for end in (q - 1, q + 2)],
    }  # fmt: skip


def _entire(phi: Expr) -> Expr:
    """With tanh for the logistic function."""
    return phi.replace(lambda part: part.is_Pow and part.exp == -1 and (part.base - 1).func is exp,
                       lambda part: (1 - tanh((part.base - 1).args[0] / 2)) / 2)  # fmt: skip


def _sigma_b(map_) -> Rational:
    given = getattr(map_.parameters, "sigma_b", None)
    found = map_.parameters.others[SIGMA_B] if given is None else given
    if not found.is_Rational:
        raise Refused("the kernel covers only a rational sigma_b")
    return found


def letters(map_) -> dict:
    """The names that a law has for the coefficients of such a map, by `LETTERS`."""
    own = {f_(k): (-1) ** k * factorial(k) * e_(2 * k) for k in range(1, MOST // 2)} | {e: e for e in LETTERS}
    return {name: own[symbol] for name, symbol in getattr(map_, "names", {}).items() if symbol in own}


def exactly(scalar) -> Expr:
    """An exact scalar of the kernel as SymPy has it, its letters by what they are."""
    if not isinstance(scalar, ExactNumber):
        return Rational(str(scalar))

    def polynomial(p) -> Expr:
        parts = ((c, enumerate(powers[::-1])) for powers, c in p.terms())
        letters = scalar.names.letters
        return sum(Rational(str(c)) * prod(_letter(*letters[at]) ** n for at, n in part if n) for c, part in parts)

    return expand(polynomial(scalar.p) / polynomial(scalar.q))


def _letter(function: str, argument, enclosure, degree: int) -> Expr:
    if function == "e":
        return e_(int(argument))
    at = exactly(argument)
    return pi if function == "pi" else at ** Rational(1, degree) if function == "root" else BY_NAME[function](at)


def expression(node, t: Expr | None = None) -> Expr:
    """A formula of the kernel, whose variable becomes t, or a rational as text, as SymPy's.

    >>> expression(["mul", ["q", "3/2"], ["sqrt", ["q", "2"]]]), expression("1/3")
    (3*sqrt(2)/2, 1/3)
    """
    if isinstance(node, str):
        return t if node == "t" else Rational(node)
    name, *rest = node
    if name in ("q", "pi", "e"):
        return pi if name == "pi" else e_(rest[0]) if name == "e" else Rational(rest[0])
    if name in POWERS:
        return expression(rest[0], t) ** (rest[1] if name == "pow" else Rational(1, rest[1]))
    return BY_NAME[name](*(expression(part, t) for part in rest))
