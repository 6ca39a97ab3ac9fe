"""What a document about a network on the Edge of Chaos is made of: the laws, for any activation, and their notation.

Rule.  The laws come from the network.  Their coefficients contain constants known by digits, which the document calls

    f_n = f^(n)(1)      when f is a power series in 1 - c (smooth phi),          t = 1 - c,
    e_k = [t^k] f       when it has odd powers of its square root (kinks),       t = sqrt(1 - c),

and connection constants, which enter only through B = C - (beta/m) log(alpha) and E = D + (omega/m) log(alpha), where
alpha t^(-m) is the leading term of A and omega H log t the logarithm of P.  B and E are substituted and the logarithms
of constants cancel.

Tiny case.  2/(f''(1) l) is written 2/(f_2 l).

Known limits.  Activations with numbers in them, at a variance q > 0.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property

from sympy import Expr, Integer, Rational, S, Symbol, expand, expand_log, log

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.opaque import RealConstant
from asympt.meanfield.activations import Activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.stability import Stability
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.recursions.protocol import Step
from asympt.writing.formulas import SHIFTED_FIRST, SHIFTED_SECOND, Piece
from asympt.writing.law_material import LawMaterial
from asympt.writing.notation import Notation, ReadsAbel

B = Symbol(SHIFTED_FIRST, real=True)
E = Symbol(SHIFTED_SECOND, real=True)
START = Rational(1, 10)
CERTIFIED = 10  # digits of C and D
GROWTH = 4  # coefficients of t'/t - 1 that are shown


@dataclass(frozen=True)
class EdgeNotation(Notation):
    """Letters for constants known by digits, B and E for C and D."""

    second: Expr = S.Zero

    def __call__(self, expression: Expr) -> Expr:
        """The expression as it is written."""
        written = in_letters(expression)
        if not written.has(C, D):
            return written
        moved = expand(written.subs({C: B + self.shift, D: E - self.second}), log=False)
        return expand(expand_log(moved, force=True), log=False)

    def term(self, scale: Scale, monomial: Monomial, written: Expr) -> list[Piece]:
        """One term, the depth behind the letters of a denominator."""
        return [_depth_last(piece) for piece in super().term(scale, monomial, written)]


_DEPTH_FIRST = re.compile(r"(\\sqrt\{L\}|(?<![\w{\\])L(?:\^\{[\d/]+\})?) ((?:[ef]_\{\d+\}(?:\^\{[\d/]+\})? ?)+)")


def _depth_last(piece: Piece) -> Piece:
    r"""9 L f_{2}^{2} as 9 f_{2}^{2} L."""
    body = _DEPTH_FIRST.sub(lambda found: f"{found[2].strip()} {found[1]}", piece.body)
    return replace(piece, body=body, more=tuple(map(_depth_last, piece.more)))


def in_letters(expression: Expr) -> Expr:
    """The expression with a symbol for every constant known by its digits."""
    return expression.xreplace({c: letter(c) for c in expression.atoms(RealConstant)})


def letter(constant: RealConstant) -> Symbol:
    """f_2 for f''(1); the constant's own name otherwise.  Positive where the constant is, so that logarithms expand."""
    name = re.sub(r"^f(\d+)$", r"f_\1", constant.name)
    return Symbol(name, positive=True) if constant.is_positive else Symbol(name, real=True)


