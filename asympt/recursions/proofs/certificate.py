"""A law as a theorem: for all depths from l_0 on and all starts of an interval, |quantity - law| <= B monomial.

Problem.  The O(...) of a law is formal: it promises no constant and no depth from which it holds.

Rule.  `formal` hands the law to the engine of `asympt.balls`, which proves the coordinate on a disc, encloses the
orbit up to a layer l_1 and the constants C and D there, and bounds everything beyond; B is rounded up.  What is proved:
the inequality for the recursion whose formula is named in the first step.  What is trusted: that SymPy turned the
network or the map of the user into that formula, Arb, and this code; `recheck` does it all again, with more bits.

Tiny case.  ReLU, correlation="1/10", two terms: B = 332.098 for all l >= 2, the limit of the deviation being 322.83.

Known limits.  Those of `formal`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_DOWN, Context, Decimal

from flint import arb
from sympy import Expr, Integer, Symbol
from sympy import latex as sympy_latex

from asympt.balls.arithmetic import Refused, decimal_above, decimal_below, ends
from asympt.balls.flow_law import FlowLaw, FlowProof, FlowProver
from asympt.balls.geometric import GeometricLaw, GeometricProof, GeometricProver
from asympt.balls.inversion import total
from asympt.balls.theorem import FormalLaw, Proof, Prover
from asympt.deadline import in_budget
from asympt.errors import InputError, PrecisionError
from asympt.expansions import Expansion
from asympt.expansions.opaque import RealConstant
from asympt.expansions.printing import latex_expr
from asympt.expansions.remainder import Bounded
from asympt.numbers import exact, is_truth
from asympt.recursions.proofs.formal import formal
from asympt.recursions.proofs.record import decimals, record
from asympt.recursions.summary import constants_in
from asympt.showing import Html, formula, html_table, one_line, verdict

NAMES = {
    "correlation": ("c^1", "c^{1}"), "gap": ("1 - c^1", "1-c^{1}"), "start": ("x_0", "x_{0}"), "x0": ("x_0", "x_{0}"),
}  # fmt: skip
SHOWN = 6  # digits of a figure
KNOWN = 15  # and of a constant in the printed law
MORE_BITS, MORE_ARCS = 64, 2
SPREAD = Decimal("1e-5")  # by how much two proofs may differ
PROVERS = {FormalLaw: Prover, GeometricLaw: GeometricProver, FlowLaw: FlowProver}


@dataclass(frozen=True)
class ProofStep:
    """One step of a proof: what it shows, and its figures, each a decimal number rounded to the safe side."""

    name: str
    shows: str
    figures: Mapping[str, str]

    def __str__(self) -> str:
        listed = ", ".join(f"{name} = {value}" for name, value in self.figures.items())
        return f"{self.name}: {self.shows}" + (f" ({listed})" if listed else "")


@dataclass(frozen=True, eq=False)
class Certificate:
    """The theorem of one law (see the module).

    constant: B, rounded up;  monomial: what it multiplies, in the depth variable;  valid_from: l_0;
    start: the name of the argument and its ends, exact numbers;  proof: what the engine returned.
    """

    law: object = field(repr=False)
    start: tuple[str, Expr, Expr]
    proof: Proof | GeometricProof = field(repr=False)
    asked: FormalLaw | GeometricLaw = field(repr=False)
    distances: tuple[Expr, Expr] = field(repr=False)

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
        found = scale.to_sympy(rest)
        return abs(found) if isinstance(self.asked, GeometricLaw) else found

    @property
    def _size(self) -> str:
        """The monomial as laws print it."""
        return str(Expansion(self.law.expansion.scale, ((self.law.remainder.monomial, Integer(1)),)))

    @property
    def remainder(self) -> Bounded:
        """The law's remainder, bounded."""
        return Bounded(self.law.remainder.monomial, exact(str(self.constant), "constant"), self.valid_from)

    def connection(self, digits: int = 20) -> tuple:
        """(lower, upper) of C over the starts, rounded outward."""
        return ends(self.proof.connection, digits)

    @property
    def connection_constant(self) -> tuple:
        """(lower, upper): every start of the interval has its C between them."""
        return self.connection()

    @property
    def second_constant(self) -> tuple | None:
        """(lower, upper) of D for a linear law; None for another."""
        second = getattr(self.proof, "second", None)
        return None if second is None else ends(second, 20)

    # ---- in words -------------------------------------------------------------------------------------

    @property
    def statement(self) -> str:
        """The theorem in one line of text; what its letters stand for is said at the end."""
        law = self.law
        printed = str(law.expansion.without_remainder())
        known = [f"{c.name} = {_digits(c)}..." for c in constants_in(law.expansion.without_remainder())]
        known += [f"{symbol} in [{low}, {high}]" for symbol, low, high in self.letters]
        inequality = f"for all {self.scope}: |{law.plain} - ({printed})| <= {self._bound()}"
        return f"{inequality}, with {', '.join(known)}" if known else inequality

    @property
    def letters(self) -> list[tuple[Symbol, Decimal, Decimal]]:
        """(symbol, lower, upper) of the constants of the start that the printed law has, rounded outward."""
        shown = set().union(*(c.free_symbols for _, c in self.law.expansion.terms))
        balls = {"C": self.proof.connection, "D": getattr(self.proof, "second", None)}
        named = ((self.law.constant_symbols[name], ball) for name, ball in balls.items())
        return [(own, decimal_below(ball, KNOWN), decimal_above(ball, KNOWN)) for own, ball in named if own in shown]

    @property
    def scope(self) -> str:
        """Where the theorem holds: the depths and the starts."""
        return f"{self.law.depth_variable} >= {self.valid_from}{self._starts()}"

    def latex(self, broken: bool = False) -> str:
        """The theorem in LaTeX, as a displayed formula, its letters last; `broken`: in lines."""
        law, depth = self.law, sympy_latex(self.law.depth_variable)
        formal_law = law.expansion.without_remainder()
        bound = rf"\left|{law.quantity} - \left({formal_law.latex()}\right)\right| \le {self._bound_latex()}"
        scope = rf"\text{{for all }} {depth} \ge {self.valid_from}{self._starts(latex=True)}"
        known = [rf"{latex_expr(c)} = {_digits(c)}\ldots" for c in constants_in(formal_law)]
        known += [rf"{latex_expr(symbol)} \in [{low}, {high}]" for symbol, low, high in self.letters]
        lines = [bound, scope, *([r"\text{with } " + r",\quad ".join(known)] if known else [])]
        return r"\begin{gathered}" + r" \\ ".join(lines) + r"\end{gathered}" if broken else r" \qquad ".join(lines)

    def _bound_latex(self) -> str:
        digits, _, power = str(self.constant).partition("E")
        constant = Symbol(rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits)
        bound = Expansion(self.law.expansion.scale, ((self.law.remainder.monomial, constant),)).latex()
        return rf"\left|{bound}\right|" if self._changes_sign else bound

    @property
    def _changes_sign(self) -> bool:
        """Whether the monomial is that of an alternating orbit."""
        return self.monomial != self.law.expansion.scale.to_sympy(self.law.remainder.monomial)

    def _bound(self) -> str:
        size = f"|{self._size}|" if self._changes_sign else self._size
        if size == "1":
            return f"{self.constant}"
        return f"{self.constant}{size[1:]}" if size.startswith("1/") else f"{self.constant}*{size}"

    def _starts(self, latex: bool = False) -> str:
        name, low, high = self.start
        text, math = NAMES.get(name, (name, rf"\text{{{name}}}"))
        if latex:
            low, high = sympy_latex(low), sympy_latex(high)
            where = f"{math} = {low}" if low == high else rf"{math} \in \left[{low}, {high}\right]"
            return rf"\text{{ and }} {where}" + (r"\text{ at } q^{1} = q" if self._settled else "")
        where = f" and {text} = {low}" if low == high else f" and all {text} in [{low}, {high}]"
        return where + (" at q^1 = q" if self._settled else "")

    @property
    def _settled(self) -> bool:
        """Whether the theorem is about inputs whose variance is the fixed point q, since others have another orbit."""
        layer = self.law.layer
        return layer is not None and not layer.is_scale_free

    def __str__(self) -> str:
        return self.statement

    def __repr__(self) -> str:
        return one_line("Certificate", self.statement)

    def _repr_html_(self) -> str:
        rows = [(s.name, s.shows, ", ".join(f"{k} = {v}" for k, v in s.figures.items())) for s in self.steps]
        title = Html(f"{verdict('proved')}: {formula(self.latex())}")
        return html_table(rows, ("step", "shows", "figures"), title)

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    # ---- the steps ------------------------------------------------------------------------------------

    @property
    def steps(self) -> tuple[ProofStep, ...]:
        """The proof, step by step, with its figures."""
        return _STEPS[type(self.proof)](self)

    def recheck(self) -> bool:
        """Proves the same again with more bits and more arcs; whether it comes to no larger constant.

        Raises `Refused` where a step fails.
        """
        again = _prove(self.asked, *self.distances, self.valid_from, self.proof)
        same = again.connection.overlaps(self.proof.connection)
        return bool(same and again.constant <= self.constant * (1 + getattr(self.proof, "spread", SPREAD)))

    def to_json(self) -> dict:
        """The theorem as plain data (`record`): formulas, printed terms, starts, choices, figures and versions.

        A checker that does not know this program can verify from it whatever has a formula: `docs/certificates.md`.
        """
        return record(self)


