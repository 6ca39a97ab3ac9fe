"""A law as a theorem: for all depths from l_0 on and all starts of an interval, |quantity - law| <= B monomial.

What is trusted: that SymPy turned the network or the map of the user into the formula of the first step, Arb, and this
code; where the theorem has a proof object (`trust`), the kernel that checks it, instead of this code.
"""

import copy
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_DOWN, Context, Decimal
from functools import cached_property
from itertools import product
from pathlib import Path

import flint
import sympy
from flint import arb
from sympy import Expr, Integer, Symbol, Tuple, sstr
from sympy import latex as sympy_latex

from asympt import kernel
from asympt.balls.arithmetic import Refused, decimal_above, decimal_below, ends
from asympt.balls.laws import FlowLaw, FormalLaw, GeometricLaw
from asympt.balls.moments import SIGMA_B, SIGMA_W, Q
from asympt.balls.printed import PrintedLaw, Proof
from asympt.deadline import in_budget
from asympt.errors import InputError, PrecisionError
from asympt.expansions import Expansion
from asympt.expansions.opaque import RealConstant
from asympt.expansions.printing import latex_expr, width
from asympt.expansions.scale import Bounded
from asympt.expansions.typesetting import LINE, break_lines, expansion_pieces
from asympt.numbers import exact, exact_point, is_whole
from asympt.recursions.proofs.accounts import (
    AbelAccount,
    DepthAccount,
    FlowAccount,
    KoenigsAccount,
    ProofStep,
    decimal_latex,
    decimals,
    told_between,
)
from asympt.recursions.proofs.coq import write_coq
from asympt.recursions.proofs.formal import entered, formal
from asympt.recursions.proofs.proof_object import proof_object
from asympt.recursions.proofs.small_steps import DepthLaw
from asympt.recursions.summary import constants_in
from asympt.recursions.unsettled import Unsettled
from asympt.saving import Saved
from asympt.showing import Html, formula, html_table, one_line, verdict
from asympt.version import __version__

SEPARATOR, WIDEST = r",\quad ", 30  # em of a row of constants
KNOWN = 15  # digits of a constant in the printed law
MORE_BITS, MORE_ARCS = 64, 2
_ACCOUNTS = {FormalLaw: AbelAccount, GeometricLaw: KoenigsAccount, FlowLaw: FlowAccount, DepthLaw: DepthAccount}


