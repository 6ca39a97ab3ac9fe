"""How each kind of theorem describes itself: the steps of its proof with their figures, the entries of its record."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

from flint import arb
from sympy import Expr, Symbol, sstr

from asympt.balls.arithmetic import decimal_above, decimal_below, exactly
from asympt.balls.inversion import Bidisc, total
from asympt.balls.laws import FlowLaw, FormalLaw, GeometricLaw
from asympt.balls.printed import PrintedTerm, Proof
from asympt.recursions.proofs.small_steps import DepthLaw

SHOWN = 6  # digits of a figure
READ = 12  # digits of the ends of an interval, in words
TOLD = 4  # digits of the length of an interval that its ends show
X = Symbol("x")


@dataclass(frozen=True)
class ProofStep:
    """One step of a proof: what it shows, and its figures, each a decimal number rounded to the safe side."""

    name: str
    shows: str
    figures: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.name}: {self.shows}" + (f" ({self.listed})" if self.figures else "")

    @property
    def listed(self) -> str:
        """The figures as they are read: an interval with the digits that its length leaves."""
        return ", ".join(f"{name} = {_told(value)}" for name, value in self.figures.items())


def decimals(value: arb, digits: int = 30) -> tuple[str, str]:
    """Two decimal numbers of so many digits between which the ball lies."""
    return str(decimal_below(value, digits)), str(decimal_above(value, digits))


def interval_of(figure: str) -> tuple[Decimal, Decimal] | None:
    """The ends of a figure "[a, b]", with the digits that are read; None of a single number."""
    if not figure.startswith("["):
        return None
    return rounded_outward(*map(Decimal, figure.strip("[]").split(", ")), READ)


def _told(figure: str) -> str:
    ends = interval_of(figure)
    return figure if ends is None else f"[{ends[0]}, {ends[1]}]"


def rounded_outward(low: Decimal, high: Decimal, digits: int) -> tuple[Decimal, Decimal]:
    """Two decimal numbers around, of so many digits at the most, and no finer than what lies between them tells.

    >>> [str(end) for end in rounded_outward(Decimal("5.23499982922"), Decimal("18.5058125791"), 12)]
    ['5.23', '18.51']
    """
    finest = max(low.adjusted(), high.adjusted()) - digits + 1
    if low != high:
        finest = max(finest, (high - low).adjusted() - TOLD + 1)
    with localcontext(prec=100):
        unit = Decimal(1).scaleb(finest)
        return low.quantize(unit, ROUND_FLOOR), high.quantize(unit, ROUND_CEILING)


def told_between(value: arb, digits: int = READ) -> tuple[Decimal, Decimal]:
    """The same for a ball."""
    return rounded_outward(decimal_below(value, 2 * digits), decimal_above(value, 2 * digits), digits)


def decimal_latex(value: Decimal | str) -> str:
    """A decimal number in LaTeX's mathematics: 1.5E+7 with a power of ten."""
    digits, _, power = str(value).partition("E")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits


def above(value: arb) -> str:
    return str(decimal_above(value, SHOWN))


def bidisc_figures(bidisc: Bidisc) -> dict[str, str]:
    """r, R_X and R_Y, all their digits: these are choices and not bounds."""
    return {name: str(exactly(value)) for name, value in (("r_W", bidisc.r), ("R_X", bidisc.x), ("R_Y", bidisc.y))}


def enclosed(value: arb) -> str:
    return "[" + ", ".join(decimals(value)) + "]"