def _digits(constant: RealConstant) -> str:
    """The first digits of a constant, cut and not rounded, so that the dots after them are true."""
    cut = Context(prec=KNOWN, rounding=ROUND_DOWN).create_decimal(str(constant.evalf(2 * KNOWN)))
    return f"{cut:f}"


def _above(value: arb) -> str:
    return str(decimal_above(value, SHOWN))


def _below(value: arb) -> str:
    return str(decimal_below(value, SHOWN))


def _enclosed(value: arb) -> str:
    return "[" + ", ".join(decimals(value)) + "]"


def _parabolic_steps(certificate: Certificate) -> tuple[ProofStep, ...]:
    proof, asked = certificate.proof, certificate.asked
    theorem, t = proof.theorem, asked.map_.symbol
    m, p = theorem.order, theorem.first
    found = [
        ProofStep("map", f"x -> {asked.map_} = x (1 + O({t}^{m})), x = {t}^{asked.map_.root}", {"m": str(m)}),
        _region_step(certificate),
        ProofStep("circle bound", f"|A_N(t u) - A_N(t) - 1| <= M |t|^{p} for |t| <= R/2",
                  {"N": str(theorem.last), "M": _above(theorem.defect_over(theorem.radius / 2))}),
        ProofStep("rate", f"t_(l+1)^-{m} >= t_l^-{m} + a' from layer l_1 on", proof.figures["rate"]),
        ProofStep("orbit", "the original recursion in balls from the starts to layer l_1", proof.figures["orbit"]),
        ProofStep("connection constant", "A(t_l) = l + C", {"C": _enclosed(proof.connection)}),
    ]  # fmt: skip
    if proof.linear is not None:
        linear = proof.linear
        found.append(ProofStep("linear recursion", f"a_l = P_N + D H_N up to a bound, H = t^{linear.power} + ...",
                               {"h": str(linear.power), "D": _enclosed(proof.second)}))  # fmt: skip
    bidisc = proof.bidisc
    found.append(ProofStep("inversion", "t_l is analytic in X = l^(-1/m) and Y on a bidisc",
                           {"r": _above(bidisc.r), "R_X": _below(bidisc.x), "R_Y": _below(bidisc.y)}))  # fmt: skip
    return (*found, *_last_steps(proof))