@dataclass(frozen=True, eq=False)
class Certificate(Saved):
    """The theorem of one law (see the module).

    constant: B, rounded up;  monomial: what it multiplies, in the depth variable;  valid_from: l_0;
    start: the name of the argument and its ends, exact numbers;  proof: what the engine returned;
    variances: q^1 and q'^1 of two inputs that have not settled, or intervals (low, high); empty for others.
    """

    law: object = field(repr=False)
    start: tuple[str, Expr, Expr]
    proof: Proof = field(repr=False)
    asked: PrintedLaw = field(repr=False)
    distances: tuple[Expr, Expr] = field(repr=False)
    variances: tuple[Expr, ...] = ()

    @property
    def constant(self) -> Decimal:
        """B, rounded up."""
        return self.proof.constant

    @property
    def valid_from(self) -> int:
        """l_0: the theorem holds for this depth and all larger ones."""
        return self.proof.valid_from

    @property
    def monomial(self) -> Expr:
        """The remainder's monomial, in the depth variable."""
        scale, rest = self.law.expansion.scale, self.law.remainder.monomial
        return self.account.size(scale.to_sympy(rest))

    @property
    def remainder(self) -> Bounded:
        """The law's remainder, bounded."""
        return Bounded(self.law.remainder.monomial, exact(str(self.constant), "constant"), self.valid_from)

    def connection(self, digits: int = 20) -> tuple | None:
        """(lower, upper) of C over the starts, rounded outward; None for a law without one."""
        connection = self.proof.connection
        return None if connection is None else ends(connection, digits)

    @property
    def connection_constant(self) -> tuple | None:
        """(lower, upper): C of every start in the interval lies between them; None for a law without one."""
        return self.connection()

    @property
    def second_constant(self) -> tuple | None:
        """(lower, upper) of D for a linear law; None for another."""
        second = self.proof.second
        return None if second is None else ends(second, 20)

    @property
    def statement(self) -> str:
        """The theorem in one line of text, which ends with the meaning of its letters."""
        law = self.law
        printed = str(law.expansion.without_remainder())
        known = [f"{c.name} = {digits}..." for c, digits in self._known()]
        known += [f"{symbol} in [{low}, {high}]" for symbol, low, high in self.letters]
        inequality = f"for all {self.scope}: |{law.plain} - ({printed})| <= {self._bound()}"
        return f"{inequality}, with {', '.join(known)}" if known else inequality

    def _known(self) -> list[tuple[RealConstant, str]]:
        """(constant, its first digits) of the constants with a name in the printed law, read off their balls."""
        balls = dict(self.asked.map_.known(self.proof.theorem.bits)) | self.account.named_numbers
        return [(c, _digits(balls[c])) for c in constants_in(self.law.expansion.without_remainder())]

    @property
    def letters(self) -> list[tuple[Symbol, Decimal, Decimal]]:
        """(symbol, lower, upper) of the constants of the start that the printed law has, rounded outward."""
        shown = set().union(*(c.free_symbols for _, c in self.law.expansion.terms))
        balls = {"C": self.proof.connection, "D": self.proof.second}
        named = ((self.law.constant_symbols[name], ball) for name, ball in balls.items())
        return [(own, *told_between(ball, KNOWN)) for own, ball in named if own in shown]

    @property
    def scope(self) -> str:
        """Where the theorem holds: the depths and the starts."""
        return f"{self.law.depth_variable} >= {self.valid_from}{self._starts()}"

    def latex(self, broken: bool = False) -> str:
        """The theorem in LaTeX, as a displayed formula, its letters last; `broken`: in lines."""
        formal_law = self.law.expansion.without_remainder()
        known = [rf"{latex_expr(c)} = {digits}\ldots" for c, digits in self._known()]
        known += [rf"{latex_expr(own)} \in [{', '.join(map(decimal_latex, pair))}]" for own, *pair in self.letters]
        inequality = self.inequality_latex(rf"\left({formal_law.latex()}\right)")
        if not broken:
            named = [r"\text{with } " + SEPARATOR.join(known)] if known else []
            return r" \qquad ".join([inequality, self.scope_latex, *named])
        lines = [inequality, self.scope_latex]
        if width(inequality) > LINE:  # the sum gets a name, and lines of its own
            broken = r" \\ &".join(break_lines(expansion_pieces(formal_law), taken=2, line=WIDEST))
            named = rf"\begin{{aligned}} S ={{}}& {broken}\end{{aligned}}"
            lines = [self.inequality_latex("S"), self.scope_latex, named]
        if known:
            first, *others = _rows(known)
            lines += [rf"\text{{with }} {first}", *others]
        return r"\begin{gathered}" + r" \\ ".join(lines) + r"\end{gathered}"

    def inequality_latex(self, printed: str) -> str:
        """|quantity - printed| <= B monomial in LaTeX, `printed` being the law's terms or a name for their sum."""
        return rf"\left|{self.law.quantity} - {printed}\right| \le {self._bound_latex()}"

    @property
    def scope_latex(self) -> str:
        """Where the theorem holds, in LaTeX's mathematics."""
        depth = sympy_latex(self.law.depth_variable)
        return rf"\text{{for all }} {depth} \ge {self.valid_from}{self._starts(latex=True)}"

    def _bound_latex(self) -> str:
        constant = Symbol(decimal_latex(self.constant))
        bound = Expansion(self.law.expansion.scale, ((self.law.remainder.monomial, constant),)).latex()
        return rf"\left|{bound}\right|" if self._changes_sign else bound

    @property
    def _changes_sign(self) -> bool:
        return self.monomial != self.law.expansion.scale.to_sympy(self.law.remainder.monomial)

    def _bound(self) -> str:
        size = str(Expansion(self.law.expansion.scale, ((self.law.remainder.monomial, Integer(1)),)))
        size = f"|{size}|" if self._changes_sign else size
        if size == "1":
            return f"{self.constant}"
        return f"{self.constant}{size[1:]}" if size.startswith("1/") else f"{self.constant}*{size}"

    def _starts(self, latex: bool = False) -> str:
        name, low, high = self.start
        text, math = self.law._start_name(name)
        if latex:
            low, high = sympy_latex(low), sympy_latex(high)
            where = f"{math} = {low}" if low == high else rf"{math} \in \left[{low}, {high}\right]"
            return rf"\text{{ and }} {where}" + (rf"\text{{ at }} {self._inputs(latex)}" if self._has_scale else "")
        where = f" and {text} = {low}" if low == high else f" and all {text} in [{low}, {high}]"
        return where + (f" at {self._inputs(latex)}" if self._has_scale else "")

    @property
    def given_variances(self) -> tuple:
        """The variances as texts, intervals as pairs of them."""
        return tuple(tuple(map(sstr, q)) if isinstance(q, Tuple) else sstr(q) for q in self.variances)

    def _inputs(self, latex: bool) -> str:
        """The variances of layer 1, those of the fixed point q if they are not given."""
        one, other = ("q^{1}", "q'^{1}") if latex else ("q^1", "q'^1")
        if not self.variances:
            return f"{one} = q"
        write = sympy_latex if latex else str
        comma = r",\ " if latex else ", "
        within = r" \in " if latex else " in "
        parts = [(name, list(value), within) if isinstance(value, Tuple) else (name, value, " = ")
                 for name, value in zip((one, other), self.variances, strict=True)]  # fmt: skip
        return comma.join(f"{name}{sign}{write(value)}" for name, value, sign in parts)

    @property
    def _has_scale(self) -> bool:
        """Whether inputs of other variances have another orbit."""
        layer = self.law.layer
        return layer is not None and not layer.is_scale_free

    def __str__(self) -> str:
        return self.statement

    def __repr__(self) -> str:
        return one_line("Certificate", self.statement)

    def _repr_html_(self) -> str:
        rows = [(s.name, s.shows, s.listed) for s in self.steps]
        title = Html(f"{verdict('proved')}{self.proved.removeprefix('proved')}: {formula(self.latex())}")
        return html_table(rows, ("step", "shows", "figures"), title)

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    @cached_property
    def account(self) -> AbelAccount:
        """How this kind of theorem describes itself."""
        return _ACCOUNTS[type(self.asked)](self.asked, self.proof, self.law.depth_variable)

    @property
    def steps(self) -> tuple[ProofStep, ...]:
        """The proof, step by step, with its figures."""
        return self.account.steps

    @cached_property
    def _object(self) -> dict | Refused:
        """The proof object, or why there is none."""
        try:
            return proof_object(self)
        except Refused as reason:
            return reason

    @property
    def trust(self) -> str:
        """'kernel' where `asympt.kernel` has checked the theorem's proof object, 'library' where there is none.

        >>> from asympt import Recursion
        >>> Recursion("x - x^2").law(terms=2).certificate(start="1/2").trust
        'kernel'
        """
        return "library" if isinstance(self._object, Refused) else "kernel"

    @property
    def proved(self) -> str:
        """'proved, re-checked by the kernel' or 'proved by the library, not re-checked'."""
        return proved_by(self.trust)

    def to_proof(self) -> dict:
        """The proof object: plain data that `asympt.kernel.check` and `asympt check` verify (docs/certificates.md).

        Raises `Refused` where the kernel does not cover the theorem, with the reason.
        """
        if isinstance(self._object, Refused):
            raise Refused(str(self._object))
        return copy.deepcopy(self._object)

    def to_coq(self, folder) -> Path:
        """Write a folder in which `make` checks the theorem with Coq 8.16, and return the path of the theorems' file.

        What Coq proves, and for which maps: docs/certificates.md.

        Raises `Refused` where there is no proof object, and `UnsupportedError` where that has no Coq proof yet.

        >>> from tempfile import TemporaryDirectory
        >>> from asympt import Recursion
        >>> certificate = Recursion("x - x^2").law(terms=2).certificate(start="1/2")
        >>> with TemporaryDirectory() as folder:
        ...     print("Theorem law" in certificate.to_coq(folder).read_text())
        True
        """
        return write_coq(self.to_proof(), folder)

    def recheck(self) -> bool:
        """Check the proof object with the kernel, if there is one, and prove the theorem again with more bits and arcs.

        True if that gives no larger constant and the same C; raises `Refused` where a step fails.
        """
        if self.trust == "kernel":
            kernel.check(self._object)
        again = _prove(self.asked, *self.distances, self.valid_from, self.proof)
        same = self.proof.connection is None or again.connection.overlaps(self.proof.connection)
        return bool(same and again.constant <= self.constant * (1 + self.asked.spread))

    def to_json(self) -> dict:
        """The theorem as plain data: formulas, printed terms, starts, choices, figures and versions.

        A checker that does not know this program can verify from it whatever has a formula: `docs/certificates.md`.
        """
        account, proof = self.account, self.proof
        named = named_numbers(self).items()
        return {
            "format": FORMAT, "kind": self.law.kind, "trust": self.trust,
            "statement": self.statement, "latex": self.latex(),
            "map": account.map_, "start": self._start(),
            "quantity": account.quantity, "linear": account.linear,
            "terms": account.terms, "remainder": account.remainder,
            "parameters": {sstr(name): _parameter(name, value) for name, value in named},
            "constant": str(self.constant), "monomial": sstr(self.monomial),
            "valid_from": self.valid_from,
            "connection_constant": None if proof.connection is None else list(decimals(proof.connection, DIGITS)),
            "second_constant": None if proof.second is None else list(decimals(proof.second, DIGITS)),
            "steps": [{"name": s.name, "shows": s.shows, "figures": dict(s.figures)} for s in self.steps],
            "versions": versions(),
        }  # fmt: skip

    def _start(self) -> dict:
        name, low, high = self.start
        distances, more = [sstr(distance) for distance in self.distances], {}
        if self.variances:
            more["variances"] = list(self.given_variances)
        return {"name": name, "from": sstr(low), "to": sstr(high), "distances": distances,
                "layer": self.asked.first, **more}  # fmt: skip