@dataclass(frozen=True)
class AbelAccount:
    """Of a parabolic law; what is the same for other kinds they inherit.  depth: the variable of the printed law."""

    asked: FormalLaw
    proof: Proof
    depth: Symbol

    def size(self, monomial: Expr) -> Expr:
        """A monomial of the law, made positive."""
        return monomial

    @property
    def steps(self) -> tuple[ProofStep, ...]:
        """The proof, step by step."""
        proof, asked = self.proof, self.asked
        theorem, t = proof.theorem, asked.map_.symbol
        m, p = theorem.order, theorem.first
        found = [
            ProofStep("map", f"x -> {asked.map_} = x (1 + O({t}^{m})), x = {t}^{asked.map_.root}", {"m": str(m)}),
            self._region,
            ProofStep("circle bound", f"|A_N(t u) - A_N(t) - 1| <= M |t|^{p} for |t| <= R/2",
                      {"N": str(theorem.last), "M": above(theorem.defect_over(theorem.radius / 2))}),
            ProofStep("rate", f"t_(l+1)^-{m} >= t_l^-{m} + a' from layer l_1 on", proof.figures["rate"]),
            ProofStep("orbit", "the original recursion in balls from the starts to layer l_1", proof.figures["orbit"]),
            ProofStep("connection constant", "A(t_l) = l + C", {"C": enclosed(proof.connection)}),
        ]  # fmt: skip
        if "transient" in proof.figures:
            found.insert(-1, ProofStep("transient", theorem.shows, proof.figures["transient"]))
        if proof.linear is not None:
            linear = proof.linear
            found.append(ProofStep("linear recursion", f"a_l = P_N + D H_N up to a bound, H = t^{linear.power} + ...",
                                   {"h": str(linear.power), "D": enclosed(proof.second)}))  # fmt: skip
        if "settling kernel" in proof.figures:
            found.append(ProofStep("settling kernel", "lambda and b up to L_3 Y from n0 on, D = lim (a_l - P_N)/H_N",
                                   proof.figures["settling kernel"]))  # fmt: skip
        bidisc = proof.inverse
        found.append(ProofStep("inversion", "t_l is analytic in X = l^(-1/m) and Y on a bidisc",
                               bidisc_figures(bidisc)))  # fmt: skip
        return (*found, *self._last_steps)

    @property
    def _region(self) -> ProofStep:
        theorem = self.proof.theorem
        figures = {"R": str(exactly(theorem.radius)), "bits": str(theorem.bits)}
        if theorem.region.analytic:
            shows = "every node of the formula is analytic in the disc, and u = t'/t has no zero there"
            return ProofStep("radius", shows, {**figures, **self._arcs})
        return ProofStep("radius", "Taylor polynomials of the map with their remainders, for 0 < t <= R", figures)

    @property
    def _arcs(self) -> dict[str, str]:
        """How many cover the upper half of the circle, where there is one."""
        return {"arcs": str(self.asked.map_.arcs)} if self.proof.theorem.region.analytic else {}

    @property
    def _last_steps(self) -> tuple[ProofStep, ProofStep]:
        proof = self.proof
        return (
            ProofStep("tail", "the rest of the law, over the monomial, for all l >= l_1",
                      {name: above(value) for name, value in proof.bounds.items()}),
            ProofStep("first layers", "the deviation of every layer from l_0 to l_1, over the monomial",
                      {"l_0": str(proof.valid_from), "l_1": str(proof.layer), "largest": above(proof.small)}),
        )  # fmt: skip

    @property
    def map_(self) -> dict:
        """x_(l+1) as a formula in t, or by an activation."""
        map_ = self.asked.map_
        known = {"variable": str(map_.symbol), "root": map_.root, "order": getattr(map_, "order", 0)}
        if hasattr(map_, "formula"):
            return {"formula": sstr(map_.formula), "activation": None, **known}
        return {"formula": None, "activation": sstr(map_.phi), **known}

    @property
    def quantity(self) -> dict:
        """What the law is about: offset + sign t^exponent, or the solution of a linear recursion."""
        if self.asked.along is not None:
            return {"of": "linear recursion", "average": self.asked.average}
        asked = self.asked
        return {"of": "orbit", "offset": sstr(asked.offset), "sign": asked.sign, "exponent": asked.exponent}

    @property
    def linear(self) -> dict | None:
        """The linear recursion, if the law is about one."""
        along = self.asked.along
        if along is None:
            return None
        return {
            "multiplier": _formula(along.multiplier), "forcing": _formula(along.forcing), "power": self.asked.power,
            "start": sstr(self.asked.begun(X)), "unit": sstr(self.asked.unit),
        }  # fmt: skip

    @property
    def terms(self) -> list[dict]:
        """The printed terms."""
        return [{"coefficient": sstr(term.coefficient), **self._place(term)} for term in self.asked.terms]

    @property
    def remainder(self) -> dict:
        """The monomial of the bound."""
        return self._place(self.asked.remainder)

    def _place(self, term: PrintedTerm) -> dict:
        return {"order": str(term.order), "logs": term.logs}

    @property
    def coefficients(self) -> list[Expr]:
        """Those of the printed terms."""
        return [term.coefficient for term in self.asked.terms]

    @property
    def formulas(self) -> list[Expr]:
        """All in which a number may stand that is known by a name only."""
        asked = self.asked
        of_linear = () if asked.along is None else (asked.along.multiplier, asked.along.forcing)
        more = (asked.offset, asked.unit, getattr(asked.map_, "formula", None), *of_linear)
        return [*self.coefficients, *(formula for formula in more if isinstance(formula, Expr))]

    @property
    def named_numbers(self) -> dict[Expr, arb]:
        """What the law has by a name and the theorem encloses: a multiplier, coefficients."""
        return {}


