"""How an expansion reads as text for the terminal, in the order of size; `typesetting` has the LaTeX."""

import re
from collections.abc import Callable, Collection
from itertools import combinations
from typing import NoReturn

from sympy import Add, Expr, Integer, Mul, Pow, Symbol, expand, factor_terms, fraction, sstr
from sympy import latex as sympy_latex

from asympt.errors import InputError
from asympt.expansions.opaque import RealConstant
from asympt.expansions.scale import Bounded, Heuristic
from asympt.parsing import as_sympy

_FRACTION = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
_BARE_LOG = re.compile(r"\\log\{\\left\((\w+) \\right\)\}(?!\^)")


def not_called(remedy: str, use: str = "a function to be called") -> Callable[..., NoReturn]:
    """The `__call__` of what is no function: one sentence with the way to its values; likewise for another `use`."""

    def refused(self: object, *given: object, **named: object) -> NoReturn:
        raise InputError(f"this {type(self).__name__} is not {use}; {remedy}")

    return refused


def text(expansion) -> str:
    """One line, largest term first.

    >>> from sympy import Symbol
    >>> from asympt.expansions import Expansion, Formal, Monomial, Scale
    >>> l = Symbol("l", positive=True)
    >>> print(Expansion.build(Scale.at_infinity(l), {(2, 0): 3, (3, 1): -1}, Formal(Monomial(3))))
    3/l^2 - log(l)/l^3 + O(1/l^3)
    """
    expansion = expansion.readable()
    pieces = [_with_sign(_text_term(c, expansion.scale.to_sympy(m))) for m, c in expansion.terms]
    return _join(pieces + _remainder(expansion, plain))


def in_numbers(expansion, constants: Collection[Symbol] = (), digits: int = 6) -> str | None:
    """The terms with numbers for coefficients, on one line; None where a parameter has no number.

    >>> from sympy import Rational, Symbol
    >>> from asympt.expansions import Expansion, Formal, Monomial, Scale
    >>> L, C = Symbol("L", positive=True), Symbol("C", real=True)
    >>> law = Expansion.build(Scale.at_infinity(L), {(0, 0): Rational(1, 3), (1, 0): (2 * C - 1) / 7}, Formal(Monomial(2)))
    >>> print(in_numbers(law, {C}))
    0.333333 + (0.285714*C - 0.142857)/L + O(1/L^2)
    """  # noqa: E501
    found = [(numeric(c, constants, digits), expansion.scale.to_sympy(m)) for m, c in expansion.terms]
    if any(c is None for c, _ in found):
        return None
    pieces = [_with_sign(_text_term(c, numbered(m, digits), tidy=False)) for c, m in found]
    return _join(pieces + _remainder(expansion, lambda size: plain(numbered(size, digits))))


def numeric(coefficient: Expr, constants: Collection[Symbol] = (), digits: int = 6) -> Expr | None:
    """A coefficient with numbers in front of the powers of the constants; None where other symbols are in it.

    >>> C = Symbol("C", real=True)
    >>> numeric((2 * C - 1) / 7, {C}), numeric(Symbol("a") / 2)
    (0.285714*C - 0.142857, None)
    """
    if coefficient.free_symbols - set(constants):
        return None
    if coefficient.is_Integer:
        return coefficient
    parts: dict[Expr, list[Expr]] = {}
    for summand in Add.make_args(expand(coefficient, log=False)):
        number, rest = summand.as_independent(*constants, as_Add=False)
        parts.setdefault(rest, []).append(number)
    sums = {rest: Add(*numbers) for rest, numbers in parts.items()}
    return Add(*(rest * (n if n.is_Integer else n.evalf(digits)) for rest, n in sums.items()))


def numbered(monomial: Expr, digits: int = 6) -> Expr:
    """A monomial with the digits of the constants that it is a power of."""
    return monomial.xreplace({found: found.evalf(digits) for found in monomial.atoms(RealConstant)})


