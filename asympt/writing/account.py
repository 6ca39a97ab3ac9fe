r"""What a document about any law is made of: the law, its steps, what it is about, how constants are written."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

from sympy import EulerGamma, Expr, Integer, S, Symbol, expand, expand_log, latex, log, pi, simplify, sqrt
from sympy.polys.rootoftools import ComplexRootOf

from asympt.architectures.registry import record_of
from asympt.errors import AsymptError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.opaque import RealConstant
from asympt.expansions.typesetting import SHIFTED_SECOND, Piece, break_lines, inline, remainder, sum_pieces, tex
from asympt.recursions import C, D, Law
from asympt.recursions.protocol import Step, T
from asympt.writing.notation import CHI, CONSTANTS, EULER, VALUE, B, PowersOfT, coefficient_piece, marked, running, tidy

E = Symbol(SHIFTED_SECOND, real=True)
LINES, MOST = 5, 8  # of a formula, of its terms
SHOWN = 4  # terms of a series along a flow
CARRIED, MOST_DIGITS = 30, 200  # digits of values and constants: at least, at most
COSTLY = 10  # digits of constants where every layer is a Gaussian integral
STARTS = {"correlation": "c^1", "variance": "q^1", "position": r"\alpha"}
ROOTS = ("xi", "eta", "zeta")  # letters for roots of polynomials


@dataclass(frozen=True)
class Subject:
    """What a law is about: the title, the LaTeX of the setting, what is at rest at the fixed point.

    `letters`: what constants known by their digits are, where the law does not say; `step`: what takes y to y', a layer
    or a step; `approach`: what the theorem asks of a start; of a plain recursion `distance` and
    `uniformiser`: y and t as functions of x, `side`: what is said of the side of the even steps.
    """

    title: str
    setting: str
    variable: str
    step: str = "layer"
    approach: str = ""
    distance: str = ""
    uniformiser: Expr | None = None
    side: str = ""
    letters: str = ""


@dataclass(frozen=True)
class Plot:
    """A Matplotlib figure with its caption, and the orbit in it: (depth, whether iterated, value) to so many digits."""

    figure: object
    caption: str
    points: tuple = ()
    digits: int = 30
    constant: object = None
    width: str = r"0.82\textwidth"


@dataclass(frozen=True)
class Letters:
    """Letters for constants known by digits, chi for the multiplier, B and E for C and D.

    `replacements`, in their order; `base`: how the multiplier of an exponential law is written.
    """

    replacements: tuple[tuple[Expr, Expr], ...] = ()
    shift: Expr = S.Zero
    base: Expr = CHI
    second: Expr = S.Zero

    def __call__(self, expression: Expr) -> Expr:
        """The expression as it is written."""
        written = with_letters(expression)
        for old, new in self.replacements:
            written = written.subs(old, new)
        if not written.has(C, D) or (self.shift == 0 and self.second == 0):
            return written
        moved = expand(written.subs({C: B + self.shift, D: E - self.second}), log=False)
        return expand(expand_log(moved, force=True), log=False)

    def expansion(self, expansion: Expansion) -> Expansion:
        """The expansion with its coefficients, and its scale if it is one of exponentials, as they are written."""
        terms = tuple((m, self(c)) for m, c in expansion.terms)
        return Expansion(self.scale(expansion.scale), tuple((m, c) for m, c in terms if c != 0), expansion.remainder)

    def pieces(self, expansion: Expansion, count: int | None = None) -> list[Piece]:
        """Every term (or the first `count`), then the remainder."""
        shown = expansion if count is None else expansion.truncate(count)
        terms = [piece for term in self.expansion(shown).terms for piece in self.term(shown.scale, *term)]
        rest = [] if shown.remainder is None else [Piece("+", remainder(self.expansion(shown)))]
        return terms + rest

    def term(self, scale: Scale, monomial: Monomial, written: Expr) -> list[Piece]:
        """One term, the depth behind the letters of a denominator; a constant term B + 1 as two pieces."""
        if monomial == Monomial(0) and written.is_Add and written.has(B, C) and written.free_symbols <= CONSTANTS:
            return [_depth_last(piece) for piece in sum_pieces(written)]
        return [_depth_last(coefficient_piece(written, self.scale(scale), monomial))]

    def scale(self, scale: Scale) -> Scale:
        """The scale as it is written; one of two exponentials stays as it is."""
        exponential = scale.base is not None and scale.second is None
        return PowersOfT(scale.variable, scale.limit, self.base) if exponential else scale

    def constant(self, expression: Expr) -> str:
        """A coefficient on its own, on one line."""
        shown = inline([coefficient_piece(self(expression), VALUE, Monomial(0))])
        return shown[6:-6] if shown.startswith(r"\bigl(") and shown.endswith(r"\bigr)") else shown


_DEPTH_FIRST = re.compile(r"(\\sqrt\{L\}|(?<![\w{\\])L(?:\^\{[\d/]+\})?) ((?:[ef]_\{\d+\}(?:\^\{[\d/]+\})? ?)+)")


def _depth_last(piece: Piece) -> Piece:
    r"""9 L f_{2}^{2} as 9 f_{2}^{2} L."""
    body = _DEPTH_FIRST.sub(lambda found: f"{found[2].strip()} {found[1]}", piece.body)
    return replace(piece, body=body, more=tuple(map(_depth_last, piece.more)))


def with_letters(expression: Expr) -> Expr:
    """The expression with a symbol for every constant known by its digits."""
    letters = {c: letter(c) for c in expression.atoms(RealConstant)}
    return expression.xreplace(letters | ({EulerGamma: EULER} if expression.has(EulerGamma) else {}))


def letter(constant: RealConstant) -> Symbol:
    """f_{2} for f''(1), else the constant's own LaTeX; positive where the constant is, so that logarithms expand."""
    own = re.sub(r"^f(\d+)$", r"f_{\1}", constant.name)
    shown = own if own != constant.name else re.sub(r"^([A-Za-z]+)(\d+)$", r"\1_{\2}", latex(constant))
    shown = re.sub(r"_(\w)$", r"_{\1}", shown)
    return Symbol(shown, positive=True) if constant.is_positive else Symbol(shown, real=True)


