"""What a theorem about falling steps says of itself: the steps of its proof, the entries of its record.

Tiny case.  h = x^2, delta_l = 1/(l + 1): the step "map" has the figures a = 1 and beta = 1.
"""

from dataclasses import dataclass

from sympy import Expr, sstr

from asympt.balls.flows.law import FlowProof
from asympt.balls.inversion import total
from asympt.balls.laws import FlowLaw
from asympt.recursions.proofs.accounts import AbelAccount, ProofStep, X, above, below, enclosed


@dataclass(frozen=True)
class FlowAccount(AbelAccount):
    """Of a law of falling steps, in log l."""

    asked: FlowLaw
    proof: FlowProof

    @property
    def steps(self) -> tuple[ProofStep, ...]:
        """The proof, step by step."""
        return (*self._flow_steps, *self._orbit_steps, *self._deep_steps)

    @property
    def _flow_steps(self) -> list[ProofStep]:
        map_, depth, theorem = self.asked.map_, self.depth, self.proof.theorem
        shape = f"h = t^{map_.order} s(t), x = {map_.symbol}^{map_.root}"
        series = f"T' = -1/h is t^-{map_.excess} times a power series and r log t"
        return [
            ProofStep("map", f"x_{depth} = x_({depth}-1) - a/({self._power} + beta) h(x_({depth}-1)), {shape}",
                      {"a": enclosed(theorem.a), "beta": enclosed(theorem.shift)}),
            ProofStep("radius", "every node of the formulas is analytic in the disc, and s has no zero there",
                      {"R": below(theorem.radius), "bits": str(theorem.bits), "arcs": str(theorem.map.arcs)}),
            ProofStep("flow time", f"{series}, with Cauchy's bound of its rest",
                      {"J": str(theorem.count - 1), "r": enclosed(theorem.time_log)}),
        ]  # fmt: skip

    @property
    def _power(self) -> str:
        """Of the layer, in the steps."""
        return str(self.depth)

    @property
    def _clock(self) -> str:
        return f"a log({self.depth})"

    @property
    def _inverted(self) -> str:
        """X."""
        return f"log({self.depth})^(-1/{self.asked.map_.excess})"

    @property
    def _drift(self) -> str:
        """What single layers add."""
        depth = self.depth
        shows = f"|T(x_{depth}) - {self._clock} - C| <= E/{depth} for all {depth} >= n"
        if self.proof.second is not None:
            shows += f", |k_{depth} - P - D h| <= K/{depth}, |s_{depth} - b log({depth}) - s_0| <= S/{depth}"
        return shows

    @property
    def _orbit_steps(self) -> list[ProofStep]:
        proof, depth = self.proof, self.depth
        found = [
            ProofStep("orbit", "the original recursion in balls from the starts to layer n", proof.figures["orbit"]),
            ProofStep("single layers", self._drift, proof.figures["drift"]),
            ProofStep("connection constant", f"T(x_{depth}) - {self._clock} tends to C",
                      {"C": enclosed(proof.connection)}),
        ]  # fmt: skip
        if proof.second is not None:
            shows = f"(k_{depth} - P(x_{depth}))/h(x_{depth}) tends to D"
            found.append(ProofStep("linear recursion", shows, {"D": enclosed(proof.second)}))
        return found

    @property
    def _deep_steps(self) -> list[ProofStep]:
        proof, depth, bidisc = self.proof, self.depth, self.proof.bidisc
        start, of_all = max(proof.layer, proof.valid_from), "C" if proof.second is None else "C and D"
        largest = above(max(total(proof.bounds), proof.between, key=lambda value: float(value)))
        return [
            ProofStep("inversion", f"t is analytic in X = {self._inverted} and Y on a bidisc",
                      {"r": above(bidisc.r), "R_X": below(bidisc.x), "R_Y": below(bidisc.y)}),
            ProofStep("tail", f"what is not printed, over the monomial, for all log({depth}) >= Lambda_1",
                      {"Lambda_1": above(proof.depth), **{name: above(b) for name, b in proof.bounds.items()}}),
            ProofStep("boxes", f"the deviation for log({start}) <= log({depth}) <= Lambda_1 and all {of_all}"
                      ", over the monomial", {"largest": largest}),
            ProofStep("first layers", "the deviation of every layer from l_0 to n, over the monomial",
                      {"l_0": str(proof.valid_from), "n": str(proof.layer), "largest": above(proof.small)}),
        ]  # fmt: skip

    @property
    def map_(self) -> dict:
        """x_l = x_(l-1) - delta_l h(x_(l-1)), delta_l = weight/(l^exponent + shift)."""
        map_ = self.asked.map_
        steps = {"weight": sstr(map_.weight), "shift": sstr(map_.shift), "exponent": str(map_.exponent),
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
        """The linear recursion, if there is one."""
        slope, own = self.asked.map_.plain[1:]
        return None if own is None else {"slope": sstr(slope), "own": sstr(own), "start": sstr(self.asked.along(X))}

    @property
    def formulas(self) -> list[Expr]:
        """All in which a number may stand that is known by a name only."""
        more = (*self.asked.map_.plain, *(self.asked.norm or ()))
        return [*self.coefficients, *(formula for formula in more if formula is not None)]


class PowerAccount(FlowAccount):
    """Of a law in powers of l: steps like l^-kappa, kappa < 1."""

    @property
    def _power(self) -> str:
        return f"{self.depth}^({self.asked.map_.exponent})"

    @property
    def _clock(self) -> str:
        return f"clock({self.depth})"

    @property
    def _inverted(self) -> str:
        return f"{self.depth}^(-{(1 - self.asked.map_.exponent) / self.asked.map_.excess})"

    @property
    def _drift(self) -> str:
        depth, kappa = self.depth, self.asked.map_.exponent
        shows = f"|T(x_{depth}) - {self._clock} - C| <= E {depth}^(-{kappa}) for all {depth} >= n, where {self._clock} "
        shows += "is the integral of the steps that has no constant term"
        if self.asked.norm is None:
            return shows
        fall, logs = self.proof.theorem.kernel_fall()
        shows += f", |k_{depth} - P| <= K {depth}^(-{fall})" + f" log({depth})" * logs
        return shows + f", |s_{depth} - b {self._clock} - s_0| <= S {depth}^(-{kappa})"