def proved_by(trust: str) -> str:
    """
    >>> proved_by("library")
    'proved by the library, not re-checked'
    """
    return "proved, re-checked by the kernel" if trust == "kernel" else "proved by the library, not re-checked"


def _rows(parts: Sequence[str]) -> list[str]:
    """The same, as many to a row as have room; a comma at the end of all but the last."""
    rows = [parts[0]]
    for part in parts[1:]:
        joined = rows[-1] + SEPARATOR + part
        if width(joined) > WIDEST:
            rows[-1] += ","
            rows.append(part)
        else:
            rows[-1] = joined
    return rows


def _digits(ball: arb) -> str:
    """The first digits of the number in a ball, cut and not rounded, so that the dots after them are true."""
    ends = [round_(ball, 2 * KNOWN) for round_ in (decimal_below, decimal_above)]
    for count in range(KNOWN, 0, -1):
        low, high = (Context(prec=count, rounding=ROUND_DOWN).create_decimal(end) for end in ends)
        if low == high:
            return f"{low:f}"
    raise PrecisionError(f"the constant {ball.str(10)} has no correct digit; prove the law with more bits")


@in_budget("proving the law")
def certified(law, valid_from: int, given: Mapping, layers: Sequence[int] = ()) -> Certificate:
    """The certificate of a law; `given`: one start, or an interval (low, high) of them, by its name.

    `layers`: candidates for l_1, the last one being how far orbits are followed; none: those of the engine.
    """
    if not is_whole(valid_from, 2):
        raise InputError(f"valid_from = {valid_from} is not a depth of at least 2 (log 1 = 0); give one such as 2")
    if len(given) > 1 or not law.coordinate.starts_from_one:
        law.asked  # noqa: B018, what starts from several numbers may have no theorem at all, which it says
    corners = [{}] if given.get("variances") is None else _corners(given["variances"])
    name, low, high = interval({key: value for key, value in given.items() if key != "variances"},
                               law.coordinate.starts_from_one)  # fmt: skip
    starts = [law._start({name: end, **corner}) for corner in corners for end in (low, high)]
    unsettled = any(isinstance(start, Unsettled) for start in starts)
    if unsettled != all(isinstance(start, Unsettled) for start in starts):
        raise InputError("two ends of the intervals of variances are both q; take one that is not q")
    apart = tuple(map(_span, zip(*(start.rest for start in starts), strict=True))) if corners[0] and unsettled else ()
    distances = [start.distance if unsettled else start for start in starts[:2]]
    if distances[0].is_number and (distances[0] - distances[1]).is_positive:
        distances.reverse()
    if not unsettled:
        _require_one_side(distances, name, low, high)
    printed = formal(law)
    asked, *_ = [entered(law, start, printed) for start in starts[::2]]
    if len(corners) > 1 and unsettled:
        asked = starts[0].entering(law, printed, apart)
    _require_this_side(asked, distances, name, low)
    try:
        proof = _prove(asked, *distances, max(int(valid_from), asked.first + 1), layers=layers)
    except (Refused, PrecisionError) as reason:
        raise type(reason)(f"no certificate for {_given(name, low, high)}: {reason}") from None
    return Certificate(law, (name, low, high), proof, asked, tuple(distances), apart)