def constants_in(*expansions) -> list[RealConstant]:
    """The constants known by their digits that some expansions show, their exponentials included."""
    found = set()
    for e in expansions:
        ends = [] if e.remainder is None else [e.remainder.monomial]
        shown = [*(c for _, c in e.terms), *(e.scale.to_sympy(m) for m in (*(m for m, _ in e.terms), *ends))]
        found |= set().union(*(part.atoms(RealConstant) for part in shown))
    return sorted(found, key=lambda constant: constant.name)


def latex_expr(expr: Expr) -> str:
    r"""SymPy's LaTeX, with log l for log(l)."""
    return _BARE_LOG.sub(r"\\log \1", sympy_latex(gathered(expr)))


def plain_quantity(quantity: str) -> str:
    r"""LaTeX of a quantity as text for a terminal.

    >>> plain_quantity(r"\frac{K^{L}(x,x')}{q_{L}\,L}"), plain_quantity("1-c^{l}")
    ("K^L(x,x')/(q_L L)", '1 - c^l')
    >>> plain_quantity(r"\frac{K^{L}(x,x)}{q_{L}}"), plain_quantity(r"\frac{K^{L_{0}}(x,x)}{q_{L_{0}}}")
    ('K^L(x,x)/q_L', 'K^(L_0)(x,x)/q_(L_0)')
    """
    quantity = re.sub(r"(?<=[_^])\{(\w+)_\{(\w+)\}\}", r"(\1_\2)", quantity)  # L_0 in the place of L
    shown = re.sub(r"([_^])\{([\w*]+)\}", r"\1\2", quantity).replace(r"\,", " ").replace("1-", "1 - ")
    shown = _FRACTION.sub(lambda part: f"{part[1]}/({part[2]})" if " " in part[2] else f"{part[1]}/{part[2]}", shown)
    return re.sub(r"\\(\w+) ?", r"\1 ", shown).strip()


def gathered(expr: Expr) -> Expr:
    """With denominators as authors write them: positive where they are numbers, what their summands share in front,
    (1 - s)(1 + s) as 1 - s^2.

    >>> from sympy import Symbol, pi, sqrt
    >>> a = Symbol("a", positive=True)
    >>> gathered(-a / (sqrt(2) - 2)), gathered(1 / (pi * sqrt(1 + a) + a * pi * sqrt(1 + a)))
    (a/(2 - sqrt(2)), 1/(pi*(a + 1)**(3/2)))
    >>> gathered(1 / ((1 - sqrt(a)) * (1 + sqrt(a))))
    1/(1 - a)
    """
    return as_sympy(expr).replace(_is_below, _gathered_power).replace(lambda part: part.is_Mul, _conjugated)


def _is_below(part: Expr) -> bool:
    return part.is_Pow and part.base.is_Add and part.exp.could_extract_minus_sign()


def _gathered_power(power: Pow) -> Expr:
    base, exponent = power.args
    if base.is_number and exponent.is_Integer and base.is_negative:
        return Integer(-1) ** exponent * factor_terms(-base) ** exponent
    return factor_terms(base) ** exponent


def _conjugated(product: Mul) -> Expr:
    """(1 - s)(1 + s) below, which is shorter multiplied out."""
    for one, other in combinations([f for f in product.args if _is_below(f)], 2):
        whole = expand(one.base * other.base)
        if one.exp == other.exp and whole.count_ops() < one.base.count_ops() + other.base.count_ops():
            return product / (one * other) * whole**one.exp
    return product


def plain(expr: Expr) -> str:
    """SymPy's text with ^ for powers, and 1/l^2 where SymPy writes l^(-2)."""
    expr = gathered(expr)
    numerator, denominator = fraction(expr)
    if abs(numerator) == 1 and denominator != 1:
        bottom = f"({denominator})" if isinstance(denominator, Add | Mul) else str(denominator)
        return f"{'-' if numerator == -1 else ''}1/{bottom}".replace("**", "^")
    return sstr(expr, full_prec=False).replace("**", "^")