def _region_step(certificate: Certificate) -> ProofStep:
    theorem = certificate.proof.theorem
    figures = {"R": _below(theorem.radius), "bits": str(theorem.bits)}
    if theorem.region.analytic:
        shows = "every node of the formula is analytic in the disc, and u = t'/t has no zero there"
        return ProofStep("radius", shows, {**figures, **_arcs(certificate)})
    return ProofStep("radius", "Taylor polynomials of the map with their remainders, for 0 < t <= R", figures)


def _arcs(certificate: Certificate) -> dict[str, str]:
    """How many cover the upper half of the circle, where there is one."""
    return {"arcs": str(certificate.asked.map_.arcs)} if certificate.proof.theorem.region.analytic else {}


def _geometric_steps(certificate: Certificate) -> tuple[ProofStep, ...]:
    proof, asked = certificate.proof, certificate.asked
    theorem, t, inverse = proof.theorem, asked.map_.symbol, proof.inverse
    power = theorem.last + 1
    region = "disc" if theorem.region.analytic else "interval 0 < t <= R"
    found = [
        ProofStep("map", f"x -> {asked.map_}, x = {t}^{asked.map_.root}", {"mu": _enclosed(theorem.mu)}),
        ProofStep("radius", f"the map is known in the {region}, and |t| falls from layer l_1 on",
                  {"R": _below(theorem.radius), "bits": str(theorem.bits), **_arcs(certificate)}),
        ProofStep("circle bound", f"|U_N(t u) - mu U_N(t)| <= M |t|^{power} and |u - mu| <= M_2 |t| there",
                  {"N": str(theorem.last), "M": _above(theorem.defect), "M_2": _above(theorem.bend)}),
        ProofStep("inversion", f"|t_l - Q(z)| <= e |z|^{power}, z = mu^l c, Q the reversion of U_N",
                  {"t_(l_1)": _above(inverse.t), "z_(l_1)": _above(inverse.z), "e": _above(inverse.error)}),
        ProofStep("connection constant", "U(t_l)^root = chi^l C", {"C": _enclosed(proof.connection)}),
    ]  # fmt: skip
    if proof.second is not None:
        found.append(_geometric_linear_step(proof))
    return (*found, *_last_steps(proof))


