"""Finds the proof object of a theorem (`asympt.kernel`): the range, the error of A and the layer that its checks need.

Nothing here is trusted: what is found is checked by the kernel, whose statement is the theorem.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from math import ceil

from flint import arb, ctx, fmpq
from sympy import Add, Expr, Integer, Mul, Pow, Rational, cos, pi, sin
from sympy.functions import acos, asin, atan, cosh, erf, exp, log, sinh, tan, tanh

from asympt import kernel
from asympt.balls.arithmetic import Refused
from asympt.balls.laws import FormalLaw
from asympt.kernel import laws, two_terms
from asympt.kernel.formulas import constant as constant_of
from asympt.kernel.numbers import Names, ball, hull
from asympt.kernel.parabolic import AbelBound, Map

FUNCTIONS = {f: f.__name__ for f in (sin, cos, exp, log, atan, asin, tanh, erf)}
RANGES = (64, 256, 24, 1024, 4096, 10, 30_000)  # the layers that have about this t: ends of the range, best ones first
LAYERS = (100, 200, 400, 800, 1600, 2400, 4000, 8000, 16_000)
BITS, DEGREE = (128, 512), 4
ROOM = Fraction(21, 20)  # of K over its least value


def proof_object(certificate) -> dict:
    """The proof object; `Refused` says why there is none.

    >>> from sympy import Symbol, sin
    >>> from asympt.recursions.recursion import Recursion
    >>> x = Symbol("x", positive=True)
    >>> certificate = Recursion(sin(x), x).law(terms=2).certificate(start=1)
    >>> print(kernel.check(proof_object(certificate)))  # doctest: +ELLIPSIS
    x_0 = 1, x_(n+1) = g(x_n), g(t) = sin(t): for all n >= 2, |x_n - (3/n)^(1/2) (1 - (3/10) log(n)/n)| <= ...
    """
    asked = certificate.asked
    if type(asked) is not FormalLaw or asked.along is not None or not hasattr(asked.map_, "formula"):
        raise Refused("the kernel covers parabolic laws of orbits whose map has a formula")
    given = _given(certificate)
    reason: object = "no range of the map is found"
    for bits in BITS:
        for layers in RANGES:
            try:
                found = _over_range(given | {"bits": bits}, layers)
                return _in_two_terms(found) or found
            except kernel.NotShown as refused:
                reason = refused
    raise Refused(f"the kernel does not check this theorem: {reason}")


def _over_range(given: dict, layers: int) -> dict:
    """The object for the range that ends at about this layer's t."""
    with ctx.workprec(given["bits"]):
        found = given | _range(given, layers)
    return _first_checked(found | {"N": N} for N in LAYERS if layers / 4 <= N and given["from"] < N)


def _first_checked(candidates: Iterable[dict]) -> dict:
    reason = kernel.NotShown("no layer is in the range")
    for found in candidates:
        try:
            kernel.check(found)
        except kernel.NotShown as refused:
            reason = refused
        else:
            return found
    raise reason


def _in_two_terms(found: dict) -> dict | None:
    """The same theorem as the kind "parabolic, two terms", if it is one and that kind's N is found."""
    m, (bound, *place), ((_, alpha), *more) = found["m"], found["remainder"], found["abel"]
    numbers = (alpha, found["rho"], *found["start"])
    plain = (found["root"], found["exponent"], found["first"], found["k"], len(found["terms"])) == (1, 1, 0, m, 2)
    single = found["start"][0] == found["start"][1] and not more and all(isinstance(x, str) for x in numbers)
    if not (plain and single and place == [m + 1, 0]):
        return None
    alpha, rho, scale = Fraction(alpha), abs(Fraction(found["rho"])), float(Fraction(alpha)) ** (1 / m)
    b = Fraction(int(float(Fraction(bound)) / scale * 10**12) - 1, 10**12)
    rest = {name: found[name] for name in two_terms.FIELDS if name in found} | {
        "kind": two_terms.KIND, "start": found["start"][0], "alpha": str(alpha), "b": str(b), "B": bound
    }
    wide = {N: Fraction(ceil((rho / m**2 * log_above(N) + b) / N * 10**6), 10**6) for N in LAYERS if found["N"] <= N}
    try:
        return _first_checked(rest | {"N": N, "W": str(W)} for N, W in wide.items() if W < 1)
    except kernel.NotShown:
        return None


