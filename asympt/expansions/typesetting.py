r"""Expansions and exact constants as LaTeX that fits the page: signed *pieces*, between which a line may end."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import gcd, lcm

import sympy
from sympy import Add, Expr, Integer, NumberSymbol, Pow, Rational, Symbol, expand, factor, fraction, log, pi, together
from sympy.printing.latex import LatexPrinter

from asympt.expansions import Bounded, Expansion, Heuristic, Monomial, Scale
from asympt.expansions.printing import constants_in, gathered, numeric, width
from asympt.parsing import as_sympy

# B and E sort behind alpha under these names, so that products read 2 alpha^2 B.
SHIFTED_FIRST, SHIFTED_SECOND = "shifted_C", "shifted_D"
LINE = 35.0
SHORT_SUM = 9.0
WIDE_NUMBER = 12.0  # em; a longer number is told by its digits


_SETTINGS = {"inv_trig_style": "full", "fold_frac_powers": True, "fold_func_brackets": True}
_HIGH_FRACTION = re.compile(r"\^\{\\frac\{([^{}]+)\}\{(\d+)\}\}")
_SQUARE_ROOTS = re.compile(r"\\sqrt\{(\d+)\} \\sqrt\{(\w)\}")
_LONG_INTEGER = re.compile(r"\d{7,}")
_NAMES = {SHIFTED_FIRST: "B", SHIFTED_SECOND: "E"}


class _Printer(LatexPrinter):
    r"""SymPy's LaTeX with \log l for log(l), \log^{2} l for its square, \log(3/2) and \arccos c."""

    def _print_log(self, expr, exp=None):
        argument, power = expr.args[0], f"^{{{exp}}}" if exp else ""
        shown = self._print(argument)
        if argument.is_Rational and not argument.is_Integer:
            return rf"\log{power}({argument.p}/{argument.q})"
        if _stands_alone(argument) or shown.startswith(r"\frac"):
            return rf"\log{power} {shown}"
        return rf"\log{power}" + (rf"\left({shown}\right)" if r"\frac" in shown else f"({shown})")

    def _print_Add(self, expr, order=None):
        terms = self._as_ordered_terms(expr, order=order)
        terms = sorted(terms, key=lambda e: (e != 1, bool(e.as_coeff_Mul()[0].is_negative)))  # 1 - a, 1 + a, x^2 - y
        shown = [self._print(term) for term in terms]
        return shown[0] + "".join(f" - {s[1:].lstrip()}" if s.startswith("-") else f" + {s}" for s in shown[1:])

    def _print_Symbol(self, expr, style="plain"):
        return _NAMES.get(expr.name) or super()._print_Symbol(expr, style)

    def _print_erf(self, expr, exp=None, name="erf"):
        inside = _SQUARE_ROOTS.sub(r"\\sqrt{\1 \2}", self._print(expr.args[0]))
        return rf"\operatorname{{{name}}}" + (f"^{{{exp}}}" if exp else "") + rf"({inside})"

    def _print_erfc(self, expr, exp=None):
        return self._print_erf(expr, exp, "erfc")

    def _print_harmonic(self, expr, exp=None):
        return f"H_{{{self._print(expr.args[0])}}}" + (f"^{{{exp}}}" if exp else "")

    def _print_acos(self, expr, exp=None):
        return r"\arccos" + (f"^{{{exp}}}" if exp else "") + f" {self._print(expr.args[0])}"


def _stands_alone(argument: Expr) -> bool:
    """Whether a logarithm of it needs no brackets: a letter, a whole number, a root, another logarithm."""
    alone = isinstance(argument, Symbol | NumberSymbol | sympy.Abs | Integer | log) and not argument.is_negative
    return alone or (argument.is_Pow and argument.exp == Rational(1, 2))


def tex(expr) -> str:
    """One exact expression, on one line, fractions in exponents with a slash."""
    return _HIGH_FRACTION.sub(r"^{\1/\2}", _Printer(_SETTINGS).doprint(as_sympy(expr)))


