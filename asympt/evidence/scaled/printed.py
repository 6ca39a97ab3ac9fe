"""A printed law of a scaled residual network, put back into the flow and into the layer at enormous depths.

Problem.  The law is one in powers of 1/log l (kappa = 1) or of l^(-(1 - kappa)) and l^(-kappa): at depths that can be
iterated its terms are hardly separated, and a wrong coefficient would pass.

Rule.  The printed formula is a function of a real number V: V = log l, or V = l.  For any numbers C and D the defects

    correlation   (T(x) - clock - C) h(x)                           C means what it says
                  l (x(l) - x(l-1) + delta_l h(x(l-1)))             the layer itself, kappa < 1
    NTK           ratio - (P(t) + D h(t))/(clock + s_0),  T(gamma) = clock + C

must be at most of the size of the remainder: divided by it, they must not grow.  The identities are formal in V and
log V, so log V is given a value of its own that grows like a small power of V (log(V - 1) is that plus log(1 - 1/V)):
a wrong logarithm is then as visible as a wrong power.  With as many digits as it takes, at V = 10^16, 10^32, 10^64
(further out where the powers of l lie close together), a wrong coefficient makes the defects grow by orders.

Tiny case.  x = 1/V - C/V^2 for h = x^2: T(x) - V - C = C^2/V + ..., so the defect is C^2/V^3, and O(1/V^3) is claimed.

Known limits.  For kappa < 1 the flow is that of the layers up to O(l^(-kappa)) only, which is allowed for.
"""

from dataclasses import dataclass

from mpmath import mp, mpf, nstr

from asympt.evidence.check import Check
from asympt.evidence.reading import number, rest_of, terms_of
from asympt.evidence.scaled.flow import ScaledFlow
from asympt.numbers import to_mpf

POWERS = (16, 32, 64)  # of ten: where the defects are looked at
FARTHEST = 4  # times these
SHARE = 8  # log V is V^(spacing/SHARE)
GROWTH = 1.5
CONSTANTS = ({"C": (7, 3), "D": (-5, 7)}, {"C": (-11, 5), "D": (13, 3)})


@dataclass(frozen=True)
class PrintedAt:
    """V and what stands for log V."""

    variable: object
    logarithm: object

    def before(self) -> "PrintedAt":
        """The layer before."""
        return PrintedAt(self.variable - 1, self.logarithm + mp.log1p(-1 / self.variable))


def printed_checks(law) -> list[Check]:
    """The defects of the printed law for two choices of C and D."""
    flow = ScaledFlow(law.layer)
    if law.linear is not None:
        return [_check("the NTK's printed law against (P + D h)/s along the flow", law, flow, _ratio_defect)]
    checks = [_check("T(printed x) - clock - C", law, flow, _time_defect)]
    if flow.kappa != 1:
        checks.append(_check("the printed x in one layer", law, flow, _layer_defect))
    return checks


def _check(name: str, law, flow: ScaledFlow, defect) -> Check:
    """The growth of the defect in units of the remainder, in the last step."""
    worst, shown = mpf(-1), ""
    powers = _powers(flow)
    for pair in CONSTANTS:
        found = [_at(law, flow, defect, pair, power) for power in powers]
        growth = found[-1] / found[-2] if found[-2] else (mpf(0) if not found[-1] else mp.inf)
        if growth > worst:
            worst, shown = growth, ", ".join(nstr(one, 3) for one in found)
    detail = f"in units of the remainder at 10^{powers}: {shown}; C, D and the logarithm as numbers"
    name = f"{name}: growth in units of the remainder"
    return Check(name, nstr(worst, 4), GROWTH, bool(worst <= GROWTH), "checked", detail)


def _at(law, flow: ScaledFlow, defect, pair: dict, power: int):
    with mp.workdps(int(power * (float(rest_of(law.expansion).order) + 2)) + 30):
        constants = {name: mpf(top) / bottom for name, (top, bottom) in pair.items()}
        place = PrintedAt(mpf(10) ** power, mpf(10) ** (power * mpf(_spacing(flow)) / SHARE))
        return +abs(defect(law, flow, constants, place))


def _spacing(flow: ScaledFlow) -> float:
    """How far apart the powers of the variable lie, about."""
    return 1.0 if flow.kappa == 1 else float(min(flow.kappa, 1 - flow.kappa))


def _powers(flow: ScaledFlow) -> tuple:
    times = min(FARTHEST, max(1, round(0.5 / _spacing(flow))))
    return tuple(times * power for power in POWERS)


def _sum(expansion, constants: dict, variable, logarithm):
    """The terms of an expansion with the logarithm as a variable of its own."""
    return mp.fsum(c * variable ** to_mpf(p) * logarithm**j for p, j, c in terms_of(expansion, constants))


def _printed(law, constants: dict, place: PrintedAt) -> tuple:
    """(the printed sum, the size of its remainder)."""
    rest = rest_of(law.expansion)
    size = place.variable ** -to_mpf(rest.order) * place.logarithm**rest.logs
    return _sum(law.expansion, constants, place.variable, place.logarithm), size


def _clock(flow: ScaledFlow, place: PrintedAt):
    """The clock, from V = log l or from l."""
    return flow.alpha * place.variable if flow.kappa == 1 else flow.clock(place.variable, place.logarithm)


def _discrete(flow: ScaledFlow, place: PrintedAt):
    """The size of what the layers add to the flow: l^(-kappa), nothing on the scale of log l."""
    return mpf(0) if flow.kappa == 1 else place.variable ** -to_mpf(flow.kappa)


def _time_defect(law, flow: ScaledFlow, constants: dict, place: PrintedAt):
    found, size = _printed(law, constants, place)
    defect = flow.time(found) - _clock(flow, place) - constants["C"]
    return defect / (size / flow.drift(found) + _discrete(flow, place))


def _layer_defect(law, flow: ScaledFlow, constants: dict, place: PrintedAt):
    found, size = _printed(law, constants, place)
    before = _printed(law, constants, place.before())[0]
    moved = found - before + flow.branch_share(place.variable) * flow.drift(before)
    return moved * place.variable / size


def _ratio_defect(law, flow: ScaledFlow, constants: dict, place: PrintedAt):
    found, size = _printed(law, constants, place)
    clock = _clock(flow, place)
    t = mp.sqrt(flow.gap_at(clock + constants["C"]))
    pace = 1 if flow.kappa == 1 else to_mpf(1 - flow.kappa)  # t falls like V^(-pace)
    logarithm = mp.log(t * place.variable**pace) - pace * place.logarithm
    kernel = _sum(law.linear.particular, {}, t, logarithm)
    kernel += constants["D"] * _sum(law.linear.homogeneous, {}, t, logarithm)
    diagonal = clock + number(law.coordinate.diagonal, {})
    return (found - kernel / diagonal) / (size + _discrete(flow, place) / diagonal)