def log_above(n: int) -> Fraction:
    """A little more than log n."""
    return Fraction(ceil(float(arb(n).log()) * 10**9) + 1, 10**9)


def _given(certificate) -> dict:
    """What the theorem prescribes."""
    asked, law = certificate.asked, certificate.law
    map_, m = asked.map_, asked.map_.order
    known = {map_.symbol: "t", law.constant_symbols["C"]: ["C"]}
    terms = [[node(c, known), int(order * m), logs] for c, order, logs in _moving(asked)]
    rest = asked.remainder
    k = max(m, int(rest.order * m) - asked.exponent - m)
    powers = {at: c for at, c in law.abel.expansion.coefficients.items() if at.order < k and at.order != 0}
    low, high = (constant(x) for x in certificate.distances)
    return {
        "format": kernel.FORMAT, "kind": laws.KIND, "map": node(map_.formula, known), "root": map_.root, "m": m, "k": k,
        "abel": [[int(at.order), constant(c)] for at, c in powers.items()], "rho": constant(law.abel.residue),
        "start": [low, high], "first": asked.first, "exponent": asked.exponent, "terms": terms,
        "remainder": [str(Fraction(certificate.constant)), int(rest.order * m), rest.logs],
        "from": certificate.valid_from, "degree": DEGREE,
        "J": ceil(max(k + 2 * m, rest.order * m - asked.exponent + 1) / m) + 1,
    }  # fmt: skip


def _moving(asked: FormalLaw) -> Iterator[tuple]:
    """The terms of the distance to the fixed point."""
    for term in asked.terms:
        c = term.coefficient - asked.offset if (term.order, term.logs) == (0, 0) else term.coefficient
        if c != 0:
            yield asked.sign * c, term.order, term.logs


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
    raise Refused(f"{formula} is no formula that the kernel knows")


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
        raise Refused(f"the power {exponent} is no formula that the kernel knows")
    root = ["sqrt", node(base, known)]
    if exponent.q == 1:
        return ["pow", node(base, known), whole]
    return ["mul", ["pow", node(base, known), whole], root] if whole else root


def constant(value: Expr):
    """A rational as text, or a formula."""
    found = node(value, {})
    return found[1] if found[0] == "q" else found


def _range(given: dict, layers: int) -> dict:
    """The end of the range, and K there."""
    names, m, k = Names(), given["m"], given["k"]
    terms = {at: constant_of(c, names) for at, c in given["abel"]}
    r = _simple((ball(terms[-m]) / layers) ** arb(fmpq(1, m)))
    map_ = Map.near(given["map"], given["root"], m, r, k + 2 * m, k + 2 * m + given["degree"], names)
    bare = AbelBound(map_, terms, constant_of(given["rho"], names), fmpq(0), k)
    return {"range": str(r), "K": str(_least(*bare.sides(given["J"])))}


def _simple(x: arb) -> fmpq:
    """A short rational a little below."""
    digits = 10 ** max(0, 2 - int(float(x.log()) // 2.3))
    return fmpq(int(float(x) * digits * 10), digits * 10)


def _least(falls, defect, pieces: int = 64) -> Fraction:
    """K with some room: the largest quotient of the two sides."""
    r, worst = falls.r, 0.0
    for k in range(pieces):
        t = hull(r * k / pieces, r * (k + 1) / pieces)
        worst = max(worst, float((abs(defect.over(t)) / falls.over(t)).upper()))
    if not worst < 1e9:
        raise kernel.NotShown("K")
    return Fraction(f"{worst * float(ROOM) + 1e-6:.3e}")