@dataclass(frozen=True)
class Piece:
    """A signed summand: `sign` is '+' or '-', `body` LaTeX without that sign; `more` what follows a place to break."""

    sign: str
    body: str
    more: tuple["Piece", ...] = ()

    def after(self, first: bool) -> str:
        """As it stands in a sum, without `more`; the first one shows no plus."""
        if first:
            return self.body if self.sign == "+" else f"-{self.body}"
        return f"{self.sign} {self.body}"

    def whole(self, first: bool) -> str:
        """As it stands in a sum, unbroken."""
        return " ".join([self.after(first), *(p.after(False) for p in self.more)])


def factored(expr: Expr) -> tuple[Expr, list[Expr]]:
    """expr = content * (sum of summands): common rational and common powers in front, the first summand positive.

    >>> B = Symbol("B")
    >>> factored(B/4 - Rational(1, 8))
    (1/8, [2*B, -1])
    >>> factored(25/pi**2/120 + Rational(3, 120))
    (1/(120*pi**2), [3*pi**2, 25])
    """
    expr = gathered(expr)
    summands = Add.make_args(_multiplied_out(expr))
    if expr == 0:
        return Integer(1), [Integer(0)]
    content = _common_rational(summands) * _common_powers(summands)
    rest = sorted((_multiplied_out(s / content) for s in summands), key=_order)
    if rest[0].as_coeff_Mul()[0] < 0:
        content, rest = -content, [-s for s in rest]
    if expr.is_number and (expr / content).is_negative:
        content, rest = -content, sorted((-s for s in rest), key=lambda s: bool(s.as_coeff_Mul()[0] < 0))
    return content, rest


def merged(expr: Expr) -> Expr:
    """A sum whose algebraic fractions over sums are one fraction; other summands stay as they are.

    >>> from sympy import asin, sqrt
    >>> q = Symbol("q", positive=True)
    >>> merged(asin(q) + (3 + 1 / (1 + 2 * q)) / sqrt(1 + 2 * q))
    asin(q) + 2*(3*q + 2)/(2*q + 1)**(3/2)
    """
    summands = Add.make_args(gathered(expr))
    below = [any(power.base.is_Add and power.exp.is_negative for power in s.atoms(Pow)) for s in summands]
    over = [s for s, is_over in zip(summands, below, strict=True) if is_over and not s.has(sympy.Function)]
    return factor(together(Add(*over))) + Add(*(s for s in summands if s not in over))


def _multiplied_out(expr: Expr) -> Expr:
    """`expand` of what is multiplied, not of what stands in a logarithm or a denominator.

    >>> a = Symbol("a")
    >>> _multiplied_out((1 + a) * a / (1 - a))
    a**2/(1 - a) + a/(1 - a)
    """
    inside = [f for f in expr.atoms(log) if f.args[0].has(Add)]
    below = [f for f in expr.atoms(Pow) if f.exp.could_extract_minus_sign() and f.base.has(Add) and not f.has(*inside)]
    hidden = {f: sympy.Dummy(positive=True) for f in (*inside, *below)}
    shown = {dummy: f for f, dummy in hidden.items()}
    return expand(expr.xreplace(hidden), log=False).xreplace(shown)


def _common_rational(summands: Sequence[Expr]) -> Rational:
    numbers = [s.as_coeff_Mul()[0] for s in summands]
    top = gcd(*(int(abs(n.p)) for n in numbers))
    return Rational(top, lcm(*(int(n.q) for n in numbers)))


def _common_powers(summands: Sequence[Expr]) -> Expr:
    powers = [dict(s.as_coeff_Mul()[1].as_powers_dict()) for s in summands]
    bases = sorted({b for p in powers for b in p}, key=str)
    return sympy.Mul(*(base ** min(p.get(base, Integer(0)) for p in powers) for base in bases))


def _order(summand: Expr) -> tuple:
    """Constants of integration first, in falling powers, then the other symbols, then pi, then numbers."""
    powers = summand.as_powers_dict()
    named = {str(base): -exponent for base, exponent in powers.items()}
    constants = [named.pop(name, 0) for name in (SHIFTED_SECOND, "D", SHIFTED_FIRST, "C")]
    others = sorted((str(b), -e) for b, e in powers.items() if b.free_symbols and str(b) in named)
    return (*constants, not others, others, -powers.get(pi, 0), str(summand))