def _corners(variances) -> list[dict]:
    """Every pair of ends of two variances, each a number or an interval (low, high)."""
    if not isinstance(variances, tuple | list):
        return [{"variances": variances}]
    ends = [value if isinstance(value, tuple | list) else (value,) for value in variances]
    return [{"variances": corner} for corner in product(*ends)]


def _span(values: Sequence[Expr]) -> Expr | Tuple:
    return values[0] if len(set(values)) == 1 else Tuple(min(values), max(values))


def interval(given: Mapping, of_numbers: bool = True) -> tuple[str, Expr, Expr]:
    """(name, low, high) of a start that is one number or a pair of them, or else a point."""
    if len(given) != 1:
        raise InputError("give one start or one interval of starts, for example correlation=('-1', '9/10')")
    ((name, value),) = given.items()
    if not of_numbers:
        point = exact_point(value, name)
        return name, point, point
    pair = value if isinstance(value, tuple | list) else (value, value)
    if len(pair) != 2:
        raise InputError(f"{name} = {value} is neither a number nor a pair; give an interval such as ('-1', '9/10')")
    low, high = (exact(end, name) for end in pair)
    if not (low.is_number and high.is_number):
        raise InputError(f"{name} = {value} contains symbols; give numbers")
    if (low - high).is_positive:
        raise InputError(f"{name} = ({low}, {high}) has its ends in the wrong order; give the smaller one first")
    return name, low, high