def _formula(function) -> str | None:
    """None for a function of an activation without closed form."""
    return sstr(function) if isinstance(function, Expr) else None


@dataclass(frozen=True)
class KoenigsAccount(AbelAccount):
    """Of a hyperbolic law, in powers of mu^l."""

    asked: GeometricLaw

    def size(self, monomial: Expr) -> Expr:
        """A power of mu may be negative."""
        return abs(monomial)

    @property
    def steps(self) -> tuple[ProofStep, ...]:
        proof, asked = self.proof, self.asked
        theorem, t, inverse = proof.theorem, asked.map_.symbol, proof.inverse
        power = theorem.last + 1
        region = "disc" if theorem.region.analytic else "interval 0 < t <= R"
        found = [
            ProofStep("map", f"x -> {asked.map_}, x = {t}^{asked.map_.root}", {"mu": enclosed(theorem.mu)}),
            ProofStep("radius", f"the map is known in the {region}, and |t| falls from layer l_1 on",
                      {"R": str(exactly(theorem.radius)), "bits": str(theorem.bits), **self._arcs}),
            ProofStep("circle bound", f"|U_N(t u) - mu U_N(t)| <= M |t|^{power} and |u - mu| <= M_2 |t| there",
                      {"N": str(theorem.last), "M": above(theorem.defect), "M_2": above(theorem.bend)}),
            ProofStep("inversion", f"|t_l - Q(z)| <= e |z|^{power}, z = mu^l c, Q the reversion of U_N",
                      {"t_(l_1)": above(inverse.t), "z_(l_1)": above(inverse.z), "e": above(inverse.error)}),
            ProofStep("connection constant", "U(t_l)^root = chi^l C", {"C": enclosed(proof.connection)}),
        ]  # fmt: skip
        return (*found, *([] if proof.second is None else [self._linear_step]), *self._last_steps)

    @property
    def _linear_step(self) -> ProofStep:
        theorem = self.proof.theorem
        figures = {"D": enclosed(self.proof.second), "r": enclosed(theorem.resonance),
                   "M_P": above(theorem.p_defect), "M_h": above(theorem.h_defect)}  # fmt: skip
        if theorem.power is None:
            return ProofStep("linear recursion", "a_l = P(t_l) + D lambda(0)^l h(t_l)", figures)
        shows = f"a_l = P(t_l) + (E + r l) H(t_l), H = U^{theorem.power} h, D = E - r log|c|/log|mu|"
        return ProofStep("linear recursion", shows, figures)

    @property
    def terms(self) -> list[dict]:
        terms = sorted(self.asked.terms, key=lambda term: (term.order, term.logs))
        return [{"coefficient": sstr(term.coefficient), **self._place(term)} for term in terms]

    def _place(self, term: PrintedTerm) -> dict:
        """mu^(power l) l^logs; a power that is not a whole number is text."""
        return {"power": int(term.order) if term.order.is_Integer else str(term.order), "logs": term.logs}

    @property
    def named_numbers(self) -> dict[Expr, arb]:
        """chi = mu^root."""
        named = self.asked.multiplier
        return {} if named is None else {named: self.proof.theorem.mu**self.asked.map_.root}