def _geometric_linear_step(proof: GeometricProof) -> ProofStep:
    theorem = proof.theorem
    figures = {"D": _enclosed(proof.second), "r": _enclosed(theorem.resonance),
               "M_P": _above(theorem.p_defect), "M_h": _above(theorem.h_defect)}  # fmt: skip
    if theorem.power is None:
        return ProofStep("linear recursion", "a_l = P(t_l) + D lambda(0)^l h(t_l)", figures)
    shows = f"a_l = P(t_l) + (E + r l) H(t_l), H = U^{theorem.power} h, D = E - r log|c|/log|mu|"
    return ProofStep("linear recursion", shows, figures)


def _flow_steps(certificate: Certificate) -> tuple[ProofStep, ...]:
    proof, map_, depth = certificate.proof, certificate.asked.map_, certificate.law.depth_variable
    theorem, t, m = proof.theorem, map_.symbol, map_.excess
    drift = f"|T(x_{depth}) - a log({depth}) - C| <= E/{depth} for all {depth} >= n"
    if proof.second is not None:
        drift += f", |k_{depth} - P - D h| <= K/{depth}, |s_{depth} - b log({depth}) - s_0| <= S/{depth}"
    found = [
        ProofStep("map", f"x_{depth} = x_({depth}-1) - a/({depth} + beta) h(x_({depth}-1)), h = t^{map_.order} s(t), "
                  f"x = {t}^{map_.root}", {"a": _enclosed(theorem.a), "beta": _enclosed(theorem.shift)}),
        ProofStep("radius", "every node of the formulas is analytic in the disc, and s has no zero there",
                  {"R": _below(theorem.radius), "bits": str(theorem.bits), "arcs": str(theorem.map.arcs)}),
        ProofStep("flow time", f"T' = -1/h is t^-{m} times a power series and r log t, with Cauchy's bound of its rest",
                  {"J": str(theorem.count - 1), "r": _enclosed(theorem.time_log)}),
        ProofStep("orbit", "the original recursion in balls from the starts to layer n", proof.figures["orbit"]),
        ProofStep("single layers", drift, proof.figures["drift"]),
        ProofStep("connection constant", f"T(x_{depth}) - a log({depth}) tends to C",
                  {"C": _enclosed(proof.connection)}),
    ]  # fmt: skip
    if proof.second is not None:
        found.append(ProofStep("linear recursion", f"(k_{depth} - P(x_{depth}))/h(x_{depth}) tends to D",
                               {"D": _enclosed(proof.second)}))  # fmt: skip
    bidisc, start = proof.bidisc, max(proof.layer, proof.valid_from)
    found.append(ProofStep("inversion", f"t is analytic in X = log({depth})^(-1/{m}) and Y on a bidisc",
                           {"r": _above(bidisc.r), "R_X": _below(bidisc.x), "R_Y": _below(bidisc.y)}))  # fmt: skip
    largest = _above(max(total(proof.bounds), proof.between, key=lambda value: float(value)))
    return (
        *found,
        ProofStep("tail", f"what is not printed, over the monomial, for all log({depth}) >= Lambda_1",
                  {"Lambda_1": _above(proof.depth), **{name: _above(value) for name, value in proof.bounds.items()}}),
        ProofStep("boxes", f"the deviation for log({start}) <= log({depth}) <= Lambda_1 and all C"
                  + (" and D" if proof.second is not None else "") + ", over the monomial", {"largest": largest}),
        ProofStep("first layers", "the deviation of every layer from l_0 to n, over the monomial",
                  {"l_0": str(proof.valid_from), "n": str(proof.layer), "largest": _above(proof.small)}),
    )  # fmt: skip


_STEPS = {Proof: _parabolic_steps, GeometricProof: _geometric_steps, FlowProof: _flow_steps}