def sum_pieces(expr: Expr) -> list[Piece]:
    """A finite sum, one piece per summand, in an author's order."""
    return [signed(s) for s in sorted(Add.make_args(expr), key=_order)]


def signed(summand: Expr) -> Piece:
    """One summand with its sign taken out."""
    negative = summand.as_coeff_Mul()[0] < 0
    return Piece("-" if negative else "+", _quotient(-summand if negative else summand))


def _quotient(expr: Expr) -> str:
    top, bottom = fraction(expr)
    return tex(top) if bottom == 1 else rf"\frac{{{tex(top)}}}{{{tex(bottom)}}}"


def constant(expr: Expr) -> str:
    r"""A coefficient on its own, factored: \frac{\sqrt{2} (27 \pi^{2} + 120)}{360 \pi}."""
    return inline([term_piece(expr, Scale.at_zero(Symbol("t", positive=True)), Monomial(0))])


def parameter(expr: Expr) -> str:
    r"""A parameter of the network: factored over its symbols; a number as a `constant`, a wide one by its digits.

    >>> from sympy import sqrt
    >>> parameter(Rational(1, 3)), parameter(Rational(123456789, 10**9)), parameter(sqrt(2) / 12345678901234567)
    ('\\frac{1}{3}', '0.123456789', '1.145512996 \\cdot 10^{-16}\\ldots')
    """
    if expr.free_symbols:
        return _quotient(factor(together(expr)))
    shown = constant(expr)
    if width(shown) <= WIDE_NUMBER and not _LONG_INTEGER.search(shown):
        return shown
    decimal = tex(expr.evalf(NAMED))
    return decimal if expr.is_Rational and Rational(str(expr.evalf(NAMED))) == expr else rf"{tex(expr.evalf(10))}\ldots"


def term_piece(coefficient: Expr, scale: Scale, monomial: Monomial) -> Piece:
    """coefficient * monomial; a long coefficient may be broken inside its bracket."""
    content, summands = factored(coefficient)
    sign = "-" if content.as_coeff_Mul()[0] < 0 else "+"
    inside, logs, outside = split_monomial(scale, monomial)
    top, bottom = fraction((-content if sign == "-" else content) * inside)
    if len(summands) == 1:
        return Piece(sign, _lone(top * summands[0] * logs, bottom, outside))
    if (top, bottom, logs, outside) == (1, 1, 1, 1):
        first, *others = (signed(-s if sign == "-" else s) for s in summands)
        return Piece(first.sign, first.body, tuple(others))
    inner = [signed(s) for s in summands]
    if bottom != 1 and width(inline(inner)) <= SHORT_SUM:
        return Piece(sign, rf"\frac{{{_bracketed(top, inner, logs)}}}{{{tex(bottom)}}}{_after(outside)}")
    return long_term(sign, _lone(top * logs, bottom, Integer(1)), inner, _after(outside))


def _lone(top: Expr, bottom: Expr, outside: Expr) -> str:
    if bottom != 1:
        return rf"\frac{{{tex(top)}}}{{{tex(bottom)}}}{_after(outside)}"
    return tex(outside) if top == 1 and outside != 1 else tex(top) + _after(outside)


def _after(outside: Expr) -> str:
    return "" if outside == 1 else f" {tex(outside)}"


def _bracketed(top: Expr, inner: list[Piece], logs: Expr) -> str:
    front = "" if top == 1 else tex(top) + r"\,"
    return inline(inner) if top == logs == 1 else rf"{front}({inline(inner)}){_after(logs)}"


def long_term(sign: str, front: str, inner: list[Piece], tail: str) -> Piece:
    """front * (inner) tail, with places to break inside the bracket."""
    bodies = [p.body for p in inner]
    bodies[0] = ("" if front == "1" else front + r"\,") + r"\bigl(" + bodies[0]
    bodies[-1] += r"\bigr)" + tail
    more = tuple(Piece(p.sign, body) for p, body in zip(inner[1:], bodies[1:], strict=True))
    return Piece(sign, bodies[0], more)