@dataclass(frozen=True)
class FlowAccount(AbelAccount):
    """Of a law of falling steps, in log l."""

    asked: FlowLaw

    @property
    def steps(self) -> tuple[ProofStep, ...]:
        return (*self._flow_steps, *self._orbit_steps, *self._deep_steps)

    @property
    def _flow_steps(self) -> list[ProofStep]:
        map_, depth, theorem = self.asked.map_, self.depth, self.proof.theorem
        shape = f"h = t^{map_.order} s(t), x = {map_.symbol}^{map_.root}"
        series = f"T' = -1/h is t^-{map_.excess} times a power series and r log t"
        return [
            ProofStep("map", f"x_{depth} = x_({depth}-1) - a/({depth} + beta) h(x_({depth}-1)), {shape}",
                      {"a": enclosed(theorem.a), "beta": enclosed(theorem.shift)}),
            ProofStep("radius", "every node of the formulas is analytic in the disc, and s has no zero there",
                      {"R": str(exactly(theorem.radius)), "bits": str(theorem.bits), "arcs": str(theorem.map.arcs)}),
            ProofStep("flow time", f"{series}, with Cauchy's bound of its rest",
                      {"J": str(theorem.count - 1), "r": enclosed(theorem.time_log)}),
        ]  # fmt: skip

    @property
    def _orbit_steps(self) -> list[ProofStep]:
        proof, depth = self.proof, self.depth
        drift = f"|T(x_{depth}) - a log({depth}) - C| <= E/{depth} for all {depth} >= n"
        if proof.second is not None:
            drift += f", |k_{depth} - P - D h| <= K/{depth}, |s_{depth} - b log({depth}) - s_0| <= S/{depth}"
        found = [
            ProofStep("orbit", "the original recursion in balls from the starts to layer n", proof.figures["orbit"]),
            ProofStep("single layers", drift, proof.figures["drift"]),
            ProofStep("connection constant", f"T(x_{depth}) - a log({depth}) tends to C",
                      {"C": enclosed(proof.connection)}),
        ]  # fmt: skip
        if proof.second is not None:
            shows = f"(k_{depth} - P(x_{depth}))/h(x_{depth}) tends to D"
            found.append(ProofStep("linear recursion", shows, {"D": enclosed(proof.second)}))
        return found

    @property
    def _deep_steps(self) -> list[ProofStep]:
        proof, depth, bidisc = self.proof, self.depth, self.proof.inverse
        start, of_all = max(proof.layer, proof.valid_from), "C" if proof.second is None else "C and D"
        largest = above(max(total(proof.bounds), proof.between, key=lambda value: float(value)))
        return [
            ProofStep("inversion", f"t is analytic in X = log({depth})^(-1/{self.asked.map_.excess}) and Y on a bidisc",
                      bidisc_figures(bidisc)),
            ProofStep("tail", f"the rest of the law, over the monomial, for all log({depth}) >= Lambda_1",
                      {"Lambda_1": above(proof.depth), **{name: above(b) for name, b in proof.bounds.items()}}),
            ProofStep("boxes", f"the deviation for log({start}) <= log({depth}) <= Lambda_1 and all {of_all}"
                      ", over the monomial", {"largest": largest}),
            ProofStep("first layers", "the deviation of every layer from l_0 to n, over the monomial",
                      {"l_0": str(proof.valid_from), "n": str(proof.layer), "largest": above(proof.small)}),
        ]  # fmt: skip

    @property
    def map_(self) -> dict:
        """x_l = x_(l-1) - delta_l h(x_(l-1)), delta_l = weight/(l + shift)."""
        map_ = self.asked.map_
        steps = {"weight": sstr(map_.weight), "shift": sstr(map_.shift),
                 "others": {str(layer): sstr(size) for layer, size in map_.sizes.items()}}  # fmt: skip
        known = {"variable": str(map_.variable), "root": map_.root, "order": map_.order}
        return {"formula": sstr(map_.plain[0]), "activation": None, **known, "steps": steps}

    @property
    def quantity(self) -> dict:
        """x_l, or k_l over its norm."""
        norm = self.asked.norm
        if norm is None:
            return {"of": "orbit", "offset": "0", "sign": 1, "exponent": self.asked.map_.root}
        return {"of": "linear recursion", "average": False, "norm": [sstr(part) for part in norm]}

    @property
    def linear(self) -> dict | None:
        slope, own = self.asked.map_.plain[1:]
        return None if own is None else {"slope": sstr(slope), "own": sstr(own), "start": sstr(self.asked.along(X))}

    @property
    def formulas(self) -> list[Expr]:
        more = (*self.asked.map_.plain, *(self.asked.norm or ()))
        return [*self.coefficients, *(formula for formula in more if formula is not None)]


@dataclass(frozen=True)
class DepthAccount(AbelAccount):
    """Of a law in the depth L of networks that know it."""

    asked: DepthLaw

    @property
    def steps(self) -> tuple[ProofStep, ...]:
        map_, theorem = self.asked.map_, self.proof.theorem
        known = {str(c): enclosed(ball) for c, ball in self.named_numbers.items()}
        step = f"{map_.symbol} -> {map_.symbol} + h ({map_.formula}), L - 1 times, h = u^{map_.root} ({map_.rate})"
        return (
            ProofStep("map", step, {"d": str(map_.root)}),
            ProofStep("flow time", "T_0(k_0) - T_0(x_1) = lim (L - 1) h", {"bits": str(theorem.bits), **known}),
            ProofStep("sweep", "|T(x + h F) - T(x) - h| <= M h^(m+1) and T rises from x_1 to e, which no orbit reaches",
                      {"m": str(theorem.last), **self.proof.figures["sweep"]}),
            *self._last_steps,
        )  # fmt: skip

    @property
    def named_numbers(self) -> dict[Expr, arb]:
        return dict(zip(self.coefficients, self.proof.theorem.coefficients, strict=True))