def _last_steps(proof: Proof | GeometricProof) -> tuple[ProofStep, ProofStep]:
    return (
        ProofStep("tail", "what is not printed, over the monomial, for all l >= l_1",
                  {name: _above(value) for name, value in proof.bounds.items()}),
        ProofStep("first layers", "the deviation of every layer from l_0 to l_1, over the monomial",
                  {"l_0": str(proof.valid_from), "l_1": str(proof.layer), "largest": _above(proof.small)}),
    )  # fmt: skip


# ---- how it is made -------------------------------------------------------------------------------------


@in_budget("proving the law")
def certified(law, valid_from: int, given: Mapping, layers: Sequence[int] = ()) -> Certificate:
    """The certificate of a law; `given`: one start, or an interval (low, high) of them, by its name.

    `layers`: candidates for l_1, the last one says how far orbits are followed; none: those of the engine.
    """
    if is_truth(valid_from) or not isinstance(valid_from, int) or valid_from < 2:
        raise InputError(f"valid_from = {valid_from} is not a depth of at least 2 (log 1 = 0); give one such as 2")
    name, low, high = interval(given)
    distances = [law._start({name: end}) for end in (low, high)]
    if distances[0].is_number and (distances[0] - distances[1]).is_positive:
        distances.reverse()
    _require_one_side(distances, name, low, high)
    asked = formal(law)
    _require_this_side(asked, distances, name, low)
    try:
        proof = _prove(asked, *distances, max(valid_from, asked.first + 1), layers=layers)
    except (Refused, PrecisionError) as reason:
        raise type(reason)(f"no certificate for {_given(name, low, high)}: {reason}") from None
    return Certificate(law, (name, low, high), proof, asked, tuple(distances))


def interval(given: Mapping) -> tuple[str, Expr, Expr]:
    """(name, low, high) of a start that is one number or a pair of them."""
    if len(given) != 1:
        raise InputError("give one start or one interval of starts, for example correlation=('-1', '9/10')")
    ((name, value),) = given.items()
    pair = value if isinstance(value, tuple | list) else (value, value)
    if len(pair) != 2:
        raise InputError(f"{name} = {value} is neither a number nor a pair; give an interval such as ('-1', '9/10')")
    low, high = (exact(end, name) for end in pair)
    if not (low.is_number and high.is_number):
        raise InputError(f"{name} = {value} contains symbols; give numbers")
    if (low - high).is_positive:
        raise InputError(f"{name} = ({low}, {high}) is upside down; give the smaller end first")
    return name, low, high


def _require_one_side(distances: list[Expr], name: str, low: Expr, high: Expr) -> None:
    starts = _given(name, low, high)
    if distances[0] == 0 or distances[1] == 0:
        raise InputError(f"{starts} touches the fixed point, where nothing moves; keep a distance from it")
    if (distances[0] * distances[1]).is_negative:
        raise InputError(f"{starts} has starts on both sides of the fixed point; prove each side")


def _given(name: str, low: Expr, high: Expr) -> str:
    return f"{name} = {low}" if low == high else f"{name} in [{low}, {high}]"


def _require_this_side(asked: FormalLaw | GeometricLaw, distances: list[Expr], name: str, low: Expr) -> None:
    """A law in a root of the distance, and every parabolic one, is about one side of the fixed point."""
    both_sides = isinstance(asked, GeometricLaw) and asked.map_.root == 1
    if distances[0].is_negative and not both_sides:
        raise InputError(
            f"{name} = {low} lies on the other side of the fixed point than the orbits of this law; start on its side, "
            "or derive the law of the other one"
        )


def _prove(
    asked: FormalLaw | GeometricLaw, low: Expr, high: Expr, valid_from: int, before=None,
    layers: Sequence[int] = (),
) -> Proof | GeometricProof:
    """The proof; with more bits and arcs, and the choices of the one before, to check that one."""
    kind = PROVERS[type(asked)]
    if before is None:
        prover = kind(asked, low, high)
        return prover.prove(valid_from, layers) if layers else prover.prove(valid_from)
    theorem = before.theorem
    again = kind(_with_more_arcs(asked), low, high, theorem.bits + MORE_BITS, theorem.last, theorem.radius)
    return again.prove(valid_from, layers=(before.layer,))


def _with_more_arcs(asked: FormalLaw | GeometricLaw) -> FormalLaw | GeometricLaw:
    if not hasattr(asked.map_, "arcs"):
        return asked
    return replace(asked, map_=replace(asked.map_, arcs=asked.map_.arcs * MORE_ARCS))