@dataclass(frozen=True)
class EdgeMaterial(ReadsAbel, LawMaterial):
    """One law of one network on the Edge of Chaos; `terms` and `digits` as the user asked."""

    def __post_init__(self):
        super().__post_init__()
        if self.net.phase != "edge of chaos":
            raise UnsupportedError(
                f"a document is written about a network on the Edge of Chaos, and this one is in the phase "
                f"{self.net.phase!r}; leave sigma_w out to get there"
            )

    # ---- the network ----------------------------------------------------------------------------

    @property
    def layer(self) -> Layer:
        """The layer at its fixed point."""
        return self.law.layer.layer

    @property
    def phi(self) -> Activation:
        """The activation."""
        return self.net.activation

    @property
    def q(self) -> Expr:
        """The fixed point of the variance."""
        return self.layer.fixed_variance

    @property
    def stability(self) -> Stability:
        """What V does beside q."""
        return self.layer.stability

    # ---- the coordinate ---------------------------------------------------------------------------

    def _found(self, form: str) -> Step:
        """The step of the law's derivation of this form."""
        return next(step for step in self.law.steps if step.form == form)

    @property
    def root(self) -> int:
        """r: t = (1 - c)^(1/r)."""
        return int(self._found("growth")["root"])

    @cached_property
    def growth(self) -> list[Expr]:
        """e_0, e_1, ... in t' = t (1 + e(t)), as far as they are shown."""
        found = self._found("growth")["growth"].coefficients
        return [found.get(Monomial(k), Integer(0)) for k in range(4 * self.m + 2)]

    @property
    def abel(self) -> Expansion:
        """A as far as its coefficients are formulas."""
        return self._found("abel")["abel"]

    @property
    def linear(self) -> Step:
        """P, as far as its resonance, and H."""
        return self._found("particular")

    @property
    def resonant_power(self) -> int:
        """The power of t at which H starts and the resonance sits."""
        return self.root + self.m

    @property
    def omega(self) -> Expr:
        """The weight of H log t in P."""
        first = self.linear["homogeneous"].leading[1]
        return self.linear["particular"].coefficients.get(Monomial(self.resonant_power, 1), Integer(0)) / first

    # ---- the map ----------------------------------------------------------------------------------

    @cached_property
    def map_expansion(self) -> Expansion:
        """f in t, as many terms as are shown."""
        count = 5 if self.root == 1 else 9
        ratio = self.law.dynamics.ratio(count - self.root)
        terms = {(0, 0): Integer(1)} | {(self.root + k, 0): -c for k, c in enumerate(ratio)}
        return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(count)))

    @cached_property
    def slope_expansion(self) -> Expansion:
        """f' in t: -(1/r) t^(1-r) df/dt."""
        f = self.map_expansion
        terms = {(k.order - self.root, 0): -k.order * c / self.root for k, c in f.terms if k.order}
        return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(f.remainder.monomial.order - self.root)))

    # ---- how the constants are written ------------------------------------------------------------

    @cached_property
    def notation(self) -> EdgeNotation:
        """Letters, B and E."""
        logarithm, plain = log(in_letters(self.alpha)), Notation()
        second = in_letters(self.omega) / self.m * logarithm if self.resonates else Integer(0)
        return EdgeNotation(plain.replacements, in_letters(self.beta) / self.m * logarithm, plain.base, second)

    @property
    def resonates(self) -> bool:
        """Whether D is in the law, so that omega is needed to write it."""
        return self.is_ntk and any(c.has(D) for _, c in self.law.expansion.terms)

    @cached_property
    def constants(self) -> list[RealConstant]:
        """The constants in what is shown: map, laws, A, P and H; in the order of their numbers."""
        shown = [self.map_expansion, self.law.expansion, self.correlation.expansion, self.abel]
        shown += [self.linear["particular"].truncate(4), self.linear["homogeneous"].truncate(3)] if self.is_ntk else []
        coefficients = [c for expansion in shown for _, c in expansion.terms]
        coefficients += [*self.growth[: self.m + GROWTH], *([self.omega] if self.is_ntk and self.root == 1 else [])]
        found = set().union(*(c.atoms(RealConstant) for c in coefficients if isinstance(c, Expr)))
        return sorted(found, key=lambda c: int(re.sub(r"\D", "", c.name) or 0))

    # ---- numbers ----------------------------------------------------------------------------------

    @cached_property
    def values(self) -> dict:
        """C and, for the kernel, D for the start."""
        known = {"C": self.law.connection_constant(self.certified, correlation=START)}
        if self.is_ntk:
            known["D"] = self.law.second_constant(self.certified, correlation=START)
        return known

    @property
    def certified(self) -> int:
        """How many digits the constants of the start have: each one costs orbits of Gaussian integrals."""
        return min(self.digits, CERTIFIED)

    def evaluate(self, depth: int):
        """The quantity at a depth; by the two computations that gave C and D, so that nothing is iterated again."""
        return self.law.evaluate(depth, digits=self.certified + 2, correlation=START)