def split_monomial(scale: Scale, monomial: Monomial) -> tuple[Expr, Expr, Expr]:
    """(power for the fraction, its logs, what stands after it): 1/L^2, log(L), 1; or 1, 1, t^3 log(t)."""
    power, whole = scale.to_sympy(Monomial(monomial.order)), scale.to_sympy(monomial)
    if scale.sign * monomial.order >= 0 and scale.sign > 0:
        return Integer(1), Integer(1), whole
    return (whole, Integer(1), Integer(1)) if monomial.logs < 0 else (power, whole / power, Integer(1))


def expansion_pieces(
    expansion: Expansion, count: int | None = None, piece: Callable[[Expr, Scale, Monomial], Piece] = term_piece
) -> list[Piece]:
    """Every term (or the first `count`), written by `piece`, then the remainder."""
    shown = expansion if count is None else expansion.truncate(count)
    pieces = [piece(c, shown.scale, m) for m, c in shown.terms]
    if shown.remainder is not None:
        pieces.append(Piece("+", remainder(shown)))
    return pieces


def remainder(expansion: Expansion) -> str:
    """O(...) of the expansion, with its type visible."""
    rest = expansion.remainder
    size = _quotient(expansion.scale.to_sympy(rest.monomial))
    name = r"\widetilde{O}" if isinstance(rest, Heuristic) else "O"
    shown = rf"{name}\!\left({size}\right)"
    if isinstance(rest, Bounded):
        shown += rf"\;[\le {tex(rest.constant)} \text{{ times it from }} {tex(rest.valid_from)}]"
    elif isinstance(rest, Heuristic) and rest.constant is not None:
        shown += rf"\;[\text{{up to }} {tex(rest.constant)} \text{{ times it seen, from }} {tex(rest.valid_from)}]"
    return shown


def times(factor: Expr, unknown: str) -> Piece:
    """factor * unknown, a sum in brackets."""
    pieces = sorted(sum_pieces(factor), key=lambda piece: piece.sign == "-")
    if len(pieces) > 1:
        return Piece("+", rf"\bigl({inline(pieces)}\bigr)\,{unknown}")
    return Piece(pieces[0].sign, unknown if pieces[0].body == "1" else rf"{pieces[0].body}\,{unknown}")


def slashes(pieces: list[Piece]) -> str:
    r"""A sum for running text: \frac{a}{b} becomes a/b."""
    part = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
    return re.sub(rf"\\frac{part}{part}", r"\1/\2", inline(pieces))


def slashed_monomial(rate) -> str:
    r"""A rate for running text: \log(L)/L."""
    top, bottom = fraction(rate)
    shown = re.sub(r"(\\log(?:\^\{\d+\})?) (\w+)", r"\1(\2)", tex(top))
    return f"{shown}/{tex(bottom)}"


def inline(pieces: Sequence[Piece]) -> str:
    """The sum on one line."""
    return " ".join(p.whole(first=index == 0) for index, p in enumerate(pieces))


def break_lines(pieces: Sequence[Piece], taken: float = 0.0, line: float = LINE) -> list[str]:
    """The sum on as many lines as its width asks for; `taken` em of each line are already used.

    A term that fits on a line of its own is not broken.
    """
    lines: list[str] = []
    for index, piece in enumerate(pieces):
        if taken + width(piece.whole(first=False)) <= line:
            _append(lines, piece.whole(index == 0), line - taken)
            continue
        for part in (piece, *piece.more):
            _append(lines, part.after(first=part is piece and index == 0), line - taken)
    return lines


def _append(lines: list[str], shown: str, room: float, between: str = " ") -> None:
    if lines and width(lines[-1] + between + shown) <= room:
        lines[-1] += between + shown
    else:
        lines.append(shown)


def display(left: str, pieces: Sequence[Piece], label: str = "", end: str = ".") -> str:
    """A displayed equation left = sum, cut into lines; numbered when it has a label."""
    return displays([(left, pieces)], label, end)