def _require_one_side(distances: list[Expr], name: str, low: Expr, high: Expr) -> None:
    starts = _given(name, low, high)
    if distances[0] == 0 or distances[1] == 0:
        raise InputError(f"{starts} touches the fixed point, where nothing moves; keep a distance from it")
    if (distances[0] * distances[1]).is_negative:
        raise InputError(f"{starts} has starts on both sides of the fixed point; prove each side")


def _given(name: str, low: Expr, high: Expr) -> str:
    return f"{name} = {low}" if low == high else f"{name} in [{low}, {high}]"


def _require_this_side(asked: PrintedLaw, distances: list[Expr], name: str, low: Expr) -> None:
    """A law in a root of the distance, and every parabolic one, is about one side of the fixed point."""
    if distances[0].is_negative and asked.one_sided:
        raise InputError(
            f"{name} = {low} is not on the side of the fixed point where this law holds; start on that side, "
            "or derive the law of the other side"
        )


def _prove(asked: PrintedLaw, low: Expr, high: Expr, valid_from: int, before=None, layers: Sequence[int] = ()) -> Proof:
    """The proof; with more bits and arcs, and the choices of the one before, to check that one."""
    if before is None:
        return asked.prover(low, high).prove(valid_from, layers)
    theorem = before.theorem
    if hasattr(asked.map_, "arcs"):
        asked = replace(asked, map_=replace(asked.map_, arcs=asked.map_.arcs * MORE_ARCS))
    again = asked.prover(low, high, theorem.bits + MORE_BITS, theorem.last, theorem.radius)
    return again.prove(valid_from, layers=(before.layer,))


FORMAT = "asympt certificate 1"
DIGITS = 40


def versions() -> dict[str, str]:
    return {
        "asympt": __version__, "python-flint": flint.__version__, "FLINT": flint.__FLINT_VERSION__,
        "SymPy": sympy.__version__, "Python": platform.python_version(),
    }  # fmt: skip


def named_numbers(certificate) -> dict:
    """{number: ball} of the numbers that stand in the formulas by a name."""
    asked = certificate.asked
    known = dict(asked.map_.known(certificate.proof.theorem.bits))
    wanted = {name for formula in certificate.account.formulas for name in formula.atoms(sympy.Atom)}
    if not hasattr(asked.map_, "formula"):
        wanted |= {Q, SIGMA_W, SIGMA_B}
    found = {name: known[name] for name in sorted(wanted & set(known), key=sstr)}
    return found | certificate.account.named_numbers


def _parameter(name, value: arb) -> dict:
    equation = getattr(name, "equation", None)
    zero = None if equation is None else str(equation.expr.subs(*equation.variables, Symbol(sstr(name))))
    return {"between": list(decimals(value, 2 * DIGITS)), "zero": zero}