@dataclass(frozen=True)
class Account:
    """One law, told: `start` by the names of the law's reader, None when there are to be no numbers.

    `depth_asked`: a depth at which the quantity is given to all `digits`; `plot`: what is drawn.  For a network whose
    correlation map is told, `net` is that network, and `correlation` the law that is told beside one of the kernel;
    `ordered`: a network in the ordered phase, of whose map the moments are told.
    """

    law: Law
    subject: Subject
    start: dict | None = None
    digits: int = 30
    depth_asked: int | None = None
    plot: Plot | None = None
    net: object = None
    correlation: Law | None = None
    ordered: object = None

    @property
    def is_ntk(self) -> bool:
        """Whether the law of the correlation is told beside that of the kernel."""
        return self.correlation is not None

    @cached_property
    def told_correlation(self) -> Law:
        return as_told(self.correlation)

    @cached_property
    def diagonal(self) -> Law | None:
        """The law of the kernel of one input, where the architecture has it."""
        known = record_of(self.net).laws.get("diagonal") if self.net is not None else None
        return None if known is None else known.of(self.net, 1)

    @cached_property
    def told(self) -> Law:
        """The law whose formulas are printed: that of its family where its own numbers are long."""
        return as_told(self.law)

    def find(self, kind: str, form: str | None = None) -> Step | None:
        found = (s for s in self.told.steps if s.kind == kind and form in (None, s.form))
        return next(found, None)

    @property
    def depth(self) -> Symbol:
        return self.law.depth_variable

    @property
    def at_depth(self) -> str:
        return tex(self.depth)

    @cached_property
    def coordinate(self) -> Step | None:
        """The coordinate, None for a law that needs none."""
        return self.find("coordinate")

    @property
    def form(self) -> str:
        """'abel', 'koenigs', 'time' or '' without a coordinate."""
        return self.coordinate.form if self.coordinate else ""

    @property
    def root(self) -> int:
        """r of y = t^r."""
        step = self.find("uniformiser") or self.find("map", "drift")
        return int(step["root"]) if step else 1

    @property
    def abel(self) -> Expansion:
        """A."""
        return self.coordinate["abel"]

    @property
    def m(self) -> int:
        """A starts with t^(-m)."""
        return -int(self.abel.leading[0].order)

    @property
    def alpha(self) -> Expr:
        return self.abel.leading[1]

    @property
    def beta(self) -> Expr:
        """The iterative residue."""
        return self.abel.coefficient(0, 1)

    @property
    def growth_letter(self) -> str:
        """Of the coefficients of e(t); g where the map's own ones are called e."""
        return "g" if any(c.name.startswith("e") for c in self._atoms(RealConstant)) else "e"

    @cached_property
    def omega(self) -> Expr:
        """The weight of H log t in P; 0 where there is none."""
        step = self.find("linear", "particular")
        return step["weight"] if self.form == "abel" and step is not None and "weight" in step else Integer(0)

    @cached_property
    def roots(self) -> dict[Expr, Symbol]:
        found = sorted(self._atoms(ComplexRootOf), key=str)
        taken = {constant.name for constant in self._atoms(RealConstant)} | {s.name for s in self.law.parameters}
        free = [name for name in (*ROOTS, *(f"xi_{k}" for k in range(1, len(found)))) if name not in taken]
        return {root: Symbol(name, real=True) for root, name in zip(found, free, strict=False)}

    def _atoms(self, kind: type) -> set:
        """The constants of a kind in the law and in its coordinate."""
        known = [c for branch in self.told.branches.values() for _, c in branch.terms]
        known += [self.alpha, self.beta] if self.form == "abel" else []
        known += [c for series in self._along_the_flow for _, c in series.terms]
        fixed = self.law.fixed
        known += [p for p in (self.told.expansion.scale.base, fixed and fixed.point) if p is not None]
        return set().union(*(c.atoms(kind) for c in known))

    @property
    def _along_the_flow(self) -> tuple[Expansion, ...]:
        """The series of a law along a flow, as far as a document prints them."""
        step, reversed_ = self.find("map", "drift"), self.find("inversion", "reversed")
        if self.form != "time" or step is None or self.net is not None:
            return ()
        found = (step["drift"], self.coordinate["time"], *([] if reversed_ is None else [reversed_["reversed"]]))
        return tuple(series.truncate(min(SHOWN, len(series.terms))) for series in found)

    @cached_property
    def notation(self) -> Letters:
        """How this law's constants are written."""
        letters = Letters(tuple(self.roots.items()))
        if self.form == "abel":
            logarithm = log(letters(self.alpha))
            first, second = (letters(weight) / self.m * logarithm for weight in (self.beta, self.omega))
            return replace(letters, shift=first, second=second)
        base = self.law.expansion.scale.base
        if base is None:
            return letters
        written = letters(base)
        grows = self.law.expansion.leading[0].order < 0  # then the base is the inverse of what a network calls chi
        if written.is_Symbol or grows:
            return replace(letters, base=written)
        factor, inner = written.as_coeff_Mul()
        solved = ((inner, CHI / factor),) if inner.is_Function else ()
        return replace(letters, replacements=(*letters.replacements, *solved))

    @property
    def base_value(self) -> str:
        r"""\chi = 1/2 where chi stands for a number or for an expression in the parameters."""
        base = self.law.expansion.scale.base
        if base is None or self.notation.base != CHI or self.law.expansion.scale.second is not None:
            return ""
        plain = replace(self.notation, replacements=tuple(self.roots.items()))
        value = rf"\chi={plain.constant(base)}"
        if base.is_Rational or not base.is_number or not base.atoms(RealConstant, ComplexRootOf):
            return value
        return rf"{value}\approx{base.evalf(10)}"

    def written(self, expression: Expr) -> str:
        written = self.notation(expression)
        return self.notation.constant(expression) if written.is_number else tex(written)

    def pieces(self, expansion: Expansion, lines: int = LINES, count: int = MOST) -> list[Piece]:
        """As many terms (at most `count`, at least one) as fit on so many lines."""
        for terms in range(min(count, len(expansion.terms)), 1, -1):
            pieces = self.notation.pieces(expansion, terms)
            if len(break_lines(pieces, taken=6)) <= lines:
                return pieces
        return self.notation.pieces(expansion, 1)

    @cached_property
    def constants(self) -> dict[Expr, Symbol]:
        """The constants with letters in the law and in its coordinate, and their letters."""
        parts = {c: (re.sub(r"\d", "", c.name), int(re.sub(r"\D", "", c.name) or 0)) for c in self._atoms(RealConstant)}
        found = sorted(parts, key=parts.get)
        return {c: letter(c) for c in found} | self.roots

    def sided(self, step: Step, name: str, lines: int = LINES, count: int = MOST) -> list[Piece]:
        r"""Terms of t or s at large depth; with \varepsilon_n where those of odd depths have the other sign."""
        if f"{name} odd" not in step:
            return self.pieces(step[name], lines, count)
        shown = step[name].truncate(min(count, len(step[name].terms)))
        odd, pieces = step[f"{name} odd"].coefficients, []
        for monomial, c in shown.terms:
            term = self.notation.term(shown.scale, monomial, self.notation(c))
            other = odd.get(monomial, 0) == -c
            pieces += marked(term, rf"\varepsilon_{{{self.at_depth}}}") if other else term
        return [*pieces, *self.notation.pieces(shown)[len(pieces) :]]

    @property
    def turns(self) -> bool:
        """Whether orbits change sides at every step."""
        return bool(self.coordinate and self.form == "abel" and self.coordinate["advance"] == 2)

    @property
    def tells_s(self) -> bool:
        """Whether the theorem has the law of s = alpha t^(-m) beside that of the quantity."""
        return self.form == "abel" and self.subject.uniformiser is not None and self.find("linear") is None

    @property
    def start_shown(self) -> str:
        """'$c^1=1/10$'."""
        said = []
        for name, given in self.start.items():
            values = given if isinstance(given, tuple) else (given,)
            named = self.law._start_name()[1] if name == "start" else STARTS[name]
            said.append(f"${named}={','.join(running(tex(v)) for v in values)}$")
        return " and ".join(said)

    @cached_property
    def is_costly(self) -> bool:
        """Whether every layer is a Gaussian integral."""
        if self.net is not None:
            return not self.net.statement.layer.is_scale_free
        try:
            return bool(getattr(self.law.dynamics, "costly", False))
        except AsymptError:  # a law without a recursion of its own
            return False

    @property
    def certified(self) -> int:
        """How many digits the constants of a start are shown with."""
        return min(self.digits, COSTLY) if self.is_costly else self.digits

    @property
    def carried(self) -> int:
        """Digits of values and of the two routes to the constants of a start: some more than are shown."""
        return self.certified + 2 if self.is_costly else min(MOST_DIGITS, max(CARRIED, self.digits + 5))

    @cached_property
    def known(self) -> dict:
        """C and D of the start, as far as they are in the law and have numbers."""
        known, digits = {}, min(self.carried, max(CARRIED, self.digits + 2))
        if self.start is None or self.law.parameters:
            return known
        for name, symbol, ask in (("C", C, self.law.connection_constant), ("D", D, self.law.second_constant)):
            if self.has(symbol) or (name == "D" and self.is_ntk):
                try:
                    known[name] = ask(digits, **self.start)
                except AsymptError:
                    continue
        return known

    def has(self, constant: Symbol) -> bool:
        """Whether C or D is in what the theorem says."""
        if constant == C and (self.tells_s or self.is_ntk):
            return True
        own = self.told.constant_symbols[constant.name]
        return any(c.has(own) for branch in self.told.branches.values() for _, c in branch.terms)

    @property
    def meant(self) -> dict:
        """What the letters of a family are in the law, where the family's law is told."""
        return {} if self.told is self.law else self.law.family.values

    def exact(self, expression: Expr) -> Expr:
        """An expression in the letters of a family as that of the law."""
        return expression.subs(self.meant)