def displays(rows: Sequence[tuple[str, Sequence[Piece]]], label: str = "", end: str = ".", line: float = LINE) -> str:
    """Several equations aligned at their equality signs; the label goes to the last line."""
    lines = []
    for left, pieces in rows:
        first, *others = break_lines(pieces, taken=width(left) + 1.4, line=line)
        lines += [f"{left} &= {first}" if left else f"&{first}", *(rf"&\quad {other}" for other in others)]
    return align(lines, label, end, {len(lines) - 1})


def align(lines: Sequence[str], label: str, end: str, numbered: set[int]) -> str:
    """The align environment of finished lines."""
    if not label:
        return "\\begin{align*}\n" + " \\\\\n".join(lines) + end + "\n\\end{align*}"
    marked = [line if index in numbered else rf"{line} \notag" for index, line in enumerate(lines)]
    return "\\begin{align}\n" + " \\\\\n".join(marked) + f"{end} \\label{{{label}}}\n\\end{{align}}"


def columns(formulas: Sequence[str], end: str = ".", line: float = LINE) -> str:
    """Short formulas side by side, as many a row as fit, in a gather* environment."""
    rows: list[str] = []
    for formula in formulas:
        _append(rows, formula, line - 2, ",\\qquad ")
    return "\\begin{gather*}\n" + ", \\\\\n".join(rows) + end + "\n\\end{gather*}"


NARROW = 27.0  # em that fit on the line of an article in 10 points, with a margin
NAMED = 12  # digits of a coefficient that gets a name


def split(rows: Sequence[tuple[str, Expansion, str]], constants: Sequence[Symbol] = ()) -> str:
    r"""Equations (left side, expansion, what stands behind it) in lines that fit on a page, and what letters mean.

    A coefficient with a part too wide for a line is called k_1, k_2, ... and its number stands below, beside those of
    the constants known by their digits.  `constants`: those of integration, which depend on the start.

    >>> L = Symbol("L", positive=True)
    >>> print(split([("y", Expansion.build(Scale.at_infinity(L), {(0, 0): 1, (1, 1): Rational(-1, 3)}), "")]))
    \begin{align*}
    y &= 1 - \frac{\log L}{3 L}.
    \end{align*}
    """
    rows = [(left, expansion.readable(), tail) for left, expansion, tail in rows]
    named: dict[Symbol, Expr] = {}
    aligned = []
    for left, expansion, tail in rows:
        room = NARROW - width(left) - 1.4
        pieces = expansion_pieces(expansion, piece=lambda c, s, m, room=room: _narrow(c, s, m, room, named))
        aligned.append((left, [*pieces, Piece("", tail)] if tail else pieces))
    said = [f"${tex(name)} \\approx {tex(numeric(c, constants, NAMED) or c)}$" for name, c in named.items()]
    hidden = set(named.values())
    kept = [replace(e, terms=tuple((m, Integer(1) if c in hidden else c) for m, c in e.terms)) for _, e, _ in rows]
    said += [f"${tex(c)} \\approx {c.evalf(NAMED)}$" for c in constants_in(*kept)]
    used = [tex(c) for c in constants if any(coefficient.has(c) for e in kept for _, coefficient in e.terms)]
    if used:
        depend = "depends" if len(used) == 1 else "depend"
        said.append(" and ".join(f"${c}$" for c in used) + f" {depend} on the start")
    listed = " and ".join(part for part in (", ".join(said[:-1]), *said[-1:]) if part)
    return displays(aligned, end="," if said else ".", line=NARROW) + (f"\nwhere {listed}." if said else "")


def _narrow(coefficient: Expr, scale: Scale, monomial: Monomial, room: float, named: dict) -> Piece:
    """The term, its coefficient under a name when a part of it is wider than the line."""
    made = term_piece(coefficient, scale, monomial)
    if all(width(part.after(first=False)) <= room for part in (made, *made.more)):
        return made
    name = Symbol(f"k_{{{len(named) + 1}}}")
    named[name] = coefficient
    return term_piece(name, scale, monomial)