def _text_term(coefficient: Expr, monomial: Expr, tidy: bool = True) -> str:
    """coefficient * monomial with a sum kept in one bracket, in front."""
    coefficient = factor_terms(coefficient) if tidy else coefficient
    if monomial == 1 or not coefficient.has(Add):
        return plain(coefficient * monomial)
    shown = plain(monomial)
    bracket = f"({plain(coefficient)})"
    return bracket + shown[1:] if shown.startswith("1/") else f"{bracket}*{shown}"


def _with_sign(piece: str) -> tuple[str, str]:
    return ("-", piece[1:].lstrip()) if piece.startswith("-") else ("+", piece)


def _remainder(expansion, show) -> list[tuple[str, str]]:
    rest = expansion.remainder
    if rest is None:
        return []
    name = "~O" if isinstance(rest, Heuristic) else "O"
    piece = f"{name}({show(expansion.scale.to_sympy(rest.monomial))})"
    if isinstance(rest, Bounded):
        piece += f" [<= {show(rest.constant)} times it from {show(rest.valid_from)}]"
    elif isinstance(rest, Heuristic) and rest.constant is not None:
        piece += f" [up to {show(rest.constant)} times it seen, from {show(rest.valid_from)}]"
    return [("+", piece)]


def _join(pieces: list[tuple[str, str]]) -> str:
    if not pieces:
        return "0"
    (sign, first), *others = pieces
    return ("-" if sign == "-" else "") + first + "".join(f" {s} {p}" for s, p in others)


# ---- how wide a piece of LaTeX will be, in em over Computer Modern, good enough to break lines ---


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|[0-9]|\S")
_COMMANDS = {
    r"\log": 1.4, r"\arccos": 3.0, r"\sqrt": 0.9, r"\quad": 1.0, r"\,": 0.2, r"\;": 0.3, r"\!": -0.2,
    r"\left": 0.0, r"\right": 0.0, r"\bigl": 0.1, r"\bigr": 0.1, r"\Bigl": 0.2, r"\Bigr": 0.2, r"\cdots": 1.2,
    r"\cdot": 0.8, r"\limits": 0.0, r"\int": 0.8, r"\sum": 1.1,
}  # fmt: skip
_SIGNS = {"+": 1.25, "-": 1.25, "=": 1.35, "(": 0.4, ")": 0.4, "[": 0.3, "]": 0.3, ",": 0.45, "'": 0.3, "&": 0.0}


def width(latex: str) -> float:
    r"""The estimated width in em.

    >>> width(r"\frac{12}{7}") < width("12 + 7")
    True
    """
    return _items(_TOKEN.findall(latex), 0)[0]


def _items(tokens: list[str], position: int, end: str | None = None) -> tuple[float, int]:
    """The width of all items from `position` up to `end`, and where what follows begins."""
    total = 0.0
    while position < len(tokens) and tokens[position] != end:
        size, position = _next(tokens, position)
        total += size
    return total, position + 1


def _next(tokens: list[str], position: int) -> tuple[float, int]:
    """The width of the item that starts at `position`, and where the next one starts."""
    token = tokens[position]
    if token == "{":
        return _items(tokens, position + 1, "}")
    if token in ("^", "_"):
        size, following = _next(tokens, position + 1)
        return 0.7 * size, following
    if token in (r"\frac", r"\tfrac", r"\dfrac"):
        top, middle = _next(tokens, position + 1)
        bottom, following = _next(tokens, middle)
        return max(top, bottom) + 0.25, following
    return _single(token), position + 1


def _single(token: str) -> float:
    if token in _SIGNS:
        return _SIGNS[token]
    if token.startswith("\\"):
        return _COMMANDS.get(token, 0.65)
    return 0.5 if token.isdigit() else 0.62