_SMALL = 100  # of p q, where alpha/(pi sqrt(2)) = p/q: a short number


def as_told(law: Law) -> Law:
    """The law, or that of its family, unless alpha is a short number or the family's law does not become this one."""
    if law.family is None:
        return law
    multiple = simplify(law.abel.expansion.leading[1] / (pi * sqrt(2)))
    is_short = multiple.is_Rational and multiple.p * multiple.q < _SMALL
    return law if is_short or not law.is_member() else law.family.law


def power_of_t(k: int) -> str:
    return "t" if k == 1 else f"t^{{{k}}}"


def plain(a: Account, piece: Piece) -> Piece:
    """y for t, where both are the same."""
    if a.root > 1:
        return piece
    body = re.sub(r"(?<![A-Za-z\\])t(?![A-Za-z])", "y", piece.body)
    return replace(piece, body=body, more=tuple(plain(a, part) for part in piece.more))


def spread(image: Expr, variable: Symbol) -> Expr:
    """A polynomial as a sum, a rational function with its signs in order."""
    return image.expand() if image.is_polynomial(variable) else tidy(image)


def in_base(a: Account, text: str) -> str:
    r"""\chi written as the letter or the parameter that it is."""
    base = tex(a.notation.base)
    return text if base == r"\chi" else re.sub(r"\\chi(?!_)", lambda _: base + " ", text)


def alpha(a: Account) -> str:
    """alpha; nothing where it is the letter of a family."""
    shown = running(a.notation.constant(a.alpha))
    return "" if shown == r"\alpha" else shown


def is_t(step: Step) -> bool:
    return "seen" in step and step["seen"].to_sympy() == T


def laws(a: Account) -> str:
    """References to the law, to both of its branches where there are two."""
    branches = list(a.law.branches.values())
    two = len(branches) > 1 and branches[0] != branches[1]
    return r"(\ref{eq:law}) and~(\ref{eq:odd})" if two else r"(\ref{eq:law})"
